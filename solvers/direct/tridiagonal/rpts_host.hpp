// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Host launcher of RPTS: tasks of many tiles, distributed over the threads of the executor.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

#include <coppice/core/host/parallel_host.hpp>
#include <coppice/core/workspace_layout.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_lane.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_levels.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts.hpp>
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

// Cyclic systems on the host. Without its last row and unknown a cyclic system A x = d is tridiagonal, with a matrix
// B: B x' + u z = d', v x' + b z = d_n for the last unknown z. So B y = d' and B w = u are solved by RPTS, and z =
// (d_n - v y) / (b - v w), x' = y - z w.
//
// B may be nearly singular although A is not. Therefore all such systems count as uncertain: x is checked and, if it
// is not accurate, replaced by that of the chain solver (solve/band_run.hpp).

/// Cyclic systems of three rows and more, so that the neighbours of a row are different ones. The check of x depends on
/// the scale of rows, which scaled pivoting is independent of.
inline bool takes_cyclic(host_executor const&, std::int64_t rows, tridiagonal_options const& options) {
    return rows > 2 && options.pivot == pivoting::partial && options.threshold == 0;
}

/// A batch of cyclic systems, and vectors of the same rows: y for each right-hand side, then w.
template <class T>
struct bordered_systems {
    system_view<T> const& all;
    T* vectors;
    std::int64_t each = align_elements<T>(all.systems * all.size); ///< elements of a vector

    bordered_systems(system_view<T> const& batch, T* memory) : all(batch), vectors(memory) {}

    T* vector(std::int64_t c) const { return vectors + c * each; }
    /// Calls use(system, first row, end) for ranges of the rows of all systems, in parallel.
    template <class Use>
    void for_each_range(host_executor const& exec, Use const& use) const {
        std::int64_t const n = all.size;
        detail::for_each_block(exec, n * all.systems, 16384, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
            for (std::int64_t s = begin / n; s * n < end; ++s)
                use(s, std::max(begin - s * n, std::int64_t(0)), std::min(end - s * n, n));
        });
    }
    /// Writes the right-hand sides: d' and u.
    void begin(host_executor const& exec) const {
        std::int64_t const n = all.size;
        for_each_range(exec, [&](std::int64_t s, std::int64_t first, std::int64_t end) {
            for (std::int64_t c = 0; c < all.columns; ++c)
                std::copy_n(all.rhs + c * all.rhs_leading + s * n + first, end - first, vector(c) + s * n + first);
            T* const u = vector(all.columns) + s * n;
            std::fill(u + first, u + end, T(0));
            if (first == 0) u[0] = all.lower[s * n];
            if (first <= n - 2 && n - 2 < end) u[n - 2] = all.upper[s * n + n - 2];
        });
    }
    /// The tridiagonal systems.
    system_view<T> inner() const {
        system_view<T> b = all;
        b.cyclic = false, b.uncertain = nullptr;
        b.size = all.size - 1, b.stride = all.size;
        b.columns = all.columns + 1;
        b.rhs = b.x = vectors;
        b.rhs_leading = b.x_leading = each;
        return b;
    }
    /// Writes the last unknown z of each system to its place in y.
    void solve_last_unknowns(host_executor const& exec) const {
        std::int64_t const n = all.size, last = n - 1;
        detail::for_each_block(exec, all.systems, 256, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
            for (std::int64_t s = begin; s < end; ++s) {
                std::int64_t const at = s * n;
                T const next = all.upper[at + last], before = all.lower[at + last];
                T const* const w = vector(all.columns) + at;
                T const own = all.diagonal[at + last], first_term = next * w[0], last_term = before * w[last - 1];
                T pivot = own - first_term - last_term;
                // Only rounding errors remain of a singular matrix, a Laplacian for example.
                T const sizes = std::abs(own) + std::abs(first_term) + std::abs(last_term);
                if (std::abs(pivot) <= 4 * std::numeric_limits<T>::epsilon() * sizes) pivot = T(0);
                for (std::int64_t c = 0; c < all.columns; ++c) {
                    T* const y = vector(c) + at;
                    y[last] = (all.rhs[c * all.rhs_leading + at + last] - next * y[0] - before * y[last - 1]) / pivot;
                }
            }
        });
    }
    /// Writes x; returns whether it is finite.
    bool finish(host_executor const& exec) const {
        std::int64_t const n = all.size;
        shared_result finite;
        for_each_range(exec, [&](std::int64_t s, std::int64_t first, std::int64_t end) {
            T const* const w = vector(all.columns) + s * n;
            for (std::int64_t c = 0; c < all.columns; ++c) {
                T const* const y = vector(c) + s * n;
                T* const x = all.x + c * all.x_leading + s * n;
                T const z = y[n - 1];
                T sum(0); // NaN if an element is not finite
                std::int64_t const to = std::min(end, n - 1);
                for (std::int64_t i = first; i < to; ++i) {
                    x[i] = y[i] - z * w[i];
                    sum += x[i] * T(0);
                }
                if (end == n) x[n - 1] = z;
                finite.add(sum == T(0) && std::isfinite(z));
            }
        });
        return bool(finite);
    }
};

/// Elements of the vectors of cyclic systems, without those of the tridiagonal batch.
template <class T>
std::int64_t elements_of_bordered(std::int64_t rows, std::int64_t systems, std::int64_t columns) {
    return (columns + 1) * align_elements<T>(rows * systems);
}

/// Solves cyclic systems; solve_batch(inner systems, memory) solves the tridiagonal ones. x may be d.
template <class T, class Solve>
tridiagonal_outcome solve_bordered(host_executor const& exec, system_view<T> const& all, T* memory,
                                   std::function<void()> const& save_rhs, Solve const& solve_batch) {
    bordered_systems<T> const systems(all, memory);
    systems.begin(exec);
    solve_batch(systems.inner(), memory + elements_of_bordered<T>(all.size, all.systems, all.columns));
    systems.solve_last_unknowns(exec);
    if (save_rhs) save_rhs();
    if (all.uncertain) std::fill_n(all.uncertain, all.systems, 1);
    return {systems.finish(exec), false};
}

} // namespace coppice::inline v0_1::rpts
