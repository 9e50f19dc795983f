// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The arithmetic operators that SuiteSparse:GraphBLAS has beyond the C API: turned round, comparisons in the type of
/// the operands, powers and remainders.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include <coppice/semiring/operators/binary_operators.hpp>

namespace coppice {
namespace detail {

/// A double as an integer, by truncation; the ends of the range where it is beyond, 0 for NaN.
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
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return static_cast<T>(b - a); }
};

/// b / a; integers as div does.
template <class T>
struct rdiv {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return div<T>{}(b, a); }
};

/// One of the two, here the first; GraphBLAS leaves open which.
template <class T>
struct any : first<T> {};

// Comparisons that give 0 or 1 in the type of the operands.

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

/// a to the power b: 1 for b = 0, NaN for NaN on either side; integers by way of double, cut off at the ends of their
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

// Floating-point numbers only.

template <class T>
struct atan2 {
    using domain = T;
    COPPICE_HD T operator()(T const& a, T const& b) const { return std::atan2(a, b); }
};

/// The square root of a² + b², without overflow between.
template <class T>
struct hypot {
    using domain = T;
    COPPICE_HD T operator()(T const& a, T const& b) const { return std::hypot(a, b); }
};

/// What a leaves when divided by b, of the sign of a.
template <class T>
struct fmod {
    using domain = T;
    COPPICE_HD T operator()(T const& a, T const& b) const { return std::fmod(a, b); }
};

/// The same by the nearest quotient.
template <class T>
struct remainder {
    using domain = T;
    COPPICE_HD T operator()(T const& a, T const& b) const { return std::remainder(a, b); }
};

/// a 2^b, b cut off to an integer.
template <class T>
struct ldexp {
    using domain = T;
    COPPICE_HD T operator()(T const& a, T const& b) const { return std::ldexp(a, detail::saturated<int>(double(b))); }
};

/// The size of a with the sign of b.
template <class T>
struct copysign {
    using domain = T;
    COPPICE_HD T operator()(T const& a, T const& b) const { return std::copysign(a, b); }
};

} // namespace op
} // namespace coppice
