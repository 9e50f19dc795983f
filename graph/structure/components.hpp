// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Connected components by union-find with sampled edges.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include <coppice/algebra/random.hpp>
#include <coppice/graph/structure/tile_trees.hpp>

namespace coppice::inline v0_1 {

struct components_result {
    buffer<vertex_id> labels{}; ///< smallest vertex of the component; in the memory of the executor
    std::int64_t components = 0;
};

/// Computes the connected components of an undirected graph (Afforest: Sutton, Ben-Nun and Barak, 2018): unites two
/// edges of every vertex; then only vertices outside of the presumed largest component process their other edges. On
/// CUDA, if rows are short, tiles of consecutive vertex indices are united first, then all remaining edges if few trees
/// are left. About n + m steps, three words per vertex. The result is the same for any number of threads, on host and
/// CUDA. Waits.
///
/// The graph must store both directions of an edge (require_undirected()), otherwise components may be missed.
template <executor Executor>
components_result connected_components(Executor const& exec, graph_view g);

namespace analytics {

inline constexpr std::int32_t first_edges = 2; ///< of each vertex, which are united first

/// unite_trees() for vertices that often have the same parent already: loads through the cache find that without the
/// traffic of millions of loads of the same few parents, which bound a device otherwise.
COPPICE_NO_EXEC_CHECK
template <class Worker>
COPPICE_HD void unite_different_trees(Worker& worker, vertex_id* up, vertex_id u, vertex_id v) {
    if (worker.load_cached(up + u) != worker.load_cached(up + v)) unite_trees(worker, up, u, v);
}
/// Unites the first edges of a vertex, except a first edge that created its tree. Graph, here and below: graph_view, or
/// a class with its members begin(u), degree(u) and neighbor(k).
template <class Graph>
struct unite_first_edges {
    Graph g;
    vertex_id* up;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u) const {
        auto const begin = g.begin(u);
        for (auto k = begin, end = k + (g.degree(u) < first_edges ? g.degree(u) : first_edges); k < end; ++k) {
            vertex_id const v = g.neighbor(k);
            if (k > begin || v > u) unite_different_trees(worker, up, u, v);
        }
    }
};
/// Unites the other edges, after the first ones, of the vertices outside of the tree `largest`.
template <class Graph>
struct unite_other_edges {
    Graph g;
    vertex_id* up;
    vertex_id largest; ///< value of `up`; -1: no vertex is in the largest component
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD bool enters(Worker const& worker, vertex_id u) const {
        return g.degree(u) > first_edges && worker.load(up + u) != largest;
    }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        if (k >= g.begin(u) + first_edges) unite_different_trees(worker, up, u, g.neighbor(k));
    }
};
/// Path halving at v: links v to its grandparent. Flags a path of more than one step.
///
/// Here and below, loads through the cache may return an earlier parent, which is an ancestor of the vertex too.
struct halve_path {
    vertex_id* up;
    int* is_long;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        vertex_id const next = worker.load_cached(up + v), above = worker.load_cached(up + next);
        if (above == next) return;
        worker.store(up + v, above);
        if (worker.load_cached(is_long) == 0) worker.store(is_long, 1);
    }
};
/// Path halving along the whole path of v. Other workers do so concurrently, and may overwrite a root by a vertex below
/// it.
struct shorten_paths {
    vertex_id* up;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        vertex_id const parent = worker.load_cached(up + v);
        vertex_id at = v, next = parent;
        for (vertex_id above = worker.load_cached(up + next); above != next; above = worker.load_cached(up + next)) {
            worker.store(up + at, above);
            at = next;
            next = above;
        }
        if (next != parent) worker.store(up + v, next);
    }
};
/// Links a vertex directly to its root.
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
/// Links the vertices v, v + stride, ... directly to their roots; their loads overlap.
template <int width>
struct flatten_trees {
    vertex_id* up;
    std::int64_t vertices, stride;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        vertex_id own[width], next[width], root[width];
        COPPICE_UNROLL
        for (int j = 0; j < width; ++j) own[j] = worker.load_cached(up + at(v, j));
        COPPICE_UNROLL
        for (int j = 0; j < width; ++j) next[j] = worker.load_cached(up + own[j]); // all read few roots
        COPPICE_UNROLL
        for (int j = 0; j < width; ++j) root[j] = worker.load_cached(up + next[j]);
        COPPICE_UNROLL
        for (int j = 0; j < width; ++j) {
            if (root[j] != next[j])
                flatten_tree{up}(worker, at(v, j));
            else if (root[j] != own[j])
                worker.store(up + at(v, j), root[j]);
        }
    }
    COPPICE_HD vertex_id at(vertex_id v, int j) const {
        return static_cast<vertex_id>(v + j * stride < vertices ? v + j * stride : v);
    }
};
struct is_root {
    vertex_id const* up;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const { return up[v] == v ? 1 : 0; }
};

