// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Single-source shortest paths over ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <coppice/graph/search/sssp.hpp>
#include <coppice/solvers/distributed/graphs/distributed_negative_cycle.hpp>
#include <coppice/solvers/distributed/graphs/distributed_sssp_steps.hpp>
#include <coppice/solvers/distributed/graphs/level_search.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

/// Level 0 for a vertex with a parent, -1 for others.
struct level_of_parent {
    std::uint32_t const* parents;
    std::int32_t* levels;
    COPPICE_HD void operator()(std::int64_t v) const { levels[v] = parents[v] == no_parent ? -1 : 0; }
};

/// Delta-stepping over ranks: each rank empties its near list, then sends the distances of outer vertices. With an
/// infinite delta all vertices are near, which is the method of Bellman and Ford.
template <executor Executor, class T>
class path_search {
public:
    /// `may_decrease`: lengths may be negative; then delta is infinite.
    path_search(owned_graph<Executor> const& graph, array_view<T const> lengths, T delta, bool may_decrease)
        : graph_(graph), lengths_(lengths.data()), delta_(delta), may_decrease_(may_decrease),
          distances_(graph.exec(), local()), sent_(graph.exec(), outer()), queued_(graph.exec(), graph.own()),
          waits_(graph.exec(), graph.own()), messages_(graph.exec(), outer()), lists_(graph.exec(), graph.own()),
          state_(analytics::placed(
              graph.exec(),
              analytics::sssp_state<T>{.last_round = max_rounds(may_decrease), .near = delta, .delta = delta})),
          near_rounds_(graph.exec()) {
        fill(graph.exec(), sent_.view(), infinity);
    }

    /// Computes distances from a global vertex; returns the number of exchanges, or nothing if a negative cycle is
    /// reached.
    std::optional<std::int64_t> run(std::int64_t source) {
        auto const& exec = graph_.exec();
        fill(exec, distances_.view().slice(graph_.own(), outer()), infinity);
        for_each(exec, graph_.own(), analytics::begin_sssp<T>{distances_.data(), queued_.data(), waits_.data()});
        if (graph_.owns(source))
            for_each(exec, 1,
                     analytics::start_at<T>{nullptr, vertex_id(source - graph_.first()), 1, T(0), distances_.data(),
                                            near_list()});
        for (std::int64_t exchanges = 1, test = 16;; ++exchanges) {
            empty_near_list();
            send_distances();
            if (graph_.comm().all_reduce(exec.load(near_list()).count, plus{}) > 0) {
                if (!may_decrease_ || exchanges < test) continue;
                if (exchanges > graph_.all_vertices() || reaches_negative_cycle(source)) return std::nullopt;
                test *= 2;
                continue;
            }
            T const far = graph_.comm().all_reduce(nearest_far(), smaller_of<T>{});
            if (!(far < infinity)) return exchanges;
            raise_bound(far + delta_);
        }
    }
    T const* distances() const { return distances_.data(); } ///< upper bounds for outer vertices

    /// Computes parents of the vertices of this rank, as sssp() does; afterwards, the distances of outer vertices are
    /// those of their owners.
    buffer<vertex_id> parents(std::int64_t source) {
        auto const& exec = graph_.exec();
        fetch(distances_.data());
        buffer<std::uint32_t> parents(exec, local());
        fill(exec, parents.view(), no_parent);
        is_tight<T> const tight{graph_.view(), lengths_, distances_.data()};
        auto level_edges = analytics::placed(exec, may_decrease_ ? 1 : 0);
        if (!may_decrease_) {
            auto const all = analytics::placed(exec, analytics::worklist{nullptr, graph_.own(), 0});
            analytics::edge_map(exec, nullptr, all.data(), graph_.view(), analytics::nothing(),
                                find_global_parent<T>{tight, parents.data(), graph_.first(), level_edges.data()});
            reverse_halo<Executor, std::uint32_t> to_owners(exec, graph_.comm(), graph_.halo_plan());
            to_owners.lower(exec, parents.data() + graph_.own(), parents.data());
        }
        if (graph_.owns(source)) {
            auto const itself = std::uint32_t(source);
            exec.copy_elements(&itself, parents.data() + (source - graph_.first()), 1);
        }
        if (graph_.comm().all_reduce(exec.load(level_edges.data()), plus{}) == 0) {
            buffer<vertex_id> own(exec, graph_.own());
            exec.copy_elements(reinterpret_cast<vertex_id const*>(parents.data()), own.data(), own.size());
            return own;
        }
        buffer<std::int32_t> levels(exec, local());
        for_each(exec, local(), level_of_parent{parents.data(), levels.data()});
        fetch(levels.data());
        level_search<Executor> search(graph_, std::move(levels), std::move(parents));
        search.run(tight);
        return search.parents();
    }

private:
    static constexpr T infinity = std::numeric_limits<T>::infinity();
    /// Rounds of a rank before it sends distances; 0: no limit. A negative cycle among its vertices would continue
    /// forever.
    static std::int32_t max_rounds(bool may_decrease) { return may_decrease ? 16 : 0; }
    std::int64_t local() const { return graph_.view().vertices; }
    std::int64_t outer() const { return local() - graph_.own(); }
    analytics::worklist* near_list() { return lists_[0]; }

