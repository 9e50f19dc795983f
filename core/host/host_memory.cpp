// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/host/fork_mutex.hpp>
#include <coppice/core/host/host_executor.hpp>
#include <coppice/core/host/pages.hpp>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include <fcntl.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <coppice/core/block_cache.hpp>
#include <coppice/core/setting.hpp>

namespace coppice::inline v0_1 {
namespace {

constexpr std::size_t cache_line = 64, small_page = 4096, large_page = std::size_t{1} << 21;

/// In the line before each array.
struct array_header {
    void* start;      ///< of the block
    std::size_t size; ///< of the block if it is saved when it is freed, else 0

    static array_header& of(void* array) {
        return *reinterpret_cast<array_header*>(static_cast<std::byte*>(array) - cache_line);
    }
    static void* make_array(void* start, std::size_t offset, std::size_t size) {
        void* const array = static_cast<std::byte*>(start) + offset;
        of(array) = {start, size};
        return array;
    }
};

/// Offset of an array in its small page, not that of the first line. Loops over several arrays that start
/// at equal distances of pages would access addresses that share a set of the cache, and processors compare the lower
/// 12 bits of loads and earlier stores first: PageRank on a grid of 4096² took four times as long on an Intel Xeon.
/// Consecutive arrays are 23 lines apart, modulo a page; those after 2, 3, ... others are far from each other, too.
std::size_t next_offset() {
    constexpr std::size_t offsets = small_page / cache_line - 1;
    static std::atomic<std::size_t> turn = 0;
    return (1 + turn.fetch_add(23, std::memory_order_relaxed) % offsets) * cache_line;
}

/// Distance from the start of a block to the first address after its first line with this offset in a small page; at
/// most a small page. Blocks of the system start at any line.
std::size_t distance_to(std::size_t offset, void const* start) {
    std::size_t const first = reinterpret_cast<std::uintptr_t>(start) + cache_line;
    return cache_line + (offset - first) % small_page;
}

std::size_t rounded_up(std::size_t bytes, std::size_t step) { return (bytes + step - 1) / step * step; }

/// The first access to large pages takes a quarter of the time, with fewer page table walks. The system may reject the
/// request, which is harmless.
void ask_for_large_pages([[maybe_unused]] void* start, [[maybe_unused]] std::size_t size) {
#if defined(__linux__)
    ::madvise(start, size / large_page * large_page, MADV_HUGEPAGE);
#endif
}

/// Blocks of several large pages.
///
/// Freed blocks are used again for equal sizes: the system clears every new page, each by one thread, which took half
/// of the time of a parallel search. It may take the pages of saved blocks when it runs out of memory.
/// COPPICE_HOST_POOL=0 in the environment lets the system allocate and free each block.
class large_blocks {
public:
    ~large_blocks() { cache_.clear(&std::free); }

    /// Size of the block of `bytes` bytes: in small pages at the end if they are few, else in large pages. Half a page
    /// in small pages takes longer than ten whole large pages.
    static std::size_t size_of(std::size_t bytes) {
        return rounded_up(bytes, bytes % large_page <= large_page / 16 ? small_page : large_page);
    }
    /// Null if there is no memory.
    void* allocate(std::size_t size) {
        if (void* const old = take(size)) return old;
        void* start = nullptr;
        if (::posix_memalign(&start, large_page, size) != 0) return nullptr;
        {
            std::lock_guard const lock(mutex_);
            if (!cache_.add(start, size)) {
                std::free(start);
                return nullptr;
            }
        }
        ask_for_large_pages(start, size);
        return start;
    }
    void deallocate(void* start, [[maybe_unused]] std::size_t size) noexcept {
#if defined(__linux__) && defined(MADV_FREE) // the contents are not needed any more
        ::madvise(start, size / large_page * large_page, MADV_FREE);
#endif
        std::lock_guard const lock(mutex_);
        if (cache_.give_back(start)) return;
        cache_.clear(&std::free); // sizes that are not used any more
        std::free(start);
    }
    /// Frees all saved blocks; returns whether there were any.
    bool clear() noexcept {
        std::lock_guard const lock(mutex_);
        bool const any = cache_.cached_bytes() > 0;
        cache_.clear(&std::free);
        return any;
    }

private:
    void* take(std::size_t size) {
        std::lock_guard const lock(mutex_);
        try {
            return cache_.take(size);
        } catch (std::bad_alloc const&) {
            return nullptr;
        }
    }
    static std::size_t saved_bytes() {
        return detail::setting("COPPICE_HOST_POOL") == "0" ? 0 : std::size_t(detail::memory_of_machine()) / 16;
    }

