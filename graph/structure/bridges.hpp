// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Bridges by signed hash sums over the subtrees of a search tree.
#pragma once

#include <coppice/graph/frontier/undirected.hpp>
#include <coppice/graph/structure/search_forest.hpp>

namespace coppice::inline v0_1 {

/// Bridges in the memory of the executor, sorted by `to`.
struct bridges_result {
    buffer<vertex_id> from{}; ///< the end nearer to the smallest vertex of the component
    buffer<vertex_id> to{};
    std::int64_t components = 0; ///< number of components of the graph
};

/// Computes the bridges of an undirected graph: edges whose removal disconnects a component. Parallel edges are no
/// bridges, loops are ignored. The graph must store both directions of an edge.
///
/// Every edge adds a 64-bit hash at one end and subtracts it at the other. The sum over the vertices of a subtree is
/// therefore the sum over the edges that leave the subtree; for a bridge it is the hash of the tree edge. An edge that
/// is no bridge passes this test with a probability of about 2^-64. O(n + m) time. Memory: 11 words per vertex. The
/// result is the same for any number of threads, on host and CUDA. Waits.
template <executor Executor>
bridges_result bridges(Executor const& exec, graph_view g);

namespace analytics {

struct pass_sum_up {
    std::uint32_t const* parents;
    std::uint64_t* sums;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        auto const p = static_cast<vertex_id>(parents[v]);
        if (p != v) worker.add(sums + p, sums[v]);
    }
};
/// Whether the edge from v to its parent is a bridge.
struct is_bridge {
    std::uint32_t const* parents;
    std::uint64_t const* sums;
    COPPICE_HD bool operator()(std::int64_t v) const {
        auto const u = static_cast<vertex_id>(v), p = static_cast<vertex_id>(parents[v]);
        return p != u && sums[u] == signed_hash(u, p);
    }
};
struct store_bridge {
    std::uint32_t const* parents;
    vertex_id* from;
    vertex_id* to;
    COPPICE_HD void operator()(std::int64_t at, std::int64_t v) const {
        from[at] = static_cast<vertex_id>(parents[v]);
        to[at] = static_cast<vertex_id>(v);
    }
};

} // namespace analytics

template <executor Executor>
bridges_result bridges(Executor const& exec, graph_view g) {
    using namespace analytics;
    bridges_result result;
    if (g.vertices == 0) return result;
    std::int64_t const n = g.vertices;
    buffer<std::uint64_t> sums(exec, n);
    search_forest<Executor> forest(exec, g);
    edge_sum(exec, nullptr, forest.all_vertices.data(), g, hash_sum{g, sums.data()});
    std::uint32_t const* const parents = forest.parents.data();
    forest.lists.backward([&] {
        vertex_map(exec, nullptr, forest.lists.now(), nothing(), pass_sum_up{parents, sums.data()});
    });
    result.components = forest.components;
    buffer<vertex_id> parent_ends(exec, n), child_ends(exec, n);
    std::int64_t const count =
        select(exec, n, is_bridge{parents, sums.data()}, store_bridge{parents, parent_ends.data(), child_ends.data()});
    result.from = copy_of(exec, parent_ends.view().slice(0, count));
    result.to = copy_of(exec, child_ends.view().slice(0, count));
    return result;
}

#define COPPICE_BRIDGES(EXTERN, EXECUTOR) EXTERN template bridges_result bridges(EXECUTOR const&, graph_view)
COPPICE_BRIDGES(extern, host_executor);
COPPICE_BRIDGES(extern, cuda_executor);

} // namespace coppice::inline v0_1
