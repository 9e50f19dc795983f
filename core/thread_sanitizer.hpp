// SPDX-License-Identifier: BSD-3-Clause
/// \file Tells the thread sanitizer how a parallel loop orders its workers.
///
/// oneTBB is not built with the sanitizer, so the sanitizer sees neither that the caller's writes come before a task
/// runs nor that a finished loop comes after its tasks. Outside a build with -fsanitize=thread all of this is empty.
#pragma once

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace coppice::detail {

/// The fork and the join of one loop: open() in the caller, enter() and leave() around each task, close() in the
/// caller.
class fork_join {
public:
#if defined(__SANITIZE_THREAD__)
    void open() const { __tsan_release(const_cast<char*>(&forked_)); }
    void enter() const { __tsan_acquire(const_cast<char*>(&forked_)); }
    void leave() const { __tsan_release(const_cast<char*>(&joined_)); }
    void close() const { __tsan_acquire(const_cast<char*>(&joined_)); }

private:
    char forked_ = 0, joined_ = 0;
#else
    void open() const {}
    void enter() const {}
    void leave() const {}
    void close() const {}
#endif
};

#if defined(__SANITIZE_THREAD__)
#define COPPICE_NO_THREAD_SANITIZER __attribute__((no_sanitize_thread, noinline))
#else
#define COPPICE_NO_THREAD_SANITIZER
#endif

/// Calls task(range) between enter() and leave(). What it reads before enter() was written by the thread that made the
/// task, an order that the sanitizer cannot know of, so the call operator itself is not watched; `task` is.
template <class Task>
struct ordered_task {
    fork_join const* order;
    Task const* task;

    template <class Range>
    COPPICE_NO_THREAD_SANITIZER void operator()(Range const& range) const {
        order->enter();
        (*task)(range.begin(), range.end());
        order->leave();
    }
};

} // namespace coppice::detail
