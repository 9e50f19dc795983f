// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Batches of graphs: one block-diagonal graph, and results of each graph.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include <coppice/algebra/operations.hpp>
#include <coppice/graph/centrality/spectral.hpp>
#include <coppice/graph/search/sssp.hpp>
#include <coppice/graph/structure/components.hpp>

namespace coppice::inline v0_1 {

/// Several graphs as one, in the memory of an executor: graph i has the vertices first[i] to first[i + 1] - 1.
/// Algorithms whose result at a vertex depends on its component alone (levels, components, triangles, cores, matchings,
/// colours, betweenness without samples, ...) run on `graph`; batch_sum() adds their results by graph. Labels are
/// vertices of `graph`.
struct graph_batch {
    csr<double> graph{};
    buffer<vertex_id> first{}; ///< [count + 1]
    std::int64_t count = 0;
};

/// Copies graphs, in host memory, into one. O(total size) time, with the threads of `exec` if it is a host executor.
/// Throws dimension_error for a graph that is not square, overflow_error if the sum of vertices or edges exceeds 2^31
/// - 1.
template <executor Executor>
graph_batch make_graph_batch(Executor const& exec, std::span<csr_view<double> const> graphs);

/// Sums of values[vertices] over the vertices of every graph, in their order; the result has `count` elements. Queued.
template <executor Executor>
buffer<double> batch_sum(Executor const& exec, graph_batch const& batch, array_view<double const> values);

/// Number of connected components of every graph; the graphs store both directions of their edges. Waits.
template <executor Executor>
buffer<double> batch_components(Executor const& exec, graph_batch const& batch);

/// PageRank of every graph, whose ranks sum to 1; `weighted`: values are weights, at least 0. The ranks of a graph are
/// the solution of x = d P^T x + 1 divided by its sum, which is equal to the ranks with restarts from vertices without
/// edges. Stops if the sum of |change| of all x is below the tolerance, so that each graph is at least as accurate as
/// with pagerank(). Errors of pagerank(). Waits once per iteration.
template <executor Executor>
pagerank_result<double> batch_pagerank(Executor const& exec, graph_batch const& batch,
                                       pagerank_options const& options = {}, bool weighted = false);

/// Distances of the vertices from the source of their graph: `sources[count]` are numbers within the graphs, counted
/// from 0; -1: all distances are infinity. One search with the edges of all graphs. Throws argument_error for a source
/// that is no vertex of its graph, and the errors of sssp(). Waits.
template <executor Executor>
sssp_result<double> batch_sssp(Executor const& exec, graph_batch const& batch, std::vector<vertex_id> const& sources);

namespace analytics {

/// The matrix whose blocks are the graphs, in host memory; `first` gets the first vertices.
csr<double> block_diagonal(host_executor const& host, std::span<csr_view<double> const> graphs,
                           std::vector<vertex_id>& first);

struct divide_by_out_weight {
    graph_view g;
    double const* sums; ///< null: the number of edges
    double* weights;    ///< of the edges of g, which are replaced by the fractions of their row
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker&, vertex_id u, std::int32_t k) const {
        double const all = sums ? sums[u] : double(g.degree(u));
        weights[k] = sums ? (all > 0 ? weights[k] / all : 0.0) : 1 / all;
    }
};
struct divide_by_sum_of_graph {
    vertex_id const* first;
    double const* sums;
    double* ranks;
    COPPICE_HD void operator()(std::int64_t i) const {
        for (vertex_id v = first[i]; v < first[i + 1]; ++v) ranks[v] /= sums[i];
    }
};
struct as_it_is {
    COPPICE_HD double operator()(double const& x) const { return x; }
};
struct is_own_label {
    vertex_id const* labels;
    double* to;
    COPPICE_HD void operator()(std::int64_t v) const { to[v] = labels[v] == v ? 1.0 : 0.0; }
};

} // namespace analytics

template <executor Executor>
graph_batch make_graph_batch(Executor const& exec, std::span<csr_view<double> const> graphs) {
    std::vector<vertex_id> first;
    graph_batch batch;
    if constexpr (std::is_same_v<Executor, host_executor>)
        batch.graph = analytics::block_diagonal(exec, graphs, first);
    else
        batch.graph = exec.copy(analytics::block_diagonal(host_executor{}, graphs, first));
    batch.first = exec.copy(first);
    batch.count = std::int64_t(graphs.size());
    return batch;
}

template <executor Executor>
buffer<double> batch_sum(Executor const& exec, graph_batch const& batch, array_view<double const> values) {
    using namespace analytics;
    require_size("values of batch_sum", values, batch.graph.rows());
    buffer<double> sums(exec, batch.count);
    if (batch.count == 0) return sums;
    auto const plan = make_srcsr_plan(exec, batch.first.view(), std::int64_t(batch.graph.rows()), {});
    reduce_rows(exec, plan, along_nonzeros{as_it_is{}, values.data()}, add_in_double{}, store_sum{sums.data()});
    return sums;
}

