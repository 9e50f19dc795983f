// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Communities of large modularity over ranks: the Louvain method.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <coppice/graph/communities/louvain.hpp>
#include <coppice/solvers/distributed/graphs/elements_at.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

using vertex_rows = distributed_rows<host_executor, vertex_id>;

/// The rows of one rank of a graph with integer weights: see analytics::integer_graph.
struct integer_graph_of_rank {
    owned_graph<host_executor> graph;
    halo<host_executor, vertex_id> labels_of_others;
    buffer<std::int64_t> weights, row_sums;
    csr<std::int64_t> incoming; ///< rows of the own vertices, transposed: edges from outer vertices to own ones
    buffer<analytics::worklist> own_vertices;
    double all = 0;
    std::int64_t all_edges;

    template <class O>
    integer_graph_of_rank(host_executor const& exec, rank_communicator const& comm,
                          distributed_rows<host_executor, vertex_id, O> const& rows, buffer<std::int64_t> edge_weights)
        : graph(exec, comm, rows), labels_of_others(rows.template halo_of<vertex_id>(exec, comm)),
          weights(std::move(edge_weights)), row_sums(exec, graph.own()), incoming(transpose(exec, matrix())),
          own_vertices(placed(exec, analytics::worklist{nullptr, graph.own(), 0})),
          all_edges(comm.all_reduce(rows.nonzeros(), plus{})) {
        edge_sum(exec, nullptr, own_vertices.data(), graph.view(),
                 analytics::row_weight{weights.data(), row_sums.data()});
        all = double(sum_over_ranks(exec, row_sums));
    }

    /// Sends the labels of the own vertices to the ranks on which these are outer vertices. If the label of an outer
    /// vertex of this rank changes, its neighbours on this rank with another label decide again. Collective.
    void exchange(host_executor const& exec, analytics::label_rounds<host_executor>& rounds) {
        vertex_id* const labels = rounds.labels().data();
        labels_of_others.start(exec, labels);
        labels_of_others.finish(exec);
        std::vector<vertex_id> changed;
        for (vertex_id v = graph.own(); v < graph.view().vertices; ++v) {
            vertex_id const label = labels_of_others.values()[v - graph.own()];
            if (labels[v] != label) changed.push_back(v);
            labels[v] = label;
        }
        analytics::worklist const list{changed.data(), std::int64_t(changed.size())};
        if (list.count > 0) rounds.wake_neighbors_of(&list, graph_view(incoming));
    }
    /// analytics::integer_graph::modularity() of the whole graph. `totals`: total weights of the communities that are
    /// named after vertices of this rank. Collective.
    double modularity(host_executor const& exec, buffer<vertex_id> const& labels, buffer<std::int64_t> const& totals,
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
    std::int64_t sum_over_ranks(host_executor const& exec, buffer<std::int64_t> const& x) const {
        return graph.comm().all_reduce(
            reduce(exec, x.size(), std::int64_t{0}, analytics::value_at<std::int64_t>{x.data()}, plus{}), plus{});
    }
};

/// analytics::gain_of_label with totals of communities of any rank. Moves are collected in `changes`.
struct gain_over_ranks {
    analytics::gain_of_label gain, changes; ///< `gain` reads the totals, `changes` sums up their changes
    elements_at<std::int64_t> const* totals;

