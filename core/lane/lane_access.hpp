// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Access to single lanes of a lane type, for loading, storing and reporting. Scalars have one lane.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/core/lane/complex_lane.hpp>

namespace coppice::inline v0_1 {

/// Number of lanes of a lane type.
template <class T>
inline constexpr int lane_count = T::size;
template <>
inline constexpr int lane_count<float> = 1;
template <>
inline constexpr int lane_count<double> = 1;
template <class R>
inline constexpr int lane_count<complex_lane<R>> = lane_count<R>;

/// Returns the value of lane `l`.
template <class T>
COPPICE_LANE auto get_lane(T const& a, int l) {
    if constexpr (std::is_floating_point_v<T>)
        return a;
    else
        return reinterpret_cast<typename T::value_type const*>(&a)[l];
}
template <class R>
COPPICE_LANE auto get_lane(complex_lane<R> const& a, int l) {
    return complex_lane(get_lane(a.re, l), get_lane(a.im, l));
}

/// Sets the value of lane `l`.
template <class T, class V>
COPPICE_LANE void set_lane(T& a, int l, V const& value) {
    if constexpr (std::is_floating_point_v<T>)
        a = value;
    else
        reinterpret_cast<V*>(&a)[l] = value;
}
template <class R, class V>
COPPICE_LANE void set_lane(complex_lane<R>& a, int l, complex_lane<V> const& value) {
    set_lane(a.re, l, value.re);
    set_lane(a.im, l, value.im);
}

/// Returns the power of two that scales a >= 0 to a value near 1; returns 1 for zero, subnormal and non-finite values.
template <class Real, class Bits, int Mantissa>
COPPICE_LANE Real scale_to_one_of(Real a) {
    constexpr Bits exponents = ((Bits(1) << (8 * int(sizeof(Bits)) - 1 - Mantissa)) - 1) << Mantissa;
    constexpr Bits step = Bits(1) << Mantissa;
    Bits bits;
    __builtin_memcpy(&bits, &a, sizeof(bits));
    Bits const exponent = bits & exponents;
    Bits scale = exponents - step - exponent;
    if (scale < step) scale = step;
    if (exponent == 0 || exponent == exponents) return Real(1);
    Real result;
    __builtin_memcpy(&result, &scale, sizeof(result));
    return result;
}
COPPICE_LANE float scale_to_one(float a) { return scale_to_one_of<float, std::int32_t, 23>(a); }
COPPICE_LANE double scale_to_one(double a) { return scale_to_one_of<double, std::int64_t, 52>(a); }
template <class T>
COPPICE_LANE T scale_to_one(T const& a) {
    T result;
    for (int l = 0; l < lane_count<T>; ++l) set_lane(result, l, scale_to_one(get_lane(a, l)));
    return result;
}

} // namespace coppice::inline v0_1
