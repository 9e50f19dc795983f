// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Where the path of a pattern is cut into the shares of blocks, and what kind of share each is.
#pragma once

#include <bit>
#include <cstdint>

#include <coppice/core/block.hpp>
#include <coppice/semiring/reduce_rows/srcsr_lane.hpp>

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

/// Neighbouring threads that look for one cut, and at one share, together. All lanes of a warp call its functions.
template <class Block>
struct lane_group {
    static constexpr int lanes = 8;
    Block const& block;

    COPPICE_HD int lane() const { return block.thread() % lanes; }
    /// Bit l: what lane l of the group passed.
    COPPICE_HD unsigned ballot(bool condition) const {
        int const first = block.thread() % warp_lanes - lane();
        return block.ballot(condition) >> first & ((1u << lanes) - 1);
    }
    /// What another lane of the group passed.
    template <class T>
    COPPICE_HD T from_lane(T value, int lane_of_group) const {
        return block.from_lane(value, block.thread() % warp_lanes - lane() + lane_of_group);
    }
    COPPICE_HD int greatest(int value) const {
        for (int d = lanes / 2; d > 0; d /= 2) {
            int const other = block.from_lane(value, (block.thread() % warp_lanes) ^ d);
            value = other > value ? other : value;
        }
        return value;
    }
};

/// The point after `step` steps, found by a group: in every round each lane looks at one row. The first round looks
/// around the row where rows of mean length would put the point, the second goes on from there by the mean length: for
/// regular patterns one of them finds it. The others leave an eighth each.
template <class Block, class O>
COPPICE_HD path_point search_path(lane_group<Block> const& group, O const* ends, std::int64_t rows,
                                  std::int64_t nonzeros, std::int64_t step, double rows_per_step) {
    constexpr int lanes = lane_group<Block>::lanes;
    std::int64_t low = step > nonzeros ? step - nonzeros : 0;
    std::int64_t high = step < rows ? step : rows; // the point's row: the first in [low, high) that has not ended
    std::int64_t ahead = 0;                        // steps from the end of the row that the lane looked at to the point
    auto const narrow = [&](auto const& probe) {   // rows in [low, high), not falling from lane to lane
        ahead = -1;
        if (low < high) {
            std::int64_t const row = probe(group.lane());
            ahead = step - row - 1 - std::int64_t(ends[row]);
        }
        int const ended = std::popcount(group.ballot(ahead >= 0));
        if (low == high) return;
        std::int64_t const from = ended > 0 ? probe(ended - 1) + 1 : low;
        if (ended < lanes) high = probe(ended);
        low = from;
    };
    constexpr int centre = lanes / 2;
    auto const narrow_around = [&](std::int64_t guess) {
        auto const row_of = [&](int lane) { // distances -4096, -256, -16, -1, 0, 15, 255, 4095
            std::int64_t const row =
                guess + (lane < centre ? -(1 << 4 * (centre - 1 - lane)) : (1 << 4 * (lane - centre)) - 1);
            return row < low ? low : row < high ? row : high - 1;
        };
        std::int64_t const looked_at = low < high ? row_of(centre) : low;
        narrow(row_of);
        return looked_at;
    };
    std::int64_t const first = narrow_around(std::int64_t(double(step) * rows_per_step));
    if (group.block.ballot(low < high))
        narrow_around(first + std::int64_t(double(group.from_lane(ahead, centre)) * rows_per_step));
    while (group.block.ballot(low < high))
        narrow([&](int lane) { return low + ((high - low) * (lane + 1) - 1) / lanes; });
    return {low, step - low};
}

/// Lanes that fold one row together, as an exponent of two: as many as keep the threads busy, up to a warp.
COPPICE_HD inline int lanes_exponent(int rows, int threads) {
    int e = 0;
    while (e < 5 && (rows << (e + 1)) <= threads) ++e;
    return e;
}

/// The kind of a share of `count` rows from offsets[0] on, `nonzeros` in all, found by a group. `cut`: its flags so
/// far.
template <class Block, class O>
COPPICE_HD int find_kind(lane_group<Block> const& group, O const* offsets, std::int64_t count, std::int64_t nonzeros,
                         int cut, partition_rule const& rule) {
    bool const small = !cut && nonzeros <= rule.capacity;
    int const rows = small ? int(count) : 0;
    int longest = 0;
    COPPICE_UNROLL_FOUR
    for (int r = group.lane(); r < rows; r += lane_group<Block>::lanes) {
        int const length = int(offsets[r + 1] - offsets[r]);
        longest = length > longest ? length : longest;
    }
    longest = group.greatest(longest);
    if (!small) return cut;
    int const lanes = rows < rule.threads ? 1 << lanes_exponent(rows, rule.threads) : 1;
    return longest <= rule.lane_stretch * lanes ? share_of_rows : 0;
}

