// SPDX-License-Identifier: BSD-3-Clause
// Buffers and views: ownership, bad sizes, allocations that fail.
#include <coppice/core/memory.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "support/executors.hpp"
#include "support/failing_memory.hpp"
#include <coppice/core/parallel.hpp>

using namespace coppice;
using coppice::test::every_allocation_fails_once;
using coppice::test::failing_memory;
using coppice::test::on_cuda;
using coppice::test::one_thread;
using coppice::test::two_threads;

static_assert(std::is_nothrow_move_constructible_v<buffer<int>> && std::is_nothrow_move_assignable_v<buffer<int>>);
static_assert(std::is_trivially_copyable_v<array_view<double>>);
static_assert(std::is_convertible_v<array_view<int>, array_view<int const>>);
static_assert(!std::is_convertible_v<array_view<int const>, array_view<int>>);

TEST_CASE_TEMPLATE("a buffer owns its elements and moves them", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::vector<int> const values{3, 1, 4, 1, 5};
    buffer<int> a = exec.copy(values);
    int const* const where = a.data();
    buffer<int> b = std::move(a);
    CHECK(b.data() == where);
    CHECK(a.size() == 0);
    CHECK(a.data() == nullptr);
    CHECK(a.empty());
    a = std::move(b);
    CHECK(a.data() == where);
    CHECK(to_vector(exec, a) == values);
    auto& same = a;
    a = std::move(same); // self-move keeps the elements
    CHECK(to_vector(exec, a) == values);
    buffer<int> other(exec, 2);
    a.swap(other);
    CHECK(a.size() == 2);
    CHECK(to_vector(exec, other) == values);
}

TEST_CASE_TEMPLATE("copies are independent, and travel to the host and back", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host{1};
    std::vector<double> const values{1.5, -2, 0};
    auto const a = exec.copy(values);
    auto b = exec.copy(a);
    fill(exec, b.view(), 7.0);
    CHECK(to_vector(exec, a) == values);
    auto const home = host.copy(a);
    CHECK(home.on_host());
    CHECK(to_vector(host, home) == values);
    CHECK(to_vector(exec, exec.copy(home)) == values);
    CHECK(exec.copy(std::vector<double>{}).empty());
    CHECK(host.copy(exec.copy(std::vector<double>{})).empty());
    CHECK(exec.load(a.data() + 1) == -2);
}

TEST_CASE_TEMPLATE("a buffer outlives its executor", Fixture, COPPICE_TEST_EXECUTORS) {
    buffer<int> b;
    {
        auto const exec = Fixture::exec();
        b = exec.copy(std::vector<int>{1, 2, 3});
    }
    CHECK(to_vector(host_executor{1}, host_executor{1}.copy(b)) == std::vector<int>{1, 2, 3});
}

TEST_CASE_TEMPLATE("sizes that no buffer has", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    CHECK_THROWS_WITH_AS(buffer<int>(exec, -1), "buffer size is negative: -1", argument_error);
    CHECK_THROWS_AS(buffer<double>(exec, std::numeric_limits<std::int64_t>::max()), overflow_error);
    CHECK_THROWS_AS(buffer<double>(exec, std::numeric_limits<std::int64_t>::max() / 8 + 1), overflow_error);
    CHECK_THROWS_AS(buffer<char>(exec, std::int64_t{1} << 62), memory_error); // fits the type, not the machine
    CHECK(buffer<int>(exec, 0).data() == nullptr);
}

#if !defined(COPPICE_TEST_CUDA)

TEST_CASE("a default buffer is empty and on the host") {
    buffer<int> const b;
    CHECK(b.size() == 0);
    CHECK(b.on_host());
    CHECK(b.begin() == b.end());
}

TEST_CASE("host memory is aligned for every vector unit") {
    for (std::int64_t const n : {1, 3, 1000})
        CHECK(reinterpret_cast<std::uintptr_t>(buffer<char>(host_executor{1}, n).data()) % 64 == 0);
}

TEST_CASE("a slice is a window") {
    std::vector<int> v{0, 1, 2, 3, 4};
    array_view<int> const all{v.data(), 5};
    auto const middle = all.slice(1, 3);
    middle[0] = 10;
    CHECK(v == std::vector<int>{0, 10, 2, 3, 4});
    CHECK(middle.size() == 3);
    CHECK(all.slice(5, 0).empty());
}

TEST_CASE("a refused allocation leaves nothing behind") {
    auto const memory = std::make_shared<failing_memory>(1);
    host_executor const exec(1, memory);
    CHECK(exec.memory() == memory);
    {
        buffer<int> const first(exec, 10);
        CHECK(memory->held_bytes() == 40);
        CHECK_THROWS_AS(buffer<int>(exec, 10), memory_error);
    }
    CHECK(memory->held_bytes() == 0);
}

TEST_CASE("primitives pass on every refused allocation") {
    std::int64_t const n = 20000;
    auto const allocations = every_allocation_fails_once(2, [&](host_executor const& exec) {
        buffer<std::int64_t> keys(exec, n), values(exec, n);
        for_each(exec, n, [&](std::int64_t i) { keys[i] = -i, values[i] = i; });
        sort_by_key(exec, keys.view(), values.view());
        auto const copy = exec.copy(values);
        CHECK(copy[0] == n - 1);
        CHECK(copy[n - 1] == 0);
    });
    CHECK(allocations == 5); // two buffers, two of the sort, the copy
}

#endif
