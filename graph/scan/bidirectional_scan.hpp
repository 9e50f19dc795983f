// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Parallel bidirectional scan (algorithm 7): two opposed scans along every path of a doubly linked graph whose
/// vertices know their two neighbours but not which of them is forward.
#pragma once

#include <cstdint>
#include <string>

#include <coppice/graph/scan/scan_entry.hpp>

namespace coppice {

/// Scans every path of a graph in both directions at once.
///
/// The graph is undirected with at most two distinct neighbours a vertex: neighbor(v, d) for d = 0, 1 is a vertex or
/// -1, never v itself, and w is a neighbour of v where v is one of w. initial(v, d) is the Value that v brings into the
/// scan of direction d. combine(near, far) is associative, need not commute, and gets its operands outward from v.
///
/// Vertices in cycles end with links that are no marks; `open` counts them. Where combine is idempotent and initial(v,
/// d) is a property of the edge from v to neighbor(v, d), combining the two values of such a vertex gives the
/// combination of all edges of its cycle. Other values in cycles are unspecified.
///
/// On CUDA by walks to the next of posts, one vertex of eight, and by pointer jumping (algorithm 7) over these: all
/// vertices are read three times, posts in ceil(log2 N) rounds; waits once for up to 2^21 vertices. Takes 1.25 entries
/// of memory per vertex. On the host, where work counts more than steps, each end of a path walks along it.
/// Same bits for any number of threads. All three operators are named function objects with COPPICE_HD call operators;
/// Value is trivially copyable. Throws overflow_error where `vertices` does not fit an I.
template <class Value, class I, executor Executor, class Neighbor, class Initial, class Combine>
scan_result<Value, I> bidirectional_scan(Executor const& exec, std::int64_t vertices, Neighbor neighbor,
                                         Initial initial, Combine combine);

} // namespace coppice

#include <coppice/graph/scan/bidirectional_scan_host.hpp>
#include <coppice/graph/scan/scan_by_splitters.hpp>

namespace coppice {

template <class Value, class I, executor Executor, class Neighbor, class Initial, class Combine>
scan_result<Value, I> bidirectional_scan(Executor const& exec, std::int64_t vertices, Neighbor neighbor,
                                         Initial initial, Combine combine) {
    checked_cast<I>(vertices, "number of vertices");
    return graph_detail::scan_on<Value, I>(exec, vertices, neighbor, initial, combine);
}

} // namespace coppice
