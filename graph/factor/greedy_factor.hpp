// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sequential greedy [0, n]-factor (algorithm 6): the quality reference for the parallel algorithm.
#pragma once

#include <algorithm>
#include <vector>

#include <coppice/graph/factor/factor_result.hpp>
#include <coppice/graph/scan/single_rank_graph.hpp>

namespace coppice::inline v0_1 {

/// Computes the greedy factor: takes the edges in the total order of graph/scan/edge_order.hpp and adds each one if
/// both ends have fewer than n edges.
///
/// `weights` as for parallel_factor(). For degree 1 the weight is at least half of the maximum-weight matching. The
/// edges are sorted in parallel; one sequential pass follows. O(E log E) time, memory for E edges.
template <class T, class I, class O>
graph_factor<I> greedy_factor(host_executor const& exec, csr_view<T, I, O> weights, factor_options const& options = {});

namespace graph_detail {

/// Edges of the upper triangle in the total order, heaviest first.
template <class T, class I, class O>
buffer<weighted_edge<T, I>> ordered_edges(host_executor const& exec, csr_view<T, I, O> weights, edge_order<I> order) {
    std::int64_t const n = weights.rows();
    auto const for_each_edge = [&](std::int64_t row, auto const& edge) {
        for (O k = weights.row_begin(row); k < weights.row_end(row); ++k) {
            T const weight = magnitude_of(weights.coefficients[k]);
            if (weights.indices[k] > row && weight > T(0))
                edge(weighted_edge<T, I>{weight, I(row), weights.indices[k]});
        }
    };
    buffer<std::int64_t> start(exec, n);
    auto const row_edges = [&](std::int64_t row) {
        std::int64_t edges = 0;
        for_each_edge(row, [&](auto const&) { ++edges; });
        return edges;
    };
    std::int64_t const total = exclusive_scan(
        exec, n, row_edges, [&](std::int64_t row, std::int64_t first) { start[row] = first; }, std::int64_t{0});
    buffer<weighted_edge<T, I>> edges(exec, total);
    for_each(exec, n, [&](std::int64_t row) {
        std::int64_t at = start[row];
        for_each_edge(row, [&](auto const& edge) { edges[at++] = edge; });
    });
    coppice::detail::parallel_sort(exec, edges.begin(), edges.end(),
                                   [order](auto const& e, auto const& f) { return order.before(e, f); });
    return edges;
}

template <class T, class I, class O>
bool has_edge(csr_view<T, I, O> weights, I from, I to) {
    for (O k = weights.row_begin(from); k < weights.row_end(from); ++k)
        if (weights.indices[k] == to && magnitude_of(weights.coefficients[k]) > T(0)) return true;
    return false;
}

} // namespace graph_detail

template <class T, class I, class O>
graph_factor<I> greedy_factor(host_executor const& exec, csr_view<T, I, O> weights, factor_options const& options) {
    graph_detail::check_factor_options(options);
    require_square(weights, "greedy_factor");
    I const vertices = weights.rows();
    int const n = options.degree;
    graph_factor<I> f;
    f.degree = n;
    f.vertices = vertices;
    f.order = {options.ties, options.seed};
    f.rounds = 1;
    f.maximal = true;
    f.neighbors = buffer<I>(exec, std::int64_t(n) * vertices);
    fill(exec, f.neighbors.view(), I(-1));
    std::vector<std::uint8_t> degree(static_cast<std::size_t>(vertices), 0);
    auto const neighbors_of = [&](I v) { return f.neighbors.data() + std::int64_t(n) * v; };

    for (auto const& e : graph_detail::ordered_edges(exec, weights, f.order)) {
        std::uint8_t& low = degree[static_cast<std::size_t>(e.low)];
        std::uint8_t& high = degree[static_cast<std::size_t>(e.high)];
        if (low == n || high == n) continue;
        I* const taken = neighbors_of(e.low);
        if (std::find(taken, taken + low, e.high) != taken + low) continue; // stored twice
        if (!graph_detail::has_edge(weights, e.high, e.low)) continue;
        taken[low++] = e.high;
        neighbors_of(e.high)[high++] = e.low;
        ++f.edges;
    }
    graph_detail::weigh_factor(graph_detail::single_rank_graph<host_executor, I>(exec), weights,
                               make_srcsr_plan(exec, weights), f);
    return f;
}

#define COPPICE_GREEDY_FACTOR(EXTERN, T, I)                                                                            \
    EXTERN template graph_factor<I> greedy_factor(host_executor const&, csr_view<T, I>, factor_options const&)
COPPICE_GREEDY_FACTOR(extern, float, std::int32_t);
COPPICE_GREEDY_FACTOR(extern, double, std::int32_t);

} // namespace coppice::inline v0_1