struct min_member {
    vertex_id const* labels;
    std::uint32_t* min;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        worker.lower(min + labels[v], static_cast<std::uint32_t>(v));
    }
};

struct take_min_member {
    vertex_id* labels;
    std::uint32_t const* min;
    COPPICE_HD void operator()(std::int64_t v) const { labels[v] = static_cast<vertex_id>(min[labels[v]]); }
};
/// Replaces labels, which are vertices, equal within a group, by the smallest vertex of the group.
template <executor Executor>
void label_by_min_member(Executor const& exec, buffer<vertex_id>& labels) {
    auto all_vertices = placed(exec, worklist{nullptr, labels.size(), 0});
    buffer<std::uint32_t> min_of_label(exec, labels.size());
    fill(exec, min_of_label.view(), ~0u);
    vertex_map(exec, nullptr, all_vertices.data(), nothing(), min_member{labels.data(), min_of_label.data()});
    for_each(exec, labels.size(), take_min_member{labels.data(), min_of_label.data()});
}

template <class T>
struct copy_random_element {
    array_view<T const> elements;
    T* to;
    COPPICE_HD void operator()(std::int64_t i) const {
        to[i] = elements[std::int64_t(mix_bits(static_cast<std::uint64_t>(i)) % std::uint64_t(elements.size()))];
    }
};
/// Returns 1024 elements at random positions, in ascending order.
template <executor Executor, class T>
std::vector<T> sorted_sample(Executor const& exec, array_view<T const> elements) {
    buffer<T> sample(exec, 1024);
    for_each(exec, sample.size(), copy_random_element<T>{elements, sample.data()});
    auto found = to_vector(exec, sample);
    std::sort(found.begin(), found.end());
    return found;
}
/// Returns the most frequent label of 1024 sampled vertices.
template <executor Executor>
vertex_id frequent_label(Executor const& exec, array_view<vertex_id const> labels) {
    auto const seen = sorted_sample(exec, labels);
    vertex_id best = seen[0];
    std::ptrdiff_t max_count = 0;
    for (auto at = seen.begin(); at != seen.end();) {
        auto const end = std::upper_bound(at, seen.end(), *at);
        if (end - at > max_count) {
            max_count = end - at;
            best = *at;
        }
        at = end;
    }
    return best;
}

/// Links the vertices of a list to their roots: halves their paths up to `halvings` times, until none is longer than
/// one step, then follows those that are left.
template <executor Executor>
void shorten_all_paths(Executor const& exec, vertex_id* up, worklist const* vertices, int halvings) {
    buffer<int> is_long(exec, halvings + 1);
    fill(exec, is_long.view(), 0);
    int const* predicate = nullptr;
    for (int times = 0; times < halvings; ++times) {
        int* const flag = is_long.data() + times;
        vertex_map(exec, predicate, vertices, nothing(), halve_path{up, flag});
        predicate = flag;
    }
    vertex_map(exec, predicate, vertices, nothing(), shorten_paths{up});
}

