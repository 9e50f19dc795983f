// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Components of a contracted graph whose vertices are union-find trees of all ranks. Its edges are on the host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/solvers/distributed/graphs/elements_at.hpp>

namespace coppice::inline v0_1::distributed {

struct smallest_neighbor {
    COPPICE_HD vertex_id operator()(std::int64_t, vertex_id const& label) const { return label; }
};
struct store_label {
    vertex_id* to;
    COPPICE_HD void operator()(std::int64_t i, vertex_id const& label) const { to[i] = label; }
};

/// Labels every vertex of a graph of few vertices by the smallest vertex of its component (FastSV: Zhang, Azad and Hu,
/// 2020). Parents f only decrease, and each is a vertex of the component. A round lowers f[u] and f[f[u]] to the
/// smallest grandparent of the neighbours of u and replaces f by f[f]. It ends if no grandparent changes, after about
/// log2(n) rounds.
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

/// An edge of the contracted graph: a tree of this rank, counted from 0 in the rank, and the number of any tree.
using tree_pair = std::pair<vertex_id, vertex_id>;

/// Adds the pairs of opposite direction, which are sent to the ranks that own the other trees. Rank p owns the trees
/// [begins[p], begins[p + 1]). The result is sorted and has no duplicates. Collective.
inline std::vector<tree_pair> in_both_directions(rank_communicator const& comm, std::vector<std::int64_t> const& begins,
                                                 std::vector<tree_pair> pairs) {
    auto const first = vertex_id(begins[std::size_t(comm.rank())]);
    std::vector<vertex_message<vertex_id>> opposite;
    opposite.reserve(pairs.size());
    for (auto const& [tree, other] : pairs) opposite.push_back({other, first + tree});
    std::sort(opposite.begin(), opposite.end(), [](auto const& a, auto const& b) { return a.vertex < b.vertex; });
    for (auto const& m : send_to_owners(comm, begins, opposite)) pairs.emplace_back(m.vertex, m.value);
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
}

/// The smallest of the values of the trees in the component of each tree of this rank. `values`, of the trees of this
/// rank, ascend from tree to tree and from rank to rank. `pairs`: edges in one direction or in both. Collective.
inline std::vector<vertex_id> smallest_in_components(host_executor const& exec, rank_communicator const& comm,
                                                     std::vector<vertex_id> const& values,
                                                     std::vector<std::int64_t> const& begins,
                                                     std::vector<tree_pair> const& pairs) {
    std::vector<std::int32_t> offsets(values.size() + 1, 0), columns;
    for (auto const& [tree, other] : in_both_directions(comm, begins, pairs)) {
        ++offsets[std::size_t(tree) + 1];
        columns.push_back(other);
    }
    for (std::size_t t = 1; t < offsets.size(); ++t) offsets[t] += offsets[t - 1];
    distributed_rows<host_executor> const contracted(exec, comm, offsets, columns);
    auto const labels = labels_of_trees(exec, comm, contracted);
    return values_at(exec, comm, begins, values.data(), array_view<vertex_id const>(labels));
}

} // namespace coppice::inline v0_1::distributed
