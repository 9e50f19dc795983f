// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Edges of a graph that a predicate selects, in their order.
///
///   - `filter_edges(exec, g, first, f)`: calls f.store(u, k, at) for the edges k of every vertex u for which
///     f.selects(u, k), at = first[u] + number of selected edges of u before k. Long rows are shared as by edge_map.
///   - `offsets_of_selected(exec, g, f, total)`: computes `first`, followed by the number of selected edges, which is
///     also stored in `total`.
#pragma once

#include <coppice/algebra/transform.hpp>
#include <coppice/graph/frontier/frontier.hpp>

namespace coppice::inline v0_1::analytics {

template <class F>
void filter_edges(host_executor const& exec, graph_view const& g, std::int32_t const* first, F const& f) {
    with_workers(exec, g.vertices, 4096, nothing(), [&](auto&, std::int64_t begin, std::int64_t end) {
        for (auto u = vertex_id(begin); u < end; ++u) {
            std::int32_t at = first[u];
            for (auto k = g.offsets[u], last = g.offsets[u + 1]; k < last; ++k)
                if (f.selects(u, k)) f.store(u, k, at++);
        }
    });
}

/// Counts the selected edges of a vertex, for edge_sum.
template <class F>
struct count_selected {
    using value = std::int32_t;
    F f;
    std::int32_t* counts;
    COPPICE_HD std::int32_t term(vertex_id u, std::int32_t k) const { return f.selects(u, k) ? 1 : 0; }
    COPPICE_HD void store(vertex_id u, std::int32_t count) const { counts[u] = count; }
};

struct is_no_loop {
    graph_view g;
    COPPICE_HD bool selects(vertex_id u, std::int32_t k) const { return g.neighbors[k] != u; }
};
/// Degrees of all vertices without loops.
template <executor Executor>
buffer<std::int32_t> degrees_without_loops(Executor const& exec, graph_view const& g) {
    buffer<std::int32_t> degrees(exec, g.vertices);
    auto const all_vertices = every_vertex(exec, g);
    edge_sum(exec, nullptr, all_vertices.data(), g, count_selected<is_no_loop>{{g}, degrees.data()});
    return degrees;
}

/// Computes offsets[vertices + 1]. Throws overflow_error if the number of edges does not fit. Waits.
template <executor Executor, class F>
buffer<std::int32_t> offsets_of_selected(Executor const& exec, graph_view const& g, F const& f, std::int32_t& total) {
    buffer<std::int32_t> counts(exec, g.vertices);
    auto const all_vertices = every_vertex(exec, g);
    edge_sum(exec, nullptr, all_vertices.data(), g, count_selected<F>{f, counts.data()});
    return detail::offsets_of_degrees<std::int32_t>(exec, g.vertices, value_at<std::int32_t>{counts.data()}, total);
}

/// Owns a graph of some edges of another.
struct selected_edges {
    buffer<std::int32_t> offsets;
    buffer<vertex_id> neighbors;
    graph_view view() const {
        graph_view g;
        g.vertices = static_cast<vertex_id>(offsets.size() - 1);
        g.edge_count = static_cast<vertex_id>(neighbors.size());
        g.offsets = offsets.data();
        g.neighbors = neighbors.data();
        return g;
    }
};
template <class Rule>
struct edges_by_rule {
    Rule rule;
    graph_view g;
    vertex_id* neighbors;
    COPPICE_HD bool selects(vertex_id u, std::int32_t k) const { return rule.selects(u, k); }
    COPPICE_HD void store(vertex_id, std::int32_t k, std::int32_t at) const { neighbors[at] = g.neighbors[k]; }
};
/// Makes the graph of the edges for which rule.selects(u, k). Waits.
template <executor Executor, class Rule>
selected_edges select_edges(Executor const& exec, graph_view const& g, Rule const& rule) {
    std::int32_t total = 0;
    selected_edges d{offsets_of_selected(exec, g, rule, total), {}};
    d.neighbors = buffer<vertex_id>(exec, total);
    filter_edges(exec, g, d.offsets.data(), edges_by_rule<Rule>{rule, g, d.neighbors.data()});
    return d;
}

} // namespace coppice::inline v0_1::analytics

#if defined(__CUDACC__)
#include <coppice/graph/frontier/filtered_edges_cuda.cuh>
#endif
