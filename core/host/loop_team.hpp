// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Threads that run the parallel loops of an executor. Only sources of core include this file.
///
/// The thread that calls a loop publishes it and works on it. Helpers are tasks of the arena: after a loop they spin
/// for up to 50 us until the next one begins. Loops that follow each other closely therefore begin and end within a few
/// microseconds, whereas oneTBB takes 25 us on 16 threads and 55 us on 32 to distribute a loop to threads that are
/// awake. The caller never waits for a helper that has not begun; without helpers it executes the whole loop.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <coppice/core/host/fork_mutex.hpp>
#include <coppice/core/host/order_annotations.hpp>
#include <coppice/core/host/spin.hpp>

namespace coppice::inline v0_1::detail {

/// A loop over [0, n): calls `call(context, first, last)` for disjoint ranges that cover [0, n).
struct team_loop {
    void (*call)(void* context, std::int64_t first, std::int64_t last);
    void* context;
    std::uint64_t generation = 0;
    int workers = 1;
    std::int64_t grain = 1;
    std::atomic<bool> failed = false;
    std::exception_ptr failure{};
};

class loop_team : public std::enable_shared_from_this<loop_team> {
public:
    /// Protects the list of all teams.
    static fork_mutex& all_mutex() {
        static auto& mutex = *new fork_mutex; // teams may end after static objects
        return mutex;
    }
    explicit loop_team(int threads) : intervals_(static_cast<std::size_t>(threads)) {
        std::lock_guard const lock(all_mutex());
        next_team_ = all_teams;
        if (next_team_) next_team_->reference_ = &next_team_;
        all_teams = this;
    }
    ~loop_team() { // the last owner may be a helper
        annotate_acquire(this);
        std::lock_guard const lock(all_mutex());
        *reference_ = next_team_;
        if (next_team_) next_team_->reference_ = reference_;
    }
    loop_team(loop_team const&) = delete;
    loop_team& operator=(loop_team const&) = delete;

    /// Runs a loop; rethrows the first exception of a call. Returns false, without having called anything, if the loop
    /// must be run in another way: inside of a loop of a team, while another thread runs a loop of this team, or if
    /// oneTBB is limited to one thread.
    bool run(tbb::task_arena& arena, team_loop& loop, std::int64_t n) {
        int const allowed =
            static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
        loop.workers = static_cast<int>(std::min<std::int64_t>({n, std::int64_t(intervals_.size()), allowed}));
        if (loop.workers < 2 || in_loop || other_loops_.load() > 0 || busy_.exchange(true)) return false;
        publish(loop, n);
        call_helpers(arena, loop.workers - 1);
        work_on(loop, 0);
        current_.store(nullptr);
        wait_for_helpers();
        busy_.store(false);
        if (loop.failure) std::rethrow_exception(loop.failure);
        return true;
    }

    /// While it exists, the team runs no loops, and its helpers return to the arena.
    class other_loop {
    public:
        explicit other_loop(loop_team& team) : team_(team), counts_(!in_loop) {
            if (counts_) ++team_.other_loops_;
        }
        ~other_loop() {
            if (counts_) --team_.other_loops_;
        }
        other_loop(other_loop const&) = delete;
        other_loop& operator=(other_loop const&) = delete;

    private:
        loop_team& team_;
        bool counts_;
    };

    /// Makes the helpers that wait for a loop return to the arena; waits until all have returned.
    void close() {
        closed_.store(true);
        while (serving_.load() > 0) std::this_thread::yield();
    }

private:
    /// Range of a loop with which one thread begins. Threads that have finished their range continue with those of
    /// others.
    struct alignas(64) interval {
        std::atomic<std::int64_t> next = 0;
        std::int64_t end = 0;
    };

    void publish(team_loop& loop, std::int64_t n) {
        constexpr std::int64_t pieces = 16; // per interval, for load balance
        loop.grain = std::max<std::int64_t>(1, n / (loop.workers * pieces));
        for (int p = 0; p < loop.workers; ++p) {
            intervals_[std::size_t(p)].next.store(n * p / loop.workers, std::memory_order_relaxed);
            intervals_[std::size_t(p)].end = n * (p + 1) / loop.workers;
        }
        loop.generation = generation_.load(std::memory_order_relaxed) + 1;
        current_.store(&loop);
        generation_.store(loop.generation);
    }

