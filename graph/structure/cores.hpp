// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Core numbers by peeling.
#pragma once

#include <coppice/graph/frontier/filtered_edges.hpp>
#include <coppice/graph/frontier/rounds.hpp>

namespace coppice::inline v0_1 {

struct cores_result {
    buffer<std::int32_t> cores{}; ///< in the memory of the executor
    std::int32_t largest = 0;     ///< degeneracy of the graph
};

/// Computes the core numbers of an undirected graph: the largest k such that the vertex is in a subgraph of minimum
/// degree >= k. Loops do not count; parallel edges count separately.
///
/// All vertices of the smallest degree are removed together, with lists of the remaining vertices (Dhulipala, Blelloch
/// and Shun, Julienne, 2017, without buckets): O(n + m) time, plus a pass over the remaining vertices for every core
/// number. Memory: 8 words per vertex. The result is the same for any number of threads, on host and CUDA; waits at the
/// end.
template <executor Executor>
cores_result core_numbers(Executor const& exec, graph_view g);

namespace analytics {

struct cores_state {
    loop_switch loop{1};
    int selects = 0; ///< device predicate: select remaining vertices of degree at most k
    int leaps = 1;   ///< the last selection was empty
    std::int32_t k = -1;
    std::int32_t min_degree = 0; ///< smallest degree above k of the last selection
};

/// Updates the neighbour of a removed vertex: it is removed next if its degree falls to k.
struct peel_edge {
    graph_view g;
    std::int32_t* degrees;
    std::int32_t* cores;
    cores_state const* state;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t edge) const {
        vertex_id const v = g.neighbors[edge];
        std::int32_t const k = state->k;
        if (v == u || worker.load(degrees + v) <= k || worker.add(degrees + v, -1) != k + 1) return;
        cores[v] = k;
        worker.emit(v);
    }
};
struct select_core {
    std::int32_t const* degrees;
    std::int32_t* cores;
    cores_state* state;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        if (degrees[v] > state->k) {
            worker.lower(&state->min_degree, degrees[v]);
            worker.template emit<1>(v);
        } else if (cores[v] < 0) {
            cores[v] = state->k;
            worker.template emit<0>(v);
        }
    }
};
struct end_peeling {
    worklist* now;
    worklist* next;
    worklist* rest;
    cores_state* state;
    COPPICE_HD void operator()(std::int64_t) const {
        cores_state& s = *state;
        swap_and_clear(*now, *next);
        s.selects = now->count == 0 ? 1 : 0;
        if (s.selects == 0) return;
        if (rest->count == 0) return s.loop.stop();
        s.k = s.leaps != 0 && s.min_degree > s.k ? s.min_degree : s.k + 1;
        s.min_degree = 0x7fffffff;
    }
};
struct end_selection {
    worklist* now;
    worklist* rest;
    worklist* rest_next;
    cores_state* state;
    COPPICE_HD void operator()(std::int64_t) const {
        if (state->selects == 0) return;
        swap_and_clear(*rest, *rest_next);
        state->leaps = now->count == 0 ? 1 : 0;
        if (now->count == 0 && rest->count == 0) state->loop.stop();
    }
};
struct begin_cores {
    list_all list;
    std::int32_t* cores;
    COPPICE_HD void operator()(std::int64_t v) const {
        cores[v] = -1;
        list(v);
    }
};

} // namespace analytics

template <executor Executor>
cores_result core_numbers(Executor const& exec, graph_view g) {
    using namespace analytics;
    cores_result result{buffer<std::int32_t>(exec, g.vertices)};
    auto degrees = degrees_without_loops(exec, g);
    std::int32_t* const cores = result.cores.data();
    worklists<4> lists(exec, g.vertices);
    worklist *const now = lists[0], *const next = lists[1], *const rest = lists[2], *const rest_next = lists[3];
    auto state = placed(exec, cores_state{});
    cores_state* const s = state.data();
    for_each(exec, g.vertices, begin_cores{{rest, g.vertices}, cores});
    rounds<Executor>(exec).run(
        &s->loop, edge_step{nullptr, now, g, into(next), peel_edge{g, degrees.data(), cores, s}},
        single_step{end_peeling{now, next, rest, s}},
        item_step{&s->selects, rest, into(now, rest_next), select_core{degrees.data(), cores, s}},
        single_step{end_selection{now, rest, rest_next, s}});
    result.largest = reduce(exec, g.vertices, std::int32_t{0}, value_at<std::int32_t>{cores}, maximum{});
    return result;
}

#define COPPICE_CORES(EXTERN, EXECUTOR) EXTERN template cores_result core_numbers(EXECUTOR const&, graph_view)
COPPICE_CORES(extern, host_executor);
COPPICE_CORES(extern, cuda_executor);

} // namespace coppice::inline v0_1
