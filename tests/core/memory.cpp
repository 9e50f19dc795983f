// SPDX-License-Identifier: BSD-3-Clause
// Buffers and views: ownership, invalid sizes, failing allocations.
#include <coppice/core/memory.hpp>

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <coppice/memory.hpp>
#include <coppice/version.h>

#include "support/executors.hpp"
#include "support/failing_memory.hpp"
#include "support/sanitized.hpp"
#include <coppice/core/host/fork_mutex.hpp>
#include <coppice/core/host/pages.hpp>
#include <coppice/core/parallel.hpp>

using namespace coppice;
using coppice::test::every_allocation_fails_once;
using coppice::test::failing_memory;
using coppice::test::on_cuda;

static_assert(std::is_nothrow_move_constructible_v<buffer<int>> && std::is_nothrow_move_assignable_v<buffer<int>>);
static_assert(std::is_trivially_copyable_v<array_view<double>>);
static_assert(std::is_convertible_v<array_view<int>, array_view<int const>>);
static_assert(!std::is_convertible_v<array_view<int const>, array_view<int>>);
// Contiguous ranges of the same element type convert to views; temporary ones to read-only views only.
static_assert(std::is_convertible_v<std::vector<int>&, array_view<int>>);
static_assert(std::is_convertible_v<std::vector<int> const&, array_view<int const>>);
static_assert(std::is_convertible_v<std::span<int, 3>, array_view<int>>);
static_assert(std::is_convertible_v<int (&)[3], array_view<int const>>);
static_assert(std::is_convertible_v<buffer<int>&, array_view<int>>);
static_assert(std::is_convertible_v<std::vector<int>, array_view<int const>>);
static_assert(!std::is_convertible_v<std::vector<int>, array_view<int>>);
static_assert(!std::is_convertible_v<std::vector<int> const&, array_view<int>>);
static_assert(!std::is_convertible_v<buffer<int> const&, array_view<int>>);
static_assert(!std::is_convertible_v<std::vector<long>&, array_view<int const>>);
static_assert(!std::is_convertible_v<std::vector<bool>&, array_view<bool>>);
static_assert(!std::is_convertible_v<std::list<int>&, array_view<int>>);

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
    CHECK_THROWS_AS(buffer<char>(exec, std::int64_t{1} << 62),
                    memory_error); // fits the type, but exceeds the memory of the machine
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

TEST_CASE("a failed allocation leaks nothing") {
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

TEST_CASE("primitives report every failed allocation") {
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

TEST_CASE_TEMPLATE("vectors, spans and arrays convert to views and are copied", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::vector<int> values{3, 1, 4, 1, 5};
    array_view view(values);
    static_assert(std::is_same_v<decltype(view), array_view<int>>);
    CHECK(view.data() == values.data());
    CHECK(view.size() == 5);
    array_view<int const> const substring = std::span(values).subspan(1, 3);
    CHECK(substring.size() == 3);
    CHECK(substring[1] == 4);
    CHECK(to_vector(exec, exec.copy(std::span(values).first(2))) == std::vector{3, 1});
    CHECK(to_vector(exec, exec.copy(std::array{7, 8})) == std::vector{7, 8});
    buffer<int> const owned = exec.copy(values);
    array_view const seen(owned);
    static_assert(std::is_same_v<decltype(seen), array_view<int const> const>);
    CHECK(seen.data() == owned.data());
}

TEST_CASE("memory resources of std::pmr serve executors, and those of executors std::pmr") {
    /// Counts the allocated bytes.
    struct counting final : std::pmr::memory_resource {
        std::size_t held = 0;
        bool refuse = false;
        void* do_allocate(std::size_t bytes, std::size_t alignment) override {
            if (refuse) throw std::bad_alloc();
            held += bytes;
            return std::pmr::new_delete_resource()->allocate(bytes, alignment);
        }
        void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
            held -= bytes;
            std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
        }
        bool do_is_equal(std::pmr::memory_resource const& other) const noexcept override { return this == &other; }
    } upstream;
    {
        host_executor const exec(1, std::make_shared<pmr_memory>(&upstream));
        buffer<double> const a(exec, 100);
        CHECK(upstream.held == 800);
        CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 64 == 0);
        upstream.refuse = true;
        CHECK_THROWS_AS(buffer<double>(exec, 1), memory_error);
        upstream.refuse = false;
    }
    CHECK(upstream.held == 0);
    CHECK_THROWS_AS(pmr_memory(nullptr), argument_error);

    auto const counted = std::make_shared<failing_memory>();
    executor_memory_resource memory(counted), same(counted), other(host_memory());
    {
        std::pmr::vector<std::int64_t> v(50, 7, &memory);
        CHECK(counted->held_bytes() == 400);
        CHECK(v.back() == 7);
    }
    CHECK(counted->held_bytes() == 0);
    CHECK(memory == same);
    CHECK(!(memory == other));
    CHECK(!memory.is_equal(*std::pmr::new_delete_resource()));
    void* const nothing = memory.allocate(0, 8); // not null, and unique
    CHECK(nothing != nullptr);
    memory.deallocate(nothing, 0, 8);
    CHECK(counted->held_bytes() == 0);
    executor_memory_resource exhausted(std::make_shared<failing_memory>(0));
    CHECK_THROWS_AS(std::pmr::vector<int>(5, &exhausted), std::bad_alloc);
    CHECK_THROWS_AS(static_cast<void>(memory.allocate(8, 4096)), std::bad_alloc);
    CHECK_THROWS_AS(executor_memory_resource(nullptr), argument_error);
}

