// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Similarity of the neighbourhoods of the two ends of an edge.
#pragma once

#include <coppice/graph/frontier/shared_neighbors.hpp>

namespace coppice::inline v0_1 {

enum class similarity {
    jaccard, ///< |N(u) ∩ N(v)| / |N(u) ∪ N(v)|
    overlap, ///< |N(u) ∩ N(v)| / min(|N(u)|, |N(v)|)
};

/// Computes the similarity of the ends of every stored edge of an undirected graph with sorted rows without parallel
/// edges; the result is in the memory of the executor. Loops do not count and get 0. The result has the same bits for
/// any number of threads, on host and CUDA. Time per edge: min(degree) log(max(degree)) of its ends. Returns
/// immediately on CUDA.
template <executor Executor>
buffer<double> edge_similarity(Executor const& exec, graph_view g, similarity kind = similarity::jaccard);

namespace analytics {

struct compare_ends {
    graph_view g;
    similarity kind;
    double* values;
    COPPICE_HD double neighbors(vertex_id u) const {
        return double(g.degree(u) - (position_of_edge(g, u, u) >= 0 ? 1 : 0));
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker&, vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        double shared = 0;
        for (common_neighbors both(g, u, v); u != v && both.next();)
            shared += both.vertex != u && both.vertex != v ? 1 : 0;
        double const a = neighbors(u), b = neighbors(v);
        double const of = kind == similarity::jaccard ? a + b - shared : a < b ? a : b;
        values[k] = of > 0 ? shared / of : 0.0;
    }
};

} // namespace analytics

template <executor Executor>
buffer<double> edge_similarity(Executor const& exec, graph_view g, similarity kind) {
    using namespace analytics;
    buffer<double> values(exec, g.edge_count);
    auto const all_vertices = every_vertex(exec, g);
    edge_map(exec, nullptr, all_vertices.data(), g, nothing(), compare_ends{g, kind, values.data()});
    return values;
}

#define COPPICE_SIMILARITY(EXTERN, EXECUTOR)                                                                           \
    EXTERN template buffer<double> edge_similarity(EXECUTOR const&, graph_view, similarity)
COPPICE_SIMILARITY(extern, host_executor);
COPPICE_SIMILARITY(extern, cuda_executor);

} // namespace coppice::inline v0_1
