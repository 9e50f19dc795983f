// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Loops whose end is decided where the data lives.
///
///     repetition<Executor> repeat(exec);
///     repeat.run(loop, traits, body, watch);         // while (loop->on) body();
///
/// `loop` points to memory of the executor; what `body` queues there calls loop->stop(). On the host that is a plain
/// loop. On CUDA the passes are captured into one CUDA graph with a conditional while node: the host launches once and
/// waits for nothing. A body that may be captured is `replayable`: it queues the same kernels and copies on the
/// executor's stream at every call, allocates nothing and waits for nothing. Any other, and any body where the driver
/// or toolkit has no such graphs (CUDA before 12.4), is run by a loop of the host that looks at loop->on after each
/// pass. The graph is made by the first run() and used again by later ones, which must have the same body.
///
/// A body that does nothing where loop->on is 0 already may stand several times in the graph, in a row: a turn of a
/// while node takes 5.4 us on an H200, as long as two kernels.
///
/// watch() is called by the host: after each pass, or on CUDA again and again while the loop runs, and once after its
/// end; null for none. It may tell the loop to stop through memory that both see (shared_memory()). Without it run()
/// on CUDA returns when the loop is queued.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <coppice/core/executor.hpp>

namespace coppice {

/// Whether a loop goes on. Trivially copyable; made with on = 1.
struct loop_switch {
    int on = 0;
    unsigned long long condition = 0; ///< of the while node that runs the loop; 0 where the host does

    /// Ends the loop after this pass; at most one thread of a kernel calls it.
    COPPICE_HD void stop() {
        on = 0;
#if defined(__CUDA_ARCH__) && CUDART_VERSION >= 12040
        if (condition != 0) cudaGraphSetConditional(condition, 0);
#endif
    }
};

/// What the body of a loop allows.
struct loop_body {
    bool replayable = false; ///< to be captured into a CUDA graph
    int repeats = 1;         ///< how often it stands in that graph: more than once if it rests when the loop has ended
};

/// Loops of several solves that go on side by side as one, for what their bodies do together.
class shared_loop {
public:
    virtual ~shared_loop() = default;
    /// while (loop->on) body(), beside the other loops, until all have ended. `body` rests where its own loop has ended
    /// and may be recorded, `times` in a row. Did it need no decision of the host?
    virtual bool run(loop_switch* loop, int times, std::function<void()> const& body) = 0;
};

/// A repetition that has joined a shared loop leaves bodies to it that are replayable and rest at the end; null for
/// none. That is for CUDA: where the host runs the loops, bodies meet without it.
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
    /// How often to queue a body that rests at the end, a pass over vectors of `size`: the fewer the more it costs that
    /// those behind the end take their time for nothing. Alike on all parts of a problem, which wait for each other.
    static int repeats_of(host_executor const&, std::int64_t) { return 1; }
    /// Did the last run need no decision of the host?
    bool on_device() const { return false; }
};

inline constexpr int max_shared_loops = 8;

/// Records what is queued between begin() and run() as the body of one loop, which goes on while one of several loops
/// does. The host records nothing.
template <executor Executor>
class loop_recorder;

template <>
class loop_recorder<host_executor> {
public:
    explicit loop_recorder(host_executor const&) {}
    bool begin(loop_switch* const*, int) { return false; } ///< false: the host is to run the loops
    bool records() const { return false; }
    void run() {}  ///< what was recorded, until all loops have ended
    void stop() {} ///< forgets it
};

/// Memory that host and executor both reach while work runs.
inline std::shared_ptr<memory_resource> shared_memory(host_executor const& exec) { return exec.memory(); }

} // namespace coppice

#if defined(__CUDACC__)
#include <coppice/core/cuda/repeat_cuda.cuh>
#endif
