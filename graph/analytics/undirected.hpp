// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Whether every edge has its opposite: what graph_view.hpp declares.
#pragma once

#include <coppice/graph/analytics/worklist.hpp>

namespace coppice {
namespace analytics {

/// Sums of two hashes.
struct hash_sums {
    std::uint64_t first = 0, second = 0;
    COPPICE_HD hash_sums operator+(hash_sums const& other) const {
        return {first + other.first, second + other.second};
    }
};
/// What row u adds to the sum over all edges of a(u) b(v) - b(u) a(v), which is 0 where each edge has its opposite.
struct opposite_sum {
    using value = hash_sums;
    graph_view g;
    std::uint64_t* sums;
    COPPICE_HD hash_sums term(vertex_id, std::int32_t k) const { return hashes_of(g.neighbors[k]); }
    COPPICE_HD void store(vertex_id u, hash_sums const& sum) const {
        hash_sums const own = hashes_of(u);
        sums[u] = own.first * sum.second - own.second * sum.first;
    }

private:
    COPPICE_HD static hash_sums hashes_of(vertex_id v) {
        std::uint64_t const n = static_cast<std::uint64_t>(v) + 1;
        std::uint64_t const x = n * 0x9e3779b97f4a7c15ull, y = n * 0xd6e8feb86659fd93ull;
        return {x ^ (x >> 29), y ^ (y >> 32)};
    }
};

} // namespace analytics

template <executor Executor>
bool is_undirected(Executor const& exec, graph_view g) {
    using namespace analytics;
    buffer<std::uint64_t> sums(exec, g.vertices);
    auto const everyone = every_vertex(exec, g);
    visit_sums(exec, nullptr, everyone.data(), g, opposite_sum{g, sums.data()});
    return reduce(exec, g.vertices, std::uint64_t{0}, value_at<std::uint64_t>{sums.data()}, plus{}) == 0;
}

} // namespace coppice
