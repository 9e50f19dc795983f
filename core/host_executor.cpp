// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/host_executor.hpp>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace coppice {
namespace {

class aligned_host_memory final : public memory_resource {
public:
    void* allocate(std::size_t bytes) override {
        void* const p = ::operator new(bytes, alignment, std::nothrow);
        if (!p) throw memory_error("cannot allocate " + std::to_string(bytes) + " bytes of host memory");
        ask_for_large_pages(p, bytes);
        return p;
    }
    void deallocate(void* pointer, std::size_t) noexcept override { ::operator delete(pointer, alignment); }
    memory_place place() const noexcept override { return memory_place::host; }
    void read(void const* from, void* host_to, std::size_t bytes) override { std::memmove(host_to, from, bytes); }

private:
    static constexpr std::align_val_t alignment{64};

    // Where the system gives pages of 2 MiB to those who ask, large arrays are touched for the first time in a quarter
    // of the time, and more of them is at hand without a walk through page tables. It may refuse, which changes
    // nothing.
    static void ask_for_large_pages([[maybe_unused]] void* start, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
        constexpr std::size_t page = std::size_t{1} << 21;
        if (bytes < 4 * page) return;
        auto const address = reinterpret_cast<std::uintptr_t>(start);
        std::uintptr_t const first = (address + page - 1) / page * page, last = (address + bytes) / page * page;
        ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
    }
};

int checked_threads(int threads) {
    if (threads < 0) throw argument_error("number of threads is negative: " + std::to_string(threads));
    if (threads > 4096) throw argument_error("number of threads is " + std::to_string(threads) + ", at most 4096");
    return threads > 0 ? threads : tbb::this_task_arena::max_concurrency();
}

std::shared_ptr<memory_resource> checked_memory(std::shared_ptr<memory_resource> memory) {
    if (!memory) throw argument_error("a host executor needs memory, not a null pointer");
    if (memory->place() != memory_place::host)
        throw argument_error("a host executor needs host memory, not device memory");
    return memory;
}

} // namespace

std::shared_ptr<memory_resource> host_memory() {
    static auto const memory = std::make_shared<aligned_host_memory>();
    return memory;
}

host_executor::host_executor(int threads) : host_executor(threads, host_memory()) {}

host_executor::host_executor(int threads, std::shared_ptr<memory_resource> memory)
    : threads_(checked_threads(threads)),
      // More workers than cores gain nothing, and oneTBB would print a warning about them.
      arena_(std::make_shared<tbb::task_arena>(std::min(threads_, tbb::this_task_arena::max_concurrency()))),
      memory_(checked_memory(std::move(memory))) {}

} // namespace coppice
