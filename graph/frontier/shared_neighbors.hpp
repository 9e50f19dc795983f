// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Triangles of a graph whose edges have one direction each: u -> v, u -> w, v -> w.
///
///   - `direct_edges(exec, g)`: g with its edges in one direction, to the end of larger degree; view() borrows it.
///   - `visit_triangles(exec, g, d, f)`: g is the undirected graph, d such edges. f.first(worker, u, count), where all
///     counts of a vertex together are the triangles u -> v, u -> w, v -> w; and where f.corners is true
///     f.second(worker, v, count) and f.third(worker, w) in the same way, the latter for one triangle. Rows are sorted
///     and hold every edge once.
///
/// The rule is one: w is in the rows of both u and v. The host marks row u in bits; so does CUDA for the vertices of
/// most edges, and the others it puts in hash tables of a warp or a block. Both look at the rows of u's neighbours,
/// and on the host rows of those of most edges are bits as well.
#pragma once

#include <coppice/graph/frontier/filtered_edges.hpp>

namespace coppice::analytics {

/// Walks through the vertices that are in the rows of both u and v: those of the shorter row are searched in the
/// longer. Rows are sorted and hold every edge once.
struct common_neighbors {
    graph_view g;
    bool shorter; ///< the row of u
    std::int32_t at, at_end, low, low_end;
    vertex_id vertex = -1;

    COPPICE_HD common_neighbors(graph_view graph, vertex_id u, vertex_id v)
        : g(graph), shorter(g.degree(u) < g.degree(v)), at(g.offsets[shorter ? u : v] - 1),
          at_end(g.offsets[(shorter ? u : v) + 1]), low(g.offsets[shorter ? v : u]),
          low_end(g.offsets[(shorter ? v : u) + 1]) {}
    COPPICE_HD bool next() {
        while (++at < at_end && low < low_end) {
            vertex = g.neighbors[at];
            for (std::int32_t high = low_end; low < high;) { // the first that is not smaller
                std::int32_t const middle = low + (high - low) / 2;
                if (g.neighbors[middle] < vertex)
                    low = middle + 1;
                else
                    high = middle;
            }
            if (low < low_end && g.neighbors[low] == vertex) return true;
        }
        return false;
    }
    /// Where the vertex stands in the rows of u and v.
    COPPICE_HD std::int32_t edge_of_u() const { return shorter ? at : low; }
    COPPICE_HD std::int32_t edge_of_v() const { return shorter ? low : at; }
};

/// Counts triangles at the vertex whose row has both others.
struct count_at_first {
    static constexpr bool corners = false;
    std::int64_t* counts;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void first(Worker& worker, vertex_id u, std::int64_t count) const {
        if (count > 0) worker.add(counts + u, count);
    }
    template <class Worker>
    COPPICE_HD void second(Worker&, vertex_id, std::int64_t) const {}
    template <class Worker>
    COPPICE_HD void third(Worker&, vertex_id) const {}
};
/// At all three.
struct count_at_corners {
    static constexpr bool corners = true;
    std::int64_t* counts;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void first(Worker& worker, vertex_id u, std::int64_t count) const {
        if (count > 0) worker.add(counts + u, count);
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void second(Worker& worker, vertex_id v, std::int64_t count) const {
        if (count > 0) worker.add(counts + v, count);
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void third(Worker& worker, vertex_id w) const {
        worker.add(counts + w, std::int64_t{1});
    }
};

} // namespace coppice::analytics

#include <coppice/graph/frontier/shared_neighbors_host.hpp>
#if defined(__CUDACC__)
#include <coppice/graph/frontier/shared_neighbors_cuda.cuh>
#endif
