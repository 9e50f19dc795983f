// SPDX-License-Identifier: BSD-3-Clause
// Executors and errors: invalid arguments, a missing backend, content of messages.
#include <coppice/core/executor.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include <tbb/task_arena.h>

#include "support/failing_memory.hpp"
#include <coppice/core/host/isa.hpp>
#include <coppice/core/parallel.hpp>

using namespace coppice;

static_assert(executor<host_executor> && executor<cuda_executor>);
static_assert(!executor<int>);

TEST_CASE("a host executor has the threads that it was asked for") {
    CHECK(host_executor{1}.threads() == 1);
    CHECK(host_executor{3}.threads() == 3);
    CHECK(host_executor{}.threads() >= 1);
    int const cores = tbb::this_task_arena::max_concurrency();
    int seen = 0;
    host_executor{3}.run([&] { seen = tbb::this_task_arena::max_concurrency(); });
    CHECK(seen == std::min(3, cores)); // no more workers than cores
}

TEST_CASE("copies of an executor share its arena; two executors are independent") {
    host_executor const two{2}, one{1}, also_two = two;
    std::atomic<int> calls{0};
    two.run([&] { one.run([&] { CHECK(tbb::this_task_arena::max_concurrency() == 1); }); });
    for_each(two, 50000, [&](std::int64_t) { ++calls; });
    CHECK(also_two.threads() == 2);
    CHECK(calls == 50000);
}

TEST_CASE("numbers of threads that no executor has") {
    CHECK_THROWS_WITH_AS(host_executor{-1}, "number of threads is negative: -1", argument_error);
    CHECK_THROWS_AS(host_executor{1 << 20}, argument_error);
}

TEST_CASE("memory owned by the caller") {
    CHECK_THROWS_AS(host_executor(1, nullptr), argument_error);
    struct device_memory final : memory_resource {
        void* allocate(std::size_t) override { return nullptr; }
        void deallocate(void*, std::size_t) noexcept override {}
        memory_space space() const noexcept override { return memory_space::device; }
        void read(void const*, void*, std::size_t) override {}
    };
    CHECK_THROWS_AS(host_executor(1, std::make_shared<device_memory>()), argument_error);
    auto const memory = std::make_shared<test::failing_memory>();
    { buffer<int> const b(host_executor(1, memory), 4); }
    CHECK(memory->allocations() == 1);
}

TEST_CASE("a device that does not exist is a clear error") {
    int const devices = cuda_device_count();
    CHECK(devices >= 0);
    CHECK_THROWS_AS(cuda_executor{devices}, backend_error);
    CHECK_THROWS_AS(cuda_executor{-1}, backend_error);
    try {
        cuda_executor const absent{devices};
    } catch (error const& e) {
        CHECK(e.code() == error_code::backend_unavailable);
        CHECK(std::string(e.what()).find("CUDA") != std::string::npos);
    }
}

TEST_CASE("errors have their code and state what was expected") {
    try {
        require_size("right-hand side", 3, 5);
        FAIL("no error");
    } catch (error const& e) {
        CHECK(e.code() == error_code::dimension_mismatch);
        CHECK(std::string(e.what()) == "right-hand side: got 3, expected 5");
    }
    CHECK_NOTHROW(require_size("x", 4, 4));
    format_error const in_line("a.mtx", 7, "no number"), in_file("a.mtx", 0, "empty");
    CHECK(std::string(in_line.what()) == "a.mtx:7: no number");
    CHECK(std::string(in_file.what()) == "a.mtx: empty");
    CHECK(in_line.file() == "a.mtx");
    CHECK(in_line.line() == 7);
    CHECK(device_error("no").code() == error_code::device);
}

TEST_CASE("checked_cast rejects values out of range") {
    CHECK(checked_cast<std::int32_t>(2147483647, "size") == 2147483647);
    CHECK(checked_cast<std::int32_t>(-2147483648LL, "size") == -2147483647 - 1);
    CHECK_THROWS_WITH_AS(checked_cast<std::int32_t>(2147483648LL, "number of nonzeros"),
                         "number of nonzeros is 2147483648 and does not fit a 32-bit index", overflow_error);
    CHECK_THROWS_AS(checked_cast<std::uint32_t>(-1, "size"), overflow_error);
}

TEST_CASE("products and sums of sizes are exact, or an error with both numbers") {
    std::int64_t const largest = std::numeric_limits<std::int64_t>::max();
    CHECK(checked_product(3037000499, 3037000499, "bytes") == 9223372030926249001);
    CHECK(checked_product(largest, -1, "bytes") == -largest);
    CHECK_THROWS_WITH_AS(checked_product(3037000500, 3037000500, "bytes"),
                         "bytes: 3037000500 times 3037000500 does not fit 64 bits", overflow_error);
    CHECK(checked_sum(largest - 1, 1, "rows") == largest);
    CHECK_THROWS_WITH_AS(checked_sum(largest, 1, "rows"), "rows: 9223372036854775807 plus 1 does not fit 64 bits",
                         overflow_error);
}

TEST_CASE("the instruction-set level is one of the compiled ones") {
    int const level = isa_level();
    CHECK((level == 1 || level == 3 || level == 4));
}
