// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Marks for code that runs on host and device.
#pragma once

#include <coppice/version.h>

#if defined(__CUDACC__)
#define COPPICE_HD __host__ __device__
#else
#define COPPICE_HD
#endif

// A host/device template may be instantiated with host-only operators; nvcc is told not to warn about it.
#if defined(__CUDACC__)
#define COPPICE_NO_EXEC_CHECK _Pragma("nv_exec_check_disable")
#else
#define COPPICE_NO_EXEC_CHECK
#endif

// Unrolls the loop that follows where the device compiler would leave arrays indexed at run time.
#if defined(__CUDA_ARCH__)
#define COPPICE_UNROLL _Pragma("unroll")
#else
#define COPPICE_UNROLL
#endif

// Lets four rounds of the loop that follows have their loads in flight together.
#if defined(__CUDA_ARCH__)
#define COPPICE_UNROLL_FOUR _Pragma("unroll 4")
#else
#define COPPICE_UNROLL_FOUR
#endif

// Unrolls the loop that follows on the host, too, where what it indexes is to stay in registers.
#if defined(__CUDACC__)
#define COPPICE_UNROLL_ALL COPPICE_UNROLL
#else
#define COPPICE_UNROLL_ALL _Pragma("GCC unroll 16")
#endif

// Unrolls the loop that follows `n` times, a constant expression.
#if defined(__CUDA_ARCH__)
#define COPPICE_PRAGMA(text) _Pragma(#text)
#define COPPICE_UNROLL_BY(n) COPPICE_PRAGMA(unroll(n))
#else
#define COPPICE_UNROLL_BY(n)
#endif

// Keeps the loop that follows as it is: the device compiler would mix the loads of two rounds and wait for both.
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

// For the small pieces of lane code, which must melt into their loops whatever the compiler thinks of their size. Where
// nobody asks for speed (no optimisation, a sanitizer) the copies take the compiler three times as long for nothing;
// what is compiled for newer processors makes them all the same, or others would be linked with functions of those.
#if defined(__GNUC__) && !defined(__CUDACC__) && !defined(__AVX__) &&                                                  \
    (!defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define COPPICE_ALWAYS_INLINE inline
#elif defined(__GNUC__)
#define COPPICE_ALWAYS_INLINE __attribute__((always_inline)) inline
#else
#define COPPICE_ALWAYS_INLINE inline
#endif

// The same for a lambda, behind its parameters.
#if defined(__GNUC__)
#define COPPICE_INLINE_LAMBDA __attribute__((always_inline))
#else
#define COPPICE_INLINE_LAMBDA
#endif
