// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The heaviest edges of a graph, so many at each vertex: [0, n]-factors of any n, and b-matchings.
///
///     auto const three = b_matching(exec, weights.view(), 3);             // at most 3 edges at a vertex
///     auto const some = b_matching(exec, weights.view(), capacities.view()); // capacities[v] at vertex v
///
/// The edges are those that the greedy algorithm keeps, heavy ones first, found by all vertices at once. For n up to 4
/// parallel_factor() of <coppice/factor.hpp> is quicker, and can end before it is maximal.
#pragma once

#include <coppice/graph/factor/b_matching.hpp>
