// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Greedy maximal matching without weights: near edges first, then vertices of low degree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/algebra/random.hpp>
#include <coppice/graph/frontier/in_order_host.hpp>
#include <coppice/graph/frontier/rounds.hpp>

namespace coppice::inline v0_1 {

struct matching_result {
    buffer<vertex_id> mates{}; ///< mate of every vertex, -1: none; in the memory of the executor
    std::int64_t pairs = 0;
};

/// Computes a maximal matching of an undirected graph: no two of its edges share a vertex, and no edge can be added. It
/// has at least half as many edges as a maximum matching. Loops and weights are ignored; parallel_factor() of degree 1
/// prefers heavy edges.
///
/// The result is the greedy matching along an order of the vertices: a free vertex takes the last free neighbour of its
/// row. Vertices of low degree (at most twice the mean) come first, then a hash decides. If a sample of rows shows
/// locality, edges within runs of 16 vertex indices are taken before all others, in index order; then, if many vertices
/// are left, edges within blocks of 65 536 indices. The result is the same for any number of threads, on host and CUDA.
/// The host processes the vertices in order: runs and blocks in parallel, the rest with one thread; O(n + m) time. CUDA
/// works in rounds, each of which takes all edges that are the best ones of both ends; at most n + m steps per round;
/// 21 rounds for R-MAT 18. Memory: one word per vertex for the result and 3 of workspace; 4 on CUDA. Waits.
template <executor Executor>
matching_result maximal_matching(Executor const& exec, graph_view g);

namespace analytics {

inline constexpr int matching_block_bits = 16;

/// Whether the indices of two vertices are equal except for the last `bits` bits.
COPPICE_HD inline bool same_block(vertex_id u, vertex_id v, int bits) { return ((u ^ v) >> bits) == 0; }

COPPICE_HD inline void match(vertex_id* mates, vertex_id u, vertex_id v) {
    mates[u] = v;
    mates[v] = u;
}
/// Whether there are so few vertices that a pass over all vertices would cost more than processing them one by one.
COPPICE_HD inline bool are_few(std::int64_t count, graph_view const& g) { return 16 * count <= g.vertices; }

/// Locality of the neighbours of sampled vertices; long rows are skipped.
struct sampled_rows {
    std::int32_t rows, edges, in_runs, in_blocks;

    COPPICE_HD bool use_runs() const { return rows > 0 && 2 * in_runs >= rows; }
    COPPICE_HD bool use_blocks() const { return edges > 0 && 4 * in_blocks >= 3 * edges; }
};
struct sample_row {
    static constexpr std::int64_t samples = 1024;
    graph_view g;
    COPPICE_HD sampled_rows operator()(std::int64_t i) const {
        auto const v = vertex_id(mix_bits(std::uint64_t(i)) % std::uint64_t(g.vertices));
        sampled_rows sum{0, 0, 0, 0};
        if (g.degree(v) == 0 || g.degree(v) > 256) return sum;
        sum.rows = 1;
        for (auto k = g.offsets[v], end = g.offsets[v + 1]; k < end; ++k) {
            vertex_id const u = g.neighbors[k];
            if (u == v) continue;
            ++sum.edges;
            sum.in_runs += same_block(u, v, vertex_order::run_bits) ? 1 : 0;
            sum.in_blocks += same_block(u, v, matching_block_bits) ? 1 : 0;
        }
        return sum;
    }
};
struct add_sampled {
    COPPICE_HD sampled_rows operator()(sampled_rows const& a, sampled_rows const& b) const {
        return {a.rows + b.rows, a.edges + b.edges, a.in_runs + b.in_runs, a.in_blocks + b.in_blocks};
    }
};

/// Matches the vertices of a run with each other; no other worker uses these edges. Each vertex takes its first free
/// neighbour after it. Emits the unmatched vertices that have edges.
struct match_in_run {
    graph_view g;
    vertex_id* mates;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id run) const {
        constexpr vertex_id length = 1 << vertex_order::run_bits;
        vertex_id const base = run * length;
        vertex_id const count = g.vertices - base < length ? g.vertices - base : length;
        std::uint32_t free = (1u << count) - 1;
        for (vertex_id i = 0; i < count; ++i) {
            if ((free >> i & 1) == 0) continue;
            vertex_id const j = first_free(base, i, free);
            mates[base + i] = j < length ? base + j : -1;
            if (j == length) continue;
            mates[base + j] = base + i;
            free &= ~(1u << i | 1u << j);
        }
        for (vertex_id i = 0; free != 0; ++i, free >>= 1)
            if ((free & 1) != 0 && g.degree(base + i) > 0) worker.emit(base + i);
    }
    /// Vertices before i are matched or no neighbours of i.
    COPPICE_HD vertex_id first_free(vertex_id base, vertex_id i, std::uint32_t free) const {
        constexpr vertex_id length = 1 << vertex_order::run_bits;
        vertex_id min_index = length;
        for (auto k = g.offsets[base + i], end = g.offsets[base + i + 1]; k < end; ++k) {
            auto const j = static_cast<std::uint32_t>(g.neighbors[k] - base);
            if (j < std::uint32_t(min_index) && vertex_id(j) != i && (free >> j & 1) != 0) min_index = vertex_id(j);
        }
        return min_index;
    }
};
/// Emits the free vertices that have edges.
struct list_free {
    graph_view g;
    vertex_id const* mates;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        if (mates[v] < 0 && g.degree(v) > 0) worker.emit(v);
    }
};

