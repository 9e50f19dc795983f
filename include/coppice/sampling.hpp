// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Parts of a graph with local numbers, as graph networks and analyses of neighbourhoods need them.
///
///     auto const seeds = exec.copy(std::vector<vertex_id>{3, 14});
///     auto const batch = sample_neighbors(exec, g, seeds.view(), {.fanouts = {15, 10}, .seed = 7});
///     auto const ego = k_hop_subgraph(exec, g, seeds.view(), 2);          // all edges within two hops
///     auto const part = induced_subgraph(exec, g, batch.vertices.view()); // all edges between the vertices
///
/// Edge e leads from vertex batch.vertices[batch.from[e]] to batch.vertices[batch.to[e]] and is element batch.edges[e]
/// of the arrays of the graph. Samples depend on the seed alone: they are the same on host and CUDA, for any number of
/// threads. all_pairs_distances() in <coppice/centrality.hpp> computes distances between all vertices in blocks.
#pragma once

#include <coppice/graph/search/sampling.hpp>
