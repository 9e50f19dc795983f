// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Parallel bidirectional scan (algorithm 7): two opposed scans along every path of a graph, given the two neighbours
/// of each vertex without an orientation.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include <coppice/graph/scan/scan_entry.hpp>

namespace coppice::inline v0_1 {

/// Scans every path of a graph in both directions.
///
/// The graph is undirected and each vertex has at most two distinct neighbours: neighbor(v, d) for d = 0, 1 is a vertex
/// or -1, never v itself, and if w is a neighbour of v, then v is one of w. initial(v, d) is the Value of v in the scan
/// of direction d. combine(near, far) is associative and need not be commutative; its operands are ordered by distance
/// from v.
///
/// Vertices in cycles keep links that are vertices; `open` counts them. If combine is idempotent and initial(v, d) is a
/// property of the edge from v to neighbor(v, d), then combining the two values of such a vertex gives the combination
/// over all edges of its cycle. Other values in cycles are unspecified.
///
/// On CUDA each splitter, one vertex in eight, walks to the next splitter, and pointer jumping (algorithm 7) runs over
/// the splitters: all vertices are read three times, splitters in ceil(log2 N) rounds; waits once for up to 2^21
/// vertices. Memory: 1.25 entries per vertex. On the host, which favours little work over few steps, one walk starts at
/// each end of a path. The result has the same bits for any number of threads. The three operators are named function
/// objects with COPPICE_HD call operators; Value is trivially copyable with a default constructor. Throws
/// overflow_error if `vertices` does not fit in I.
template <class Value, class I, executor Executor, class Neighbor, class Initial, class Combine>
scan_result<Value, I> bidirectional_scan(Executor const& exec, std::int64_t vertices, Neighbor neighbor,
                                         Initial initial, Combine combine);

} // namespace coppice::inline v0_1

#include <coppice/graph/scan/bidirectional_scan_host.hpp>
#include <coppice/graph/scan/scan_by_splitters.hpp>

namespace coppice::inline v0_1 {

template <class Value, class I, executor Executor, class Neighbor, class Initial, class Combine>
scan_result<Value, I> bidirectional_scan(Executor const& exec, std::int64_t vertices, Neighbor neighbor,
                                         Initial initial, Combine combine) {
    static_assert(std::is_trivially_copyable_v<Value> && std::is_default_constructible_v<Value>,
                  "values of a scan are trivially copyable and have a default constructor");
    checked_cast<I>(vertices, "number of vertices");
    return graph_detail::scan_on<Value, I>(exec, vertices, neighbor, initial, combine);
}

} // namespace coppice::inline v0_1
