// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What a backend gives to the solvers over bands, beside for_each; they are written once over these functions, and a
/// source that instantiates them for an executor sees the launchers of that backend here:
///
///     launch_bytes<T>(exec, rows, links)   memory that a launch needs beside the links
///     sides_at_once(exec, rows)            right-hand sides that a launch takes, at most most_sides
///     reduce(exec, stage, memory)          units -> links
///     close(exec, closing, memory)         the last link -> its unknowns
///     substitute(exec, stage, memory)      unknowns of the links -> unknowns of the units
///     measure(exec, job, judging)          residuals and sizes of a solution; true if it judged them, too
///
/// and, where joins_links(exec, rows) says that all links are solved at once, by
///
///     tree_elements(exec, levels, rows)    elements of memory for that, the links included
///     solve_links(exec, tree_job)          the links of the finest stage -> their unknowns
///
/// and, where from_both_ends(exec, rows) says that there are no links at all, by
///
///     ends_bytes(rows, sides), solve_from_ends(exec, units, how, memory, gate)
///
/// It may have a queue_tries(exec, later_tries) of its own (later_tries.hpp).
#pragma once

#include <coppice/solvers/direct/block_banded/chain_host.hpp>
#include <coppice/solvers/direct/block_banded/chain_models.hpp>
#include <coppice/solvers/direct/block_banded/chain_tree.hpp>
#include <coppice/solvers/direct/error/error_host.hpp>
#if defined(__CUDACC__)
#include <coppice/solvers/direct/block_banded/chain_cuda.cuh>
#include <coppice/solvers/direct/error/error_cuda.cuh>
#endif
