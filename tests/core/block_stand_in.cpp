// SPDX-License-Identifier: BSD-3-Clause
// Tests block_runner, which runs the body of a CUDA block kernel on CPU threads. A correct body gives the correct
// result. An incorrect body fails instead of hanging. missing_barrier.cpp contains the bodies whose error only the
// thread sanitizer detects.
#include "support/block_stand_in.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

using coppice::test::block_failure;
using coppice::test::block_runner;

namespace {

/// Inclusive sum of one value per thread: within each warp by lane exchange, then over warps through shared memory.
template <class Block>
int block_inclusive_sum(Block const& block, int value, int* warp_sum) {
    int const lane = block.thread() % coppice::warp_lanes;
    int const warp = block.thread() / coppice::warp_lanes;
    for (int distance = 1; distance < coppice::warp_lanes; distance *= 2) {
        int const other = block.from_lane(value, lane - distance);
        if (lane >= distance) value += other;
    }
    if (lane == coppice::warp_lanes - 1) warp_sum[warp] = value;
    block.sync();
    for (int w = 0; w < warp; ++w) value += warp_sum[w];
    return value;
}

std::string failure_of(block_runner& blocks, auto const& body) {
    try {
        blocks.run(1, body);
    } catch (block_failure const& e) {
        return e.what();
    }
    return "";
}

} // namespace

TEST_CASE("a body with barriers and lane exchange computes its block sums") {
    for (int const threads : {32, 64, 256}) {
        block_runner blocks(threads, 32 * sizeof(int));
        int const count = 7;
        std::vector<int> sums(std::size_t(count * threads));
        for (int repeat = 0; repeat < 3; ++repeat) { // the same threads are reused for several launches
            blocks.run(count, [&](auto const& block, int index, std::byte* shared) {
                int const i = index * block.threads() + block.thread();
                sums[std::size_t(i)] = block_inclusive_sum(block, i % 11 - 3, reinterpret_cast<int*>(shared));
            });
            for (int b = 0; b < count; ++b) {
                int expected = 0;
                for (int i = b * threads; i < (b + 1) * threads; ++i) {
                    expected += i % 11 - 3;
                    REQUIRE(sums[std::size_t(i)] == expected);
                }
            }
        }
    }
}

TEST_CASE("a ballot collects the conditions of a warp") {
    block_runner blocks(64);
    std::vector<unsigned> got(64);
    blocks.run(1, [&](auto const& block, int, std::byte*) {
        int const t = block.thread();
        unsigned const threes = block.ballot(t % 3 == 0);
        got[std::size_t(t)] = threes ^ block.ballot(t == 40);
    });
    for (int t = 0; t < 64; ++t) {
        unsigned expected = t < 32 ? 0 : 1u << 8;
        for (int lane = 0; lane < 32; ++lane)
            if ((t / 32 * 32 + lane) % 3 == 0) expected ^= 1u << lane;
        CHECK(got[std::size_t(t)] == expected);
    }
}

TEST_CASE("from_lane moves structures and takes the lane modulo 32") {
    struct item {
        double value;
        char letter;
        short more[5];
    };
    block_runner blocks(64);
    std::vector<item> out(64);
    blocks.run(1, [&](auto const& block, int, std::byte*) {
        int const t = block.thread();
        out[std::size_t(t)] = block.from_lane(item{t + 0.5, char('a' + t % 26), {short(t)}}, t + 1);
    });
    for (int t = 0; t < 64; ++t) {
        int const source = t / 32 * 32 + (t + 1) % 32;
        CHECK(out[std::size_t(t)].value == source + 0.5);
        CHECK(out[std::size_t(t)].letter == char('a' + source % 26));
        CHECK(out[std::size_t(t)].more[0] == source);
    }
}

TEST_CASE("sync_any returns to every thread whether the condition holds for any") {
    block_runner blocks(96);
    std::vector<int> rounds(3 * 96);
    blocks.run(3, [&](auto const& block, int index, std::byte*) {
        int& mine = rounds[std::size_t(index * 96 + block.thread())];
        while (block.sync_any(block.thread() == 50 && mine < index * 2)) ++mine;
    });
    for (int i = 0; i < 3 * 96; ++i) CHECK(rounds[std::size_t(i)] == i / 96 * 2);
}

TEST_CASE("a block of any size, without shared memory, and no block at all") {
    block_runner one(1);
    int calls = 0;
    one.run(1, [&](auto const& block, int, std::byte* shared) {
        block.sync();
        CHECK(shared == nullptr);
        ++calls;
    });
    one.run(0, [&](auto const&, int, std::byte*) { ++calls; });
    CHECK(calls == 1);
    CHECK_THROWS_AS(block_runner(0), coppice::argument_error);
    CHECK_THROWS_AS(block_runner(1025), coppice::argument_error);
}

TEST_CASE("shared memory starts with garbage") {
    block_runner blocks(32, 64);
    std::vector<int> garbage(4, 0);
    blocks.run(4, [&](auto const& block, int index, std::byte* shared) {
        if (block.thread() == 0) {
            garbage[std::size_t(index)] = int(shared[63]);
            shared[63] = std::byte{0};
        }
        block.sync();
    });
    for (int const g : garbage) CHECK(g == 0xcd);
}

TEST_CASE("threads that return while others wait are a failure, not a hang") {
    block_runner blocks(64);
    CHECK(failure_of(blocks, [](auto const& block, int, std::byte*) {
              if (block.thread() == 17) return;
              block.sync();
          }).find("barrier") != std::string::npos);
    CHECK(failure_of(blocks, [](auto const& block, int, std::byte*) {
              if (block.thread() % 32 < 31) (void)block.from_lane(1, 0);
          }).find("barrier") != std::string::npos);
    CHECK(failure_of(blocks, [](auto const& block, int, std::byte*) {
              block.thread() < 40 ? block.sync() : void(block.from_lane(1, 0));
          }).find("barrier") != std::string::npos);
    // The runner is usable after a failure.
    std::vector<int> seen(64);
    blocks.run(1, [&](auto const& block, int, std::byte*) {
        block.sync();
        seen[std::size_t(block.thread())] = 1;
    });
    CHECK(std::accumulate(seen.begin(), seen.end(), 0) == 64);
}

TEST_CASE("threads that meet at two different barriers are a failure") {
    block_runner blocks(64);
    auto const message = failure_of(blocks, [](auto const& block, int, std::byte*) {
        if (block.thread() < 32)
            block.sync();
        else
            block.sync();
    });
    CHECK(message.find("block_stand_in.cpp") != std::string::npos);
    CHECK(message.find("waits at") != std::string::npos);
}

TEST_CASE("lane exchange needs whole warps") {
    block_runner blocks(40);
    CHECK(failure_of(blocks, [](auto const& block, int, std::byte*) {
              (void)block.from_lane(1, 0);
          }).find("fewer than 32 lanes") != std::string::npos);
}

TEST_CASE("an exception of one thread reaches the caller while the others wait") {
    block_runner blocks(96);
    CHECK_THROWS_AS(blocks.run(9,
                               [](auto const& block, int index, std::byte*) {
                                   if (index == 4 && block.thread() == 5) throw std::out_of_range("thread 5");
                                   block.sync();
                               }),
                    std::out_of_range);
}
