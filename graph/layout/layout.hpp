// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Positions of the vertices of a graph in the plane, for pictures.
#pragma once

#include <array>
#include <vector>

#include <coppice/graph/frontier/graph_view.hpp>

namespace coppice::inline v0_1 {

using plane_position = std::array<double, 2>;

/// Computes positions by a multilevel force-directed method. Directions of edges, loops and parallel edges are ignored.
/// The mean length of the edges of a component is 1, its longer axis is horizontal. Components are in rows next to each
/// other, the largest first; vertices without edges are in a block after them.
///
/// The hierarchy contracts matched vertices, and vertices without a free neighbour join the aggregate of one (Walshaw,
/// A multilevel algorithm for force-directed graph-drawing, 2003). On each level vertices repel each other, and edges
/// attract their ends (Fruchterman and Reingold 1991); groups of vertices far from each other act together (Greengard
/// and Rokhlin 1987). A coarse vertex has the mean force of its vertices. Deterministic for any number of threads. O((n
/// + m) log n) time on the host, for up to some 10^5 vertices: 100 000 vertices of a grid take some 6 s of one core.
std::vector<plane_position> graph_layout(host_executor const& exec, graph_view g);

} // namespace coppice::inline v0_1