/// Matches within runs. Returns the number of unmatched vertices and lists them.
template <class Executor>
std::int64_t match_runs(Executor const& exec, graph_view g, vertex_id* mates, worklist* left) {
    constexpr std::int64_t length = 1 << vertex_order::run_bits;
    auto const runs = placed(exec, worklist{nullptr, (g.vertices + length - 1) / length, 0});
    vertex_map(exec, nullptr, runs.data(), into(left), match_in_run{g, mates});
    return to_vector(exec, array_view<worklist const>(left, 1))[0].count;
}

/// Position of a vertex in the order as a number below 2^37.
struct matching_position {
    graph_view g;
    vertex_order order;
    COPPICE_HD std::uint64_t operator()(vertex_id v) const {
        auto const c = static_cast<std::uint64_t>(order.class_of(g.degree(v)));
        return c << 36 | std::uint64_t(vertex_order::key_of_run(v)) << 4 | vertex_order::position_in_run(v);
    }
};

// A round of the parallel algorithm. If a free vertex has free neighbours that precede it in the order, its best edge
// leads to the first of them; otherwise to the last free neighbour of its row. An edge that is the best one of both
// ends is in the greedy matching.

inline constexpr std::uint64_t no_edge = ~std::uint64_t(0);
/// Flag of a best edge: no free neighbour precedes the vertex in the order. The low bits then decrease with the index
/// of the edge, so that the minimum is the last edge.
inline constexpr std::uint64_t leads_on = std::uint64_t(1) << 40;

struct find_best {
    graph_view g;
    matching_position position;
    int bits; ///< index bits of the blocks within which edges are considered
    vertex_id const* mates;
    std::uint64_t* best;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        if (v == u || !same_block(u, v, bits) || mates[v] >= 0) return;
        std::uint64_t const there = position(v);
        worker.lower(best + u, there < position(u) ? there : leads_on + std::uint64_t(g.edge_count - k));
    }
};
struct take_best {
    graph_view g;
    matching_position position;
    vertex_id* mates;
    std::uint64_t const* best;
    int* matched; ///< whether any vertex was matched
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u) const {
        if (best[u] < leads_on || best[u] == no_edge) return; // its mate, if any, stores the pair
        vertex_id const v = g.neighbors[g.edge_count - static_cast<std::int32_t>(best[u] - leads_on)];
        if (best[v] != position(u)) return;
        match(mates, u, v);
        worker.store(matched, 1);
    }
};
/// Keeps the vertices that are still free and had a free neighbour.
struct keep_free {
    vertex_id const* mates;
    std::uint64_t* best;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u) const {
        if (mates[u] < 0 && best[u] != no_edge) worker.emit(u);
        best[u] = no_edge;
    }
};
/// Stops if no vertex is left or none was matched, which is possible if edges are stored in one direction only.
struct next_round {
    next_list next;
    int* matched;
    COPPICE_HD void operator()(std::int64_t i) const {
        next(i);
        if (*matched == 0) next.loop->stop();
        *matched = 0;
    }
};

