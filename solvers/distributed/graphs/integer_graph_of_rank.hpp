// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Graphs with integer weights over ranks, the levels of the Louvain method: their modularity and contraction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <coppice/graph/communities/louvain.hpp>
#include <coppice/solvers/distributed/graphs/owned_graph.hpp>
#include <coppice/solvers/distributed/levels/pushed_rows.hpp>

namespace coppice::inline v0_1::distributed {

/// Takes the labels of outer vertices from their owners; emits vertices whose label changes.
struct take_label_of_owner {
    vertex_id own;
    vertex_id const* received;
    vertex_id* labels;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id k) const {
        if (labels[own + k] == received[k]) return;
        labels[own + k] = received[k];
        worker.emit(own + k);
    }
};

/// The rows of one rank of a graph with integer weights: see analytics::integer_graph.
template <executor Executor>
struct integer_graph_of_rank {
    owned_graph<Executor> graph;
    halo<Executor, vertex_id> labels_of_others;
    buffer<std::int64_t> weights, row_sums;
    csr<std::int64_t> incoming; ///< rows of the own vertices, transposed: edges from outer vertices to own ones
    buffer<analytics::worklist> own_vertices, outer_vertices;
    analytics::worklists<1> changed;
    double all = 0;
    std::int64_t all_edges;

    template <class O>
    integer_graph_of_rank(Executor const& exec, rank_communicator const& comm,
                          distributed_rows<Executor, vertex_id, O> const& rows, buffer<std::int64_t> edge_weights)
        : graph(exec, comm, rows), labels_of_others(rows.template halo_of<vertex_id>(exec, comm)),
          weights(std::move(edge_weights)), row_sums(exec, graph.own()), incoming(transpose(exec, matrix())),
          own_vertices(placed(exec, analytics::worklist{nullptr, graph.own(), 0})),
          outer_vertices(placed(exec, analytics::worklist{nullptr, rows.halo(), 0})),
          changed(exec, graph.view().vertices), all_edges(comm.all_reduce(rows.nonzeros(), plus{})) {
        edge_sum(exec, nullptr, own_vertices.data(), graph.view(),
                 analytics::row_weight{weights.data(), row_sums.data()});
        all = double(sum_over_ranks(exec, row_sums));
    }

    /// Sends the labels of the own vertices to the ranks on which these are outer vertices. If the label of an outer
    /// vertex of this rank changes, its neighbours on this rank with another label decide again. Collective.
    void exchange(Executor const& exec, analytics::label_rounds<Executor>& rounds) {
        vertex_id* const labels = rounds.labels().data();
        labels_of_others.start(exec, labels);
        labels_of_others.finish(exec);
        analytics::worklist* const list = changed[0];
        vertex_map(exec, nullptr, outer_vertices.data(), analytics::into(list),
                   take_label_of_owner{graph.own(), labels_of_others.values(), labels});
        rounds.wake_neighbors_of(list, graph_view(incoming));
        for_each(exec, 1, analytics::clear_set{list});
    }
    /// analytics::integer_graph::modularity() of the whole graph. `totals`: total weights of the communities that are
    /// named after vertices of this rank. Collective.
    double modularity(Executor const& exec, buffer<vertex_id> const& labels, buffer<std::int64_t> const& totals,
                      double resolution) const {
        if (all == 0) return 0;
        buffer<std::int64_t> inner(exec, graph.own());
        edge_sum(exec, nullptr, own_vertices.data(), graph.view(),
                 analytics::inner_weight{graph.view(), weights.data(), labels.data(), inner.data()});
        auto const within = sum_over_ranks(exec, inner);
        auto const squares = graph.comm().all_reduce(
            reduce(exec, totals.size(), analytics::exact_squares{}, analytics::square_of_total{totals.data()}, plus{}),
            plus{});
        return double(within) / all - resolution * (squares.value() / all / all);
    }

private:
    csr_view<std::int64_t> matrix() const {
        graph_view const g = graph.view();
        return {g.vertices, g.vertices, g.edge_count, g.offsets, g.neighbors, weights.data()};
    }
    std::int64_t sum_over_ranks(Executor const& exec, buffer<std::int64_t> const& x) const {
        return graph.comm().all_reduce(
            reduce(exec, x.size(), std::int64_t{0}, analytics::value_at<std::int64_t>{x.data()}, plus{}), plus{});
    }
};

