// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/host/host_arena.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <tbb/parallel_invoke.h>

#include <coppice/core/host/threads_of_process.hpp>

namespace coppice::inline v0_1 {
namespace {

int checked_threads(int threads) {
    if (threads < 0) throw argument_error("number of threads is negative: " + std::to_string(threads));
    if (threads > host_executor::max_threads)
        throw argument_error("number of threads is " + std::to_string(threads) + ", expected at most " +
                             std::to_string(host_executor::max_threads));
    return threads > 0 ? threads : detail::threads_of_process::available();
}

/// The arena of an executor. It remains in a process that may not use oneTBB.
std::shared_ptr<detail::host_arena> make_arena(int threads) {
    // More workers than cores do not reduce the time, and oneTBB would print a warning.
    int const workers = threads == 1 ? 1 : std::min(threads, detail::threads_of_process::available());
    auto const remove = [](detail::host_arena* arena) {
        if (detail::threads_of_process::may_start()) delete arena;
    };
    return {new detail::host_arena(workers), remove};
}

std::shared_ptr<memory_resource> checked_memory(std::shared_ptr<memory_resource> memory) {
    if (!memory) throw argument_error("a host executor needs memory, not a null pointer");
    if (memory->space() != memory_space::host)
        throw argument_error("a host executor needs host memory, not device memory");
    return memory;
}

} // namespace

host_executor::host_executor(int threads) : host_executor(threads, host_memory()) {}

host_executor::host_executor(int threads, std::shared_ptr<memory_resource> memory)
    : threads_(checked_threads(threads)), arena_(make_arena(threads_)), memory_(checked_memory(std::move(memory))) {}

void host_executor::run(detail::call_reference work) const {
    if (!detail::threads_of_process::may_start()) return work();
    detail::threads_of_process::begin();
    arena_->execute(work);
}

void detail::call_both(call_reference first, call_reference second) {
    if (!threads_of_process::may_start()) {
        first();
        return second();
    }
    threads_of_process::begin();
    tbb::parallel_invoke(first, second);
}

void host_executor::copy_bytes(void const* from, void* to, std::size_t bytes) const {
    constexpr std::size_t piece = std::size_t{1} << 18;
    struct copy {
        std::byte const* from;
        std::byte* to;
        std::size_t bytes;
    } const c{static_cast<std::byte const*>(from), static_cast<std::byte*>(to), bytes};
    bool const disjoint = c.from + bytes <= c.to || c.to + bytes <= c.from;
    if (threads_ == 1 || bytes < 2 * piece || !disjoint) {
        std::memmove(to, from, bytes);
        return;
    }
    for_ranges(
        static_cast<std::int64_t>((bytes + piece - 1) / piece),
        [](void const* context, std::int64_t first, std::int64_t last) {
            auto const& [f, t, size] = *static_cast<copy const*>(context);
            std::size_t const begin = static_cast<std::size_t>(first) * piece,
                              end = std::min(static_cast<std::size_t>(last) * piece, size);
            std::memcpy(t + begin, f + begin, end - begin);
        },
        &c);
}

} // namespace coppice::inline v0_1
