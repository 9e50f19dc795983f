// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The value types and executors for which the direct solvers are instantiated. A header with definitions has a macro
/// `use(T, prefix, Executor)` that declares its functions for one type; its `extern template` declarations and the
/// definitions in .cpp and .cu sources come from the lists here.
#pragma once

// use(T, further arguments) for every type of a list.
#define COPPICE_REAL_TYPES(use, ...) use(float __VA_OPT__(, ) __VA_ARGS__) use(double __VA_OPT__(, ) __VA_ARGS__)
#define COPPICE_COMPLEX_TYPES(use, ...)                                                                                \
    use(std::complex<float> __VA_OPT__(, ) __VA_ARGS__) use(std::complex<double> __VA_OPT__(, ) __VA_ARGS__)
#define COPPICE_ALL_TYPES(use, ...)                                                                                    \
    COPPICE_REAL_TYPES(use __VA_OPT__(, ) __VA_ARGS__) COPPICE_COMPLEX_TYPES(use __VA_OPT__(, ) __VA_ARGS__)

// The same, with the types of complex numbers in kernels (chain::lane_of_t).
#define COPPICE_COMPLEX_LANES(use, ...)                                                                                \
    use(complex_lane<float> __VA_OPT__(, ) __VA_ARGS__) use(complex_lane<double> __VA_OPT__(, ) __VA_ARGS__)
#define COPPICE_ALL_LANES(use, ...)                                                                                    \
    COPPICE_REAL_TYPES(use __VA_OPT__(, ) __VA_ARGS__) COPPICE_COMPLEX_LANES(use __VA_OPT__(, ) __VA_ARGS__)

// Declares the instantiations of a list of types, for every executor of this build.
#if defined(COPPICE_HAS_CUDA)
#define COPPICE_EXTERN_TEMPLATES(types, use)                                                                           \
    types(use, extern template, host_executor) types(use, extern template, cuda_executor)
#else
#define COPPICE_EXTERN_TEMPLATES(types, use) types(use, extern template, host_executor)
#endif
