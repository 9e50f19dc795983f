// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Bidirectional scan: two opposed scans along all paths of a graph at once, with a user operator.
///
/// For data that is linked like a list whose direction nobody knows: every vertex names up to two neighbours. The scan
/// gives every vertex, in both directions, the end of its path and the combination of all values up to there (positions
/// with +, the weakest link with min, affine maps with their composition), and tells vertices in cycles.
///
///     struct neighbor {
///         int const* of;
///         COPPICE_HD int operator()(std::int64_t v, int d) const { return of[2 * v + d]; }
///     };
///     struct one {
///         COPPICE_HD int operator()(std::int64_t, int) const { return 1; }
///     };
///     auto const scan = bidirectional_scan<int, int>(exec, n, neighbor{neighbors}, one{}, plus{});
///     path_end_vertex(scan.entries[v].link[0]);   // the end in direction 0
///     scan.entries[v].value[0];                   // vertices from v to there, both included
#pragma once

#include <coppice/graph/scan/bidirectional_scan.hpp>