    void empty_near_list() {
        using namespace analytics;
        auto const& exec = graph_.exec();
        auto* const s = state_.data();
        if (exec.load(near_list()).count == 0) return;
        worklist *const near = lists_[0], *const next = lists_[1], *const far = lists_[2];
        relax_edge_of_rank<T> const relax{
            {graph_.view(), lengths_, distances_.data(), queued_.data(), waits_.data(), s}, graph_.own()};
        near_rounds_.run(&s->loop, edge_step{nullptr, near, graph_.view(), into(next, far), relax},
                         single_step{end_own_round<T>{near, next, s}});
    }
    /// Sends distances of outer vertices within the bound; the near list gets those that other ranks send.
    void send_distances() {
        using namespace analytics;
        auto const& exec = graph_.exec();
        for_each(exec, 1, begin_own_rounds<T>{near_list(), state_.data(), max_rounds(may_decrease_)});
        auto const state = exec.load(state_.data());
        T const* const of_outer = distances_.data() + graph_.own();
        std::int64_t const count =
            select(exec, outer(), is_unsent<T>{of_outer, sent_.data(), state.near},
                   list_unsent<T>{graph_.outer_ids().data(), of_outer, sent_.data(), messages_.data()});
        auto const received = graph_.send(array_view<vertex_message<T> const>(messages_.data(), count));
        auto const list = placed(exec, worklist{nullptr, received.size(), 0});
        vertex_map(exec, nullptr, list.data(), into(near_list()),
                   take_distance<T>{received.data(), distances_.data(), queued_.data(), state.round});
        exec.synchronize(); // the received messages are destroyed here
    }
    bool reaches_negative_cycle(std::int64_t source) {
        auto const& comm = graph_.comm();
        T mine = 0;
        if (graph_.owns(source)) mine = graph_.exec().load(distances_.data() + (source - graph_.first()));
        if (comm.all_reduce(mine, smaller_of<T>{}) < T(0)) return true;
        return form_negative_cycle(comm, graph_.begins(), nearest_edges(graph_, lengths_, distances_.data()), source);
    }
    T nearest_far() {
        auto const& exec = graph_.exec();
        auto const far = exec.load(lists_[2]);
        T const near = exec.load(state_.data()).near;
        T const own =
            reduce(exec, far.count, infinity, far_distance<T>{far.items, distances_.data(), near}, smaller_of<T>{});
        T const of_outer =
            reduce(exec, outer(), infinity, unsent_distance<T>{distances_.data() + graph_.own(), sent_.data(), near},
                   smaller_of<T>{});
        return smaller_of<T>{}(own, of_outer);
    }
    void raise_bound(T near) {
        using namespace analytics;
        auto const& exec = graph_.exec();
        worklist *const far = lists_[2], *const far_next = lists_[3];
        for_each(exec, 1, set_bound<T>{state_.data(), near});
        vertex_map(exec, nullptr, far, into(near_list(), far_next),
                   divide_far<T>{distances_.data(), waits_.data(), state_.data()});
        for_each(exec, 1, swap_lists{far, far_next});
    }

    /// Copies values of outer vertices from their owners.
    template <class Value>
    void fetch(Value* values) {
        auto const& exec = graph_.exec();
        halo<Executor, Value> exchange(exec, graph_.comm(), graph_.halo_plan());
        exchange.start(exec, values);
        exchange.finish(exec);
        exec.copy_elements(exchange.values(), values + graph_.own(), outer());
        exec.synchronize(); // the received values are destroyed here
    }
    owned_graph<Executor> const& graph_;
    T const* lengths_;
    T delta_;
    bool may_decrease_;
    buffer<T> distances_, sent_;
    buffer<std::int32_t> queued_, waits_;
    buffer<vertex_message<T>> messages_;
    analytics::worklists<4> lists_; ///< near, next near, far, next far
    buffer<analytics::sssp_state<T>> state_;
    analytics::rounds<Executor> near_rounds_; ///< runs the same steps each time, on CUDA as the same graph
};

