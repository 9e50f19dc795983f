// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// RPTS on rows that are a part of a longer system: its reduction down to a few rows, which are coupled to the parts
/// before and behind, and the way back (thesis section 2.5, with the coarsest system shared by all parts).
///
/// A coarse row couples an end of a partition to the unknowns next to it. The first and the last row of the part couple
/// to unknowns of other parts; the reduction keeps these two couplings, so that the coarse rows of all parts, one
/// behind the other, are a tridiagonal system.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <coppice/core/executor.hpp>
#include <coppice/solvers/direct/interface/pivoting.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_levels.hpp>

namespace coppice::rpts {

/// Rows of a part that are not reduced any further: every part gets these rows of all parts.
inline constexpr std::int64_t most_part_rows = 512;

/// The stages of a part, from its rows down to `last`, whose rows are in memory of the executor. A part with few rows
/// has no stages, and `last` are its own rows.
template <class T>
struct part_stages {
    std::array<stage<T>, most_stages> stages{};
    std::array<std::int64_t, most_stages> carried{}; ///< rows of each stage that are not reduced (copied as they are)
    int depth = 0;
    system_view<T> last{};
    T* solution = nullptr; ///< where the caller writes the unknowns of `last` before substitute_part
};

/// Bytes of workspace of reduce_part: as for RPTS, at most 8 % of the 4 rows elements.
template <class T, executor Executor>
std::int64_t part_workspace(Executor const& exec, std::int64_t rows);

/// Does reduce_part take these options? Not a threshold, with which an entry counts as zero or not by its place in an
/// elimination, and that differs between parts and a whole; not solves without pivoting on CUDA, which have no kernels.
template <executor Executor>
bool takes_part(Executor const& exec, tridiagonal_options const& options);

/// Reduces `part`, one system with one right-hand side. Its `before` and `behind` are null where no part is on that
/// side, and else say where the unknown of that part will be when substitute_part is called. Returns when the work is
/// queued.
template <class T, executor Executor>
part_stages<T> reduce_part(Executor const& exec, system_view<T> const& part, array_view<std::byte> workspace,
                           tridiagonal_options const& options);

/// Computes part.x from the unknowns in `solution` and the unknowns beyond the part.
template <class T, executor Executor>
void substitute_part(Executor const& exec, part_stages<T> const& part, tridiagonal_options const& options);

} // namespace coppice::rpts
