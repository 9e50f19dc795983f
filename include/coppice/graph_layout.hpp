// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Positions of the vertices of a graph in the plane, for pictures.
///
///     auto const where = graph_layout(host, g); // where[v] = {x, y}; edges have a mean length of 1
///
/// A multilevel force-directed method on the host, for graphs of up to some 10^5 vertices. Components are next to each
/// other. Results do not depend on the number of threads.
#pragma once

#include <coppice/graph/layout/layout.hpp>
