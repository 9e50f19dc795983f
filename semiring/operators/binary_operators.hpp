// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Binary operators of GraphBLAS (C API 2.0) as function objects: ⊗ of a semiring, or accumulator.
///
/// `domain` is the type to which the operands are converted. Integer arithmetic wraps. Any function object of two
/// values can be used instead. A function object of three parameters also receives the inner index k of a_ik u_k.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <coppice/core/config.hpp>
#include <coppice/semiring/operators/monoids.hpp>

namespace coppice::inline v0_1::op {

/// The first operand.
template <class T>
struct first {
    using domain = T;
    static constexpr bool reads[2] = {true, false}; ///< whether each of the two operands is read
    COPPICE_HD constexpr T operator()(T const& a, T const&) const { return a; }
};

/// The second operand.
template <class T>
struct second {
    using domain = T;
    static constexpr bool reads[2] = {false, true};
    COPPICE_HD constexpr T operator()(T const&, T const& b) const { return b; }
};

/// 1 for any operands (also called pair): for counting and reachability.
template <class T>
struct oneb {
    using domain = T;
    static constexpr bool reads[2] = {false, false};
    COPPICE_HD constexpr T operator()(T const&, T const&) const { return T(1); }
};

template <class T>
struct plus {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return detail::wrapped_sum(a, b); }
};

template <class T>
struct minus {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return detail::wrapped_difference(a, b); }
};

template <class T>
struct times {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return detail::wrapped_product(a, b); }
};

/// a / b. For integers, 0 / 0 = 0, and a / 0 is the limit of the range with the sign of a; lowest / -1 = lowest, as in
/// SuiteSparse:GraphBLAS.
template <class T>
struct div {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const {
        if constexpr (std::is_integral_v<T>) {
            if (b == T(0))
                return a == T(0) ? T(0) : a < T(0) ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
            if constexpr (std::is_signed_v<T>)
                if (b == T(-1)) return a == std::numeric_limits<T>::lowest() ? a : static_cast<T>(-a);
        }
        return static_cast<T>(a / b);
    }
};

/// Smaller of two values; if one is NaN, the other, as in fmin and SuiteSparse:GraphBLAS.
template <class T>
struct min {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return a < b || b != b ? a : b; }
};

/// Larger of two values; NaN as in min.
template <class T>
struct max {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return b < a || b != b ? a : b; }
};

// Logical operators: an operand is true if it is not 0; results are 0 or 1.

template <class T>
struct logical_or {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return T(a != T(0) || b != T(0)); }
};

template <class T>
struct logical_and {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return T(a != T(0) && b != T(0)); }
};

template <class T>
struct logical_xor {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return T((a != T(0)) != (b != T(0))); }
};

template <class T>
struct logical_xnor {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return T((a != T(0)) == (b != T(0))); }
};

// Comparisons that return bool.

template <class T>
struct eq {
    using domain = T;
    COPPICE_HD constexpr bool operator()(T const& a, T const& b) const { return a == b; }
};

template <class T>
struct ne {
    using domain = T;
    COPPICE_HD constexpr bool operator()(T const& a, T const& b) const { return a != b; }
};

template <class T>
struct lt {
    using domain = T;
    COPPICE_HD constexpr bool operator()(T const& a, T const& b) const { return a < b; }
};

template <class T>
struct gt {
    using domain = T;
    COPPICE_HD constexpr bool operator()(T const& a, T const& b) const { return b < a; }
};

template <class T>
struct le {
    using domain = T;
    COPPICE_HD constexpr bool operator()(T const& a, T const& b) const { return a <= b; }
};

template <class T>
struct ge {
    using domain = T;
    COPPICE_HD constexpr bool operator()(T const& a, T const& b) const { return b <= a; }
};

/// The inner index k of a_ik u_k in mxv and of u_k a_kj in vxm (SuiteSparse: firstj and secondi), for example the
/// parent in a breadth-first search.
template <class T>
struct inner_index {
    template <class A, class B>
    COPPICE_HD constexpr T operator()(A const&, B const&, std::int64_t k) const {
        return static_cast<T>(k);
    }
};

/// The product and its inner index, for add_arg_max.
template <class T, class I = std::int32_t>
struct times_with_column {
    using domain = T;
    COPPICE_HD constexpr value_and_column<T, I> operator()(T const& a, T const& b, std::int64_t k) const {
        return {detail::wrapped_product(a, b), static_cast<I>(k)};
    }
};

} // namespace coppice::inline v0_1::op
