// SPDX-License-Identifier: BSD-3-Clause
// Parallel primitives compared with the standard algorithms, at sizes around every block boundary.
#include <coppice/core/parallel.hpp>

#include <doctest/doctest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/executors.hpp"

using namespace coppice;
using coppice::test::on_cuda;

namespace {

// Around the unrolled chains of reduce (8), a CUDA block (256), a host block (8192) and several of them.
std::vector<std::int64_t> const sizes{0, 1, 2, 7, 8, 9, 255, 256, 257, 8191, 8192, 8193, 16384, 40001};

template <class T>
std::vector<T> random_values(std::int64_t n, T low, T high, unsigned seed = 1) {
    std::mt19937_64 engine(seed);
    std::vector<T> v(static_cast<std::size_t>(n));
    for (auto& x : v) {
        if constexpr (std::is_integral_v<T>)
            x = static_cast<T>(std::uniform_int_distribution<std::int64_t>(low, high)(engine));
        else
            x = std::uniform_real_distribution<T>(low, high)(engine);
    }
    return v;
}

template <class T>
struct element {
    array_view<T const> in;
    COPPICE_HD T operator()(std::int64_t i) const { return in[i]; }
};
template <class T>
struct store {
    array_view<T> out;
    COPPICE_HD void operator()(std::int64_t i, T value) const { out[i] = value; }
};
struct square_into {
    array_view<std::int64_t> out;
    COPPICE_HD void operator()(std::int64_t i) const { out[i] += i * i; }
};
struct is_odd {
    array_view<int const> in;
    COPPICE_HD bool operator()(std::int64_t i) const { return in[i] % 2 != 0; }
};
struct never {
    COPPICE_HD bool operator()(std::int64_t) const { return false; }
};
struct always {
    COPPICE_HD bool operator()(std::int64_t) const { return true; }
};

// Integer sum with its count: a result type that is not arithmetic.
struct tally {
    std::int64_t sum, count;
};
struct tally_of {
    array_view<int const> in;
    COPPICE_HD tally operator()(std::int64_t i) const { return {in[i], 1}; }
};
struct add_tallies {
    COPPICE_HD tally operator()(tally const& a, tally const& b) const { return {a.sum + b.sum, a.count + b.count}; }
};

template <class Key, class Executor>
void check_sort(Executor const& exec, std::vector<Key> const& keys) {
    std::vector<std::int32_t> values(keys.size());
    std::iota(values.begin(), values.end(), 0);
    auto expected = values;
    std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) {
        return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
    });
    auto k = exec.copy(keys);
    auto v = exec.copy(values);
    sort_by_key(exec, k.view(), v.view());
    CHECK(to_vector(exec, v) == expected);
    std::vector<Key> sorted(keys.size());
    std::transform(expected.begin(), expected.end(), sorted.begin(),
                   [&](auto i) { return keys[static_cast<std::size_t>(i)]; });
    CHECK(to_vector(exec, k) == sorted);
}

} // namespace

TEST_CASE_TEMPLATE("for_each calls every index once", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const n : sizes) {
        std::vector<std::int64_t> expected(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = 5 + static_cast<std::int64_t>(i * i);
        buffer<std::int64_t> out(exec, n);
        fill(exec, out.view(), 5);
        for_each(exec, n, square_into{out.view()});
        CHECK(to_vector(exec, out) == expected);
    }
}

TEST_CASE_TEMPLATE("fill writes its range and nothing else", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const base = random_values<double>(20000, -1, 1);
    auto const slices = {std::pair{0, 0}, {0, 1}, {1, 8192}, {17, 19983}, {0, 20000}};
    for (auto const& [first, count] : slices) {
        auto expected = base;
        std::fill_n(expected.begin() + first, count, 2.5);
        auto b = exec.copy(base);
        fill(exec, b.view().slice(first, count), 2.5);
        CHECK(to_vector(exec, b) == expected);
    }
}

TEST_CASE_TEMPLATE("reduce: sums of integers are exact", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const n : sizes) {
        auto const values = random_values<std::int64_t>(n, -1000000, 1000000);
        auto const in = exec.copy(values);
        auto const sum = reduce(exec, n, std::int64_t{0}, element<std::int64_t>{in.view()}, plus{});
        CHECK(sum == std::accumulate(values.begin(), values.end(), std::int64_t{0}));
    }
}

TEST_CASE_TEMPLATE("reduce: floating sums lie within the rounding bound", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const n : sizes) {
        auto const values = random_values<double>(n, -1, 1);
        auto const in = exec.copy(values);
        long double exact = 0, magnitudes = 0;
        for (double const v : values) exact += v, magnitudes += std::abs(static_cast<long double>(v));
        double const sum = reduce(exec, n, 0.0, element<double>{in.view()}, plus{});
        // In any order, n additions have an error of at most (n - 1) u times the sum of magnitudes.
        auto const bound = static_cast<long double>(n) * std::numeric_limits<double>::epsilon() / 2 * magnitudes;
        CHECK(std::abs(static_cast<long double>(sum) - exact) <= bound);
    }
}

