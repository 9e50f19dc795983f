// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Partition of the path of a CSR pattern into one range per CUDA block, and the kind of each range.
#pragma once

#include <bit>
#include <cstdint>

#include <coppice/core/block.hpp>
#include <coppice/semiring/reduce_rows/srcsr_lane.hpp>

namespace coppice::inline v0_1::detail {

/// Properties of a range; bit flags.
enum range_kind : int {
    /// Whole, short rows, one or several lanes per row; if not set, the range is split evenly along the path
    range_of_whole_rows = 1,
    range_splits_first = 2, ///< its first row began in an earlier range
    range_splits_last = 4,  ///< its last row continues in the next range
};

/// A split point packed for a single load: the highest byte of `row` holds the kind of the range that begins here.
inline constexpr int kind_shift = 56;
COPPICE_HD inline path_point point_of(path_point split) {
    return {split.row & ((std::int64_t(1) << kind_shift) - 1), split.nonzero};
}
COPPICE_HD inline int kind_of(path_point split) { return int(split.row >> kind_shift); }

/// Parameters that determine the split points and the kinds of the ranges.
struct partition_rule {
    std::int64_t work_per_block; ///< path steps between two target split points
    std::int64_t max_whole_row;  ///< a row with more nonzeros is split at the target point; shorter rows stay whole
    int threads;
    int lane_chunk; ///< largest number of nonzeros that one lane folds in a range of whole rows
    int capacity;   ///< largest number of nonzeros of a range of whole rows
};

/// Neighbouring threads that find one split point and classify one range together. All lanes of a warp call the member
/// functions together.
template <class Block>
struct lane_group {
    static constexpr int lanes = 8;
    Block const& block;

    COPPICE_HD int lane() const { return block.thread() % lanes; }
    /// Bit l is the condition of lane l of the group.
    COPPICE_HD unsigned ballot(bool condition) const {
        int const first = block.thread() % warp_lanes - lane();
        return block.ballot(condition) >> first & ((1u << lanes) - 1);
    }
    /// The value of another lane of the group.
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

/// Returns the path point after `step` steps, by a group. In each round every lane inspects one row. The first round
/// probes around the row that a pattern of constant row length would give; the second round continues from the result
/// with the mean row length. For regular patterns one of these rounds finds the point. Each further round reduces the
/// interval to an eighth.
template <class Block, class O>
COPPICE_HD path_point search_path(lane_group<Block> const& group, O const* ends, std::int64_t rows,
                                  std::int64_t nonzeros, std::int64_t step, double rows_per_step) {
    constexpr int lanes = lane_group<Block>::lanes;
    std::int64_t low = step > nonzeros ? step - nonzeros : 0;
    // The row of the point is the first row in [low, high) that has not ended.
    std::int64_t high = step < rows ? step : rows;
    // Number of steps between the end of the row that this lane inspected and the target point; negative if the row
    // ends after it.
    std::int64_t ahead = 0;
    auto const narrow = [&](auto const& probe) { // probe(lane): row in [low, high), non-decreasing in the lane
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
        auto const row_of = [&](int lane) { // offsets -4096, -256, -16, -1, 0, 15, 255, 4095
            std::int64_t const row =
                guess + (lane < centre ? -(1 << 4 * (centre - 1 - lane)) : (1 << 4 * (lane - centre)) - 1);
            return row < low ? low : row < high ? row : high - 1;
        };
        std::int64_t const probed = low < high ? row_of(centre) : low;
        narrow(row_of);
        return probed;
    };
    std::int64_t const first = narrow_around(std::int64_t(double(step) * rows_per_step));
    if (group.block.ballot(low < high))
        narrow_around(first + std::int64_t(double(group.from_lane(ahead, centre)) * rows_per_step));
    while (group.block.ballot(low < high))
        narrow([&](int lane) { return low + ((high - low) * (lane + 1) - 1) / lanes; });
    return {low, step - low};
}

/// Binary logarithm of the number of lanes that fold one row together: as many as occupy all threads, at most a warp.
COPPICE_HD inline int lanes_exponent(int rows, int threads) {
    int e = 0;
    while (e < 5 && (rows << (e + 1)) <= threads) ++e;
    return e;
}

/// Returns the kind of a range of `count` rows from offsets[0] on with `nonzeros` nonzeros, by a group. `split`: the
/// split flags of the range.
template <class Block, class O>
COPPICE_HD int find_kind(lane_group<Block> const& group, O const* offsets, std::int64_t count, std::int64_t nonzeros,
                         int split, partition_rule const& rule) {
    bool const small = !split && nonzeros <= rule.capacity;
    int const rows = small ? int(count) : 0;
    int longest = 0;
    COPPICE_UNROLL_FOUR
    for (int r = group.lane(); r < rows; r += lane_group<Block>::lanes) {
        int const length = int(offsets[r + 1] - offsets[r]);
        longest = length > longest ? length : longest;
    }
    longest = group.greatest(longest);
    if (!small) return split;
    int const lanes = rows < rule.threads ? 1 << lanes_exponent(rows, rule.threads) : 1;
    return longest <= rule.lane_chunk * lanes ? range_of_whole_rows : 0;
}

/// Arguments of the partition kernel, equal for all blocks. `Flag`: see device_flag::writer.
template <class O, class Flag>
struct partition_job {
    O const* offsets;
    std::int64_t rows;
    std::int64_t nonzeros;
    partition_rule rule;
    std::int64_t ranges;
    path_point* splits;    ///< array of ranges + 1 split points
    hand_over_slot* slots; ///< array of one slot per range
    Flag irregular;
    double rows_per_step = double(rows) / double(rows + nonzeros);

