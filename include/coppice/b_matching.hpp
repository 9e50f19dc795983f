// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// b-matchings: heavy edges of a graph, at most b at each vertex ([0, n]-factors of any n).
///
///     auto const three = b_matching(exec, weights.view(), 3);             // at most 3 edges at a vertex
///     auto const some = b_matching(exec, weights.view(), capacities.view()); // capacities[v] at vertex v
///
/// The result is that of the greedy algorithm (heavy edges first), computed in parallel. For n up to 4,
/// parallel_factor() of <coppice/factor.hpp> is faster, and can stop before the factor is maximal.
#pragma once

#include <coppice/graph/factor/b_matching.hpp>
