// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Named semirings over the generic SpMV.
///
/// A semiring is a pair (⊗, ⊕): `multiply(a, x, column)` gives the product of a matrix coefficient and the vector
/// element of its column, `add` is an adder, and `result(sum)` is what is written. semiring_of makes one of a monoid
/// and a multiplication; the named ones are made so, as a user would make their own.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <coppice/core/error.hpp>
#include <coppice/semiring/operators.hpp>

namespace coppice {

/// What products over a semiring ask of it: an adder `add`; multiply(a, x, column) and result(sum) beside it.
template <class S>
concept semiring = adder<decltype(S::add)>;

namespace detail {

/// ⊗ at one meeting of a and b: operation(a, b) or operation(a, b, k), operands converted to its domain where it names
/// one.
COPPICE_NO_EXEC_CHECK
template <class Operation, class A, class B>
COPPICE_HD constexpr auto apply(Operation const& operation, A const& a, B const& b, std::int64_t k) {
    if constexpr (requires { typename Operation::domain; }) {
        using domain = typename Operation::domain;
        if constexpr (std::is_invocable_v<Operation const&, domain, domain, std::int64_t>)
            return operation(static_cast<domain>(a), static_cast<domain>(b), k);
        else
            return operation(static_cast<domain>(a), static_cast<domain>(b));
    } else if constexpr (std::is_invocable_v<Operation const&, A const&, B const&, std::int64_t>) {
        return operation(a, b, k);
    } else {
        return operation(a, b);
    }
}

} // namespace detail

/// The semiring of any monoid and any multiplication (semiring/monoids.hpp, semiring/binary_operators.hpp, or the
/// user's own): semiring_of<add_min<float>, op::plus<float>>.
template <adder Add, class Multiply>
struct semiring_of {
    Add add{};
    Multiply operation{};

    template <class A, class X>
    COPPICE_HD constexpr auto multiply(A const& a, X const& x, std::int64_t column) const {
        return detail::apply(operation, a, x, column);
    }
    template <class Sum>
    COPPICE_HD constexpr Sum result(Sum const& sum) const {
        return sum;
    }
    template <class T>
    COPPICE_HD constexpr T result(entry<T> const& sum) const {
        return sum.value;
    }
};
template <class Add, class Multiply>
semiring_of(Add, Multiply) -> semiring_of<Add, Multiply>;

/// (·, +): the usual product.
template <class T>
using plus_times = semiring_of<add_plus<T>, op::times<T>>;
/// (+, min): shortest paths. An empty row gives +infinity.
template <class T>
using min_plus = semiring_of<add_min<T>, op::plus<T>>;
/// (+, max): longest paths, schedules. An empty row gives -infinity.
template <class T>
using max_plus = semiring_of<add_max<T>, op::plus<T>>;
/// (min, max): widest paths. An empty row gives -infinity.
template <class T>
using max_min = semiring_of<add_max<T>, op::min<T>>;
/// (and, or): reachability; values are 0 or 1.
template <class T>
using or_and = semiring_of<add_or<T>, op::logical_and<T>>;
/// (first, max): the largest coefficient of a row.
template <class T>
using max_first = semiring_of<add_max<T>, op::first<T>>;
/// (second, max): the largest vector element among a row's columns.
template <class T>
using max_second = semiring_of<add_max<T>, op::second<T>>;
/// (·, any): one of the products, here the first; 0 for an empty row.
template <class T>
using any_times = semiring_of<add_any<T>, op::times<T>>;
/// (·, arg max): the column of the largest product, the first of equals; -1 for an empty row.
template <class T>
struct arg_max_times : semiring_of<add_arg_max<T>, op::times_with_column<T>> {
    COPPICE_HD constexpr T result(value_and_column<T> const& sum) const { return static_cast<T>(sum.column); }
};

/// One of the named semirings, chosen at run time.
template <class T>
using named_semiring = std::variant<plus_times<T>, min_plus<T>, max_plus<T>, max_min<T>, or_and<T>, max_first<T>,
                                    max_second<T>, any_times<T>, arg_max_times<T>>;

/// Names in the order of named_semiring's alternatives.
inline constexpr std::array<std::string_view, 9> semiring_names{
    "plus-times", "min-plus", "max-plus", "max-min", "or-and", "max-first", "max-second", "any", "arg-max"};

namespace detail {
template <class T, std::size_t... K>
named_semiring<T> nth_semiring(std::size_t n, std::index_sequence<K...>) {
    named_semiring<T> s;
    (void)((K == n && (s.template emplace<K>(), true)) || ...);
    return s;
}
} // namespace detail

/// The semiring of that name; argument_error lists the names for an unknown one.
template <class T>
named_semiring<T> semiring_by_name(std::string_view name) {
    std::string known;
    for (std::size_t k = 0; k < semiring_names.size(); ++k) {
        if (semiring_names[k] == name) return detail::nth_semiring<T>(k, std::make_index_sequence<9>{});
        known += (k ? ", " : "") + std::string(semiring_names[k]);
    }
    throw argument_error("unknown semiring '" + std::string(name) + "': expected one of " + known);
}

} // namespace coppice
