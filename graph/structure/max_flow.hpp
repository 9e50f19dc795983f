// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Maximum flow and minimum cut by synchronous push-relabel.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include <coppice/core/number_text.hpp>
#include <coppice/graph/structure/both_directions.hpp>
#include <coppice/graph/structure/push_relabel.hpp>

namespace coppice::inline v0_1 {

/// Result arrays in the memory of the executor.
struct max_flow_result {
    double value = 0;                   ///< of the flow, and of the cut
    buffer<double> flows{};             ///< of every stored edge, between 0 and its capacity
    buffer<std::uint8_t> with_source{}; ///< 0: the sink can be reached from the vertex in the residual graph, else 1
    std::int64_t rounds = 0;
};

/// Computes a maximum flow from `source` to `sink`; the value of an edge is its capacity. The edges from vertices on
/// the source side to others are a minimum cut; of all minimum cuts it has the largest source side. Rows are sorted,
/// without duplicates; loops carry nothing.
///
/// Push-relabel (Goldberg and Tarjan 1988) in synchronous rounds (Baumstark, Blelloch and Shun 2015): all active
/// vertices push by the heights of the round before, then the pushes are added in the order of the rows, then vertices
/// are relabelled. Heights are recomputed by breadth-first searches from sink and source (Cherkassky and Goldberg 1997)
/// after every 4 (n + m) steps. Therefore the flow has the same bits for any number of threads. If sums of capacities
/// are exact (as of integers below 2^53), so is the flow, and host and CUDA give the same bits; otherwise it is
/// conserved up to rounding, and CUDA, which adds long rows in another order, may give another maximum flow.
/// O(n^2) rounds at most, usually few. Memory: 40 bytes per edge and direction, 60 per vertex. Waits after each search.
///
/// Capacities far above the flow, as if infinite, do not round it: they are reduced to a bound of the flow,
/// and if that is 2^20 times the flow, the flow is computed again with a closer bound.
///
/// Throws argument_error if source or sink is no vertex or if they are equal, matrix_error for a capacity that is
/// negative, NaN or infinite, overflow_error if the flow is so large that sums of such capacities may overflow.
template <executor Executor, class T>
max_flow_result max_flow(Executor const& exec, csr_view<T> a, vertex_id source, vertex_id sink);

namespace analytics {

/// Capacity of edge k if it ends at `end`, else 0; if `ends` is null, of every edge.
template <class T>
struct capacity_into {
    T const* capacities;
    vertex_id const* ends;
    vertex_id end;
    COPPICE_HD double operator()(std::int64_t k) const { return !ends || ends[k] == end ? double(capacities[k]) : 0.0; }
};
/// Upper bound of the flow: the smaller one of the capacities of the edges of the source and of those to the sink.
template <executor Executor, class T>
double bound_of_flow(Executor const& exec, csr_view<T> a, vertex_id source, vertex_id sink) {
    auto const first = exec.load(a.offsets + source), last = exec.load(a.offsets + source + 1);
    double const out =
        reduce(exec, last - first, 0.0, capacity_into<T>{a.coefficients + first, nullptr, source}, plus{});
    double const in = reduce(exec, a.nonzeros(), 0.0, capacity_into<T>{a.coefficients, a.indices, sink}, plus{});
    return std::min(out, in);
}
/// A power of two between twice and four times the bound of a flow. Reducing capacities to it changes neither the
/// maximum flow nor the minimum cuts, which hold no such edge. Sums of `edges` such capacities do not overflow.
inline double limit_of_capacities(double bound, std::int64_t edges) {
    double const largest = std::ldexp(1.0, 1000 - int(std::bit_width(static_cast<std::uint64_t>(edges))));
    return bound > 0 && bound < largest / 4 ? std::ldexp(1.0, std::ilogb(bound) + 2) : largest;
}

} // namespace analytics

template <executor Executor, class T>
max_flow_result max_flow(Executor const& exec, csr_view<T> a, vertex_id source, vertex_id sink) {
    using namespace analytics;
    graph_view const g(a);
    require_vertex(g, source, "the source");
    require_vertex(g, sink, "the sink");
    if (source == sink)
        throw argument_error("the source and the sink are both vertex " + std::to_string(source) +
                             ", expected two vertices");
    if (g.vertices >= 1 << 30)
        throw overflow_error("the graph has " + std::to_string(g.vertices) +
                             " vertices, and heights of 32 bits allow fewer than 2^30");
    std::int64_t const bad = reduce(exec, g.edge_count, std::int64_t{0}, is_no_weight<T>{a.coefficients}, plus{});
    if (bad > 0)
        throw matrix_error(std::to_string(bad) +
                           " capacities are negative or not finite, expected finite capacities of at least 0");
    auto const network = both_directions(exec, a);
    max_flow_result r{0, buffer<double>(exec, g.edge_count), buffer<std::uint8_t>(exec, g.vertices)};
    auto const solve = [&](double limit) {
        push_relabel<Executor> flow(exec, network.view(), a, source, sink, limit);
        r.rounds += flow.run();
        flow.set_heights(r.with_source.data());
        flow.store_flows(a, r.flows.data());
        r.value = flow.received();
    };
    double const limit = limit_of_capacities(bound_of_flow(exec, a, source, sink), network.nonzeros());
    solve(limit);
    if (r.value >= limit)
        throw overflow_error("the maximum flow is " + coppice::detail::number_text(r.value) +
                             " or more, beyond the sums that double holds");
    // Capacities far above the flow would round it.
    double const close = limit_of_capacities(r.value, network.nonzeros());
    if (r.value == 0)
        fill(exec, r.flows.view(), 0.0);
    else if (close < std::ldexp(limit, -20))
        solve(close);
    return r;
}

#define COPPICE_MAX_FLOW(EXTERN, EXECUTOR, T)                                                                          \
    EXTERN template max_flow_result max_flow(EXECUTOR const&, csr_view<T>, vertex_id, vertex_id)
COPPICE_MAX_FLOW(extern, host_executor, float);
COPPICE_MAX_FLOW(extern, host_executor, double);
COPPICE_MAX_FLOW(extern, cuda_executor, float);
COPPICE_MAX_FLOW(extern, cuda_executor, double);

} // namespace coppice::inline v0_1