TEST_CASE_TEMPLATE("reduce: maximum, and a NaN that stays visible", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    double const lowest = -std::numeric_limits<double>::infinity();
    for (auto const n : sizes) {
        auto values = random_values<double>(n, -5, -1);
        auto const in = exec.copy(values);
        double const largest = reduce(exec, n, lowest, element<double>{in.view()}, maximum{});
        CHECK(largest == (n > 0 ? *std::max_element(values.begin(), values.end()) : lowest));
        if (n == 0) continue;
        for (auto const at : {std::int64_t{0}, n / 2, n - 1}) {
            auto poisoned = values;
            poisoned[static_cast<std::size_t>(at)] = std::numeric_limits<double>::quiet_NaN();
            auto const bad = exec.copy(poisoned);
            CHECK(std::isnan(reduce(exec, n, lowest, element<double>{bad.view()}, maximum{})));
        }
    }
}

TEST_CASE_TEMPLATE("reduce: a structure as result", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const n : sizes) {
        auto const values = random_values<int>(n, -100, 100);
        auto const in = exec.copy(values);
        auto const t = reduce(exec, n, tally{0, 0}, tally_of{in.view()}, add_tallies{});
        CHECK(t.sum == std::accumulate(values.begin(), values.end(), std::int64_t{0}));
        CHECK(t.count == n);
    }
}

TEST_CASE_TEMPLATE("reduce: the same bits on every run", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::int64_t const n = 300001;
    auto const values = random_values<float>(n, -1, 1);
    auto const in = exec.copy(values);
    float const first = reduce(exec, n, 0.0f, element<float>{in.view()}, plus{});
    for (int repeat = 0; repeat < 20; ++repeat)
        REQUIRE(reduce(exec, n, 0.0f, element<float>{in.view()}, plus{}) == first);
}

TEST_CASE_TEMPLATE("exclusive_scan", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const n : sizes) {
        auto const values = random_values<std::int64_t>(n, -7, 9);
        std::vector<std::int64_t> expected(values.size());
        std::exclusive_scan(values.begin(), values.end(), expected.begin(), std::int64_t{100});
        auto const in = exec.copy(values);
        buffer<std::int64_t> out(exec, n);
        auto const total = exclusive_scan(exec, n, element<std::int64_t>{in.view()}, store<std::int64_t>{out.view()},
                                          std::int64_t{100});
        CHECK(to_vector(exec, out) == expected);
        CHECK(total == std::accumulate(values.begin(), values.end(), std::int64_t{100}));
        fill(exec, out.view(), 0);
        queue_exclusive_scan(exec, n, element<std::int64_t>{in.view()}, store<std::int64_t>{out.view()},
                             std::int64_t{100});
        CHECK(to_vector(exec, out) == expected);
    }
}

TEST_CASE_TEMPLATE("exclusive_scan in place, widening from 32 bits", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const n : sizes) {
        auto const values = random_values<int>(n, 0, std::numeric_limits<int>::max());
        std::vector<std::int64_t> const wide(values.begin(), values.end());
        std::vector<std::int64_t> expected(wide.size());
        std::exclusive_scan(wide.begin(), wide.end(), expected.begin(), std::int64_t{0});
        auto const narrow = exec.copy(values);
        buffer<std::int64_t> out(exec, n);
        exclusive_scan(exec, n, element<int>{narrow.view()}, store<std::int64_t>{out.view()}, std::int64_t{0});
        CHECK(to_vector(exec, out) == expected);
        auto both = exec.copy(wide); // read and overwritten by the same call
        exclusive_scan(exec, n, element<std::int64_t>{both.view()}, store<std::int64_t>{both.view()}, std::int64_t{0});
        CHECK(to_vector(exec, both) == expected);
    }
}

TEST_CASE_TEMPLATE("select keeps the order", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const n : sizes) {
        auto const values = random_values<int>(n, 0, 1000);
        std::vector<std::int64_t> expected;
        for (std::size_t i = 0; i < values.size(); ++i)
            if (values[i] % 2 != 0) expected.push_back(static_cast<std::int64_t>(i));
        auto const in = exec.copy(values);
        buffer<std::int64_t> out(exec, n);
        auto const count = select(exec, n, is_odd{in.view()}, store<std::int64_t>{out.view()});
        CHECK(count == static_cast<std::int64_t>(expected.size()));
        CHECK(to_vector(exec, array_view<std::int64_t const>(out.view()).slice(0, count)) == expected);
        fill(exec, out.view(), 0);
        queue_select(exec, n, is_odd{in.view()}, store<std::int64_t>{out.view()});
        CHECK(to_vector(exec, array_view<std::int64_t const>(out.view()).slice(0, count)) == expected);
        CHECK(select(exec, n, never{}, store<std::int64_t>{out.view()}) == 0);
        CHECK(select(exec, n, always{}, store<std::int64_t>{out.view()}) == n);
    }
}

