// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Vertex maps and edge maps over lists of vertices (frontiers; the words of Ligra: Shun and Blelloch 2013), from which
/// the traversals are built. Lists and their lengths are stored in the memory of the executor, so that loops over them
/// (core/repeat.hpp) do not wait for the host.
///
///   - `vertex_map(exec, predicate, in, outs, f)`: calls f(worker, v) for every vertex v of a list, in any order.
///   - `edge_map(exec, predicate, in, g, outs, f)`: calls f(worker, u, k) for the edges k of the vertices u of a
///     list, in any order; if f has f.enters(worker, u), only of those for which it is true. The lanes of a warp or the
///     threads of a block share long rows. Two more optional members of `f` reduce the time on the host.
///     f.concerns(worker, u, k) returns whether f does anything for the edge. If f has f.enlist(worker, v), then a
///     worker may process a vertex that it emitted to outs[0] immediately. f calls enlist before it emits, unless
///     `processes_emitted` is true for the worker; enlist returns whether v has to be appended to outs[0], and then no
///     worker appends it again.
///
///   - `try_vertex_map(exec, predicate, in, g, outs, f)`: calls f(worker, v) for every vertex v of a list, in any order
///     and possibly several times, because the values that v waits for may have been computed meanwhile. f returns
///     whether v is done. Vertices that are not done are appended to outs[0]. f.reads_ahead is the result of
///     should_read_ahead(), for devices. Unless worker.recurses, at most one worker tries a vertex at a time.
///
///   - `bitmap_map(exec, predicate, in, out, f)`: stores the set of the vertices v of a list of all vertices for which
///     f(worker, v) is true; f is called once for each. Adds their number to out->count and the sum of f.work(v) to
///     out->work. Needs no atomic operation for a vertex, as a list does on devices if few lanes of a warp emit
///     together.
///
/// All do nothing if the device predicate `predicate` is false (core/device_predicate.hpp; a null pointer is true).
/// They can be captured and replayed: the length of the list is read when the work begins. `f` is a function object
/// (COPPICE_HD, trivially copyable). Many workers may call it concurrently; it accesses shared data through the worker:
///
///   - worker.emit<k>(v, work): appends v to list outs[k] and adds `work`, an std::int32_t, to the work of that list:
///   0,
///     or the length of the row of v. A list never gets more vertices than its capacity. The order of a list is
///     unspecified, so **results must not depend on the order of a list**.
///   - worker.load(p), worker.store(p, x): plain accesses that may be concurrent with those of other workers.
///   - worker.load_cached(p): *p, or any value that it had since the map began. Faster if many workers read one
///     address.
///   - worker.claim(p, from, to): if *p is `from`, sets *p = to and returns true; otherwise returns false.
///     worker.exchange(p, x): sets *p = x and returns the old value. On the host it also acquires the writes that
///     preceded the store of the old value.
///   - worker.lower(p, x): *p = min(*p, x); returns whether *p changed. For integers, and floats >= 0.
///   - worker.put_lower(p, x): the same without a result; faster if it is likely to change *p.
///   - worker.add(p, x): *p += x; returns the old value. For integers.
///   - worker.set_bits(p, x): *p |= x; returns the old value.
///   - worker.fence(): an acquire-release fence. If worker B reads after a fence a value that worker A wrote after a
///     fence, then B sees all that A saw before its fence.
///   - worker.await(p): waits until *p is not 0, fences and returns *p. Only for workers that run concurrently
///     (shared_worker).
///   - worker.recurses: whether f may process other vertices recursively, up to a depth of worker_depth. The host does
///     so; a GPU thread leaves them to the next list.
///
/// `edge_sum(exec, predicate, in, g, f)` calls f.store(v, sum of f.term(v, k) over the edges k of v) for the vertices v
/// of a list. The sum has the type F::value, which has an operator + and the zero F::value{}. The order of the
/// additions depends on the row alone.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <coppice/core/block.hpp>
#include <coppice/core/device_predicate.hpp>
#include <coppice/core/repeat.hpp>
#include <coppice/graph/frontier/graph_view.hpp>
#include <coppice/graph/frontier/worklist.hpp>

namespace coppice::inline v0_1::analytics {

/// Whether the mean degree is at least 8, as in graphs with hubs (vertices of very high degree). Otherwise very long
/// rows are unlikely.
COPPICE_HD inline bool has_long_rows(graph_view const& g) { return g.edge_count / 8 >= g.vertices; }

inline constexpr int worker_depth = 1000; ///< maximum depth of recursions

/// Sets the flag at the index of each item.
struct set_flag_at {
    vertex_id const* at;
    std::int32_t* flags;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id k) const {
        worker.store(flags + at[k], 1);
    }
};
/// Empties a list or a bitmap.
template <class Set>
struct clear_set {
    Set* set;
    COPPICE_HD void operator()(std::int64_t) const { set->clear(); }
};
template <class Set>
clear_set(Set*) -> clear_set<Set>;
/// Makes the list of all vertices.
struct list_all {
    worklist* list;
    std::int64_t count;
    COPPICE_HD void operator()(std::int64_t i) const {
        list->items[i] = static_cast<vertex_id>(i);
        if (i == 0) list->count = count;
    }
};

/// Appends the vertices of a bitmap to a list, by its words.
struct list_word_of {
    graph_view g;
    bitmap const* set;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id word) const {
        for (std::uint32_t left = set->words[word]; left != 0; left &= left - 1) {
            vertex_id const v = 32 * word + first_lane(left);
            worker.emit(v, g.degree(v));
        }
    }
};

