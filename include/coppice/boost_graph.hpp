// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Adaptor for Boost.Graph: its algorithms on matrices, and its graphs as matrices. Needs the headers of Boost.
///
///     boost::dijkstra_shortest_paths(a.view(), 0, boost::distance_map(...));  // any of Boost's on a matrix
///     auto const b = csr_of_boost<float>(host, graph, get(boost::edge_weight, graph));
///     connected_components(host, graph_view(b));                              // any of ours on a Boost graph
#pragma once

#include <coppice/graph/adaptors/boost_graph.hpp>
