// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Unary and index-unary operators of GraphBLAS (C API 2.0), for apply() and select_entries().
///
/// Index-unary operators store the scalar that GraphBLAS passes as a separate argument: select_entries(exec,
/// op::tril{-1}, a) keeps the entries below the diagonal. For a vector the index is the row, and the column is 0.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/semiring/operators/binary_operators.hpp>

namespace coppice::inline v0_1 {
namespace detail {

/// f(row, column, scalar) at the position of an entry; the value is not read.
template <class Derived, class Scalar = std::int64_t>
struct at_position {
    Scalar scalar{};
    template <class A>
    COPPICE_HD constexpr auto operator()(A const&, std::int64_t i, std::int64_t j) const {
        return Derived::of(i, j, scalar);
    }
    template <class A>
    COPPICE_HD constexpr auto operator()(A const&, std::int64_t i) const {
        return Derived::of(i, std::int64_t{0}, scalar);
    }
};

} // namespace detail

namespace op {

template <class T>
struct identity {
    COPPICE_HD constexpr T operator()(T const& a) const { return a; }
};

/// |a|; the lowest integer is returned unchanged.
template <class T>
struct abs {
    COPPICE_HD constexpr T operator()(T const& a) const {
        if constexpr (std::is_unsigned_v<T>) return a;
        if constexpr (std::is_integral_v<T>)
            if (a == std::numeric_limits<T>::lowest()) return a;
        return a < T(0) ? static_cast<T>(-a) : a == T(0) ? T(0) : a;
    }
};

/// -a; unsigned numbers wrap, the lowest integer is returned unchanged.
template <class T>
struct ainv {
    COPPICE_HD constexpr T operator()(T const& a) const {
        if constexpr (std::is_same_v<T, bool>)
            return a;
        else if constexpr (std::is_integral_v<T>)
            return static_cast<T>(std::make_unsigned_t<T>(0) - static_cast<std::make_unsigned_t<T>>(a));
        else
            return -a;
    }
};

/// 1 / a as in div.
template <class T>
struct minv {
    COPPICE_HD constexpr T operator()(T const& a) const { return div<T>{}(T(1), a); }
};

/// 1 if a is 0, otherwise 0.
template <class T>
struct lnot {
    COPPICE_HD constexpr T operator()(T const& a) const { return T(a == T(0)); }
};

/// Bitwise complement of a.
template <class T>
struct bnot {
    COPPICE_HD constexpr T operator()(T const& a) const { return static_cast<T>(~a); }
};

/// i + s, j + s, and j - (i + s), as in SuiteSparse:GraphBLAS.
template <class T = std::int64_t>
struct rowindex : detail::at_position<rowindex<T>, T> {
    COPPICE_HD static constexpr T of(std::int64_t i, std::int64_t, T s) { return detail::wrapped_sum(T(i), s); }
};
template <class T = std::int64_t>
struct colindex : detail::at_position<colindex<T>, T> {
    COPPICE_HD static constexpr T of(std::int64_t, std::int64_t j, T s) { return detail::wrapped_sum(T(j), s); }
};
template <class T = std::int64_t>
struct diagindex : detail::at_position<diagindex<T>, T> {
    COPPICE_HD static constexpr T of(std::int64_t i, std::int64_t j, T s) {
        return detail::wrapped_difference(T(j - i), s);
    }
};

/// j <= i + s: on or below diagonal s.
struct tril : detail::at_position<tril> {
    COPPICE_HD static constexpr bool of(std::int64_t i, std::int64_t j, std::int64_t s) { return j - i <= s; }
};
/// On or above diagonal s.
struct triu : detail::at_position<triu> {
    COPPICE_HD static constexpr bool of(std::int64_t i, std::int64_t j, std::int64_t s) { return j - i >= s; }
};
/// On diagonal s.
struct on_diagonal : detail::at_position<on_diagonal> {
    COPPICE_HD static constexpr bool of(std::int64_t i, std::int64_t j, std::int64_t s) { return j - i == s; }
};
/// Not on diagonal s.
struct offdiag : detail::at_position<offdiag> {
    COPPICE_HD static constexpr bool of(std::int64_t i, std::int64_t j, std::int64_t s) { return j - i != s; }
};
/// j <= s, j > s, i <= s, i > s.
struct colle : detail::at_position<colle> {
    COPPICE_HD static constexpr bool of(std::int64_t, std::int64_t j, std::int64_t s) { return j <= s; }
};
struct colgt : detail::at_position<colgt> {
    COPPICE_HD static constexpr bool of(std::int64_t, std::int64_t j, std::int64_t s) { return j > s; }
};
struct rowle : detail::at_position<rowle> {
    COPPICE_HD static constexpr bool of(std::int64_t i, std::int64_t, std::int64_t s) { return i <= s; }
};
struct rowgt : detail::at_position<rowgt> {
    COPPICE_HD static constexpr bool of(std::int64_t i, std::int64_t, std::int64_t s) { return i > s; }
};

/// Binary operator with its second operand bound: bind_second<op::gt<T>, T>{{}, s} is GrB_VALUEGT.
template <class Op, class T>
struct bind_second {
    Op op;
    T second;
    COPPICE_NO_EXEC_CHECK
    template <class A>
    COPPICE_HD constexpr auto operator()(A const& a) const {
        return op(a, second);
    }
};
/// Binary operator with its first operand bound.
template <class Op, class T>
struct bind_first {
    T first;
    Op op;
    COPPICE_NO_EXEC_CHECK
    template <class B>
    COPPICE_HD constexpr auto operator()(B const& b) const {
        return op(first, b);
    }
};

// Comparisons of values with a scalar: valuegt(s) selects the values greater than s.

template <class T>
COPPICE_HD constexpr bind_second<eq<T>, T> valueeq(T s) {
    return bind_second<eq<T>, T>{eq<T>{}, s};
}
template <class T>
COPPICE_HD constexpr bind_second<ne<T>, T> valuene(T s) {
    return bind_second<ne<T>, T>{ne<T>{}, s};
}
template <class T>
COPPICE_HD constexpr bind_second<lt<T>, T> valuelt(T s) {
    return bind_second<lt<T>, T>{lt<T>{}, s};
}
template <class T>
COPPICE_HD constexpr bind_second<le<T>, T> valuele(T s) {
    return bind_second<le<T>, T>{le<T>{}, s};
}
template <class T>
COPPICE_HD constexpr bind_second<gt<T>, T> valuegt(T s) {
    return bind_second<gt<T>, T>{gt<T>{}, s};
}
template <class T>
COPPICE_HD constexpr bind_second<ge<T>, T> valuege(T s) {
    return bind_second<ge<T>, T>{ge<T>{}, s};
}

} // namespace op
} // namespace coppice::inline v0_1
