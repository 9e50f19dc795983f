// SPDX-License-Identifier: BSD-3-Clause
// Sums over the blocks of a grid, on CPU threads.
#include <coppice/core/grid_sum.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "support/block_stand_in.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using coppice::test::block_runner;
using coppice::test::races_watched;

TEST_CASE("the last block of a grid has the sum, and the slots are cleared") {
    constexpr int threads = 64;
    block_runner runner(threads, 2 * sizeof(double) * threads / warp_lanes);
    for (int const blocks : {1, 2, 63, 64, 65, 128, 129, 384, 385, 450}) {
        if (races_watched && blocks != 2 && blocks != 65 && blocks != 385) continue;
        CAPTURE(blocks);
        std::vector<hand_over_slot> slots(std::size_t(2 * detail::grid_slots::needed(blocks)), hand_over_slot{});
        double total = 0, first_bits = 0, count = 0;
        int lasts = 0;
        for (int run = 0; run < 2; ++run) {
            runner.run(blocks, [&](auto const& block, int b, std::byte* memory) {
                auto* const shared = reinterpret_cast<double*>(memory);
                double values[2] = {0.1 * b + block.thread(), 1};
                if (detail::grid_sums(block, shared, detail::grid_slots{slots.data()}, b, blocks, values) &&
                    block.thread() == 0) {
                    total = values[0];
                    count = values[1];
                    ++lasts;
                }
            });
            if (run == 0) first_bits = total;
        }
        CHECK(lasts == 2);
        CHECK(total == first_bits);
        CHECK(count == double(blocks) * threads);
        double const expected =
            0.1 * threads * blocks * (blocks - 1) / 2 + double(blocks) * threads * (threads - 1) / 2;
        CHECK(total == doctest::Approx(expected).epsilon(1e-13));
        CHECK(std::all_of(slots.begin(), slots.end(),
                          [](auto const& slot) { return slot.half[0] + slot.half[1] == 0 || slot.half[1] == 0; }));
    }
}
