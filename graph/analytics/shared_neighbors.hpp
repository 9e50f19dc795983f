// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Triangles of a graph whose edges have one direction each: u -> v, u -> w, v -> w.
///
///   - `visit_triangles(exec, g, d, f)`: g is the undirected graph, d its edges in one direction. f.first(worker, u,
///     count), where all counts of a vertex together are the triangles u -> v, u -> w, v -> w; and where f.corners is
///     true f.second(worker, v, count) in the same way and f.third(worker, w) for every triangle. Rows are sorted and
///     hold every edge once.
///
/// The rule is one: w is in the rows of both u and v. The host marks row u in bits; so does CUDA for the vertices of
/// most edges, and the others it puts in hash tables of a warp or a block. Both look at the rows of u's neighbours.
#pragma once

#include <vector>

#include <coppice/graph/analytics/worklist.hpp>

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

/// Vertex u, by the bits of its row; they are all 0 before and after.
template <class Worker, class F>
void visit_marked(Worker& worker, graph_view g, vertex_id u, std::uint64_t* bits, F const& f) {
    auto const begin = g.offsets[u], end = g.offsets[u + 1];
    if (end - begin < 2) return;
    for (auto k = begin; k < end; ++k) bits[g.neighbors[k] >> 6] |= std::uint64_t(1) << (g.neighbors[k] & 63);
    std::int64_t all = 0;
    for (auto k = begin; k < end; ++k) {
        vertex_id const v = g.neighbors[k];
        std::int64_t count = 0;
        for (auto i = g.offsets[v], last = g.offsets[v + 1]; i < last; ++i) {
            vertex_id const w = g.neighbors[i];
            std::uint64_t const both = (bits[w >> 6] >> (w & 63)) & 1;
            count += static_cast<std::int64_t>(both);
            if constexpr (F::corners)
                if (both) f.third(worker, w);
        }
        all += count;
        if constexpr (F::corners) f.second(worker, v, count);
    }
    f.first(worker, u, all);
    for (auto k = begin; k < end; ++k) bits[g.neighbors[k] >> 6] = 0;
}

template <class F>
void visit_triangles(host_executor const& exec, graph_view, graph_view d, F const& f) {
    auto const words = (std::size_t(d.vertices) + 63) / 64;
    // As many stretches as threads could want, each with bits of its own.
    std::int64_t const stretches = exec.threads() == 1 ? 1 : 16 * std::int64_t(exec.threads());
    std::int64_t const stretch = std::max<std::int64_t>((d.vertices + stretches - 1) / stretches, 1024);
    with_workers(exec, d.vertices, 16 * stretch, nothing(), [&](auto& worker, std::int64_t first, std::int64_t last) {
        std::vector<std::uint64_t> bits(words, 0);
        for (std::int64_t u = first; u < last; ++u) visit_marked(worker, d, vertex_id(u), bits.data(), f);
    });
}

} // namespace coppice::analytics

#if defined(__CUDACC__)
#include <coppice/graph/analytics/shared_neighbors_cuda.cuh>
#endif