TEST_CASE("blocks of a resource that are null or not aligned are rejected and freed") {
    /// Blocks at a distance from aligned addresses; null at a negative one.
    struct shifted_memory final : memory_resource {
        std::ptrdiff_t distance;
        int held = 0;
        alignas(64) std::byte block[256];
        explicit shifted_memory(std::ptrdiff_t d) : distance(d) {}
        void* allocate(std::size_t) override {
            if (distance < 0) return nullptr;
            ++held;
            return block + distance;
        }
        void deallocate(void*, std::size_t) noexcept override { --held; }
        memory_space space() const noexcept override { return memory_space::host; }
        void read(void const* from, void* to, std::size_t bytes) override { std::memcpy(to, from, bytes); }
    };
    for (std::ptrdiff_t const distance : {1, 16, 32}) { // malloc() aligns to 16 bytes
        auto const shifted = std::make_shared<shifted_memory>(distance);
        CHECK_THROWS_WITH_AS((buffer<std::byte>(shifted, 8)),
                             "a memory resource returned a block that is not aligned to 64 bytes", argument_error);
        CHECK(shifted->held == 0);
        CHECK(buffer<double>(shifted, 0).empty());
    }
    CHECK_THROWS_AS((buffer<double>(std::make_shared<shifted_memory>(-1), 8)), memory_error);
    auto const aligned = std::make_shared<shifted_memory>(64);
    CHECK(buffer<double>(aligned, 8).size() == 8);
    CHECK(aligned->held == 0);
}

TEST_CASE("every resource reads its memory, and an executor of the host copies buffers of a device by read()") {
    /// A "device" in host memory that counts the bytes read from it.
    struct counted_device final : memory_resource {
        std::size_t read_bytes = 0;
        void* allocate(std::size_t bytes) override { return std::aligned_alloc(64, (bytes + 63) / 64 * 64); }
        void deallocate(void* p, std::size_t) noexcept override { std::free(p); }
        memory_space space() const noexcept override { return memory_space::device; }
        void read(void const* from, void* to, std::size_t bytes) override {
            read_bytes += bytes;
            std::memcpy(to, from, bytes);
        }
    };
    host_executor const exec(1);
    auto const device = std::make_shared<counted_device>();
    buffer<int> there(device, 3);
    for (int k = 0; k < 3; ++k) there[k] = 5 - k;
    CHECK_FALSE(there.on_host());
    CHECK(to_vector(exec, exec.copy(there)) == std::vector<int>{5, 4, 3});
    CHECK(device->read_bytes == 12);
    CHECK(exec.copy(buffer<int>(device, 0)).empty());
    CHECK(device->read_bytes == 12);
    for (auto const& memory : {exec.memory(), std::shared_ptr<memory_resource>(
                                                  std::make_shared<pmr_memory>(std::pmr::new_delete_resource()))}) {
        buffer<int> from(memory, 2);
        from[0] = 8, from[1] = 9;
        int to[2] = {};
        memory->read(from.data(), to, sizeof to);
        CHECK((to[0] == 8 && to[1] == 9));
    }
}

