// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Arithmetic operators of SuiteSparse:GraphBLAS beyond the C API: operators with swapped operands, comparisons that
/// return the type of the operands, powers and remainders.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include <coppice/semiring/operators/binary_operators.hpp>

namespace coppice::inline v0_1 {
namespace detail {

/// Converts a double to an integer by truncation; saturates outside the range of T, returns 0 for NaN.
template <class T>
COPPICE_HD constexpr T saturated(double value) {
    if (!(value == value)) return T(0);
    if (value <= double(std::numeric_limits<T>::lowest())) return std::numeric_limits<T>::lowest();
    if (value >= double(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    return static_cast<T>(value);
}

} // namespace detail

namespace op {

/// b - a.
template <class T>
struct rminus {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return detail::wrapped_difference(b, a); }
};

/// b / a; integer division as in div.
template <class T>
struct rdiv {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return div<T>{}(b, a); }
};

/// Either operand; here the first. GraphBLAS leaves the choice open.
template <class T>
struct any : first<T> {};

// Comparisons that return 0 or 1 in the type of the operands.

template <class T>
struct iseq {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return T(a == b); }
};

template <class T>
struct isne {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return T(a != b); }
};

template <class T>
struct islt {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return T(a < b); }
};

template <class T>
struct isgt {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return T(b < a); }
};

template <class T>
struct isle {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return T(a <= b); }
};

template <class T>
struct isge {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return T(b <= a); }
};

/// a to the power b: 1 for b = 0, NaN if an operand is NaN. Integers are computed in double and saturated to their
/// range.
template <class T>
struct pow {
    using domain = T;
    COPPICE_HD T operator()(T const& a, T const& b) const {
        if constexpr (std::is_integral_v<T>) {
            return detail::saturated<T>(std::pow(double(a), double(b)));
        } else {
            if (!(a == a) || !(b == b)) return a + b;
            return std::pow(a, b);
        }
    }
};

// Operators for floating-point numbers only.

template <class T>
struct atan2 {
    using domain = T;
    COPPICE_HD T operator()(T const& a, T const& b) const { return std::atan2(a, b); }
};

/// sqrt(a² + b²) without intermediate overflow.
template <class T>
struct hypot {
    using domain = T;
    COPPICE_HD T operator()(T const& a, T const& b) const { return std::hypot(a, b); }
};

/// Remainder of a / b with the quotient truncated; has the sign of a.
template <class T>
struct fmod {
    using domain = T;
    COPPICE_HD T operator()(T const& a, T const& b) const { return std::fmod(a, b); }
};

/// Remainder of a / b with the quotient rounded to nearest.
template <class T>
struct remainder {
    using domain = T;
    COPPICE_HD T operator()(T const& a, T const& b) const { return std::remainder(a, b); }
};

/// a 2^b; b is truncated to an integer.
template <class T>
struct ldexp {
    using domain = T;
    COPPICE_HD T operator()(T const& a, T const& b) const { return std::ldexp(a, detail::saturated<int>(double(b))); }
};

/// |a| with the sign of b.
template <class T>
struct copysign {
    using domain = T;
    COPPICE_HD T operator()(T const& a, T const& b) const { return std::copysign(a, b); }
};

} // namespace op
} // namespace coppice::inline v0_1