TEST_CASE_TEMPLATE("sort_by_key is stable for every key type", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const n : sizes) {
        check_sort(exec, random_values<std::int32_t>(n, -20, 20)); // many equal keys
        check_sort(exec, random_values<std::int64_t>(n, std::numeric_limits<std::int64_t>::min(),
                                                     std::numeric_limits<std::int64_t>::max()));
        check_sort(exec, random_values<float>(n, -1, 1));
    }
    check_sort(exec, std::vector<double>(9000, 1.5));
    check_sort(exec, std::vector<std::uint64_t>{~std::uint64_t{0}, 0, std::uint64_t{1} << 63, 1, 0});
    auto falling = random_values<double>(20000, -1, 1);
    std::sort(falling.rbegin(), falling.rend());
    check_sort(exec, falling);
}

TEST_CASE_TEMPLATE("sort_by_key rejects sizes that differ", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    buffer<int> keys(exec, 3), values(exec, 4);
    CHECK_THROWS_AS(sort_by_key(exec, keys.view(), values.view()), dimension_error);
}

#if !defined(COPPICE_TEST_CUDA)

TEST_CASE("reduce: the same bits for any number of threads") {
    std::int64_t const n = 300001;
    auto const values = random_values<float>(n, -1, 1);
    element<float> const in{{values.data(), n}};
    float const one = reduce(host_executor{1}, n, 0.0f, in, plus{});
    for (int threads : {2, 3, 4, 7}) CHECK(reduce(host_executor{threads}, n, 0.0f, in, plus{}) == one);
}

TEST_CASE("exclusive_scan of floating values: the same bits for any number of threads") {
    std::int64_t const n = 100001;
    auto const values = random_values<double>(n, -1, 1);
    auto const scan = [&](int threads) {
        std::vector<double> out(values.size());
        exclusive_scan(host_executor{threads}, n, element<double>{{values.data(), n}}, store<double>{{out.data(), n}},
                       0.0);
        return out;
    };
    CHECK(scan(2) == scan(1));
    CHECK(scan(5) == scan(1));
}

TEST_CASE("an exception of a worker reaches the caller") {
    // The caller waits in its first item until another thread has thrown, so that the exception crosses threads.
    auto const caller = std::this_thread::get_id();
    std::atomic<bool> thrown = false;
    std::string const text = "stop: a message too long for the string to hold it inside";
    try {
        for_each(host_executor{2}, 1000000, [&](std::int64_t) {
            if (std::this_thread::get_id() != caller) {
                thrown = true;
                throw argument_error(text);
            }
            for (int ms = 0; !thrown && ms < 2000; ++ms) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            thrown = true;
            throw argument_error(text);
        });
        FAIL("the loop came back");
    } catch (argument_error const& e) {
        CHECK(e.what() == text);
    }
}

namespace {

/// Whether a loop over [0, n) with blocks of `block` items calls every item once.
bool covers(host_executor const& exec, std::int64_t n, std::int64_t block) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(n));
    detail::for_each_block(exec, n, block, [&](std::int64_t, std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) ++calls[static_cast<std::size_t>(i)];
    });
    return std::all_of(calls.begin(), calls.end(), [](auto const& count) { return count == 1; });
}

} // namespace

TEST_CASE("loops of any length, one after the other and after pauses") {
    for (int const threads : {2, 3, 8}) {
        host_executor const exec(threads);
        for (int round = 0; round < 20; ++round) {
            for (std::int64_t const n : {1, 2, 3, 7, 8, 9, 100, 1000}) CHECK(covers(exec, n, 1));
            CHECK(covers(exec, 10000, 7));
            if (round % 5 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1)); // the helpers have gone
        }
    }
}

TEST_CASE("several threads run loops of one executor at the same time") {
    host_executor const exec(3);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> callers;
    for (int c = 0; c < 4; ++c)
        callers.emplace_back([&, c] {
            for (int round = 0; round < 100; ++round)
                if (!covers(exec, 50 + 13 * c + round, 1 + round % 3)) ++wrong;
        });
    for (auto& caller : callers) caller.join();
    CHECK(wrong == 0);
}

TEST_CASE("loops inside of loops, of the same executor and of another one") {
    host_executor const exec(3), other(2);
    for (int round = 0; round < 20; ++round) {
        std::atomic<int> wrong = 0;
        detail::for_each_block(exec, 12, 1, [&](std::int64_t k, std::int64_t, std::int64_t) {
            if (!covers(k % 2 == 0 ? exec : other, 200, 3)) ++wrong;
        });
        exec.run([&] {
            detail::call_both([&] { wrong += covers(exec, 100, 1) ? 0 : 1; },
                              [&] { wrong += covers(exec, 100, 1) ? 0 : 1; });
        });
        CHECK(wrong == 0);
    }
}

TEST_CASE("executors work after a loop that has failed, and do not outlive their loops") {
    for (int round = 0; round < 100; ++round) {
        host_executor const exec(2 + round % 3);
        CHECK_THROWS_AS(for_each(exec, 100000,
                                 [&](std::int64_t i) {
                                     if (i % 9000 == round) throw argument_error("an item fails");
                                 }),
                        argument_error);
        CHECK(covers(exec, 500, 1));
    }
}

TEST_CASE("a program that limits oneTBB to one thread") {
    tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 1);
    CHECK(covers(host_executor(4), 1000, 3));
}

#endif
