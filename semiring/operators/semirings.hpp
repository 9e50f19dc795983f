// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Named semirings for the generic SpMV (sparse matrix-vector product).
///
/// A semiring is a pair (⊗, ⊕): `multiply(a, x, column)` returns the product of a matrix coefficient and the vector
/// element of its column, `add` is an adder, and `result(sum)` is the value that is written. semiring_of makes a
/// semiring from a monoid and a multiplication; the named semirings are made with it, as users would make theirs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <coppice/core/error.hpp>
#include <coppice/semiring/operators/operators.hpp>

namespace coppice::inline v0_1 {

/// Requirements of products over a semiring: an adder `add`, and the members multiply(a, x, column) and result(sum).
template <class S>
concept semiring = adder<decltype(S::add)> && requires(S const& s) {
    s.result(detail::result_of(s.add, s.add.identity()));
};

namespace detail {

/// Converts operand `At` of an operation to its domain. An operand that is not read may be of any type.
COPPICE_NO_EXEC_CHECK
template <class Operation, std::size_t At, class A>
COPPICE_HD constexpr typename Operation::domain operand_of(A const& a) {
    using domain = typename Operation::domain;
    if constexpr (reads_operand<Operation, At>() || std::is_same_v<domain, A>)
        return static_cast<domain>(a);
    else
        return domain{};
}

/// ⊗ of a and b at inner index k: operation(a, b) or operation(a, b, k). If the operation has a domain, the operands
/// are converted to it; it may not be narrower than they are.
COPPICE_NO_EXEC_CHECK
template <class Operation, class A, class B>
COPPICE_HD constexpr auto apply(Operation const& operation, A const& a, B const& b, std::int64_t k) {
    require_wide_operator<Operation, A, B>();
    static_assert(takes_index_v<Operation, 2>,
                  "an operator of three parameters is called with two values and an index: the third is an integer");
    if constexpr (requires { typename Operation::domain; }) {
        using domain = typename Operation::domain;
        if constexpr (std::is_invocable_v<Operation const&, domain, domain, std::int64_t>)
            return operation(operand_of<Operation, 0>(a), operand_of<Operation, 1>(b), k);
        else
            return operation(operand_of<Operation, 0>(a), operand_of<Operation, 1>(b));
    } else if constexpr (std::is_invocable_v<Operation const&, A const&, B const&, std::int64_t>) {
        return operation(a, b, k);
    } else {
        return operation(a, b);
    }
}

/// ⊗ of a and b at known positions. An operation that takes one index receives the column of the first operand.
COPPICE_NO_EXEC_CHECK
template <class Operation, class A, class B>
COPPICE_HD constexpr auto apply(Operation const& operation, A const& a, B const& b, element_positions const& at) {
    if constexpr (is_positional_v<Operation>)
        return operation(a, b, at);
    else
        return apply(operation, a, b, at.first_column);
}

/// Value of a sum that a product writes: that of the adder's result(), if it has one, passed to the semiring's
/// result().
COPPICE_NO_EXEC_CHECK
template <class Semiring, class Sum>
COPPICE_HD constexpr auto result_of_sum(Semiring const& s, Sum const& sum) {
    return s.result(result_of(s.add, sum));
}

/// ⊗ of a semiring at known positions.
COPPICE_NO_EXEC_CHECK
template <class Semiring, class A, class B>
COPPICE_HD constexpr auto multiply_at(Semiring const& s, A const& a, B const& b, element_positions const& at) {
    if constexpr (is_positional_v<Semiring>)
        return s.multiply(a, b, at);
    else
        return s.multiply(a, b, at.first_column);
}

} // namespace detail

/// The semiring of a monoid and a multiplication (semiring/operators/monoids.hpp,
/// semiring/operators/binary_operators.hpp, or user-defined): semiring_of<add_min<float>, op::plus<float>>.
template <adder Add, class Multiply>
struct semiring_of {
    Add add{};
    Multiply operation{};
    static constexpr bool positional = detail::is_positional_v<Multiply>;
    static constexpr bool allows_rounding = detail::allows_rounding_v<Add> && detail::allows_rounding_v<Multiply>;

