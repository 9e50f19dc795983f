// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What a row of the catalogue of graph algorithms says, what it is given and what it answers.
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

namespace coppice {

/// What a graph algorithm is like.
struct graph_algorithm_row {
    std::string_view name;
    std::string_view summary;
    std::string_view output;       ///< what it says about every vertex, or which edges it takes
    bool undirected = false;       ///< needs both directions of every edge
    bool simple = false;           ///< needs every edge once in sorted rows, as readers and generators give it
    bool weighted = false;         ///< values matter; else only where edges are
    std::string_view options = ""; ///< names of analytics_options that it reads, separated by blanks
    /// What parallel edges (several entries of a file at one position) become: min for lengths, max for widths and for
    /// edges to choose, sum for weights that add up, count if their number alone matters, first if the answer does not
    /// depend on them; else they are refused.
    duplicates parallel = duplicates::refuse;

    /// The same row with this rule for parallel edges.
    constexpr graph_algorithm_row combining(duplicates rule) const {
        auto row = *this;
        row.parallel = rule;
        return row;
    }
};

/// The memory of its executor that an algorithm needs beside the graph, at most, where values are doubles.
struct graph_memory {
    int vertex = 0;     ///< bytes a vertex
    int entry = 0;      ///< bytes a stored edge
    bool turns = false; ///< a graph that is not known to be undirected is turned round
    std::int64_t bytes(graph_view g, bool undirected) const {
        bool const turned = turns && !undirected;
        return fixed + std::int64_t(vertex + (turned ? 8 : 0)) * g.vertices +
               std::int64_t(entry + (turned ? 12 : 0)) * g.edge_count;
    }

private:
    static constexpr std::int64_t fixed = 1 << 16; ///< samples, states of loops
};

/// Options of all of them; each reads those in its row.
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
    int capacity = 2; ///< edges that a vertex may keep
    bool by_value =
        false; ///< matchings: the sum of the values is maximised, and no negative edge taken; else of |values|
    bool counted = false; ///< bridges: the values are numbers of parallel edges
};

/// Edges in host memory.
struct answer_edges {
    std::vector<vertex_id> from, to;
    std::vector<double> weights;
};
/// What was found, in host memory.
struct graph_answer {
    using vertex_numbers = std::vector<std::int64_t>; ///< counted from 0; -1: none
    using values = std::vector<double>;
    /// A value a vertex, or another vertex (labels, mates), or edges.
    std::variant<values, vertex_numbers, answer_edges> found{};
    std::vector<std::pair<std::string, double>> facts{}; ///< by the names of the command's JSON
    std::string failure{};                               ///< a numerical outcome that is no answer
};

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

/// The edges that come in: of an undirected graph its own.
template <class T>
struct incoming_edges {
    csr<T> turned;
    csr_view<T> edges;
    template <executor Executor>
    incoming_edges(Executor const& exec, csr_view<T> a, analytics_options const& o)
        : turned(o.undirected ? csr<T>() : transpose(exec, a)), edges(o.undirected ? a : turned.view()) {}
    operator graph_view() const { return edges; }
};

inline double largest_of(graph_answer::values const& values) {
    return values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
}
/// The sizes of parts whose labels are vertices, as facts.
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
} // namespace coppice
