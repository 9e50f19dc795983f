// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Executor that runs work on the cores of this machine.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include <coppice/core/memory.hpp>

namespace coppice::inline v0_1 {

class cuda_executor;

namespace detail {

/// Reference to a function object without parameters, which must outlive it.
class call_reference {
public:
    template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, call_reference>) call_reference(F&& f)
        : object_(const_cast<void*>(static_cast<void const*>(std::addressof(f)))),
          call_([](void* object) { static_cast<void>((*static_cast<std::remove_reference_t<F>*>(object))()); }) {}
    void operator()() const { call_(object_); }

private:
    void* object_;
    void (*call_)(void*);
};

/// Calls both functions, in parallel if a thread is free. For use inside host_executor::run().
void call_both(call_reference first, call_reference second);

struct host_arena; ///< a task arena of oneTBB, in host_executor.cpp: its headers double the time to compile this one

} // namespace detail

/// Returns the default host memory.
std::shared_ptr<memory_resource> host_memory();
/// Memory of the host in blocks that free() frees, for arrays that change their owner.
std::shared_ptr<memory_resource> system_memory();

/// Runs work on `threads` cores in its own oneTBB task arena; there is no global state.
///
/// A cheap handle: copies share the arena. Operations are complete when they return.
class host_executor {
public:
    static constexpr int max_threads = 4096;
    /// Uses `threads` workers; 0: all cores. Throws argument_error for a negative number and for more than max_threads.
    explicit host_executor(int threads = 0);
    /// Allocates all buffers from `memory`. Throws argument_error unless it is host memory.
    host_executor(int threads, std::shared_ptr<memory_resource> memory);

    int threads() const { return threads_; }
    std::shared_ptr<memory_resource> const& memory() const { return memory_; }

    /// Calls `work()` in the arena, so that oneTBB algorithms in it use the threads of this executor.
    void run(detail::call_reference work) const;

    using range_task = void (*)(void const* context, std::int64_t first, std::int64_t last);

    /// Calls task(context, first, last) in parallel for disjoint ranges that cover [0, n). Returns when all calls have
    /// finished. An exception of a task is rethrown to the caller. If there is one thread or n = 1, the calling thread
    /// runs the task without the arena. The primitives in core/host/parallel_host.hpp are based on this function.
    void for_ranges(std::int64_t n, range_task task, void const* context) const;

    /// Does nothing, since operations on the host are synchronous. For generic code.
    void synchronize() const {}

    /// Copies `count` elements within host memory.
    template <class T>
    void copy_elements(T const* from, T* to, std::int64_t count) const {
        if (count > 0) copy_bytes(from, to, static_cast<std::size_t>(count) * sizeof(T));
    }

    /// Returns the element at `pointer`.
    template <class T>
    T load(T const* pointer) const {
        return *pointer;
    }

    /// Copies `thing` (buffer, csr, ...) from any memory space into memory of this executor.
    template <class Thing>
    auto copy(Thing const& thing) const {
        return copy_of(*this, thing);
    }

private:
    void copy_bytes(void const* from, void* to, std::size_t bytes) const;

    int threads_;
    std::shared_ptr<detail::host_arena> arena_;
    std::shared_ptr<memory_resource> memory_;
};

} // namespace coppice::inline v0_1