/// Finite sum, minimum and number of the lengths of all ranks; throws, on all ranks, for invalid ones.
template <executor Executor, class T>
analytics::length_range range_of_lengths(owned_graph<Executor> const& graph, array_view<T const> lengths,
                                         double& edges) {
    auto mine = analytics::range_of_lengths(graph.exec(), lengths.data(), lengths.size());
    auto const all = graph.comm().all_reduce(mine, analytics::merge_ranges{});
    edges = graph.comm().all_reduce(double(lengths.size()), plus{});
    if (all.bad > 0)
        throw matrix_error("sssp_distributed: " + std::to_string(all.bad) + " edge lengths are NaN or minus infinity");
    return all;
}
template <executor Executor>
double chosen_delta(owned_graph<Executor> const& graph, analytics::length_range const& range, double edges) {
    graph_view shape;
    shape.vertices = vertex_id(graph.all_vertices());
    shape.edge_count = vertex_id(std::min(edges, double(std::numeric_limits<vertex_id>::max())));
    return analytics::chosen_delta<Executor>(shape, edges > 0 ? range.sum / edges : 1);
}

} // namespace distributed

/// sssp() from the global vertex `source` of a graph whose edges are distributed by the vertices that they leave;
/// `lengths[rows.nonzeros()]` are in the order of the edges. Distances, parents and whether a negative cycle is reached
/// are those of sssp(), bit for bit, for any number of ranks, threads, devices and processes. Distances and parents
/// belong to the vertices of this rank, in memory of the executor; parents are global indices. `rounds` is the number
/// of exchanges, and `delta` may differ in the last digits, since the sum of the lengths is added in the order of the
/// ranks.
///
/// Each rank relaxes the edges of its near list until it is empty, then sends the distances of outer vertices that are
/// within the bound and smaller than what it has sent before. If lengths are negative, all are within the bound, a rank
/// sends after 16 rounds at the latest, and after 16, 32, 64 ... exchanges the host tests for a negative cycle.
/// Memory, in words of 4 bytes: 7 words and 2 distances for each vertex of the rank, 3 words and 3 distances for each
/// outer vertex (vertex of another rank adjacent to one of this rank), and the messages received in a round. Parents
/// take one more word for both and a distance for outer vertices; if an edge on a shortest path connects vertices of
/// equal distance, 5 words more instead of one.
///
/// Host and CUDA (T float or double, O of 32 or 64 bits). Collective; all ranks pass the same source and options.
/// Throws, on all ranks, argument_error if the source is no vertex or delta is negative, and matrix_error for lengths
/// that are NaN or minus infinity; on this rank dimension_error for another number of lengths, overflow_error if the
/// rank has 2^31 outgoing edges or more.
template <executor Executor, class T, class O>
sssp_result<T> sssp_distributed(Executor const& exec, rank_communicator const& comm,
                                distributed_rows<Executor, vertex_id, O> const& rows, array_view<T const> lengths,
                                std::int64_t source, sssp_options const& options = {}) {
    require_size("lengths of sssp_distributed", lengths, rows.nonzeros());
    if (!(options.delta >= 0))
        throw argument_error("sssp option delta is " + coppice::detail::number_text(options.delta) +
                             ", expected a positive length, or 0 for an automatic choice");
    distributed::owned_graph<Executor> const graph(exec, comm, rows);
    graph.require_vertex(source, "the source of sssp_distributed");
    double edges = 0;
    auto const range = distributed::range_of_lengths(graph, lengths, edges);
    bool const may_decrease = range.min < 0;
    sssp_result<T> result;
    if (!may_decrease)
        result.delta = options.delta > 0 ? options.delta : distributed::chosen_delta(graph, range, edges);
    T const step = may_decrease ? std::numeric_limits<T>::infinity() : T(result.delta);
    distributed::path_search<Executor, T> search(graph, lengths, step, may_decrease);
    auto const exchanges = search.run(source);
    result.rounds = exchanges.value_or(0);
    result.negative_cycle = !exchanges;
    result.distances = buffer<T>(exec, rows.size());
    exec.copy_elements(search.distances(), result.distances.data(), rows.size());
    if (options.parents && exchanges) result.parents = search.parents(source);
    exec.synchronize();
    return result;
}

#define COPPICE_SSSP_DISTRIBUTED(EXTERN, EXECUTOR, T, O)                                                               \
    EXTERN template sssp_result<T> sssp_distributed(EXECUTOR const&, rank_communicator const&,                         \
                                                    distributed_rows<EXECUTOR, vertex_id, O> const&,                   \
                                                    array_view<T const>, std::int64_t, sssp_options const&)
COPPICE_SSSP_DISTRIBUTED(extern, cuda_executor, float, std::int32_t);
COPPICE_SSSP_DISTRIBUTED(extern, cuda_executor, float, std::int64_t);
COPPICE_SSSP_DISTRIBUTED(extern, cuda_executor, double, std::int32_t);
COPPICE_SSSP_DISTRIBUTED(extern, cuda_executor, double, std::int64_t);

} // namespace coppice::inline v0_1
