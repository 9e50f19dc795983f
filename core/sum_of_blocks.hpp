// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sums over all threads of a grid, in a fixed order and within one kernel.
///
/// Blocks start in the order of their numbers and hand their shares to a later one, which waits for them: the last
/// block knows the sum. There is no atomic addition and no fence, so the bits are the same on every run.
#pragma once

#include <cstdint>

#include <coppice/core/block.hpp>

namespace coppice::detail {

/// Sum of `value` over the block, in a fixed order; in thread 0. `shared`: a double for each warp; 32 | threads.
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

/// Where blocks leave their shares of one sum; zero before and after.
struct grid_slots {
    static constexpr std::int64_t group = 64; ///< blocks whose last one adds their shares; at most the threads of one

    hand_over_slot* first;

    COPPICE_HD static constexpr std::int64_t groups(std::int64_t blocks) { return (blocks + group - 1) / group; }
    /// Slots of one sum over so many blocks.
    COPPICE_HD static constexpr std::int64_t needed(std::int64_t blocks) { return blocks + groups(blocks); }
};

/// Sum of `value`, thread 0's of each block, over block b of `blocks` and all before it; in thread 0 of the last block.
/// Returns whether this is the last block. All threads call it.
template <class Block>
COPPICE_HD bool grid_sum(Block const& block, double* shared, grid_slots slots, std::int64_t b, std::int64_t blocks,
                         double& value) {
    std::int64_t const g = b / slots.group, begin = g * slots.group;
    std::int64_t const end = begin + slots.group < blocks ? begin + slots.group : blocks;
    if (b + 1 < end) {
        if (block.thread() == 0) block.publish(slots.first + b, value);
        return false;
    }
    double const earlier =
        begin + block.thread() < b ? block.template collect<double>(slots.first + begin + block.thread()) : 0.0;
    double const of_group = block_sum(block, shared, earlier) + value;
    hand_over_slot* const of_groups = slots.first + blocks;
    if (end < blocks) {
        if (block.thread() == 0) block.publish(of_groups + g, of_group);
        return false;
    }
    double before = 0;
    for (std::int64_t k = block.thread(); k < g; k += block.threads())
        before += block.template collect<double>(of_groups + k);
    value = block_sum(block, shared, before) + of_group;
    return true;
}

} // namespace coppice::detail
