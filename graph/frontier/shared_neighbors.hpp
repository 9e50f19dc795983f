// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Triangles of a graph whose edges have one direction each: u -> v, u -> w, v -> w.
///
///   - `direct_edges(exec, g)`: g with each edge in one direction only, to the end of larger degree; view() borrows it.
///   - `for_each_triangle(exec, g, d, f)`: g is the undirected graph, d its directed edges. Calls f.first(worker, u,
///     count); the counts of a vertex add up to its triangles u -> v, u -> w, v -> w. If f.corners is true, also calls
///     f.second(worker, v, count) in the same way, and f.third(worker, w) once per triangle. Rows are sorted and have
///     no parallel edges.
///
/// A triangle is a vertex w that is in the rows of both u and v. The host stores row u as a bit set. CUDA does so for
/// the vertices of highest degree, and stores other rows in the hash table of a warp or a block. Both scan the rows of
/// u's neighbours; on the host, the rows of the neighbours of highest degree are bit sets as well.
#pragma once

#include <coppice/graph/frontier/filtered_edges.hpp>

namespace coppice::inline v0_1::analytics {

/// The vertices [first, last).
struct vertex_range {
    std::int64_t first, last;
};

/// Iterates over the vertices that are in the rows of both u and v, by binary search of the vertices of the shorter row
/// in the longer one. Rows are sorted and have no parallel edges.
struct common_neighbors {
    graph_view g;
    bool shorter; ///< whether the row of u is the shorter one
    std::int32_t at, at_end, low, low_end;
    vertex_id vertex = -1;

    COPPICE_HD common_neighbors(graph_view graph, vertex_id u, vertex_id v)
        : g(graph), shorter(g.degree(u) < g.degree(v)), at(g.offsets[shorter ? u : v] - 1),
          at_end(g.offsets[(shorter ? u : v) + 1]), low(g.offsets[shorter ? v : u]),
          low_end(g.offsets[(shorter ? v : u) + 1]) {}
    COPPICE_HD bool next() {
        while (++at < at_end && low < low_end) {
            vertex = g.neighbors[at];
            for (std::int32_t high = low_end; low < high;) { // first one that is not smaller
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
    /// Position of the vertex in the rows of u and v.
    COPPICE_HD std::int32_t edge_of_u() const { return shorter ? at : low; }
    COPPICE_HD std::int32_t edge_of_v() const { return shorter ? low : at; }
};

/// Counts each triangle at its first vertex u only.
struct count_at_first {
    static constexpr bool corners = false;
    std::int64_t* counts;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void first(Worker& worker, vertex_id u, std::int64_t count) const {
        if (count > 0) worker.add(counts + u, count);
    }
    template <class Worker>
    COPPICE_HD void second(Worker&, vertex_id, std::int64_t) const {} // not covered: corners is false
    template <class Worker>
    COPPICE_HD void third(Worker&, vertex_id) const {}
};
/// Counts each triangle at its three vertices.
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

} // namespace coppice::inline v0_1::analytics

#include <coppice/graph/frontier/shared_neighbors_host.hpp>
#if defined(__CUDACC__)
#include <coppice/graph/frontier/shared_neighbors_cuda.cuh>
#endif
