// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Bidirectional scan: scans along all paths of a graph in both directions, with a user operator (list ranking on
/// undirected paths).
///
/// The input is a set of lists without orientation: every vertex has up to two neighbours. For every vertex and both
/// directions the scan computes the end of the path and the combination of all values up to it (positions with +, the
/// weakest edge with min, the composition of affine maps), and identifies vertices in cycles.
///
///     struct neighbor {
///         int const* of;
///         COPPICE_HD int operator()(std::int64_t v, int d) const { return of[2 * v + d]; }
///     };
///     struct one {
///         COPPICE_HD int operator()(std::int64_t, int) const { return 1; }
///     };
///     auto const scan = bidirectional_scan<int, int>(exec, n, neighbor{neighbors}, one{}, plus{});
///     path_end_vertex(scan.entries[v].link[0]);   // end of the path in direction 0
///     scan.entries[v].value[0];                   // number of vertices from v to that end, inclusive
#pragma once

#include <coppice/graph/scan/bidirectional_scan.hpp>