    /// Returns split point s, by a group. It is moved to the end of the row that it would split, unless that row is
    /// long. If it is inside a row, the kind bits hold range_splits_first.
    template <class Block>
    COPPICE_HD path_point find_split(lane_group<Block> const& group, std::int64_t s) const {
        std::int64_t const all = rows + nonzeros, due = s * rule.work_per_block;
        std::int64_t const step = due < all ? due : all;
        path_point const p = search_path(group, offsets + 1, rows, nonzeros, step, rows_per_step);
        if (p.row >= rows) return p;
        std::int64_t const begin = offsets[p.row], end = offsets[p.row + 1];
        if (p.nonzero == begin) return p;
        if (end - begin <= rule.max_whole_row) return {p.row + 1, end};
        return {p.row | std::int64_t(range_splits_first) << kind_shift, p.nonzero};
    }
    /// Returns the kind of the range between two neighbouring split points, as returned by find_split().
    template <class Block>
    COPPICE_HD int find_kind(lane_group<Block> const& group, path_point split, path_point next) const {
        path_point const from = point_of(split), to = point_of(next);
        int const flags = kind_of(split) | (kind_of(next) ? range_splits_last : 0);
        return detail::find_kind(group, offsets + from.row, to.row - from.row, to.nonzero - from.nonzero, flags, rule);
    }
};

/// Number of ranges that a block of this many threads classifies: one less than the split points that it finds.
template <class Block>
constexpr int ranges_of_partition_block(int threads) {
    return threads / lane_group<Block>::lanes - 1;
}

/// Block 0: samples ranges over the whole path and flags whether most of them are split along the path.
COPPICE_NO_EXEC_CHECK
template <class Block, class O, class Flag>
COPPICE_HD void sample_kinds(Block const& block, partition_job<O, Flag> const& job, path_point* shared) {
    lane_group<Block> const group{block};
    int const mine = block.thread() / group.lanes, samples = block.threads() / group.lanes / 2;
    std::int64_t const s = job.ranges * (mine / 2 * 2 + 1) / (2 * samples) + mine % 2; // two groups per sample
    path_point const split = job.find_split(group, s);
    if (group.lane() == 0) shared[mine] = split;
    block.sync();
    int const kind = job.find_kind(group, shared[mine / 2 * 2], shared[mine / 2 * 2 + 1]);
    block.sync();
    if (group.lane() == 0) shared[mine].row = kind & range_of_whole_rows ? 0 : 1;
    block.sync();
    if (block.thread() > 0) return;
    int along_path = 0;
    for (int i = 0; i < samples; ++i) along_path += int(shared[2 * i].row);
    job.irregular.write(2 * along_path > samples);
}

/// One block of the partition kernel: block 0 takes samples, the others find their split points and kinds. `shared`:
/// one path point per group.
COPPICE_NO_EXEC_CHECK
template <class Block, class O, class Flag>
COPPICE_HD void partition_block(Block const& block, std::int64_t b, partition_job<O, Flag> const& job,
                                path_point* shared) {
    if (b == 0) return sample_kinds(block, job, shared);
    lane_group<Block> const group{block};
    int const mine = block.thread() / group.lanes;
    int const count = ranges_of_partition_block<Block>(block.threads());
    std::int64_t const s = (b - 1) * count + mine;
    path_point const split = job.find_split(group, s);
    if (group.lane() == 0) shared[mine] = split;
    block.sync();
    std::int64_t const kind = job.find_kind(group, split, shared[mine < count ? mine + 1 : mine]);
    if (group.lane() > 0 || mine == count || s > job.ranges) return;
    path_point const from = point_of(split);
    job.splits[s] = {s < job.ranges ? from.row | kind << kind_shift : from.row, from.nonzero};
    if (s < job.ranges) job.slots[s] = {};
}

/// First and last range that contain nonzeros of row `row`, for a row that is split at every target point.
struct range_interval {
    std::int64_t first;
    std::int64_t last;
};
template <class O>
COPPICE_HD range_interval ranges_of_row(O const* offsets, std::int64_t row, std::int64_t work_per_block) {
    return {(std::int64_t(offsets[row]) + row) / work_per_block,
            (std::int64_t(offsets[row + 1]) + row) / work_per_block};
}

} // namespace coppice::inline v0_1::detail
