// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The named monoids: adders with the identities and terminal values of GraphBLAS (C API 2.0).
///
/// | adder | ⊕ | identity | terminal |
/// | --- | --- | --- | --- |
/// | `add_plus` | a + b | 0 | |
/// | `add_times` | a b | 1 | 0 for integers |
/// | `add_min` | smaller, of a number and NaN the number | +infinity, largest integer | lowest integer |
/// | `add_max` | larger, of a number and NaN the number | -infinity, lowest integer | largest integer |
/// | `add_or` | either is not 0 | 0 | 1 |
/// | `add_and` | neither is 0 | 1 | 0 |
/// | `add_xor` | exactly one is not 0 | 0 | |
/// | `add_xnor` | both or none are 0 | 1 | |
/// | `add_any` | one of them, here the first | no entry | every value |
/// | `add_arg_max` | (value, column) with the largest value | no column | |
///
/// Min, max and arg-max ignore a NaN on either side (fmin and fmax of IEEE 754-2008, and SuiteSparse:GraphBLAS): of NaN
/// and NaN it is NaN. A reduction begins with the identity, so that a NaN is ignored wherever it stands, and the
/// identity is left if all products are NaN.
///
/// `fold(sum, product)`, if an adder has it, is the same for a sum that began with the identity: it never is NaN, and
/// one comparison is enough.
///
/// An infinity would be terminal for floating min and max, but hardly ever comes, and asking for it at every nonzero
/// costs more than it saves; SuiteSparse:GraphBLAS does not ask either.
///
/// Integers overflow as in C++, where GraphBLAS wraps. Logical results are 0 and 1 in the type of the operands.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <coppice/core/config.hpp>

namespace coppice {

/// a + b with identity 0.
template <class T>
struct add_plus {
    COPPICE_HD constexpr T identity() const { return T(0); }
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return static_cast<T>(a + b); }
};

/// a b with identity 1. An integer 0 is terminal; a floating 0 is not, since 0 times infinity is NaN.
template <class T>
struct add_times {
    COPPICE_HD constexpr T identity() const { return T(1); }
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return static_cast<T>(a * b); }
    COPPICE_HD constexpr bool terminal(T const& a) const requires std::is_integral_v<T> { return a == T(0); }
};

namespace detail {
template <class T>
COPPICE_HD constexpr T lowest() {
    if constexpr (std::numeric_limits<T>::has_infinity)
        return -std::numeric_limits<T>::infinity();
    else
        return std::numeric_limits<T>::lowest();
}
template <class T>
COPPICE_HD constexpr T highest() {
    if constexpr (std::numeric_limits<T>::has_infinity)
        return std::numeric_limits<T>::infinity();
    else
        return std::numeric_limits<T>::max();
}
} // namespace detail

/// The smaller of two values, identity +infinity (or the largest integer). Of a number and NaN it is the number.
template <class T>
struct add_min {
    COPPICE_HD constexpr T identity() const { return detail::highest<T>(); }
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return b < a || a != a ? b : a; }
    COPPICE_HD constexpr T fold(T const& sum, T const& b) const { return b < sum ? b : sum; }
    COPPICE_HD constexpr bool terminal(T const& a) const requires std::is_integral_v<T> {
        return a == detail::lowest<T>();
    }
};

/// The larger of two values, identity -infinity (or the lowest integer). Of a number and NaN it is the number.
template <class T>
struct add_max {
    COPPICE_HD constexpr T identity() const { return detail::lowest<T>(); }
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return a < b || a != a ? b : a; }
    COPPICE_HD constexpr T fold(T const& sum, T const& b) const { return sum < b ? b : sum; }
    COPPICE_HD constexpr bool terminal(T const& a) const requires std::is_integral_v<T> {
        return a == detail::highest<T>();
    }
};

/// Logical or over values: 1 if either is non-zero, identity 0.
template <class T>
struct add_or {
    COPPICE_HD constexpr T identity() const { return T(0); }
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return T(a != T(0) || b != T(0)); }
    COPPICE_HD constexpr bool terminal(T const& a) const { return a != T(0); }
};

/// Logical and over values: 1 if both are non-zero, identity 1.
template <class T>
struct add_and {
    COPPICE_HD constexpr T identity() const { return T(1); }
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return T(a != T(0) && b != T(0)); }
    COPPICE_HD constexpr bool terminal(T const& a) const { return a == T(0); }
};

/// Exclusive or over values: the parity of those that are non-zero, identity 0.
template <class T>
struct add_xor {
    COPPICE_HD constexpr T identity() const { return T(0); }
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return T((a != T(0)) != (b != T(0))); }
};

/// Equivalence of truth values (GraphBLAS: lxnor, eq on bool): the parity of those that are zero, identity 1.
template <class T>
struct add_xnor {
    COPPICE_HD constexpr T identity() const { return T(1); }
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return T((a != T(0)) == (b != T(0))); }
};

/// A value that is there, or no entry.
template <class T>
struct entry {
    T value;
    bool present;
};

/// The first value that is there; GraphBLAS leaves open which. Products are T; semirings write the value of the entry,
/// T(0) where there is none.
template <class T>
struct add_any {
    COPPICE_HD constexpr entry<T> identity() const { return {T(0), false}; }
    COPPICE_HD constexpr entry<T> operator()(entry<T> const& a, entry<T> const& b) const { return a.present ? a : b; }
    COPPICE_HD constexpr entry<T> operator()(entry<T> const& a, T const& b) const {
        return a.present ? a : entry<T>{b, true};
    }
    COPPICE_HD constexpr bool terminal(entry<T> const& a) const { return a.present; }
};

/// A value and the column it comes from; column -1 means none.
template <class T, class I = std::int32_t>
struct value_and_column {
    T value;
    I column;
    COPPICE_HD friend bool operator==(value_and_column const& a, value_and_column const& b) {
        return a.value == b.value && a.column == b.column;
    }
};

/// The (value, column) with the largest value; of equal values the first in the row. NaN is no candidate.
template <class T, class I = std::int32_t>
struct add_arg_max {
    using pair = value_and_column<T, I>;
    COPPICE_HD constexpr pair identity() const { return {detail::lowest<T>(), I(-1)}; }
    COPPICE_HD constexpr pair operator()(pair const& a, pair const& b) const {
        return a.column >= 0 && a.value != a.value ? fold(identity(), b) : fold(a, b);
    }
    COPPICE_HD constexpr pair fold(pair const& sum, pair const& b) const {
        return b.column >= 0 && (sum.column < 0 ? b.value == b.value : sum.value < b.value) ? b : sum;
    }
};

} // namespace coppice
