// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Operations other than + - * / that branch-free lane code needs, for scalars.
///
/// core/lane/pack.hpp defines the same names for SIMD packs. Lane code calls them unqualified.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1 {

/// condition ? a : b, without a branch on data.
COPPICE_LANE float select(bool condition, float a, float b) { return condition ? a : b; }
COPPICE_LANE double select(bool condition, double a, double b) { return condition ? a : b; }

COPPICE_LANE float magnitude(float a) { return __builtin_fabsf(a); }
COPPICE_LANE double magnitude(double a) { return __builtin_fabs(a); }

/// The larger of two values; b if a is NaN.
COPPICE_LANE float larger(float a, float b) { return b < a ? a : b; }
COPPICE_LANE double larger(double a, double b) { return b < a ? a : b; }

/// The larger of |a| and |b|; NaN if b is NaN.
template <class T>
COPPICE_LANE T larger_magnitude(T const& a, T const& b) {
    return larger(magnitude(a), magnitude(b));
}
#if defined(__CUDA_ARCH__)
__device__ COPPICE_ALWAYS_INLINE float larger_magnitude(float const& a, float const& b) {
    float r;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(fabsf(a)), "f"(fabsf(b)));
    return r;
}
#endif

/// Number of bits of `value` without leading zeros. (nvcc 13.0 folds std::bit_width to a constant in device code.)
COPPICE_LANE int bit_width(std::uint64_t value) {
#if defined(__CUDA_ARCH__)
    return 64 - __clzll(static_cast<long long>(value));
#else
    return int(std::bit_width(value));
#endif
}

/// a b + c. For scalars the operation is fused if the processor has such an instruction, independent of the surrounding
/// expression and of the number of right-hand sides. For packs the compiler decides.
template <class T>
COPPICE_LANE T multiply_add(T const& a, T const& b, T const& c) {
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
// Without the builtin, the compiler may round either product of a b + c d, and not the same one everywhere.
COPPICE_ALWAYS_INLINE float multiply_add(float const& a, float const& b, float const& c) {
    return __builtin_fmaf(a, b, c);
}
COPPICE_ALWAYS_INLINE double multiply_add(double const& a, double const& b, double const& c) {
    return __builtin_fma(a, b, c);
}
#endif

/// Element type of a lane type.
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

/// 1 / a for `a` that is not subnormal. In float on a GPU the error is up to one unit in the last place: a correctly
/// rounded quotient takes ten more instructions and does not improve the elimination.
template <class T>
COPPICE_LANE T reciprocal(T const& a) {
    return T(1) / a;
}
#if defined(__CUDA_ARCH__)
COPPICE_LANE float reciprocal(float const& a) {
    float r;
    asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}
#endif

/// 1 / a. If |a| is too small for a finite reciprocal (zero, subnormal), `a` is replaced by the smallest normal number.
/// A zero pivot with a zero right-hand side then gives 0; with any other right-hand side it gives a huge or infinite
/// value (epsilon-tilde of Algorithm 1). NaN stays NaN.
template <class T>
COPPICE_LANE T safe_reciprocal(T const& a) {
    T const smallest(std::numeric_limits<typename lane_traits<T>::value_type>::min());
    return reciprocal(select(magnitude(a) < smallest, smallest, a));
}

/// Returns the power of two that makes a >= 0 a normal number if it is subnormal, else 1, also for 0 and NaN. No single
/// factor scales every subnormal number to about 1: rows are multiplied by this one first.
template <class T>
COPPICE_LANE T subnormal_lift(T const& a) {
    using real = typename lane_traits<T>::value_type;
    using limits = std::numeric_limits<real>;
    T const lifted = select(T(0) < a, T(1 / limits::epsilon()), T(1));
    return select(a < T(limits::min()), lifted, T(1));
}

/// Returns the power of two s that scales a >= 0 such that 0.75 <= a s < 1.5, computed from the exponent of the rounded
/// `a` in three integer instructions. For the two largest binades a s < 6; for subnormal a, a s < 1.5. s is finite and
/// positive for every `a`, including NaN.
COPPICE_LANE float near_inverse(float a) {
    std::uint32_t rounded;
    __builtin_memcpy(&rounded, &a, sizeof(a));
    std::int32_t bits = std::int32_t(~(rounded + 0x00400000u) & 0x7f800000u) - 0x00800000;
    bits = bits < 0x00800000 ? 0x00800000 : bits;
    __builtin_memcpy(&a, &bits, sizeof(a));
    return a;
}
COPPICE_LANE double near_inverse(double a) {
    std::uint64_t bits;
    __builtin_memcpy(&bits, &a, sizeof(a));
    std::int32_t high = std::int32_t(~(std::uint32_t(bits >> 32) + 0x00080000u) & 0x7ff00000u) - 0x00100000;
    high = high < 0x00100000 ? 0x00100000 : high;
    bits = std::uint64_t(high) << 32; // the low half is zero
    __builtin_memcpy(&a, &bits, sizeof(a));
    return a;
}
/// Returns the leading 32 bits of |a|. They are ordered as |a| up to the truncated bits and are cheaper to compare than
/// doubles.
COPPICE_LANE std::int32_t leading_bits(float a) {
    std::int32_t bits;
    __builtin_memcpy(&bits, &a, sizeof(a));
    return bits & 0x7fffffff;
}
COPPICE_LANE std::int32_t leading_bits(double a) {
    std::int64_t bits;
    __builtin_memcpy(&bits, &a, sizeof(a));
    return std::int32_t(bits >> 32) & 0x7fffffff;
}
/// Creates a number from its leading bits; the other bits are 0.
COPPICE_LANE void from_leading_bits(std::int32_t bits, float& a) { __builtin_memcpy(&a, &bits, sizeof(a)); }
COPPICE_LANE void from_leading_bits(std::int32_t bits, double& a) {
    std::int64_t const all = std::int64_t(bits) << 32;
    __builtin_memcpy(&a, &all, sizeof(a));
}

/// near_inverse() for SIMD packs, with integer vector operations.
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
        bits const inverse = ~((bits)v + (bits{} + half)) & (bits{} + exponent);
        v = (typename Pack::vector)(Pack::saturated_difference(inverse, bits{} + 2 * one) + (bits{} + one));
    }
    return a;
}

/// Returns a factor that scales a >= 0 to a value near 1, as near_inverse does. In float on a GPU it is not a power of
/// two: one approximate reciprocal and two comparisons replace four integer instructions. For a >= 2^126 the product is
/// below 4.
template <class T>
COPPICE_LANE T rough_inverse(T const& a) {
    return near_inverse(a);
}
/// Whether rough_inverse has the accuracy of 1 / a.
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

/// 1 / a to about one unit in the last place. Neither `a` nor the result may be close to the limits of the range.
template <class T>
COPPICE_LANE T plain_reciprocal(T const& a) {
    return T(1) / a;
}
#if defined(__CUDA_ARCH__)
__device__ COPPICE_ALWAYS_INLINE float plain_reciprocal(float const& a) {
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}
// Approximation with 20 bits, followed by two Newton steps; no branch for special values.
__device__ COPPICE_ALWAYS_INLINE double plain_reciprocal(double const& a) {
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(a));
    r = fma(r, fma(-a, r, 1.0), r);
    return fma(r, fma(-a, r, 1.0), r);
}
#endif

} // namespace coppice::inline v0_1
