// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Macros for code that is compiled for both host and device.
#pragma once

#if __cplusplus <= 201703L && !(defined(_MSVC_LANG) && _MSVC_LANG > 201703L)
#error "Coppice needs C++20: compile with -std=c++20"
#include <coppice_needs_cxx20> // does not exist: ends the compilation here, without hundreds of further errors
#endif

#if !defined(__cpp_exceptions) && !defined(_CPPUNWIND)
#error "Coppice needs exceptions: compile without -fno-exceptions"
#include <coppice_needs_exceptions> // does not exist, either
#endif

#include <coppice/version.h>

#if defined(__CUDACC__)
#define COPPICE_HD __host__ __device__
#else
#define COPPICE_HD
#endif

// Disables nvcc's warning about a host/device template that is instantiated with operators that exist on the host only.
// It hides calls of host functions in device code too, which nvcc compiles as unreachable: CI compiles with
// COPPICE_CHECK_DEVICE_CALLS and looks for them (scripts/check-device-calls.py).
#if defined(__CUDACC__) && !defined(COPPICE_CHECK_DEVICE_CALLS)
#define COPPICE_NO_EXEC_CHECK _Pragma("nv_exec_check_disable")
#else
#define COPPICE_NO_EXEC_CHECK
#endif

// Unrolls the next loop in device code. Without it, the compiler may index local arrays at run time, which moves them
// from registers to local memory.
#if defined(__CUDA_ARCH__)
#define COPPICE_UNROLL _Pragma("unroll")
#else
#define COPPICE_UNROLL
#endif

// Unrolls the next loop four times in device code, so that the loads of four iterations are in flight together.
#if defined(__CUDA_ARCH__)
#define COPPICE_UNROLL_FOUR _Pragma("unroll 4")
#else
#define COPPICE_UNROLL_FOUR
#endif

// Unrolls the next loop on the host too, so that the arrays that it indexes stay in registers.
#if defined(__CUDACC__)
#define COPPICE_UNROLL_ALL COPPICE_UNROLL
#else
#define COPPICE_UNROLL_ALL _Pragma("GCC unroll 16")
#endif

// Unrolls the next loop `n` times in device code; n is a constant expression.
#if defined(__CUDA_ARCH__)
#define COPPICE_PRAGMA(text) _Pragma(#text)
#define COPPICE_UNROLL_BY(n) COPPICE_PRAGMA(unroll(n))
#else
#define COPPICE_UNROLL_BY(n)
#endif

// Prevents unrolling of the next loop in device code: the compiler would mix the loads of two iterations and wait for
// both.
#if defined(__CUDA_ARCH__)
#define COPPICE_NO_UNROLL _Pragma("unroll 1")
#else
#define COPPICE_NO_UNROLL
#endif

#if defined(_MSC_VER)
#define COPPICE_RESTRICT __restrict
#else
#define COPPICE_RESTRICT __restrict__
#endif

// Inlines small functions of lane code. Without optimisation or with a sanitizer this would triple the compile time.
// With AVX it is always done: otherwise the linker could choose a copy with AVX for the whole program.
#if defined(COPPICE_ALWAYS_INLINE) // by an option of the coverage build: gcov counts branches of every inlined copy
#elif defined(__GNUC__) && !defined(__CUDACC__) && !defined(__AVX__) &&                                                \
    (!defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define COPPICE_ALWAYS_INLINE inline
#elif defined(__GNUC__)
#define COPPICE_ALWAYS_INLINE __attribute__((always_inline)) inline
#else
#define COPPICE_ALWAYS_INLINE inline
#endif

// Lane code: for the host and for devices, inlined.
#define COPPICE_LANE COPPICE_HD COPPICE_ALWAYS_INLINE

// COPPICE_ALWAYS_INLINE for a lambda; written after its parameter list.
#if defined(__GNUC__) && defined(__OPTIMIZE__)
#define COPPICE_INLINE_LAMBDA __attribute__((always_inline))
#else
#define COPPICE_INLINE_LAMBDA
#endif
