// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Strongly connected components: trimming, one forward-backward search, then colouring.
#pragma once

#include <coppice/graph/search/bfs.hpp>
#include <coppice/graph/structure/components.hpp>

namespace coppice::inline v0_1 {

/// Computes the strongly connected components of a directed graph: u and v are in one component if paths lead from each
/// to the other. Labels are the smallest vertices. `incoming` is the transposed graph.
///
/// First, vertices without incoming or outgoing edges among the remaining ones are removed repeatedly (trimming). Then
/// the component of the vertex with the most pairs of an incoming and an outgoing edge is found by a search in each
/// direction (Fleischer, Hendrickson and Pinar 2000). The rest is found by colouring: every vertex takes the minimum
/// hash of the vertices that reach it, and the vertices from which the vertex of this hash can be reached by backward
/// search form a component (Orzan 2004, as in Multistep of Slota, Rajamanickam and Madduri 2014). The hash changes in
/// every round, so that about log n rounds are expected for any graph. The result is the same for any number of
/// threads, on host and CUDA. Memory: 16 words per vertex. Waits once per round.
///
/// Throws dimension_error if `incoming` has another number of vertices or edges.
template <executor Executor>
components_result strongly_connected_components(Executor const& exec, graph_view g, graph_view incoming);

namespace analytics {

struct strong_arrays {
    vertex_id* labels;      ///< a vertex of the component; -1 while the vertex is open
    std::int32_t* out_left; ///< number of edges to open vertices, during trimming
    std::int32_t* in_left;
    std::uint32_t* subset; ///< no component extends over two subsets
    std::uint32_t* colour; ///< minimum hash of the vertices that reach the vertex
    std::int32_t* queued;  ///< last round whose list contains the vertex
};
struct strong_state {
    loop_switch loop{1};
    std::int32_t round = 0;
};

struct begin_strong {
    graph_view g, incoming;
    strong_arrays x;
    worklist* all_vertices;
    COPPICE_HD void operator()(std::int64_t v) const {
        x.labels[v] = -1;
        x.out_left[v] = g.degree(v);
        x.in_left[v] = incoming.degree(v);
        x.subset[v] = 0;
        x.queued[v] = 0;
        if (v == 0) *all_vertices = {nullptr, g.vertices, 0};
    }
};
struct list_trimmed {
    strong_arrays x;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        if (x.out_left[v] != 0 && x.in_left[v] != 0) return;
        x.labels[v] = v;
        worker.emit(v);
    }
};
/// Removes the edges of a removed vertex: a neighbour that loses its last edge of this direction is removed next.
struct trim_edge {
    graph_view g;
    std::int32_t* left; ///< remaining edges of the neighbours, opposite to the direction of g
    vertex_id* labels;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        if (worker.add(left + v, -1) == 1 && worker.claim(labels + v, vertex_id(-1), v)) worker.emit(v);
    }
};
struct next_strong {
    worklist* now;
    worklist* next;
    strong_state* state;
    COPPICE_HD void operator()(std::int64_t) const {
        swap_and_clear(*now, *next);
        ++state->round;
        if (now->count == 0) state->loop.stop();
    }
};
struct swap_lists {
    worklist *a, *b;
    COPPICE_HD void operator()(std::int64_t) const { swap_and_clear(*a, *b); }
};
struct go_on {
    strong_state* state;
    COPPICE_HD void operator()(std::int64_t) const { state->loop.on = 1; }
};

/// The open vertex with the most pairs of an incoming and an outgoing edge, the smallest of them; -1: none. Two words
/// without padding, because a device copies padding that it has not written.
struct pivot {
    std::int64_t pairs, vertex;
};
struct pivot_of {
    graph_view g, incoming;
    vertex_id const* labels;
    COPPICE_HD pivot operator()(std::int64_t v) const {
        if (labels[v] >= 0) return {-1, -1};
        return {std::int64_t(g.degree(v)) * incoming.degree(v), v};
    }
};
struct better_pivot {
    COPPICE_HD pivot operator()(pivot const& a, pivot const& b) const {
        if (a.pairs != b.pairs) return a.pairs > b.pairs ? a : b;
        return static_cast<std::uint64_t>(a.vertex) < static_cast<std::uint64_t>(b.vertex) ? a : b;
    }
};
/// Splits the vertices into subsets by whether the pivot reaches them and whether they reach the pivot; the subset of
/// both is the component of the pivot.
struct subset_by_reach {
    vertex_id pivot;
    std::int32_t const *ahead, *back; ///< levels of the searches from the pivot
    strong_arrays x;
    COPPICE_HD void operator()(std::int64_t v) const {
        if (x.labels[v] >= 0) return;
        x.subset[v] = (ahead[v] >= 0 ? 1u : 0u) + (back[v] >= 0 ? 2u : 0u);
        if (x.subset[v] == 3) x.labels[v] = pivot;
    }
};
/// A vertex that reaches a component within its subset belongs to the component.
struct reach_back {
    graph_view incoming;
    strong_arrays x;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = incoming.neighbors[k];
        if (x.subset[v] != x.subset[u] || worker.load(x.labels + v) >= 0) return;
        if (worker.claim(x.labels + v, vertex_id(-1), x.labels[u])) worker.emit(v);
    }
};

