// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Bridges: sums of signs over the subtrees of a search tree.
#pragma once

#include <coppice/graph/frontier/level_lists.hpp>
#include <coppice/graph/frontier/undirected.hpp>
#include <coppice/graph/search/bfs.hpp>
#include <coppice/graph/structure/components.hpp>

namespace coppice {

/// In the memory of the executor, by the vertex that is farther from the smallest one of its component.
struct bridges_result {
    buffer<vertex_id> from{}; ///< nearer to the smallest vertex of the component
    buffer<vertex_id> to{};
    std::int64_t components = 0; ///< of the graph
};

/// Bridges of an undirected graph: edges whose removal parts a component. Edges that are stored twice are none, loops
/// are ignored. The graph must store both directions of an edge.
///
/// Every edge adds a 64-bit hash to one end and takes it from the other, so that the sum over the vertices below an
/// edge of a search tree is what leaves them: that edge's hash alone where it is a bridge. An edge that is none is
/// taken for one with a probability of about 2^-64. n + m steps. Memory: 11 words a vertex. The same for any number of
/// threads, on host and CUDA. Waits.
template <executor Executor>
bridges_result bridges(Executor const& exec, graph_view g);

namespace analytics {

/// The smallest vertices of the components begin.
struct begin_tree {
    vertex_id const* labels;
    std::uint32_t* parents;
    std::int32_t* levels;
    worklist* everyone;
    std::int64_t vertices;
    COPPICE_HD void operator()(std::int64_t v) const {
        bool const root = labels[v] == v;
        parents[v] = root ? static_cast<std::uint32_t>(v) : ~0u;
        levels[v] = root ? 0 : -1;
        if (v == 0) *everyone = {nullptr, vertices, 0};
    }
};
struct list_roots {
    std::int32_t const* levels;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        if (levels[v] == 0) worker.emit(v);
    }
};
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
    auto const parts = connected_components(exec, g);
    buffer<std::uint64_t> sums(exec, n);
    buffer<std::uint32_t> parents(exec, n);
    buffer<std::int32_t> levels(exec, n);
    auto everyone = placed(exec, worklist{});
    level_lists<Executor> lists(exec, n, n + 1);
    for_each(exec, n, begin_tree{parts.labels.data(), parents.data(), levels.data(), everyone.data(), n});
    visit_sums(exec, nullptr, everyone.data(), g, hash_sum{g, sums.data()});
    lists.clear();
    visit_items(exec, nullptr, everyone.data(), into(lists.now()), list_roots{levels.data()});
    lists.rise([&] {
        visit_edges(exec, nullptr, lists.now(), g, into(lists.next()),
                    push_level{g, levels.data(), parents.data(), &lists.state()->level});
    });
    lists.sink([&] { visit_items(exec, nullptr, lists.now(), nothing(), pass_sum_up{parents.data(), sums.data()}); });
    result.components = parts.components;
    buffer<vertex_id> from(exec, n), to(exec, n);
    std::int64_t const count =
        select(exec, n, is_bridge{parents.data(), sums.data()}, store_bridge{parents.data(), from.data(), to.data()});
    result.from = copy_of(exec, from.view().slice(0, count));
    result.to = copy_of(exec, to.view().slice(0, count));
    return result;
}

#define COPPICE_BRIDGES(EXTERN, EXECUTOR) EXTERN template bridges_result bridges(EXECUTOR const&, graph_view)
COPPICE_BRIDGES(extern, host_executor);
COPPICE_BRIDGES(extern, cuda_executor);

} // namespace coppice
