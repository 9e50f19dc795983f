// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Which vertices matter: betweenness, closeness, Katz, eigenvector, hubs and authorities; pagerank.hpp has PageRank.
///
///     auto const turned = transpose(exec, a.view());                       // a itself where the graph is undirected
///     betweenness(exec, g, turned);                                        // exact: all sources, four at a time
///     betweenness(exec, g, turned, {.from = {.samples = 1000}});           // estimated
///     closeness(exec, g);                                                  // and harmonic; 64 sources at a time
///     katz_centrality(exec, g, turned, {.alpha = 0.01});
///     eigenvector_centrality(exec, turned);
///     hubs_and_authorities(exec, g, turned);
///     bfs_levels(exec, g, {3, 14, 15});                                    // levels from many sources
///
/// Edge weights are ignored by all of them. In betweenness, closeness and bfs_levels the length of a path is its number
/// of edges; in katz_centrality, eigenvector_centrality and hubs_and_authorities every stored edge counts as 1.
#pragma once

#include <coppice/graph/centrality/betweenness.hpp>
#include <coppice/graph/centrality/closeness.hpp>
#include <coppice/graph/centrality/spectral.hpp>
