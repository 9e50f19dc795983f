// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Core numbers by peeling.
#pragma once

#include <coppice/graph/frontier/filtered_edges.hpp>
#include <coppice/graph/frontier/rounds.hpp>

namespace coppice {

struct cores_result {
    buffer<std::int32_t> cores{}; ///< in the memory of the executor
    std::int32_t largest = 0;     ///< the degeneracy of the graph
};

/// Core numbers of an undirected graph: the largest k such that the vertex is in a subgraph of degrees >= k. Loops are
/// not counted; edges that are stored several times count as often.
///
/// Vertices of the smallest degree are taken away together, with lists of those that remain (Dhulipala, Blelloch and
/// Shun, Julienne, 2017, without buckets): n + m steps, and at every core number those that remain. Memory: 8 words a
/// vertex. The same for any number of threads, on host and CUDA; waits at the end.
template <executor Executor>
cores_result core_numbers(Executor const& exec, graph_view g);

namespace analytics {

struct cores_state {
    loop_switch loop{1};
    int selects = 0; ///< a gate: look for vertices of degree at most k among the remaining
    int leaps = 1;   ///< there was none
    std::int32_t k = -1;
    std::int32_t least = 0; ///< degree of the remaining, when they were looked at
};

struct begin_cores {
    std::int64_t vertices;
    std::int32_t* cores;
    worklist* rest;
    COPPICE_HD void operator()(std::int64_t v) const {
        cores[v] = -1;
        list_all{rest, vertices}(v);
    }
};
/// A neighbour of a vertex that is taken away: goes next where its degree falls to k.
struct peel_edge {
    graph_view g;
    std::int32_t* degrees;
    std::int32_t* cores;
    cores_state const* state;
    COPPICE_HD bool enters(auto const&, vertex_id) const { return true; }
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
            worker.lower(&state->least, degrees[v]);
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
        turn_over(*now, *next);
        s.selects = now->count == 0 ? 1 : 0;
        if (s.selects == 0) return;
        if (rest->count == 0) return s.loop.stop();
        s.k = s.leaps != 0 && s.least > s.k ? s.least : s.k + 1;
        s.least = 0x7fffffff;
    }
};
struct end_selection {
    worklist* now;
    worklist* rest;
    worklist* rest_next;
    cores_state* state;
    COPPICE_HD void operator()(std::int64_t) const {
        if (state->selects == 0) return;
        turn_over(*rest, *rest_next);
        state->leaps = now->count == 0 ? 1 : 0;
        if (now->count == 0 && rest->count == 0) state->loop.stop();
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
    for_each(exec, g.vertices, begin_cores{g.vertices, cores, rest});
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

} // namespace coppice
