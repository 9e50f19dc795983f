// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Barrier of the blocks that share a system, each of which runs in a thread of its own on the host.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace coppice::test {

struct slice_barrier {
    std::vector<std::atomic<int>>* arrivals; ///< of each system, zero at first

    /// All threads of `slices` blocks call it, once for a system.
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
