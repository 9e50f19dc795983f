// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// RPTS on the rows of one rank of a longer system: the reduction to a few rows, which are coupled to the ranks before
/// and after, and the back substitution (thesis section 2.5; the coarsest system is replicated on all ranks).
///
/// A coarse row couples an end of a partition to its neighbouring unknowns. The first and the last row of a rank are
/// coupled to unknowns of other ranks. The reduction keeps these two couplings, so that the concatenated coarse rows of
/// all ranks are a tridiagonal system.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <coppice/core/executor.hpp>
#include <coppice/solvers/direct/interface/pivoting.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_levels.hpp>

namespace coppice::inline v0_1::rpts {

/// Upper bound of the rows that a rank does not reduce further: every rank gets these rows of all ranks.
inline constexpr std::int64_t max_rank_rows = 512;

/// Number of rows that reduce_rank leaves of a rank. Only whole pairs of partitions are reduced, so that every boundary
/// can be shifted.
inline std::int64_t coarse_rows_of_rank(std::int64_t rows) {
    while (rows > max_rank_rows)
        rows = coarse_rows(rows, partitions_of(rows, min_partition, true), min_partition, true);
    return rows;
}

/// The levels of a rank, from its rows down to `last`, whose rows are in memory of the executor. A rank with few rows
/// has no levels, and `last` has its given rows.
template <class T>
struct rank_levels {
    std::array<level<T>, max_levels> levels{};
    std::array<std::int64_t, max_levels> carried{}; ///< rows of each level that are not reduced, but copied
    int depth = 0;
    system_view<T> last{};
    T* solution = nullptr; ///< memory for the unknowns of `last`, which the caller writes before substitute_rank
};

/// Bytes of workspace of reduce_rank: as for RPTS, at most 8 % of the 4 rows elements.
template <class T, executor Executor>
std::int64_t rank_workspace(Executor const& exec, std::int64_t rows);

/// Whether reduce_rank accepts these options. A threshold is not accepted: its effect depends on the position of an
/// entry in the elimination, which differs between a rank and the whole system. On CUDA solves without pivoting are not
/// accepted, since there are no kernels for them.
template <executor Executor>
bool takes_rank(Executor const&, tridiagonal_options const& options) {
    return options.threshold == 0 && (std::is_same_v<Executor, host_executor> || options.pivot != pivoting::none);
}

/// Reduces `rank`, one system with one right-hand side. Its `before` and `after` are null if there is no rank on that
/// side; otherwise they point to the memory of the neighbouring unknown, which must be written before substitute_rank
/// is called. Returns after the work is queued.
template <class T, executor Executor>
rank_levels<T> reduce_rank(Executor const& exec, system_view<T> const& rank, array_view<std::byte> workspace,
                           tridiagonal_options const& options);

/// Computes rank.x from the unknowns in `solution` and the neighbouring unknowns of other ranks.
template <class T, executor Executor>
void substitute_rank(Executor const& exec, rank_levels<T> const& rank, tridiagonal_options const& options);

} // namespace coppice::inline v0_1::rpts
