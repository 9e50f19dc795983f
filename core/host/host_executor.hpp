// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The executor that works on the cores of this machine.
#pragma once

#include <cstring>
#include <memory>

#include <tbb/task_arena.h>

#include <coppice/core/memory.hpp>

namespace coppice {

class cuda_executor;

/// Memory of the host, aligned to 64 bytes.
std::shared_ptr<memory_resource> host_memory();

/// Runs work on `threads` cores inside a oneTBB task arena of its own; there is no global state.
///
/// A cheap handle: copies share the arena. Operations on it have finished when they return.
class host_executor {
public:
    /// `threads` workers; 0 takes all cores. Throws argument_error for a negative number.
    explicit host_executor(int threads = 0);
    /// The same with memory of the caller's own for all buffers; argument_error unless `memory` is host memory.
    host_executor(int threads, std::shared_ptr<memory_resource> memory);

    int threads() const { return threads_; }
    std::shared_ptr<memory_resource> const& memory() const { return memory_; }

    /// Calls `work()` inside the arena, so that oneTBB algorithms in it use its threads.
    template <class Work>
    void run(Work&& work) const {
        arena_->execute(std::forward<Work>(work));
    }

    using range_task = void (*)(void const* context, std::int64_t first, std::int64_t last);

    /// Calls task(context, first, last) for ranges that together are [0, n), in parallel, and returns when all are
    /// done; an exception of a task reaches the caller. One thread, and the caller of one item, does it without the
    /// arena. What the primitives in core/host/parallel_host.hpp stand on.
    void for_ranges(std::int64_t n, range_task task, void const* context) const;

    /// Nothing to wait for on the host; here so that generic code can call it.
    void synchronize() const {}

    /// Copies `count` elements between two places in host memory.
    template <class T>
    void copy_elements(T const* from, T* to, std::int64_t count) const {
        if (count > 0) copy_bytes(from, to, static_cast<std::size_t>(count) * sizeof(T));
    }

    /// The element at `pointer`.
    template <class T>
    T load(T const* pointer) const {
        return *pointer;
    }

    /// A copy of `thing` (buffer, csr, ...) in this executor's memory, wherever it lives now.
    template <class Thing>
    auto copy(Thing const& thing) const {
        return copy_of(*this, thing);
    }

private:
    void copy_bytes(void const* from, void* to, std::size_t bytes) const;

    int threads_;
    std::shared_ptr<tbb::task_arena> arena_;
    std::shared_ptr<memory_resource> memory_;
};

} // namespace coppice