    std::uint64_t operator()(vertex_id v, vertex_id label, vertex_id own, std::int64_t weight) const {
        return gain(v, totals->position(label), totals->position(own), weight);
    }
    template <class Worker>
    void moves(Worker& worker, vertex_id v, vertex_id from, vertex_id to) const {
        changes.moves(worker, v, totals->position(from), totals->position(to));
    }
};

/// Communities of the vertices of a rank and of its outer vertices, named after vertices of any rank.
struct communities_of_rank {
    buffer<vertex_id> labels;
    buffer<std::int64_t> totals; ///< total weight of each community that is named after a vertex of this rank
};
inline communities_of_rank single_vertices(host_executor const& exec, integer_graph_of_rank const& w) {
    communities_of_rank c{buffer<vertex_id>(exec, w.graph.view().vertices), exec.copy(w.row_sums)};
    for_each(exec, c.labels.size(), [&](std::int64_t v) { c.labels[v] = w.graph.global(vertex_id(v)); });
    return c;
}

/// analytics::move_vertices() over ranks: the vertices of a quarter move simultaneously on all ranks. Before a quarter,
/// a rank fetches the totals of all communities that its vertices may join; after it, the rank sends the changes of
/// these totals to the ranks that own them.
inline communities_of_rank move_vertices(host_executor const& exec, integer_graph_of_rank& w, double resolution) {
    auto const& comm = w.graph.comm();
    auto c = single_vertices(exec, w);
    analytics::label_rounds<host_executor> rounds(exec, w.graph.view(), w.weights.data(), w.graph.own(),
                                                  w.graph.first());
    std::copy(c.labels.begin(), c.labels.end(), rounds.labels().data());
    for (std::uint64_t sweep = 1; sweep <= 20; ++sweep) {
        rounds.begin_sweep(sweep);
        for (int quarter = 0; quarter < 4; ++quarter) {
            elements_at<std::int64_t> totals(exec, comm, w.graph.begins(), c.totals.data(), rounds.labels().view());
            buffer<std::int64_t> changes(exec, totals.values().size());
            fill(exec, changes.view(), 0);
            rounds.quarter(gain_over_ranks{{w.row_sums.data(), totals.values().data(), w.all, resolution},
                                           {w.row_sums.data(), changes.data(), w.all, resolution},
                                           &totals},
                           quarter);
            totals.add(exec, comm, changes.data(), c.totals.data());
            w.exchange(exec, rounds);
        }
        if (comm.all_reduce(rounds.moves(), plus{}) <= w.graph.all_vertices() / 1000) break;
    }
    std::swap(rounds.labels(), c.labels);
    return c;
}

/// Communities as vertices of the next level, in the order of their labels, so that each rank owns those that are named
/// after its vertices.
struct communities_by_number {
    std::vector<std::int64_t> begins; ///< first one of each rank, [ranks + 1]
    std::vector<vertex_id> of_label;  ///< number of the community named after each vertex of this rank, if any
};
inline communities_by_number number_communities(host_executor const& exec, integer_graph_of_rank const& w,
                                                buffer<vertex_id> const& labels) {
    auto const own = std::int64_t(w.graph.own());
    compact_indices<vertex_id> const used(exec, array_view<vertex_id const>(labels.data(), own));
    std::vector<vertex_message<std::int32_t>> messages;
    for (vertex_id const label : used.distinct) messages.push_back({label, 1});
    std::vector<std::int32_t> is_used(static_cast<std::size_t>(own), 0);
    for (auto const& m : send_to_owners(w.graph.comm(), w.graph.begins(), messages)) is_used[std::size_t(m.vertex)] = 1;
    communities_by_number c{{}, std::vector<vertex_id>(static_cast<std::size_t>(own))};
    auto const count = exclusive_scan(
        exec, own, [&](std::int64_t v) { return is_used[std::size_t(v)]; },
        [&](std::int64_t v, std::int32_t number) { c.of_label[std::size_t(v)] = number; }, std::int32_t(0));
    c.begins = offsets_of_ranks(w.graph.comm(), count);
    auto const first = vertex_id(c.begins[std::size_t(w.graph.comm().rank())]);
    for (auto& number : c.of_label) number += first;
    return c;
}

/// Rows of a graph with integer weights and global columns, on the host.
struct integer_rows {
    std::vector<std::int32_t> offsets{0};
    std::vector<vertex_id> columns{};
    std::vector<std::int64_t> weights{};
};

/// The rows of this rank of the contracted graph, whose vertices are the communities; `of`[own and outer vertices]:
/// numbers of their communities. Every rank contracts its rows and sends the edges of communities of other ranks to
/// these ranks. Weights are integers, so their sums do not depend on the order.
inline integer_rows contract_over_ranks(host_executor const& exec, integer_graph_of_rank const& w,
                                        std::vector<std::int64_t> const& begins, std::vector<vertex_id> const& of) {
    auto const& comm = w.graph.comm();
    graph_view const g = w.graph.view();
    compact_indices<vertex_id> const known(exec, array_view<vertex_id const>(of));
    vertex_aggregates<> groups{g.vertices, vertex_id(known.distinct.size()), buffer<vertex_id>(exec, g.vertices)};
    for_each(exec, g.vertices, [&](std::int64_t v) { groups.of[v] = known(of[std::size_t(v)]); });
    buffer<double> values(exec, g.edge_count);
    for_each(exec, values.size(), analytics::as_double{w.weights.data(), values.data()});
    csr_view<double> const fine{g.vertices, g.vertices, g.edge_count, g.offsets, g.neighbors, values.data()};
    auto const coarse = graph_detail::contract_sound(exec, plus_times<double>{}, fine, groups, 1.0);

    struct edge {
        vertex_id to;
        std::int64_t weight;
    };
    std::vector<vertex_message<edge>> messages(static_cast<std::size_t>(coarse.nonzeros()));
    for_each(exec, coarse.rows(), [&](std::int64_t i) {
        for (auto k = coarse.row_offsets()[i]; k < coarse.row_offsets()[i + 1]; ++k)
            messages[std::size_t(k)] = {known.distinct[std::size_t(i)],
                                        {known.distinct[std::size_t(coarse.column_indices()[k])],
                                         static_cast<std::int64_t>(coarse.values()[k])}};
    });
    auto edges = send_to_owners(comm, begins, messages);
    coppice::detail::parallel_sort(exec, edges.begin(), edges.end(), [](auto const& a, auto const& b) {
        return a.vertex != b.vertex ? a.vertex < b.vertex : a.value.to < b.value.to;
    });
    integer_rows rows;
    auto const own = std::size_t(begins[std::size_t(comm.rank()) + 1] - begins[std::size_t(comm.rank())]);
    vertex_message<edge> const* last = nullptr;
    for (auto const& e : edges) {
        if (last && last->vertex == e.vertex && last->value.to == e.value.to) {
            rows.weights.back() += e.value.weight;
            continue;
        }
        while (rows.offsets.size() <= std::size_t(e.vertex)) rows.offsets.push_back(std::int32_t(rows.columns.size()));
        rows.columns.push_back(e.value.to);
        rows.weights.push_back(e.value.weight);
        last = &e;
    }
    checked_cast<std::int32_t>(std::int64_t(rows.columns.size()), "number of edges of a rank");
    rows.offsets.resize(own + 1, std::int32_t(rows.columns.size()));
    return rows;
}

inline integer_rows rows_of(integer_graph_of_rank const& w) {
    graph_view const g = w.graph.view();
    integer_rows rows{{g.offsets, g.offsets + w.graph.own() + 1}, {}, {w.weights.begin(), w.weights.end()}};
    for (vertex_id k = 0; k < g.edge_count; ++k) rows.columns.push_back(w.graph.global(g.neighbors[k]));
    return rows;
}
/// The rows of all ranks. Collective.
inline integer_rows gather_rows(rank_communicator const& comm, integer_rows const& own) {
    integer_rows all;
    auto const offsets = comm.gather(own.offsets);
    auto const columns = comm.gather(own.columns);
    auto const weights = comm.gather(own.weights);
    for (std::size_t p = 0; p < offsets.size(); ++p) {
        auto const before = std::int32_t(all.columns.size());
        for (std::size_t i = 1; i < offsets[p].size(); ++i) all.offsets.push_back(before + offsets[p][i]);
        all.columns.insert(all.columns.end(), columns[p].begin(), columns[p].end());
        all.weights.insert(all.weights.end(), weights[p].begin(), weights[p].end());
    }
    return all;
}

/// Runs louvain_levels() on a graph that is replicated on all ranks; no communication.
inline louvain_result remaining_levels(host_executor const& exec, integer_rows const& rows,
                                       louvain_options const& options) {
    graph_view g;
    g.vertices = vertex_id(rows.offsets.size() - 1);
    g.edge_count = vertex_id(rows.columns.size());
    g.offsets = rows.offsets.data();
    g.neighbors = rows.columns.data();
    return analytics::louvain_levels(exec, analytics::integer_graph<host_executor>(exec, g, exec.copy(rows.weights)),
                                     options);
}

/// Replaces each label by the smallest vertex with this label. `labels` belong to the vertices of this rank, from the
/// global index `first` on; their values are global indices of vertices of a level that is distributed over the ranks
/// by `begins`.
inline void label_by_min_member(host_executor const& exec, rank_communicator const& comm,
                                std::vector<std::int64_t> const& begins, vertex_id first,
                                std::vector<vertex_id>& labels) {
    compact_indices<vertex_id> const used(exec, array_view<vertex_id const>(labels));
    std::vector<vertex_message<vertex_id>> members(used.distinct.size(), {-1, 0});
    for (std::size_t v = 0; v < labels.size(); ++v)
        if (auto& m = members[std::size_t(used(labels[v]))]; m.vertex < 0) m = {labels[v], first + vertex_id(v)};
    auto const p = std::size_t(comm.rank());
    std::vector<vertex_id> smallest(std::size_t(begins[p + 1] - begins[p]), std::numeric_limits<vertex_id>::max());
    lower_at(comm, begins, smallest, std::move(members));
    labels = values_at(exec, comm, begins, smallest.data(), array_view<vertex_id const>(labels));
}

/// Integer weights of the edges of this rank: the weights times a power of two that is the same on all ranks, rounded.
template <class T>
buffer<std::int64_t> integer_weights(host_executor const& exec, rank_communicator const& comm,
                                     array_view<T const> weights) {
    using namespace analytics;
    std::int64_t const edges = weights.size();
    auto const check = comm.all_reduce(
        reduce(exec, edges, weight_check{0, 0}, weight_of_edge<T>{weights.data()}, merge_weight_checks{}),
        merge_weight_checks{});
    int const power =
        power_for_weights(check, comm.all_reduce(edges, plus{}), "louvain_distributed", [&](int first_power) {
            return comm.all_reduce(
                reduce(exec, edges, std::int64_t{0}, integer_weight<T>(weights.data(), first_power), plus{}), plus{});
        });
    buffer<std::int64_t> integers(exec, edges);
    for_each(exec, edges, store_integer_weight<T>{{weights.data(), power}, integers.data()});
    return integers;
}

} // namespace distributed

