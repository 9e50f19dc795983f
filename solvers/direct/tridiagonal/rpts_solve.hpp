// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The recursion of RPTS (thesis section 2.5), written once over the launchers of the backends:
///
///     how = levels_of<T>(exec)                         partitioning; does not depend on the number of threads, so that
///                                                      the results do not depend on it
///     how.partition                                    M of a reduction
///     how.is_last(rows, systems, cyclic)               whether such systems are solved without a further reduction
///     run_level(exec, level, step, pivot)              fine rows -> coarse rows, or coarse solution -> fine solution
///     solve_last(exec, how, systems, threshold, pivot, memory)      solves the coarsest systems; memory as for a level
///
/// On the host, run_level and solve_last return whether x is finite; the reduction returns whether it will be finite
/// for a finite coarse solution (rpts_tiles.hpp). On CUDA they return true.
///
/// All of them take a batch of systems of equal size, with equal numbers of right-hand sides. For systems of different
/// sizes and interleaved systems:
///
///     takes_varied<T>(exec, size, systems, largest), takes_interleaved<T>(exec, rows)
///     solve_whole_systems(exec, systems, options)                   on CUDA; the host has a function for either
///
/// and for cyclic systems of equal size, which solve() accepts on CUDA and solve_bordered() on the host:
///
///     takes_cyclic(exec, rows, options)
///
/// Included by the two sources that instantiate it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <coppice/core/parallel.hpp>
#include <coppice/solvers/direct/interface/instances.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_levels.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_checks.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_host.hpp>
#if defined(__CUDACC__)
#include <coppice/solvers/direct/tridiagonal/rpts_cuda.cuh>
#endif

namespace coppice::inline v0_1 {
namespace rpts {

/// Workspace of a batch on any executor, in elements.
template <class T>
std::int64_t elements_of_batch(std::int64_t rows, std::int64_t systems, std::int64_t columns, bool cyclic = false) {
    auto const is_last = [](std::int64_t size) { return size <= direct_rows; };
    return for_each_level<T>(rows, systems, columns, min_partition, cyclic, is_last, [](auto...) {});
}

} // namespace rpts

template <class T>
std::int64_t tridiagonal_workspace(std::int64_t n) {
    if (n < 0) throw argument_error("tridiagonal_workspace: negative number of rows " + std::to_string(n));
    return rpts::elements_of_batch<T>(n, 1, 1) * std::int64_t(sizeof(T));
}

namespace rpts {

/// Whether every unknown is so small that a substitution with it does not overflow. On the host.
template <class T>
bool is_moderate(host_executor const& exec, system_view<T> const& systems) {
    constexpr T limit =
        std::numeric_limits<T>::max() * std::numeric_limits<T>::epsilon() * std::numeric_limits<T>::epsilon();
    shared_result moderate;
    std::int64_t const block = std::max<std::int64_t>(1, 16384 / systems.size);
    detail::for_each_block(exec, systems.pairs(), block, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) {
            T const* const x = systems.pair(k).x;
            T largest(0);
            for (std::int64_t i = 0; i < systems.size; ++i) largest = std::max(largest, std::abs(x[i]));
            moderate.add(largest < limit);
        }
    });
    return bool(moderate);
}

/// Solves a batch; arguments are already checked. What the launcher does not check is presumed. `save_rhs`, which only
/// the host takes, may be empty; it is called before x is written if x may become not finite or is not certain.
template <class T, executor Executor, class Levels>
tridiagonal_outcome solve(Executor const& exec, Levels const& how, system_view<T> systems, T* memory,
                          tridiagonal_options options, std::function<void()> const& save_rhs = {}) {
    T const threshold = static_cast<T>(options.threshold);
    bool const cyclic = systems.cyclic, checked = options.pivot != pivoting::none && !(threshold > T(0));
    if (!checked) systems.uncertain = nullptr;
    // avoids the setup of levels, to save time for small systems
    if (how.is_last(systems.size, systems.systems, cyclic)) {
        if (save_rhs) save_rhs();
        return {solve_last(exec, how, systems, threshold, options.pivot, memory)};
    }
    std::array<level<T>, max_levels> levels;
    int depth = 0;
    std::int64_t const used = for_each_level<T>(
        systems.size, systems.systems, systems.columns, how.partition, cyclic,
        [&](std::int64_t rows) { return how.is_last(rows, systems.systems, cyclic); },
        [&](std::int64_t, std::int64_t partitions, std::int64_t offset, std::int64_t band) {
            level<T> const now = level_in(memory + offset, systems, partitions, band, threshold);
            levels[std::size_t(depth++)] = now;
            systems = next_systems(systems, now.coarse, coarse_rows(systems.size, partitions, how.partition, cyclic));
        });
    auto const run = [&](int k, level_step step) {
        return run_level(exec, levels[std::size_t(k)], step, pivot_of_level(options.pivot, k));
    };
    bool certain = true;
    for (int k = 0; k < depth; ++k) certain = run(k, level_step::reduce) && certain;
    bool const has_pivots = certain && threshold == T(0); // entries that count as zero are no pivots
    if (!checked) certain = true;
    bool finite = solve_last(exec, how, systems, threshold, pivot_of_level(options.pivot, depth), memory + used);
    for (int k = depth - 1; k > 0; --k) finite = run(k, level_step::substitute) && finite;
    if constexpr (std::is_same_v<Executor, host_executor>)
        if (save_rhs && (!has_pivots || !finite || !is_moderate(exec, depth > 1 ? levels[1].fine : systems)))
            save_rhs();
    return {run(0, level_step::substitute) && finite, certain};
}

