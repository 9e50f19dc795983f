// SPDX-License-Identifier: BSD-3-Clause
/// \file Where the path of a pattern is cut into the shares of blocks, and what kind of share each is.
#pragma once

#include <cstdint>

#include "core/block.hpp"
#include "semiring/srcsr_lane.hpp"

namespace coppice::detail {

/// What is known of a share; flags.
enum share_kind : int {
    share_of_rows = 1,    ///< whole, short rows: one or several lanes per row. Else even stretches of the path
    share_cuts_first = 2, ///< its first row began in an earlier share
    share_cuts_last = 4,  ///< its last row goes on in the next share
};

/// A cut as the kernel reads it, in one load: the kind of the share behind it in the highest byte of the row number.
inline constexpr int kind_shift = 56;
COPPICE_HD inline path_point point_of(path_point cut) {
    return {cut.row & ((std::int64_t(1) << kind_shift) - 1), cut.nonzero};
}
COPPICE_HD inline int kind_of(path_point cut) { return int(cut.row >> kind_shift); }

/// What decides the cuts and kinds.
struct partition_rule {
    std::int64_t work_per_block; ///< a cut is due after this many path steps
    std::int64_t longest_whole;  ///< a row with more nonzeros is cut where the cut is due, others stay whole
    int threads;
    int lane_stretch; ///< nonzeros that a lane folds at most in a share_of_rows
    int capacity;     ///< nonzeros of a share_of_rows at most
};

/// path_search that begins where rows of equal length would put the point: a few steps for regular patterns.
template <class RowEnd>
COPPICE_HD path_point path_search_from_mean(RowEnd const& row_end, std::int64_t rows, std::int64_t nonzeros,
                                            std::int64_t step) {
    std::int64_t const lowest = step > nonzeros ? step - nonzeros : 0;
    std::int64_t const highest = step < rows ? step : rows;
    auto const ended = [&](std::int64_t row) { return std::int64_t(row_end(row)) <= step - row - 1; };
    std::int64_t low = lowest, high = highest;
    std::int64_t const guess = std::int64_t(double(step) * (double(rows) / double(rows + nonzeros)));
    std::int64_t reach = 4;
    if (guess > lowest && guess < highest) {
        if (ended(guess)) { // the point lies behind the guess
            low = guess + 1;
            while (low + reach < highest && ended(low + reach)) {
                low += reach + 1;
                reach *= 8;
            }
            if (low + reach < highest) high = low + reach;
        } else {
            high = guess;
            while (high - reach > lowest && !ended(high - reach)) {
                high -= reach;
                reach *= 8;
            }
            if (high - reach > lowest) low = high - reach + 1;
        }
    }
    while (low < high) {
        std::int64_t const middle = low + (high - low) / 2;
        if (ended(middle))
            low = middle + 1;
        else
            high = middle;
    }
    return {low, step - low};
}

/// Cut number b of the path: after b shares, moved behind the row that it would cut if that row is not long.
template <class O>
COPPICE_HD path_point find_cut(O const* offsets, std::int64_t rows, std::int64_t nonzeros, std::int64_t step,
                               std::int64_t longest_whole) {
    if (step > rows + nonzeros) step = rows + nonzeros;
    path_point p = path_search_from_mean([ends = offsets + 1](std::int64_t i) { return std::int64_t(ends[i]); }, rows,
                                         nonzeros, step);
    if (p.row >= rows) return p;
    std::int64_t const begin = offsets[p.row], end = offsets[p.row + 1];
    if (p.nonzero > begin && end - begin <= longest_whole) p = {p.row + 1, end};
    return p;
}

/// Lanes that fold one row together, as an exponent of two: as many as keep the threads busy, up to a warp.
COPPICE_HD inline int lanes_exponent(int rows, int threads) {
    int e = 0;
    while (e < 5 && (rows << (e + 1)) <= threads) ++e;
    return e;
}

/// Threads that look at one share to find its kind.
inline constexpr int kind_lanes = 8;

/// The kind of the share [from, to), found by kind_lanes neighbouring threads.
template <class Block, class O>
COPPICE_HD int find_kind(Block const& block, O const* offsets, std::int64_t rows, path_point from, path_point to,
                         partition_rule const& rule) {
    int const lane = block.thread() % kind_lanes;
    int const cut = (from.row < rows && from.nonzero > std::int64_t(offsets[from.row]) ? share_cuts_first : 0) |
                    (to.row < rows && to.nonzero > std::int64_t(offsets[to.row]) ? share_cuts_last : 0);
    std::int64_t const count = to.row - from.row;
    bool const small = !cut && to.nonzero - from.nonzero <= rule.capacity;
    std::int64_t longest = 0;
    int even = 1; // all rows have a multiple of eight nonzeros: lanes would meet in the same banks of shared memory
    if (small)
        for (std::int64_t r = from.row + lane; r < to.row; r += kind_lanes) {
            std::int64_t const length = std::int64_t(offsets[r + 1]) - std::int64_t(offsets[r]);
            longest = length > longest ? length : longest;
            if (length % 8 != 0) even = 0;
        }
    for (int d = kind_lanes / 2; d > 0; d /= 2) {
        int const partner = (block.thread() % warp_lanes) ^ d;
        std::int64_t const other = block.from_lane(longest, partner);
        longest = other > longest ? other : longest;
        even &= block.from_lane(even, partner);
    }
    if (!small || (even && longest > 0)) return cut;
    int const lanes = count < rule.threads ? 1 << lanes_exponent(int(count), rule.threads) : 1;
    return longest <= std::int64_t(rule.lane_stretch) * lanes ? share_of_rows : 0;
}

/// First and last share that hold a part of row `row`, for a row that is cut wherever a cut is due.
struct share_range {
    std::int64_t first;
    std::int64_t last;
};
template <class O>
COPPICE_HD share_range shares_of_row(O const* offsets, std::int64_t row, std::int64_t work_per_block) {
    return {(std::int64_t(offsets[row]) + row) / work_per_block,
            (std::int64_t(offsets[row + 1]) + row) / work_per_block};
}

} // namespace coppice::detail
