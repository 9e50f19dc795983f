// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/block_cache.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using namespace coppice;

namespace {

/// An allocator of addresses, which reports blocks that are freed twice or never made.
struct counting_allocator {
    std::map<void*, std::size_t> made{};
    std::uintptr_t next = 512;

    void* allocate(std::size_t size) {
        auto* const block = reinterpret_cast<void*>(next);
        next += size;
        made[block] = size;
        return block;
    }
    void free(void* block) { CHECK(made.erase(block) == 1); }
};

} // namespace

TEST_CASE("block cache: sizes are rounded up by at most an eighth and 2 MB") {
    for (std::size_t bytes = 1; bytes < 20000; ++bytes) {
        std::size_t const size = block_cache::rounded(bytes);
        CHECK(size >= bytes);
        CHECK(size <= std::max<std::size_t>(512, bytes + bytes / 8 + 64));
        CHECK(block_cache::rounded(size) == size);
        CHECK(size % 64 == 0);
    }
    CHECK(block_cache::rounded((std::size_t(1) << 33) + 1) == (std::size_t(1) << 33) + (std::size_t(2) << 20));
    CHECK(block_cache::rounded(std::size_t(-1)) == std::size_t(-1));
}

TEST_CASE("block cache: every block is in use once, and kept or freed once") {
    std::mt19937 draws(3);
    for (std::size_t const limit : {std::size_t(0), std::size_t(20000), std::size_t(1) << 30}) {
        CAPTURE(limit);
        cache_budget budget{limit};
        block_cache cache(budget), other(budget);
        counting_allocator memory;
        std::map<void*, std::size_t> used;
        std::int64_t reused = 0;
        for (int step = 0; step < 5000; ++step) {
            if (used.empty() || draws() % 2 == 0) {
                std::size_t const bytes = 1 + draws() % 6000, size = block_cache::rounded(bytes);
                void* block = cache.take(size);
                reused += block != nullptr;
                if (!block) {
                    block = memory.allocate(size);
                    cache.add(block, size);
                }
                CHECK(memory.made.at(block) >= bytes);
                CHECK(used.emplace(block, size).second);
            } else {
                auto const one = std::next(used.begin(), std::ptrdiff_t(draws() % used.size()));
                if (!cache.give_back(one->first)) memory.free(one->first);
                used.erase(one);
            }
            CHECK(budget.used == cache.cached_bytes());
            CHECK(budget.used <= limit);
            if (step == 2500) cache.clear([&](void* block) { memory.free(block); });
        }
        CHECK((reused > 0) == (limit > 0));
        CHECK_FALSE(cache.give_back(&cache)); // never reported
        for (auto const& [block, size] : used)
            if (!cache.give_back(block)) memory.free(block);
        cache.clear([&](void* block) { memory.free(block); });
        CHECK(memory.made.empty());
        CHECK(budget.used == 0);
        // A block that was freed without the cache, whose address the allocator returns again for a smaller one.
        auto* const address = reinterpret_cast<void*>(std::uintptr_t(4096));
        other.add(address, 4096);
        other.add(address, 512);
        CHECK(other.give_back(address) == (limit > 0));
        CHECK(other.take(4096) == nullptr);
    }
}
