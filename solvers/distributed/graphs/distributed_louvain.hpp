// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Communities of large modularity over ranks: the Louvain method.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <coppice/graph/communities/louvain.hpp>
#include <coppice/solvers/distributed/graphs/elements_at.hpp>
#include <coppice/solvers/distributed/graphs/integer_graph_of_rank.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

/// analytics::gain_of_label with totals of communities of any rank. Moves are collected in `changes`.
template <class Positions>
struct gain_over_ranks {
    analytics::gain_of_label gain, changes; ///< `gain` reads the totals, `changes` sums up their changes
    Positions position;

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD std::uint64_t operator()(vertex_id v, vertex_id label, vertex_id own, std::int64_t weight) const {
        return gain(v, position(label), position(own), weight);
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void moves(Worker& worker, vertex_id v, vertex_id from, vertex_id to) const {
        changes.moves(worker, v, position(from), position(to));
    }
};

/// Communities of the vertices of a rank and of its outer vertices, named after vertices of any rank.
struct communities_of_rank {
    buffer<vertex_id> labels;
    buffer<std::int64_t> totals; ///< total weight of each community that is named after a vertex of this rank
};
template <executor Executor>
communities_of_rank single_vertices(Executor const& exec, integer_graph_of_rank<Executor> const& w) {
    communities_of_rank c{buffer<vertex_id>(exec, w.graph.view().vertices), exec.copy(w.row_sums)};
    for_each(exec, c.labels.size(),
             global_of_local{w.graph.outer_ids().data(), w.graph.own(), w.graph.first(), c.labels.data()});
    return c;
}

/// analytics::move_vertices() over ranks: the vertices of a quarter move simultaneously on all ranks. Before a quarter,
/// a rank fetches the totals of all communities that its vertices may join; after it, the rank sends the changes of
/// these totals to the ranks that own them.
template <executor Executor>
communities_of_rank move_vertices(Executor const& exec, integer_graph_of_rank<Executor>& w, double resolution) {
    using totals_of_labels = elements_at<Executor, std::int64_t>;
    auto const& comm = w.graph.comm();
    auto c = single_vertices(exec, w);
    analytics::label_rounds<Executor> rounds(exec, w.graph.view(), w.weights.data(), w.graph.own(), w.graph.first());
    exec.copy_elements(static_cast<vertex_id const*>(c.labels.data()), rounds.labels().data(), c.labels.size());
    for (std::uint64_t sweep = 1; sweep <= 20; ++sweep) {
        rounds.begin_sweep(sweep);
        for (int quarter = 0; quarter < 4; ++quarter) {
            totals_of_labels totals(exec, comm, w.graph.begins(), c.totals.data(), rounds.labels().view());
            buffer<std::int64_t> changes(exec, totals.values().size());
            fill(exec, changes.view(), 0);
            rounds.quarter(
                gain_over_ranks<typename totals_of_labels::positions>{
                    {w.row_sums.data(), totals.values().data(), w.all, resolution},
                    {w.row_sums.data(), changes.data(), w.all, resolution},
                    totals.position()},
                quarter);
            totals.send_back(exec, comm, changes.data(), c.totals.data(), add_received{});
            w.exchange(exec, rounds);
        }
        if (comm.all_reduce(rounds.moves(), plus{}) <= w.graph.all_vertices() / 1000) break;
    }
    std::swap(rounds.labels(), c.labels);
    return c;
}

template <class Positions>
struct flag_community {
    vertex_id const* labels;
    Positions position;
    std::int32_t* flags;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        worker.store(flags + position(labels[v]), 1);
    }
};
struct store_flag {
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, std::int32_t* to, std::int32_t const& flag) const {
        if (flag != 0) worker.store(to, 1);
    }
};
/// Communities as vertices of the next level, in the order of their labels, so that each rank owns those that are named
/// after its vertices.
struct communities_by_number {
    std::vector<std::int64_t> begins; ///< first one of each rank, [ranks + 1]
    buffer<vertex_id> of_label;       ///< number of the community named after each vertex of this rank, if any
};
template <executor Executor>
communities_by_number number_communities(Executor const& exec, integer_graph_of_rank<Executor> const& w,
                                         buffer<vertex_id> const& labels) {
    using flags_at = elements_at<Executor, std::int32_t>;
    auto const& comm = w.graph.comm();
    std::int64_t const own = w.graph.own();
    buffer<std::int32_t> used(exec, own);
    fill(exec, used.view(), 0);
    flags_at const found(exec, comm, w.graph.begins(), used.data(), array_view<vertex_id const>(labels.data(), own));
    buffer<std::int32_t> flags(exec, found.values().size());
    fill(exec, flags.view(), 0);
    vertex_map(exec, nullptr, w.own_vertices.data(), analytics::nothing(),
               flag_community<typename flags_at::positions>{labels.data(), found.position(), flags.data()});
    found.send_back(exec, comm, flags.data(), used.data(), store_flag{});
    communities_by_number c{{}, buffer<vertex_id>(exec, own)};
    auto const count = exclusive_scan(exec, own, analytics::value_at<std::int32_t>{used.data()},
                                      coppice::detail::store_offset<vertex_id>{c.of_label.data()}, std::int64_t(0));
    c.begins = offsets_of_ranks(comm, count);
    for_each(exec, own, shift_index{c.of_label.data(), std::int32_t(c.begins[std::size_t(comm.rank())])});
    return c;
}

