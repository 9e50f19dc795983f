// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Whether every edge has its opposite: what graph_view.hpp declares.
#pragma once

#include <coppice/algebra/random.hpp>
#include <coppice/graph/frontier/frontier.hpp>

namespace coppice {
namespace analytics {

/// What the edge u -> v adds at u; the negative of what v -> u adds at v.
COPPICE_HD inline std::uint64_t signed_hash(vertex_id u, vertex_id v) {
    auto const low = static_cast<std::uint64_t>(u < v ? u : v), high = static_cast<std::uint64_t>(u < v ? v : u);
    std::uint64_t const h = mix_pair(low, high);
    return u < v ? h : u == v ? 0 : 0 - h;
}
/// Of a vertex over its edges; over all vertices 0 where every edge has its opposite.
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
    auto const everyone = every_vertex(exec, g);
    visit_sums(exec, nullptr, everyone.data(), g, hash_sum{g, sums.data()});
    return reduce(exec, g.vertices, std::uint64_t{0}, value_at<std::uint64_t>{sums.data()}, plus{}) == 0;
}

} // namespace coppice
