// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Direction-optimising breadth-first search: pushes from small frontiers, pulls into the unreached vertices if the
/// frontier is large.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include <coppice/graph/frontier/rounds.hpp>

namespace coppice::inline v0_1 {

struct bfs_options {
    /// Transposed graph; the graph itself if it is undirected. Empty: every level is pushed.
    graph_view incoming{};
    std::int32_t max_depth = std::numeric_limits<std::int32_t>::max(); ///< >= 0; vertices behind it are not reached
};

/// Result arrays in the memory of the executor.
struct bfs_result {
    buffer<std::int32_t> levels{}; ///< number of edges of a shortest path from the source; -1: not reached
    /// A vertex of the level before with an edge to this one. It is the smallest one if the rows of `incoming` are
    /// sorted or no level is pulled. The parent of the source is the source; -1: not reached.
    buffer<vertex_id> parents{};
    std::int32_t depth = 0; ///< largest level
    std::int64_t reached = 0;
};

/// Computes levels and parents from `source` (Beamer, Asanović and Patterson, Direction-optimizing breadth-first
/// search, 2012). The cost of a pushed level is the number of edges of its vertices, independent of the size of the
/// graph. Memory: 6 words per vertex. The result is the same for any number of threads, on host and CUDA. On CUDA one
/// launch executes all levels; waits at the end.
///
/// Throws argument_error if the source is no vertex or max_depth is negative, dimension_error if `incoming` has another
/// number of vertices.
template <executor Executor>
bfs_result bfs(Executor const& exec, graph_view g, vertex_id source, bfs_options const& options = {});

namespace analytics {

struct bfs_state {
    loop_switch loop{1};
    int push = 1;
    int pull = 0;
    int may_pull = 0;
    std::int32_t depth = 0;
    std::int64_t reached = 1;
    std::int64_t edges_left = 0; ///< edges of the vertices that are not reached
};

struct begin_bfs {
    graph_view g;
    vertex_id source;
    std::int32_t* levels;
    std::uint32_t* parents;
    worklist* now;
    worklist* all_vertices;
    bfs_state* state;
    COPPICE_HD void operator()(std::int64_t v) const {
        levels[v] = v == source ? 0 : -1;
        parents[v] = v == source ? static_cast<std::uint32_t>(v) : ~0u;
        if (v != source) return;
        now->items[0] = source;
        now->count = 1;
        all_vertices->items = nullptr;
        all_vertices->count = g.vertices;
        state->edges_left = g.edge_count - g.degree(source);
    }
};

/// Pushes from the vertices of a level to unreached vertices. The smallest parent wins.
struct push_level {
    graph_view g;
    std::int32_t* levels;
    std::uint32_t* parents;
    std::int32_t const* level_now; ///< level of the frontier
    COPPICE_HD bool enters(auto const&, vertex_id) const { return true; }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        std::int32_t const next = *level_now + 1, level = worker.load(levels + v);
        auto const parent = static_cast<std::uint32_t>(u);
        if (level == next) worker.lower(parents + v, parent);
        if (level != -1) return;
        worker.put_lower(parents + v, parent);
        std::int32_t const degree = g.degree(v); // this load overlaps the atomic operation
        if (worker.claim(levels + v, -1, next)) worker.emit(v, degree);
    }
};

/// Pushes from the vertices of a level without parents, which are computed after the search.
struct reach_level {
    graph_view g;
    std::int32_t* levels;
    std::int32_t const* level_now; ///< level of the frontier
    COPPICE_HD bool enters(auto const&, vertex_id) const { return true; }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        if (worker.load(levels + v) != -1) return;
        std::int32_t const degree = g.degree(v); // this load overlaps the atomic operation
        if (worker.claim(levels + v, -1, *level_now + 1)) worker.emit(v, degree);
    }
};
/// Finds the smallest parent of a pushed vertex among its incoming edges.
struct choose_parent {
    graph_view incoming;
    std::int32_t const* levels;
    std::uint32_t* parents;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker&, vertex_id v) const {
        std::int32_t const above = levels[v] - 1;
        if (above < 0 || parents[v] != ~0u) return;
        std::uint32_t min_parent = ~0u;
        for (auto k = incoming.offsets[v], end = incoming.offsets[v + 1]; k < end; ++k) {
            auto const u = static_cast<std::uint32_t>(incoming.neighbors[k]);
            if (levels[u] == above && u < min_parent) min_parent = u;
        }
        parents[v] = min_parent;
    }
};
/// Finds the smallest parent of pushed vertices by outgoing edges.
struct offer_parent {
    graph_view g;
    std::int32_t const* levels;
    std::uint32_t* parents;
    COPPICE_HD bool enters(auto const&, vertex_id u) const { return levels[u] >= 0; }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        if (levels[v] == levels[u] + 1) worker.lower(parents + v, static_cast<std::uint32_t>(u));
    }
};

