// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Block-tridiagonal systems of large sparse blocks, and Markov chains of that form.
///
///     auto const a = queue_matrix<double>(exec, {.servers = 100, .places = 16, .arrival = 50, .loss = 0.5});
///     hbisa<host_executor, double> const solver(exec, a.view(), {.storage = {.block = 16}, .tolerance = 1e-7});
///     auto const result = solver.solve(exec, b.view(), x.view()).front();
///     stationary_distribution(exec, chain.view(), x.view(), {.block = 16});
///
/// What each one takes, gives and refuses stands in its header; method and figures: docs/guide/queues.md.
#pragma once

#include <coppice/algebra/block_hybrid.hpp>
#include <coppice/algebra/generate/queue_chain.hpp>
#include <coppice/solvers/queueing/hbisa.hpp>
#include <coppice/solvers/queueing/stationary.hpp>
