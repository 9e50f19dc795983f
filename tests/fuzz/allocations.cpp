// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/allocations.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include <malloc.h>

namespace coppice::fuzz {
namespace {

std::atomic<std::int64_t> held{0}, peak{0}, made{0}, first_failure{0};
std::atomic<failures> failing{failures::none};

#if COPPICE_COUNTED_MALLOC
bool fails() {
    auto const which = failing.load(std::memory_order_relaxed);
    if (which == failures::none) return false;
    auto const number = made.fetch_add(1, std::memory_order_relaxed);
    return which == failures::one ? number == first_failure : number >= first_failure;
}
void* counted(void* p) {
    if (!p) return p;
    auto const now = held += static_cast<std::int64_t>(malloc_usable_size(p));
    for (std::int64_t highest = peak; highest < now && !peak.compare_exchange_weak(highest, now);) {
    }
    return p;
}
void uncount(void* p) {
    if (p) held -= static_cast<std::int64_t>(malloc_usable_size(p));
}
void* refuse() {
    errno = ENOMEM;
    return nullptr;
}
#endif

} // namespace

void fail_allocations(failures which, std::int64_t first) {
    failing = failures::none;
    made = 0;
    first_failure = first;
    failing = which;
}
std::int64_t allocations() { return made; }
std::int64_t held_bytes() { return held; }
std::int64_t peak_bytes() { return peak; }
void reset_peak() { peak = held.load(); }

} // namespace coppice::fuzz

#if COPPICE_COUNTED_MALLOC
namespace fuzz = coppice::fuzz;

extern "C" {
// The allocator of glibc behind malloc.
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t bytes) { return fuzz::fails() ? fuzz::refuse() : fuzz::counted(__libc_malloc(bytes)); }
void* calloc(std::size_t count, std::size_t bytes) {
    return fuzz::fails() ? fuzz::refuse() : fuzz::counted(__libc_calloc(count, bytes));
}
void* realloc(void* old, std::size_t bytes) {
    if (fuzz::fails()) return fuzz::refuse();
    auto const before = old ? static_cast<std::int64_t>(malloc_usable_size(old)) : 0;
    void* const p = __libc_realloc(old, bytes);
    if (p || bytes == 0) fuzz::held -= before;
    return fuzz::counted(p);
}
void free(void* p) {
    fuzz::uncount(p);
    __libc_free(p);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return fuzz::fails() ? fuzz::refuse() : fuzz::counted(__libc_memalign(alignment, bytes));
}
void* memalign(std::size_t alignment, std::size_t bytes) { return aligned_alloc(alignment, bytes); }
int posix_memalign(void** p, std::size_t alignment, std::size_t bytes) {
    *p = aligned_alloc(alignment, bytes);
    return *p ? 0 : ENOMEM;
}
}
#endif
