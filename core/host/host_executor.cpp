// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/host/host_arena.hpp>
#include <coppice/core/host/pages.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <tbb/parallel_invoke.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace coppice::inline v0_1 {
namespace {

class aligned_host_memory final : public memory_resource {
public:
    void* allocate(std::size_t bytes) override {
        if (bytes > PTRDIFF_MAX - large_page) throw allocation_failure(bytes);
        std::size_t const size = rounded(bytes);
        bool const large = bytes >= min_for_large_pages;
        void* const p = std::aligned_alloc(large ? large_page : alignment, size);
        if (!p) throw allocation_failure(bytes);
        if (large) ask_for_large_pages(p, size);
        return p;
    }
    // Ignores the size: released or shrunk arrays are freed with another size than they were allocated with.
    void deallocate(void* pointer, std::size_t) noexcept override { std::free(pointer); }
    memory_space space() const noexcept override { return memory_space::host; }
    void read(void const* from, void* host_to, std::size_t bytes) override { std::memmove(host_to, from, bytes); }
#if defined(__linux__)
    bool can_shrink() const noexcept override { return true; }
    // An array of up to 32 MiB keeps its memory if at least half of it stays in use. Arrays of this size are allocated
    // often, and the system would clear every new page, which takes longer than the computations on it.
    void shrink(void* pointer, std::size_t bytes, std::size_t new_bytes) noexcept override {
        if (bytes <= std::size_t{32} << 20 && new_bytes >= bytes / 2) return;
        constexpr std::size_t page =
            4096; // smallest page size; with larger pages madvise() rejects unaligned ranges, which is harmless
        auto const start = reinterpret_cast<std::uintptr_t>(pointer);
        std::uintptr_t const first = (start + new_bytes + page - 1) / page * page, last = (start + bytes) / page * page;
        if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
    }
#endif

private:
    // Requests pages of 2 MiB for large arrays. Their first access then takes a quarter of the time, with fewer page
    // table walks. Sizes are rounded up to whole pages, since half a page in small pages takes longer than ten whole
    // large pages. The system may reject the request, which is harmless.
    static constexpr std::size_t large_page = std::size_t{1} << 21, min_for_large_pages = 2 * large_page;

    static constexpr std::size_t alignment = 64;

    static std::size_t rounded(std::size_t bytes) {
        std::size_t const granularity = bytes >= min_for_large_pages ? large_page : alignment;
        return std::max((bytes + granularity - 1) / granularity, std::size_t{1}) * granularity;
    }
    static memory_error allocation_failure(std::size_t bytes) {
        return memory_error("cannot allocate " + std::to_string(bytes) + " bytes of host memory");
    }
    static void ask_for_large_pages([[maybe_unused]] void* start, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
        ::madvise(start, bytes, MADV_HUGEPAGE);
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
    if (memory->space() != memory_space::host)
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
      // More workers than cores do not reduce the time, and oneTBB would print a warning.
      arena_(std::make_shared<detail::host_arena>(std::min(threads_, tbb::this_task_arena::max_concurrency()))),
      memory_(checked_memory(std::move(memory))) {}

void host_executor::run(detail::call_reference work) const { arena_->execute(work); }

void detail::populate_pages([[maybe_unused]] void* pointer, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MADV_POPULATE_WRITE)          // older kernels reject the request, which is harmless
    constexpr std::uintptr_t page = 4096; // smallest page size; with larger pages unaligned requests are rejected
    auto const start = reinterpret_cast<std::uintptr_t>(pointer);
    std::uintptr_t const first = (start + page - 1) / page * page, last = (start + bytes) / page * page;
    if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);
#endif
}

void detail::call_both(call_reference first, call_reference second) { tbb::parallel_invoke(first, second); }

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
