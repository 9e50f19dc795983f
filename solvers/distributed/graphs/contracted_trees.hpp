// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Components of a contracted graph whose vertices are union-find trees of all ranks. Its edges are on the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
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

/// An edge of the contracted graph: the roots of two trees, global indices.
using tree_pair = std::pair<vertex_id, vertex_id>;

/// A root, a global index, and the smallest root in its component.
using labelled_root = vertex_message<vertex_id>;

/// Returns the smallest root of the component for each root that is not the smallest: for the roots of this rank that
/// occur in `pairs` of any rank, and for the roots `asked`. `pairs`: edges between trees, each in one direction or in
/// both. Rank p owns the roots [begins[p], begins[p + 1]). Collective. Throws overflow_error, on this rank, if the
/// roots of this rank have 2^31 edges or more.
inline std::vector<labelled_root> smallest_in_components(host_executor const& exec, rank_communicator const& comm,
                                                         std::vector<std::int64_t> const& begins,
                                                         std::vector<tree_pair> const& pairs,
                                                         std::vector<vertex_id> const& asked) {
    auto const by_vertex = [](auto const& a, auto const& b) {
        return a.vertex != b.vertex ? a.vertex < b.vertex : a.value < b.value;
    };
    std::vector<vertex_message<vertex_id>> both_directions;
    for (auto const& [a, b] : pairs) {
        both_directions.push_back({a, b});
        both_directions.push_back({b, a});
    }
    std::sort(both_directions.begin(), both_directions.end(), by_vertex);
    auto edges = send_to_owners(comm, begins, both_directions);
    std::sort(edges.begin(), edges.end(), by_vertex);

    // Roots are numbered by rank, and in their order in a rank, so that the smallest number is that of the smallest
    // root.
    auto const self = std::size_t(comm.rank());
    checked_cast<std::int32_t>(std::int64_t(edges.size()), "number of edges of a rank between trees");
    std::vector<vertex_id> own_roots, others;
    std::vector<std::int32_t> offsets{0};
    for (auto const& [root, other] : edges) {
        if (own_roots.empty() || own_roots.back() != root) {
            own_roots.push_back(root);
            offsets.push_back(offsets.back());
        }
        ++offsets.back();
        others.push_back(other);
    }
    auto const trees = offsets_of_ranks(comm, std::int64_t(own_roots.size()));
    std::vector<vertex_id> of_vertex(static_cast<std::size_t>(begins[self + 1] - begins[self])), roots(own_roots);
    for (std::size_t t = 0; t < roots.size(); ++t) {
        of_vertex[std::size_t(own_roots[t])] = vertex_id(trees[self] + std::int64_t(t));
        roots[t] += vertex_id(begins[self]);
    }
    auto const columns = values_at(exec, comm, begins, of_vertex.data(), array_view<vertex_id const>(others));
    distributed_rows<host_executor> const contracted(exec, comm, offsets, columns);
    auto const labels = labels_of_trees(exec, comm, contracted);
    auto const smallest = values_at(exec, comm, trees, roots.data(), array_view<vertex_id const>(labels));

    std::vector<labelled_root> result;
    auto const add = [&](vertex_id root, vertex_id label) {
        if (root != label) result.push_back({root, label});
    };
    std::iota(of_vertex.begin(), of_vertex.end(), vertex_id(begins[self]));
    for (std::size_t t = 0; t < roots.size(); ++t) {
        of_vertex[std::size_t(own_roots[t])] = smallest[t];
        add(roots[t], smallest[t]);
    }
    auto const of_asked = values_at(exec, comm, begins, of_vertex.data(), array_view<vertex_id const>(asked));
    for (std::size_t i = 0; i < asked.size(); ++i) add(asked[i], of_asked[i]);
    return result;
}

} // namespace coppice::inline v0_1::distributed
