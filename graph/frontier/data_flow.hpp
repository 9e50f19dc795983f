// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Data flow over a graph: decides each vertex as soon as all neighbours that it depends on are decided.
///
///   - `flow_along_edges(exec, all_vertices, g, f)`: returns when every vertex has sent a message along its edges.
///     Waits.
///
/// A loop of rounds needs as many launches as the longest dependency chain has vertices, each as long as its longest
/// row. Here the worker that decrements the dependency counter of a vertex to 0 decides the vertex and appends it to a
/// queue, from which warps take pieces of rows: a vertex of a chain costs only its own edges. `f` is a function object
/// as for the maps of graph/frontier/frontier.hpp, with
///
///   - bool f.is_ready(worker, v): called at the beginning; decides v and returns true if v depends on no other vertex.
///   - F::message f.message_of(worker, u): the message of a decided vertex.
///   - F::receiver f.receiver_at(worker, v): the data of a neighbour that send() needs.
///   - bool f.send(worker, message, receiver): stores the message; returns whether the neighbour depends on it.
///   - int32 f.count_down(worker, v): called after send(), once for each such edge; decrements the number of messages
///     that v waits for and returns the old number.
///   - f.decide(worker, v, receiver): called after the last message; all messages to v are visible.
///
/// **Every vertex that has edges must eventually be decided, exactly once.** Then the loop ends for any number of
/// warps.
#pragma once

#include <coppice/core/warp_work.hpp>
#include <coppice/graph/frontier/frontier.hpp>

namespace coppice::inline v0_1::analytics {

inline constexpr int flow_edges = 2;                                ///< edges of a lane whose loads are issued together
inline constexpr std::int32_t flow_piece = flow_edges * warp_lanes; ///< edges of a row that a warp takes

COPPICE_HD inline std::int64_t flow_pieces(std::int64_t degree) { return (degree + flow_piece - 1) / flow_piece; }
struct flow_pieces_of {
    graph_view g;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const { return flow_pieces(g.degree(v)); }
};

/// Queue of pieces of rows in the order of insertion. Warps draw tickets: the holder of ticket n takes piece n when it
/// arrives.
struct flow_queue {
    /// Offsets in `counts`, on different cache lines, since all warps update them.
    static constexpr int given_at = 0, taken_at = 32;
    std::uint64_t* pieces; ///< 0: not inserted yet
    std::int64_t* counts;
    std::int64_t total; ///< number of pieces of all rows

    /// Inserts the row of a decided vertex.
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void give(Worker& worker, graph_view const& g, vertex_id v) const {
        std::int64_t const count = flow_pieces(g.degree(v));
        if (count == 0) return;
        std::uint64_t* const to = pieces + worker.add(counts + given_at, count);
        worker.fence(); // a warp that takes a piece sees the decided value
        for (std::int64_t p = 0; p < count; ++p)
            worker.store(to + p, (std::uint64_t(std::uint32_t(v)) + 1) << 32 | std::uint64_t(p));
    }
};

template <class F>
struct begin_flow {
    graph_view g;
    flow_queue queue;
    F f;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        if (f.is_ready(worker, v)) queue.give(worker, g, v);
    }
};

/// The work of a warp, for for_each_warp. Each lane handles a few edges: it sends all messages, executes one fence, and
/// then decrements the counters.
template <class Worker, class F>
struct flow_of_warp {
    static constexpr int warp_bytes = 16;
    graph_view g;
    flow_queue queue;
    F f;

    COPPICE_NO_EXEC_CHECK
    template <class Block>
    COPPICE_HD void operator()(Block const& block, std::int64_t, std::byte*) const {
        Worker worker(nothing());
        int const lane = block.thread() % warp_lanes;
        for (;;) {
            std::int64_t const drawn = lane == 0 ? worker.add(queue.counts + queue.taken_at, std::int64_t(1)) : 0;
            std::int64_t const ticket = block.from_lane(drawn, 0);
            if (ticket >= queue.total) return;
            std::uint64_t const piece = worker.await(queue.pieces + ticket);
            auto const u = static_cast<vertex_id>((piece >> 32) - 1);
            std::int64_t const begin = g.offsets[u] + std::int64_t(piece & 0xffffffffu) * flow_piece;
            block.sync_warp();
            process(worker, u, begin + lane, g.offsets[u + 1]);
        }
    }

private:
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void process(Worker& worker, vertex_id u, std::int64_t first, std::int64_t end) const {
        auto const message = f.message_of(worker, u);
        vertex_id v[flow_edges];
        typename F::receiver receivers[flow_edges];
        bool waits[flow_edges];
        // One loop per load, so that the memory accesses of the edges of a lane overlap.
        COPPICE_UNROLL
        for (int j = 0; j < flow_edges; ++j) {
            std::int64_t const k = first + j * warp_lanes;
            waits[j] = k < end;
            v[j] = waits[j] ? g.neighbors[k] : u;
        }
        COPPICE_UNROLL
        for (int j = 0; j < flow_edges; ++j) receivers[j] = f.receiver_at(worker, v[j]);
        COPPICE_UNROLL
        for (int j = 0; j < flow_edges; ++j) waits[j] = waits[j] && f.send(worker, message, receivers[j]);
        worker.fence();
        std::int32_t waited[flow_edges];
        COPPICE_UNROLL
        for (int j = 0; j < flow_edges; ++j) waited[j] = waits[j] ? f.count_down(worker, v[j]) : 0;
        COPPICE_UNROLL
        for (int j = 0; j < flow_edges; ++j) {
            if (waited[j] != 1) continue;
            worker.fence();
            f.decide(worker, v[j], receivers[j]);
            queue.give(worker, g, v[j]);
        }
    }
};

// a template of Executor, since tests run it on the host with a stand-in that has for_each_warp
template <class Executor, class F>
void flow_along_edges(Executor const& exec, worklist const* all_vertices, graph_view const& g, F const& f) {
    std::int64_t const total = reduce(exec, g.vertices, std::int64_t{0}, flow_pieces_of{g}, plus{});
    buffer<std::uint64_t> pieces(exec, total);
    buffer<std::int64_t> counts(exec, flow_queue::taken_at + 1);
    fill(exec, pieces.view(), 0);
    fill(exec, counts.view(), 0);
    flow_queue const queue{pieces.data(), counts.data(), total};
    vertex_map(exec, nullptr, all_vertices, nothing(), begin_flow<F>{g, queue, f});
    for_each_warp(exec, shared_workers<Executor>::warps(exec), flow_of_warp<shared_worker<Executor>, F>{g, queue, f});
    exec.synchronize(); // the queue is destroyed here
}

} // namespace coppice::inline v0_1::analytics