/// Whether a vertex is in the current level: by its level.
struct has_level {
    std::int32_t const* levels;
    bfs_state const* state;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD bool operator()(auto const& worker, vertex_id u) const {
        return worker.load(levels + u) == state->depth;
    }
};
/// The same for a neighbour of an unreached vertex: it is in the current level if it was reached before, since earlier
/// levels have reached all their neighbours. The bits of all vertices fit into a cache of one core.
struct was_reached {
    std::uint64_t const* bits;
    bool operator()(auto const&, vertex_id u) const { return (bits[u >> 6] >> (u & 63) & 1) != 0; }
};
/// Sets the bits of 64 vertices: by bytes, which compilers vectorise, and one product for 8 of them.
struct set_reached_bits {
    std::int32_t const* levels;
    vertex_id vertices;
    std::uint64_t* bits;
    void operator()(auto&, vertex_id word) const {
        constexpr std::uint64_t gather = 0x0102040810204080; // moves bit 0 of byte i to bit 56 + i
        std::int64_t const first = std::int64_t(word) * 64, count = std::min<std::int64_t>(64, vertices - first);
        unsigned char reached[64] = {};
        for (std::int64_t i = 0; i < count; ++i) reached[i] = levels[first + i] >= 0 ? 1 : 0;
        std::uint64_t set = 0;
        for (int i = 0; i < 64; i += 8) {
            std::uint64_t eight = 0;
            for (int j = 7; j >= 0; --j) eight = eight << 8 | reached[i + j];
            set |= (eight * gather >> 56) << i;
        }
        bits[word] = set;
    }
};

/// The incoming edges of a graph on one executor, for pull_level.
template <class InLevel>
struct pulled_edges {
    graph_view g;
    bfs_state const* state;
    InLevel level;
    COPPICE_HD std::int32_t begin(vertex_id v) const { return g.offsets[v]; }
    COPPICE_HD std::int32_t end(vertex_id v) const { return g.offsets[v + 1]; }
    COPPICE_HD vertex_id neighbor(std::int32_t k) const { return g.neighbors[k]; }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD bool in_level(Worker const& worker, vertex_id u) const {
        return level(worker, u);
    }
    COPPICE_HD vertex_id parent(vertex_id u) const { return u; }
    COPPICE_HD std::int32_t next_level() const { return state->depth + 1; }
};
/// Pulls into an unreached vertex from the first of its neighbours that is in the current level. `incoming`: the edges
/// k in [begin(v), end(v)) of v, from neighbor(k); in_level(worker, u): whether a neighbour is in the current level;
/// parent(u): its index as a parent.
template <class Incoming>
struct pull_level {
    graph_view g; ///< the outgoing edges
    std::int32_t* levels;
    std::uint32_t* parents;
    Incoming incoming;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        if (levels[v] != -1) return;
        std::int32_t const next = incoming.next_level();
        for (auto k = incoming.begin(v), end = incoming.end(v); k < end; ++k) {
            vertex_id const u = incoming.neighbor(k);
            if (!incoming.in_level(worker, u)) continue;
            worker.store(levels + v, next);
            parents[v] = static_cast<std::uint32_t>(incoming.parent(u));
            worker.emit(v, g.degree(v));
            return;
        }
    }
};

/// Whether to pull into the next level, from a frontier of `count` vertices with `work` edges; the frontier before had
/// `before` vertices. The thresholds are those of the paper; in addition, a frontier with few edges is always pushed,
/// since a scan of all vertices would cost more.
COPPICE_HD inline bool is_pulled(bool was_pulled, std::int64_t before, std::int64_t count, std::int64_t work,
                                 std::int64_t edges_left, std::int64_t vertices) {
    return was_pulled ? count >= before || count > vertices / 18 : work > edges_left / 15 && work > vertices / 4;
}

