// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Triangles and clustering coefficients, by intersection of rows of edges directed from small to large degrees.
#pragma once

#include <coppice/graph/frontier/filtered_edges.hpp>
#include <coppice/graph/frontier/shared_neighbors.hpp>

namespace coppice::inline v0_1 {

/// Counts the triangles of an undirected graph with sorted rows without parallel edges; loops are ignored. O(n + m)
/// time to direct every edge to the end of larger degree, then at most sqrt(2 m) steps per edge. Memory: one word per
/// edge and three per vertex. In addition on the host, if a row is longer than 12: four words per vertex, at most two
/// per edge for bit sets, and one bit per vertex and thread. In addition on CUDA, if rows are long: half a word to a
/// word per edge and four words per vertex. Waits.
template <executor Executor>
std::int64_t count_triangles(Executor const& exec, graph_view g);

struct clustering_result {
    buffer<std::int64_t> triangles{}; ///< triangles at each vertex
    buffer<double> coefficients{};    ///< triangles / pairs of neighbours; 0 with fewer than two neighbours
    std::int64_t total = 0;           ///< number of triangles of the graph
    double mean = 0;                  ///< mean of the coefficients
    double transitivity = 0;          ///< 3 triangles / number of pairs of edges with a common vertex
};

/// Computes the triangles at every vertex and the clustering coefficients. Graph and memory as above; in addition on
/// the host, if a row is longer than 12, two words per vertex and thread.
template <executor Executor>
clustering_result clustering(Executor const& exec, graph_view g);

namespace analytics {

/// Whether the directed graph has the edge u -> v: the degree of v is larger, or equal and v > u.
struct rises {
    graph_view g;
    COPPICE_HD bool operator()(vertex_id u, vertex_id v) const {
        std::int32_t const du = g.degree(u), dv = g.degree(v);
        return du != dv ? du < dv : u < v;
    }
};
struct rising_edges {
    rises rule;
    COPPICE_HD bool selects(vertex_id u, std::int32_t k) const { return rule(u, rule.g.neighbors[k]); }
};

/// The graph with each edge in one direction.
template <executor Executor>
selected_edges direct_edges(Executor const& exec, graph_view g) {
    return select_edges(exec, g, rising_edges{{g}});
}

struct coefficient_sums {
    double coefficients;
    double pairs;
};
struct add_coefficient_sums {
    COPPICE_HD coefficient_sums operator()(coefficient_sums const& a, coefficient_sums const& b) const {
        return {a.coefficients + b.coefficients, a.pairs + b.pairs};
    }
};
struct coefficient_of {
    std::int32_t const* degrees; ///< degrees without loops
    std::int64_t const* triangles;
    double* coefficients;
    COPPICE_HD coefficient_sums operator()(std::int64_t v) const {
        double const degree = double(degrees[v]), pairs = degree * (degree - 1) / 2;
        double const c = pairs > 0 ? double(triangles[v]) / pairs : 0.0;
        coefficients[v] = c;
        return {c, pairs};
    }
};

} // namespace analytics

template <executor Executor>
std::int64_t count_triangles(Executor const& exec, graph_view g) {
    using namespace analytics;
    if (g.vertices == 0) return 0;
    auto const directed = direct_edges(exec, g);
    buffer<std::int64_t> counts(exec, g.vertices);
    fill(exec, counts.view(), 0);
    for_each_triangle(exec, g, directed.view(), count_at_first{counts.data()});
    return reduce(exec, g.vertices, std::int64_t{0}, value_at<std::int64_t>{counts.data()}, plus{});
}

template <executor Executor>
clustering_result clustering(Executor const& exec, graph_view g) {
    using namespace analytics;
    clustering_result result{buffer<std::int64_t>(exec, g.vertices), buffer<double>(exec, g.vertices)};
    if (g.vertices == 0) return result;
    auto const directed = direct_edges(exec, g);
    std::int64_t* const triangles = result.triangles.data();
    fill(exec, result.triangles.view(), 0);
    for_each_triangle(exec, g, directed.view(), count_at_corners{triangles});
    result.total = reduce(exec, g.vertices, std::int64_t{0}, value_at<std::int64_t>{triangles}, plus{}) / 3;
    auto const degrees = degrees_without_loops(exec, g);
    auto const sums =
        reduce(exec, g.vertices, coefficient_sums{0, 0},
               coefficient_of{degrees.data(), triangles, result.coefficients.data()}, add_coefficient_sums{});
    result.mean = sums.coefficients / double(g.vertices);
    result.transitivity = sums.pairs > 0 ? 3 * double(result.total) / sums.pairs : 0.0;
    return result;
}

#define COPPICE_TRIANGLES(EXTERN, EXECUTOR)                                                                            \
    EXTERN template std::int64_t count_triangles(EXECUTOR const&, graph_view);                                         \
    EXTERN template clustering_result clustering(EXECUTOR const&, graph_view)
COPPICE_TRIANGLES(extern, host_executor);
COPPICE_TRIANGLES(extern, cuda_executor);

} // namespace coppice::inline v0_1
