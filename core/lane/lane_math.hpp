// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The few operations beyond + - * / that branch-free lane code needs, for plain scalars.
///
/// core/lane/pack.hpp has the same names for SIMD packs; lane code calls them unqualified.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include <coppice/core/config.hpp>

namespace coppice {

/// condition ? a : b, without a branch on data.
COPPICE_HD COPPICE_ALWAYS_INLINE float select(bool condition, float a, float b) { return condition ? a : b; }
COPPICE_HD COPPICE_ALWAYS_INLINE double select(bool condition, double a, double b) { return condition ? a : b; }

COPPICE_HD COPPICE_ALWAYS_INLINE float magnitude(float a) { return __builtin_fabsf(a); }
COPPICE_HD COPPICE_ALWAYS_INLINE double magnitude(double a) { return __builtin_fabs(a); }

/// The larger of two values; b where a is NaN.
COPPICE_HD COPPICE_ALWAYS_INLINE float larger(float a, float b) { return b < a ? a : b; }
COPPICE_HD COPPICE_ALWAYS_INLINE double larger(double a, double b) { return b < a ? a : b; }

/// The larger of the magnitudes of two values; NaN where b is NaN.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T larger_magnitude(T const& a, T const& b) {
    return larger(magnitude(a), magnitude(b));
}
#if defined(__CUDA_ARCH__)
__device__ COPPICE_ALWAYS_INLINE float larger_magnitude(float const& a, float const& b) {
    float r;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(fabsf(a)), "f"(fabsf(b)));
    return r;
}
#endif

/// The bits from the lowest one to the highest one that is set. (nvcc 13.0 makes a constant of std::bit_width in device
/// code.)
COPPICE_HD COPPICE_ALWAYS_INLINE int bit_width(std::uint64_t value) {
#if defined(__CUDA_ARCH__)
    return 64 - __clzll(static_cast<long long>(value));
#else
    return int(std::bit_width(value));
#endif
}

/// a b + c; fused where the processor can, in whatever expression and for whatever number of right-hand sides it stands
/// (of packs the compiler decides).
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T multiply_add(T const& a, T const& b, T const& c) {
    return a * b + c;
}
#if defined(__CUDA_ARCH__)
__device__ COPPICE_ALWAYS_INLINE float multiply_add(float const& a, float const& b, float const& c) {
    return fmaf(a, b, c);
}
__device__ COPPICE_ALWAYS_INLINE double multiply_add(double const& a, double const& b, double const& c) {
    return fma(a, b, c);
}
#elif defined(__FMA__) && !defined(__CUDACC__)
// Left to the compiler, either product of a b + c d may be the one that is rounded, from place to place.
COPPICE_ALWAYS_INLINE float multiply_add(float const& a, float const& b, float const& c) {
    return __builtin_fmaf(a, b, c);
}
COPPICE_ALWAYS_INLINE double multiply_add(double const& a, double const& b, double const& c) {
    return __builtin_fma(a, b, c);
}
#endif

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

/// 1 / a where a is not subnormal. A GPU gives a float to one integer in the last place here: a correctly rounded quotient
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