/// Matches free vertices along edges within blocks.
template <class Executor> // a template, since only nvcc compiles maps on CUDA
void match_in_rounds(Executor const& exec, graph_view g, int bits, vertex_id* mates, worklists<2>& lists) {
    worklist *const now = lists[0], *const next = lists[1];
    matching_position const position{g, vertex_order(g, false)};
    buffer<std::uint64_t> best(exec, g.vertices);
    fill(exec, best.view(), no_edge);
    auto const all = every_vertex(exec, g);
    auto matched = placed(exec, 0);
    auto loop = placed(exec, loop_switch{1});
    for_each(exec, 1, clear_set{now});
    vertex_map(exec, nullptr, all.data(), into(now), list_free{g, mates});
    rounds<Executor>(exec).run(
        loop.data(), edge_step{nullptr, now, g, nothing(), find_best{g, position, bits, mates, best.data()}},
        item_step{nullptr, now, nothing(), take_best{g, position, mates, best.data(), matched.data()}},
        item_step{nullptr, now, into(next), keep_free{mates, best.data()}},
        single_step{next_round{{now, next, loop.data()}, matched.data()}});
    exec.synchronize(); // the buffers are destroyed here
}
/// Matches along edges within blocks. Returns the number of unmatched vertices; all vertices if they are not counted.
template <class Executor>
std::int64_t match_blocks(Executor const& exec, graph_view g, vertex_id* mates, worklists<2>& lists) {
    match_in_rounds(exec, g, matching_block_bits, mates, lists);
    return g.vertices;
}
/// Matches along all edges.
template <class Executor>
void match_all(Executor const& exec, graph_view g, vertex_id* mates, worklists<2>& lists, std::int64_t) {
    match_in_rounds(exec, g, 31, mates, lists);
}

/// Matches the free vertex u with the last free neighbour of its row; returns that neighbour, or -1.
template <class IsFree>
vertex_id match_with_last(graph_view g, vertex_id* mates, vertex_id u, IsFree const& is_free) {
    for (auto k = g.offsets[u + 1]; k-- > g.offsets[u];)
        if (vertex_id const v = g.neighbors[k]; is_free(v) && v != u) {
            match(mates, u, v);
            return v;
        }
    return -1;
}

/// Matches within a block; no other worker uses these edges.
template <class Worker>
void match_block(Worker& worker, graph_view g, vertex_id* mates, vertex_id first, vertex_id last) {
    ordered_runs runs;
    runs.sort(first, last);
    vertex_order const order(g, false);
    std::int64_t seconds = 0;
    for (vertex_id v = first; v < last; ++v) seconds += order.class_of(g.degree(v));
    for (int c = 0; c < (seconds > 0 ? 2 : 1); ++c)
        for_each_in_runs<true>(g, runs, 0, runs.size(), last, [=](vertex_id u) {
            if (mates[u] >= 0 || order.class_of(g.degree(u)) != c) return;
            match_with_last(g, mates, u, [=](vertex_id v) { return v >= first && v < last && mates[v] < 0; });
        });
    for (vertex_id v = first; v < last; ++v) list_free{g, mates}(worker, v);
}
inline std::int64_t match_blocks(host_executor const& exec, graph_view g, vertex_id* mates, worklists<2>& lists) {
    constexpr std::int64_t length = std::int64_t(1) << matching_block_bits;
    lists[0]->clear();
    distribute_chunks(exec, exec.threads(), (g.vertices + length - 1) / length, 1, into(lists[0]),
                      [&](auto& worker, int, std::int64_t first, std::int64_t) {
                          match_block(worker, g, mates, vertex_id(first * length),
                                      vertex_id(std::min<std::int64_t>(g.vertices, (first + 1) * length)));
                      });
    return lists[0]->count;
}

