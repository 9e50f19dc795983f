// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// RPTS on rows that are a part of a longer system: its reduction down to a few rows, which are coupled to the parts
/// before and behind, and the way back (thesis section 2.5, with the coarsest system shared by all parts).
///
/// A coarse row couples an end of a partition to the unknowns next to it. What sticks out of the part at its first and
/// last row is carried along, so that the coarse rows of all parts, one behind the other, are a tridiagonal system.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <coppice/core/executor.hpp>
#include <coppice/solvers/direct/pivoting.hpp>
#include <coppice/solvers/rpts/rpts_stage.hpp>

namespace coppice::rpts {

/// Rows that are not reduced any further: they cross between parts.
inline constexpr std::int64_t most_part_rows = 512;

/// The stages of a part: from its rows to `last`, whose rows are of memory of the executor. Of a part that is not
/// reduced, `last` has its own rows.
template <class T>
struct part_stages {
    std::array<stage<T>, most_stages> stages{};
    std::array<std::int64_t, most_stages> carried{}; ///< rows of each that are not reduced
    int depth = 0;
    system_view<T> last{};
    T* solution = nullptr; ///< where the values of the unknowns of `last` are written before the way back
};

/// Bytes of workspace of reduce_part: as for RPTS, at most 8 % of the 4 rows elements.
template <class T, executor Executor>
std::int64_t part_workspace(Executor const& exec, std::int64_t rows);

/// Does reduce_part take these? With a threshold entries count as zero by their place in an elimination; on CUDA
/// without pivoting there are no kernels.
template <executor Executor>
bool takes_part(Executor const& exec, tridiagonal_options const& options);

/// Reduces `part`, one system with one right-hand side; `before` and `behind` say whether anything is there, and where
/// its value will be when substitute_part is called. Returns when the work is queued.
template <class T, executor Executor>
part_stages<T> reduce_part(Executor const& exec, system_view<T> const& part, array_view<std::byte> workspace,
                           tridiagonal_options const& options);

/// part.x from the values in `solution` and those beyond the part.
template <class T, executor Executor>
void substitute_part(Executor const& exec, part_stages<T> const& part, tridiagonal_options const& options);

} // namespace coppice::rpts
