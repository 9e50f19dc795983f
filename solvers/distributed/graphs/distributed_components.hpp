// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Connected components over ranks: trees of each rank, then a contracted graph whose vertices are the trees.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/graph/structure/components.hpp>
#include <coppice/semiring/matrix_operations/index_lists.hpp>
#include <coppice/solvers/distributed/graphs/elements_at.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

/// Unites the ends of every edge. Edges to vertices of other ranks are stored here in one direction only.
struct unite_ends {
    graph_view g;
    vertex_id* up;
    COPPICE_HD bool enters(auto const&, vertex_id) const { return true; }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        if (v != u) analytics::unite_trees(worker, up, u, v);
    }
};

struct smallest_neighbor {
    COPPICE_HD vertex_id operator()(std::int64_t, vertex_id const& label) const { return label; }
};
struct store_label {
    vertex_id* to;
    COPPICE_HD void operator()(std::int64_t i, vertex_id const& label) const { to[i] = label; }
};

/// Labels every vertex of a graph of few vertices by the smallest vertex of its component (FastSV: Zhang, Azad and Hu,
/// 2020). Parents f only decrease, and each is a vertex of the component. A round lowers f[u] and f[f[u]] to the
/// smallest grandparent of the neighbours of u and replaces f by f[f]. It ends if no grandparent changes, after some
/// log n rounds.
inline std::vector<vertex_id> labels_of_trees(host_executor const& exec, rank_communicator const& comm,
                                              distributed_rows<host_executor> const& edges) {
    auto const& begins = edges.begins();
    auto const n = std::size_t(edges.size());
    std::vector<vertex_id> parents(n), smallest(n);
    for (std::size_t i = 0; i < n; ++i) parents[i] = vertex_id(edges.first() + std::int64_t(i));
    auto grandparents = parents;
    auto halo = edges.halo_of<vertex_id>(exec, comm);
    for (;;) {
        reduce_rows(exec, edges, halo, array_view<vertex_id const>(grandparents), smallest_neighbor{},
                    add_min<vertex_id>{}, store_label{smallest.data()});
        std::vector<vertex_message<vertex_id>> lower;
        for (std::size_t i = 0; i < n; ++i) {
            if (smallest[i] < grandparents[i]) lower.push_back({parents[i], smallest[i]});
            parents[i] = std::min({parents[i], smallest[i], grandparents[i]});
        }
        lower_at(comm, begins, parents, std::move(lower));
        auto next = values_at(exec, comm, begins, parents.data(), array_view<vertex_id const>(parents));
        bool const same = next == grandparents;
        grandparents = std::move(next);
        if (comm.all_reduce(int(!same), maximum{}) == 0) return parents;
    }
}

struct tree_edges {
    std::vector<std::int32_t> offsets{}, columns{};
};
/// The edges from the `trees` trees of this rank to trees of other ranks, without duplicates. `up`: root of each local
/// vertex; `tree_of`: tree of each vertex of this rank; `of_others`: tree of each outer vertex.
inline tree_edges edges_of_trees(std::int64_t trees, vertex_id first_tree, buffer<vertex_id> const& up,
                                 std::vector<vertex_id> const& tree_of, vertex_id const* of_others) {
    std::vector<std::pair<vertex_id, vertex_id>> pairs;
    auto const own = std::int64_t(tree_of.size());
    for (std::int64_t v = own; v < up.size(); ++v)
        pairs.emplace_back(tree_of[std::size_t(up[v])] - first_tree, of_others[v - own]);
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    tree_edges edges;
    edges.offsets.assign(std::size_t(trees) + 1, 0);
    for (auto const& [tree, other] : pairs) {
        ++edges.offsets[std::size_t(tree) + 1];
        edges.columns.push_back(other);
    }
    for (std::size_t t = 1; t < edges.offsets.size(); ++t) edges.offsets[t] += edges.offsets[t - 1];
    return edges;
}

} // namespace distributed

/// connected_components() of an undirected graph whose edges, in both directions, are distributed by the vertices that
/// they leave: the same labels for any number of ranks, threads and processes. `labels` belong to the vertices of this
/// rank and are global indices; `components` is the number of all. Loops and parallel edges are allowed. If an edge is
/// stored in one direction only, components may be missed.
///
/// Every rank unites the ends of its edges. The trees and the edges between those of different ranks form a contracted
/// graph, which has few vertices unless most vertices have their neighbours on other ranks; it is labelled in some log
/// n rounds of halo exchanges. Memory: 4 words for each vertex and outer vertex of the rank. Collective. Throws
/// overflow_error if a rank has 2^31 edges or more.
template <class O>
components_result connected_components_distributed(host_executor const& exec, rank_communicator const& comm,
                                                   distributed_rows<host_executor, vertex_id, O> const& rows) {
    using namespace analytics;
    distributed::owned_graph<host_executor> const graph(exec, comm, rows);
    std::int64_t const own = graph.own(), n = graph.view().vertices;
    // The root of a tree is its smallest local vertex, which is one of this rank: outer vertices have larger indices.
    buffer<vertex_id> up(exec, n);
    for_each(exec, n, detail::count_up<vertex_id>{up.data()});
    auto const vertices = placed(exec, worklist{nullptr, own, 0});
    edge_map(exec, nullptr, vertices.data(), graph.view(), nothing(), distributed::unite_ends{graph.view(), up.data()});
    flatten_and_count(exec, up);

    // Trees are numbered by rank, and by their roots in a rank, so that the smallest tree has the smallest vertex.
    std::vector<vertex_id> roots, tree_of(static_cast<std::size_t>(own));
    for (std::int64_t v = 0; v < own; ++v) {
        if (up[v] == v) roots.push_back(vertex_id(graph.first() + v));
        tree_of[std::size_t(v)] = up[v] == v ? vertex_id(roots.size() - 1) : tree_of[std::size_t(up[v])];
    }
    auto const begins = offsets_of_ranks(comm, std::int64_t(roots.size()));
    auto const first_tree = vertex_id(begins[std::size_t(comm.rank())]);
    for (auto& tree : tree_of) tree += first_tree;
    auto halo = rows.template halo_of<vertex_id>(exec, comm);
    halo.start(exec, tree_of.data());
    halo.finish(exec);

    auto const edges = distributed::edges_of_trees(std::int64_t(roots.size()), first_tree, up, tree_of, halo.values());
    distributed_rows<host_executor> const contracted(exec, comm, edges.offsets, edges.columns);
    auto const labels = distributed::labels_of_trees(exec, comm, contracted);
    auto const smallest = distributed::values_at(exec, comm, begins, roots.data(), array_view<vertex_id const>(labels));
    components_result result{buffer<vertex_id>(exec, own)};
    std::int64_t components = 0;
    for (std::size_t t = 0; t < labels.size(); ++t) components += labels[t] == first_tree + vertex_id(t) ? 1 : 0;
    for (std::int64_t v = 0; v < own; ++v)
        result.labels[v] = smallest[std::size_t(tree_of[std::size_t(v)] - first_tree)];
    result.components = graph.comm().all_reduce(components, plus{});
    return result;
}

} // namespace coppice::inline v0_1
