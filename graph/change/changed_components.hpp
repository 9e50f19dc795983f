// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Connected components of a graph after edges were added and removed.
#pragma once

#include <coppice/graph/change/edge_batch.hpp>
#include <coppice/graph/structure/components.hpp>

namespace coppice::inline v0_1 {

/// Computes the connected components of the undirected graph `g` from those of the graph before the edges `added` and
/// `removed` (one direction each suffices; an edge may be in both). Labels are as in connected_components(). Only
/// components that lost an edge are searched again; added edges unite the others. Time: O(n + changes + edges of
/// components that lost an edge). The result is the same for any number of threads, on host and CUDA. Waits.
///
/// Throws dimension_error if `old` has another number of vertices or the arrays of a batch differ in length,
/// argument_error for an index that is no vertex.
template <executor Executor>
components_result components_again(Executor const& exec, graph_view g, components_result const& old,
                                   std::vector<std::pair<vertex_id, vertex_id>> const& added,
                                   std::vector<std::pair<vertex_id, vertex_id>> const& removed);

/// Returns the end points of the edges of a batch.
template <class T>
std::vector<std::pair<vertex_id, vertex_id>> ends_of(edge_batch<T> const& batch) {
    analytics::require_lengths(batch, false);
    std::vector<std::pair<vertex_id, vertex_id>> ends;
    for (std::size_t k = 0; k < batch.from.size(); ++k) ends.emplace_back(batch.from[k], batch.to[k]);
    return ends;
}

namespace analytics {

struct flag_component {
    vertex_id const* ends;
    vertex_id const* labels;
    std::int32_t* lost;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id e) const {
        worker.store(lost + labels[ends[e]], 1);
    }
};
struct unite_again {
    graph_view g;
    vertex_id const* labels;
    std::int32_t const* lost;
    vertex_id* up;
    template <class Worker>
    COPPICE_HD bool enters(Worker const&, vertex_id u) const {
        return lost[labels[u]] != 0;
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        unite_trees(worker, up, u, g.neighbors[k]);
    }
};
/// Unites the ends of an added edge. Edges at components that lost an edge are united by unite_again if they are in the
/// graph: an edge that was added may have been removed again.
struct unite_pair {
    vertex_id const* ends;
    vertex_id const* labels;
    std::int32_t const* lost;
    vertex_id* up;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id e) const {
        vertex_id const u = ends[2 * e], v = ends[2 * e + 1];
        if (lost[labels[u]] == 0 && lost[labels[v]] == 0) unite_trees(worker, up, u, v);
    }
};
/// Old labels as parents; the vertices of lost components become roots.
struct keep_tree {
    vertex_id const* labels;
    std::int32_t const* lost;
    vertex_id* up;
    COPPICE_HD void operator()(std::int64_t v) const {
        up[v] = lost[labels[v]] != 0 ? static_cast<vertex_id>(v) : labels[v];
    }
};
/// Returns both ends of every edge, consecutively.
inline std::vector<vertex_id> flat_ends(graph_view g, std::vector<std::pair<vertex_id, vertex_id>> const& edges) {
    std::vector<vertex_id> ends;
    for (auto const& [u, v] : edges)
        for (vertex_id const end : {u, v}) {
            require_vertex(g, end, "an end of an edge of a batch");
            ends.push_back(end);
        }
    return ends;
}

} // namespace analytics

template <executor Executor>
components_result components_again(Executor const& exec, graph_view g, components_result const& old,
                                   std::vector<std::pair<vertex_id, vertex_id>> const& added,
                                   std::vector<std::pair<vertex_id, vertex_id>> const& removed) {
    using namespace analytics;
    std::int64_t const n = g.vertices;
    require_size("old labels of components_again", old.labels, n);
    auto const came = exec.copy(flat_ends(g, added)), went = exec.copy(flat_ends(g, removed));
    components_result result{buffer<vertex_id>(exec, n)};
    if (n == 0) return result;
    vertex_id* const up = result.labels.data();
    vertex_id const* const labels = old.labels.data();
    buffer<std::int32_t> lost_components(exec, n);
    std::int32_t* const lost = lost_components.data();
    fill(exec, lost_components.view(), 0);
    auto all_vertices = placed(exec, worklist{nullptr, n, 0});
    auto new_edges = placed(exec, worklist{nullptr, came.size() / 2, 0});
    auto old_ends = placed(exec, worklist{nullptr, went.size(), 0});
    vertex_map(exec, nullptr, old_ends.data(), nothing(), flag_component{went.data(), labels, lost});
    for_each(exec, n, keep_tree{labels, lost, up});
    edge_map(exec, nullptr, all_vertices.data(), g, nothing(), unite_again{g, labels, lost, up});
    vertex_map(exec, nullptr, new_edges.data(), nothing(), unite_pair{came.data(), labels, lost, up});
    vertex_map(exec, nullptr, all_vertices.data(), nothing(), flatten_tree{up});
    result.components = reduce(exec, n, std::int64_t{0}, is_root{up}, plus{});
    return result;
}

#define COPPICE_COMPONENTS_AGAIN(EXTERN, EXECUTOR)                                                                     \
    EXTERN template components_result components_again(EXECUTOR const&, graph_view, components_result const&,          \
                                                       std::vector<std::pair<vertex_id, vertex_id>> const&,            \
                                                       std::vector<std::pair<vertex_id, vertex_id>> const&)
COPPICE_COMPONENTS_AGAIN(extern, host_executor);
COPPICE_COMPONENTS_AGAIN(extern, cuda_executor);

} // namespace coppice::inline v0_1
