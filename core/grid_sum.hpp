// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sums over all threads of a grid, in a fixed order and within one kernel.
///
/// Blocks start in the order of their numbers. Each passes its partial sum to a later block, which waits for it; the
/// last block computes the total. There is no atomic addition and no fence, and the bits are the same on every run.
#pragma once

#include <cstdint>

#include <coppice/core/block.hpp>

namespace coppice::inline v0_1::detail {

/// Sum of `value` over the threads of the block, in a fixed order; returned in thread 0. `shared`: one double for each
/// warp. The number of threads is a multiple of 32.
template <class Block>
COPPICE_HD double block_sum(Block const& block, double* shared, double value) {
    int const lane = block.thread() % warp_lanes, warp = block.thread() / warp_lanes;
    for (int d = warp_lanes / 2; d > 0; d /= 2) value += block.from_lane(value, lane ^ d);
    block.sync(); // the values of an earlier sum have been read
    if (lane == 0) shared[warp] = value;
    block.sync();
    if (block.thread() > 0) return 0;
    for (int w = 1; w < block.threads() / warp_lanes; ++w) value += shared[w];
    return value;
}

/// Sums of several values over the threads of the block; thread c returns the sum of value c. `shared`: one double for
/// each value and warp.
template <class Block, int Count>
COPPICE_HD double block_sums(Block const& block, double* shared, double (&values)[Count]) {
    int const lane = block.thread() % warp_lanes, warp = block.thread() / warp_lanes;
    COPPICE_UNROLL
    for (int c = 0; c < Count; ++c) {
        COPPICE_UNROLL
        for (int d = warp_lanes / 2; d > 0; d /= 2) values[c] += block.from_lane(values[c], lane ^ d);
    }
    block.sync(); // the values of an earlier sum have been read
    if (lane == 0) {
        COPPICE_UNROLL
        for (int c = 0; c < Count; ++c) shared[warp * Count + c] = values[c];
    }
    block.sync();
    double sum = 0;
    if (block.thread() < Count)
        for (int w = 0; w < block.threads() / warp_lanes; ++w) sum += shared[w * Count + block.thread()];
    return sum;
}

/// Slots through which blocks pass their partial sums of one total; zero before and after.
struct grid_slots {
    static constexpr std::int64_t group =
        64; ///< blocks per group, whose last block adds their sums; at most the threads of a block
    static constexpr int loads_in_flight = 2; ///< partial sums whose loads overlap in one thread
    static constexpr int max_ungrouped =
        6; ///< partial sums per thread of the last block; if there are more, blocks are grouped

    hand_over_slot* first;

    COPPICE_HD static constexpr std::int64_t groups(std::int64_t blocks) { return (blocks + group - 1) / group; }
    /// Number of slots for one sum over `blocks` blocks.
    COPPICE_HD static constexpr std::int64_t needed(std::int64_t blocks) { return blocks + groups(blocks); }
};

/// Adds the partial sums in slots t, t + threads, ... below `count` for thread t, in this order, for each of the
/// totals. The slots of consecutive totals are `stride` slots apart.
template <class Block, int Count>
COPPICE_HD void collect_partial_sums(Block const& block, hand_over_slot* slots, int stride, int count,
                                     double (&sums)[Count]) {
    constexpr int rounds = Count < grid_slots::loads_in_flight ? grid_slots::loads_in_flight : 1;
    for (int c = 0; c < Count; ++c) sums[c] = 0;
    COPPICE_NO_UNROLL
    for (int k = block.thread(); k < count; k += rounds * block.threads()) {
        if constexpr (Count == 1) {
            double partial[rounds] = {};
            block.collect(slots + k, block.threads(), count - k, partial);
            COPPICE_UNROLL
            for (int u = 0; u < rounds; ++u) sums[0] += partial[u];
        } else {
            double partial[Count] = {};
            block.collect(slots + k, stride, Count * stride, partial);
            COPPICE_UNROLL
            for (int c = 0; c < Count; ++c) sums[c] += partial[c];
        }
    }
}

/// Sums the values of all threads of blocks 0, ..., blocks - 1. The sums are returned in `values` of thread 0 of the
/// last block. Returns whether b is the last block. All threads call it. `shared`: one double for each value and warp;
/// `slots`: Count times grid_slots::needed(blocks).
///
/// The last block collects the partial sums of all blocks or, if they are many, of groups of blocks.
template <class Block, int Count>
COPPICE_HD bool grid_sums(Block const& block, double* shared, grid_slots slots, std::int64_t b, std::int64_t blocks,
                          double (&values)[Count]) {
    bool const grouped = blocks > grid_slots::max_ungrouped * block.threads();
    std::int64_t const size = grouped ? grid_slots::group : blocks;
    std::int64_t const g = b / size, begin = g * size;
    std::int64_t const end = begin + size < blocks ? begin + size : blocks;
    hand_over_slot* const mine = slots.first + block.thread() * grid_slots::needed(blocks);
    auto const add_earlier = [&](std::int64_t first, std::int64_t count) {
        collect_partial_sums(block, slots.first + first, int(grid_slots::needed(blocks)), int(count), values);
        return block_sums(block, shared, values);
    };
    double sum = block_sums(block, shared, values);
    if (b + 1 < end) {
        if (block.thread() < Count) block.publish(mine + b, sum);
        return false;
    }
    sum += add_earlier(begin, b - begin);
    if (end < blocks) {
        if (block.thread() < Count) block.publish(mine + blocks + g, sum);
        return false;
    }
    if (grouped) sum += add_earlier(blocks, g);
    if constexpr (Count == 1) {
        values[0] = sum;
    } else {
        block.sync();
        if (block.thread() < Count) shared[block.thread()] = sum;
        block.sync();
        COPPICE_UNROLL
        for (int c = 0; c < Count; ++c) values[c] = shared[c];
    }
    return true;
}

} // namespace coppice::inline v0_1::detail
