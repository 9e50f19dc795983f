// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Operators, monoids and semirings that cannot represent their operands: a compile-time error unless allow_rounding()
/// permits it.
#pragma once

#include <complex>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <coppice/core/complex_pair.hpp>
#include <coppice/core/config.hpp>
#include <coppice/core/parameters.hpp>
#include <coppice/semiring/operators/monoids.hpp>

namespace coppice::inline v0_1 {

/// An operator or a monoid that may round or truncate its operands: the return type of allow_rounding().
template <class F>
struct rounding_allowed : F {
    static constexpr bool allows_rounding = true;
};

/// Permits the operator, monoid or semiring `f` for values that it cannot represent; they are converted to its type, as
/// GraphBLAS does: `allow_rounding(min_plus<float>{})` over a matrix of double. Without it that does not compile.
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

/// Whether To cannot represent every From: fewer digits, no fraction, or no sign. A bool represents whether a value is
/// 0 and is never too narrow. Types that are not arithmetic are not checked.
template <class To, class From>
constexpr bool is_narrower() {
    using to = typename real_of<std::remove_cvref_t<To>>::type;
    using from = typename real_of<std::remove_cvref_t<From>>::type;
    if constexpr (!std::is_arithmetic_v<to> || !std::is_arithmetic_v<from> || std::is_same_v<to, bool>)
        return false;
    else if constexpr ((std::is_floating_point_v<from> && !std::is_floating_point_v<to>) ||
                       (std::is_signed_v<from> && !std::is_signed_v<to>))
        return true;
    else
        return std::numeric_limits<to>::digits < std::numeric_limits<from>::digits;
}

template <class F>
inline constexpr bool allows_rounding_v = requires {
    requires F::allows_rounding;
};

/// Whether an operator reads operand `At`; first and second ignore one operand, oneb both.
template <class F, std::size_t At>
constexpr bool reads_operand() {
    if constexpr (requires { F::reads; })
        return At < 2 && F::reads[At];
    else
        return true;
}

/// Whether operand `At`, of type A, is representable in the type to which F converts it: its domain, otherwise the type
/// of its parameter.
template <class F, std::size_t At, class A>
constexpr bool fits_operand() {
    if constexpr (allows_rounding_v<F> || !reads_operand<F, At>())
        return true;
    else if constexpr (requires { typename F::domain; })
        return !is_narrower<typename F::domain, A>();
    else
        return !is_narrower<parameter_t<F, At>, A>();
}

/// Rejects at compile time an operator that is narrower than an operand.
template <class F, class A>
COPPICE_HD constexpr void require_wide_operator() {
    static_assert(fits_operand<F, 0, A>(), "the operator is narrower than its operand, which would be rounded or "
                                           "truncated: use a wider type, or allow_rounding(operator)");
}
template <class F, class A, class B>
COPPICE_HD constexpr void require_wide_operator() {
    static_assert(
        fits_operand<F, 0, A>() && fits_operand<F, 1, B>(),
        "the operator is narrower than an operand, which would be rounded or truncated: use a wider type for it "
        "or the semiring, or allow_rounding(operator)");
}
/// Rejects at compile time a monoid that is narrower than its operands.
template <class Add, class Accumulator, class Product>
COPPICE_HD constexpr void require_wide_monoid() {
    static_assert(
        allows_rounding_v<Add> || !is_narrower<Accumulator, Product>(),
        "the monoid is narrower than what it folds, which would be rounded or truncated: use a wider type for it "
        "or the semiring, or allow_rounding(monoid)");
}
/// Rejects at compile time a semiring whose results have fewer digits than the floating-point output.
template <class Semiring, class Result, class Y>
COPPICE_HD constexpr void require_wide_result() {
    static_assert(allows_rounding_v<Semiring> || !std::is_floating_point_v<Result> || !std::is_floating_point_v<Y> ||
                      !is_narrower<Result, Y>(),
                  "the semiring is narrower than its output, whose values would be rounded: use a wider type, "
                  "or allow_rounding(semiring)");
}

} // namespace detail
} // namespace coppice::inline v0_1