/// The power of two that takes a >= 0 to 0.75 <= a near_inverse(a) < 1.5, from the exponent of the rounded `a`: three
/// integer instructions instead of a division. Values of the last two binades before infinity stay below 6, those below
/// the smallest normal number below 1.5; the factor itself is finite and positive for every `a`, NaN included.
COPPICE_HD COPPICE_ALWAYS_INLINE float near_inverse(float a) {
    std::uint32_t rounded;
    __builtin_memcpy(&rounded, &a, sizeof(a));
    std::int32_t bits = std::int32_t(~(rounded + 0x00400000u) & 0x7f800000u) - 0x00800000;
    bits = bits < 0x00800000 ? 0x00800000 : bits;
    __builtin_memcpy(&a, &bits, sizeof(a));
    return a;
}
COPPICE_HD COPPICE_ALWAYS_INLINE double near_inverse(double a) {
    std::uint64_t bits;
    __builtin_memcpy(&bits, &a, sizeof(a));
    std::int32_t high = std::int32_t(~(std::uint32_t(bits >> 32) + 0x00080000u) & 0x7ff00000u) - 0x00100000;
    high = high < 0x00100000 ? 0x00100000 : high;
    bits = std::uint64_t(high) << 32; // the low half is zero
    __builtin_memcpy(&a, &bits, sizeof(a));
    return a;
}
/// The leading 32 bits of |a|, which compare as |a| does but for what they leave out: cheaper than comparing doubles.
COPPICE_HD COPPICE_ALWAYS_INLINE std::int32_t leading_bits(float a) {
    std::int32_t bits;
    __builtin_memcpy(&bits, &a, sizeof(a));
    return bits & 0x7fffffff;
}
COPPICE_HD COPPICE_ALWAYS_INLINE std::int32_t leading_bits(double a) {
    std::int64_t bits;
    __builtin_memcpy(&bits, &a, sizeof(a));
    return std::int32_t(bits >> 32) & 0x7fffffff;
}
/// A number with those leading bits.
COPPICE_HD COPPICE_ALWAYS_INLINE void from_leading_bits(std::int32_t bits, float& a) {
    __builtin_memcpy(&a, &bits, sizeof(a));
}
COPPICE_HD COPPICE_ALWAYS_INLINE void from_leading_bits(std::int32_t bits, double& a) {
    std::int64_t const all = std::int64_t(bits) << 32;
    __builtin_memcpy(&a, &all, sizeof(a));
}

/// For SIMD packs, from their vectors of integers.
template <class Pack>
requires requires { typename Pack::bits; }
COPPICE_ALWAYS_INLINE Pack near_inverse(Pack a) {
    using bits = typename Pack::bits;
    using integer = typename Pack::bits_type;
    constexpr bool single = sizeof(integer) == 4;
    constexpr integer exponent = single ? 0x7f800000 : 0x7ff0000000000000;
    constexpr integer half = single ? 0x00400000 : 0x0008000000000000;
    constexpr integer one = single ? 0x00800000 : 0x0010000000000000;
    for (auto& v : a.v) {
        bits const inverse = (~((bits)v + (bits{} + half)) & (bits{} + exponent)) - (bits{} + one),
                   bound = bits{} + one;
        v = (typename Pack::vector)(inverse < bound ? bound : inverse);
    }
    return a;
}

/// A factor that takes a >= 0 near one, as near_inverse does, but for a float on a GPU not a power of two: one look-up
/// and two comparisons instead of four integer instructions. From 2^126 on the product is below 4.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T rough_inverse(T const& a) {
    return near_inverse(a);
}
/// Whether that is as good as 1 / a.
template <class T>
inline constexpr bool rough_inverse_is_exact =
#if defined(__CUDA_ARCH__)
    sizeof(T) == sizeof(float);
#else
    false;
#endif
#if defined(__CUDA_ARCH__)
__device__ COPPICE_ALWAYS_INLINE float rough_inverse(float const& a) {
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
    return fmaxf(fminf(r, 0x1p126f), 0x1p-126f); // NaN becomes a number
}
#endif

/// 1 / a to about one integer in the last place, where neither `a` nor the result is near the ends of the range.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T plain_reciprocal(T const& a) {
    return T(1) / a;
}
#if defined(__CUDA_ARCH__)
__device__ COPPICE_ALWAYS_INLINE float plain_reciprocal(float const& a) {
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}
// 20 bits from the table, doubled twice; no branch for special values.
__device__ COPPICE_ALWAYS_INLINE double plain_reciprocal(double const& a) {
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(a));
    r = fma(r, fma(-a, r, 1.0), r);
    return fma(r, fma(-a, r, 1.0), r);
}
#endif

} // namespace coppice
