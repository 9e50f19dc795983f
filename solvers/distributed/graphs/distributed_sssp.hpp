// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Single-source shortest paths over ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <coppice/graph/search/sssp.hpp>
#include <coppice/solvers/distributed/graphs/level_search.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

/// analytics::relax_edge without lists of outer vertices: these have no edges here, and their distances are sent to the
/// owners.
template <class T>
struct relax_edge_of_rank {
    analytics::relax_edge<T, analytics::sum_of_lengths<T>> relax;
    vertex_id own;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD bool concerns(Worker const& worker, vertex_id u, std::int32_t k) const {
        return relax.concerns(worker, u, k);
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD bool enlist(Worker const& worker, vertex_id v) const {
        return relax.enlist(worker, v);
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = relax.g.neighbors[k];
        if (v < own) return relax(worker, u, k);
        T const distance = analytics::sum_of_lengths<T>::extended(worker.load(relax.distances + u), relax.lengths[k]);
        if (distance < worker.load_cached(relax.distances + v)) worker.lower(relax.distances + v, distance);
    }
};

/// Whether the distance of an outer vertex is within the bound of the near list and has not been sent to the owner yet.
template <class T>
struct is_unsent {
    T const* distances; ///< of outer vertices
    T const* sent;
    T near;
    COPPICE_HD bool operator()(std::int64_t k) const { return distances[k] < sent[k] && distances[k] <= near; }
};
template <class T>
struct list_unsent {
    vertex_id const* outer;
    T const* distances;
    T* sent;
    vertex_message<T>* messages;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t k) const {
        messages[position] = {outer[k], distances[k]};
        sent[k] = distances[k];
    }
};
/// Receives the distances that other ranks send; they are within the bound of the near list.
template <class T>
struct take_distance {
    vertex_message<T> const* messages;
    T* distances;
    std::int32_t* queued;
    std::int32_t round;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id i) const {
        vertex_id const v = messages[i].vertex;
        if (worker.lower(distances + v, messages[i].value) && worker.exchange(queued + v, round) != round)
            worker.emit(v);
    }
};
/// Ends a round of the near list; stops if it is empty.
template <class T>
struct end_own_round {
    analytics::worklist* near;
    analytics::worklist* next;
    analytics::sssp_state<T>* state;
    COPPICE_HD void operator()(std::int64_t) const {
        analytics::swap_and_clear(*near, *next);
        ++state->round;
        if (near->count == 0) state->loop.stop();
    }
};
template <class T>
struct begin_own_rounds {
    analytics::sssp_state<T>* state;
    COPPICE_HD void operator()(std::int64_t) const {
        state->loop.on = 1;
        ++state->round; // no vertex has this round in `queued`
    }
};
/// Distance of an element of the far list if it is beyond the near list, otherwise infinity.
template <class T>
struct far_distance {
    vertex_id const* items;
    T const* distances;
    T near;
    COPPICE_HD T operator()(std::int64_t i) const {
        T const d = distances[items[i]];
        return d > near ? d : std::numeric_limits<T>::infinity();
    }
};
/// Distance of an outer vertex if it is beyond the near list and has not been sent, otherwise infinity.
template <class T>
struct unsent_distance {
    T const* distances; ///< of outer vertices
    T const* sent;
    T near;
    COPPICE_HD T operator()(std::int64_t k) const {
        T const d = distances[k];
        return d < sent[k] && d > near ? d : std::numeric_limits<T>::infinity();
    }
};
template <class T>
struct smaller_of {
    COPPICE_HD T operator()(T const& a, T const& b) const { return b < a ? b : a; }
};
template <class T>
struct set_bound {
    analytics::sssp_state<T>* state;
    T near;
    COPPICE_HD void operator()(std::int64_t) const {
        state->final_bound = state->near;
        state->near = near;
    }
};
struct swap_lists {
    analytics::worklist* now;
    analytics::worklist* next;
    COPPICE_HD void operator()(std::int64_t) const { analytics::swap_and_clear(*now, *next); }
};

