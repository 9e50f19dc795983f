// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Truss numbers by peeling edges.
#pragma once

#include <coppice/graph/communities/similarity.hpp>
#include <coppice/graph/structure/cores.hpp>

namespace coppice::inline v0_1 {

/// Edges sorted by their smaller ends, in the memory of the executor.
struct truss_result {
    buffer<vertex_id> from{}; ///< the smaller end
    buffer<vertex_id> to{};
    buffer<std::int32_t> numbers{}; ///< largest k of a k-truss that contains the edge, at least 2
    std::int32_t largest = 0;       ///< 0 without edges
};

/// The k-truss of an undirected graph is its largest subgraph in which every edge is in at least k - 2 triangles (Cohen
/// 2008). Rows are sorted without parallel edges; loops are ignored.
///
/// All edges in the fewest triangles are removed together. If two edges of a triangle are removed in the same round,
/// the one with the smaller number updates the third (Kabir and Madduri, PKT, 2017). Time: for every edge an
/// intersection of two rows, and for every truss number a pass over the remaining edges. Memory: 10 words per edge and
/// one per direction. The result is the same for any number of threads, on host and CUDA. Waits.
template <executor Executor>
truss_result truss_numbers(Executor const& exec, graph_view g);

namespace analytics {

struct number_above {
    graph_view g;
    std::int32_t* number = nullptr;
    vertex_id* from = nullptr;
    vertex_id* to = nullptr;
    COPPICE_HD bool selects(vertex_id u, std::int32_t k) const { return g.neighbors[k] > u; }
    COPPICE_HD void store(vertex_id u, std::int32_t k, std::int32_t at) const {
        from[at] = u;
        to[at] = g.neighbors[k];
        number[k] = at;
    }
};
/// Gives an edge to a smaller vertex the number of the edge in the other direction.
struct number_below {
    graph_view g;
    std::int32_t* number;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker&, vertex_id u, std::int32_t k) const {
        if (g.neighbors[k] < u) number[k] = number[position_of_edge(g, g.neighbors[k], u)];
    }
};

struct truss_arrays {
    graph_view g;
    std::int32_t const* number; ///< edge number of every stored entry
    vertex_id const *from, *to;
    std::int32_t* support; ///< remaining triangles
    std::int32_t* numbers; ///< -1 while the edge remains
    std::int32_t* when;    ///< round of removal; 0: not yet
    std::int32_t* round;
    cores_state* state;
};
struct count_support {
    truss_arrays x;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker&, vertex_id e) const {
        std::int32_t count = 0;
        vertex_id const u = x.from[e], v = x.to[e];
        for (common_neighbors both(x.g, u, v); both.next();) count += both.vertex != u && both.vertex != v ? 1 : 0;
        x.support[e] = count;
        x.numbers[e] = -1;
        x.when[e] = 0;
    }
};
struct count_round {
    std::int32_t* round;
    COPPICE_HD void operator()(std::int64_t) const { ++*round; }
};
struct set_round {
    truss_arrays x;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker&, vertex_id e) const {
        x.when[e] = *x.round;
    }
};
struct peel_triangles {
    truss_arrays x;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id e) const {
        std::int32_t const round = *x.round;
        vertex_id const u = x.from[e], v = x.to[e];
        for (common_neighbors both(x.g, u, v); both.next();) {
            if (both.vertex == u || both.vertex == v) continue;
            std::int32_t const a = x.number[both.edge_of_u()], b = x.number[both.edge_of_v()];
            std::int32_t const a_when = x.when[a], b_when = x.when[b];
            bool const a_goes = a_when == round, b_goes = b_when == round;
            if ((a_when != 0 && !a_goes) || (b_when != 0 && !b_goes) || (a_goes && b_goes)) continue;
            if (!a_goes && (!b_goes || e < b)) lower_support(worker, a);
            if (!b_goes && (!a_goes || e < a)) lower_support(worker, b);
        }
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void lower_support(Worker& worker, std::int32_t e) const {
        std::int32_t const k = x.state->k;
        if (worker.load(x.support + e) <= k || worker.add(x.support + e, -1) != k + 1) return;
        x.numbers[e] = k;
        worker.emit(e);
    }
};
/// Adds 2 to the largest k for which the edge is in a subgraph whose edges are in k triangles each: a k-truss requires
/// k - 2 triangles.
struct add_two {
    std::int32_t* numbers;
    COPPICE_HD void operator()(std::int64_t e) const { numbers[e] += 2; }
};

} // namespace analytics

template <executor Executor>
truss_result truss_numbers(Executor const& exec, graph_view g) {
    using namespace analytics;
    std::int32_t edges = 0;
    auto const first = offsets_of_selected(exec, g, number_above{g}, edges);
    truss_result r{buffer<vertex_id>(exec, edges), buffer<vertex_id>(exec, edges), buffer<std::int32_t>(exec, edges)};
    if (edges == 0) return r;
    buffer<std::int32_t> number(exec, g.edge_count), support(exec, edges), when(exec, edges);
    auto const all_vertices = every_vertex(exec, g);
    auto round = placed(exec, std::int32_t{0});
    auto state = placed(exec, cores_state{});
    cores_state* const s = state.data();
    worklists<4> lists(exec, edges);
    worklist *const now = lists[0], *const next = lists[1], *const rest = lists[2], *const rest_next = lists[3];
    truss_arrays const x{
        g, number.data(), r.from.data(), r.to.data(), support.data(), r.numbers.data(), when.data(), round.data(), s};
    filter_edges(exec, g, first.data(), number_above{g, number.data(), r.from.data(), r.to.data()});
    edge_map(exec, nullptr, all_vertices.data(), g, nothing(), number_below{g, number.data()});
    for_each(exec, edges, list_all{rest, edges});
    vertex_map(exec, nullptr, rest, nothing(), count_support{x});
    auto const body = [&] {
        for_each(exec, 1, count_round{x.round});
        vertex_map(exec, nullptr, now, nothing(), set_round{x});
        vertex_map(exec, nullptr, now, into(next), peel_triangles{x});
        for_each(exec, 1, end_peeling{now, next, rest, s});
        vertex_map(exec, &s->selects, rest, into(now, rest_next), select_core{support.data(), x.numbers, s});
        for_each(exec, 1, end_selection{now, rest, rest_next, s});
    };
    repetition<Executor> repeat(exec);
    repeat.run(&s->loop, {.replayable = true}, body, nullptr);
    for_each(exec, edges, add_two{r.numbers.data()});
    r.largest = reduce(exec, edges, std::int32_t{0}, value_at<std::int32_t>{r.numbers.data()}, maximum{});
    return r;
}

#define COPPICE_TRUSS(EXTERN, EXECUTOR) EXTERN template truss_result truss_numbers(EXECUTOR const&, graph_view)
COPPICE_TRUSS(extern, host_executor);
COPPICE_TRUSS(extern, cuda_executor);

} // namespace coppice::inline v0_1
