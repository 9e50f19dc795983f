// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Adapters between memory resources of the standard library (std::pmr) and of executors.
#pragma once

#include <cstring>
#include <memory>
#include <memory_resource>
#include <new>
#include <string>
#include <utility>

#include <coppice/core/memory.hpp>

namespace coppice::inline v0_1 {

/// Host memory for an executor, allocated from a std::pmr::memory_resource: host_executor exec(0,
/// std::make_shared<pmr_memory>(&pool)). The std::pmr resource must be thread-safe and must outlive all memory
/// allocated from it.
class pmr_memory final : public memory_resource {
public:
    /// Throws argument_error if `upstream` is null.
    explicit pmr_memory(std::pmr::memory_resource* upstream) : upstream_(upstream) {
        if (!upstream) throw argument_error("pmr_memory needs a memory resource, not a null pointer");
    }

    void* allocate(std::size_t bytes) override {
        try {
            return upstream_->allocate(bytes, alignment);
        } catch (std::bad_alloc const&) {
            throw memory_error("cannot allocate " + std::to_string(bytes) + " bytes of a std::pmr memory resource");
        }
    }
    void deallocate(void* pointer, std::size_t bytes) noexcept override {
        upstream_->deallocate(pointer, bytes, alignment);
    }
    memory_space space() const noexcept override { return memory_space::host; }
    void read(void const* from, void* host_to, std::size_t bytes) override { std::memmove(host_to, from, bytes); }

private:
    static constexpr std::size_t alignment = block_alignment;
    std::pmr::memory_resource* upstream_;
};

/// Adapts the host memory of an executor to containers of std::pmr: executor_memory_resource memory(exec.memory());
/// std::pmr::vector<double> v(&memory). Failures throw std::bad_alloc, as containers expect.
class executor_memory_resource final : public std::pmr::memory_resource {
public:
    /// Throws argument_error if `memory` is null or is device memory, to which containers cannot write.
    explicit executor_memory_resource(std::shared_ptr<coppice::memory_resource> memory) : memory_(std::move(memory)) {
        if (!memory_ || memory_->space() != memory_space::host)
            throw argument_error("a std::pmr memory resource needs host memory");
    }

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        if (alignment > max_alignment) throw std::bad_alloc();
        try {
            return memory_->allocate(bytes > 0 ? bytes : 1);
        } catch (memory_error const&) {
            throw std::bad_alloc();
        }
    }
    void do_deallocate(void* pointer, std::size_t bytes, std::size_t) override {
        memory_->deallocate(pointer, bytes > 0 ? bytes : 1);
    }
    bool do_is_equal(std::pmr::memory_resource const& other) const noexcept override {
        auto const* const same = dynamic_cast<executor_memory_resource const*>(&other);
        return same && same->memory_ == memory_;
    }

    static constexpr std::size_t max_alignment = block_alignment;
    std::shared_ptr<coppice::memory_resource> memory_;
};

} // namespace coppice::inline v0_1
