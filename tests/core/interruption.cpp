// SPDX-License-Identifier: BSD-3-Clause
// An operation ends where its caller asks for it, and leaves the executor as it was.
#include <coppice/core/host/interruption.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include <coppice/algebra/rows/row_blocks_host.hpp>

#include "support/executors.hpp"

using namespace coppice;

namespace {

/// Wanted from the second time on that it is asked.
class after_two final : public interruption {
public:
    int asked = 0;
    bool on_another_thread = false;

private:
    bool wanted() override {
        on_another_thread = on_another_thread || std::this_thread::get_id() != maker_;
        return ++asked > 1;
    }
    std::thread::id maker_ = std::this_thread::get_id();
};

void rest() { std::this_thread::sleep_for(std::chrono::microseconds(100)); }

/// Seconds that `work` takes until it ends by `interrupted`; a negative number where it does not.
template <class Work>
double seconds_until_interrupted(Work const& work) {
    auto const start = std::chrono::steady_clock::now();
    try {
        work();
    } catch (interrupted const&) {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    return -1;
}

} // namespace

TEST_CASE("a parallel loop ends by an interruption") {
    for (int const threads : {1, 2, 4}) {
        CAPTURE(threads);
        host_executor const exec{threads};
        after_two source;
        interruption::scope const scope(&source);
        std::atomic<std::int64_t> items = 0;
        // 100 us an item: the whole loop would take a minute and more.
        double const seconds = seconds_until_interrupted([&] {
            detail::for_each_block(exec, 1 << 20, 1, [&](std::int64_t, std::int64_t, std::int64_t) {
                rest();
                ++items;
            });
        });
        CHECK(seconds > 0.05);
        CHECK(source.asked == 2);
        CHECK(!source.on_another_thread);
        CHECK(items > 0);
        CHECK(items < 1 << 19);
        CHECK_THROWS_AS(for_each(exec, 10, [](std::int64_t) {}), interrupted); // so does all that follows
        interruption::scope const none(nullptr);
        std::atomic<std::int64_t> sum = 0;
        for_each(exec, 1000, [&](std::int64_t i) { sum += i; }); // but for what is not to be interrupted
        CHECK(sum == 499500);
    }
}

TEST_CASE("a loop without an interruption goes through") {
    CHECK(interruption::current() == nullptr);
    interruption::check();
    for (int const threads : {1, 4}) {
        std::atomic<std::int64_t> sum = 0;
        for_each(host_executor{threads}, 100000, [&](std::int64_t i) { sum += i; });
        CHECK(sum == 4999950000);
    }
}

TEST_CASE("an interruption that is never wanted changes no item") {
    class never final : public interruption {
        bool wanted() override { return false; }
    } source;
    interruption::scope const scope(&source);
    CHECK(interruption::current() == &source);
    for (int const threads : {1, 4})
        for (std::int64_t const n : {1, 2, 4095, 4096, 4097, 100001}) {
            std::vector<int> seen(static_cast<std::size_t>(n), 0);
            detail::for_each_block(host_executor{threads}, n, 1,
                                   [&](std::int64_t b, std::int64_t first, std::int64_t last) {
                                       seen[static_cast<std::size_t>(b)] += static_cast<int>(last - first);
                                   });
            CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
        }
}

TEST_CASE("workers that wait for each other's pieces end by an interruption") {
    for (int const threads : {1, 4}) {
        host_executor const exec{threads};
        after_two source;
        interruption::scope const scope(&source);
        double const seconds = seconds_until_interrupted([&] {
            detail::find_in_turn(
                exec, 1 << 20, [] { return 0; },
                [](int&, std::int64_t) {
                    rest();
                    return std::int64_t{1};
                },
                [](int&, std::int64_t, std::int64_t) {});
        });
        CHECK(seconds > 0.05);
        CHECK(source.asked == 2);
    }
}
