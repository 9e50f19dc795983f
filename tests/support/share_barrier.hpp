// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Barrier of the blocks that work on one system; each runs in its own thread on the host.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace coppice::test {

struct slice_barrier {
    std::vector<std::atomic<int>>* arrivals; ///< counter of each system, initially zero

    /// All threads of `slices` blocks call it once per system.
    template <class Block>
    void wait(Block const& block, std::int64_t system, int slices) {
        std::atomic<int>& count = (*arrivals)[std::size_t(system)];
        block.sync();
        if (block.thread() == 0) {
            count.fetch_add(1);
            while (count.load() < slices) std::this_thread::yield();
        }
        block.sync();
    }
};

} // namespace coppice::test
