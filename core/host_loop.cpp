// SPDX-License-Identifier: BSD-3-Clause
// The one parallel loop of the host. It stands in a source of its own, which is not instrumented by the thread
// sanitizer: oneTBB is not either, so the sanitizer would see the tasks of oneTBB's headers, but not what orders them.
// It is told instead: what the caller wrote comes before each task, what the tasks wrote before the loop's end.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "core/host_executor.hpp"

#if defined(COPPICE_THREAD_SANITIZER) // defined by CMake, since this source is compiled without -fsanitize=thread
#include <sanitizer/tsan_interface.h>
#endif

namespace coppice {
namespace {

class fork_join {
public:
#if defined(COPPICE_THREAD_SANITIZER)
    void fork() { __tsan_release(&forked_); }
    void begin_task() { __tsan_acquire(&forked_); }
    void end_task() { __tsan_release(&joined_); }
    void join() { __tsan_acquire(&joined_); }

private:
    char forked_ = 0, joined_ = 0;
#else
    void fork() {}
    void begin_task() {}
    void end_task() {}
    void join() {}
#endif
};

} // namespace

void host_executor::for_ranges(std::int64_t n, range_task task, void const* context) const {
    fork_join order;
    order.fork();
    arena_->execute([&] {
        tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, n), [&](tbb::blocked_range<std::int64_t> const& range) {
            order.begin_task();
            task(context, range.begin(), range.end());
            order.end_task();
        });
    });
    order.join();
}

} // namespace coppice
