// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/host/host_executor.hpp>
#include <coppice/core/host/pages.hpp>

#include <algorithm>
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
#include <malloc.h>
#include <sys/mman.h>
#endif

#include <coppice/core/block_cache.hpp>
#include <coppice/core/setting.hpp>

namespace coppice::inline v0_1 {
namespace {

constexpr std::size_t cache_line = 64, small_page = 4096, large_page = std::size_t{1} << 21;

/// Arrays of at least 4 MiB.
///
/// They have pages of 2 MiB, whose first access takes a quarter of the time, with fewer page table walks. The system
/// may reject the request, which is harmless.
///
/// Each array starts at another offset in its first page. Otherwise, loops over several arrays access addresses at
/// equal distances of whole pages. These share a set of the cache, and processors compare the lower 12 bits of loads
/// and earlier stores first: an iteration of PageRank on a grid of 4096² took four times as long on an Intel Xeon.
///
/// Freed blocks are used again for arrays of equal size: the system clears every new page, by one thread for each page,
/// which took half of the time of a search in parallel. The system may take the pages of freed blocks if it runs out of
/// memory. COPPICE_HOST_POOL=0 in the environment lets the system allocate and free each array, for tools that find
/// accesses to freed memory.
class large_arrays {
public:
    static constexpr std::size_t min_bytes = 2 * large_page;

    ~large_arrays() { cache_.clear(&free_block); }

    /// Null if there is no memory.
    void* allocate(std::size_t bytes) {
        std::size_t const size = block_size(bytes);
        if (void* const old = take(size)) return old;
        void* start = aligned_block(size);
        if (!start && clear()) start = aligned_block(size);
        if (!start) return nullptr;
        std::lock_guard const lock(mutex_);
        auto* const array = static_cast<std::byte*>(start) + next_offset();
        if (cache_.add(array, size)) return array;
        std::free(start);
        return nullptr;
    }
    /// Returns whether the pointer was one of these arrays.
    bool deallocate(void* array) noexcept {
        if (!may_be_one(array)) return false;
        {
            std::lock_guard const lock(mutex_);
            if (!cache_.uses(array)) return false;
        }
        release_pages(array);
        std::lock_guard const lock(mutex_);
        if (cache_.give_back(array)) return true;
        cache_.clear(&free_block); // sizes that are not used any more
        free_block(array);
        return true;
    }
    bool clear() {
        std::lock_guard const lock(mutex_);
        bool const any = cache_.cached_bytes() > 0;
        cache_.clear(&free_block);
        return any;
    }

private:
    /// The last offset is that of the last line of a small page but one.
    static constexpr std::size_t offsets = small_page / cache_line - 2;
    static constexpr std::size_t max_offset = offsets * cache_line;

    static bool may_be_one(void* array) {
        std::size_t const offset = reinterpret_cast<std::uintptr_t>(array) % large_page;
        return offset > 0 && offset <= max_offset && offset % cache_line == 0;
    }
    static std::byte* start_of(void* array) {
        return static_cast<std::byte*>(array) - reinterpret_cast<std::uintptr_t>(array) % large_page;
    }
    static void free_block(void* array) { std::free(start_of(array)); }
    /// Size of the block of an array, with an offset: in small pages at the end if they are few, else in large pages:
    /// half a page in small pages takes longer than ten whole large pages.
    static std::size_t block_size(std::size_t bytes) {
        std::size_t const size = bytes + small_page, rest = size % large_page;
        std::size_t const page = rest <= large_page / 16 ? small_page : large_page;
        return (size + page - 1) / page * page;
    }
    static void* aligned_block(std::size_t size) {
        void* start = nullptr;
        if (::posix_memalign(&start, large_page, size) != 0) return nullptr;
#if defined(__linux__)
        ::madvise(start, size / large_page * large_page, MADV_HUGEPAGE);
#endif
        return start;
    }
    /// The contents of a freed block are not needed any more. Its pages remain until the system needs them.
    void release_pages([[maybe_unused]] void* array) noexcept {
#if defined(__linux__) && defined(MADV_FREE)
        ::madvise(start_of(array), ::malloc_usable_size(start_of(array)) / large_page * large_page, MADV_FREE);
#endif
    }
    void* take(std::size_t size) {
        std::lock_guard const lock(mutex_);
        try {
            return cache_.take(size);
        } catch (std::bad_alloc const&) {
            return nullptr;
        }
    }
    /// Consecutive arrays are 23 lines apart, modulo a page: those after 2, 3, ... others are far from each other, too.
    std::size_t next_offset() {
        turn_ = (turn_ + 23) % offsets;
        return (turn_ + 1) * cache_line;
    }
    static std::size_t saved_bytes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        return 0; // so that accesses to freed memory are found
#else
        if (detail::setting("COPPICE_HOST_POOL") == "0") return 0;
        return std::size_t(detail::memory_of_machine()) / 16;
#endif
    }

    std::mutex mutex_{};
    std::size_t turn_ = 0;
    cache_budget budget_{saved_bytes()};
    block_cache cache_{budget_};
};

class aligned_host_memory final : public memory_resource {
public:
    void* allocate(std::size_t bytes) override {
        if (bytes > PTRDIFF_MAX - 2 * large_page) throw allocation_failure(bytes);
        std::size_t const size = std::max((bytes + cache_line - 1) / cache_line, std::size_t{1}) * cache_line;
        void* p = bytes >= large_arrays::min_bytes ? large_.allocate(bytes) : std::aligned_alloc(cache_line, size);
        if (!p && bytes < large_arrays::min_bytes && large_.clear()) p = std::aligned_alloc(cache_line, size);
        if (!p) throw allocation_failure(bytes);
        return p;
    }
    // Ignores the size: released or shrunk arrays are freed with another size than they were allocated with.
    void deallocate(void* pointer, std::size_t) noexcept override {
        if (!large_.deallocate(pointer)) std::free(pointer);
    }
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
        std::uintptr_t const first = (start + new_bytes + small_page - 1) / small_page * small_page,
                             last = (start + bytes) / small_page * small_page;
        if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
    }
#endif

private:
    static memory_error allocation_failure(std::size_t bytes) {
        return memory_error("cannot allocate " + std::to_string(bytes) + " bytes of host memory");
    }

    large_arrays large_{};
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

std::shared_ptr<memory_resource> host_memory() {
    static auto const memory = std::make_shared<aligned_host_memory>();
    return memory;
}

void detail::populate_pages([[maybe_unused]] void* pointer, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MADV_POPULATE_WRITE) // older kernels reject the request, which is harmless
    auto const start = reinterpret_cast<std::uintptr_t>(pointer);
    std::uintptr_t const first = (start + small_page - 1) / small_page * small_page,
                         last = (start + bytes) / small_page * small_page;
    if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);
#endif
}

std::int64_t detail::memory_of_machine() {
    auto const pages = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES));
    return std::min(pages * static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE)), group_memory());
}

} // namespace coppice::inline v0_1