    detail::fork_mutex mutex_{};
    cache_budget budget_{saved_bytes()};
    block_cache cache_{budget_};
};

memory_error allocation_failure(std::size_t bytes) {
    return memory_error("cannot allocate " + std::to_string(bytes) + " bytes of host memory");
}

/// Blocks of the system.
class memory_of_system : public memory_resource {
public:
    void* allocate(std::size_t bytes) override {
        bool const large = bytes >= min_large;
        if (bytes > PTRDIFF_MAX - large_page) throw allocation_failure(bytes);
        std::size_t const step = large ? large_page : cache_line, size = std::max(rounded_up(bytes, step), step);
        void* const p = std::aligned_alloc(step, size);
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
        // With larger pages than the smallest ones madvise() rejects unaligned ranges, which is harmless.
        auto const start = reinterpret_cast<std::uintptr_t>(pointer);
        std::uintptr_t const first = rounded_up(start + new_bytes, small_page),
                             last = (start + bytes) / small_page * small_page;
        if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
    }
#endif

protected:
    static constexpr std::size_t min_large = 2 * large_page; ///< bytes of arrays in large pages
};

/// Arrays from 64 KiB on start at different offsets, and large blocks are used again.
class memory_at_offsets final : public memory_of_system {
public:
    void* allocate(std::size_t bytes) override {
        if (bytes > PTRDIFF_MAX - 2 * large_page) throw allocation_failure(bytes);
        void* array = try_allocate(bytes);
        if (!array && large_.clear()) array = try_allocate(bytes);
        if (!array) throw allocation_failure(bytes);
        return array;
    }
    void deallocate(void* pointer, std::size_t) noexcept override {
        if (!pointer) return;
        auto const [start, size] = array_header::of(pointer);
        size > 0 ? large_.deallocate(start, size) : std::free(start);
    }

private:
    static constexpr std::size_t min_shifted = std::size_t{1} << 16; ///< bytes of arrays at different offsets

    /// Null if there is no memory.
    void* try_allocate(std::size_t bytes) {
        if (bytes >= min_large) {
            std::size_t const size = large_blocks::size_of(bytes + small_page);
            void* const start = large_.allocate(size);
            return start ? array_header::make_array(start, next_offset(), size) : nullptr;
        }
        std::size_t const room = bytes >= min_shifted ? small_page : cache_line;
        void* const start = std::aligned_alloc(cache_line, rounded_up(bytes, cache_line) + room);
        if (!start) return nullptr;
        return array_header::make_array(start, room == cache_line ? room : distance_to(next_offset(), start), 0);
    }

    large_blocks large_{};
};

/// Returns the limit of the control group; INT64_MAX if there is none.
std::int64_t group_memory() {
    char digits[32];
    int const file = ::open("/sys/fs/cgroup/memory.max", O_RDONLY | O_CLOEXEC);
    if (file < 0) return INT64_MAX;
    ssize_t const got = ::read(file, digits, sizeof digits);
    ::close(file);
    std::int64_t bytes = INT64_MAX;
    if (got > 0) std::from_chars(digits, digits + got, bytes); // leaves `bytes` unchanged for the word "max"
    return bytes;
}

} // namespace

std::shared_ptr<memory_resource> system_memory() {
    static auto const memory = std::make_shared<memory_of_system>();
    return memory;
}
std::shared_ptr<memory_resource> host_memory() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return system_memory(); // so that all accesses outside of arrays and to freed ones are found
#else
    static auto const memory = std::make_shared<memory_at_offsets>();
    return memory;
#endif
}
namespace {
[[maybe_unused]] std::shared_ptr<memory_resource> const memory_at_load = (system_memory(), host_memory());
}

void detail::populate_pages([[maybe_unused]] void* pointer, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MADV_POPULATE_WRITE) // older kernels reject the request, which is harmless
    auto const start = reinterpret_cast<std::uintptr_t>(pointer);
    std::uintptr_t const first = rounded_up(start, small_page), last = (start + bytes) / small_page * small_page;
    if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);
#endif
}

std::int64_t detail::memory_of_machine() {
    auto const pages = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES));
    return std::min(pages * static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE)), group_memory());
}

} // namespace coppice::inline v0_1