struct next_level {
    worklist* now;
    worklist* next;
    bfs_state* state;
    std::int64_t vertices;
    std::int32_t max_depth;
    COPPICE_HD void operator()(std::int64_t) const {
        std::int64_t const before = now->count;
        swap_and_clear(*now, *next);
        bfs_state& s = *state;
        if (now->count == 0) return s.loop.stop();
        ++s.depth;
        s.reached += now->count;
        s.edges_left -= now->work;
        if (s.depth >= max_depth) return s.loop.stop();
        bool const pulls =
            s.may_pull != 0 && is_pulled(s.pull != 0, before, now->count, now->work, s.edges_left, vertices);
        s.pull = pulls ? 1 : 0;
        s.push = pulls ? 0 : 1;
    }
};

} // namespace analytics

template <executor Executor>
bfs_result bfs(Executor const& exec, graph_view g, vertex_id source, bfs_options const& options) {
    using namespace analytics;
    require_vertex(g, source, "the source of bfs");
    if (options.max_depth < 0)
        throw argument_error("bfs option max_depth is " + std::to_string(options.max_depth) + ", expected 0 or more");
    bool const may_pull = options.incoming.offsets != nullptr;
    if (may_pull) require_size("vertices of the incoming edges of bfs", options.incoming.vertices, g.vertices);
    bfs_result result{buffer<std::int32_t>(exec, g.vertices), buffer<vertex_id>(exec, g.vertices)};
    auto* const levels = result.levels.data();
    auto* const parents = reinterpret_cast<std::uint32_t*>(result.parents.data());
    worklists<3> lists(exec, g.vertices);
    worklist *const now = lists[0], *const next = lists[1], *const all_vertices = lists[2];
    auto state = placed(exec, bfs_state{.loop = {options.max_depth > 0 ? 1 : 0}, .may_pull = may_pull ? 1 : 0});
    bfs_state* const s = state.data();
    for_each(exec, g.vertices, begin_bfs{g, source, levels, parents, now, all_vertices, s});
    rounds<Executor> search(exec);
    constexpr bool on_host = std::is_same_v<Executor, host_executor>;
    auto const run = [&](auto const& pushed) {
        edge_step const push{&s->push, now, g, into(next), pushed};
        single_step const end{next_level{now, next, s, g.vertices, options.max_depth}};
        auto const pull = [&](auto const& in_level) {
            using edges = pulled_edges<std::remove_cvref_t<decltype(in_level)>>;
            return item_step{&s->pull, all_vertices, into(next),
                             pull_level<edges>{g, levels, parents, {options.incoming, s, in_level}}};
        };
        if (!may_pull) return search.run(&s->loop, push, end);
        if constexpr (on_host) {
            buffer<std::uint64_t> bits(exec, (std::int64_t(g.vertices) + 63) / 64);
            worklist const words{nullptr, bits.size(), 0};
            item_step const set_bits{&s->pull, &words, nothing(), set_reached_bits{levels, g.vertices, bits.data()}};
            search.run(&s->loop, push, set_bits, pull(was_reached{bits.data()}), end);
        } else {
            search.run(&s->loop, push, pull(has_level{levels, s}), end);
        }
    };
    // If rows are short, a sequential pass over them costs a host thread less than a second random access for every
    // edge. Devices overlap enough accesses.
    bool const parents_late = on_host && !has_long_rows(g);
    if (!parents_late) run(push_level{g, levels, parents, &s->depth});
    if constexpr (on_host) {
        if (parents_late) run(reach_level{g, levels, &s->depth});
        if (parents_late && may_pull)
            vertex_map(exec, nullptr, all_vertices, nothing(), choose_parent{options.incoming, levels, parents});
        else if (parents_late)
            edge_map(exec, nullptr, all_vertices, g, nothing(), offer_parent{g, levels, parents});
    }
    bfs_state const last = exec.load(s);
    result.depth = last.depth;
    result.reached = last.reached;
    return result;
}

#define COPPICE_BFS(EXTERN, EXECUTOR)                                                                                  \
    EXTERN template bfs_result bfs(EXECUTOR const&, graph_view, vertex_id, bfs_options const&)
COPPICE_BFS(extern, host_executor);
COPPICE_BFS(extern, cuda_executor);

} // namespace coppice::inline v0_1
