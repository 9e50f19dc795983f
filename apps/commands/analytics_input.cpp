// SPDX-License-Identifier: BSD-3-Clause
// The graph of a graph algorithm: parallel edges, both directions, and the vertices that options name.
#include <algorithm>

#include <fmt/format.h>

#include "apps/commands/analytics.hpp"
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/graph/structure/both_directions.hpp>

namespace coppice::app {
namespace {

vertex_id vertex_of(char const* option, std::string const& text, graph_request const& o,
                    vertex_numbering const& numbering, std::int64_t vertices) {
    auto const v = numbering.find(text, vertices);
    if (v < 0 && !numbering.names.empty())
        throw usage_error(fmt::format("{} is '{}', but {} has no vertex of that name", option, text, o.matrix));
    if (v < 0 && vertices == 0)
        throw usage_error(fmt::format("{} is '{}', but {} has no vertices", option, text, o.matrix));
    bool const is_number = text.find_first_not_of("+-0123456789") == text.npos;
    if (v < 0)
        throw usage_error(fmt::format("{} is '{}', expected a vertex from {} to {} of {}{}", option, text,
                                      numbering.name(0), numbering.name(vertices - 1), o.matrix,
                                      is_number ? "" : "; --renumber reads edge lists whose vertices are words"));
    return static_cast<vertex_id>(v);
}

} // namespace

std::string meaning_of_values(graph_algorithm_row const& row, bool is_signed) {
    if (reads(row, "by-value"))
        return is_signed ? "the values: their sum is maximised; edges of negative value are not selected"
                         : "magnitudes: the sum of |value| is maximised; --by-value maximises the sum of the values";
    if (reads(row, "weighted") && !is_signed) return "not used: every edge has weight 1; --weighted uses the values";
    return row.weighted || reads(row, "weighted") ? "the values of the graph" : "not used: every edge has weight 1";
}

std::string meaning_of_parallel_edges(duplicates rule) {
    switch (rule) {
    case duplicates::min:
        return "the smallest value counts";
    case duplicates::max:
        return "the largest value counts";
    case duplicates::sum:
        return "values are added";
    case duplicates::count:
        return "they are counted";
    case duplicates::first:
        return "they are one edge";
    default:
        return "they are an error, since the result depends on their meaning";
    }
}

duplicates rule_for_parallel_edges(graph_algorithm_row const& row, graph_request const& o) {
    if (!o.parallel.empty()) return choose("rule for parallel edges", o.parallel, parallel_rules);
    return o.algorithm.weighted ? row.parallel_weighted : row.parallel;
}

void refuse_parallel_edges(graph_algorithm_row const& row, graph_request const& o, vertex_numbering const& numbering,
                           std::int64_t first, array_view<vertex_id const> offsets,
                           array_view<vertex_id const> columns) {
    for (std::int64_t u = 0; u + 1 < offsets.size(); ++u)
        for (auto k = offsets[u] + std::int64_t(1); k < offsets[u + 1]; ++k)
            if (columns[k] == columns[k - 1])
                throw input_error(
                    fmt::format("{}: there are parallel edges from {} to {}, and {} does not define what they "
                                "mean; --parallel once makes one edge of them",
                                o.matrix, numbering.name(first + u), numbering.name(columns[k]), row.name));
}

void require_graph(graph_algorithm_row const& row, graph_request const& o, std::int64_t rows, std::int64_t columns) {
    if (rows != columns) require_square(std::string(row.name), o.matrix, rows, columns);
    bool const needs_vertex = reads(row, "source") || reads(row, "sink") || row.name == "diameter";
    if (rows == 0 && needs_vertex)
        throw input_error(
            fmt::format("{}: the graph has no vertices, and {} is not defined for it", o.matrix, row.name));
}

std::vector<std::string> names_of_columns(std::string const& text) {
    std::vector<std::string> names;
    for (std::size_t at = 0; !text.empty() && at <= text.size();) {
        auto const end = std::min(text.find(',', at), text.size());
        names.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    bool const all_named = std::none_of(names.begin(), names.end(), [](auto const& name) { return name.empty(); });
    if (!text.empty() && (names.size() < 2 || names.size() > 3 || !all_named))
        throw usage_error(
            fmt::format("--columns is '{}', expected the names of two or three columns of the header line, "
                        "separated by commas: source,target or source,target,weight",
                        text));
    return names;
}

template <class T>
numbered_matrix<T> load_graph(graph_algorithm_row const& row, graph_request const& o, host_executor const& host,
                              progress& status) {
    auto const rule = rule_for_parallel_edges(row, o);
    bool const refused = rule == duplicates::refuse;
    auto graph = load_numbered<T>(host, o.matrix, status,
                                  {.duplicates = refused ? duplicates::keep : rule,
                                   .inexact_integers = rule_for_integers(row, o),
                                   .renumber = o.renumber,
                                   .columns = names_of_columns(o.columns)});
    auto& a = graph.matrix;
    require_graph(row, o, a.rows(), a.columns());
    if (refused) refuse_parallel_edges(row, o, graph.vertices, 0, a.view().row_offsets(), a.view().column_indices());
    if (rule == duplicates::count && names_generator(o.matrix)) fill(host, a.values().view(), T(1));
    // In an undirected graph, two directions with different values are combined like parallel edges.
    bool const one_value = !row.undirected || !uses_values(row, o.algorithm) || is_symmetric(host, a.view());
    if (o.symmetrise || (!one_value && is_undirected(host, graph_view(a)))) a = both_directions(host, a.view(), rule);
    return graph;
}

analytics_options options_for(graph_algorithm_row const& row, graph_request const& o, vertex_numbering const& numbering,
                              std::int64_t vertices) {
    auto used = o.algorithm;
    if (!o.source.empty()) used.source = vertex_of("--source", o.source, o, numbering, vertices);
    used.sink = o.sink.empty() ? vertices - 1 : vertex_of("--sink", o.sink, o, numbering, vertices);
    if (reads(row, "sink") && used.source == used.sink)
        throw usage_error(
            fmt::format("--source and --sink are both vertex {}, expected two vertices", numbering.name(used.source)));
    used.counted = rule_for_parallel_edges(row, o) == duplicates::count;
    return used;
}

void require_both_directions(graph_algorithm_row const& row, graph_request const& o, bool undirected) {
    if (row.undirected && !undirected)
        throw input_error(fmt::format("{}: {} needs an undirected graph, but some edges are stored in one direction "
                                      "only; --symmetrise stores both",
                                      o.matrix, row.name));
}

template numbered_matrix<float> load_graph(graph_algorithm_row const&, graph_request const&, host_executor const&,
                                           progress&);
template numbered_matrix<double> load_graph(graph_algorithm_row const&, graph_request const&, host_executor const&,
                                            progress&);

} // namespace coppice::app