    template <class A, class X>
    COPPICE_HD constexpr auto multiply(A const& a, X const& x, element_positions const& at) const requires positional {
        return operation(a, x, at);
    }
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

/// Permits a semiring for matrices and vectors whose values it cannot represent: see allow_rounding() of an operator.
template <class Add, class Multiply>
constexpr semiring_of<rounding_allowed<Add>, rounding_allowed<Multiply>>
allow_rounding(semiring_of<Add, Multiply> const& s) {
    return {{s.add}, {s.operation}};
}

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
/// (first, max): the largest coefficient of each row.
template <class T>
using max_first = semiring_of<add_max<T>, op::first<T>>;
/// (second, max): the largest vector element among the columns of each row.
template <class T>
using max_second = semiring_of<add_max<T>, op::second<T>>;
/// (·, any): any of the products, here the first; 0 for an empty row.
template <class T>
using any_times = semiring_of<add_any<T>, op::times<T>>;
/// (·, arg max): the column of the largest product, the first among equal ones; -1 for an empty row.
template <class T>
struct arg_max_times : semiring_of<add_arg_max<T>, op::times_with_column<T>> {
    COPPICE_HD constexpr T result(value_and_column<T> const& sum) const { return static_cast<T>(sum.column); }
};

/// Description of a named semiring, independent of its value type.
struct semiring_description {
    std::string_view name;       ///< name for users
    std::string_view meaning;    ///< a short description
    bool writes_columns = false; ///< its results are columns (-1 for none) instead of values
};

/// A row of the catalogue: the description, and the semiring as a template of the value type.
template <template <class> class Semiring>
struct semiring_row : semiring_description {
    template <class T>
    using semiring = Semiring<T>;
};

/// Catalogue of all named semirings. Dispatch, command and help texts are derived from it; a new semiring needs only a
/// row here.
inline constexpr std::tuple semiring_catalogue{
    semiring_row<plus_times>{{"plus-times", "the usual product"}},
    semiring_row<min_plus>{{"min-plus", "shortest paths"}},
    semiring_row<max_plus>{{"max-plus", "longest paths, schedules"}},
    semiring_row<max_min>{{"max-min", "widest paths"}},
    semiring_row<or_and>{{"or-and", "reachability"}},
    semiring_row<max_first>{{"max-first", "the largest coefficient of a row"}},
    semiring_row<max_second>{{"max-second", "the largest vector element among a row's columns"}},
    semiring_row<any_times>{{"any", "one of the products"}},
    semiring_row<arg_max_times>{{"arg-max", "the column of the largest product", true}}};

namespace detail {

template <class T, class... Rows>
std::variant<typename Rows::template semiring<T>...> variant_of(std::tuple<Rows...> const&);

/// Variant over the semirings of a catalogue for one value type.
template <class T, class Catalogue>
using semiring_variant = decltype(variant_of<T>(std::declval<Catalogue const&>()));

template <class... Rows>
constexpr std::array<semiring_description, sizeof...(Rows)> descriptions_of(std::tuple<Rows...> const& catalogue) {
    return std::apply([](auto const&... row) { return std::array{semiring_description(row)...}; }, catalogue);
}
template <std::size_t Count>
constexpr std::array<std::string_view, Count> names_of(std::array<semiring_description, Count> const& descriptions) {
    std::array<std::string_view, Count> names;
    for (std::size_t k = 0; k < Count; ++k) names[k] = descriptions[k].name;
    return names;
}

} // namespace detail

/// A named semiring, chosen at run time.
template <class T>
using named_semiring = detail::semiring_variant<T, std::remove_const_t<decltype(semiring_catalogue)>>;

/// Descriptions and names in the order of the catalogue.
inline constexpr auto semiring_descriptions = detail::descriptions_of(semiring_catalogue);
inline constexpr auto semiring_names = detail::names_of(semiring_descriptions);

namespace detail {

/// Returns the semiring with that name from a catalogue. Throws argument_error with the list of names for an unknown
/// one.
template <class T, class... Rows>
auto find_semiring(std::tuple<Rows...> const& catalogue, std::string_view name) {
    semiring_variant<T, std::tuple<Rows...>> found;
    bool known = false;
    std::string names;
    auto const check = [&]<class Row>(Row const& row) {
        if (row.name == name) {
            found.template emplace<typename Row::template semiring<T>>();
            known = true;
        }
        names += (names.empty() ? "" : ", ") + std::string(row.name);
    };
    std::apply([&](Rows const&... row) { (check(row), ...); }, catalogue);
    if (!known) throw argument_error("unknown semiring '" + std::string(name) + "': expected one of " + names);
    return found;
}

} // namespace detail

/// Returns the semiring with that name. Throws argument_error with the list of names for an unknown one.
template <class T>
named_semiring<T> semiring_by_name(std::string_view name) {
    return detail::find_semiring<T>(semiring_catalogue, name);
}

} // namespace coppice::inline v0_1
