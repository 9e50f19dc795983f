// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Greedy maximal independent set, vertices of low degree first.
#pragma once

#include <coppice/graph/frontier/in_order_host.hpp>

namespace coppice::inline v0_1 {

struct independent_set_result {
    buffer<std::uint8_t> members{}; ///< 1: in the set; in the memory of the executor
    std::int64_t size = 0;
};

/// Computes a maximal independent set of an undirected graph: no two members are neighbours, and every other vertex has
/// a member as a neighbour. Loops are ignored.
///
/// The result is the greedy set in an order in which vertices of low degree (at most twice the mean) come first, then
/// by a hash: a vertex is a member if no neighbour before it is a member. It is the same for any number of threads, on
/// host and CUDA. About n + m steps: the host processes the vertices in order, by chunks of vertices if neighbours have
/// close indices; GPU threads retry a vertex until the neighbours before it are decided. Memory: a byte and three words
/// per vertex. Waits.
template <executor Executor>
independent_set_result maximal_independent_set(Executor const& exec, graph_view g);

namespace analytics {

enum set_status : std::uint8_t { set_out = 0, set_in = 1, set_open = 2 /* + class */ };

struct decide_member {
    graph_view g;
    std::uint8_t* status;
    bool leaves_many; ///< skip vertices of high degree until most of them are excluded
    bool reads_ahead = false;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD bool operator()(Worker& worker, vertex_id v) const {
        std::uint8_t const mine = worker.load(status + v);
        if (mine < set_open) return true; // decided recursively for another vertex
        if (leaves_many && mine > set_open && !Worker::recurses) return false;
        return decision(worker, v, mine, 0) < set_open;
    }
    /// Excludes the neighbours of a member, so that vertices of high degree need not search for the member.
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void exclude_neighbors(Worker& worker, vertex_id v) const {
        for (auto k = g.offsets[v], end = g.offsets[v + 1]; k < end; ++k) {
            vertex_id const u = g.neighbors[k];
            if (u != v && worker.load(status + u) >= set_open) worker.store(status + u, std::uint8_t{set_out});
        }
    }
    /// Stores and returns set_in or set_out; returns the old status if a neighbour before v is undecided.
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD std::uint8_t decision(Worker& worker, vertex_id v, std::uint8_t mine, int depth) const {
        std::uint8_t const result =
            // NOLINTNEXTLINE(bugprone-branch-clone): edges_at_once is 1 only on the host
            reads_ahead ? evaluate<edges_at_once<Worker>>(worker, v, mine, depth) : evaluate<1>(worker, v, mine, depth);
        if (result < set_open) worker.store(status + v, result);
        if constexpr (!Worker::recurses)
            if (result == set_in) exclude_neighbors(worker, v);
        return result;
    }
    COPPICE_NO_EXEC_CHECK
    template <int width, class Worker>
    COPPICE_HD std::uint8_t evaluate(Worker& worker, vertex_id v, std::uint8_t mine, int depth) const {
        auto const begin = g.offsets[v], end = g.offsets[v + 1];
        // First checks all neighbours before any recursive decision; devices stop at the first undecided neighbour.
        if constexpr (Worker::recurses) {
            bool waits = false;
            for (auto k = begin; k < end; ++k) {
                if (g.neighbors[k] == v) continue; // a loop; another worker may have decided v
                std::uint8_t const other = worker.load(status + g.neighbors[k]);
                if (other == set_in) return set_out;
                waits = waits || other >= set_open;
            }
            if (!waits) return set_in;
        }
        vertex_position const position(v, mine);
        for (std::int64_t k = begin; k < end; k += width) {
            vertex_id u[width];
            std::uint8_t other[width];
            COPPICE_UNROLL
            // Beyond the last edge, edge k is read again, so that the loop has a fixed number of loads.
            for (int j = 0; j < width; ++j) u[j] = g.neighbors[k + j < end ? k + j : k];
            COPPICE_UNROLL
            for (int j = 0; j < width; ++j) other[j] = worker.load(status + u[j]);
            COPPICE_UNROLL
            for (int j = 0; j < width; ++j) {
                if (u[j] == v) continue;
                if (other[j] >= set_open && position.is_after(u[j], other[j])) {
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
/// Opens every vertex, and makes the list of all.
struct open_vertex {
    graph_view g;
    vertex_order order;
    std::uint8_t* status;
    worklist* all;
    COPPICE_HD void operator()(std::int64_t v) const {
        status[v] = static_cast<std::uint8_t>(set_open + order.class_of(g.degree(static_cast<vertex_id>(v))));
        if (v == 0) *all = {nullptr, g.vertices, 0};
    }
};
template <class Executor>
void decide_members(Executor const& exec, graph_view g, std::uint8_t* status) {
    worklists<3> lists(exec, g.vertices);
    auto all_vertices = placed(exec, worklist{});
    worklist* const all = all_vertices.data();
    for_each(exec, g.vertices, open_vertex{g, vertex_order(g, false), status, all});
    bool const ahead = should_read_ahead(exec, g);
    try_vertex_map(exec, nullptr, all, g, into(lists[0]), decide_member{g, status, true, ahead});
    vertex_map_until_done(exec, lists[0], g, lists[1], lists[2], decide_member{g, status, false, ahead});
}

/// Sequential greedy algorithm in order. An undecided vertex has no member as a neighbour when it is reached.
inline void rule_out_in_order(host_executor const& exec, graph_view g, std::uint8_t* status) {
    vertices_in_order const order(exec, g, vertex_order(g, false));
    for_each(exec, g.vertices, [=](std::int64_t v) { status[v] = g.degree(v) > 0 ? set_open : set_in; });
    order.for_each(g, 0, order.end_of_class(1), [&](vertex_id v) {
        if (status[v] != set_open) return;
        for (auto k = g.offsets[v], end = g.offsets[v + 1]; k < end; ++k) status[g.neighbors[k]] = set_out;
        status[v] = set_in;
    });
}

/// Decides the vertices of a chunk, in order, by one worker. A vertex that depends on a vertex of another chunk,
/// directly or indirectly, stays undecided. The vertices of the chunk that follow have the status `mine`.
template <class Worker>
struct decide_in_chunk {
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
        std::uint64_t seen = 0; // bit set of the status of the neighbours
        for (auto k = g.offsets[v], end = g.offsets[v + 1]; k < end; ++k)
            seen |= std::uint64_t(1) << (worker->load(status + g.neighbors[k]) & 63);
        std::uint64_t const alone = std::uint64_t(1) << set_out | std::uint64_t(1) << set_in | std::uint64_t(1) << mine;
        if ((seen & ~alone) != 0) return decision_with_order(v);
        // without a branch, which would be unpredictable
        return static_cast<std::uint8_t>((seen >> set_in & 1) ^ set_in);
    }
    std::uint8_t decision_with_order(vertex_id v) const {
        vertex_position const position(v, 0);
        for (auto k = g.offsets[v], end = g.offsets[v + 1]; k < end; ++k) {
            vertex_id const u = g.neighbors[k];
            std::uint8_t const other = worker->load(status + u); // may differ from the value read before
            if (other == set_in) return set_out;
            if (other >= set_open && other != mine && position.is_after(u, order.class_of(g.degree(u))))
                return set_open;
        }
        return set_in;
    }
};
inline void decide_in_chunks(host_executor const& exec, graph_view g, std::uint8_t* status) {
    worklists<3> lists(exec, g.vertices);
    detail::for_each_block(exec, g.vertices, max_chunk, [=](std::int64_t, std::int64_t first, std::int64_t last) {
        std::fill(status + first, status + last, std::uint8_t(set_open));
    });
    for_each_chunk(exec, g, into(lists[0]), [=](auto& worker, int slot, auto const& chunk) {
        auto const mine = std::uint8_t(set_open + 2 + slot);
        static_assert(set_open + 2 + max_slots <= 64);
        store_all(worker, status + chunk.first, status + chunk.last, mine);
        for_each_in_runs<true>(g, chunk.runs, 0, chunk.runs.size(), chunk.last,
                               decide_in_chunk<std::remove_reference_t<decltype(worker)>>{
                                   &worker, g, vertex_order(g, false), status, mine});
    });
    vertex_map_until_done(exec, lists[0], g, lists[1], lists[2], decide_member{g, status, false});
}
/// Four concurrent workers take as long as one sequential worker.
inline void decide_members(host_executor const& exec, graph_view g, std::uint8_t* status) {
    if (neighbors_in_chunks(g)) return decide_in_chunks(exec, g, status);
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

} // namespace coppice::inline v0_1
