// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Community detection, trusses and edge similarities of undirected graphs.
///
///     louvain(exec, a.view());                               // communities of large modularity; values are weights
///     leiden(exec, a.view());                                // the same, with connected communities
///     modularity(exec, a.view(), labels);                    // of any communities
///     label_propagation(exec, g);
///     truss_numbers(exec, g);                                // largest k of a k-truss that contains the edge
///     edge_similarity(exec, g, similarity::overlap);         // or jaccard, for every stored edge
///
/// louvain, leiden and modularity use edge weights; the others ignore them. The label of a community is its smallest
/// vertex. Results are the same on host and CUDA, for any number of threads.
#pragma once

#include <coppice/graph/communities/label_propagation.hpp>
#include <coppice/graph/communities/leiden.hpp>
#include <coppice/graph/communities/louvain.hpp>
#include <coppice/graph/communities/truss.hpp>