/// What the kernel that cuts a path works on; the same for all blocks. `Note`: see device_note::place.
template <class O, class Note>
struct partition_job {
    O const* offsets;
    std::int64_t rows;
    std::int64_t nonzeros;
    partition_rule rule;
    std::int64_t shares;
    path_point* cuts;      ///< shares + 1
    hand_over_slot* slots; ///< shares
    Note irregular;
    double rows_per_step = double(rows) / double(rows + nonzeros);

    /// Cut s, moved behind the row that it would cut if that row is not long; with share_cuts_first in the place of the
    /// kind where it lies inside of a row. Found by a group.
    template <class Block>
    COPPICE_HD path_point find_cut(lane_group<Block> const& group, std::int64_t s) const {
        std::int64_t const all = rows + nonzeros, due = s * rule.work_per_block;
        std::int64_t const step = due < all ? due : all;
        path_point const p = search_path(group, offsets + 1, rows, nonzeros, step, rows_per_step);
        if (p.row >= rows) return p;
        std::int64_t const begin = offsets[p.row], end = offsets[p.row + 1];
        if (p.nonzero == begin) return p;
        if (end - begin <= rule.longest_whole) return {p.row + 1, end};
        return {p.row | std::int64_t(share_cuts_first) << kind_shift, p.nonzero};
    }
    /// The kind of the share between two such cuts.
    template <class Block>
    COPPICE_HD int find_kind(lane_group<Block> const& group, path_point cut, path_point next) const {
        path_point const from = point_of(cut), to = point_of(next);
        int const flags = kind_of(cut) | (kind_of(next) ? share_cuts_last : 0);
        return detail::find_kind(group, offsets + from.row, to.row - from.row, to.nonzero - from.nonzero, flags, rule);
    }
};

/// Shares that a block of so many threads finds: one fewer than it finds cuts.
template <class Block>
constexpr int shares_of_partition_block(int threads) {
    return threads / lane_group<Block>::lanes - 1;
}

/// Block 0: looks at shares all over the path and notes whether most of them lie along the path.
COPPICE_NO_EXEC_CHECK
template <class Block, class O, class Note>
COPPICE_HD void sample_kinds(Block const& block, partition_job<O, Note> const& job, path_point* shared) {
    lane_group<Block> const group{block};
    int const mine = block.thread() / group.lanes, samples = block.threads() / group.lanes / 2;
    std::int64_t const s = job.shares * (mine / 2 * 2 + 1) / (2 * samples) + mine % 2; // two groups for each
    path_point const cut = job.find_cut(group, s);
    if (group.lane() == 0) shared[mine] = cut;
    block.sync();
    int const kind = job.find_kind(group, shared[mine / 2 * 2], shared[mine / 2 * 2 + 1]);
    block.sync();
    if (group.lane() == 0) shared[mine].row = kind & share_of_rows ? 0 : 1;
    block.sync();
    if (block.thread() > 0) return;
    int along_path = 0;
    for (int i = 0; i < samples; ++i) along_path += int(shared[2 * i].row);
    job.irregular.write(2 * along_path > samples);
}

/// One block of the kernel that cuts a path: block 0 takes samples, the others find their cuts and kinds. `shared`: a
/// point for each group.
COPPICE_NO_EXEC_CHECK
template <class Block, class O, class Note>
COPPICE_HD void partition_block(Block const& block, std::int64_t b, partition_job<O, Note> const& job,
                                path_point* shared) {
    if (b == 0) return sample_kinds(block, job, shared);
    lane_group<Block> const group{block};
    int const mine = block.thread() / group.lanes;
    int const count = shares_of_partition_block<Block>(block.threads());
    std::int64_t const s = (b - 1) * count + mine;
    path_point const cut = job.find_cut(group, s);
    if (group.lane() == 0) shared[mine] = cut;
    block.sync();
    std::int64_t const kind = job.find_kind(group, cut, shared[mine < count ? mine + 1 : mine]);
    if (group.lane() > 0 || mine == count || s > job.shares) return;
    path_point const from = point_of(cut);
    job.cuts[s] = {s < job.shares ? from.row | kind << kind_shift : from.row, from.nonzero};
    if (s < job.shares) job.slots[s] = {};
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
