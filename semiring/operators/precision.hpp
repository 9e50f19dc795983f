// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Operators, monoids and semirings that cannot hold the values that they are given: a compile-time error, unless asked
/// for by allow_rounding().
#pragma once

#include <complex>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <coppice/core/complex_pair.hpp>
#include <coppice/core/config.hpp>
#include <coppice/core/parameters.hpp>
#include <coppice/semiring/operators/monoids.hpp>

namespace coppice {

/// An operator or a monoid that may round or cut off its operands: what allow_rounding() returns.
template <class F>
struct rounding_allowed : F {
    static constexpr bool allows_rounding = true;
};

/// The operator, monoid or semiring `f` for values that it cannot hold, which are converted to its type, as GraphBLAS
/// does: `allow_rounding(min_plus<float>{})` over a matrix of double. Without it that does not compile.
template <class F>
constexpr rounding_allowed<F> allow_rounding(F const& f) {
    return {f};
}

namespace detail {

template <class T>
struct real_of {
    using type = T;
};
template <class R>
struct real_of<std::complex<R>> : real_of<R> {};
template <class R>
struct real_of<complex_pair<R>> : real_of<R> {};
template <class T>
struct real_of<entry<T>> : real_of<T> {};
template <class T, class I>
struct real_of<value_and_column<T, I>> : real_of<T> {};

/// Whether a To cannot hold every From: fewer digits, no fraction, or no sign. A bool holds whether a value is 0, and
/// so is never too narrow; of what is no number nothing is known.
template <class To, class From>
constexpr bool is_narrower() {
    using to = typename real_of<std::remove_cvref_t<To>>::type;
    using from = typename real_of<std::remove_cvref_t<From>>::type;
    if constexpr (!std::is_arithmetic_v<to> || !std::is_arithmetic_v<from> || std::is_same_v<to, bool>)
        return false;
    else if constexpr (std::is_floating_point_v<from> && !std::is_floating_point_v<to>)
        return true;
    else if constexpr (std::is_signed_v<from> && !std::is_signed_v<to>)
        return true;
    else
        return std::numeric_limits<to>::digits < std::numeric_limits<from>::digits;
}

template <class F>
inline constexpr bool allows_rounding_v = requires {
    requires F::allows_rounding;
};

/// Whether an operator reads its operand `At`; first, second and oneb leave one out, or both.
template <class F, std::size_t At>
constexpr bool reads_operand() {
    if constexpr (requires { F::reads; })
        return At < 2 && F::reads[At];
    else
        return true;
}

/// Whether operand `At`, of type A, fits what F converts it to: its domain, or else the parameter that it names.
template <class F, std::size_t At, class A>
constexpr bool fits_operand() {
    if constexpr (allows_rounding_v<F> || !reads_operand<F, At>())
        return true;
    else if constexpr (requires { typename F::domain; })
        return !is_narrower<typename F::domain, A>();
    else
        return !is_narrower<parameter_t<F, At>, A>();
}

/// Stops the compiler if an operator is narrower than an operand.
template <class F, class A>
COPPICE_HD constexpr void require_wide_operator() {
    static_assert(fits_operand<F, 0, A>(), "the operator is narrower than its operand, which would be rounded or cut "
                                           "off: take it of a wider type, or allow_rounding(operator)");
}
template <class F, class A, class B>
COPPICE_HD constexpr void require_wide_operator() {
    static_assert(fits_operand<F, 0, A>() && fits_operand<F, 1, B>(),
                  "the operator is narrower than an operand, which would be rounded or cut off: take it, or the "
                  "semiring, of a wider type, or allow_rounding(operator)");
}
/// Stops the compiler if a monoid is narrower than what it folds.
template <class Add, class Accumulator, class Product>
COPPICE_HD constexpr void require_wide_monoid() {
    static_assert(allows_rounding_v<Add> || !is_narrower<Accumulator, Product>(),
                  "the monoid is narrower than what it folds, which would be rounded or cut off: take it, or the "
                  "semiring, of a wider type, or allow_rounding(monoid)");
}
/// Stops the compiler if the results of a semiring are of fewer digits than the floating-point numbers that they
/// become.
template <class Semiring, class Result, class Y>
COPPICE_HD constexpr void require_wide_result() {
    static_assert(allows_rounding_v<Semiring> || !std::is_floating_point_v<Result> || !std::is_floating_point_v<Y> ||
                      !is_narrower<Result, Y>(),
                  "the semiring is narrower than its output, whose values would be rounded: take it of a wider type, "
                  "or allow_rounding(semiring)");
}

} // namespace detail
} // namespace coppice