/// solve() for systems of equal size that are stored one after the other, cyclic ones too.
template <class T, executor Executor>
tridiagonal_outcome solve_equal(Executor const& exec, system_view<T> const& all, T* memory, tridiagonal_options options,
                                std::function<void()> const& save_rhs) {
    if constexpr (std::is_same_v<Executor, host_executor>)
        if (all.cyclic)
            return solve_bordered(exec, all, memory, save_rhs, [&](system_view<T> const& inner, T* more) {
                solve(exec, levels_of<T>(exec), inner, more, options);
            });
    return solve(exec, levels_of<T>(exec), all, memory, options, save_rhs);
}
/// Workspace of solve_equal, in elements.
template <class T, executor Executor>
std::int64_t elements_of_equal(Executor const&, std::int64_t rows, std::int64_t systems, std::int64_t columns,
                               bool cyclic) {
    if constexpr (std::is_same_v<Executor, host_executor>)
        if (cyclic)
            return elements_of_bordered<T>(rows, systems, columns) +
                   elements_of_batch<T>(rows - 1, systems, columns + 1);
    return elements_of_batch<T>(rows, systems, columns, cyclic);
}

/// A copy between interleaved vectors of systems, row i of system k at i systems + k, and separate ones, at k rows + i.
/// Each item copies `together` rows of a system, and neighbouring items have neighbouring
/// systems: both vectors are accessed in whole sectors of memory.
template <class T, bool Separates>
struct copy_rows {
    static constexpr std::int64_t together = 8;

    T const* from;
    T* to;
    std::int64_t rows, systems;

    std::int64_t items() const { return (rows + together - 1) / together * systems; }
    COPPICE_HD void operator()(std::int64_t item) const {
        std::int64_t const system = item % systems, first = item / systems * together;
        std::int64_t const last = first + together < rows ? first + together : rows;
        for (std::int64_t i = first; i < last; ++i) {
            std::int64_t const interleaved = i * systems + system, separate = system * rows + i;
            to[Separates ? separate : interleaved] = from[Separates ? interleaved : separate];
        }
    }
};

/// Elements of the copies of solve_separated(), without those of the batch.
template <class T>
std::int64_t elements_of_copies(std::int64_t rows, std::int64_t systems, std::int64_t columns) {
    return (3 + columns) * align_elements<T>(rows * systems);
}
/// Solves interleaved systems in copies that are stored one after the other: a few passes over memory, where partitions
/// of interleaved rows would cost several times the solve.
template <class T, executor Executor>
tridiagonal_outcome solve_separated(Executor const& exec, system_view<T> const& all, T* memory,
                                    tridiagonal_options options, std::function<void()> const& save_rhs) {
    std::int64_t const each = align_elements<T>(all.size * all.systems);
    auto const copy = [&](T const* from) {
        copy_rows<T, true> const rows{from, memory, all.size, all.systems};
        for_each(exec, rows.items(), rows);
        return std::exchange(memory, memory + each);
    };
    system_view<T> separate = all;
    separate.lower = copy(all.lower), separate.diagonal = copy(all.diagonal), separate.upper = copy(all.upper);
    separate.rhs = separate.x = memory;
    separate.stride = all.size, separate.pitch = 1, separate.rhs_leading = separate.x_leading = each;
    for (std::int64_t c = 0; c < all.columns; ++c) copy(all.rhs + c * all.rhs_leading);
    auto const outcome = solve_equal(exec, separate, memory, options, save_rhs);
    for (std::int64_t c = 0; c < all.columns; ++c) {
        copy_rows<T, false> const rows{separate.x + c * each, all.x + c * all.x_leading, all.size, all.systems};
        for_each(exec, rows.items(), rows);
    }
    return outcome;
}