struct list_open {
    strong_arrays x;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        if (x.labels[v] < 0) worker.emit(v);
    }
};
struct colour_own {
    strong_arrays x;
    std::uint32_t salt;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker&, vertex_id v) const {
        x.colour[v] = shuffled(v, salt);
    }
};
struct pass_colour {
    graph_view g;
    strong_arrays x;
    strong_state const* state;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        if (x.labels[v] >= 0 || x.subset[v] != x.subset[u]) return;
        if (!worker.lower(x.colour + v, worker.load(x.colour + u))) return;
        std::int32_t const next = state->round + 1;
        if (worker.exchange(x.queued + v, next) != next) worker.emit(v);
    }
};
/// The colours become the subsets; a vertex that kept its own colour starts a component.
struct begin_components {
    strong_arrays x;
    std::uint32_t salt;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        x.subset[v] = x.colour[v];
        if (x.colour[v] != shuffled(v, salt)) return;
        x.labels[v] = v;
        worker.emit(v);
    }
};
/// Arrays and steps of one search.
template <executor Executor>
class strong_search {
public:
    strong_search(Executor const& exec, graph_view g, graph_view incoming, vertex_id* labels)
        : exec_(exec), g_(g), incoming_(incoming), words_(exec, 5 * std::int64_t(g.vertices)), lists_(exec, g.vertices),
          all_vertices_(placed(exec, worklist{})), state_(placed(exec, strong_state{})), colours_(exec), back_(exec) {
        std::int64_t const n = g.vertices;
        auto* const w = words_.data();
        auto* const u = reinterpret_cast<std::uint32_t*>(w);
        x_ = {labels, w, w + n, u + 2 * n, u + 3 * n, w + 4 * n};
        for_each(exec, n, begin_strong{g, incoming, x_, all_vertices_.data()});
    }

    void trim() {
        vertex_map(exec_, nullptr, all_vertices_.data(), into(now()), list_trimmed{x_});
        rounds<Executor>(exec_).run(
            &state_.data()->loop, edge_step{nullptr, now(), g_, into(next()), trim_edge{g_, x_.in_left, x_.labels}},
            edge_step{nullptr, now(), incoming_, into(next()), trim_edge{incoming_, x_.out_left, x_.labels}},
            end_round());
    }
    /// Finds the component of the pivot; returns whether any vertex was open.
    bool take_pivot() {
        auto const p = reduce(exec_, g_.vertices, pivot{-1, -1}, pivot_of{g_, incoming_, x_.labels}, better_pivot{});
        if (p.vertex < 0) return false;
        auto const v = static_cast<vertex_id>(p.vertex);
        auto const ahead = bfs(exec_, g_, v, {.incoming = incoming_}).levels;
        auto const back = bfs(exec_, incoming_, v, {.incoming = g_}).levels;
        for_each(exec_, g_.vertices, subset_by_reach{v, ahead.data(), back.data(), x_});
        return true;
    }
    /// Repeats colouring until no vertex is open.
    void colour_rest() {
        worklist *const rest = lists_[2], *const rest_next = lists_[3];
        vertex_map(exec_, nullptr, all_vertices_.data(), into(rest), list_open{x_});
        for (std::uint32_t salt = 1; exec_.load(rest).count > 0; salt += 0x9e3779b9u) {
            vertex_map(exec_, nullptr, rest, nothing(), colour_own{x_, salt});
            pass_colour const pass{g_, x_, state_.data()};
            edge_map(exec_, nullptr, rest, g_, into(next()), pass);
            for_each(exec_, 1, next_strong{now(), next(), state_.data()});
            for_each(exec_, 1, go_on{state_.data()});
            colours_.run(&state_.data()->loop, edge_step{nullptr, now(), g_, into(next()), pass}, end_round());
            vertex_map(exec_, nullptr, rest, into(now()), begin_components{x_, salt});
            for_each(exec_, 1, go_on{state_.data()});
            search_back();
            vertex_map(exec_, nullptr, rest, into(rest_next), list_open{x_});
            for_each(exec_, 1, swap_lists{rest, rest_next});
        }
    }

private:
    worklist* now() { return lists_[0]; }
    worklist* next() { return lists_[1]; }

    single_step<next_strong> end_round() { return {{now(), next(), state_.data()}}; }
    void search_back() {
        back_.run(&state_.data()->loop, edge_step{nullptr, now(), incoming_, into(next()), reach_back{incoming_, x_}},
                  end_round());
    }

    Executor exec_;
    graph_view g_, incoming_;
    strong_arrays x_{};
    buffer<std::int32_t> words_;
    worklists<4> lists_;
    buffer<worklist> all_vertices_;
    buffer<strong_state> state_;
    rounds<Executor> colours_, back_;
};

} // namespace analytics

template <executor Executor>
components_result strongly_connected_components(Executor const& exec, graph_view g, graph_view incoming) {
    using namespace analytics;
    require_size("vertices of the incoming edges of strongly_connected_components", incoming.vertices, g.vertices);
    require_size("edges that come in, for strongly_connected_components", incoming.edge_count, g.edge_count);
    components_result result{buffer<vertex_id>(exec, g.vertices)};
    if (g.vertices == 0) return result;
    strong_search<Executor> search(exec, g, incoming, result.labels.data());
    search.trim();
    if (search.take_pivot()) search.colour_rest();
    label_by_min_member(exec, result.labels);
    result.components = reduce(exec, g.vertices, std::int64_t{0}, is_root{result.labels.data()}, plus{});
    return result;
}

#define COPPICE_STRONG_COMPONENTS(EXTERN, EXECUTOR)                                                                    \
    EXTERN template components_result strongly_connected_components(EXECUTOR const&, graph_view, graph_view)
COPPICE_STRONG_COMPONENTS(extern, host_executor);
COPPICE_STRONG_COMPONENTS(extern, cuda_executor);

} // namespace coppice::inline v0_1
