// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Adders: the concept of ⊕ for reduce_rows. An adder is a monoid; semiring/operators/monoids.hpp contains the named
/// ones, and semiring/operators/binary_operators.hpp operators for ⊗.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <coppice/core/config.hpp>
#include <coppice/core/parameters.hpp>
#include <coppice/semiring/operators/arithmetic.hpp>
#include <coppice/semiring/operators/binary_operators.hpp>
#include <coppice/semiring/operators/bitwise.hpp>
#include <coppice/semiring/operators/monoids.hpp>
#include <coppice/semiring/operators/positional.hpp>
#include <coppice/semiring/operators/precision.hpp>
#include <coppice/semiring/operators/unary.hpp>

namespace coppice::inline v0_1 {

/// Requirements of reduce_rows on ⊕: an identity, whose type is the accumulator type, and an associative combination of
/// two accumulators. It need not commute: operands keep the order of the nonzeros.
///
/// Optional members: `bool terminal(accumulator) const` returns true for values that no later operand can change, so
/// that the reduction of a row may stop early. `result(accumulator) const` returns the value that is passed to the
/// store instead of the accumulator, for example of a smaller type. `fold(accumulator, product) const` is called only
/// with sums that began with the identity. An accumulator type that cannot represent its products is a compile-time
/// error unless allow_rounding() permits it (semiring/operators/precision.hpp).
template <class Add>
concept adder = std::copy_constructible<std::remove_cvref_t<Add>> && requires(Add const& add) {
    add.identity();
    { add(add.identity(), add.identity()) } -> std::convertible_to<decltype(add.identity())>;
};

/// The accumulator type of an adder.
template <adder Add>
using accumulator_t = std::remove_cvref_t<decltype(std::declval<Add const&>().identity())>;

namespace detail {

/// Adds one product to an accumulator that began with the identity: add.fold(accumulator, product) if the adder has it,
/// otherwise add(accumulator, product), with a conversion of the product if necessary.
COPPICE_NO_EXEC_CHECK
template <class Add, class Accumulator, class Product>
COPPICE_HD constexpr Accumulator accumulate(Add const& add, Accumulator const& sum, Product const& product) {
    require_wide_monoid<Add, Accumulator, Product>();
    if constexpr (requires { add.fold(sum, product); })
        return add.fold(sum, product);
    else if constexpr (std::is_invocable_v<Add const&, Accumulator const&, Product const&>)
        return add(sum, product);
    else
        return add(sum, static_cast<Accumulator>(product));
}

/// Whether multiply takes (nonzero, row) instead of (nonzero); decided at compile time.
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

/// Whether add(accumulator, product) is callable or the product converts to an accumulator.
template <class Multiply, class Add>
inline constexpr bool accepts_product_v =
    std::is_invocable_v<Add const&, accumulator_t<Add> const&, product_t<Multiply> const&> ||
    std::is_constructible_v<accumulator_t<Add>, product_t<Multiply> const&>;

/// Whether an adder defines terminal values, which no later operand can change (GraphBLAS: the terminal of a monoid).
template <class Add>
inline constexpr bool has_terminal_v = requires(Add const& add) {
    { add.terminal(add.identity()) } -> std::convertible_to<bool>;
};

/// Returns the value to store for a sum: add.result(sum) if the adder has it, otherwise the sum.
COPPICE_NO_EXEC_CHECK
template <class Add, class Accumulator>
COPPICE_HD constexpr auto result_of(Add const& add, Accumulator const& sum) {
    if constexpr (requires { add.result(sum); })
        return add.result(sum);
    else
        return sum;
}
template <class Add>
using result_t = decltype(result_of(std::declval<Add const&>(), std::declval<Add const&>().identity()));

/// Whether a store reads data (y of y = beta y + sum) through fetch(row), so that it can be prefetched.
template <class Store>
inline constexpr bool fetches_v = requires(Store const& store) {
    store.fetch(std::int64_t{});
};

struct nothing {};

/// Returns store.fetch(row), or `nothing` if the store has no fetch.
COPPICE_NO_EXEC_CHECK
template <class Store>
COPPICE_HD constexpr auto fetch_for(Store const& store, std::int64_t row) {
    if constexpr (fetches_v<Store>)
        return store.fetch(row);
    else
        return nothing{};
}
template <class Store>
using fetched_t = decltype(fetch_for(std::declval<Store const&>(), std::int64_t{}));

/// Whether `sum` is terminal; never true for an adder without `terminal`.
COPPICE_NO_EXEC_CHECK
template <class Add, class Accumulator>
COPPICE_HD constexpr bool is_terminal(Add const& add, Accumulator const& sum) {
    if constexpr (has_terminal_v<Add>)
        return add.terminal(sum);
    else
        return false;
}

/// Whether a store selects rows by store.wants(row). Rows that are not selected are neither reduced nor stored (the
/// mask of GraphBLAS).
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

/// Stores the result of a row, with the fetched value, if the store selects the row.
COPPICE_NO_EXEC_CHECK
template <class Store, class Result, class Fetched>
COPPICE_HD constexpr void store_row(Store const& store, std::int64_t row, Result const& result,
                                    Fetched const& fetched) {
    if (!wants_row(store, row)) return;
    if constexpr (fetches_v<Store>)
        store(row, result, fetched);
    else
        store(row, result);
}

/// Whether a store also folds over the rows that it stores: see reduce_rows.
template <class Store>
inline constexpr bool folds_rows_v = requires(Store const& store) {
    store.of_rows(std::int64_t{}, std::int64_t{});
};

/// Contribution of the stored rows [first, last) to the fold of a store; `nothing` for other stores.
template <class Store>
auto fold_of_rows(Store const& store, std::int64_t first, std::int64_t last) {
    if constexpr (folds_rows_v<Store>)
        return store.of_rows(first, last);
    else
        return nothing{};
}

/// Rejects at compile time a multiply, (nonzero) or (nonzero, row), or a store, (row, result), that has a
/// floating-point parameter in the position of an index. Otherwise the arguments of another convention, such as (value,
/// x), would be converted silently.
template <class Multiply, class Store>
constexpr void require_indices() {
    static_assert(takes_index_v<Multiply, 0, 1>,
                  "multiply of reduce_rows is called with indices, (nonzero) or (nonzero, row), not with values: its "
                  "parameters are integers; along_nonzeros calls a function with values and columns");
    static_assert(takes_index_v<Store, 0>,
                  "store of reduce_rows is called with (row, result): its first parameter is an integer");
}

} // namespace detail

/// Requirements of reduce_rows on ⊗: multiply(nonzero) or multiply(nonzero, row), both std::int64_t. It is copied, on
/// the host for every chunk of the matrix.
template <class Multiply>
concept row_multiplier = std::copy_constructible<Multiply> &&
    (std::invocable<Multiply const&, std::int64_t> || std::invocable<Multiply const&, std::int64_t, std::int64_t>);

/// A row_multiplier whose products can be added: add(accumulator, product) is callable, or they convert to an
/// accumulator of Add.
template <class Multiply, class Add>
concept row_multiplier_for = row_multiplier<Multiply> && adder<Add> && detail::accepts_product_v<Multiply, Add>;

/// Requirements of reduce_rows on a store for the sums of Add: store(row, result), or store(row, result, fetched) if it
/// has fetch(row). It is copied like the multiplier.
template <class Store, class Add>
concept row_store_for = std::copy_constructible<Store> && adder<Add> &&
    (detail::fetches_v<Store>
         ? std::is_invocable_v<Store const&, std::int64_t, detail::result_t<Add>, detail::fetched_t<Store>>
         : std::is_invocable_v<Store const&, std::int64_t, detail::result_t<Add>>);

/// Makes an adder from a lambda or function object and an identity: `adder_of(op, identity)`.
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

} // namespace coppice::inline v0_1