/// Initial parent of v: its first neighbour if that id is smaller, else v itself (a root).
template <class Graph>
struct set_initial_parent {
    Graph g;
    vertex_id* up;
    COPPICE_HD void operator()(std::int64_t i) const {
        auto const v = static_cast<vertex_id>(i);
        vertex_id const first = g.degree(v) > 0 ? g.neighbor(g.begin(v)) : v;
        up[v] = first < v ? first : v;
    }
};
/// Creates trees by first neighbours. Paths to the roots are short afterwards.
template <executor Executor, class Graph>
void begin_trees(Executor const& exec, Graph const& g, buffer<vertex_id>& labels, worklist const* all_vertices) {
    vertex_id* const up = labels.data();
    for_each(exec, labels.size(), set_initial_parent<Graph>{g, up});
    // The paths to a root may be as long as the side of a grid. The host, which follows them sequentially, needs no
    // halving passes.
    shorten_all_paths(exec, up, all_vertices, std::is_same_v<Executor, host_executor> ? 0 : 4);
}
/// Unites two edges of every vertex. Paths to the roots are short afterwards.
template <executor Executor, class Graph>
void unite_first(Executor const& exec, Graph const& g, buffer<vertex_id>& labels, worklist const* all_vertices) {
    vertex_id* const up = labels.data();
    vertex_map(exec, nullptr, all_vertices, nothing(), unite_first_edges<Graph>{g, up});
    vertex_map(exec, nullptr, all_vertices, nothing(), shorten_paths{up});
}
/// Unites the first edges, then the other edges of the vertices outside of the presumed largest component.
template <executor Executor>
void unite_by_samples(Executor const& exec, graph_view g, buffer<vertex_id>& labels, worklist const* all_vertices) {
    begin_trees(exec, g, labels, all_vertices);
    unite_first(exec, g, labels, all_vertices);
    vertex_id const largest = frequent_label(exec, array_view<vertex_id const>(labels.view()));
    edge_map(exec, nullptr, all_vertices, g, nothing(), unite_other_edges<graph_view>{g, labels.data(), largest});
}
/// Creates the trees of tiles, then unites all edges between tiles. If many trees are left, the vertex indices have no
/// locality: samples are used instead.
// a template of Executor, since tests run it on the host with a stand-in that has for_each_warp
template <class Executor>
void unite_by_tiles(Executor const& exec, graph_view g, buffer<vertex_id>& labels, worklist const* all_vertices) {
    vertex_id* const up = labels.data();
    worklists<2> lists(exec, g.vertices);
    worklist *const below_others = lists[0], *const long_rows = lists[1];
    for_each_warp(exec, (std::int64_t(g.vertices) + tile_vertices - 1) / tile_vertices,
                  unite_within_tile<shared_worker<Executor, 2>>{g, up, into(below_others, long_rows)});
    if (exec.load(below_others).count > g.vertices / 8) return unite_by_samples(exec, g, labels, all_vertices);
    shorten_all_paths(exec, up, below_others, 8); // paths to a root may cross many tiles
    vertex_map(exec, nullptr, all_vertices, nothing(), unite_tiles{g, up});
    edge_map(exec, nullptr, long_rows, g, nothing(), unite_smaller{g, up});
}
/// Links every vertex directly to its root.
template <executor Executor>
void flatten(Executor const& exec, buffer<vertex_id>& labels) {
    constexpr int width = std::is_same_v<Executor, host_executor> ? 1 : 4;
    std::int64_t const n = labels.size(), stride = (n + width - 1) / width;
    auto firsts = placed(exec, worklist{nullptr, stride, 0});
    vertex_map(exec, nullptr, firsts.data(), nothing(), flatten_trees<width>{labels.data(), n, stride});
}
template <executor Executor>
std::int64_t flatten_and_count(Executor const& exec, buffer<vertex_id>& labels) {
    flatten(exec, labels);
    return reduce(exec, labels.size(), std::int64_t{0}, is_root{labels.data()}, plus{});
}

} // namespace analytics

template <executor Executor>
components_result connected_components(Executor const& exec, graph_view g) {
    using namespace analytics;
    components_result result{buffer<vertex_id>(exec, g.vertices)};
    if (g.vertices == 0) return result;
    auto const all_vertices = every_vertex(exec, g);
    if (std::is_same_v<Executor, host_executor> || has_long_rows(g))
        unite_by_samples(exec, g, result.labels, all_vertices.data());
    else if constexpr (!std::is_same_v<Executor, host_executor>)
        unite_by_tiles(exec, g, result.labels, all_vertices.data());
    result.components = flatten_and_count(exec, result.labels);
    return result;
}

#define COPPICE_COMPONENTS(EXTERN, EXECUTOR)                                                                           \
    EXTERN template components_result connected_components(EXECUTOR const&, graph_view)
COPPICE_COMPONENTS(extern, host_executor);
COPPICE_COMPONENTS(extern, cuda_executor);

} // namespace coppice::inline v0_1