/// Number of threads that solve systems of different sizes simultaneously, limited by the workspace.
inline std::int64_t varied_workers(host_executor const& exec, std::int64_t size, std::int64_t systems,
                                   std::int64_t largest) {
    std::int64_t const room = size / std::max<std::int64_t>(1, std::min(largest, host_alone_rows));
    return std::clamp<std::int64_t>(std::min(room, systems), 1, exec.threads());
}
template <class T>
std::int64_t varied_workspace(host_executor const& exec, std::int64_t size, std::int64_t systems, std::int64_t columns,
                              std::int64_t largest) {
    std::int64_t const alone = elements_of_batch<T>(std::min(largest, host_alone_rows), 1, 1);
    std::int64_t const together = largest > host_alone_rows ? elements_of_batch<T>(largest, 1, columns) : 0;
    return std::max(varied_workers(exec, size, systems, largest) * alone, together);
}
template <class T>
bool takes_varied(host_executor const&, std::int64_t, std::int64_t, std::int64_t) {
    return true;
}
/// Solves systems of different sizes: first the short ones, each by one thread, distributed so that threads get about
/// equal numbers of rows; then the long ones, one after the other, each by all threads.
template <class T>
tridiagonal_outcome solve_varied(host_executor const& exec, system_view<T> const& all, T* memory,
                                 tridiagonal_options options) {
    auto const rows_of = [&](std::int64_t k) { return all.offsets[k + 1] - all.offsets[k]; };
    for (std::int64_t k = 0; k < all.systems; ++k)
        if (rows_of(k) > all.size)
            throw argument_error("a batch whose largest system has " + std::to_string(all.size) + " rows: system " +
                                 std::to_string(k) + " has " + std::to_string(rows_of(k)));
    std::int64_t const begin = all.offsets[0], size = all.offsets[all.systems] - begin;
    std::int64_t const workers = varied_workers(exec, size, all.systems, all.size);
    std::int64_t const alone = elements_of_batch<T>(std::min(all.size, host_alone_rows), 1, 1);
    host_executor const one_thread(1);
    shared_result finite, certain;
    auto const add = [&](tridiagonal_outcome const& of_system) {
        finite.add(of_system.finite);
        certain.add(of_system.certain);
    };
    auto const first_of = [&](std::int64_t w) {
        return std::lower_bound(all.offsets, all.offsets + all.systems, begin + size * w / workers) - all.offsets;
    };
    detail::for_each_block(exec, workers, 1, [&](std::int64_t w, std::int64_t, std::int64_t) {
        std::int64_t const last = w + 1 < workers ? first_of(w + 1) : all.systems;
        for (std::int64_t k = first_of(w); k < last; ++k)
            for (std::int64_t c = 0; c < all.columns; ++c) {
                system_view<T> one = all.at(k, c);
                one.columns = 1;
                if (one.size > 0 && one.size <= host_alone_rows)
                    add(solve(one_thread, host_levels{}, one, memory + w * alone, options));
            }
    });
    for (std::int64_t k = 0; all.size > host_alone_rows && k < all.systems; ++k)
        if (rows_of(k) > host_alone_rows) add(solve(exec, host_levels{}, all.at(k, 0), memory, options));
    return {bool(finite), bool(certain)};
}

/// Solves a batch of any kind; see solve().
template <class T, executor Executor>
tridiagonal_outcome solve_any_batch(Executor const& exec, system_view<T> const& all, array_view<std::byte> workspace,
                                    tridiagonal_options options, std::function<void()> const& save_rhs = {}) {
    T* const memory = reinterpret_cast<T*>(workspace.data());
    if (!all.interleaved() && !all.offsets) return solve_equal(exec, all, memory, options, save_rhs);
    if (all.interleaved() && !stays_interleaved<T>(exec, all.size, all.cyclic))
        return solve_separated(exec, all, memory, options, save_rhs);
    if (save_rhs) save_rhs();
    if constexpr (std::is_same_v<Executor, host_executor>) {
        if (all.offsets) return solve_varied(exec, all, memory, options);
        return {solve_interleaved(exec, all, memory, options)};
    } else {
        solve_whole_systems(exec, all, options);
        return {};
    }
}

} // namespace rpts

