// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Edges of a graph that a rule keeps, in their order.
///
///   - `keep_edges(exec, g, first, f)`: f.keep(u, k, at) for the edges k of every vertex u for which f.keeps(u, k), at
///     = first[u] + how many edges of u were kept before k. Long rows are shared, as by visit_edges.
///   - `offsets_of_kept(exec, g, f, total)`: `first` for that, and behind it their number, which is `total`.
#pragma once

#include <coppice/algebra/transform.hpp>
#include <coppice/graph/frontier/frontier.hpp>

namespace coppice::analytics {

template <class F>
void keep_edges(host_executor const& exec, graph_view const& g, std::int32_t const* first, F const& f) {
    with_workers(exec, g.vertices, 4096, nothing(), [&](auto&, std::int64_t begin, std::int64_t end) {
        for (auto u = vertex_id(begin); u < end; ++u) {
            std::int32_t at = first[u];
            for (auto k = g.offsets[u], last = g.offsets[u + 1]; k < last; ++k)
                if (f.keeps(u, k)) f.keep(u, k, at++);
        }
    });
}

/// How many edges of a vertex are kept, for visit_sums.
template <class F>
struct count_kept {
    using value = std::int32_t;
    F f;
    std::int32_t* counts;
    COPPICE_HD std::int32_t term(vertex_id u, std::int32_t k) const { return f.keeps(u, k) ? 1 : 0; }
    COPPICE_HD void store(vertex_id u, std::int32_t count) const { counts[u] = count; }
};

struct is_no_loop {
    graph_view g;
    COPPICE_HD bool keeps(vertex_id u, std::int32_t k) const { return g.neighbors[k] != u; }
};
/// Edges of every vertex that lead to others.
template <executor Executor>
buffer<std::int32_t> degrees_without_loops(Executor const& exec, graph_view const& g) {
    buffer<std::int32_t> degrees(exec, g.vertices);
    auto const everyone = every_vertex(exec, g);
    visit_sums(exec, nullptr, everyone.data(), g, count_kept<is_no_loop>{{g}, degrees.data()});
    return degrees;
}

/// offsets[vertices + 1]; throws overflow_error where a number of edges does not fit. Waits.
template <executor Executor, class F>
buffer<std::int32_t> offsets_of_kept(Executor const& exec, graph_view const& g, F const& f, std::int32_t& total) {
    buffer<std::int32_t> counts(exec, g.vertices);
    auto const everyone = every_vertex(exec, g);
    visit_sums(exec, nullptr, everyone.data(), g, count_kept<F>{f, counts.data()});
    return detail::offsets_of_degrees<std::int32_t>(exec, g.vertices, value_at<std::int32_t>{counts.data()}, total);
}

} // namespace coppice::analytics

#if defined(__CUDACC__)
#include <coppice/graph/frontier/filtered_edges_cuda.cuh>
#endif
