// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Work on lists of vertices: what traversals repeat. Lists and their lengths lie where the work is done, so that loops
/// over them (core/repeat.hpp) wait for no host.
///
///   - `visit_items(exec, gate, in, outs, f)`: f(worker, v) for the vertices v of a list, in any order.
///   - `visit_edges(exec, gate, in, g, outs, f)`: f(worker, u, k) for the edges k of the vertices u of a list for which
///     f.enters(u), in any order. Long rows are shared: by the lanes of a warp or a block.
///
/// Both do nothing where `gate` is closed (core/gate.hpp; null: none). They may be captured and replayed: the length of
/// the list is read when the work begins. `f` is a function object (COPPICE_HD, trivially copyable) and may be called
/// by many workers at once; what several of them touch it touches through the worker:
///
///   - worker.emit<k>(v, work): appends v to list outs[k] and adds `work` to the work of that list. No list may be
///     given more than it has room for; the order in which it is filled is not defined, so **answers must not depend on
///     the order of a list**.
///   - worker.load(p), worker.store(p, x): plain accesses beside those of other workers.
///   - worker.claim(p, from, to): *p = to if it is `from`; whether it was. worker.exchange(p, x): the old value.
///   - worker.lower(p, x): *p = min(*p, x); whether that changed it. Integers, and floats >= 0.
///   - worker.add(p, x): *p += x; the old value. Integers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <coppice/core/gate.hpp>
#include <coppice/core/repeat.hpp>
#include <coppice/graph/analytics/graph_view.hpp>

namespace coppice::analytics {

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
inline outputs<1> nothing() { return {{nullptr}}; }

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

/// The list of all vertices.
struct list_all {
    worklist* list;
    std::int64_t count;
    COPPICE_HD void operator()(std::int64_t i) const {
        list->items[i] = static_cast<vertex_id>(i);
        if (i == 0) list->count = count;
    }
};

/// An order of vertices in four classes, by number in each: those of many edges and those of few apart, and either by a
/// hash of their number without its last four bits. Neighbours of one class are rarely many in a row, so that a vertex
/// waits for few others; and a class is a list that runs through memory from front to back, in predictable stretches.
struct vertex_classes {
    graph_view g;
    std::int32_t few; ///< edges at most
    bool many_first = true;

    vertex_classes(graph_view graph, bool many_come_first)
        : g(graph), few(2 * (graph.vertices > 0 ? graph.edge_count / graph.vertices : 0)), many_first(many_come_first) {
    }
    COPPICE_HD int of(vertex_id v) const {
        bool const many = g.degree(v) > few;
        return (many == many_first ? 0 : 2) + int(mixed(static_cast<std::uint64_t>(v) >> 4) >> 63);
    }
};
/// Lists a vertex with its class, and gives it the status `first` + class.
template <class Status>
struct list_class {
    vertex_classes classes;
    Status* status;
    int first;
    int step; ///< 1 or -1
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        int const c = classes.of(v);
        status[v] = static_cast<Status>(first + step * c);
        if (c == 0)
            worker.template emit<0>(v);
        else if (c == 1)
            worker.template emit<1>(v);
        else if (c == 2)
            worker.template emit<2>(v);
        else
            worker.template emit<3>(v);
    }
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

/// while (`now` is not empty) visit its vertices, which emit into `next`.
template <executor Executor, class F>
void repeat_items(Executor const& exec, worklist* now, worklist* next, F const& f) {
    auto loop = placed(exec, loop_switch{1});
    repetition<Executor> repeat(exec);
    auto const body = [&] {
        visit_items(exec, nullptr, now, into(next), f);
        for_each(exec, 1, next_list{now, next, loop.data()});
    };
    repeat.run(loop.data(), {.replayable = true}, body, nullptr);
}

/// f of the vertices of one class after the other, each again while it emits itself.
template <executor Executor, class Status, class F>
void repeat_classes(Executor const& exec, vertex_classes const& classes, Status* status, int first, int step,
                    F const& f) {
    std::int64_t const n = classes.g.vertices;
    worklists<5> lists(exec, n);
    auto everyone = placed(exec, worklist{nullptr, n, 0});
    visit_items(exec, nullptr, everyone.data(), into(lists[0], lists[1], lists[2], lists[3]),
                list_class<Status>{classes, status, first, step});
    for (int c = 0; c < 4; ++c) repeat_items(exec, lists[c], lists[4], f);
}

} // namespace coppice::analytics

#include <coppice/graph/analytics/worklist_host.hpp>
#if defined(__CUDACC__)
#include <coppice/graph/analytics/worklist_cuda.cuh>
#endif