/// Row, column and weight of an edge between communities.
struct store_edge_of_communities {
    graph_view g;
    std::int64_t const* weights;
    vertex_id const* of;
    std::int32_t *rows, *columns;
    double* values;
    template <class Worker>
    COPPICE_HD void operator()(Worker&, vertex_id u, std::int32_t k) const {
        rows[k] = of[u];
        columns[k] = of[g.neighbors[k]];
        values[k] = double(weights[k]);
    }
};
struct replace_index {
    vertex_id const* by;
    std::int32_t* index;
    COPPICE_HD void operator()(std::int64_t k) const { index[k] = by[index[k]]; }
};
/// The sums of the weights of the edges of this rank between `count` communities of all ranks; `of`[own and outer
/// vertices]: their communities. Devices sort the edges, the host adds them row by row.
template <executor Executor>
hypersparse_rows<double> contract_own_rows(Executor const& exec, integer_graph_of_rank<Executor> const& w,
                                           std::int32_t count, buffer<vertex_id> const& of) {
    graph_view const g = w.graph.view();
    buffer<double> values(exec, g.edge_count);
    if constexpr (std::is_same_v<Executor, host_executor>) {
        auto known = number_indices(exec, array_view<vertex_id const>(of.view()));
        auto const rows = vertex_id(known.distinct.size());
        vertex_aggregates<> const groups{g.vertices, rows, std::move(known.positions)};
        for_each(exec, values.size(), analytics::as_double{w.weights.data(), values.data()});
        csr_view<double> const fine{g.vertices, g.vertices, g.edge_count, g.offsets, g.neighbors, values.data()};
        auto coarse = graph_detail::contract_sound(exec, plus_times<double>{}, fine, groups, 1.0).release();
        for_each(exec, coarse.indices.size(), replace_index{known.distinct.data(), coarse.indices.data()});
        return coppice::detail::list_rows(
            exec, count, known.distinct.data(),
            csr<double>(rows, count, std::move(coarse.offsets), std::move(coarse.indices), std::move(coarse.values)));
    } else {
        buffer<std::int32_t> rows(exec, g.edge_count), columns(exec, g.edge_count);
        edge_map(exec, nullptr, w.own_vertices.data(), g, analytics::nothing(),
                 store_edge_of_communities{g, w.weights.data(), of.data(), rows.data(), columns.data(), values.data()});
        return matrix_of_tuples(exec, count, count, rows, columns, values);
    }
}

/// Rows of a graph with integer weights and global columns, on the host; weights are in memory of the executor.
struct integer_rows {
    std::vector<std::int32_t> offsets{0};
    std::vector<vertex_id> columns{};
    buffer<std::int64_t> weights{};
};
/// The rows of this rank of the contracted graph, whose vertices are the communities. Every rank contracts its rows and
/// sends the edges of communities of other ranks to these ranks. Weights are integers below 2^53, so their sums do not
/// depend on the order.
template <executor Executor>
integer_rows contract_over_ranks(Executor const& exec, integer_graph_of_rank<Executor> const& w,
                                 std::vector<std::int64_t> const& begins, buffer<vertex_id> const& of) {
    auto const made = contract_own_rows(exec, w, std::int32_t(begins.back()), of);
    auto const rows = to_csr(exec, push_rows(exec, w.graph.comm(), made, begins));
    integer_rows all{to_vector(exec, rows.row_offsets()), to_vector(exec, rows.column_indices()),
                     buffer<std::int64_t>(exec, rows.nonzeros())};
    for_each(exec, all.weights.size(), analytics::as_integer{rows.values().data(), all.weights.data()});
    return all;
}

