// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The commands of graph algorithms: their options, the graph that they load, and what they print and write.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apps/backend.hpp"
#include "apps/input.hpp"
#include "apps/names.hpp"
#include "apps/output.hpp"
#include "apps/report/graph_page.hpp"
#include <coppice/graph/catalogue/catalogue.hpp>

namespace coppice::app {

struct graph_request {
    common_options common{};
    std::string matrix{};
    std::string source{}; ///< number or name in the file; empty: the first vertex
    std::string sink{};   ///< the same; empty: the last vertex
    analytics_options algorithm{};
    bool symmetrise = false;
    bool renumber = false;
    std::string columns{}; ///< names of the columns of source, target and weight, separated by commas
    bool check = false;
    std::string parallel{}; ///< empty: the default of the registry
    std::string output{};
    std::string mapping{};
    std::string report{};
    std::string picture{};
    int ranks = 1;
    std::string mpi = "auto"; ///< started_processes reads it
};

inline bool reads(graph_algorithm_row const& row, std::string_view option) { return row.reads(option); }
/// Whether the values of the graph are used.
inline bool uses_values(graph_algorithm_row const& row, analytics_options const& o) {
    return row.weighted || o.weighted;
}

/// Values that are not used may be integers that double does not represent.
inline inexact_integers rule_for_integers(graph_algorithm_row const& row, graph_request const& o) {
    return uses_values(row, o.algorithm) ? inexact_integers::refuse : inexact_integers::round;
}

inline constexpr named<duplicates> parallel_rules[] = {{"once", duplicates::first},
                                                       {"min", duplicates::min},
                                                       {"max", duplicates::max},
                                                       {"sum", duplicates::sum},
                                                       {"count", duplicates::count}};

/// Describes how the algorithm uses the values of the graph. `is_signed`: the option that changes this is set.
std::string meaning_of_values(graph_algorithm_row const& row, bool is_signed);
/// Describes how several entries at one position are combined.
std::string meaning_of_parallel_edges(duplicates rule);
/// Throws usage_error for an unknown rule.
duplicates rule_for_parallel_edges(graph_algorithm_row const& row, graph_request const& o);
/// Throws input_error with the first pair of vertices with parallel edges. `first`: vertex of the first of these rows,
/// whose columns are sorted.
void refuse_parallel_edges(graph_algorithm_row const& row, graph_request const& o, vertex_numbering const& numbering,
                           std::int64_t first, array_view<vertex_id const> offsets,
                           array_view<vertex_id const> columns);
/// Throws dimension_error unless the graph is square; input_error if it has no vertices and the algorithm needs one: a
/// source, a sink, or the end of a longest distance.
void require_graph(graph_algorithm_row const& row, graph_request const& o, std::int64_t rows, std::int64_t columns);
/// Splits the value of --columns. Throws usage_error unless it consists of two or three names.
std::vector<std::string> names_of_columns(std::string const& text);
/// Reads the graph and converts it to the form that the algorithm requires, in host memory.
template <class T>
numbered_matrix<T> load_graph(graph_algorithm_row const& row, graph_request const& o, host_executor const& host,
                              progress& status);

/// What the output shows of a graph and its result.
struct analysed_graph {
    std::int64_t vertices = 0, edges = 0; ///< of the matrix
    vertex_numbering numbering{};
    analytics_options used{};
    graph_answer answer{};
    double seconds = 0;
    std::int64_t memory = -1; ///< bytes in addition to the graph; -1: not known, on several ranks
    // of several ranks
    double setup_seconds = 0;
    int devices = 0;        ///< number of devices that are ranks
    std::string exchange{}; ///< "devices" if values are exchanged between these, otherwise "host: " and the reason
};

/// The options of the algorithm, with the vertices of --source and --sink as indices. Throws usage_error if these are
/// no vertices of the graph or, for flows, equal.
analytics_options options_for(graph_algorithm_row const& row, graph_request const& o, vertex_numbering const& numbering,
                              std::int64_t vertices);
/// Throws input_error if the algorithm needs an undirected graph and this one is none.
void require_both_directions(graph_algorithm_row const& row, graph_request const& o, bool undirected);

/// Writes the HTML page and the picture of a graph in host memory.
template <class T>
void write_pictures(graph_algorithm_row const& row, graph_request const& o, any_executor const& chosen, csr_view<T> a,
                    graph_answer const& answer, report::graph_page page, output_files& files);
/// Writes the result to files.
void write_files(graph_request const& o, host_executor const& host, analysed_graph const& g, progress& status,
                 output_files& files);
/// Prints the result and publishes all files.
outcome print_result(graph_algorithm_row const& row, graph_request const& o, any_executor const& chosen,
                     analysed_graph const& g, output_files& files);

} // namespace coppice::app
