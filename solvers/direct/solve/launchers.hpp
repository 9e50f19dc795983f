// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Functions that a backend provides to the banded solvers, in addition to for_each. The solvers are written once over
/// these functions; a source that instantiates them for an executor includes the launchers of that backend here:
///
///     launch_bytes<T>(exec, elements)           memory for jobs of so many elements, besides the condensed rows
///     rhs_at_once(exec, rows)                   right-hand sides of a launch, at most max_rhs
///     run_job(exec, job, memory)                job.run(team, item, memory) for all items: a level_pass, a step of a
///                                               factored_level, or a final Schur complement, factored or not
///     measure(exec, job, checking)              errors of a solution; returns true if it also runs `checking`
///
/// If merges_in_one_kernel(exec, rows) is true, all condensed rows are solved by
///
///     tree_elements(exec, levels, rows)         elements of memory, the condensed rows included
///     solve_condensed(exec, tree_job)           the condensed rows of the finest level -> their unknowns
///
/// The host also has solve_from_ends (band_ends_host.hpp), without condensed rows, if from_both_ends(exec, rows) is
/// true.
///
/// A backend may overload queue_attempts(exec, later_attempts) (fallback_attempts.hpp).
#pragma once

#include <coppice/solvers/direct/block_banded/chain_host.hpp>
#include <coppice/solvers/direct/block_banded/chain_tree_plan.hpp>
#include <coppice/solvers/direct/error/error_host.hpp>
#if defined(__CUDACC__)
#include <coppice/solvers/direct/block_banded/chain_cuda.cuh>
#include <coppice/solvers/direct/error/error_cuda.cuh>
#endif
