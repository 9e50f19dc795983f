// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Work on lists of vertices: what traversals repeat. Lists and their lengths lie where the work is done, so that loops
/// over them (core/repeat.hpp) wait for no host.
///
///   - `visit_items(exec, gate, in, outs, f)`: f(worker, v) for the vertices v of a list, in any order.
///   - `visit_edges(exec, gate, in, g, outs, f)`: f(worker, u, k) for the edges k of the vertices u of a list for which
///     f.enters(worker, u), in any order. Long rows are shared: by the lanes of a warp or a block. What f may say
///     besides helps the host: f.concerns(worker, u, k), whether it would do anything for an edge; f.leave(worker, v),
///     that v may be appended to outs[0] again: then what is appended there may be visited at once instead of standing
///     there at the end.
///
///   - `try_items(exec, gate, in, g, outs, f)`: f(worker, v) for the vertices v of a list, in any order, some of them
///     several times, as what they wait for may have come about meanwhile; it says whether v is done with. Those that
///     are not are appended to outs[0]. f.reads_ahead: what reading_ahead_pays() says, for devices. A vertex is tried
///     by one worker at a time where worker.recurses does not hold.
///
/// All do nothing where `gate` is closed (core/device_predicate.hpp; null: none). They may be captured and replayed:
/// the length of the list is read when the work begins. `f` is a function object (COPPICE_HD, trivially copyable) and
/// may be called by many workers at once; what several of them touch it touches through the worker:
///
///   - worker.emit<k>(v, work): appends v to list outs[k] and adds `work`, an std::int32_t, to the work of that list.
///     No list may be given more than it has room for; the order in which it is filled is not defined, so **answers
///     must not depend on the order of a list**.
///   - worker.load(p), worker.store(p, x): plain accesses beside those of other workers.
///   - worker.glance(p): *p, or what it was since the visit began: quicker where many look at one place.
///   - worker.claim(p, from, to): *p = to if it is `from`; whether it was. worker.exchange(p, x): the old value, and on
///     the host a view of all that was done before that was put there.
///   - worker.lower(p, x): *p = min(*p, x); whether that changed it. Integers, and floats >= 0.
///   - worker.put_lower(p, x): the same where it is likely to change it: nobody looks first or waits for an answer.
///   - worker.add(p, x): *p += x; the old value. Integers.
///   - worker.set_bits(p, x): *p |= x; the old value.
///   - worker.fence(): what others read behind a fence of theirs, of what this one wrote behind its own, shows them all
///     that it saw before.
///   - worker.await(p): *p when it is not 0, and a fence; of workers that run beside others (shared_worker).
///   - worker.recurses: whether it may work on other vertices on the way, as deep as worker_depth. One of the host does
///     at once what a thread of a GPU leaves to the next list.
///
/// `visit_sums(exec, gate, in, g, f)`: for the vertices v of a list f.store(v, sum of f.term(v, k) over their edges k).
/// Sums are of a type F::value with +, made by F::value{}; they are folded in an order that depends on the row alone.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <coppice/core/device_predicate.hpp>
#include <coppice/core/repeat.hpp>
#include <coppice/graph/frontier/graph_view.hpp>

namespace coppice::analytics {

/// Whether rows are as long on average as those of graphs with hubs are: else hardly one is very long.
COPPICE_HD inline bool has_long_rows(graph_view const& g) { return g.edge_count / 8 >= g.vertices; }

inline constexpr int worker_depth = 1000; ///< of recursions

/// A list in the memory of an executor, described there too.
struct worklist {
    vertex_id* items = nullptr; ///< null: the vertices 0 .. count - 1
    std::int64_t count = 0;
    std::int64_t work = 0; ///< what its vertices were appended with