/// louvain() of an undirected graph whose edges, in both directions, are distributed by the vertices that they leave:
/// the same communities, modularity and levels, bit for bit, for any number of ranks, threads and processes, since the
/// vertices that move together and all sums are the same. `labels` belong to the vertices of this rank and are global
/// indices; the other members describe the whole graph. Weights of parallel edges are added.
///
/// `weights`[rows.nonzeros()], in the order of the columns of `rows`. If a level has at most `gathered_edges` edges in
/// total, it is replicated, and every rank computes it and the following levels without communication.
///
/// Communication of a level: six exchanges for each of the four quarters of a sweep. A rank receives a label for each
/// outer vertex and a total for each community of another rank that its vertices or outer vertices belong to. Memory:
/// 40 bytes for each edge of the rank, 80 for each vertex and outer vertex. Collective. Throws matrix_error, on all
/// ranks, for weights that are negative or not finite, argument_error, on all ranks, for options out of range,
/// overflow_error, on this rank, if it has 2^31 edges or more, dimension_error, on this rank, for another number of
/// weights.
template <class T, class O>
louvain_result louvain_distributed(host_executor const& exec, rank_communicator const& comm,
                                   distributed_rows<host_executor, vertex_id, O> const& rows,
                                   array_view<T const> weights, louvain_options const& options = {},
                                   std::int64_t gathered_edges = 1 << 16) {
    namespace d = distributed;
    analytics::check_louvain("louvain_distributed", options);
    require_size("weights of louvain_distributed", weights, rows.nonzeros());
    if (rows.all_rows() == 0) return {};
    std::unique_ptr<d::vertex_rows> coarse; // owns the graph of the level
    auto level = std::make_unique<d::integer_graph_of_rank>(exec, comm, rows, d::integer_weights(exec, comm, weights));
    louvain_result r{buffer<vertex_id>(exec, rows.size())};
    std::vector<std::int64_t> begins = rows.begins(); // of the vertices of the level
    std::vector<vertex_id> labels(static_cast<std::size_t>(rows.size()));
    std::iota(labels.begin(), labels.end(), vertex_id(rows.first()));
    auto const start = d::single_vertices(exec, *level);
    r.modularity = level->modularity(exec, start.labels, start.totals, options.resolution);
    while (r.levels < options.max_levels && level->all > 0) {
        if (level->all_edges <= gathered_edges) {
            auto rest_options = options;
            rest_options.max_levels -= r.levels;
            auto const rest = d::remaining_levels(exec, d::gather_rows(comm, d::rows_of(*level)), rest_options);
            for (auto& label : labels) label = rest.labels[label];
            r.levels += rest.levels;
            r.modularity = rest.modularity;
            break;
        }
        auto const found = d::move_vertices(exec, *level, options.resolution);
        double const reached = level->modularity(exec, found.labels, found.totals, options.resolution);
        if (!(reached > r.modularity + options.tolerance)) break;
        r.modularity = reached;
        ++r.levels;
        auto numbers = d::number_communities(exec, *level, found.labels);
        auto const of = d::values_at(exec, comm, begins, numbers.of_label.data(), found.labels.view());
        labels = d::values_at(exec, comm, begins, of.data(), array_view<vertex_id const>(labels));
        bool const unchanged = numbers.begins.back() == begins.back();
        begins = std::move(numbers.begins);
        if (unchanged) break;
        auto const edges = d::contract_over_ranks(exec, *level, begins, of);
        auto next = std::make_unique<d::vertex_rows>(exec, comm, edges.offsets, edges.columns);
        level = std::make_unique<d::integer_graph_of_rank>(exec, comm, *next, exec.copy(edges.weights));
        coarse = std::move(next);
    }
    d::label_by_min_member(exec, comm, begins, vertex_id(rows.first()), labels);
    std::copy(labels.begin(), labels.end(), r.labels.data());
    r.communities =
        comm.all_reduce(reduce(
                            exec, rows.size(), std::int64_t{0},
                            [&](std::int64_t v) { return std::int64_t(r.labels[v] == rows.first() + v); }, plus{}),
                        plus{});
    return r;
}

} // namespace coppice::inline v0_1