    void call_helpers(tbb::task_arena& arena, int count) {
        try {
            while (members_.load(std::memory_order_relaxed) < count) {
                ++members_;
                try {
                    arena.enqueue([team = shared_from_this()] { team->serve(); });
                } catch (...) {
                    --members_;
                    throw;
                }
            }
        } catch (std::exception const&) { // no memory or no thread: the loop runs on fewer threads
        }
    }

    /// A helper: works on loops until it has waited too long for one.
    void serve() {
        ++serving_;
        // oneTBB may run this task on a thread that waits inside a loop. Such a thread must not work on the loop a
        // second time.
        for (std::uint64_t seen = 0; !in_loop && wait_for_loop(seen);) {
            ++inside_;
            if (team_loop* const loop = current_.load()) {
                seen = loop->generation;
                work_on(*loop, tbb::this_task_arena::current_thread_index());
            }
            --inside_;
            if (caller_sleeps_.load()) inside_.notify_all();
        }
        --members_;
        --serving_;
        annotate_release(this);
    }

    /// Waits for a loop after generation `seen`; returns false if none begins in time or if the helper has to return to
    /// the arena. Sets `seen` to the generation of loops that have ended already.
    bool wait_for_loop(std::uint64_t& seen) const {
        using clock = std::chrono::steady_clock;
        constexpr auto patience = std::chrono::microseconds(50);
        auto const begin = clock::now();
        do {
            bool const comes = spin_until([&] {
                std::uint64_t const now = generation_.load();
                if (now == seen) return closed_.load() || other_loops_.load() > 0;
                if (current_.load()) return true;
                seen = now;
                return false;
            });
            if (closed_.load() || other_loops_.load() > 0) return false;
            if (comes) return true;
            std::this_thread::yield();
        } while (clock::now() - begin < patience);
        return false;
    }

    void work_on(team_loop& loop, int first_interval) {
        in_loop = true;
        try {
            for (int k = 0; k < loop.workers; ++k)
                work_on_interval(loop, intervals_[std::size_t((first_interval + k) % loop.workers)]);
        } catch (...) {
            if (!loop.failed.exchange(true)) loop.failure = std::current_exception();
            for (int p = 0; p < loop.workers; ++p)
                intervals_[std::size_t(p)].next.store(intervals_[std::size_t(p)].end);
        }
        in_loop = false;
    }
    static void work_on_interval(team_loop const& loop, interval& p) {
        while (p.next.load(std::memory_order_relaxed) < p.end) {
            std::int64_t const first = p.next.fetch_add(loop.grain, std::memory_order_relaxed);
            if (first >= p.end) return;
            loop.call(loop.context, first, std::min(first + loop.grain, p.end));
        }
    }

    void wait_for_helpers() {
        if (spin_until([this] { return inside_.load() == 0; })) return;
        caller_sleeps_.store(true);
        for (int count; (count = inside_.load()) != 0;) inside_.wait(count);
        caller_sleeps_.store(false);
    }

    static inline thread_local bool in_loop = false; ///< this thread executes calls of a loop

    // A task that oneTBB has not started when the process ends still owns its team. Leak checkers do not search the
    // memory of oneTBB; they find the team in this list.
    static inline loop_team* all_teams = nullptr;
    loop_team* next_team_ = nullptr;
    loop_team** reference_ = &all_teams; ///< the pointer to this team

    std::vector<interval> intervals_;
    alignas(64) std::atomic<std::uint64_t> generation_ = 0; ///< generation of the last loop
    std::atomic<team_loop*> current_ = nullptr;
    std::atomic<int> other_loops_ = 0;
    std::atomic<bool> closed_ = false;
    alignas(64) std::atomic<int> inside_ = 0; ///< helpers that may access the current loop
    std::atomic<bool> caller_sleeps_ = false;
    alignas(64) std::atomic<bool> busy_ = false;
    std::atomic<int> members_ = 0; ///< helpers, including those that the arena has not started yet
    std::atomic<int> serving_ = 0; ///< helpers that the arena has started
};

} // namespace coppice::inline v0_1::detail