template <executor Executor>
buffer<double> batch_components(Executor const& exec, graph_batch const& batch) {
    using namespace analytics;
    auto const found = connected_components(exec, graph_view(batch.graph));
    buffer<double> roots(exec, batch.graph.rows());
    for_each(exec, roots.size(), is_own_label{found.labels.data(), roots.data()});
    auto sums = batch_sum(exec, batch, std::as_const(roots).view());
    exec.synchronize();
    return sums;
}

template <executor Executor>
pagerank_result<double> batch_pagerank(Executor const& exec, graph_batch const& batch, pagerank_options const& options,
                                       bool weighted) {
    using namespace analytics;
    graph_view const g(batch.graph);
    check_pagerank(g, g, options, 0);
    std::int64_t const n = g.vertices;
    auto fractions = copy_of(exec, batch.graph);
    if (weighted)
        check_weights<is_no_weight<double>>(exec, "weights of batch_pagerank", std::as_const(fractions).values().view(),
                                            g.edge_count, "finite weights of at least 0");
    buffer<double> sums(exec, weighted ? n : 0);
    auto const all_vertices = every_vertex(exec, g);
    if (weighted)
        edge_sum(exec, nullptr, all_vertices.data(), g,
                 weights_of_row<double>{batch.graph.values().data(), sums.data()});
    edge_map(exec, nullptr, all_vertices.data(), g, nothing(),
             divide_by_out_weight{g, weighted ? sums.data() : nullptr, fractions.values().data()});
    auto const incoming = transpose(exec, fractions.view());
    katz_options const iteration{options.damping, 1.0, options.tolerance, options.max_iterations};
    auto found = options.damping > 0
                     ? katz_centrality(exec, g, graph_view(incoming), iteration, incoming.values().view())
                     : spectral_result{buffer<double>(exec, n), 0, 0, true};
    if (options.damping == 0) fill(exec, found.scores.view(), 1.0);
    auto const totals = batch_sum(exec, batch, std::as_const(found.scores).view());
    for_each(exec, batch.count, divide_by_sum_of_graph{batch.first.data(), totals.data(), found.scores.data()});
    exec.synchronize();
    return {std::move(found.scores), found.iterations, found.residual, found.converged};
}

template <executor Executor>
sssp_result<double> batch_sssp(Executor const& exec, graph_batch const& batch, std::vector<vertex_id> const& sources) {
    using namespace analytics;
    require_size("sources of batch_sssp", std::int64_t(sources.size()), batch.count);
    auto const first = to_vector(exec, batch.first);
    std::vector<vertex_id> starts;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (sources[i] < -1 || sources[i] >= first[i + 1] - first[i])
            throw argument_error("the source of graph " + std::to_string(i) + " is " + std::to_string(sources[i]) +
                                 ", expected a vertex below " + std::to_string(first[i + 1] - first[i]) + ", or -1");
        if (sources[i] >= 0) starts.push_back(first[i] + sources[i]);
    }
    // One more vertex, with edges of length 0 to all sources.
    vertex_id const n = batch.graph.rows();
    std::int64_t const m = batch.graph.nonzeros(), all = m + std::int64_t(starts.size());
    auto offsets = to_vector(exec, batch.graph.row_offsets());
    offsets.push_back(checked_cast<std::int32_t>(all, "edges of batch_sssp"));
    buffer<vertex_id> neighbors(exec, all);
    buffer<double> lengths(exec, all);
    fill(exec, lengths.view(), 0.0);
    exec.copy_elements(batch.graph.column_indices().data(), neighbors.data(), m);
    exec.copy_elements(batch.graph.values().data(), lengths.data(), m);
    auto const placed_starts = exec.copy(starts);
    exec.copy_elements(placed_starts.data(), neighbors.data() + m, std::int64_t(starts.size()));
    csr<double> const extended(n + 1, n + 1, exec.copy(offsets), std::move(neighbors), std::move(lengths));
    auto found = sssp(exec, extended.view(), n, {.parents = false});
    found.distances = copy_of(exec, found.distances.view().slice(0, n));
    exec.synchronize();
    return found;
}

#define COPPICE_GRAPH_BATCH(EXTERN, EXECUTOR)                                                                          \
    EXTERN template graph_batch make_graph_batch(EXECUTOR const&, std::span<csr_view<double> const>);                  \
    EXTERN template buffer<double> batch_sum(EXECUTOR const&, graph_batch const&, array_view<double const>);           \
    EXTERN template buffer<double> batch_components(EXECUTOR const&, graph_batch const&);                              \
    EXTERN template pagerank_result<double> batch_pagerank(EXECUTOR const&, graph_batch const&,                        \
                                                           pagerank_options const&, bool);                             \
    EXTERN template sssp_result<double> batch_sssp(EXECUTOR const&, graph_batch const&, std::vector<vertex_id> const&)
COPPICE_GRAPH_BATCH(extern, host_executor);
COPPICE_GRAPH_BATCH(extern, cuda_executor);

} // namespace coppice::inline v0_1