template <class Positions>
struct lower_member {
    vertex_id const* labels;
    vertex_id first;
    Positions position;
    vertex_id* smallest;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        worker.lower(smallest + position(labels[v]), first + v);
    }
};
/// Returns, for each label, the smallest vertex with this label. `labels` belong to the vertices of this rank, from the
/// global index `first` on; their values are global indices of vertices of a level that is distributed over the ranks
/// by `begins`.
template <executor Executor>
buffer<vertex_id> min_members(Executor const& exec, rank_communicator const& comm,
                              std::vector<std::int64_t> const& begins, vertex_id first,
                              buffer<vertex_id> const& labels) {
    using namespace analytics;
    using members = elements_at<Executor, vertex_id>;
    constexpr vertex_id none = std::numeric_limits<vertex_id>::max();
    auto const p = std::size_t(comm.rank());
    buffer<vertex_id> smallest(exec, begins[p + 1] - begins[p]);
    fill(exec, smallest.view(), none);
    array_view<vertex_id const> const at(labels.view());
    members const found(exec, comm, begins, smallest.data(), at);
    buffer<vertex_id> mine(exec, found.values().size());
    fill(exec, mine.view(), none);
    auto const vertices = placed(exec, worklist{nullptr, labels.size(), 0});
    vertex_map(exec, nullptr, vertices.data(), nothing(),
               lower_member<typename members::positions>{labels.data(), first, found.position(), mine.data()});
    found.send_back(exec, comm, mine.data(), smallest.data(), take_smaller{});
    return fetch_values_at(exec, comm, begins, static_cast<vertex_id const*>(smallest.data()), at);
}

/// Integer weights of the edges of this rank: the weights times a power of two that is the same on all ranks, rounded.
template <executor Executor, class T>
buffer<std::int64_t> integer_weights(Executor const& exec, rank_communicator const& comm, array_view<T const> weights) {
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
struct is_named_after_itself {
    vertex_id const* labels;
    vertex_id first;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const { return labels[v] == first + v ? 1 : 0; }
};

} // namespace distributed