/// Whether edge k of u is on a shortest path.
template <class T>
struct is_tight {
    graph_view g;
    T const* lengths;
    T const* distances;
    COPPICE_HD bool operator()(vertex_id u, std::int32_t k) const {
        T const d = distances[g.neighbors[k]];
        return d < std::numeric_limits<T>::infinity() && distances[u] + lengths[k] == d;
    }
};
/// Finds the smallest predecessor at a smaller distance, as analytics::find_parent, with global indices.
template <class T>
struct find_global_parent {
    is_tight<T> tight;
    std::uint32_t* parents;
    vertex_id first;
    int* level_edges; ///< set if an edge on a shortest path connects vertices of equal distance
    template <class Worker>
    COPPICE_HD bool enters(Worker const&, vertex_id u) const {
        return tight.distances[u] < std::numeric_limits<T>::infinity();
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = tight.g.neighbors[k];
        if (u == v || !tight(u, k)) return;
        if (tight.distances[u] < tight.distances[v])
            worker.lower(parents + v, static_cast<std::uint32_t>(first + u));
        else
            worker.store(level_edges, 1);
    }
};
/// Level 0 for a vertex with a parent, -1 for others.
struct level_of_parent {
    std::uint32_t const* parents;
    std::int32_t* levels;
    COPPICE_HD void operator()(std::int64_t v) const { levels[v] = parents[v] == no_parent ? -1 : 0; }
};

/// Delta-stepping over ranks: each rank empties its near list, then sends the distances of outer vertices.
template <executor Executor, class T>
class path_search {
public:
    path_search(owned_graph<Executor> const& graph, array_view<T const> lengths, T delta)
        : graph_(graph), lengths_(lengths.data()), delta_(delta), distances_(graph.exec(), local()),
          sent_(graph.exec(), outer()), queued_(graph.exec(), graph.own()), waits_(graph.exec(), graph.own()),
          messages_(graph.exec(), outer()), lists_(graph.exec(), graph.own()),
          state_(analytics::placed(graph.exec(), analytics::sssp_state<T>{.near = delta, .delta = delta})),
          near_rounds_(graph.exec()) {
        fill(graph.exec(), sent_.view(), infinity);
    }

    /// Computes distances from a global vertex; returns the number of exchanges.
    std::int64_t run(std::int64_t source) {
        auto const& exec = graph_.exec();
        fill(exec, distances_.view().slice(graph_.own(), outer()), infinity);
        for_each(exec, graph_.own(), analytics::begin_sssp<T>{distances_.data(), queued_.data(), waits_.data()});
        if (graph_.owns(source))
            for_each(exec, 1,
                     analytics::start_at<T>{nullptr, vertex_id(source - graph_.first()), 1, T(0), distances_.data(),
                                            near_list()});
        for (std::int64_t exchanges = 1;; ++exchanges) {
            empty_near_list();
            send_distances();
            if (graph_.comm().all_reduce(exec.load(near_list()).count, plus{}) > 0) continue;
            T const far = graph_.comm().all_reduce(nearest_far(), smaller_of<T>{});
            if (!(far < infinity)) return exchanges;
            raise_bound(far + delta_);
        }
    }
    T const* distances() const { return distances_.data(); } ///< upper bounds for outer vertices

