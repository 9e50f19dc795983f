// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What a graph is made of: components, cores, triangles, independent sets, matchings, colours, spanning
/// forests.
///
///     connected_components(exec, g);      // the smallest vertex of its component, for every vertex
///     core_numbers(exec, g);              // by peeling
///     count_triangles(exec, g);           // and clustering(exec, g): at every vertex, with coefficients
///     maximal_independent_set(exec, g);   // greedy, few edges first
///     maximal_matching(exec, g);          // greedy, near edges first; heavy ones: <coppice/factor.hpp>
///     colour_graph(exec, g);              // greedy, many edges first
///     minimum_spanning_forest(exec, a);   // of a weighted graph
///     bridges(exec, g);                   // edges whose removal parts a component
///     diameter(exec, g);                  // bounds of it
///     strongly_connected_components(exec, g, incoming); // of a directed graph and its transpose
///
/// A graph is a square matrix with 32-bit indices; row u holds what leaves u. All but the last need **undirected**
/// graphs, which store both directions of every edge: require_undirected(exec, g, "my analysis") throws where that is
/// not so, symmetrised_weights(exec, a) makes one. Edge weights are used by minimum_spanning_forest and ignored by the
/// others. The same answer on host and CUDA, for any number of threads.
#pragma once

#include <coppice/graph/search/diameter.hpp>
#include <coppice/graph/structure/bridges.hpp>
#include <coppice/graph/structure/colouring.hpp>
#include <coppice/graph/structure/components.hpp>
#include <coppice/graph/structure/cores.hpp>
#include <coppice/graph/structure/independent_set.hpp>
#include <coppice/graph/structure/maximal_matching.hpp>
#include <coppice/graph/structure/spanning_forest.hpp>
#include <coppice/graph/structure/strong_components.hpp>
#include <coppice/graph/structure/triangles.hpp>
