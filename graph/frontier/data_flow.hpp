// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A data flow: every vertex of a graph as soon as all that it waits for have told it.
///
///   - `flow_along_edges(exec, everyone, g, f)`: until every vertex has told its neighbours. Waits.
///
/// Rounds take as many as the longest chain of vertices has links, each as long as a launch and the longest row. Here
/// whoever is told last puts its vertex in a queue, from which warps take pieces of rows: a link costs what its own
/// edges cost. What `f` says (a function object as for visits of lists, visits/worklist.hpp):
///
///   - bool f.waits_for_nobody(worker, v): at the beginning; it decides v if so.
///   - F::message f.message_of(worker, u): what a decided vertex has to tell.
///   - F::listener f.listener_at(worker, v): what is read of a neighbour.
///   - bool f.tell(worker, message, listener): tells it; whether the neighbour waits for that.
///   - int32 f.count_down(worker, v): behind tell(), once for each such edge; how many v waited for until now.
///   - f.decide(worker, v, listener): behind the last of them. It sees all that v was told.
///
/// **Every vertex that has edges is decided in the end, and once**: then nobody waits for ever, however few warps are
/// at work.
#pragma once

#include <coppice/core/warp_work.hpp>
#include <coppice/graph/frontier/frontier.hpp>

namespace coppice::analytics {

inline constexpr int flow_edges = 2;                                ///< of a lane, at once
inline constexpr std::int32_t flow_piece = flow_edges * warp_lanes; ///< edges of a row that a warp takes

COPPICE_HD inline std::int64_t flow_pieces(std::int64_t degree) { return (degree + flow_piece - 1) / flow_piece; }
struct flow_pieces_of {
    graph_view g;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const { return flow_pieces(g.degree(v)); }
};

/// Pieces of rows in the order in which they are put there. Warps draw tickets: the n-th gets piece n when it comes.
struct flow_queue {
    static constexpr int given_at = 0, taken_at = 32; ///< of `counts`, far apart, since all count there
    std::uint64_t* pieces;                            ///< zero: not there yet
    std::int64_t* counts;
    std::int64_t total; ///< pieces of all rows

    /// The row of a vertex that is decided.
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void give(Worker& worker, graph_view const& g, vertex_id v) const {
        std::int64_t const count = flow_pieces(g.degree(v));
        if (count == 0) return;
        std::uint64_t* const to = pieces + worker.add(counts + given_at, count);
        worker.fence(); // whoever takes a piece sees what was decided
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
        if (f.waits_for_nobody(worker, v)) queue.give(worker, g, v);
    }
};

/// The work of a warp, for for_each_warp: a few edges a lane, all of which are told before one fence, and counted
/// behind it.
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
            visit(worker, u, begin + lane, g.offsets[u + 1]);
        }
    }

private:
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void visit(Worker& worker, vertex_id u, std::int64_t first, std::int64_t end) const {
        auto const message = f.message_of(worker, u);
        vertex_id v[flow_edges];
        typename F::listener listeners[flow_edges];
        bool waits[flow_edges];
        // Loop by loop, so that what the edges of a lane ask of memory is under way at once.
        COPPICE_UNROLL
        for (int j = 0; j < flow_edges; ++j) {
            std::int64_t const k = first + j * warp_lanes;
            waits[j] = k < end;
            v[j] = waits[j] ? g.neighbors[k] : u;
        }
        COPPICE_UNROLL
        for (int j = 0; j < flow_edges; ++j) listeners[j] = f.listener_at(worker, v[j]);
        COPPICE_UNROLL
        for (int j = 0; j < flow_edges; ++j) waits[j] = waits[j] && f.tell(worker, message, listeners[j]);
        worker.fence();
        std::int32_t waited[flow_edges];
        COPPICE_UNROLL
        for (int j = 0; j < flow_edges; ++j) waited[j] = waits[j] ? f.count_down(worker, v[j]) : 0;
        COPPICE_UNROLL
        for (int j = 0; j < flow_edges; ++j) {
            if (waited[j] != 1) continue;
            worker.fence();
            f.decide(worker, v[j], listeners[j]);
            queue.give(worker, g, v[j]);
        }
    }
};

template <class Executor, class F> // on the host for the stand-in of tests, which has a for_each_warp
void flow_along_edges(Executor const& exec, worklist const* everyone, graph_view const& g, F const& f) {
    std::int64_t const total = reduce(exec, g.vertices, std::int64_t{0}, flow_pieces_of{g}, plus{});
    buffer<std::uint64_t> pieces(exec, total);
    buffer<std::int64_t> counts(exec, flow_queue::taken_at + 1);
    fill(exec, pieces.view(), 0);
    fill(exec, counts.view(), 0);
    flow_queue const queue{pieces.data(), counts.data(), total};
    visit_items(exec, nullptr, everyone, nothing(), begin_flow<F>{g, queue, f});
    for_each_warp(exec, shared_workers<Executor>::warps(exec), flow_of_warp<shared_worker<Executor>, F>{g, queue, f});
    exec.synchronize(); // the queue ends here
}

} // namespace coppice::analytics
