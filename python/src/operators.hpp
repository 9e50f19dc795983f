// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Operators that Python chooses: of the tables below by name, or by the address of what Numba compiled. Both are
/// called by a pointer, so that an operation is instantiated once for a type of number.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <coppice/core/names.hpp>
#include <coppice/semiring/op/arithmetic.hpp>
#include <coppice/semiring/op/unary.hpp>

namespace coppice::python {

/// A name, or an address.
using chosen_operator = std::variant<std::string, std::uintptr_t>;
/// A name, or an address and the identity.
using chosen_monoid = std::variant<std::string, std::pair<std::uintptr_t, double>>;

template <class T>
struct binary_operator {
    T (*call)(T, T);
    T operator()(T const& a, T const& b) const { return call(a, b); }
};

template <class T>
struct monoid {
    T (*call)(T, T);
    T zero;
    T identity() const { return zero; }
    T operator()(T const& a, T const& b) const { return call(a, b); }
};

/// f(a, row, column, scalar): what apply writes; select keeps where it is not 0.
template <class T>
struct entry_function {
    T (*call)(T, std::int64_t, std::int64_t, double);
    double scalar;
    T operator()(T const& a, std::int64_t i, std::int64_t j) const { return call(a, i, j, scalar); }
};

/// A binary operator with one operand bound.
template <class T>
struct bound_operator {
    binary_operator<T> op;
    T operand;
    bool first;
    T operator()(T const& a) const { return first ? op(operand, a) : op(a, operand); }
};

namespace detail {

template <class Call>
struct named {
    std::string_view name;
    Call call;
};
template <class Call, std::size_t N>
Call find(char const* what, std::array<named<Call>, N> const& rows, std::string const& name) {
    std::array<std::string_view, N> names;
    for (std::size_t k = 0; k < N; ++k) {
        if (rows[k].name == name) return rows[k].call;
        names[k] = rows[k].name;
    }
    coppice::detail::throw_unknown_name(what, name, names);
}

/// `Op` in the form of binary_operator.
template <template <class> class Op, class T>
T of_two(T a, T b) {
    return static_cast<T>(Op<T>{}(a, b));
}
/// `Op` in the form of entry_function: of a value alone, of its place, of a value beside the scalar.
template <template <class> class Op, class T>
T of_value(T a, std::int64_t, std::int64_t, double) {
    return Op<T>{}(a);
}
template <class Op, class T>
T of_place(T, std::int64_t i, std::int64_t j, double scalar) {
    return static_cast<T>(Op::of(i, j, static_cast<std::int64_t>(scalar)));
}
template <template <class> class Op, class T>
T of_scalar(T a, std::int64_t, std::int64_t, double scalar) {
    return static_cast<T>(Op<T>{}(a, static_cast<T>(scalar)));
}

template <class T>
using binary_row = named<T (*)(T, T)>;
template <class T>
inline constexpr std::array binary_rows{binary_row<T>{"first", of_two<op::first, T>},
                                        binary_row<T>{"second", of_two<op::second, T>},
                                        binary_row<T>{"oneb", of_two<op::oneb, T>},
                                        binary_row<T>{"plus", of_two<op::plus, T>},
                                        binary_row<T>{"minus", of_two<op::minus, T>},
                                        binary_row<T>{"rminus", of_two<op::rminus, T>},
                                        binary_row<T>{"times", of_two<op::times, T>},
                                        binary_row<T>{"div", of_two<op::div, T>},
                                        binary_row<T>{"rdiv", of_two<op::rdiv, T>},
                                        binary_row<T>{"min", of_two<op::min, T>},
                                        binary_row<T>{"max", of_two<op::max, T>},
                                        binary_row<T>{"lor", of_two<op::logical_or, T>},
                                        binary_row<T>{"land", of_two<op::logical_and, T>},
                                        binary_row<T>{"lxor", of_two<op::logical_xor, T>},
                                        binary_row<T>{"lxnor", of_two<op::logical_xnor, T>},
                                        binary_row<T>{"eq", of_two<op::iseq, T>},
                                        binary_row<T>{"ne", of_two<op::isne, T>},
                                        binary_row<T>{"lt", of_two<op::islt, T>},
                                        binary_row<T>{"gt", of_two<op::isgt, T>},
                                        binary_row<T>{"le", of_two<op::isle, T>},
                                        binary_row<T>{"ge", of_two<op::isge, T>},
                                        binary_row<T>{"pow", of_two<op::pow, T>},
                                        binary_row<T>{"atan2", of_two<op::atan2, T>},
                                        binary_row<T>{"hypot", of_two<op::hypot, T>},
                                        binary_row<T>{"fmod", of_two<op::fmod, T>},
                                        binary_row<T>{"copysign", of_two<op::copysign, T>}};

/// Monoids have the names of their operators, and ignore NaN as those of semirings do.
template <class T>
using monoid_row = named<monoid<T>>;
template <template <class> class Add, class T>
inline constexpr monoid<T> monoid_by{of_two<Add, T>, Add<T>{}.identity()};
template <class T>
inline constexpr std::array monoid_rows{
    monoid_row<T>{"plus", monoid_by<add_plus, T>}, monoid_row<T>{"times", monoid_by<add_times, T>},
    monoid_row<T>{"min", monoid_by<add_min, T>},   monoid_row<T>{"max", monoid_by<add_max, T>},
    monoid_row<T>{"lor", monoid_by<add_or, T>},    monoid_row<T>{"land", monoid_by<add_and, T>},
    monoid_row<T>{"lxor", monoid_by<add_xor, T>},  monoid_row<T>{"lxnor", monoid_by<add_xnor, T>}};

template <class T>
using entry_row = named<T (*)(T, std::int64_t, std::int64_t, double)>;
template <class T>
inline constexpr std::array map_rows{
    entry_row<T>{"identity", of_value<op::identity, T>},
    entry_row<T>{"abs", of_value<op::abs, T>},
    entry_row<T>{"ainv", of_value<op::ainv, T>},
    entry_row<T>{"minv", of_value<op::minv, T>},
    entry_row<T>{"lnot", of_value<op::lnot, T>},
    entry_row<T>{"one", [](T, std::int64_t, std::int64_t, double) { return T(1); }},
    entry_row<T>{"sqrt", [](T a, std::int64_t, std::int64_t, double) { return std::sqrt(a); }},
    entry_row<T>{"exp", [](T a, std::int64_t, std::int64_t, double) { return std::exp(a); }},
    entry_row<T>{"log", [](T a, std::int64_t, std::int64_t, double) { return std::log(a); }},
    entry_row<T>{"floor", [](T a, std::int64_t, std::int64_t, double) { return std::floor(a); }},
    entry_row<T>{"ceil", [](T a, std::int64_t, std::int64_t, double) { return std::ceil(a); }},
    entry_row<T>{"rowindex", of_place<op::rowindex<>, T>},
    entry_row<T>{"colindex", of_place<op::colindex<>, T>},
    entry_row<T>{"diagindex", of_place<op::diagindex<>, T>}};
template <class T>
inline constexpr std::array selection_rows{
    entry_row<T>{"tril", of_place<op::tril, T>},        entry_row<T>{"triu", of_place<op::triu, T>},
    entry_row<T>{"diag", of_place<op::on_diagonal, T>}, entry_row<T>{"offdiag", of_place<op::offdiag, T>},
    entry_row<T>{"rowle", of_place<op::rowle, T>},      entry_row<T>{"rowgt", of_place<op::rowgt, T>},
    entry_row<T>{"colle", of_place<op::colle, T>},      entry_row<T>{"colgt", of_place<op::colgt, T>},
    entry_row<T>{"valueeq", of_scalar<op::eq, T>},      entry_row<T>{"valuene", of_scalar<op::ne, T>},
    entry_row<T>{"valuelt", of_scalar<op::lt, T>},      entry_row<T>{"valuele", of_scalar<op::le, T>},
    entry_row<T>{"valuegt", of_scalar<op::gt, T>},      entry_row<T>{"valuege", of_scalar<op::ge, T>}};

template <class Call>
Call at(std::uintptr_t address) {
    return reinterpret_cast<Call>(address);
}

} // namespace detail

/// Operators by their names, argument_error for an unknown one, or at their addresses.
template <class T>
binary_operator<T> binary_of(chosen_operator const& chosen) {
    if (auto const* const name = std::get_if<std::string>(&chosen))
        return {detail::find("operator", detail::binary_rows<T>, *name)};
    return {detail::at<T (*)(T, T)>(std::get<std::uintptr_t>(chosen))};
}
template <class T>
monoid<T> monoid_of(chosen_monoid const& chosen) {
    if (auto const* const name = std::get_if<std::string>(&chosen))
        return detail::find("monoid", detail::monoid_rows<T>, *name);
    auto const& [address, identity] = std::get<std::pair<std::uintptr_t, double>>(chosen);
    return {detail::at<T (*)(T, T)>(address), static_cast<T>(identity)};
}
template <class T, std::size_t N>
entry_function<T> function_of(char const* what, std::array<detail::entry_row<T>, N> const& rows,
                              chosen_operator const& chosen, double scalar) {
    using call = T (*)(T, std::int64_t, std::int64_t, double);
    if (auto const* const name = std::get_if<std::string>(&chosen)) return {detail::find(what, rows, *name), scalar};
    return {detail::at<call>(std::get<std::uintptr_t>(chosen)), scalar};
}

} // namespace coppice::python
