// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Whether a process may use oneTBB. Only sources of core include this file.
///
/// A process made by fork() has only the thread that called it. If oneTBB had started in the old process, its mutexes
/// may be locked in the new one, and its workers do not exist there: a call may wait forever, and loops would run on
/// the calling thread in any case. In such a process executors do without oneTBB.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>

#include <tbb/task_arena.h>

namespace coppice::inline v0_1::detail {

class threads_of_process {
public:
    /// Whether oneTBB may be called. A caller that calls it has to call begin() before.
    static bool may_start() noexcept { return !lost_.load(std::memory_order_relaxed); }
    static void begin() noexcept {
        if (!started_.load(std::memory_order_relaxed)) started_.store(true);
    }
    /// The number of threads of the task arena, or of the cores.
    static int available() {
        if (!may_start()) return std::max(1, int(std::thread::hardware_concurrency()));
        question const asked;
        return tbb::this_task_arena::max_concurrency();
    }
    /// Called in a new process by fork().
    static void forked() noexcept {
        if (started_.load() || asked_.load() > 0) lost_.store(true);
    }

private:
    struct question { // oneTBB initialises a static variable at the first one
        question() { ++asked_; }
        ~question() { --asked_; }
        question(question const&) = delete;
        question& operator=(question const&) = delete;
    };
    static inline std::atomic<bool> started_ = false, lost_ = false;
    static inline std::atomic<int> asked_ = 0;
};

} // namespace coppice::inline v0_1::detail
