// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Types of the registry of graph algorithms: description, memory requirement, options and result.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <coppice/algebra/files/read_options.hpp>
#include <coppice/algebra/operations.hpp>
#include <coppice/graph/frontier/graph_view.hpp>

namespace coppice::inline v0_1 {

/// Description of a graph algorithm.
struct graph_algorithm_row {
    std::string_view name;
    std::string_view summary;
    std::string_view output;       ///< value computed for every vertex, or edges selected
    bool undirected = false;       ///< needs both directions of every edge
    bool simple = false;           ///< needs sorted rows without parallel edges, as readers and generators make them
    bool weighted = false;         ///< the values are used; otherwise only the pattern
    std::string_view options = ""; ///< names of the analytics_options that it reads, separated by blanks
    /// How parallel edges (several entries of a file at one position) are combined: min for lengths, max for widths and
    /// for edges to select, sum for additive weights, count if only their number matters, first if the result does not
    /// depend on them. By default they are refused.
    duplicates parallel = duplicates::refuse;
    /// The same if the option `weighted` is set: sum for additive weights, min for lengths.
    duplicates parallel_weighted = duplicates::refuse;

    /// Returns this description with another rule for parallel edges.
    constexpr graph_algorithm_row combining(duplicates rule) const {
        auto row = *this;
        row.parallel = rule;
        return row;
    }
    /// Returns this description with a rule for parallel edges if the option `weighted` is set.
    constexpr graph_algorithm_row combining_weights(duplicates rule) const {
        auto row = *this;
        row.parallel_weighted = rule;
        return row;
    }
    /// Whether an option of this name is read.
    constexpr bool reads(std::string_view option) const {
        for (auto rest = options; !rest.empty();) {
            auto const end = std::min(rest.find(' '), rest.size());
            if (rest.substr(0, end) == option) return true;
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        return false;
    }
};

namespace analytics {
/// Number of sources that weighted centralities search from before they add the results in order; several for each
/// thread balance the load.
inline std::int64_t source_slots(int threads) { return std::max(8, 4 * threads); }
} // namespace analytics

/// Upper bound of the executor memory that an algorithm needs in addition to the graph, for double values.
struct graph_memory {
    int vertex = 0;               ///< bytes per vertex
    int entry = 0;                ///< bytes per stored edge
    bool needs_transpose = false; ///< the graph is transposed unless it is known to be undirected, or with weights
    int thread_vertex = 0;        ///< with weights: bytes per vertex and host thread
    int source_vertex = 0;        ///< with weights: bytes per vertex and source of a group (source_slots)
    std::int64_t bytes(graph_view g, bool undirected, bool weighted, int threads) const {
        bool const transposed = needs_transpose && (!undirected || weighted);
        std::int64_t const sources = weighted ? analytics::source_slots(threads) : 0, workers = weighted ? threads : 0;
        return fixed +
               (vertex + (transposed ? 8 : 0) + thread_vertex * workers + source_vertex * sources) * g.vertices +
               std::int64_t(entry + (transposed ? weighted ? 24 : 12 : 0)) * g.edge_count;
    }

private:
    static constexpr std::int64_t fixed = 1 << 16; ///< samples and states of loops
};

/// Options of all algorithms; each reads those that its description lists.
struct analytics_options {
    vertex_id source = 0;    ///< counted from 0
    bool undirected = false; ///< the graph is known to store both directions
    double delta = 0;
    double damping = 0.85;
    double tolerance = 1e-6;
    int max_iterations = 200;
    std::int64_t samples = 0; ///< sources of a centrality; 0: all vertices
    double alpha = 0;
    double resolution = 1;
    int capacity = 2; ///< maximum number of edges per vertex
    /// Matchings: if true, maximise the sum of the values and take no negative edge; else maximise the sum of |values|
    bool by_value = false;
    bool counted = false;    ///< bridges: the values are multiplicities of parallel edges
    bool weighted = false;   ///< the values are weights or lengths; otherwise every edge has 1
    std::int64_t sink = -1;  ///< counted from 0; -1: the last vertex
    int hops = 0;            ///< maximum level of a search; 0: no limit
    int length = 10;         ///< number of steps of a walk
    double return_bias = 1;  ///< p of node2vec
    double outward_bias = 1; ///< q of node2vec
    std::int64_t seed = 1;
};

/// Edges in host memory.
struct answer_edges {
    std::vector<vertex_id> from, to;
    std::vector<double> weights;
    bool directed = false; ///< otherwise every edge has both directions
};
/// Result of an algorithm, in host memory.
struct graph_answer {
    using vertex_numbers = std::vector<std::int64_t>; ///< counted from 0; -1: none
    using values = std::vector<double>;
    /// A value per vertex, or another vertex per vertex (labels, mates), or edges.
    std::variant<values, vertex_numbers, answer_edges> found{};
    std::vector<std::pair<std::string, double>> facts{}; ///< names as in the JSON output of the command; see is_flag()
    std::string failure{};                               ///< reason if there is no valid result; else empty
    std::int64_t columns = 1; ///< values or vertices per vertex: v has those from v * columns on
};

/// Whether a fact is a flag: 1 for yes, 0 for no.
inline bool is_flag(std::string_view fact) { return fact == "acyclic" || fact == "converged"; }

namespace analytics {

template <executor Executor, class T>
graph_answer::values values_of(Executor const& exec, buffer<T> const& b) {
    auto const v = to_vector(exec, b);
    return {v.begin(), v.end()};
}
template <executor Executor>
graph_answer::vertex_numbers vertices_of(Executor const& exec, buffer<vertex_id> const& b) {
    auto const v = to_vector(exec, b);
    return {v.begin(), v.end()};
}

/// The incoming edges: the transposed graph, or the graph itself if it is undirected, with equal weights if they are
/// read.
template <class T>
struct incoming_edges {
    csr<T> transposed;
    csr_view<T> edges;
    bool is_symmetric_graph = false; ///< both directions of every edge are stored, with equal values if they are read
    template <executor Executor>
    incoming_edges(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        is_symmetric_graph = o.undirected && (!o.weighted || is_symmetric(exec, a));
        if (!is_symmetric_graph) transposed = transpose(exec, a);
        edges = is_symmetric_graph ? a : transposed.view();
    }
    operator graph_view() const { return edges; }
};

/// Edges with values in host memory. Of an undirected graph with sorted rows, one for both directions with the sum of
/// the values, without loops.
template <executor Executor>
answer_edges edges_of_matrix(Executor const& exec, graph_view g, std::vector<double> const& values, bool undirected) {
    auto const offsets = to_vector(exec, array_view<std::int32_t const>(g.offsets, g.vertices + std::int64_t(1)));
    auto const neighbors = to_vector(exec, array_view<vertex_id const>(g.neighbors, g.edge_count));
    answer_edges edges;
    edges.directed = !undirected;
    for (vertex_id u = 0; u < g.vertices; ++u)
        for (auto k = std::size_t(offsets[std::size_t(u)]); k < std::size_t(offsets[std::size_t(u) + 1]); ++k) {
            vertex_id const v = neighbors[k];
            double value = values[k];
            if (undirected) {
                if (v <= u) continue;
                auto const row = neighbors.begin() + offsets[std::size_t(v)];
                auto const at = std::lower_bound(row, neighbors.begin() + offsets[std::size_t(v) + 1], u);
                value += values[std::size_t(at - neighbors.begin())];
            }
            edges.from.push_back(u);
            edges.to.push_back(v);
            edges.weights.push_back(value);
        }
    return edges;
}

inline double largest_of(graph_answer::values const& values) {
    return values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
}
/// Number of groups and size of the largest one, as facts; the labels are vertices.
inline std::vector<std::pair<std::string, double>> facts_of_labels(char const* name,
                                                                   graph_answer::vertex_numbers const& labels) {
    std::vector<std::int64_t> sizes(labels.size(), 0);
    std::int64_t largest = 0, count = 0;
    for (auto const label : labels) {
        count += sizes[std::size_t(label)] == 0 ? 1 : 0;
        largest = std::max(largest, ++sizes[std::size_t(label)]);
    }
    return {{name, double(count)}, {"largest", double(largest)}};
}

} // namespace analytics
} // namespace coppice::inline v0_1
