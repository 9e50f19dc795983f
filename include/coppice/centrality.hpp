// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Centralities of vertices: betweenness, closeness, Katz, eigenvector, hubs and authorities. PageRank is in
/// pagerank.hpp.
///
///     auto const transposed = transpose(exec, a.view());                    // if undirected: a itself
///     betweenness(exec, g, transposed);                                     // exact: all sources, four at a time
///     betweenness(exec, g, transposed, {.from = {.samples = 1000}});        // estimated
///     closeness(exec, g);                                                   // and harmonic; 64 sources at a time
///     katz_centrality(exec, g, transposed, {.alpha = 0.01});
///     eigenvector_centrality(exec, transposed);
///     hubs_and_authorities(exec, g, transposed);
///     bfs_levels(exec, g, {3, 14, 15});                                     // levels from many sources
///     all_pairs_distances(exec, a.view(), receive, {.memory = 1 << 30});      // in blocks of bounded memory
///     weighted_betweenness(exec, a.view(), transposed.view());              // values are lengths
///     weighted_closeness(exec, a.view());
///
/// In betweenness, closeness and bfs_levels the length of a path is its number of edges. betweenness also computes the
/// scores of edges. In katz_centrality, eigenvector_centrality and hubs_and_authorities every stored edge counts as 1
/// unless weights are given.
#pragma once

#include <coppice/graph/centrality/all_pairs.hpp>
#include <coppice/graph/centrality/betweenness.hpp>
#include <coppice/graph/centrality/closeness.hpp>
#include <coppice/graph/centrality/spectral.hpp>
#include <coppice/graph/centrality/weighted_paths.hpp>
