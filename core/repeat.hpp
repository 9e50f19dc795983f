// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Loops whose stopping test is evaluated in the memory of the executor.
///
///     repetition<Executor> repeat(exec);
///     repeat.run(loop, traits, body, watch);         // while (loop->on) body();
///
/// `loop` points to memory of the executor. The work that `body` queues ends the loop by calling loop->stop(). On the
/// host, run() is a plain loop. On CUDA, the iterations are captured into one CUDA graph with a conditional while node:
/// the host launches the graph once and does not wait. A body that can be captured is `replayable`: every call queues
/// the same kernels and copies on the stream of the executor, allocates nothing and waits for nothing. The host runs
/// all other bodies, and all bodies if the driver or toolkit does not support such graphs (CUDA before 12.4), in a loop
/// that reads loop->on after each iteration. The first run() creates the graph. Later runs reuse it and must have the
/// same body.
///
/// A body that does nothing if loop->on is already 0 may be captured several times in a row into the body of the while
/// node. One iteration of a while node takes 5.4 us on an H200, as long as two kernels.
///
/// The host calls watch() after each iteration or, on CUDA, repeatedly while the loop runs, and once after the end;
/// null for none. watch() may stop the loop through memory that host and device can access (shared_memory()). Without
/// watch(), run() on CUDA returns when the loop is queued.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <coppice/core/executor.hpp>

namespace coppice::inline v0_1 {

/// State of a loop: whether it continues. Trivially copyable; initially on = 1.
struct loop_switch {
    int on = 0;
    unsigned long long condition = 0; ///< handle of the while node that runs the loop; 0 if the host runs it

    /// Ends the loop after this iteration. At most one thread of a kernel calls it.
    COPPICE_HD void stop() {
        on = 0;
#if defined(__CUDA_ARCH__) && CUDART_VERSION >= 12040
        if (condition != 0) cudaGraphSetConditional(condition, 0);
#endif
    }
};

/// Properties of a loop body.
struct loop_body {
    bool replayable = false; ///< can be captured into a CUDA graph
    int repeats =
        1; ///< number of copies in the body of the while node; more than 1 only if the body does nothing after stop()
};

/// Runs the loops of several concurrent solves as one loop, so that their bodies can share kernels.
class shared_loop {
public:
    virtual ~shared_loop() = default;
    /// Runs while (loop->on) body() together with the other loops, until all have ended. `body` does nothing after its
    /// own loop has ended; it may be recorded `times` times in a row. Returns true if the loop ran on the device, and
    /// false if the host read loop->on after each iteration.
    virtual bool run(loop_switch* loop, int times, std::function<void()> const& body) = 0;
};

/// Runs a loop. After attach(), replayable bodies that do nothing after the end are run by the shared loop (null:
/// none). This applies to CUDA only: on the host the bodies of several solves are combined without it.
template <executor Executor>
class repetition;

template <>
class repetition<host_executor> {
public:
    explicit repetition(host_executor const&) {}
    void attach(shared_loop*) {}

    template <class Body>
    void run(loop_switch const* loop, loop_body, Body const& body, std::function<void()> const& watch) {
        while (loop->on) {
            body();
            if (watch) watch();
        }
    }
    /// Number of copies of a body over vectors of length `size` in one iteration of the while node. Copies after the
    /// end of the loop still take time, so larger vectors get fewer copies. The number is the same on all ranks of a
    /// problem, which wait for each other.
    static int repeats_of(host_executor const&, std::int64_t) { return 1; }
    /// Whether the last run needed no decision of the host.
    bool on_device() const { return false; }
};

inline constexpr int max_shared_loops = 8;

/// Records the work that is queued between begin() and run() as the body of one loop, which continues while at least
/// one of several loops does. On the host nothing is recorded.
template <executor Executor>
class loop_recorder;

template <>
class loop_recorder<host_executor> {
public:
    explicit loop_recorder(host_executor const&) {}
    bool begin(loop_switch* const*, int) { return false; } ///< false: the host runs the loops
    bool records() const { return false; }
    void run() {}  ///< runs the recorded body until all loops have ended; not covered: devices only
    void stop() {} ///< discards the recorded body
};

/// Memory that both the host and the executor can access while work runs.
inline std::shared_ptr<memory_resource> shared_memory(host_executor const& exec) { return exec.memory(); }

} // namespace coppice::inline v0_1

#if defined(__CUDACC__)
#include <coppice/core/cuda/repeat_cuda.cuh>
#endif