    /// Computes parents of the vertices of this rank; afterwards, the distances of outer vertices are those of their
    /// owners.
    buffer<vertex_id> parents(std::int64_t source) {
        auto const& exec = graph_.exec();
        fetch(distances_.data());
        buffer<std::uint32_t> parents(exec, local());
        fill(exec, parents.view(), no_parent);
        is_tight<T> const tight{graph_.view(), lengths_, distances_.data()};
        auto const all = analytics::placed(exec, analytics::worklist{nullptr, graph_.own(), 0});
        auto level_edges = analytics::placed(exec, 0);
        analytics::edge_map(exec, nullptr, all.data(), graph_.view(), analytics::nothing(),
                            find_global_parent<T>{tight, parents.data(), graph_.first(), level_edges.data()});
        reverse_halo<Executor, std::uint32_t> to_owners(exec, graph_.comm(), graph_.halo_plan());
        to_owners.lower(exec, parents.data() + graph_.own(), parents.data());
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
        for_each(exec, 1, begin_own_rounds<T>{state_.data()});
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
    buffer<T> distances_, sent_;
    buffer<std::int32_t> queued_, waits_;
    buffer<vertex_message<T>> messages_;
    analytics::worklists<4> lists_; ///< near, next near, far, next far
    buffer<analytics::sssp_state<T>> state_;
    analytics::rounds<Executor> near_rounds_; ///< runs the same steps each time, on CUDA as the same graph
};

/// Mean and minimum of the lengths of all ranks; throws, on all ranks, for lengths that are negative or NaN.
template <executor Executor, class T>
double mean_length(owned_graph<Executor> const& graph, array_view<T const> lengths, double& edges) {
    auto mine = analytics::range_of_lengths(graph.exec(), lengths.data(), lengths.size());
    auto const all = graph.comm().all_reduce(mine, analytics::merge_ranges{});
    edges = graph.comm().all_reduce(double(lengths.size()), plus{});
    if (all.bad > 0)
        throw matrix_error("sssp_distributed: " + std::to_string(all.bad) + " edge lengths are NaN or minus infinity");
    if (all.min < 0)
        throw matrix_error("sssp_distributed: the smallest edge length is " + coppice::detail::number_text(all.min) +
                           ", expected lengths of at least 0; sssp() of one executor accepts negative lengths");
    return edges > 0 ? all.sum / edges : 1;
}

} // namespace distributed

/// sssp() from the global vertex `source` of a graph whose edges are distributed by the vertices that they leave;
/// `lengths[rows.nonzeros()]` are at least 0, in the order of the edges. Distances and parents are those of sssp(), bit
/// for bit, for any number of ranks, threads, devices and processes. Both belong to the vertices of this rank, in
/// memory of the executor; parents are global indices. `rounds` is the number of exchanges, and `delta` may differ in
/// the last digits, since the sum of the lengths is added in the order of the ranks.
///
/// Each rank relaxes the edges of its near list until it is empty, then sends the distances of outer vertices that are
/// within the bound and smaller than what it has sent before. Memory, in words of 4 bytes: 7 words and 2 distances for
/// each vertex of the rank, 3 words and 3 distances for each outer vertex (vertex of another rank adjacent to one of
/// this rank), and the messages received in a round. Parents take one more word for both and a distance for outer
/// vertices; if an edge on a shortest path connects vertices of equal distance, 5 words more instead of one.
///
/// Host and CUDA (T float or double, O of 32 or 64 bits). Collective; all ranks pass the same source and options.
/// Throws, on all ranks, argument_error if the source is no vertex or delta is negative, and matrix_error for lengths
/// that are negative or NaN; on this rank dimension_error for another number of lengths, overflow_error if the rank has
/// 2^31 outgoing edges or more.
template <executor Executor, class T, class O>
sssp_result<T> sssp_distributed(Executor const& exec, rank_communicator const& comm,
                                distributed_rows<Executor, vertex_id, O> const& rows, array_view<T const> lengths,
                                std::int64_t source, sssp_options const& options = {}) {
    require_size("lengths of sssp_distributed", lengths, rows.nonzeros());
    if (!(options.delta >= 0))
        throw argument_error("sssp option delta is " + coppice::detail::number_text(options.delta) +
                             ", expected a length, or 0 to have it chosen");
    distributed::owned_graph<Executor> const graph(exec, comm, rows);
    graph.require_vertex(source, "the source of sssp_distributed");
    double edges = 0;
    double const mean = distributed::mean_length(graph, lengths, edges);
    graph_view shape; // only for the choice of delta
    shape.vertices = vertex_id(graph.all_vertices());
    shape.edge_count = vertex_id(std::min(edges, double(std::numeric_limits<vertex_id>::max())));
    sssp_result<T> result;
    result.delta = options.delta > 0 ? options.delta : analytics::chosen_delta<Executor>(shape, mean);
    distributed::path_search<Executor, T> search(graph, lengths, T(result.delta));
    result.rounds = search.run(source);
    result.distances = buffer<T>(exec, rows.size());
    exec.copy_elements(search.distances(), result.distances.data(), rows.size());
    if (options.parents) result.parents = search.parents(source);
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
