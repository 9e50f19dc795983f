// SPDX-License-Identifier: BSD-3-Clause
// The one parallel loop of the host. It stands in a source of its own, which is not instrumented by the thread
// sanitizer: oneTBB is not either, so the sanitizer would see the tasks of oneTBB's headers, but not what orders them.
// It is told instead: what the caller wrote comes before each task, what the tasks wrote before the loop's end.
#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <coppice/core/host/host_executor.hpp>
#include <coppice/core/host/interruption.hpp>

#if defined(COPPICE_THREAD_SANITIZER) // defined by CMake, since this source is compiled without -fsanitize=thread
#include <sanitizer/tsan_interface.h>
#endif

namespace coppice {
namespace {

#if defined(COPPICE_THREAD_SANITIZER)
void release(char& order) { __tsan_release(&order); }
void acquire(char& order) { __tsan_acquire(&order); }
#else
void release(char&) {}
void acquire(char&) {}
#endif

// Destructors tell of the ends, since tasks may throw: the exception that leaves the loop is a task's work too.
class fork_join {
public:
    fork_join() { release(forked_); }
    ~fork_join() { acquire(joined_); }
    fork_join(fork_join const&) = delete;
    fork_join& operator=(fork_join const&) = delete;

    class task {
    public:
        explicit task(fork_join& loop) : loop_(loop) { acquire(loop_.forked_); }
        ~task() { release(loop_.joined_); }
        task(task const&) = delete;
        task& operator=(task const&) = delete;

    private:
        fork_join& loop_;
    };

private:
    char forked_ = 0, joined_ = 0;
};

/// Calls task(context, ...) for [first, last): at once, or in pieces of `piece` between which an interruption is looked
/// for.
void run_range(host_executor::range_task task, void const* context, std::int64_t first, std::int64_t last,
               std::int64_t piece) {
    if (!interruption::current()) return task(context, first, last);
    for (; first < last; first += piece) {
        interruption::check();
        task(context, first, std::min(last, first + piece));
    }
}

} // namespace

void host_executor::for_ranges(std::int64_t n, range_task task, void const* context) const {
    constexpr std::int64_t pieces = 4096; // of a loop: the longest takes milliseconds where the loop takes seconds
    if (n <= 0) return;
    std::int64_t const piece = (n + pieces - 1) / pieces;
    if (n == 1 || threads_ == 1) return run_range(task, context, 0, n, piece);
    interruption* const of_caller = interruption::current();
    if (of_caller) interruption::check();
    fork_join loop;
    std::atomic<bool> begun = false, failed = false;
    try {
        arena_->execute([&] {
            tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, n),
                              [&](tbb::blocked_range<std::int64_t> const& range) {
                                  fork_join::task const order(loop);
                                  // The loop's own, not the thread's: a thread that waits may run tasks of another
                                  // loop.
                                  interruption::scope const interruptible(of_caller);
                                  if (!begun.load(std::memory_order_relaxed)) begun = true;
                                  try {
                                      run_range(task, context, range.begin(), range.end(), piece);
                                  } catch (...) {
                                      failed = true;
                                      throw;
                                  }
                              });
        });
    } catch (std::runtime_error const& e) {
        if (failed) throw;
        // Of oneTBB, which could not start a thread: it does without that one from then on.
        if (begun) throw thread_error(std::string("a thread of the host executor does not start: ") + e.what());
        run_range(task, context, 0, n, piece);
    }
}

} // namespace coppice