/// Bit set of the free vertices: for a quarter of a million vertices it fits in the first-level cache.
class free_vertices {
public:
    free_vertices(host_executor const& exec, graph_view g, vertex_id const* mates)
        : words_(std::size_t(g.vertices) / 64 + 1) {
        for_each(exec, std::int64_t(words_.size()), [=, this](std::int64_t w) {
            std::uint64_t bits = 0;
            auto const first = vertex_id(64 * w), last = vertex_id(std::min<std::int64_t>(g.vertices, 64 * w + 64));
            for (vertex_id v = first; v < last; ++v) bits |= std::uint64_t(mates[v] < 0) << (v - first);
            words_[std::size_t(w)] = bits;
        });
    }
    bool operator[](vertex_id v) const { return (words_[std::size_t(v) / 64] >> (v & 63) & 1) != 0; }
    void take(vertex_id v) { words_[std::size_t(v) / 64] &= ~(std::uint64_t(1) << (v & 63)); }

private:
    std::vector<std::uint64_t> words_;
};
/// Sequential matching in order.
inline void match_in_order(host_executor const& exec, graph_view g, vertex_id* mates) {
    vertices_in_order const order(exec, g, vertex_order(g, false));
    free_vertices free(exec, g, mates);
    // A row is read from its end until a free neighbour is found, so that only its last neighbours are prefetched.
    constexpr std::int64_t ahead = 8, max_ahead = 32;
    std::int64_t const count = order.end_of_class(1);
    for (std::int64_t i = 0; i < count; ++i) {
        if (i + 2 * ahead < count) __builtin_prefetch(g.offsets + order[i + 2 * ahead]);
        if (vertex_id const soon = order[std::min(i + ahead, count - 1)]; free[soon]) {
            vertex_id const* const end = g.neighbors + g.offsets[soon + 1];
            prefetch(std::max(g.neighbors + g.offsets[soon], end - max_ahead), end);
        }
        vertex_id const u = order[i];
        if (!free[u]) continue;
        vertex_id const v = match_with_last(g, mates, u, [&](vertex_id w) { return free[w]; });
        if (v < 0) continue;
        free.take(u);
        free.take(v);
    }
}
/// Matches the vertices of a short list, which are sorted by position.
inline void match_few(graph_view g, vertex_id* mates, worklist const& left) {
    matching_position const position{g, vertex_order(g, false)};
    std::vector<std::pair<std::uint64_t, vertex_id>> order;
    for (std::int64_t i = 0; i < left.count; ++i) order.emplace_back(position(left[i]), left[i]);
    std::sort(order.begin(), order.end());
    for (auto const& [at, u] : order)
        if (mates[u] < 0) match_with_last(g, mates, u, [=](vertex_id v) { return mates[v] < 0; });
}
struct list_with_free_neighbor {
    graph_view g;
    vertex_id const* mates;
    template <class Worker>
    void operator()(Worker& worker, vertex_id u) const {
        for (auto k = g.offsets[u], end = g.offsets[u + 1]; k < end; ++k)
            if (vertex_id const v = g.neighbors[k]; mates[v] < 0 && v != u) return worker.emit(u);
    }
};
/// Matches along all edges. `left`: number of unmatched vertices in lists[0]; g.vertices if they are not listed.
inline void match_all(host_executor const& exec, graph_view g, vertex_id* mates, worklists<2>& lists,
                      std::int64_t left) {
    if (left == g.vertices) return match_in_order(exec, g, mates);
    lists[1]->clear();
    vertex_map(exec, nullptr, lists[0], into(lists[1]), list_with_free_neighbor{g, mates});
    if (are_few(lists[1]->count, g)) return match_few(g, mates, *lists[1]);
    match_in_order(exec, g, mates);
}
struct has_mate {
    vertex_id const* mates;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const { return mates[v] >= 0 ? 1 : 0; }
};

} // namespace analytics

template <executor Executor>
matching_result maximal_matching(Executor const& exec, graph_view g) {
    using namespace analytics;
    matching_result result{buffer<vertex_id>(exec, g.vertices)};
    if (g.vertices == 0) return result;
    vertex_id* const mates = result.mates.data();
    worklists<2> lists(exec, g.vertices);
    auto const near = reduce(exec, sample_row::samples, sampled_rows{0, 0, 0, 0}, sample_row{g}, add_sampled{});
    std::int64_t left = g.vertices;
    if (near.use_runs())
        left = match_runs(exec, g, mates, lists[0]);
    else
        fill(exec, result.mates.view(), -1);
    if (near.use_blocks() && !are_few(left, g)) left = match_blocks(exec, g, mates, lists);
    if (left > 0) match_all(exec, g, mates, lists, left);
    result.pairs = reduce(exec, g.vertices, std::int64_t{0}, has_mate{mates}, plus{}) / 2;
    return result;
}

#define COPPICE_MAXIMAL_MATCHING(EXTERN, EXECUTOR)                                                                     \
    EXTERN template matching_result maximal_matching(EXECUTOR const&, graph_view)
COPPICE_MAXIMAL_MATCHING(extern, host_executor);
COPPICE_MAXIMAL_MATCHING(extern, cuda_executor);

} // namespace coppice::inline v0_1
