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
    /// Largest level, >= 0; vertices that are farther away are not reached.
    std::int32_t max_depth = std::numeric_limits<std::int32_t>::max();
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
/// graph. Memory: 4 words per vertex, and 2 bits with `incoming`. The result is the same for any number of threads, on
/// host and CUDA. On CUDA one launch executes all levels; waits at the end.
///
/// Throws argument_error if the source is no vertex or max_depth is negative, dimension_error if `incoming` has another
/// number of vertices.
template <executor Executor>
bfs_result bfs(Executor const& exec, graph_view g, vertex_id source, bfs_options const& options = {});

namespace analytics {

struct bfs_state {
    loop_switch loop{1};
    int push = 1; ///< what the next round does; exactly one of push, pull and list is 1
    int pull = 0; ///< the level is a bitmap, or becomes one by `pack`
    int pack = 0; ///< the level is a list: its bitmap is needed first
    int list = 0; ///< the level is a bitmap: makes it a list
    std::int32_t depth = 0;
    std::int64_t count = 1; ///< vertices of the level
    std::int64_t reached = 1;
    std::int64_t edges_left = 0; ///< edges of the vertices that are not reached
};

struct begin_bfs {
    graph_view g;
    vertex_id source;
    std::int32_t* levels;
    std::uint32_t* parents;
    worklist* now;
    bfs_state* state;
    COPPICE_HD void operator()(std::int64_t v) const {
        levels[v] = v == source ? 0 : -1;
        parents[v] = v == source ? static_cast<std::uint32_t>(v) : ~0u;
        if (v != source) return;
        now->items[0] = source;
        now->count = 1;
        state->edges_left = g.edge_count - g.degree(source);
    }
};

/// Pushes from the vertices of a level to unreached vertices. The smallest parent wins.
struct push_level {
    graph_view g;
    std::int32_t* levels;
    std::uint32_t* parents;
    std::int32_t const* level_now; ///< level of the frontier
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
    template <class Worker>
    COPPICE_HD bool enters(Worker const&, vertex_id u) const {
        return levels[u] >= 0;
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        if (levels[v] == levels[u] + 1) worker.lower(parents + v, static_cast<std::uint32_t>(u));
    }
};

/// Whether a vertex is in a level. `Level`: its number, or a pointer to that in the memory of the executor.
template <class Level>
struct is_in_level {
    graph_view g;
    std::int32_t const* levels;
    Level level;
    COPPICE_HD bool operator()(auto const&, vertex_id v) const {
        if constexpr (std::is_pointer_v<Level>)
            return levels[v] == *level;
        else
            return levels[v] == level;
    }
    COPPICE_HD std::int32_t work(vertex_id v) const { return g.degree(v); }
};
template <class Level>
is_in_level(graph_view, std::int32_t const*, Level) -> is_in_level<Level>;
/// Pulls into an unreached vertex from the first of its neighbours that is in the current level; returns whether there
/// is one.
struct pull_level {
    graph_view g, incoming;
    bitmap const* level;
    std::int32_t* levels;
    std::uint32_t* parents;
    bfs_state const* state;
    COPPICE_HD bool operator()(auto const&, vertex_id v) const {
        if (levels[v] != -1) return false;
        bitmap const in_level{level->words};
        for (auto k = incoming.offsets[v], end = incoming.offsets[v + 1]; k < end; ++k) {
            vertex_id const u = incoming.neighbors[k];
            if (!in_level(u)) continue;
            levels[v] = state->depth + 1;
            parents[v] = static_cast<std::uint32_t>(u);
            return true;
        }
        return false;
    }
    COPPICE_HD std::int32_t work(vertex_id v) const { return g.degree(v); }
};

/// Whether to pull into the next level, from a frontier of `count` vertices with `work` edges; the frontier before had
/// `before` vertices. The thresholds are those of the paper; in addition, a frontier with few edges is always pushed,
/// since a scan of all vertices would cost more.
COPPICE_HD inline bool is_pulled(bool was_pulled, std::int64_t before, std::int64_t count, std::int64_t work,
                                 std::int64_t edges_left, std::int64_t vertices) {
    return was_pulled ? count >= before || count > vertices / 18 : work > edges_left / 15 && work > vertices / 4;
}

struct next_level {
    worklist *now, *next;
    bitmap *now_bits, *next_bits; ///< of pulled levels; null: every level is pushed
    bfs_state* state;
    std::int64_t vertices;
    std::int32_t max_depth;
    COPPICE_HD void operator()(std::int64_t) const {
        bfs_state& s = *state;
        if (s.list != 0) { // the next round pushes from this list
            s.list = 0;
            s.push = 1;
            return;
        }
        bool const pulled = s.pull != 0;
        if (pulled)
            end_level(*now_bits, *next_bits);
        else
            end_level(*now, *next);
        if (s.loop.on == 0) return;
        s.pack = s.pull != 0 && !pulled ? 1 : 0;
        s.list = s.pull == 0 && pulled ? 1 : 0;
        s.push = s.pull == 0 && !pulled ? 1 : 0;
        if (s.list != 0) now->clear();
    }

private:
    /// Takes the next level and decides whether to pull from it.
    template <class Set>
    COPPICE_HD void end_level(Set& level, Set& found) const {
        bfs_state& s = *state;
        std::int64_t const before = s.count;
        swap_and_clear(level, found);
        s.count = level.count;
        if (s.count == 0) return s.loop.stop();
        ++s.depth;
        s.reached += s.count;
        s.edges_left -= level.work;
        if (s.depth >= max_depth) return s.loop.stop();
        bool const may_pull = now_bits != nullptr;
        s.pull = may_pull && is_pulled(s.pull != 0, before, s.count, level.work, s.edges_left, vertices) ? 1 : 0;
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
    worklists<2> lists(exec, g.vertices);
    worklist *const now = lists[0], *const next = lists[1];
    auto state = placed(exec, bfs_state{.loop = {options.max_depth > 0 ? 1 : 0}});
    bfs_state* const s = state.data();
    for_each(exec, g.vertices, begin_bfs{g, source, levels, parents, now, s});
    rounds<Executor> search(exec);
    auto const run = [&](auto const& pushed) {
        edge_step const push{&s->push, now, g, into(next), pushed};
        next_level end{now, next, nullptr, nullptr, s, g.vertices, options.max_depth};
        if (!may_pull) return search.run(&s->loop, push, single_step{end});
        bitmap_pair bits(exec, g.vertices);
        end.now_bits = bits[0], end.next_bits = bits[1];
        item_step const list{&s->list, bits.all_words(), into(now), list_word_of{g, bits[0]}};
        bitmap_step const pack{&s->pack, bits.all_vertices(), bits[0], is_in_level{g, levels, &s->depth}};
        bitmap_step const pull{&s->pull, bits.all_vertices(), bits[1],
                               pull_level{g, options.incoming, bits[0], levels, parents, s}};
        search.run(&s->loop, list, push, pack, pull, single_step{end});
    };
    // If rows are short, a sequential pass over them costs a host thread less than a second random access for every
    // edge. Devices overlap enough accesses.
    bool const parents_late = std::is_same_v<Executor, host_executor> && !has_long_rows(g);
    if (!parents_late) run(push_level{g, levels, parents, &s->depth});
    if constexpr (std::is_same_v<Executor, host_executor>) {
        if (parents_late) {
            run(reach_level{g, levels, &s->depth});
            auto const all = every_vertex(exec, g);
            if (may_pull)
                vertex_map(exec, nullptr, all.data(), nothing(), choose_parent{options.incoming, levels, parents});
            else
                edge_map(exec, nullptr, all.data(), g, nothing(), offer_parent{g, levels, parents});
        }
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
