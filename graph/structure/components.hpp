// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Connected components by union-find with samples of edges.
#pragma once

#include <algorithm>
#include <type_traits>

#include <coppice/algebra/random.hpp>
#include <coppice/graph/structure/tile_trees.hpp>

namespace coppice {

struct components_result {
    buffer<vertex_id> labels{}; ///< the smallest vertex of the component; in the memory of the executor
    std::int64_t components = 0;
};

/// Connected components of an undirected graph (Afforest: Sutton, Ben-Nun and Barak, 2018): two edges of every vertex
/// are joined; then only vertices outside of what seems to be the largest component look at the others. On CUDA, where
/// rows are short, stretches of neighbouring numbers are joined first, and all edges where that leaves few trees. Near
/// n + m steps, three words a vertex. The same for any number of threads, on host and CUDA. Waits.
///
/// The graph must store both directions of an edge (require_undirected()), else components may be missed.
template <executor Executor>
components_result connected_components(Executor const& exec, graph_view g);

namespace analytics {

/// The first two edges of a vertex, but for a first one that began its tree.
struct join_first_edges {
    static constexpr std::int32_t count = 2;
    graph_view g;
    vertex_id* up;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u) const {
        for (auto k = g.offsets[u], end = k + (g.degree(u) < count ? g.degree(u) : count); k < end; ++k)
            if (k > g.offsets[u] || g.neighbors[k] > u) join_trees(worker, up, u, g.neighbors[k]);
    }
};
struct join_other_edges {
    graph_view g;
    vertex_id* up;
    vertex_id largest;
    std::int32_t joined; ///< edges of each vertex that are joined already
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD bool enters(auto const& worker, vertex_id u) const {
        return g.degree(u) > joined && worker.load(up + u) != largest;
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        if (k >= g.offsets[u] + joined) join_trees(worker, up, u, g.neighbors[k]);
    }
};
/// Halves the way of v.
struct halve_way {
    vertex_id* up;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        vertex_id const next = worker.load(up + v), above = worker.load(up + next);
        if (above != next) worker.store(up + v, above);
    }
};
/// Shortens the way of v and of all that it meets; others do so at once, and may overwrite a root by what is below it.
struct shorten_ways {
    vertex_id* up;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        vertex_id at = v, next = worker.load(up + v);
        for (vertex_id above = worker.load(up + next); above != next; above = worker.load(up + next)) {
            worker.store(up + at, above);
            at = next;
            next = above;
        }
        worker.store(up + v, next);
    }
};
/// Puts a vertex right below its root.
struct flatten_tree {
    vertex_id* up;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        vertex_id root = worker.load(up + v);
        for (vertex_id above = worker.load(up + root); above != root; above = worker.load(up + root)) root = above;
        worker.store(up + v, root);
    }
};
/// The same of the vertices v, v + apart, ..., whose reads are under way at once.
template <int width>
struct flatten_trees {
    vertex_id* up;
    std::int64_t vertices, apart;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        vertex_id own[width], next[width], root[width];
        COPPICE_UNROLL
        for (int j = 0; j < width; ++j) own[j] = worker.glance(up + at(v, j));
        COPPICE_UNROLL
        for (int j = 0; j < width; ++j) next[j] = worker.glance(up + own[j]); // all look at few roots
        COPPICE_UNROLL
        for (int j = 0; j < width; ++j) root[j] = worker.glance(up + next[j]);
        COPPICE_UNROLL
        for (int j = 0; j < width; ++j) {
            if (root[j] != next[j])
                flatten_tree{up}(worker, at(v, j));
            else if (root[j] != own[j])
                worker.store(up + at(v, j), root[j]);
        }
    }
    COPPICE_HD vertex_id at(vertex_id v, int j) const {
        return static_cast<vertex_id>(v + j * apart < vertices ? v + j * apart : v);
    }
};
/// Below the first neighbour where that is smaller, alone elsewhere.
struct lowest_tree {
    graph_view g;
    vertex_id* up;
    COPPICE_HD void operator()(std::int64_t v) const {
        vertex_id const first = g.degree(v) > 0 ? g.neighbors[g.offsets[v]] : static_cast<vertex_id>(v);
        up[v] = first < v ? first : static_cast<vertex_id>(v);
    }
};
struct take_sample {
    vertex_id const* up;
    vertex_id* sample;
    std::uint64_t vertices;
    COPPICE_HD void operator()(std::int64_t i) const {
        sample[i] = up[mix_bits(static_cast<std::uint64_t>(i)) % vertices];
    }
};
struct is_root {
    vertex_id const* up;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const { return up[v] == v ? 1 : 0; }
};

struct least_member {
    vertex_id const* labels;
    std::uint32_t* least;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        worker.lower(least + labels[v], static_cast<std::uint32_t>(v));
    }
};
struct name_by_least {
    vertex_id* labels;
    std::uint32_t const* least;
    COPPICE_HD void operator()(std::int64_t v) const { labels[v] = static_cast<vertex_id>(least[labels[v]]); }
};

