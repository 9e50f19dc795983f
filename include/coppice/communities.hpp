// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Groups of vertices that are close to each other, in undirected graphs.
///
///     louvain(exec, a.view());                               // communities of large modularity; values are weights
///     modularity(exec, a.view(), labels);                    // of any communities
///     label_propagation(exec, g);
///     truss_numbers(exec, g);                                // the densest k-truss that every edge is in
///     edge_similarity(exec, g, similarity::overlap);         // or jaccard, for every stored edge
///
/// Edge weights are used by louvain and modularity, and ignored by the others. Labels are the smallest vertices of the
/// communities. The same answer on host and CUDA, for any number of threads.
#pragma once

#include <coppice/graph/communities/label_propagation.hpp>
#include <coppice/graph/communities/louvain.hpp>
#include <coppice/graph/communities/truss.hpp>