TEST_CASE("views with a null pointer: empty ones are accepted, others are errors with their length") {
    array_view<int const> const none(nullptr, 0), lost(nullptr, 3);
    CHECK_NOTHROW(require_elements("x", none));
    CHECK_NOTHROW(require_size("x", none, 0));
    CHECK_THROWS_WITH_AS(require_size("x", lost, 3), "x: a null pointer, expected 3 elements", argument_error);
    CHECK_THROWS_WITH_AS(require_size("x", lost, 4), "x: got 3, expected 4", dimension_error);
}

TEST_CASE("a buffer that shrinks keeps its first elements") {
    host_executor const exec(1);
    for (std::int64_t const size : {10, 1 << 16, 5 << 20}) // small, of small pages, of large ones
        for (std::int64_t const selected : {size, size - 1, size / 3, std::int64_t{1}, std::int64_t{0}}) {
            buffer<std::int64_t> b(exec, size);
            for (std::int64_t i = 0; i < size; ++i) b[i] = 3 * i + 1;
            auto const* const start = b.data();
            b.shrink(selected);
            REQUIRE(b.size() == selected);
            CHECK(b.data() == start);
            bool same = true;
            for (std::int64_t i = 0; i < selected; ++i) same = same && b[i] == 3 * i + 1;
            CHECK(same);
        }
}

TEST_CASE("large arrays start at different offsets in a page, and their memory is used again") {
    constexpr std::size_t page = 4096;
    auto const memory = host_memory();
    for (std::size_t const bytes : {std::size_t(1) << 16, (std::size_t(5) << 20) + 24}) {
        CAPTURE(bytes);
        std::vector<void*> arrays;
        std::set<std::uintptr_t> offsets;
        for (int k = 0; k < 16; ++k) {
            auto* const array = static_cast<unsigned char*>(memory->allocate(bytes));
            arrays.push_back(array);
            offsets.insert(reinterpret_cast<std::uintptr_t>(array) % page);
            CHECK(reinterpret_cast<std::uintptr_t>(array) % 64 == 0);
            std::memset(array, k, bytes);
        }
        if (!test::sanitized) CHECK(offsets.size() == arrays.size());
        for (std::size_t k = 0; k < arrays.size(); ++k) {
            auto const* const array = static_cast<unsigned char const*>(arrays[k]);
            CHECK(std::all_of(array, array + bytes, [&](unsigned char value) { return value == k; }));
        }
        // One is shrunk, which gives its pages back.
        memory->shrink(arrays[3], bytes, 100);
        CHECK(static_cast<unsigned char const*>(arrays[3])[99] == 3);
        for (void* const array : arrays) memory->deallocate(array, bytes);
        std::vector<void*> again;
        for (std::size_t k = 0; k < arrays.size(); ++k) again.push_back(memory->allocate(bytes));
        auto const blocks = [](std::vector<void*> const& of_arrays) {
            std::set<std::uintptr_t> starts;
            for (void* const array : of_arrays) starts.insert(reinterpret_cast<std::uintptr_t>(array) / page);
            return starts;
        };
        char const* const pool = std::getenv("COPPICE_HOST_POOL");
        bool const fits = bytes >= (4 << 20) && std::int64_t(arrays.size() * bytes) < detail::memory_of_machine() / 32;
        if (fits && !test::sanitized && !(pool && std::string_view(pool) == "0"))
            CHECK(blocks(again) == blocks(arrays));
        for (void* const array : again) {
            std::memset(array, 1, bytes);
            memory->deallocate(array, bytes);
        }
    }
}