    COPPICE_HD vertex_id operator[](std::int64_t i) const { return items ? items[i] : static_cast<vertex_id>(i); }
    COPPICE_HD void clear() { count = work = 0; }
};

/// The lists that a visit appends to.
template <int N>
struct outputs {
    worklist* list[N];
};
inline outputs<1> into(worklist* a) { return {{a}}; }
inline outputs<2> into(worklist* a, worklist* b) { return {{a, b}}; }
inline outputs<4> into(worklist* a, worklist* b, worklist* c, worklist* d) { return {{a, b, c, d}}; }
COPPICE_HD inline outputs<1> nothing() { return {{nullptr}}; }

/// Owns N lists, each with room for all vertices.
template <int N>
class worklists {
public:
    template <executor Executor>
    worklists(Executor const& exec, std::int64_t room) : items_(exec, N * room) {
        std::vector<worklist> lists(N);
        for (int k = 0; k < N; ++k) lists[std::size_t(k)].items = items_.data() + k * room;
        lists_ = exec.copy(lists);
    }
    worklist* operator[](int k) { return lists_.data() + k; }

private:
    buffer<vertex_id> items_;
    buffer<worklist> lists_;
};

/// Exchanges two lists and empties the second.
COPPICE_HD inline void turn_over(worklist& a, worklist& b) {
    worklist const old = a;
    a = b;
    b = old;
    b.clear();
}

struct clear_list {
    worklist* list;
    COPPICE_HD void operator()(std::int64_t) const { list->clear(); }
};
/// The list of all vertices.
struct list_all {
    worklist* list;
    std::int64_t count;
    COPPICE_HD void operator()(std::int64_t i) const {
        list->items[i] = static_cast<vertex_id>(i);
        if (i == 0) list->count = count;
    }
};

/// Workers that run beside each other: their type, and how many warps of them are worth starting. On CUDA more than run
/// at once, the last of which find nothing left.
template <class Executor>
struct shared_workers;
template <class Executor, int N = 1>
using shared_worker = typename shared_workers<Executor>::template type<N>;

/// Reads a row so many edges at a time, all of which are under way at once: by threads of a GPU. One of the host, which
/// decides what it waits for on the way, takes them one by one.
template <class Worker>
inline constexpr int edges_at_once = Worker::recurses ? 1 : 4;

/// Edges between numbers that are near, of a sample of 1024 vertices, less those that are not.
struct near_edges {
    graph_view g;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const {
        constexpr std::int32_t most = 1 << 16, few = 16; // apart; edges
        auto const v = static_cast<vertex_id>(i * g.vertices / 1024);
        std::int32_t const end = g.degree(v) < few ? g.offsets[v + 1] : g.offsets[v] + few;
        std::int64_t near = 0;
        for (auto k = g.offsets[v]; k < end; ++k) {
            std::int32_t const apart = g.neighbors[k] < v ? v - g.neighbors[k] : g.neighbors[k] - v;
            near += apart <= most ? 1 : -1;
        }
        return near;
    }
};
/// Whether to read a row at once rather than to end at the first neighbour that one waits for: rows are long, or what
/// neighbours hold is near, so that lanes read the same lines of memory. Waits.
template <executor Executor>
bool reading_ahead_pays(Executor const& exec, graph_view const& g) {
    return has_long_rows(g) || reduce(exec, 1024, std::int64_t{0}, near_edges{g}, plus{}) > 0;
}

/// The list of all vertices of a graph, for visits.
template <executor Executor>
buffer<worklist> every_vertex(Executor const& exec, graph_view const& g) {
    return placed(exec, worklist{nullptr, g.vertices, 0});
}

/// Another order of the vertices for every salt; a bijection, so that no two are alike.
COPPICE_HD inline std::uint32_t shuffled(vertex_id v, std::uint32_t salt) {
    std::uint32_t h = static_cast<std::uint32_t>(v) ^ salt;
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}

/// An order of vertices in two classes, those of many edges and those of few. In each, runs of neighbouring numbers
/// come in the order of a hash, so that chains of neighbours in this order are short whatever order the numbers have;
/// within a run they come by their number with its bits reversed. The longest chain of a 5-point grid 1500^2 has 12
/// vertices (15 where every vertex has a hash), of R-MAT 16 464 (536), and who is first on a grid follows a pattern
/// within a run that processors foresee.
struct vertex_order {
    static constexpr int run_bits = 4; ///< runs of 16
    std::int32_t few = 0;              ///< edges at most
    bool many_first = true;

    vertex_order(graph_view g, bool many_come_first)
        : few(2 * (g.vertices > 0 ? g.edge_count / g.vertices : 0)), many_first(many_come_first) {}
    COPPICE_HD int class_of(std::int32_t degree) const { return (degree > few) == many_first ? 0 : 1; }
    COPPICE_HD static std::uint32_t place_of_run(vertex_id v) { return shuffled(v >> run_bits, 0); }
    COPPICE_HD static std::uint32_t place_in_run(vertex_id v) { // four bits reversed
        auto const x = static_cast<std::uint32_t>(v);
        return (x & 1) << 3 | (x & 2) << 1 | (x & 4) >> 1 | (x & 8) >> 3;
    }
};
/// Where a vertex stands in that order.
class vertex_place {
public:
    COPPICE_HD vertex_place(vertex_id v, int class_of_v)
        : v_(v), class_(class_of_v), run_(vertex_order::place_of_run(v)) {}
    /// Whether u comes before it. Neighbours in the same run need no hash.
    COPPICE_HD bool is_behind(vertex_id u, int class_of_u) const {
        if (class_of_u != class_) return class_of_u < class_;
        if ((u ^ v_) >> vertex_order::run_bits == 0)
            return vertex_order::place_in_run(u) < vertex_order::place_in_run(v_);
        return vertex_order::place_of_run(u) < run_;
    }

private:
    vertex_id v_;
    int class_;
    std::uint32_t run_;
};

/// What ends a loop over one list and its successor: nothing is left.
struct next_list {
    worklist* now;
    worklist* next;
    loop_switch* loop;
    COPPICE_HD void operator()(std::int64_t) const {
        turn_over(*now, *next);
        if (now->count == 0) loop->stop();
    }
};

/// Tries the vertices of `first`, and those that are left, until none is.
template <executor Executor, class F>
void settle_items(Executor const& exec, worklist const* first, graph_view const& g, worklist* now, worklist* next,
                  F const& f) {
    try_items(exec, nullptr, first, g, into(now), f);
    auto loop = placed(exec, loop_switch{1});
    repetition<Executor> repeat(exec);
    auto const body = [&] {
        try_items(exec, nullptr, now, g, into(next), f);
        for_each(exec, 1, next_list{now, next, loop.data()});
    };
    repeat.run(loop.data(), {.replayable = true}, body, nullptr);
}

} // namespace coppice::analytics

#include <coppice/graph/frontier/frontier_host.hpp>
#if defined(__CUDACC__)
#include <coppice/graph/frontier/frontier_cuda.cuh>
#endif
