// SPDX-License-Identifier: BSD-3-Clause
/// \file The few operations beyond + - * / that branch-free lane code needs, for plain scalars.
///
/// core/pack.hpp has the same names for SIMD packs; lane code calls them unqualified.
#pragma once

#include <limits>

#include "core/config.hpp"

namespace coppice {

/// condition ? a : b, without a branch on data.
COPPICE_HD COPPICE_ALWAYS_INLINE float select(bool condition, float a, float b) { return condition ? a : b; }
COPPICE_HD COPPICE_ALWAYS_INLINE double select(bool condition, double a, double b) { return condition ? a : b; }

COPPICE_HD COPPICE_ALWAYS_INLINE float magnitude(float a) { return __builtin_fabsf(a); }
COPPICE_HD COPPICE_ALWAYS_INLINE double magnitude(double a) { return __builtin_fabs(a); }

/// The larger of two values; b where a is NaN.
COPPICE_HD COPPICE_ALWAYS_INLINE float larger(float a, float b) { return b < a ? a : b; }
COPPICE_HD COPPICE_ALWAYS_INLINE double larger(double a, double b) { return b < a ? a : b; }

/// The element type of a lane type.
template <class T>
struct lane_traits {
    using value_type = typename T::value_type;
};
template <>
struct lane_traits<float> {
    using value_type = float;
};
template <>
struct lane_traits<double> {
    using value_type = double;
};

/// 1 / a where a is not subnormal. A GPU gives a float to one unit in the last place here: a correctly rounded quotient
/// costs ten instructions more and elimination does not profit from it.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T reciprocal(T const& a) {
    return T(1) / a;
}
#if defined(__CUDA_ARCH__)
COPPICE_HD COPPICE_ALWAYS_INLINE float reciprocal(float const& a) {
    float r;
    asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}
#endif

/// 1 / a. A value too small for a finite reciprocal (zero, subnormal) counts as the smallest normal number, so that a
/// zero pivot under a zero right-hand side gives 0 and under any other gives a huge or infinite, visible value
/// (the epsilon-tilde of Algorithm 1). NaN stays NaN.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T safe_reciprocal(T const& a) {
    T const smallest(std::numeric_limits<typename lane_traits<T>::value_type>::min());
    return reciprocal(select(magnitude(a) < smallest, smallest, a));
}

} // namespace coppice
