// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Threads that do not start, as under a limit of the user: a pthread_create of this program, which stands before that
/// of the C library. For one source of a program; sanitizers have theirs, and see no failures.
#pragma once

#include <atomic>
#include <cerrno>

#include <dlfcn.h>
#include <pthread.h>

#include "support/sanitized.hpp"

namespace coppice::test {

/// Threads that still start; negative: all.
inline std::atomic<int> threads_left = -1;

/// While this lives, `left` threads start and no more.
class failing_threads {
public:
    explicit failing_threads(int left) { threads_left = left; }
    ~failing_threads() { threads_left = -1; }
    failing_threads(failing_threads const&) = delete;
    failing_threads& operator=(failing_threads const&) = delete;
};

} // namespace coppice::test

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" __attribute__((visibility("default"))) int
pthread_create(pthread_t* thread, pthread_attr_t const* attributes, void* (*start)(void*), void* argument) noexcept {
    using create = int (*)(pthread_t*, pthread_attr_t const*, void* (*)(void*), void*);
    static auto const of_the_system = reinterpret_cast<create>(dlsym(RTLD_NEXT, "pthread_create"));
    int left = coppice::test::threads_left;
    while (left > 0 && !coppice::test::threads_left.compare_exchange_weak(left, left - 1)) {
    }
    return left == 0 ? EAGAIN : of_the_system(thread, attributes, start, argument);
}
#endif
