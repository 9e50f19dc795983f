// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Host launcher of RPTS: tasks of many tiles, distributed over the threads of the executor.
#pragma once

#include <algorithm>
#include <atomic>

#include <coppice/core/host/parallel_host.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_lane.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_tiles.hpp>

namespace coppice::inline v0_1::rpts {

inline constexpr std::int64_t host_task_partitions = 256; ///< 8192 rows; a multiple of every pack
inline constexpr std::int64_t host_task_systems = 64;     ///< systems of at most host_last rows in a task
/// In a batch of systems of different sizes, the largest system that a single thread solves: its bands fit into the
/// second-level cache.
inline constexpr std::int64_t host_alone_rows = 16384;

/// Levels on the host; see rpts_solve.hpp.
struct host_levels {
    static constexpr int partition = host_partition;
    static bool is_last(std::int64_t rows, std::int64_t, bool) { return rows <= host_last; }
};
template <class T>
host_levels levels_of(host_executor const&) {
    return {};
}

/// Whether all tasks of a step returned true.
class shared_result {
public:
    void add(bool ok) {
        if (!ok) all_.store(false, std::memory_order_relaxed);
    }
    explicit operator bool() const { return all_.load(std::memory_order_relaxed); }

private:
    std::atomic<bool> all_{true};
};

/// Executes a step for the partitions of all systems in tasks: some partitions of a large system, or many small
/// systems. Right-hand sides are processed one after the other; the matrix is reduced again for each. Returns whether
/// all calls of rpts_reduce or rpts_substitute returned true. The systems for which rpts_reduce did not are flagged as
/// uncertain.
template <class T>
bool run_level(host_executor const& exec, level<T> const& s, level_step step, pivoting pivot) {
    bool (*kernel)(level<T> const&, std::int64_t, std::int64_t) = nullptr;
    with_pivoting(pivot, [&](auto p) {
        constexpr pivoting P = decltype(p)::value;
        kernel = step == level_step::reduce ? COPPICE_ISA_SELECT(rpts_reduce<P, T>)
                                            : COPPICE_ISA_SELECT(rpts_substitute<P, T>);
    });
    std::int64_t const each = (s.partitions + host_task_partitions - 1) / host_task_partitions; // tasks of a system
    std::int64_t const together = std::max<std::int64_t>(1, host_task_partitions / s.partitions);
    shared_result ok;
    for (std::int64_t c = 0; c < s.fine.columns; ++c)
        detail::for_each_block(
            exec, s.fine.systems * each, together, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
                for (std::int64_t t = begin; t < end; ++t) {
                    std::int64_t const first = t % each * host_task_partitions;
                    level<T> const one = s.at(t / each, c);
                    bool const done = kernel(one, first, std::min(first + host_task_partitions, s.partitions));
                    ok.add(done);
                    if (!done && step == level_step::reduce && one.fine.uncertain) raise_flag(one.fine.uncertain);
                }
            });
    return bool(ok);
}

/// Returns whether x is finite.
template <class T>
bool solve_last(host_executor const& exec, host_levels, system_view<T> const& s, T threshold, pivoting pivot, void*) {
    auto* const kernel = COPPICE_ISA_SELECT(rpts_small<T>);
    std::int64_t const pairs = s.pairs();
    if (pairs == 1) return kernel(s, pivot, threshold);
    shared_result finite;
    detail::for_each_block(exec, pairs, host_task_systems, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) finite.add(kernel(s.pair(i), pivot, threshold));
    });
    return bool(finite);
}

/// Upper bound of the rows of interleaved systems. Each lane of a pack eliminates one system; the pivot rows of a pack
/// of systems take `rows` slots of memory and should fit into the second-level cache.
inline constexpr std::int64_t host_interleaved_rows = 4096;
template <class T>
bool takes_interleaved(host_executor const&, std::int64_t rows) {
    return rows <= host_interleaved_rows;
}

template <class T>
std::int64_t interleaved_workers(host_executor const& exec, std::int64_t systems) {
    std::int64_t const packs = (systems + max_lanes<T> - 1) / max_lanes<T>;
    return std::min<std::int64_t>(exec.threads(), packs);
}
/// Workspace of solve_interleaved, in elements.
template <class T>
std::int64_t interleaved_workspace(host_executor const& exec, std::int64_t rows, std::int64_t systems) {
    return interleaved_workers<T>(exec, systems) * 4 * rows * max_lanes<T>;
}
/// Returns whether x is finite.
template <class T>
bool solve_interleaved(host_executor const& exec, system_view<T> const& all, T* memory, tridiagonal_options options) {
    auto* const kernel = COPPICE_ISA_SELECT(rpts_interleaved<T>);
    std::int64_t const workers = interleaved_workers<T>(exec, all.systems);
    std::int64_t const packs = (all.systems + max_lanes<T> - 1) / max_lanes<T>;
    shared_result finite;
    detail::for_each_block(exec, workers, 1, [&](std::int64_t w, std::int64_t, std::int64_t) {
        std::int64_t const first = packs * w / workers * max_lanes<T>;
        std::int64_t const last = std::min(packs * (w + 1) / workers * max_lanes<T>, all.systems);
        for (std::int64_t c = 0; c < all.columns; ++c) {
            system_view<T> one = all;
            one.rhs += c * all.rhs_leading;
            one.x += c * all.x_leading;
            finite.add(kernel(one, options.pivot, static_cast<T>(options.threshold), first, last,
                              memory + w * 4 * all.size * max_lanes<T>));
        }
    });
    return bool(finite);
}

} // namespace coppice::inline v0_1::rpts
