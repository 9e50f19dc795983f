// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A maximal independent set: greedy, few edges first.
#pragma once

#include <coppice/graph/analytics/worklist.hpp>

namespace coppice {

struct independent_set_result {
    buffer<std::uint8_t> members{}; ///< 1: in the set; in the memory of the executor
    std::int64_t size = 0;
};

/// A maximal independent set of an undirected graph: no two members are neighbours, everyone else has a member for a
/// neighbour. Loops are ignored.
///
/// It is the greedy set in an order in which vertices of few edges come first (at most twice the mean), then by a hash:
/// a vertex is in it when all neighbours before it are out. So it is the same for any number of threads, on host and
/// CUDA. Near n + m steps: the host decides those that a vertex waits for at once, threads of a GPU try until these
/// are decided. Memory: a byte and three words a vertex. Waits.
template <executor Executor>
independent_set_result maximal_independent_set(Executor const& exec, graph_view g);

namespace analytics {

enum set_status : std::uint8_t { set_out = 0, set_in = 1, set_open = 2 /* + class */ };

struct open_vertex {
    graph_view g;
    vertex_order order;
    std::uint8_t* status;
    worklist* everyone;
    COPPICE_HD void operator()(std::int64_t v) const {
        status[v] = static_cast<std::uint8_t>(set_open + order.class_of(g.degree(v)));
        if (v == 0) *everyone = {nullptr, g.vertices, 0};
    }
};
struct decide_member {
    graph_view g;
    std::uint8_t* status;
    bool leaves_many; ///< those of many edges: until most of them are ruled out
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD bool operator()(Worker& worker, vertex_id v) const {
        std::uint8_t const mine = worker.load(status + v);
        if (mine < set_open) return true; // on the way to another
        if (leaves_many && mine > set_open && !Worker::recurses) return false;
        return decision(worker, v, mine, 0) < set_open;
    }
    /// So that vertices of many edges need not look for the one that rules them out.
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void exclude_neighbors(Worker& worker, vertex_id v) const {
        for (auto k = g.offsets[v], end = g.offsets[v + 1]; k < end; ++k) {
            vertex_id const u = g.neighbors[k];
            if (u != v && worker.load(status + u) >= set_open) worker.store(status + u, std::uint8_t{set_out});
        }
    }
    /// set_in or set_out, stored, or the status as it is where a neighbour before v is open.
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD std::uint8_t decision(Worker& worker, vertex_id v, std::uint8_t mine, int depth) const {
        std::uint8_t const result = wanted(worker, v, mine, depth);
        if (result < set_open) worker.store(status + v, result);
        if constexpr (!Worker::recurses)
            if (result == set_in) exclude_neighbors(worker, v);
        return result;
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD std::uint8_t wanted(Worker& worker, vertex_id v, std::uint8_t mine, int depth) const {
        auto const begin = g.offsets[v], end = g.offsets[v + 1];
        if constexpr (Worker::recurses) { // before anyone else is asked to decide; others end at the first they wait
                                          // for
            bool waits = false;
            for (auto k = begin; k < end; ++k) {
                if (g.neighbors[k] == v) continue; // a loop: another worker may have decided v
                std::uint8_t const other = worker.load(status + g.neighbors[k]);
                if (other == set_in) return set_out;
                waits = waits || other >= set_open;
            }
            if (!waits) return set_in;
        }
        vertex_place const place(v, mine);
        for (auto k = begin; k < end; ++k) {
            vertex_id const u = g.neighbors[k];
            if (u == v) continue;
            std::uint8_t other = worker.load(status + u);
            if (other >= set_open && place.is_behind(u, other)) {
                if constexpr (Worker::recurses)
                    if (depth < worker_depth) other = decision(worker, u, other, depth + 1);
                if (other >= set_open) return mine;
            }
            if (other == set_in) return set_out;
        }
        return set_in;
    }
};
struct count_member {
    std::uint8_t const* status;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const { return status[v]; }
};

} // namespace analytics

template <executor Executor>
independent_set_result maximal_independent_set(Executor const& exec, graph_view g) {
    using namespace analytics;
    independent_set_result result{buffer<std::uint8_t>(exec, g.vertices)};
    if (g.vertices == 0) return result;
    std::uint8_t* const status = result.members.data();
    worklists<3> lists(exec, g.vertices);
    auto everyone = placed(exec, worklist{});
    for_each(exec, g.vertices, open_vertex{g, vertex_order(g, false), status, everyone.data()});
    try_items(exec, nullptr, everyone.data(), into(lists[0]), decide_member{g, status, true});
    settle_items(exec, lists[0], lists[1], lists[2], decide_member{g, status, false});
    result.size = reduce(exec, g.vertices, std::int64_t{0}, count_member{status}, plus{});
    return result;
}

#define COPPICE_INDEPENDENT_SET(EXTERN, EXECUTOR)                                                                      \
    EXTERN template independent_set_result maximal_independent_set(EXECUTOR const&, graph_view)
COPPICE_INDEPENDENT_SET(extern, host_executor);
COPPICE_INDEPENDENT_SET(extern, cuda_executor);

} // namespace coppice
