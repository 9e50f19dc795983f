// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Coarsening of graphs: aggregates of vertices, and the contracted graph.
///
///     auto const factor = coppice::parallel_factor(exec, weights);                 // at most two edges a vertex
///     auto const forest = coppice::extract_forest(exec, weights, factor);
///     auto const a = coppice::aggregate_runs(exec, forest, 3);                     // a.of[v], a.count
///     auto const coarse = coppice::contract(exec, weights, a);                     // edge weights added
///     auto const light = coppice::contract(exec, coppice::min_plus<float>{}, weights, a, 0.0f);
///
/// Aggregates are runs (consecutive vertices) of the paths of a linear forest (aggregate_runs), or the pairs of a
/// matching (aggregate_pairs); compose() combines two steps of coarsening. contract() computes P^T A P over any
/// semiring with the membership matrix P; edges within an aggregate become loops. Vertices may belong to no aggregate;
/// they are not in the contracted graph. The aggregates are the same for every executor and any number of threads.
#pragma once

#include <coppice/graph/factor/factor.hpp>
#include <coppice/graph/forest/aggregates.hpp>
#include <coppice/graph/forest/contract.hpp>