template <class T, executor Executor>
std::int64_t tridiagonal_batch_workspace(Executor const& exec, rpts::system_view<T> const& all) {
    using namespace rpts;
    std::int64_t elements = 0;
    if (all.offsets || (all.interleaved() && stays_interleaved<T>(exec, all.size, all.cyclic))) {
        if constexpr (std::is_same_v<Executor, host_executor>)
            elements = all.offsets ? varied_workspace<T>(exec, all.stride, all.systems, all.columns, all.size)
                                   : interleaved_workspace<T>(exec, all.size, all.systems);
    } else {
        elements = elements_of_equal<T>(exec, all.size, all.systems, all.columns, all.cyclic) +
                   (all.interleaved() ? elements_of_copies<T>(all.size, all.systems, all.columns) : 0);
    }
    return elements * std::int64_t(sizeof(T));
}

template <class T, executor Executor>
bool takes_tridiagonal_batch(Executor const& exec, rpts::system_view<T> const& all,
                             tridiagonal_options const& options) {
    if (all.offsets) return !all.cyclic && rpts::takes_varied<T>(exec, all.stride, all.systems, all.size);
    return !all.cyclic || rpts::takes_cyclic(exec, all.size, options);
}

template <class T, executor Executor>
bool stays_interleaved(Executor const& exec, std::int64_t rows, bool cyclic) {
    return !cyclic && rpts::takes_interleaved<T>(exec, rows);
}

template <class T, executor Executor>
void solve_tridiagonal_by_rpts(Executor const& exec, tridiagonal_view<T> a, array_view<std::type_identity_t<T> const> d,
                               array_view<std::type_identity_t<T>> x, array_view<std::byte> workspace,
                               tridiagonal_options options) {
    rpts::check_arguments<T>(a, d, x, workspace, options);
    if (a.size() == 0) return;
    rpts::solve(exec, rpts::levels_of<T>(exec),
                rpts::system_view<T>{a.size(), a.lower, a.diagonal, a.upper, d.data(), x.data()},
                reinterpret_cast<T*>(workspace.data()), options);
}

template <class T, executor Executor>
void solve_tridiagonal_in_order(Executor const& exec, tridiagonal_view<T> a, row_orders const& orders,
                                array_view<std::type_identity_t<T> const> d, array_view<std::type_identity_t<T>> x,
                                array_view<std::byte> workspace, tridiagonal_options options) {
    rpts::check_arguments<T>(a, d, x, workspace, options);
    if (a.size() == 0) return;
    if (x.data() == d.data() && orders.from != orders.to)
        throw argument_error("solve_tridiagonal_in_order: the solution overlaps the right-hand side in another order");
    rpts::system_view<T> system{a.size(), a.lower, a.diagonal, a.upper, d.data(), x.data()};
    system.order = orders.from;
    system.target = orders.to;
    system.ready = orders.ready;
    rpts::solve(exec, rpts::levels_of<T>(exec), system, reinterpret_cast<T*>(workspace.data()), options);
}

template <class T, executor Executor>
void solve_tridiagonal_batch(Executor const& exec, rpts::system_view<T> const& systems, array_view<std::byte> workspace,
                             tridiagonal_options options) {
    auto const outcome = rpts::solve_any_batch(exec, systems, workspace, options);
    if constexpr (std::is_same_v<Executor, host_executor>)
        if (!outcome.finite && systems.not_finite) *systems.not_finite = 1;
}

// Independent of the executor: instantiated in rpts.cpp only.
#define COPPICE_RPTS_WORKSPACE(T, prefix) prefix std::int64_t tridiagonal_workspace<T>(std::int64_t);
COPPICE_REAL_TYPES(COPPICE_RPTS_WORKSPACE, extern template)

#define COPPICE_RPTS(T, prefix, Executor)                                                                              \
    prefix void solve_tridiagonal_by_rpts(Executor const&, tridiagonal_view<T>, array_view<T const>, array_view<T>,    \
                                          array_view<std::byte>, tridiagonal_options);                                 \
    prefix void solve_tridiagonal_in_order(Executor const&, tridiagonal_view<T>, row_orders const&,                    \
                                           array_view<T const>, array_view<T>, array_view<std::byte>,                  \
                                           tridiagonal_options);                                                       \
    prefix void solve_tridiagonal_batch(Executor const&, rpts::system_view<T> const&, array_view<std::byte>,           \
                                        tridiagonal_options);                                                          \
    prefix std::int64_t tridiagonal_batch_workspace(Executor const&, rpts::system_view<T> const&);                     \
    prefix bool takes_tridiagonal_batch(Executor const&, rpts::system_view<T> const&, tridiagonal_options const&);     \
    prefix bool stays_interleaved<T>(Executor const&, std::int64_t, bool);

} // namespace coppice::inline v0_1
