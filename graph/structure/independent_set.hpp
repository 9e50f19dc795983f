// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A maximal independent set: greedy, few edges first.
#pragma once

#include <coppice/graph/frontier/in_order_host.hpp>

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
/// CUDA. Near n + m steps: the host goes along the order, by stretches of vertices where neighbours have near numbers;
/// threads of a GPU try until those before a vertex are decided. Memory: a byte and three words a vertex. Waits.
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
    bool reads_ahead = false;
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
        std::uint8_t const result =
            // NOLINTNEXTLINE(bugprone-branch-clone): edges_at_once is 1 only on the host
            reads_ahead ? wanted<edges_at_once<Worker>>(worker, v, mine, depth) : wanted<1>(worker, v, mine, depth);
        if (result < set_open) worker.store(status + v, result);
        if constexpr (!Worker::recurses)
            if (result == set_in) exclude_neighbors(worker, v);
        return result;
    }
    COPPICE_NO_EXEC_CHECK
    template <int width, class Worker>
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
        for (std::int64_t k = begin; k < end; k += width) {
            vertex_id u[width];
            std::uint8_t other[width];
            COPPICE_UNROLL
            for (int j = 0; j < width; ++j) u[j] = g.neighbors[k + j < end ? k + j : k]; // some twice
            COPPICE_UNROLL
            for (int j = 0; j < width; ++j) other[j] = worker.load(status + u[j]);
            COPPICE_UNROLL
            for (int j = 0; j < width; ++j) {
                if (u[j] == v) continue;
                if (other[j] >= set_open && place.is_behind(u[j], other[j])) {
                    if constexpr (Worker::recurses)
                        if (depth < worker_depth) other[j] = decision(worker, u[j], other[j], depth + 1);
                    if (other[j] >= set_open) return mine;
                }
                if (other[j] == set_in) return set_out;
            }
        }
        return set_in;
    }
};
template <class Executor>
void decide_members(Executor const& exec, graph_view g, std::uint8_t* status) {
    worklists<3> lists(exec, g.vertices);
    auto everyone = placed(exec, worklist{});
    for_each(exec, g.vertices, open_vertex{g, vertex_order(g, false), status, everyone.data()});
    bool const ahead = reading_ahead_pays(exec, g);
    try_items(exec, nullptr, everyone.data(), g, into(lists[0]), decide_member{g, status, true, ahead});
    settle_items(exec, lists[0], g, lists[1], lists[2], decide_member{g, status, false, ahead});
}

/// One worker goes along the order. Who is open then has no member for a neighbour.
inline void rule_out_in_order(host_executor const& exec, graph_view g, std::uint8_t* status) {
    vertices_in_order const order(exec, g, vertex_order(g, false));
    for_each(exec, g.vertices, [=](std::int64_t v) { status[v] = g.degree(v) > 0 ? set_open : set_in; });
    order.visit(g, 0, order.end_of_class(1), [&](vertex_id v) {
        if (status[v] != set_open) return;
        for (auto k = g.offsets[v], end = g.offsets[v + 1]; k < end; ++k) status[g.neighbors[k]] = set_out;
        status[v] = set_in;
    });
}

/// Decides the vertices of a stretch, which one worker visits in order. Open is left who waits for a vertex of another
/// stretch, or for one that does; those of the stretch that are still to come have the status `mine`.
template <class Worker>
struct decide_in_stretch {
    Worker* worker;
    graph_view g;
    vertex_order order;
    std::uint8_t* status;
    std::uint8_t mine;

    void operator()(vertex_id v) const {
        std::uint8_t is = set_open + 1;
        if (order.class_of(g.degree(v)) == 0) is = decision(v);
        worker->store(status + v, is);
        if (is >= set_open) worker->emit(v);
    }
    std::uint8_t decision(vertex_id v) const {
        std::uint64_t seen = 0; // a bit for every status
        for (auto k = g.offsets[v], end = g.offsets[v + 1]; k < end; ++k)
            seen |= std::uint64_t(1) << (worker->load(status + g.neighbors[k]) & 63);
        std::uint64_t const alone = std::uint64_t(1) << set_out | std::uint64_t(1) << set_in | std::uint64_t(1) << mine;
        if ((seen & ~alone) != 0) return decision_beside_others(v);
        return static_cast<std::uint8_t>((seen >> set_in & 1) ^ set_in); // no branch, as none could predict it
    }
    std::uint8_t decision_beside_others(vertex_id v) const {
        vertex_place const place(v, 0);
        for (auto k = g.offsets[v], end = g.offsets[v + 1]; k < end; ++k) {
            vertex_id const u = g.neighbors[k];
            std::uint8_t const other = worker->load(status + u); // another than a moment ago, perhaps
            if (other == set_in) return set_out;
            if (other >= set_open && other != mine && place.is_behind(u, order.class_of(g.degree(u)))) return set_open;
        }
        return set_in;
    }
};
inline void decide_in_stretches(host_executor const& exec, graph_view g, std::uint8_t* status) {
    worklists<3> lists(exec, g.vertices);
    detail::for_each_block(exec, g.vertices, longest_stretch, [=](std::int64_t, std::int64_t first, std::int64_t last) {
        std::fill(status + first, status + last, std::uint8_t(set_open));
    });
    visit_stretches(exec, g, into(lists[0]), [=](auto& worker, int mark, auto const& stretch) {
        auto const mine = std::uint8_t(set_open + 2 + mark);
        static_assert(set_open + 2 + most_marks <= 64);
        store_all(worker, status + stretch.first, status + stretch.last, mine);
        visit_runs<true>(g, stretch.runs, 0, stretch.runs.size(), stretch.last,
                         decide_in_stretch<std::remove_reference_t<decltype(worker)>>{
                             &worker, g, vertex_order(g, false), status, mine});
    });
    settle_items(exec, lists[0], g, lists[1], lists[2], decide_member{g, status, false});
}
/// Four workers that ask each other take as long as one that goes along the order.
inline void decide_members(host_executor const& exec, graph_view g, std::uint8_t* status) {
    if (stretches_pay(g)) return decide_in_stretches(exec, g, status);
    if (exec.threads() <= 4) return rule_out_in_order(exec, g, status);
    decide_members<host_executor>(exec, g, status);
}

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
    decide_members(exec, g, result.members.data());
    result.size = reduce(exec, g.vertices, std::int64_t{0}, count_member{result.members.data()}, plus{});
    return result;
}

#define COPPICE_INDEPENDENT_SET(EXTERN, EXECUTOR)                                                                      \
    EXTERN template independent_set_result maximal_independent_set(EXECUTOR const&, graph_view)
COPPICE_INDEPENDENT_SET(extern, host_executor);
COPPICE_INDEPENDENT_SET(extern, cuda_executor);

} // namespace coppice