/// Labels that are any numbers of vertices, alike in a part: the smallest vertex of the part takes their place.
template <executor Executor>
void name_by_least_member(Executor const& exec, buffer<vertex_id>& labels) {
    auto everyone = placed(exec, worklist{nullptr, labels.size(), 0});
    buffer<std::uint32_t> least(exec, labels.size());
    fill(exec, least.view(), ~0u);
    visit_items(exec, nullptr, everyone.data(), nothing(), least_member{labels.data(), least.data()});
    for_each(exec, labels.size(), name_by_least{labels.data(), least.data()});
}

/// The most frequent label of 1024 vertices.
template <executor Executor>
vertex_id frequent_label(Executor const& exec, buffer<vertex_id> const& labels) {
    buffer<vertex_id> sample(exec, 1024);
    for_each(exec, sample.size(), take_sample{labels.data(), sample.data(), std::uint64_t(labels.size())});
    auto seen = to_vector(exec, sample);
    std::sort(seen.begin(), seen.end());
    vertex_id best = seen[0];
    std::ptrdiff_t most = 0;
    for (auto at = seen.begin(); at != seen.end();) {
        auto const end = std::upper_bound(at, seen.end(), *at);
        if (end - at > most) {
            most = end - at;
            best = *at;
        }
        at = end;
    }
    return best;
}

/// Trees by first neighbours and two edges of every vertex, then the other edges of those that are not in what seems to
/// be the largest component.
template <executor Executor>
void join_by_samples(Executor const& exec, graph_view g, buffer<vertex_id>& labels, worklist const* everyone) {
    vertex_id* const up = labels.data();
    for_each(exec, g.vertices, lowest_tree{g, up});
    // First neighbours make ways as long as the sides of a grid. The host, which goes along them, needs no more.
    constexpr int halvings = std::is_same_v<Executor, host_executor> ? 0 : 4;
    for (int times = 0; times < halvings; ++times) visit_items(exec, nullptr, everyone, nothing(), halve_way{up});
    visit_items(exec, nullptr, everyone, nothing(), shorten_ways{up});
    visit_items(exec, nullptr, everyone, nothing(), join_first_edges{g, up});
    visit_items(exec, nullptr, everyone, nothing(), shorten_ways{up});
    vertex_id const largest = frequent_label(exec, labels);
    visit_edges(exec, nullptr, everyone, g, nothing(), join_other_edges{g, up, largest, join_first_edges::count});
}
/// Trees of tiles, then all edges between tiles. Where tiles leave many trees, numbers have little to do with the
/// graph: samples then.
template <class Executor> // on the host for the stand-in of tests, which has a for_each_warp
void join_by_tiles(Executor const& exec, graph_view g, buffer<vertex_id>& labels, worklist const* everyone) {
    vertex_id* const up = labels.data();
    worklists<2> lists(exec, g.vertices);
    worklist *const below_others = lists[0], *const long_rows = lists[1];
    for_each_warp(exec, (std::int64_t(g.vertices) + tile_vertices - 1) / tile_vertices,
                  join_within_tile<shared_worker<Executor, 2>>{g, up, into(below_others, long_rows)});
    if (exec.load(below_others).count > g.vertices / 8) return join_by_samples(exec, g, labels, everyone);
    // Ways go from tile to tile, through all rows of a grid.
    for (int times = 0; times < 8; ++times) visit_items(exec, nullptr, below_others, nothing(), halve_way{up});
    visit_items(exec, nullptr, below_others, nothing(), shorten_ways{up});
    visit_items(exec, nullptr, everyone, nothing(), join_tiles{g, up});
    visit_edges(exec, nullptr, long_rows, g, nothing(), join_smaller{g, up});
}
template <executor Executor>
std::int64_t flatten_and_count(Executor const& exec, buffer<vertex_id>& labels) {
    constexpr int width = std::is_same_v<Executor, host_executor> ? 1 : 4;
    std::int64_t const n = labels.size(), apart = (n + width - 1) / width;
    auto firsts = placed(exec, worklist{nullptr, apart, 0});
    visit_items(exec, nullptr, firsts.data(), nothing(), flatten_trees<width>{labels.data(), n, apart});
    return reduce(exec, n, std::int64_t{0}, is_root{labels.data()}, plus{});
}

} // namespace analytics

template <executor Executor>
components_result connected_components(Executor const& exec, graph_view g) {
    using namespace analytics;
    components_result result{buffer<vertex_id>(exec, g.vertices)};
    if (g.vertices == 0) return result;
    auto const everyone = every_vertex(exec, g);
    if (std::is_same_v<Executor, host_executor> || has_long_rows(g))
        join_by_samples(exec, g, result.labels, everyone.data());
    else if constexpr (!std::is_same_v<Executor, host_executor>)
        join_by_tiles(exec, g, result.labels, everyone.data());
    result.components = flatten_and_count(exec, result.labels);
    return result;
}

#define COPPICE_COMPONENTS(EXTERN, EXECUTOR)                                                                           \
    EXTERN template components_result connected_components(EXECUTOR const&, graph_view)
COPPICE_COMPONENTS(extern, host_executor);
COPPICE_COMPONENTS(extern, cuda_executor);

} // namespace coppice
