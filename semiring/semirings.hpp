// SPDX-License-Identifier: BSD-3-Clause
/// \file Named semirings over the generic SpMV.
///
/// A semiring is a pair (⊗, ⊕): `multiply(a, x, column)` gives the product of a matrix coefficient and the vector
/// element of its column, `add` is an adder, and `result(sum)` is what is written. They are written as a user would
/// write their own; nothing else in the library treats them specially.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "core/error.hpp"
#include "semiring/operators.hpp"

namespace coppice {

namespace detail {
/// What all semirings share: the accumulator is the value that is written.
template <class Add>
struct plain_semiring {
    Add add{};
    template <class T>
    COPPICE_HD T result(T const& sum) const {
        return sum;
    }
};
} // namespace detail

/// (·, +): the usual product.
template <class T>
struct plus_times : detail::plain_semiring<add_plus<T>> {
    COPPICE_HD T multiply(T const& a, T const& x, std::int64_t) const { return a * x; }
};
/// (+, min): shortest paths. An empty row gives +infinity.
template <class T>
struct min_plus : detail::plain_semiring<add_min<T>> {
    COPPICE_HD T multiply(T const& a, T const& x, std::int64_t) const { return a + x; }
};
/// (+, max): longest paths, schedules. An empty row gives -infinity.
template <class T>
struct max_plus : detail::plain_semiring<add_max<T>> {
    COPPICE_HD T multiply(T const& a, T const& x, std::int64_t) const { return a + x; }
};
/// (min, max): widest paths. An empty row gives -infinity.
template <class T>
struct max_min : detail::plain_semiring<add_max<T>> {
    COPPICE_HD T multiply(T const& a, T const& x, std::int64_t) const { return x < a ? x : a; }
};
/// (and, or): reachability; values are 0 or 1.
template <class T>
struct or_and : detail::plain_semiring<add_or<T>> {
    COPPICE_HD T multiply(T const& a, T const& x, std::int64_t) const { return T(a != T(0) && x != T(0)); }
};
/// (first, max): the largest coefficient of a row.
template <class T>
struct max_first : detail::plain_semiring<add_max<T>> {
    COPPICE_HD T multiply(T const& a, T const&, std::int64_t) const { return a; }
};
/// (second, max): the largest vector element among a row's columns.
template <class T>
struct max_second : detail::plain_semiring<add_max<T>> {
    COPPICE_HD T multiply(T const&, T const& x, std::int64_t) const { return x; }
};
/// (·, any): one of the products, here the first; 0 for an empty row.
template <class T>
struct any_times {
    add_any<T> add{};
    COPPICE_HD value_and_column<T> multiply(T const& a, T const& x, std::int64_t column) const {
        return {a * x, static_cast<std::int32_t>(column)};
    }
    COPPICE_HD T result(value_and_column<T> const& sum) const { return sum.value; }
};
/// (·, arg max): the column of the largest product, the first of equals; -1 for an empty row.
template <class T>
struct arg_max_times {
    add_arg_max<T> add{};
    COPPICE_HD value_and_column<T> multiply(T const& a, T const& x, std::int64_t column) const {
        return {a * x, static_cast<std::int32_t>(column)};
    }
    COPPICE_HD T result(value_and_column<T> const& sum) const { return static_cast<T>(sum.column); }
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
