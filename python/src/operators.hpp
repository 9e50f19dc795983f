// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Operators selected by Python: by name from the tables below, or by the address of a function that Numba compiled for
/// the host. All are called by function pointers, so that an operation is instantiated once per value type. On a device
/// these are device addresses, which are read from the device.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <coppice/core/executor.hpp>
#include <coppice/core/names.hpp>
#include <coppice/semiring/operators/arithmetic.hpp>
#include <coppice/semiring/operators/monoids.hpp>
#include <coppice/semiring/operators/unary.hpp>

namespace coppice::python {

/// A name, or an address.
using chosen_operator = std::variant<std::string, std::uintptr_t>;
/// A name, or an address and the identity.
using chosen_monoid = std::variant<std::string, std::pair<std::uintptr_t, double>>;

template <class T>
struct binary_operator {
    T (*call)(T, T);
    COPPICE_HD T operator()(T const& a, T const& b) const { return call(a, b); }
};

template <class T>
struct monoid {
    T (*call)(T, T);
    T zero;
    COPPICE_HD T identity() const { return zero; }
    COPPICE_HD T operator()(T const& a, T const& b) const { return call(a, b); }
};

/// f(a, row, column, scalar): apply writes its value; select keeps the entries for which it is not 0.
template <class T>
struct entry_function {
    T (*call)(T, std::int64_t, std::int64_t, double);
    double scalar;
    COPPICE_HD T operator()(T const& a, std::int64_t i, std::int64_t j) const { return call(a, i, j, scalar); }
};

/// A binary operator with one operand bound.
template <class T>
struct bound_operator {
    binary_operator<T> op;
    T operand;
    bool first;
    COPPICE_HD T operator()(T const& a) const { return first ? op(operand, a) : op(a, operand); }
};

namespace detail {

template <class Call>
struct named {
    std::string_view name;
    Call call;
};

// Operators that the library does not have.
template <class T>
struct one {
    COPPICE_HD T operator()(T) const { return T(1); }
};
template <class T>
struct square_root {
    COPPICE_HD T operator()(T a) const { return std::sqrt(a); }
};
template <class T>
struct exponential {
    COPPICE_HD T operator()(T a) const { return std::exp(a); }
};
template <class T>
struct logarithm {
    COPPICE_HD T operator()(T a) const { return std::log(a); }
};
template <class T>
struct round_down {
    COPPICE_HD T operator()(T a) const { return std::floor(a); }
};
template <class T>
struct round_up {
    COPPICE_HD T operator()(T a) const { return std::ceil(a); }
};

/// Calls `Op` as a binary operator.
template <template <class> class Op, class T>
COPPICE_HD T of_two(T a, T b) {
    return static_cast<T>(Op<T>{}(a, b));
}
/// Calls `Op` as a function of an entry: of its value, of its position, or of its value and the scalar.
template <template <class> class Op, class T>
COPPICE_HD T of_value(T a, std::int64_t, std::int64_t, double) {
    return Op<T>{}(a);
}
template <class Op, class T>
COPPICE_HD T of_position(T, std::int64_t i, std::int64_t j, double scalar) {
    return static_cast<T>(Op::of(i, j, static_cast<std::int64_t>(scalar)));
}
template <template <class> class Op, class T>
COPPICE_HD T of_scalar(T a, std::int64_t, std::int64_t, double scalar) {
    return static_cast<T>(Op<T>{}(a, static_cast<T>(scalar)));
}

// Tables: each row is a name and the address of a function.

template <class T>
using binary_row = named<T (*)(T, T)>;
template <class T>
struct binary_table {
    static constexpr char const* what = "operator";
    static constexpr std::array rows{binary_row<T>{"first", of_two<op::first, T>},
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
    template <std::size_t K>
    static constexpr auto call = rows[K].call;
};

/// Monoids have the names of their operators; min and max ignore NaN as in semirings.
template <class T>
using monoid_row = named<monoid<T>>;
template <template <class> class Add, class T>
inline constexpr monoid<T> monoid_by{of_two<Add, T>, Add<T>{}.identity()};
template <class T>
struct monoid_table {
    static constexpr char const* what = "monoid";
    static constexpr std::array rows{
        monoid_row<T>{"plus", monoid_by<add_plus, T>}, monoid_row<T>{"times", monoid_by<add_times, T>},
        monoid_row<T>{"min", monoid_by<add_min, T>},   monoid_row<T>{"max", monoid_by<add_max, T>},
        monoid_row<T>{"lor", monoid_by<add_or, T>},    monoid_row<T>{"land", monoid_by<add_and, T>},
        monoid_row<T>{"lxor", monoid_by<add_xor, T>},  monoid_row<T>{"lxnor", monoid_by<add_xnor, T>}};
    template <std::size_t K>
    static constexpr auto call = rows[K].call.call;
};

template <class T>
using entry_row = named<T (*)(T, std::int64_t, std::int64_t, double)>;
template <class T>
struct map_table {
    static constexpr char const* what = "function";
    static constexpr std::array rows{entry_row<T>{"identity", of_value<op::identity, T>},
                                     entry_row<T>{"abs", of_value<op::abs, T>},
                                     entry_row<T>{"ainv", of_value<op::ainv, T>},
                                     entry_row<T>{"minv", of_value<op::minv, T>},
                                     entry_row<T>{"lnot", of_value<op::lnot, T>},
                                     entry_row<T>{"one", of_value<one, T>},
                                     entry_row<T>{"sqrt", of_value<square_root, T>},
                                     entry_row<T>{"exp", of_value<exponential, T>},
                                     entry_row<T>{"log", of_value<logarithm, T>},
                                     entry_row<T>{"floor", of_value<round_down, T>},
                                     entry_row<T>{"ceil", of_value<round_up, T>},
                                     entry_row<T>{"rowindex", of_position<op::rowindex<>, T>},
                                     entry_row<T>{"colindex", of_position<op::colindex<>, T>},
                                     entry_row<T>{"diagindex", of_position<op::diagindex<>, T>}};
    template <std::size_t K>
    static constexpr auto call = rows[K].call;
};
template <class T>
struct selection_table {
    static constexpr char const* what = "selection";
    static constexpr std::array rows{
        entry_row<T>{"tril", of_position<op::tril, T>},        entry_row<T>{"triu", of_position<op::triu, T>},
        entry_row<T>{"diag", of_position<op::on_diagonal, T>}, entry_row<T>{"offdiag", of_position<op::offdiag, T>},
        entry_row<T>{"rowle", of_position<op::rowle, T>},      entry_row<T>{"rowgt", of_position<op::rowgt, T>},
        entry_row<T>{"colle", of_position<op::colle, T>},      entry_row<T>{"colgt", of_position<op::colgt, T>},
        entry_row<T>{"valueeq", of_scalar<op::eq, T>},         entry_row<T>{"valuene", of_scalar<op::ne, T>},
        entry_row<T>{"valuelt", of_scalar<op::lt, T>},         entry_row<T>{"valuele", of_scalar<op::le, T>},
        entry_row<T>{"valuegt", of_scalar<op::gt, T>},         entry_row<T>{"valuege", of_scalar<op::ge, T>}};
    template <std::size_t K>
    static constexpr auto call = rows[K].call;
};

/// Returns the row with this name. Throws argument_error for an unknown name.
template <class Table>
std::size_t row_of(std::string const& name) {
    std::array<std::string_view, Table::rows.size()> names;
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (Table::rows[k].name == name) return k;
        names[k] = Table::rows[k].name;
    }
    coppice::detail::throw_unknown_name(Table::what, name, names);
}

/// Returns the addresses of the functions of a table, valid where the executor runs.
template <class Table>
std::uintptr_t address_in(host_executor const&, std::size_t row) {
    static auto const of = []<std::size_t... K>(std::index_sequence<K...>) {
        return std::array{reinterpret_cast<std::uintptr_t>(Table::template call<K>)...};
    }
    (std::make_index_sequence<Table::rows.size()>{});
    return of[row];
}
template <class Table>
std::uintptr_t address_in(cuda_executor const& exec, std::size_t row); // device_addresses.cuh

inline std::uintptr_t compiled_for(host_executor const&, std::uintptr_t address) { return address; }
inline std::uintptr_t compiled_for(cuda_executor const&, std::uintptr_t) {
    throw argument_error("a function that is compiled for the host cannot be called on a device");
}

template <class Call, class Table, executor Executor>
Call call_of(Executor const& exec, chosen_operator const& chosen) {
    auto const* const name = std::get_if<std::string>(&chosen);
    return reinterpret_cast<Call>(name ? address_in<Table>(exec, row_of<Table>(*name))
                                       : compiled_for(exec, std::get<std::uintptr_t>(chosen)));
}

} // namespace detail

/// Resolves operators by name or address. Throws argument_error for an unknown name.
template <class T, executor Executor>
binary_operator<T> binary_of(Executor const& exec, chosen_operator const& chosen) {
    return {detail::call_of<T (*)(T, T), detail::binary_table<T>>(exec, chosen)};
}
template <class T, executor Executor>
monoid<T> monoid_of(Executor const& exec, chosen_monoid const& chosen) {
    using table = detail::monoid_table<T>;
    using call = T (*)(T, T);
    if (auto const* const name = std::get_if<std::string>(&chosen)) {
        std::size_t const row = detail::row_of<table>(*name);
        return {reinterpret_cast<call>(detail::address_in<table>(exec, row)), table::rows[row].call.zero};
    }
    auto const& [address, identity] = std::get<std::pair<std::uintptr_t, double>>(chosen);
    return {reinterpret_cast<call>(detail::compiled_for(exec, address)), static_cast<T>(identity)};
}
template <class Table, class T, executor Executor>
entry_function<T> function_of(Executor const& exec, chosen_operator const& chosen, double scalar) {
    return {detail::call_of<T (*)(T, std::int64_t, std::int64_t, double), Table>(exec, chosen), scalar};
}

} // namespace coppice::python
