// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// HBISA (hybrid blocked iterative solving algorithm) for block-tridiagonal systems with large sparse blocks, and
/// stationary distributions of quasi-birth-death (QBD) Markov chains.
///
///     auto const a = queue_matrix<double>(exec, {.servers = 100, .places = 16, .arrival = 50, .loss = 0.5});
///     hbisa<host_executor, double> const solver(exec, a.view(), {.storage = {.block = 16}, .tolerance = 1e-7});
///     auto const result = solver.solve(exec, b.view(), x.view()).front();
///     stationary_distribution(exec, chain.view(), x.view(), {.block = 16});
///
/// Arguments, results and errors are documented in the headers below; method and measurements: docs/guide/queues.md.
#pragma once

#include <coppice/algebra/block_hybrid.hpp>
#include <coppice/algebra/generate/queue_chain.hpp>
#include <coppice/solvers/queueing/hbisa.hpp>
#include <coppice/solvers/queueing/stationary.hpp>