/// louvain() of an undirected graph whose edges, in both directions, are distributed by the vertices that they leave:
/// the same communities, modularity and levels, bit for bit, for any number of ranks, threads and processes, since the
/// vertices that move together and all sums are the same. `labels` belong to the vertices of this rank and are global
/// indices, in memory of the executor; the other members describe the whole graph. Weights of parallel edges are added,
/// and rows need not be sorted.
///
/// `weights`[rows.nonzeros()], in the order of the columns of `rows`. If a level has at most `gathered_edges` edges in
/// total, it is replicated, and every rank computes it and the following levels without communication.
///
/// Communication of a level: six exchanges for each of the four quarters of a sweep. A rank receives a label for each
/// outer vertex and a total for each community of another rank that its vertices or outer vertices belong to. Memory:
/// 40 bytes for each edge of the rank (about 80 on CUDA, in the contraction), 80 for each vertex and outer vertex. Host
/// and CUDA. Collective. Throws matrix_error, on all ranks, for weights that are negative or not finite,
/// argument_error, on all ranks, for options out of range, overflow_error, on this rank, if it has 2^31 edges or more,
/// dimension_error, on this rank, for another number of weights.
template <executor Executor, class T, class O>
louvain_result louvain_distributed(Executor const& exec, rank_communicator const& comm,
                                   distributed_rows<Executor, vertex_id, O> const& rows, array_view<T const> weights,
                                   louvain_options const& options = {}, std::int64_t gathered_edges = 1 << 16) {
    namespace d = distributed;
    analytics::check_louvain("louvain_distributed", options);
    require_size("weights of louvain_distributed", weights, rows.nonzeros());
    if (rows.all_rows() == 0) return {};
    std::unique_ptr<distributed_rows<Executor, vertex_id>> coarse; // owns the graph of the level
    using level_type = d::integer_graph_of_rank<Executor>;
    auto level = std::make_unique<level_type>(exec, comm, rows, d::integer_weights(exec, comm, weights));
    louvain_result r{};
    std::vector<std::int64_t> begins = rows.begins(); // of the vertices of the level
    buffer<vertex_id> labels(exec, rows.size());
    auto const first = vertex_id(rows.first());
    for_each(exec, labels.size(), d::global_of_local{nullptr, vertex_id(rows.size()), first, labels.data()});
    auto const start = d::single_vertices(exec, *level);
    r.modularity = level->modularity(exec, start.labels, start.totals, options.resolution);
    while (r.levels < options.max_levels && level->all > 0) {
        if (level->all_edges <= gathered_edges) {
            auto rest_options = options;
            rest_options.max_levels -= r.levels;
            auto const rest = d::remaining_levels(exec, d::gather_rows(exec, *level), rest_options);
            for_each(exec, labels.size(), analytics::follow_level{rest.labels.data(), labels.data()});
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
        auto const of = d::fetch_values_at(exec, comm, begins, static_cast<vertex_id const*>(numbers.of_label.data()),
                                           array_view<vertex_id const>(found.labels.view()));
        labels = d::fetch_values_at(exec, comm, begins, of.data(), array_view<vertex_id const>(labels.view()));
        bool const unchanged = numbers.begins.back() == begins.back();
        begins = std::move(numbers.begins);
        if (unchanged) break;
        auto edges = d::contract_over_ranks(exec, *level, begins, of);
        auto next = std::make_unique<distributed_rows<Executor, vertex_id>>(exec, comm, edges.offsets, edges.columns);
        level = std::make_unique<level_type>(exec, comm, *next, std::move(edges.weights));
        coarse = std::move(next);
    }
    r.labels = d::min_members(exec, comm, begins, first, labels);
    r.communities = comm.all_reduce(
        reduce(exec, rows.size(), std::int64_t{0}, d::is_named_after_itself{r.labels.data(), first}, plus{}), plus{});
    return r;
}

#define COPPICE_LOUVAIN_DISTRIBUTED(EXTERN, EXECUTOR, T, O)                                                            \
    EXTERN template louvain_result louvain_distributed(EXECUTOR const&, rank_communicator const&,                      \
                                                       distributed_rows<EXECUTOR, vertex_id, O> const&,                \
                                                       array_view<T const>, louvain_options const&, std::int64_t)
COPPICE_LOUVAIN_DISTRIBUTED(extern, cuda_executor, float, std::int32_t);
COPPICE_LOUVAIN_DISTRIBUTED(extern, cuda_executor, float, std::int64_t);
COPPICE_LOUVAIN_DISTRIBUTED(extern, cuda_executor, double, std::int32_t);
COPPICE_LOUVAIN_DISTRIBUTED(extern, cuda_executor, double, std::int64_t);

} // namespace coppice::inline v0_1
