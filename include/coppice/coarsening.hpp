// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Coarsening of graphs: aggregates of vertices, and the graph between them.
///
///     auto const factor = coppice::parallel_factor(exec, weights);                 // at most two edges a vertex
///     auto const forest = coppice::extract_forest(exec, weights, factor);
///     auto const a = coppice::aggregate_runs(exec, forest, 3);                     // a.of[v], a.count
///     auto const coarse = coppice::contract(exec, weights, a);                     // edge weights added
///     auto const light = coppice::contract(exec, coppice::min_plus<float>{}, weights, a, 0.0f);
///
/// Aggregates come from the paths of a linear forest, cut into runs (aggregate_runs), or from a matching
/// (aggregate_pairs); compose() joins two steps of coarsening. contract() is P^T A P over any semiring with the
/// membership matrix P; it keeps the edges within an aggregate as loops. Vertices may be left out: they vanish.
/// The same aggregates for every executor and any number of threads.
#pragma once

#include <coppice/graph/factor/factor.hpp>
#include <coppice/graph/forest/aggregates.hpp>
#include <coppice/graph/forest/contract.hpp>