/// A graph that all ranks have, in memory of the executor.
struct replicated_graph {
    buffer<std::int32_t> offsets;
    buffer<vertex_id> columns;
    buffer<std::int64_t> weights;
};
/// Sorts the columns of each row and adds the weights of equal ones, as contract() requires it.
inline void add_parallel_edges(std::vector<std::int32_t>& offsets, std::vector<vertex_id>& columns,
                               std::vector<std::int64_t>& weights) {
    std::vector<std::pair<vertex_id, std::int64_t>> row;
    std::size_t begin = 0, count = 0;
    for (std::size_t v = 0; v + 1 < offsets.size(); ++v) {
        auto const end = std::size_t(offsets[v + 1]);
        row.clear();
        for (std::size_t k = begin; k < end; ++k) row.emplace_back(columns[k], weights[k]);
        std::sort(row.begin(), row.end());
        std::size_t const first = count;
        for (auto const& [column, weight] : row) {
            if (count > first && columns[count - 1] == column) {
                weights[count - 1] += weight;
                continue;
            }
            columns[count] = column;
            weights[count++] = weight;
        }
        begin = end;
        offsets[v + 1] = std::int32_t(count);
    }
    columns.resize(count);
    weights.resize(count);
}
/// The rows of all ranks, through the host; sorted, without parallel edges. Collective. Throws overflow_error, on all
/// ranks, if they have 2^31 edges or more.
template <executor Executor>
replicated_graph gather_rows(Executor const& exec, integer_graph_of_rank<Executor> const& w) {
    checked_cast<std::int32_t>(w.all_edges, "number of edges that every rank gathers");
    graph_view const g = w.graph.view();
    auto const& comm = w.graph.comm();
    auto columns = to_vector(exec, array_view<vertex_id const>(g.neighbors, g.edge_count));
    auto const outer = to_vector(exec, w.graph.outer_ids());
    for (vertex_id& v : columns) v = v < w.graph.own() ? w.graph.first() + v : outer[std::size_t(v - w.graph.own())];
    auto const of_columns = comm.gather(columns);
    auto const of_offsets =
        comm.gather(to_vector(exec, array_view<std::int32_t const>(g.offsets, std::int64_t(w.graph.own()) + 1)));
    auto const of_weights = comm.gather(to_vector(exec, w.weights));
    std::vector<std::int32_t> offsets{0};
    std::vector<vertex_id> all_columns;
    std::vector<std::int64_t> weights;
    for (std::size_t p = 0; p < of_offsets.size(); ++p) {
        auto const before = std::int32_t(all_columns.size());
        for (std::size_t i = 1; i < of_offsets[p].size(); ++i) offsets.push_back(before + of_offsets[p][i]);
        all_columns.insert(all_columns.end(), of_columns[p].begin(), of_columns[p].end());
        weights.insert(weights.end(), of_weights[p].begin(), of_weights[p].end());
    }
    add_parallel_edges(offsets, all_columns, weights);
    return {exec.copy(offsets), exec.copy(all_columns), exec.copy(weights)};
}

/// Runs louvain_levels() on a graph that is replicated on all ranks; no communication.
template <executor Executor>
louvain_result remaining_levels(Executor const& exec, replicated_graph rows, louvain_options const& options) {
    graph_view g;
    g.vertices = vertex_id(rows.offsets.size() - 1);
    g.edge_count = vertex_id(rows.columns.size());
    g.offsets = rows.offsets.data();
    g.neighbors = rows.columns.data();
    return analytics::louvain_levels(exec, analytics::integer_graph<Executor>(exec, g, std::move(rows.weights)),
                                     options);
}

} // namespace coppice::inline v0_1::distributed
