// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Problems whose rows lie in parts, one for each of several executors: the cores of this machine in shares, or
/// devices.
///
///     std::vector<coppice::host_executor> const shares(2, coppice::host_executor{2});
///     coppice::multi_executor<coppice::host_executor> const all(shares);
///     all.run([&](coppice::host_executor const& exec, coppice::part_messages const& others) {
///         // others.part() is the number of this part; rows of the part, in the memory of exec
///         auto const report = coppice::solve_tridiagonal_part(exec, others, a.view(), d.view(), x.view());
///     });
///
/// `solve_bands_part` is the same for every class of <coppice/banded.hpp> and any number of right-hand sides.
/// `csr_part` multiplies sparse matrices in parts, `solve_in_parts` runs Krylov methods over them. `graph_part` is a
/// weighted graph in parts, of which parallel_factor() and extract_forest() make what one executor would make;
/// `bidirectional_scan_part` scans paths across parts. Guide: docs/guide/parts.md.
#pragma once

#include <coppice/core/multi_executor.hpp>
#include <coppice/solvers/distributed/bands/distributed_bands.hpp>
#include <coppice/solvers/distributed/bands/distributed_tridiagonal.hpp>
#include <coppice/solvers/distributed/bands/reduced_ranks.hpp>
#include <coppice/solvers/distributed/distributed_solve.hpp>
#include <coppice/solvers/distributed/graphs/distributed_graph.hpp>
#include <coppice/solvers/distributed/graphs/distributed_scan.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr.hpp>
#include <coppice/solvers/distributed/rows/rank_executor.hpp>
