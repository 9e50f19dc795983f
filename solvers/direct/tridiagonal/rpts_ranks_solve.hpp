// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definitions of rpts_ranks.hpp, over the launchers of the backends (rpts_solve.hpp). Included by the two sources that
/// instantiate them.
#pragma once

#include <coppice/solvers/direct/tridiagonal/rpts_ranks.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_solve.hpp>

namespace coppice::inline v0_1::rpts {

/// for_each_level (rpts_levels.hpp) for a rank, of which only whole pairs of partitions are reduced.
template <class T, class Use>
std::int64_t for_each_level_of_rank(std::int64_t rows, Use const& use) {
    auto const is_last = [](std::int64_t size) { return size <= max_rank_rows; };
    return for_each_level<T>(rows, 1, 1, min_partition, true, is_last, use);
}

template <class T, executor Executor>
std::int64_t rank_workspace(Executor const&, std::int64_t rows) {
    return for_each_level_of_rank<T>(rows, [](auto...) {}) * std::int64_t(sizeof(T));
}

/// Copies the rows after the last whole pair of partitions to the coarse system without reduction.
template <class T>
struct carry_rows {
    T const *from_lower, *from_diagonal, *from_upper, *from_rhs;
    coarse_view<T> to;
    std::int64_t open_end; ///< the last row of the whole system, whose upper entry may have any value; or -1
    bool scales;
    COPPICE_HD void operator()(std::int64_t i) const {
        T const above = i == open_end ? T(0) : from_upper[i];
        auto const row = scales ? scaled<pivoting::scaled_partial>(from_lower[i], from_diagonal[i], above, from_rhs[i])
                                : equation<T, T>{from_lower[i], from_diagonal[i], above, from_rhs[i]};
        to.put(i, row);
    }
};

template <class T, executor Executor>
rank_levels<T> reduce_rank(Executor const& exec, system_view<T> const& rank, array_view<std::byte> workspace,
                           tridiagonal_options const& options) {
    T* const memory = reinterpret_cast<T*>(workspace.data());
    rank_levels<T> all;
    all.last = rank;
    all.last.is_segment = true;
    // On CUDA the kernels of cyclic systems provide the couplings at both ends of a rank.
    all.last.cyclic = !std::is_same_v<Executor, host_executor>;
    all.solution = rank.x;
    for_each_level_of_rank<T>(rank.size,
                              [&](std::int64_t rows, std::int64_t partitions, std::int64_t offset, std::int64_t band) {
                                  level<T> now = level_in(memory + offset, all.last, partitions, band, T(0));
                                  now.fine.size = partitions * min_partition;
                                  std::int64_t const rest = rows - now.fine.size;
                                  if (rest > 0) now.fine.after = now.coarse.rhs + 2 * partitions;
                                  all.carried[std::size_t(all.depth)] = rest;
                                  all.levels[std::size_t(all.depth++)] = now;
                                  all.last = next_systems(all.last, now.coarse, 2 * partitions + rest);
                                  all.solution = now.coarse.rhs;
                              });
    for (int k = 0; k < all.depth; ++k) {
        level<T> const& now = all.levels[std::size_t(k)];
        system_view<T> const& fine = now.fine;
        coarse_view<T> const& c = now.coarse;
        pivoting const pivot = pivot_of_level(options.pivot, k);
        run_level(exec, now, level_step::reduce, pivot);
        std::int64_t const rest = all.carried[std::size_t(k)], first = fine.size, to = 2 * now.partitions;
        for_each(exec, rest,
                 carry_rows<T>{fine.lower + first,
                               fine.diagonal + first,
                               fine.upper + first,
                               fine.rhs + first,
                               {c.lower + to, c.diagonal + to, c.upper + to, c.rhs + to},
                               rank.after ? -1 : rest - 1,
                               pivot == pivoting::scaled_partial});
    }
    return all;
}

template <class T, executor Executor>
void substitute_rank(Executor const& exec, rank_levels<T> const& rank, tridiagonal_options const& options) {
    for (int k = rank.depth - 1; k >= 0; --k) {
        level<T> const& now = rank.levels[std::size_t(k)];
        run_level(exec, now, level_step::substitute, pivot_of_level(options.pivot, k));
        exec.copy_elements(now.coarse.rhs + 2 * now.partitions, now.fine.x + now.fine.size,
                           rank.carried[std::size_t(k)]);
    }
}

#define COPPICE_RPTS_RANKS(T, prefix, Executor)                                                                        \
    prefix std::int64_t rank_workspace<T>(Executor const&, std::int64_t);                                              \
    prefix rank_levels<T> reduce_rank(Executor const&, system_view<T> const&, array_view<std::byte>,                   \
                                      tridiagonal_options const&);                                                     \
    prefix void substitute_rank(Executor const&, rank_levels<T> const&, tridiagonal_options const&);

} // namespace coppice::inline v0_1::rpts
