// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Named monoids: adders with the identities and terminal values of GraphBLAS (C API 2.0).
///
/// | adder | ⊕ | identity | terminal |
/// | --- | --- | --- | --- |
/// | `add_plus` | a + b | 0 | |
/// | `add_times` | a b | 1 | 0 for integers |
/// | `add_min` | smaller; if one is NaN, the other | +infinity, largest integer | lowest integer |
/// | `add_max` | larger; if one is NaN, the other | -infinity, lowest integer | largest integer |
/// | `add_or` | either is not 0 | 0 | 1 |
/// | `add_and` | neither is 0 | 1 | 0 |
/// | `add_xor` | exactly one is not 0 | 0 | |
/// | `add_xnor` | both or none are 0 | 1 | |
/// | `add_any` | either, here the first | no entry | every value |
/// | `add_arg_max` | (value, column) with the largest value | no column | |
///
/// Min, max and arg-max ignore NaN operands (fmin and fmax of IEEE 754-2008, and SuiteSparse:GraphBLAS); min(NaN, NaN)
/// is NaN. A reduction begins with the identity. A NaN is therefore ignored at any position, and the result is the
/// identity if all products are NaN.
///
/// An adder may define `fold(sum, product)`: the same operation for a sum that began with the identity. Such a sum is
/// never NaN, so one comparison is enough.
///
/// Infinities are not terminal values of floating-point min and max: they are rare, and a test at every nonzero costs
/// more than it saves. SuiteSparse:GraphBLAS does not test either.
///
/// Integer sums and products wrap, as in GraphBLAS. Logical results are 0 and 1 in the type of the operands.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1 {

namespace detail {

/// Type in which T is added and multiplied: for integers an unsigned type of at least 32 bits, whose arithmetic wraps.
/// Signed types, and int, to which narrow types are promoted, may not overflow; not even in a sum that is discarded
/// (fold_ahead).
template <class T>
struct wrapping {
    using type = T;
};
template <class T>
requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) struct wrapping<T> {
    using type = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
};
template <class T>
using wrapping_t = typename wrapping<T>::type;

template <class T>
COPPICE_HD constexpr T wrapped_sum(T const& a, T const& b) {
    using U = wrapping_t<T>;
    return static_cast<T>(static_cast<U const&>(a) + static_cast<U const&>(b));
}
template <class T>
COPPICE_HD constexpr T wrapped_difference(T const& a, T const& b) {
    using U = wrapping_t<T>;
    return static_cast<T>(static_cast<U const&>(a) - static_cast<U const&>(b));
}
template <class T>
COPPICE_HD constexpr T wrapped_product(T const& a, T const& b) {
    using U = wrapping_t<T>;
    return static_cast<T>(static_cast<U const&>(a) * static_cast<U const&>(b));
}

} // namespace detail

/// a + b with identity 0.
template <class T>
struct add_plus {
    COPPICE_HD constexpr T identity() const { return T(0); }
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return detail::wrapped_sum(a, b); }
};

/// a b with identity 1. The integer 0 is terminal; a floating-point 0 is not, since 0 times infinity is NaN.
template <class T>
struct add_times {
    COPPICE_HD constexpr T identity() const { return T(1); }
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return detail::wrapped_product(a, b); }
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

/// Smaller of two values; identity +infinity (or the largest integer). If one value is NaN, the other.
template <class T>
struct add_min {
    COPPICE_HD constexpr T identity() const { return detail::highest<T>(); }
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return b < a || a != a ? b : a; }
    COPPICE_HD constexpr T fold(T const& sum, T const& b) const { return b < sum ? b : sum; }
    COPPICE_HD constexpr bool terminal(T const& a) const requires std::is_integral_v<T> {
        return a == detail::lowest<T>();
    }
};

/// Larger of two values; identity -infinity (or the lowest integer). If one value is NaN, the other.
template <class T>
struct add_max {
    COPPICE_HD constexpr T identity() const { return detail::lowest<T>(); }
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return a < b || a != a ? b : a; }
    COPPICE_HD constexpr T fold(T const& sum, T const& b) const { return sum < b ? b : sum; }
    COPPICE_HD constexpr bool terminal(T const& a) const requires std::is_integral_v<T> {
        return a == detail::highest<T>();
    }
};

/// Logical or: 1 if either value is nonzero; identity 0.
template <class T>
struct add_or {
    COPPICE_HD constexpr T identity() const { return T(0); }
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return T(a != T(0) || b != T(0)); }
    COPPICE_HD constexpr bool terminal(T const& a) const { return a != T(0); }
};

/// Logical and: 1 if both values are nonzero; identity 1.
template <class T>
struct add_and {
    COPPICE_HD constexpr T identity() const { return T(1); }
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return T(a != T(0) && b != T(0)); }
    COPPICE_HD constexpr bool terminal(T const& a) const { return a == T(0); }
};

/// Exclusive or: 1 if an odd number of values is nonzero; identity 0.
template <class T>
struct add_xor {
    COPPICE_HD constexpr T identity() const { return T(0); }
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return T((a != T(0)) != (b != T(0))); }
};

/// Equivalence (GraphBLAS: lxnor, eq on bool): 1 if an even number of values is zero; identity 1.
template <class T>
struct add_xnor {
    COPPICE_HD constexpr T identity() const { return T(1); }
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return T((a != T(0)) == (b != T(0))); }
};

/// An optional value: a value, or no entry.
template <class T>
struct entry {
    T value;
    bool present;
};

/// The first value that is present; GraphBLAS leaves the choice open. Products are T. Semirings write the value of the
/// entry, T(0) if there is none.
template <class T>
struct add_any {
    COPPICE_HD constexpr entry<T> identity() const { return {T(0), false}; }
    COPPICE_HD constexpr entry<T> operator()(entry<T> const& a, entry<T> const& b) const { return a.present ? a : b; }
    COPPICE_HD constexpr entry<T> operator()(entry<T> const& a, T const& b) const {
        return a.present ? a : entry<T>{b, true};
    }
    COPPICE_HD constexpr bool terminal(entry<T> const& a) const { return a.present; }
};

/// A value and its column; column -1 means none.
template <class T, class I = std::int32_t>
struct value_and_column {
    T value;
    I column;
    COPPICE_HD friend bool operator==(value_and_column const& a, value_and_column const& b) {
        return a.value == b.value && a.column == b.column;
    }
};

/// The (value, column) pair with the largest value; among equal values the first in the row. NaN is ignored.
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

} // namespace coppice::inline v0_1
