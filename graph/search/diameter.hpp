// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Bounds of the diameter by searches from peripheral and central vertices.
#pragma once

#include <coppice/graph/search/bfs.hpp>

namespace coppice::inline v0_1 {

struct diameter_options {
    vertex_id source = -1; ///< vertex of the component of interest; -1: the smallest vertex of maximum degree
    int searches = 8;      ///< maximum number of searches, >= 1; fewer if the bounds are equal
};
struct diameter_bounds {
    std::int32_t lower = 0; ///< length in edges of a shortest path between `from` and `to`
    std::int32_t upper = 0; ///< upper bound of all distances in the component
    vertex_id from = 0, to = 0;
    std::int64_t reached = 0; ///< number of vertices of the component
    int searches = 0;
};

/// Computes bounds of the diameter, in edges, of one component of an undirected graph. Every second search starts at
/// the last vertex of the search before, the others in the middle of the longest path found (Magnien, Latapy and Habib
/// 2009; Crescenzi et al., 2013). A search of depth d gives the bounds d and 2 d. On trees and most real graphs the
/// bounds soon become equal. The result is the same on host and CUDA. Memory as bfs(). Waits.
template <executor Executor>
diameter_bounds diameter(Executor const& exec, graph_view g, diameter_options const& options = {});

namespace analytics {

/// A vertex and its rank; the largest rank wins, then the smallest vertex.
struct ranked_vertex {
    std::int64_t rank;
    std::int64_t vertex;
};
struct highest_rank {
    COPPICE_HD ranked_vertex operator()(ranked_vertex const& a, ranked_vertex const& b) const {
        if (a.rank != b.rank) return a.rank > b.rank ? a : b;
        return a.vertex < b.vertex ? a : b;
    }
};
struct by_degree {
    graph_view g;
    COPPICE_HD ranked_vertex operator()(std::int64_t v) const { return {g.degree(v), v}; }
};
struct by_level {
    std::int32_t const* levels;
    COPPICE_HD ranked_vertex operator()(std::int64_t v) const { return {levels[v], v}; }
};
template <executor Executor, class Rank>
vertex_id first_ranked(Executor const& exec, std::int64_t vertices, Rank const& rank) {
    return static_cast<vertex_id>(
        reduce(exec, vertices, ranked_vertex{-2, std::numeric_limits<std::int64_t>::max()}, rank, highest_rank{})
            .vertex);
}

} // namespace analytics

template <executor Executor>
diameter_bounds diameter(Executor const& exec, graph_view g, diameter_options const& options) {
    using namespace analytics;
    if (options.searches < 1)
        throw argument_error("diameter option searches is " + std::to_string(options.searches) +
                             ", expected 1 or more");
    diameter_bounds d;
    if (g.vertices == 0) return d;
    vertex_id at = options.source >= 0 ? options.source : first_ranked(exec, g.vertices, by_degree{g});
    require_vertex(g, at, "the source of diameter");
    d.upper = std::numeric_limits<std::int32_t>::max();
    for (bool far = true;; far = !far) {
        auto const r = bfs(exec, g, at, {.incoming = g});
        vertex_id const end = first_ranked(exec, g.vertices, by_level{r.levels.data()});
        ++d.searches;
        d.reached = r.reached;
        d.upper = std::min(d.upper, 2 * r.depth);
        if (d.searches == 1 || r.depth > d.lower) {
            d.lower = r.depth;
            d.from = at;
            d.to = end;
        }
        if (d.lower == d.upper || d.searches == options.searches) return d;
        at = end;
        if (far) continue;
        for (int step = 0; step < r.depth / 2; ++step) at = exec.load(r.parents.data() + at);
    }
}

#define COPPICE_DIAMETER(EXTERN, EXECUTOR)                                                                             \
    EXTERN template diameter_bounds diameter(EXECUTOR const&, graph_view, diameter_options const&)
COPPICE_DIAMETER(extern, host_executor);
COPPICE_DIAMETER(extern, cuda_executor);

} // namespace coppice::inline v0_1
