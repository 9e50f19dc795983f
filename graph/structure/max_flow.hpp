// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Maximum flow and minimum cut by synchronous push-relabel.
#pragma once

#include <string>

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
/// Throws argument_error if source or sink is no vertex or if they are equal, matrix_error for a capacity that is
/// negative, NaN or infinite.
template <executor Executor, class T>
max_flow_result max_flow(Executor const& exec, csr_view<T> a, vertex_id source, vertex_id sink) {
    using namespace analytics;
    graph_view const g(a);
    require_vertex(g, source, "the source of max_flow");
    require_vertex(g, sink, "the sink of max_flow");
    if (source == sink)
        throw argument_error("the source and the sink of max_flow are both vertex " + std::to_string(source) +
                             ", expected two vertices");
    if (g.vertices >= 1 << 30)
        throw overflow_error("max_flow: the graph has " + std::to_string(g.vertices) +
                             " vertices, and heights of 32 bits allow fewer than 2^30");
    std::int64_t const bad = reduce(exec, g.edge_count, std::int64_t{0}, is_no_weight<T>{a.coefficients}, plus{});
    if (bad > 0)
        throw matrix_error("max_flow: " + std::to_string(bad) +
                           " capacities are negative or not finite, expected finite capacities of at least 0");
    auto const network = both_directions(exec, a);
    push_relabel<Executor> flow(exec, network.view(), a, source, sink);
    max_flow_result r{0, buffer<double>(exec, g.edge_count), buffer<std::uint8_t>(exec, g.vertices)};
    r.rounds = flow.run();
    flow.set_heights(r.with_source.data());
    flow.store_flows(a, r.flows.data());
    r.value = flow.received();
    return r;
}

#define COPPICE_MAX_FLOW(EXTERN, EXECUTOR, T)                                                                          \
    EXTERN template max_flow_result max_flow(EXECUTOR const&, csr_view<T>, vertex_id, vertex_id)
COPPICE_MAX_FLOW(extern, host_executor, float);
COPPICE_MAX_FLOW(extern, host_executor, double);
COPPICE_MAX_FLOW(extern, cuda_executor, float);
COPPICE_MAX_FLOW(extern, cuda_executor, double);

} // namespace coppice::inline v0_1
