// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Host memory whose n-th allocation fails, and that records the current and the maximum number of bytes held, and the
/// number of blocks after whose end something was written.
///
/// every_allocation_fails_once(threads, work) runs work(exec) repeatedly. It fails the first allocation, then the
/// second, ... until work succeeds. Each failure must be reported as memory_error and leak nothing.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>

#include <coppice/core/executor.hpp>

namespace coppice::test {

class failing_memory final : public memory_resource {
public:
    /// Allocation number `fail_at` (from 0) throws memory_error; a negative number never fails.
    explicit failing_memory(std::int64_t fail_at = -1) : fail_at_(fail_at) {}

    void* allocate(std::size_t bytes) override {
        if (allocations_.fetch_add(1) == fail_at_) throw memory_error("allocation refused by the test");
        void* const p = host_memory()->allocate(bytes + tail);
        std::memset(p, 0xcd, bytes); // so that no code can rely on zeroed memory
        std::memset(static_cast<unsigned char*>(p) + bytes, tail_byte, tail);
        std::int64_t const held = held_bytes_ += static_cast<std::int64_t>(bytes);
        for (std::int64_t max_held = peak_bytes_;
             max_held < held && !peak_bytes_.compare_exchange_weak(max_held, held);) {
        }
        return p;
    }
    void deallocate(void* pointer, std::size_t bytes) noexcept override {
        held_bytes_ -= static_cast<std::int64_t>(bytes);
        auto const* const end = static_cast<unsigned char const*>(pointer) + bytes;
        if (std::any_of(end, end + tail, [](unsigned char byte) { return byte != tail_byte; })) ++overwritten_;
        host_memory()->deallocate(pointer, bytes + tail);
    }
    memory_space space() const noexcept override { return memory_space::host; }
    void read(void const* from, void* host_to, std::size_t bytes) override { std::memmove(host_to, from, bytes); }

    std::int64_t allocations() const { return allocations_; }
    std::int64_t held_bytes() const { return held_bytes_; }
    std::int64_t peak_bytes() const { return peak_bytes_; }
    /// Number of freed blocks whose first bytes after the end have changed.
    std::int64_t overwritten() const { return overwritten_; }

private:
    static constexpr std::size_t tail = 64;
    static constexpr unsigned char tail_byte = 0xa5;

    std::int64_t fail_at_;
    std::atomic<std::int64_t> allocations_{0}, held_bytes_{0}, peak_bytes_{0}, overwritten_{0};
};

/// Returns the number of allocations that `work` makes.
template <class Work>
std::int64_t every_allocation_fails_once(int threads, Work const& work) {
    for (std::int64_t fail_at = 0;; ++fail_at) {
        auto const memory = std::make_shared<failing_memory>(fail_at);
        host_executor const exec(threads, memory);
        bool refused = false;
        try {
            work(exec);
        } catch (memory_error const&) {
            refused = true;
        }
        REQUIRE(memory->held_bytes() == 0);
        REQUIRE(memory->overwritten() == 0);
        bool const reached = memory->allocations() > fail_at;
        REQUIRE(refused == reached); // a failed allocation is never ignored
        if (!reached) return fail_at;
    }
}

} // namespace coppice::test
