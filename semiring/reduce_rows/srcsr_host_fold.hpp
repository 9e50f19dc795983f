// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// How a host core folds one row of SRCSR: in order, or a few nonzeros ahead of the row's end.
///
/// What costs time on a power-law matrix is neither memory nor arithmetic but the ends of rows: each one is a branch
/// that the processor guesses wrongly, and with it go the loads that it had begun. fold_ahead has no such branch.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/semiring/reduce_rows/srcsr_lane.hpp>

namespace coppice::detail {

/// k, in a way that the compiler cannot look through: keeps it from turning a loop over gathered values into vectors
/// that it has to pack element by element, which costs more than it gains.
COPPICE_ALWAYS_INLINE std::int64_t one_at_a_time(std::int64_t k) {
#if defined(__GNUC__)
    asm("" : "+r"(k));
#endif
    return k;
}

// Nonzeros that are folded without a branch.
inline constexpr int fold_block = 4;
// Nonzeros between two looks at whether a sum is terminal: at every block it cost 15 % of a product over (min, +).
inline constexpr std::int64_t terminal_interval = 4 * fold_block;

/// Folds whole blocks of a row onto `sum` and moves k behind them; true as soon as the sum is seen to be terminal.
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

/// ⊕ of nonzeros [k, end) of a row, one after the other; stops at a terminal value where the adder names any.
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

/// The same ⊕, the same bits, without a branch on the last nonzeros of a row: the sums after 0, 1, 2 and 3 of them are
/// all made, and the one that counts is picked. Reads up to `reach` nonzeros behind the row's end, which are the next
/// ones that are needed.
template <class Multiply, class Add>
struct fold_ahead {
    static constexpr int reach = fold_block - 1;

    /// Products and accumulators must be cheap to make and to keep; a row must not be asked for nonzeros of the next.
    static constexpr bool fits = !takes_row_v<Multiply> && std::is_trivially_copyable_v<accumulator_t<Add>> &&
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

/// Reduces nothing for rows that the store does not want.
template <class Fold, class Add, class Store>
struct fold_wanted {
    Fold fold;
    Add add;
    Store store;

    auto operator()(std::int64_t k, std::int64_t end, std::int64_t row) const {
        // What is open behind the last row has no nonzeros and is no row to ask for.
        return k < end && wants_row(store, row) ? fold(k, end, row) : add.identity();
    }
};

/// Whether neighbouring rows among [first, last) often differ in length, so that their ends are hard to guess; by a
/// sample, since reading every offset twice costs 5 % of a product with short rows. Depends on structure alone.
template <class RowEnd>
bool lengths_vary(RowEnd const& row_end, std::int64_t first, std::int64_t last) {
    constexpr std::int64_t samples = 64;
    std::int64_t const rows = last - first;
    if (rows < samples) return false; // long rows: their ends hardly count
    std::int64_t changes = 0;
    for (std::int64_t s = 1; s < samples; ++s) {
        std::int64_t const row = first + rows * s / samples; // neighbours on both sides lie in [first, last)
        std::int64_t const end = row_end(row);
        changes += end - row_end(row - 1) != row_end(row + 1) - end ? 1 : 0;
    }
    return changes * 4 > samples;
}

} // namespace coppice::detail
