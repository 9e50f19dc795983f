// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Reduction of one row of SRCSR by a host core: in order, or without a branch at the end of the row, which reads up to
/// three nonzeros beyond it.
///
/// The cost on a power-law matrix is dominated by the ends of rows: each end is a mispredicted branch, and the loads in
/// flight are discarded with it. fold_ahead has no such branch.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/semiring/reduce_rows/srcsr_lane.hpp>

namespace coppice::inline v0_1::detail {

/// Returns k in a way that is opaque to the compiler. This prevents the vectorisation of loops over gathered values,
/// which packs them element by element and costs more than it gains.
COPPICE_ALWAYS_INLINE std::int64_t one_at_a_time(std::int64_t k) {
#if defined(__GNUC__)
    asm("" : "+r"(k));
#endif
    return k;
}

// Number of nonzeros that are folded without a branch.
inline constexpr int fold_block = 4;
// Number of nonzeros between two tests for a terminal sum. A test at every block cost 15 % of a product over (min, +).
inline constexpr std::int64_t terminal_interval = 4 * fold_block;

/// Folds whole blocks of a row into `sum` and advances k past them; returns true as soon as a test finds `sum`
/// terminal.
template <class Multiply, class Add>
COPPICE_ALWAYS_INLINE bool fold_blocks(Multiply const& multiply, Add const& add, accumulator_t<Add>& sum,
                                       std::int64_t& k, std::int64_t end, std::int64_t row) {
    auto const fold_to = [&](std::int64_t stop) {
        for (; stop - k >= fold_block; k += fold_block)
            for (int i = 0; i < fold_block; ++i) sum = accumulate(add, sum, multiply_nonzero(multiply, k + i, row));
    };
    if constexpr (has_terminal_v<Add>)
        while (end - k > terminal_interval) {
            fold_to(k + terminal_interval);
            if (is_terminal(add, sum)) return true;
        }
    fold_to(end);
    return false;
}

/// Returns ⊕ of the nonzeros [k, end) of a row in order; stops early at a terminal value if the adder defines one.
template <class Multiply, class Add>
struct fold_in_order {
    Multiply multiply;
    Add add;

    auto operator()(std::int64_t k, std::int64_t end, std::int64_t row) const {
        accumulator_t<Add> sum = add.identity();
        if (fold_blocks(multiply, add, sum, k, end, row)) return sum;
        for (; k < end; k = one_at_a_time(k + 1)) sum = accumulate(add, sum, multiply_nonzero(multiply, k, row));
        return sum;
    }
};

/// Returns the same ⊕, bitwise equal, without a branch on the last nonzeros of a row: computes the sums after 0, 1, 2
/// and 3 of them and selects one. Reads up to `reach` nonzeros beyond the end of the row, which belong to the next row.
template <class Multiply, class Add>
struct fold_ahead {
    static constexpr int reach = fold_block - 1;

    /// Whether it applies: products and accumulators are small and trivially copyable, and multiply does not take the
    /// row, since it is also evaluated for nonzeros of the next row.
    static constexpr bool fits = !takes_row_v<Multiply> && std::is_trivially_copyable_v<accumulator_t<Add>> &&
                                 std::is_default_constructible_v<accumulator_t<Add>> &&
                                 sizeof(product_t<Multiply>) <= 16 && sizeof(accumulator_t<Add>) <= 16;

    Multiply multiply;
    Add add;

    auto operator()(std::int64_t k, std::int64_t end, std::int64_t row) const {
        accumulator_t<Add> sum = add.identity();
        if (fold_blocks(multiply, add, sum, k, end, row)) return sum;
        accumulator_t<Add> after[fold_block];
        after[0] = sum;
        for (int i = 0; i < reach; ++i)
            after[i + 1] = accumulate(add, after[i], multiply_nonzero(multiply, k + i, row));
        return after[end - k];
    }
};

/// Skips the reduction of rows that the store does not select.
template <class Fold, class Add, class Store>
struct fold_selected_rows {
    Fold fold;
    Add add;
    Store store;

    auto operator()(std::int64_t k, std::int64_t end, std::int64_t row) const {
        // walk_rows() also folds the empty range after the last row of the matrix. k < end prevents the call
        // store.wants(rows), which is out of range.
        return k < end && wants_row(store, row) ? fold(k, end, row) : add.identity();
    }
};

/// Whether the lengths of neighbouring rows in [first, last) often differ, which makes branches on row ends
/// unpredictable. Uses a sample, because reading every offset twice costs 5 % of a product with short rows. Depends on
/// the structure only.
template <class RowEnd>
bool lengths_vary(RowEnd const& row_end, std::int64_t first, std::int64_t last) {
    constexpr std::int64_t samples = 64;
    std::int64_t const rows = last - first;
    if (rows < samples) return false; // few, long rows: the cost of their ends is negligible
    std::int64_t changes = 0;
    for (std::int64_t s = 1; s < samples; ++s) {
        std::int64_t const row = first + rows * s / samples; // both neighbours of the row are in [first, last)
        std::int64_t const end = row_end(row);
        changes += end - row_end(row - 1) != row_end(row + 1) - end ? 1 : 0;
    }
    return changes * 4 > samples;
}

} // namespace coppice::inline v0_1::detail
