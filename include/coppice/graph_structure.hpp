// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Structure of graphs: components, cores, triangles, independent sets, matchings, colourings, spanning forests.
///
///     connected_components(exec, g);      // label of every vertex: smallest vertex of its component
///     core_numbers(exec, g);              // by peeling
///     count_triangles(exec, g);           // and clustering(exec, g): at every vertex, with coefficients
///     clustering_coefficients(exec, a);   // of a weighted or directed graph
///     maximal_independent_set(exec, g);   // greedy, low degrees first
///     maximal_matching(exec, g);          // greedy, near edges first; heavy ones: <coppice/factor.hpp>
///     colour_graph(exec, g);              // greedy, high degrees first
///     minimum_spanning_forest(exec, a);   // of a weighted graph
///     bridges(exec, g);                   // edges whose removal disconnects a component
///     biconnected_components(exec, g);    // and articulation points
///     diameter(exec, g);                  // lower and upper bound
///     strongly_connected_components(exec, g, incoming); // of a directed graph and its transpose
///
/// A graph is a square matrix with 32-bit indices; row u holds the edges that leave u. All except the last function
/// and clustering_coefficients need **undirected** graphs, which store both directions of every edge:
/// require_undirected(exec, g, "my analysis") throws if this does not hold, symmetrised_weights(exec, a) makes such a
/// graph. minimum_spanning_forest and clustering_coefficients use edge weights. Results are the same on host and CUDA,
/// for any number of threads.
#pragma once

#include <coppice/graph/search/diameter.hpp>
#include <coppice/graph/structure/biconnected.hpp>
#include <coppice/graph/structure/bridges.hpp>
#include <coppice/graph/structure/clustering_coefficients.hpp>
#include <coppice/graph/structure/colouring.hpp>
#include <coppice/graph/structure/components.hpp>
#include <coppice/graph/structure/cores.hpp>
#include <coppice/graph/structure/independent_set.hpp>
#include <coppice/graph/structure/maximal_matching.hpp>
#include <coppice/graph/structure/spanning_forest.hpp>
#include <coppice/graph/structure/strong_components.hpp>
#include <coppice/graph/structure/triangles.hpp>
