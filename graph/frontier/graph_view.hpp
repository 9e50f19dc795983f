// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Graphs as rows of neighbours without weights, and checks of them.
#pragma once

#include <cstdint>
#include <string>

#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/core/lane/lane_access.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1 {

using vertex_id = std::int32_t;

/// Borrowed graph: the edges of vertex u are the indices k in [offsets[u], offsets[u + 1]), each to neighbors[k].
/// Constructed from any square matrix with 32-bit indices, whose row u holds the edges that leave u; values are
/// ignored. An **undirected** graph stores every edge in both directions. Loops and parallel edges are allowed unless
/// an algorithm documents otherwise.
struct graph_view {
    vertex_id vertices = 0;
    vertex_id edge_count = 0; ///< stored entries: twice the edges of an undirected graph
    std::int32_t const* offsets = nullptr;
    vertex_id const* neighbors = nullptr;

    graph_view() = default;
    /// Throws dimension_error for a matrix that is not square.
    template <class T>
    graph_view(csr_view<T> a) : vertices(a.rows()), edge_count(a.nonzeros()), offsets(a.offsets), neighbors(a.indices) {
        require_square(a, "a graph");
    }
    template <class T>
    graph_view(csr<T> const& a) : graph_view(a.view()) {}

    COPPICE_HD std::int32_t degree(std::int64_t u) const { return offsets[u + 1] - offsets[u]; }
    COPPICE_HD std::int32_t begin(std::int64_t u) const { return offsets[u]; }
    COPPICE_HD vertex_id neighbor(std::int64_t k) const { return neighbors[k]; }
};

/// Whether the graph stores as many edges (u, v) as (v, u) for all u and v. The test compares sums of 64-bit hashes: it
/// accepts a directed graph with a probability of about 2^-60. One pass over the edges, two words per vertex; waits.
template <executor Executor>
bool is_undirected(Executor const& exec, graph_view g);

/// Throws matrix_error unless is_undirected(). The message names `algorithm` and the remedy.
template <executor Executor>
void require_undirected(Executor const& exec, graph_view g, char const* algorithm) {
    if (!is_undirected(exec, g))
        throw matrix_error(std::string(algorithm) +
                           " needs an undirected graph, and this one has edges in one direction only; "
                           "both_directions(exec, a) stores both (command: --symmetrise)");
}

namespace analytics {

/// Throws argument_error unless `v` is a vertex.
inline void require_vertex(graph_view g, std::int64_t v, char const* what) {
    if (v < 0 || v >= g.vertices)
        throw argument_error(std::string(what) + " is vertex " + std::to_string(v) + " of a graph of " +
                             std::to_string(g.vertices) + " vertices, which are counted from 0");
}

/// Index of the edge u -> v; -1 if there is none. The row of u is sorted.
COPPICE_HD inline std::int32_t position_of_edge(graph_view const& g, vertex_id u, vertex_id v) {
    return detail::position_between(g.neighbors, g.offsets[u], g.offsets[u + 1], v);
}

/// Whether element i of a list is no vertex, to count such elements.
struct is_no_vertex {
    vertex_id const* list;
    vertex_id vertices;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const { return list[i] < 0 || list[i] >= vertices ? 1 : 0; }
};
/// Element i of an array, for reductions.
template <class T>
struct value_at {
    T const* values;
    COPPICE_HD T operator()(std::int64_t i) const { return values[i]; }
};
struct scale_value {
    double* values;
    double factor;
    COPPICE_HD void operator()(std::int64_t i) const { values[i] *= factor; }
};
/// 1 for a weight that is negative or not finite.
template <class T>
struct is_no_weight {
    T const* weights;
    COPPICE_HD std::int64_t operator()(std::int64_t k) const {
        return weights[k] >= T(0) && weights[k] - weights[k] == T(0) ? 0 : 1;
    }
};

/// A single value in the memory of the executor, initialised with `value`. Does not wait: a kernel gets the value as a
/// parameter, while a copy from the host would wait for the stream.
template <class T, executor Executor>
buffer<T> placed(Executor const& exec, T const& value) {
    buffer<T> b(exec, 1);
    fill(exec, b.view(), value);
    return b;
}

} // namespace analytics

#define COPPICE_IS_UNDIRECTED(EXTERN, EXECUTOR) EXTERN template bool is_undirected(EXECUTOR const&, graph_view)
COPPICE_IS_UNDIRECTED(extern, host_executor);
COPPICE_IS_UNDIRECTED(extern, cuda_executor);

} // namespace coppice::inline v0_1
