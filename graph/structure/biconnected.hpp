// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Biconnected components and articulation points, from intervals of preorder numbers of a search tree.
#pragma once

#include <limits>

#include <coppice/graph/frontier/filtered_edges.hpp>
#include <coppice/graph/structure/search_forest.hpp>

namespace coppice::inline v0_1 {

/// Result arrays in the memory of the executor.
struct biconnected_result {
    /// Component of every stored edge, from 0 on; the same for both directions; -1: a loop
    buffer<vertex_id> edge_components{};
    buffer<std::uint8_t> articulation{}; ///< 1: the vertex is an articulation point, else 0
    std::int64_t components = 0;         ///< number of biconnected components; a bridge is one
    std::int64_t articulation_points = 0;
};

/// Computes the biconnected components of an undirected graph with sorted rows: maximal sets of edges of which any two
/// are on a simple cycle. An articulation point is a vertex whose removal increases the number of components; it is in
/// several biconnected components. Loops are ignored; parallel edges are in one component.
///
/// Tarjan and Vishkin (1985) in the form of Dong, Wang, Gu and Sun (FAST-BCC, 2023) over breadth-first trees, with
/// preorder numbers. A tree edge is a fence if no edge leads from the subtree of its child out of the subtree of its
/// parent. Biconnected components are the connected components of all edges except fences, each with the parent of its
/// uppermost vertices, which is in another one. O(n + m) work, three passes over the levels of the trees. Memory: 19
/// words per vertex and three per edge. The result is the same for any number of threads, on host and CUDA. Waits.
template <executor Executor>
biconnected_result biconnected_components(Executor const& exec, graph_view g);

namespace analytics {

/// Trees of a search and what is known of their vertices.
struct tree_view {
    graph_view g;
    std::uint32_t const* parents;
    COPPICE_HD vertex_id parent(vertex_id v) const { return static_cast<vertex_id>(parents[v]); }
    COPPICE_HD bool is_root(vertex_id v) const { return parent(v) == v; }
    /// Whether edge k of u leads to a child of u; of parallel edges (rows are sorted) the first.
    COPPICE_HD bool leads_down(vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        return v != u && parent(v) == u && (k == g.offsets[u] || g.neighbors[k - 1] != v);
    }
};
struct subtree_size {
    using value = std::int32_t;
    tree_view tree;
    std::int32_t* sizes;
    std::int32_t* by_edge; ///< the size of the subtree below an edge to a child, else 0
    COPPICE_HD std::int32_t term(vertex_id u, std::int32_t k) const {
        return by_edge[k] = tree.leads_down(u, k) ? sizes[tree.g.neighbors[k]] : 0;
    }
    COPPICE_HD void store(vertex_id u, std::int32_t sum) const { sizes[u] = 1 + sum; }
};
/// Preorder numbers of the children, in the order of the row; `before` is the exclusive scan of subtree_size::by_edge.
struct number_children {
    tree_view tree;
    std::int32_t const* before;
    std::int32_t* numbers;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker&, vertex_id u, std::int32_t k) const {
        if (tree.leads_down(u, k))
            numbers[tree.g.neighbors[k]] = numbers[u] + 1 + before[k] - before[tree.g.offsets[u]];
    }
};
struct store_scan {
    std::int32_t* to;
    COPPICE_HD void operator()(std::int64_t i, std::int32_t sum) const { to[i] = sum; }
};
struct size_of_tree {
    tree_view tree;
    std::int32_t const* sizes;
    COPPICE_HD std::int32_t operator()(std::int64_t v) const {
        return tree.is_root(static_cast<vertex_id>(v)) ? sizes[v] : 0;
    }
};
struct has_head {
    vertex_id const* heads;
    COPPICE_HD std::int32_t operator()(std::int64_t label) const { return heads[label] >= 0 ? 1 : 0; }
};
struct number_range {
    std::int32_t low = std::numeric_limits<std::int32_t>::max(), high = -1;
    COPPICE_HD number_range operator+(number_range const& o) const {
        return {o.low < low ? o.low : low, o.high > high ? o.high : high};
    }
};
/// Range of the preorder numbers that the edges of a subtree reach.
struct reach_of_subtree {
    using value = number_range;
    tree_view tree;
    std::int32_t const* numbers;
    number_range* ranges;
    COPPICE_HD number_range term(vertex_id u, std::int32_t k) const {
        vertex_id const v = tree.g.neighbors[k];
        return v != u && tree.parent(v) == u ? ranges[v] : number_range{numbers[v], numbers[v]};
    }
    COPPICE_HD void store(vertex_id u, number_range const& sum) const {
        ranges[u] = sum + number_range{numbers[u], numbers[u]};
    }
};
/// Whether the edge of v to its parent is a fence; not for roots.
struct fence_rule {
    tree_view tree;
    std::int32_t const* numbers;
    std::int32_t const* sizes;
    number_range const* ranges;
    COPPICE_HD bool operator()(vertex_id v) const {
        vertex_id const p = tree.parent(v);
        return p != v && ranges[v].low >= numbers[p] && ranges[v].high < numbers[p] + sizes[p];
    }
};
/// All edges except fences and loops. No other edge leads from a vertex to a vertex of its subtree, since these are
/// breadth-first trees.
struct no_fence {
    fence_rule fence;
    COPPICE_HD bool selects(vertex_id u, std::int32_t k) const {
        vertex_id const v = fence.tree.g.neighbors[k];
        if (u == v) return false;
        if (fence.tree.parent(v) == u) return !fence(v);
        return fence.tree.parent(u) != v || !fence(u);
    }
};
/// Stores the parent of the uppermost vertices of each component. Even if the edge to the parent is a fence, both its
/// ends may have the same label, through the subtree of a sibling.
struct find_head {
    tree_view tree;
    vertex_id const* labels;
    vertex_id* heads; ///< of a label: the parent of its uppermost vertices; -1: the label is no component
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        vertex_id const p = tree.parent(v); // the same for all such vertices of a label
        if (labels[p] != labels[v]) worker.store(heads + labels[v], p);
    }
};
struct count_heads {
    vertex_id const* heads;
    std::int32_t* counts;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id label) const {
        if (heads[label] >= 0) worker.add(counts + heads[label], 1);
    }
};
/// A vertex is an articulation point if it is in several components. counts[v] is the number of components whose head
/// is v; a vertex that is not a root is in one more, that of the edge to its parent.
struct store_articulation {
    tree_view tree;
    std::int32_t const* counts;
    std::uint8_t* articulation;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const {
        bool const several = counts[v] >= (tree.is_root(static_cast<vertex_id>(v)) ? 2 : 1);
        articulation[v] = several ? 1 : 0;
        return several ? 1 : 0;
    }
};
struct store_component {
    tree_view tree;
    vertex_id const* labels;
    std::int32_t const* numbers;
    vertex_id* components;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker&, vertex_id u, std::int32_t k) const {
        vertex_id const v = tree.g.neighbors[k];
        components[k] = u == v ? -1 : numbers[labels[tree.parent(v) == u ? v : u]];
    }
};

} // namespace analytics

