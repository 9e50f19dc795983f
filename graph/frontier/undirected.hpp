// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Test whether every edge has its opposite, as declared in graph_view.hpp.
#pragma once

#include <coppice/algebra/random.hpp>
#include <coppice/graph/frontier/frontier.hpp>

namespace coppice::inline v0_1 {
namespace analytics {

/// Signed hash that the edge u -> v adds at u: the negative of what v -> u adds at v.
COPPICE_HD inline std::uint64_t signed_hash(vertex_id u, vertex_id v) {
    auto const low = static_cast<std::uint64_t>(u < v ? u : v), high = static_cast<std::uint64_t>(u < v ? v : u);
    std::uint64_t const h = mix_pair(low, high);
    return u < v ? h : u == v ? 0 : 0 - h;
}
/// Sum of the hashes of a vertex's edges. The total over all vertices is 0 if every edge has its opposite.
struct hash_sum {
    using value = std::uint64_t;
    graph_view g;
    std::uint64_t* sums;
    COPPICE_HD std::uint64_t term(vertex_id u, std::int32_t k) const { return signed_hash(u, g.neighbors[k]); }
    COPPICE_HD void store(vertex_id u, std::uint64_t sum) const { sums[u] = sum; }
};

} // namespace analytics

template <executor Executor>
bool is_undirected(Executor const& exec, graph_view g) {
    using namespace analytics;
    buffer<std::uint64_t> sums(exec, g.vertices);
    auto const all_vertices = every_vertex(exec, g);
    edge_sum(exec, nullptr, all_vertices.data(), g, hash_sum{g, sums.data()});
    return reduce(exec, g.vertices, std::uint64_t{0}, value_at<std::uint64_t>{sums.data()}, plus{}) == 0;
}

} // namespace coppice::inline v0_1