TEST_CASE("threads allocate and free large arrays") {
    auto const memory = host_memory();
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            std::vector<std::pair<int*, std::size_t>> mine;
            for (int k = 0; k < 200; ++k) {
                std::size_t const bytes = (std::size_t(4) << 20) + std::size_t(k % 3) * 64;
                auto* const array = static_cast<int*>(memory->allocate(bytes));
                array[0] = array[bytes / sizeof(int) - 1] = t * 1000 + k;
                mine.emplace_back(array, bytes);
                auto const& [first, size] = mine[mine.size() / 2];
                wrong += first[0] != first[size / sizeof(int) - 1] || first[0] / 1000 != t;
                if (k % 4 == 3)
                    for (; mine.size() > 1; mine.pop_back()) memory->deallocate(mine.back().first, mine.back().second);
            }
            for (auto const& [array, size] : mine) memory->deallocate(array, size);
        });
    for (auto& thread : threads) thread.join();
    CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("elements are copied for any count, also if both ranges overlap", Fixture,
                   coppice::test::on_threads) {
    auto const exec = Fixture::exec();
    for (std::int64_t const n : {1, 65535, 65536, 65537, 131071, 500001}) {
        std::vector<std::int64_t> from(static_cast<std::size_t>(n) + 9);
        for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::int64_t>(i * i);
        std::vector<std::int64_t> to(from.size(), -1);
        exec.copy_elements(from.data() + 3, to.data(), n);
        CHECK(std::equal(to.begin(), to.begin() + n, from.begin() + 3));
        CHECK(to[static_cast<std::size_t>(n)] == -1);
        auto expected = from;
        std::copy_backward(expected.begin(), expected.begin() + n, expected.begin() + n + 9);
        exec.copy_elements(from.data(), from.data() + 9, n);
        CHECK(from == expected);
    }
}

TEST_CASE("the version can be compared by the preprocessor and is that of its text") {
    static_assert(COPPICE_VERSION >= COPPICE_MAKE_VERSION(0, 1, 0) && COPPICE_VERSION < COPPICE_MAKE_VERSION(1, 0, 0));
    std::string const text = std::to_string(COPPICE_VERSION_MAJOR) + '.' + std::to_string(COPPICE_VERSION_MINOR) + '.' +
                             std::to_string(COPPICE_VERSION_PATCH);
    CHECK(text == COPPICE_VERSION_STRING);
}

TEST_CASE("memory: no lock of another thread is held in a forked process") {
    auto const in_child = [](auto const& work) { // exit code of a new process
        pid_t const child = ::fork();
        if (child == 0) {
            ::alarm(60); // ends a process that waits forever
            ::_exit(work());
        }
        int status = -1;
        CHECK(::waitpid(child, &status, 0) == child);
        return status;
    };
    detail::fork_mutex mutex;
    std::atomic<bool> held = false;
    std::thread holder([&] {
        std::lock_guard const lock(mutex);
        held = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    });
    while (!held) std::this_thread::yield();
    CHECK(in_child([&] { return mutex.try_lock() ? 0 : 1; }) == 0);
    holder.join();
    CHECK(mutex.try_lock());
    mutex.unlock();

#if !defined(__SANITIZE_ADDRESS__) // fork() does not wait for the allocator of the sanitizer of GCC 12
    // Large blocks are saved in a list that all threads share, and loops use oneTBB. The test `fork` runs this case
    // alone: then the first forks meet the first use of the library.
    for (int const threads : {1, 2}) {
        auto const use = [](int n) {
            host_executor const exec(n);
            buffer<char> const block(exec, 1 << 23);
            std::atomic<std::int64_t> sum = 0;
            for_each(exec, 1000, [&](std::int64_t i) { sum += i; });
            exec.run([&] { detail::call_both([&] { ++sum; }, [&] { ++sum; }); });
            return sum == 499502 ? 0 : 1;
        };
        std::atomic<bool> stop = false;
        std::thread user([&] {
            while (!stop) use(threads);
        });
        for (int i = 0; i < 20; ++i) CHECK(in_child([&] { return use(1 + i % 3); }) == 0);
        stop = true;
        user.join();
    }
#endif
}