template <executor Executor>
biconnected_result biconnected_components(Executor const& exec, graph_view g) {
    using namespace analytics;
    std::int64_t const n = g.vertices, m = g.edge_count;
    biconnected_result result{buffer<vertex_id>(exec, m), buffer<std::uint8_t>(exec, n)};
    if (n == 0) return result;
    search_forest<Executor> forest(exec, g);
    auto& lists = forest.lists;
    worklist const* const all = forest.all_vertices.data();
    tree_view const tree{g, forest.parents.data()};
    buffer<std::int32_t> sizes(exec, n), numbers(exec, n);
    std::int32_t* const by_edge = result.edge_components.data(); // used for this until the components are known
    lists.backward([&] { edge_sum(exec, nullptr, lists.now(), g, subtree_size{tree, sizes.data(), by_edge}); });
    exclusive_scan(exec, m, value_at<std::int32_t>{by_edge}, store_scan{by_edge}, 0);
    // preorder numbers of the roots
    exclusive_scan(exec, n, size_of_tree{tree, sizes.data()}, store_scan{numbers.data()}, 0);
    lists.forward_again([&] {
        edge_map(exec, nullptr, lists.now(), g, nothing(), number_children{tree, by_edge, numbers.data()});
    });
    buffer<number_range> ranges(exec, n);
    lists.backward_once([&] {
        edge_sum(exec, nullptr, lists.now(), g, reach_of_subtree{tree, numbers.data(), ranges.data()});
    });
    fence_rule const fence{tree, numbers.data(), sizes.data(), ranges.data()};
    auto const skeleton = select_edges(exec, g, no_fence{fence});
    auto const labels = connected_components(exec, skeleton.view()).labels;
    buffer<vertex_id> heads(exec, n);
    fill(exec, heads.view(), -1);
    vertex_map(exec, nullptr, all, nothing(), find_head{tree, labels.data(), heads.data()});
    buffer<std::int32_t> counts(exec, n), number_of_label(exec, n);
    fill(exec, counts.view(), 0);
    result.components = exclusive_scan(exec, n, has_head{heads.data()}, store_scan{number_of_label.data()}, 0);
    vertex_map(exec, nullptr, all, nothing(), count_heads{heads.data(), counts.data()});
    result.articulation_points =
        reduce(exec, n, std::int64_t{0}, store_articulation{tree, counts.data(), result.articulation.data()}, plus{});
    edge_map(exec, nullptr, all, g, nothing(),
             store_component{tree, labels.data(), number_of_label.data(), result.edge_components.data()});
    exec.synchronize();
    return result;
}

#define COPPICE_BICONNECTED(EXTERN, EXECUTOR)                                                                          \
    EXTERN template biconnected_result biconnected_components(EXECUTOR const&, graph_view)
COPPICE_BICONNECTED(extern, host_executor);
COPPICE_BICONNECTED(extern, cuda_executor);

} // namespace coppice::inline v0_1
