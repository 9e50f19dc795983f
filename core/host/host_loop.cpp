// SPDX-License-Identifier: BSD-3-Clause
// The only parallel loop of the host. Its own source file is compiled without instrumentation by the thread sanitizer:
// oneTBB is not instrumented either, so the sanitizer would see the tasks in oneTBB's headers without their
// synchronisation. Instead, annotations describe the order: writes of the caller happen before each task, writes of
// tasks happen before the end of the loop.
#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <coppice/core/host/host_arena.hpp>
#include <coppice/core/host/interruption.hpp>
#include <coppice/core/host/loop_team.hpp>
#include <coppice/core/host/order_annotations.hpp>
#include <coppice/core/host/threads_of_process.hpp>

namespace coppice::inline v0_1 {
namespace {

[[maybe_unused]] detail::fork_mutex const& teams_at_load = detail::loop_team::all_mutex();

// Tasks may throw. Therefore destructors annotate the ends of tasks and of the loop; the annotations also cover the
// exception object, which a task writes and the caller reads.
class fork_join {
public:
    fork_join() { detail::annotate_release(&forked_); }
    ~fork_join() { detail::annotate_acquire(&joined_); }
    fork_join(fork_join const&) = delete;
    fork_join& operator=(fork_join const&) = delete;

    class task {
    public:
        explicit task(fork_join& loop) : loop_(loop) { detail::annotate_acquire(&loop_.forked_); }
        ~task() { detail::annotate_release(&loop_.joined_); }
        task(task const&) = delete;
        task& operator=(task const&) = delete;

    private:
        fork_join& loop_;
    };

private:
    char forked_ = 0, joined_ = 0;
};

/// Calls task(context, ...) for [first, last): in one call or, if the loop can be interrupted, in pieces of `piece`
/// items with a check for an interruption before each piece.
void run_range(host_executor::range_task task, void const* context, std::int64_t first, std::int64_t last,
               std::int64_t piece) {
    if (!interruption::current()) return task(context, first, last);
    for (; first < last; first += piece) {
        interruption::check();
        task(context, first, std::min(last, first + piece));
    }
}

/// A parallel loop and its synchronisation.
struct parallel_loop {
    host_executor::range_task task;
    void const* context;
    interruption* of_caller; ///< of the loop, not of the thread: a waiting thread may run tasks of another loop
    std::int64_t piece;
    fork_join order{};

    void run(std::int64_t first, std::int64_t last) {
        fork_join::task const task_order(order);
        interruption::scope const interruptible(of_caller);
        run_range(task, context, first, last, piece);
    }
};

/// Runs a loop by oneTBB.
void run_by_tasks(detail::host_arena& arena, std::int64_t n, parallel_loop& loop) {
    std::atomic<bool> begun = false, failed = false;
    try {
        detail::loop_team::other_loop const other(*arena.team);
        arena.execute([&] {
            tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, n),
                              [&](tbb::blocked_range<std::int64_t> const& range) {
                                  if (!begun.load(std::memory_order_relaxed)) begun = true;
                                  try {
                                      loop.run(range.begin(), range.end());
                                  } catch (...) {
                                      failed = true;
                                      throw;
                                  }
                              });
        });
    } catch (std::runtime_error const& e) {
        if (failed) throw;
        // oneTBB could not start a thread. It continues without that thread from now on.
        if (begun) throw thread_error(std::string("a thread of the host executor does not start: ") + e.what());
        run_range(loop.task, loop.context, 0, n, loop.piece);
    }
}

} // namespace

detail::host_arena::host_arena(int threads)
    : tbb::task_arena(threads), team(std::make_shared<loop_team>(tbb::task_arena::max_concurrency())) {}
detail::host_arena::~host_arena() {
    team->close();
    annotate_release(team.get());
}

void host_executor::for_ranges(std::int64_t n, range_task task, void const* context) const {
    constexpr std::int64_t pieces = 4096; // per loop; the longest takes milliseconds if the loop takes seconds
    if (n <= 0) return;
    std::int64_t const piece = (n + pieces - 1) / pieces;
    if (n == 1 || threads_ == 1 || !detail::threads_of_process::may_start())
        return run_range(task, context, 0, n, piece);
    detail::threads_of_process::begin();
    interruption* const of_caller = interruption::current();
    if (of_caller) interruption::check();
    parallel_loop loop{task, context, of_caller, piece};
    detail::team_loop shared{
        [](void* all, std::int64_t first, std::int64_t last) { static_cast<parallel_loop*>(all)->run(first, last); },
        &loop};
    if (!arena_->team->run(*arena_, shared, n)) run_by_tasks(*arena_, n, loop);
}

} // namespace coppice::inline v0_1