/// Number of edges of a row whose loads a worker issues together: 4 for a GPU thread. A worker of the host takes them
/// one by one, because it decides the vertices that it waits for recursively.
template <class Worker>
inline constexpr int edges_at_once = Worker::recurses ? 1 : 4;

/// Number of edges with |u - v| <= 2^16 minus the number of the other edges, for one of 1024 sampled vertices.
struct near_edges {
    graph_view g;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const {   // not covered: devices only
        constexpr std::int32_t max_distance = 1 << 16, few = 16; // limits of |u - v| and of the edges read of a row
        auto const v = static_cast<vertex_id>(i * g.vertices / 1024);
        std::int32_t const end = g.degree(v) < few ? g.offsets[v + 1] : g.offsets[v] + few;
        std::int64_t near = 0;
        for (auto k = g.offsets[v]; k < end; ++k) {
            std::int32_t const distance = g.neighbors[k] < v ? v - g.neighbors[k] : g.neighbors[k] - v;
            near += distance <= max_distance ? 1 : -1;
        }
        return near;
    }
};
/// Whether to load several edges of a row together instead of stopping at the first neighbour that is not decided. True
/// if rows are long, or if neighbours have close indices, so that lanes read the same cache lines. Waits.
template <executor Executor>
bool should_read_ahead(Executor const& exec, graph_view const& g) {
    return has_long_rows(g) || reduce(exec, 1024, std::int64_t{0}, near_edges{g}, plus{}) > 0;
}

/// List of all vertices of a graph, as an input of maps.
template <executor Executor>
buffer<worklist> every_vertex(Executor const& exec, graph_view const& g) {
    return placed(exec, worklist{nullptr, g.vertices, 0});
}

/// Hash of v: a different order of the vertices for every salt. The hash is a bijection, so that no two vertices are
/// equal.
COPPICE_HD inline std::uint32_t shuffled(vertex_id v, std::uint32_t salt) {
    std::uint32_t h = static_cast<std::uint32_t>(v) ^ salt;
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}

/// Order of the vertices in two classes: high and low degree. Within a class, runs of 16 consecutive indices are
/// ordered by a hash of the run; within a run, vertices are ordered by their bit-reversed index. Chains of neighbours
/// that ascend in this order are therefore short for any numbering: the longest chain has 12 vertices on a 5-point grid
/// of 1500^2 (15 with a hash for each vertex) and 464 on R-MAT 16 (536). Within a run, branch predictors learn the
/// pattern of a grid.
struct vertex_order {
    static constexpr int run_bits = 4; ///< runs of 16
    std::int32_t few = 0;              ///< maximum degree of the class of low degree
    bool many_first = true;

    vertex_order(graph_view g, bool many_come_first)
        : few(2 * (g.vertices > 0 ? g.edge_count / g.vertices : 0)), many_first(many_come_first) {}
    COPPICE_HD int class_of(std::int32_t degree) const { return (degree > few) == many_first ? 0 : 1; }
    COPPICE_HD static std::uint32_t key_of_run(vertex_id v) { return shuffled(v >> run_bits, 0); }
    COPPICE_HD static std::uint32_t position_in_run(vertex_id v) { // reverses four bits
        auto const x = static_cast<std::uint32_t>(v);
        return (x & 1) << 3 | (x & 2) << 1 | (x & 4) >> 1 | (x & 8) >> 3;
    }
};
/// Position of a vertex in that order.
class vertex_position {
public:
    COPPICE_HD vertex_position(vertex_id v, int class_of_v)
        : v_(v), class_(class_of_v), run_(vertex_order::key_of_run(v)) {}
    /// Whether u comes before this vertex. Neighbours in the same run need no hash.
    COPPICE_HD bool is_after(vertex_id u, int class_of_u) const {
        if (class_of_u != class_) return class_of_u < class_;
        if ((u ^ v_) >> vertex_order::run_bits == 0)
            return vertex_order::position_in_run(u) < vertex_order::position_in_run(v_);
        return vertex_order::key_of_run(u) < run_;
    }

private:
    vertex_id v_;
    int class_;
    std::uint32_t run_;
};

/// End of a round of a loop over one list and its successor: swaps the lists and stops the loop if no vertex is left.
struct next_list {
    worklist* now;
    worklist* next;
    loop_switch* loop;
    COPPICE_HD void operator()(std::int64_t) const {
        swap_and_clear(*now, *next);
        if (now->count == 0) loop->stop();
    }
};

/// Tries the vertices of `first`, then repeatedly those that are not done, until all are done.
template <executor Executor, class F>
void vertex_map_until_done(Executor const& exec, worklist const* first, graph_view const& g, worklist* now,
                           worklist* next, F const& f) {
    try_vertex_map(exec, nullptr, first, g, into(now), f);
    auto loop = placed(exec, loop_switch{1});
    repetition<Executor> repeat(exec);
    auto const body = [&] {
        try_vertex_map(exec, nullptr, now, g, into(next), f);
        for_each(exec, 1, next_list{now, next, loop.data()});
    };
    repeat.run(loop.data(), {.replayable = true}, body, nullptr);
}

} // namespace coppice::inline v0_1::analytics

#include <coppice/graph/frontier/frontier_host.hpp>
#if defined(__CUDACC__)
#include <coppice/graph/frontier/frontier_cuda.cuh>
#endif
