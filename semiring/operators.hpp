// SPDX-License-Identifier: BSD-3-Clause
/// \file Adders: what ⊕ is, for reduce_rows.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/config.hpp"

namespace coppice {

/// What reduce_rows asks of ⊕: an identity, which gives the accumulator its type, and a combination of two
/// accumulators that is associative. It need not commute: operands keep the order of the nonzeros.
///
/// Optional: `bool terminal(accumulator) const`, true for values that nothing added later can change; a row may then
/// stop early.
template <class Add>
concept adder = requires(Add const& add) {
    add.identity();
    { add(add.identity(), add.identity()) } -> std::convertible_to<decltype(add.identity())>;
};

/// The accumulator type of an adder.
template <adder Add>
using accumulator_t = std::remove_cvref_t<decltype(std::declval<Add const&>().identity())>;

namespace detail {

/// One nonzero joins an accumulator: add(accumulator, product), where the product is converted if it must be.
COPPICE_NO_EXEC_CHECK
template <class Add, class Accumulator, class Product>
COPPICE_HD constexpr Accumulator accumulate(Add const& add, Accumulator const& sum, Product const& product) {
    if constexpr (std::is_invocable_v<Add const&, Accumulator const&, Product const&>)
        return add(sum, product);
    else
        return add(sum, static_cast<Accumulator>(product));
}

/// multiply(nonzero, row) where the operator takes the row, else multiply(nonzero); decided at compile time.
template <class Multiply>
inline constexpr bool takes_row_v = std::is_invocable_v<Multiply const&, std::int64_t, std::int64_t>;

COPPICE_NO_EXEC_CHECK
template <class Multiply>
COPPICE_HD constexpr auto multiply_nonzero(Multiply const& multiply, std::int64_t nonzero, std::int64_t row) {
    if constexpr (takes_row_v<Multiply>)
        return multiply(nonzero, row);
    else
        return multiply(nonzero);
}

template <class Multiply>
using product_t = decltype(multiply_nonzero(std::declval<Multiply const&>(), std::int64_t{}, std::int64_t{}));

/// Whether an adder names values that nothing added later can change (GraphBLAS: the terminal of a monoid).
template <class Add>
inline constexpr bool has_terminal_v = requires(Add const& add) {
    { add.terminal(add.identity()) } -> std::convertible_to<bool>;
};

/// Whether nothing that follows can change `sum`; never true for an adder without `terminal`.
COPPICE_NO_EXEC_CHECK
template <class Add, class Accumulator>
COPPICE_HD constexpr bool is_terminal(Add const& add, Accumulator const& sum) {
    if constexpr (has_terminal_v<Add>)
        return add.terminal(sum);
    else
        return false;
}

/// Whether `store` says which rows it wants: store.wants(row). Rows that it does not want are neither reduced nor
/// stored (the mask of GraphBLAS).
template <class Store>
inline constexpr bool chooses_rows_v = requires(Store const& store) {
    { store.wants(std::int64_t{}) } -> std::convertible_to<bool>;
};

/// Whether `store` is to be called for `row`; always true for a store without `wants`.
COPPICE_NO_EXEC_CHECK
template <class Store>
COPPICE_HD constexpr bool wants_row(Store const& store, std::int64_t row) {
    if constexpr (chooses_rows_v<Store>)
        return store.wants(row);
    else
        return true;
}

} // namespace detail

/// Makes an adder of a lambda or function object and an identity: `adder_of(op, identity)`.
template <class T, class Op>
struct adder_of {
    Op op;
    T neutral;

    adder_of(Op operation, T identity_value) : op(std::move(operation)), neutral(identity_value) {}
    COPPICE_HD T identity() const { return neutral; }
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD T operator()(T const& a, T const& b) const { return op(a, b); }
};
template <class Op, class T>
adder_of(Op, T) -> adder_of<T, Op>;

/// a + b with identity 0.
template <class T>
struct add_plus {
    COPPICE_HD constexpr T identity() const { return T(0); }
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return a + b; }
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

/// The smaller of two values, identity +infinity (or the largest integer). A NaN product is ignored, as fmin does.
template <class T>
struct add_min {
    COPPICE_HD constexpr T identity() const { return detail::highest<T>(); }
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return b < a ? b : a; }
};

/// The larger of two values, identity -infinity (or the lowest integer). A NaN product is ignored, as fmax does.
template <class T>
struct add_max {
    COPPICE_HD constexpr T identity() const { return detail::lowest<T>(); }
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return a < b ? b : a; }
};

/// Logical or over values: 1 if either is non-zero, identity 0.
template <class T>
struct add_or {
    COPPICE_HD constexpr T identity() const { return T(0); }
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return T(a != T(0) || b != T(0)); }
};

/// A value and the column it comes from; column -1 means none.
template <class T, class I = std::int32_t>
struct value_and_column {
    T value;
    I column;
    COPPICE_HD friend bool operator==(value_and_column const& a, value_and_column const& b) {
        return a.value == b.value && a.column == b.column;
    }
};

/// The first (value, column) that is there; GraphBLAS calls it "any" and leaves open which, here it is the first.
template <class T, class I = std::int32_t>
struct add_any {
    using pair = value_and_column<T, I>;
    COPPICE_HD constexpr pair identity() const { return {T(0), I(-1)}; }
    COPPICE_HD constexpr pair operator()(pair const& a, pair const& b) const { return a.column >= 0 ? a : b; }
};

/// The (value, column) with the largest value; of equal values the first in the row.
template <class T, class I = std::int32_t>
struct add_arg_max {
    using pair = value_and_column<T, I>;
    COPPICE_HD constexpr pair identity() const { return {detail::lowest<T>(), I(-1)}; }
    COPPICE_HD constexpr pair operator()(pair const& a, pair const& b) const {
        return b.column >= 0 && (a.column < 0 || a.value < b.value) ? b : a;
    }
};

} // namespace coppice
