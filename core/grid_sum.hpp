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

/// The same of several values at once: that of value c in thread c. `shared`: a double for each value and warp.
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

/// Where blocks leave their shares of one sum; zero before and after.
struct grid_slots {
    static constexpr std::int64_t group = 64; ///< blocks whose last one adds their shares; at most the threads of one
    static constexpr int at_once = 2;         ///< shares that a thread waits for together
    static constexpr int directly = 6;        ///< shares for each thread of the last block without groups

    hand_over_slot* first;

    COPPICE_HD static constexpr std::int64_t groups(std::int64_t blocks) { return (blocks + group - 1) / group; }
    /// Slots of one sum over so many blocks.
    COPPICE_HD static constexpr std::int64_t needed(std::int64_t blocks) { return blocks + groups(blocks); }
};

/// Thread t's part of the shares in slots [0, count) of each sum: those of t, t + threads, ... in order. The slots of
/// the sums lie `apart` from each other.
template <class Block, int Count>
COPPICE_HD void collect_shares(Block const& block, hand_over_slot* slots, int apart, int count, double (&sums)[Count]) {
    constexpr int rounds = Count < grid_slots::at_once ? grid_slots::at_once : 1;
    for (int c = 0; c < Count; ++c) sums[c] = 0;
    COPPICE_NO_UNROLL
    for (int k = block.thread(); k < count; k += rounds * block.threads()) {
        if constexpr (Count == 1) {
            double shares[rounds] = {};
            block.collect(slots + k, block.threads(), count - k, shares);
            COPPICE_UNROLL
            for (int u = 0; u < rounds; ++u) sums[0] += shares[u];
        } else {
            double shares[Count] = {};
            block.collect(slots + k, apart, Count * apart, shares);
            COPPICE_UNROLL
            for (int c = 0; c < Count; ++c) sums[c] += shares[c];
        }
    }
}

/// Sums of the values of all threads of block b of `blocks` and all before it: in thread 0 of the last block. Returns
/// whether this is the last block. All threads call it. `shared`: a double for each value and warp; `slots`: of as many
/// sums.
///
/// The last block collects the shares of all, or where they are many, of groups of blocks.
template <class Block, int Count>
COPPICE_HD bool grid_sums(Block const& block, double* shared, grid_slots slots, std::int64_t b, std::int64_t blocks,
                          double (&values)[Count]) {
    bool const grouped = blocks > grid_slots::directly * block.threads();
    std::int64_t const size = grouped ? grid_slots::group : blocks;
    std::int64_t const g = b / size, begin = g * size;
    std::int64_t const end = begin + size < blocks ? begin + size : blocks;
    hand_over_slot* const mine = slots.first + block.thread() * grid_slots::needed(blocks);
    auto const add_earlier = [&](std::int64_t first, std::int64_t count) {
        collect_shares(block, slots.first + first, int(grid_slots::needed(blocks)), int(count), values);
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

} // namespace coppice::detail
