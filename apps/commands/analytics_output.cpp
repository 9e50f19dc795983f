// SPDX-License-Identifier: BSD-3-Clause
// What graph algorithms print, and the files that they write.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/commands/analytics.hpp"
#include "apps/tables.hpp"
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/semiring/matrix_operations/tuples.hpp>
#include <coppice/solvers/distributed/graphs/distributed_analytics.hpp>

namespace coppice::app {
namespace {

/// Writes the result: values as they are, vertices by their numbers in the graph file.
void write_answer(host_executor const& host, std::string const& path, graph_answer const& answer, vertex_id vertices,
                  vertex_numbering const& numbering, file_progress const& progress) {
    auto const comment = comment_on(numbering);
    if (auto const* edges = std::get_if<answer_edges>(&answer.found)) {
        auto rows = edges->from, columns = edges->to;
        auto weights = edges->weights;
        if (!edges->directed) {
            rows.insert(rows.end(), edges->to.begin(), edges->to.end());
            columns.insert(columns.end(), edges->from.begin(), edges->from.end());
            weights.insert(weights.end(), edges->weights.begin(), edges->weights.end());
        }
        auto const symmetry = edges->directed ? matrix_market_symmetry::general : matrix_market_symmetry::symmetric;
        auto const forest =
            build(host, vertices, vertices, array_view<vertex_id const>(rows), array_view<vertex_id const>(columns),
                  array_view<double const>(weights), no_duplicates{});
        write_matrix_market(host, path, forest.view(),
                            {.symmetry = symmetry, .comment = comment, .progress = progress});
        return;
    }
    std::vector<double> values;
    if (auto const* numbers = std::get_if<graph_answer::vertex_numbers>(&answer.found))
        for (auto const v : *numbers) values.push_back(double(number_of(numbering, v)));
    else
        values = std::get<graph_answer::values>(answer.found);
    if (answer.columns == 1) return write_vector(host, path, array_view<double const>(values), comment, progress);
    std::vector<double> by_column;
    for (std::int64_t i = 0; i < answer.columns; ++i)
        for (auto k = std::size_t(i); k < values.size(); k += std::size_t(answer.columns))
            by_column.push_back(values[k]);
    write_vectors(host, path, array_view<double const>(by_column), answer.columns, comment, progress);
}

/// One name per line: line i is the name of the vertex of row i.
std::string mapping_text(vertex_numbering const& numbering, std::int64_t vertices) {
    std::string text;
    for (std::int64_t v = 0; v < vertices; ++v) text.append(numbering.name(v)) += '\n';
    return text;
}

std::string show_fact(std::string const& name, double value) {
    if (is_flag(name)) return value != 0 ? "yes" : "no";
    return value == std::floor(value) && std::abs(value) < 1e15 ? show_count(std::int64_t(value))
                                                                : fmt::format("{:.6g}", value);
}

std::string label_of_fact(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

void show_results(sheet& result, graph_answer const& answer, double seconds) {
    auto& json = result.json();
    for (auto const& [name, value] : answer.facts) {
        result.line(label_of_fact(name), show_fact(name, value));
        if (is_flag(name))
            json[name] = value != 0;
        else if (value == std::floor(value) && std::abs(value) < 1e15)
            json[name] = std::int64_t(value);
        else
            json[name] = value;
    }
    result.line("time", show_seconds(seconds));
    json["seconds"] = seconds;
}

/// Whether the largest values of vertices are the result that a user looks for.
bool is_ranking(graph_algorithm_row const& row) {
    static constexpr std::string_view rankings[] = {"pagerank", "betweenness", "closeness", "katz",      "eigenvector",
                                                    "hits",     "triangles",   "cores",     "clustering"};
    return std::find(std::begin(rankings), std::end(rankings), row.name) != std::end(rankings);
}

/// The ten largest values: a line each, and the JSON array "largest_vertices".
void show_ranking(sheet& result, graph_answer const& answer, vertex_numbering const& numbering) {
    constexpr std::size_t shown = 10;
    auto const rows = report::largest_values(std::get<graph_answer::values>(answer.found), shown).rows;
    std::size_t width = 0;
    for (auto const& [v, value] : rows) width = std::max(width, printable(numbering.name(v)).size());
    auto& json = result.json()["largest_vertices"] = nlohmann::ordered_json::array();
    for (std::size_t k = 0; k < rows.size(); ++k) {
        auto const& [v, value] = rows[k];
        result.line(k == 0 ? "largest vertices" : "",
                    fmt::format("{:<{}}  {:.6g}", printable(numbering.name(v)), width, value));
        if (numbering.names.empty())
            json.push_back({{"vertex", v + numbering.base}, {"value", value}});
        else
            json.push_back({{"vertex", numbering.name(v)}, {"value", value}});
    }
}

report::entries settings_of(graph_algorithm_row const& row, graph_request const& o) {
    auto const& a = o.algorithm;
    auto const show = [](double v) { return fmt::format("{:.6g}", v); };
    report::entries all;
    for (auto const& [name, value] : report::entries{{"source", o.source.empty() ? "the first" : o.source},
                                                     {"sink", o.sink.empty() ? "the last" : o.sink},
                                                     {"hops", a.hops > 0 ? std::to_string(a.hops) : "all"},
                                                     {"length", std::to_string(a.length)},
                                                     {"return-bias", show(a.return_bias)},
                                                     {"outward-bias", show(a.outward_bias)},
                                                     {"seed", std::to_string(a.seed)},
                                                     {"weighted", a.weighted ? "yes" : "no"},
                                                     {"delta", a.delta > 0 ? show(a.delta) : "chosen"},
                                                     {"damping", show(a.damping)},
                                                     {"tolerance", show_scientific(a.tolerance)},
                                                     {"max-iterations", std::to_string(a.max_iterations)},
                                                     {"samples", a.samples > 0 ? std::to_string(a.samples) : "all"},
                                                     {"alpha", a.alpha > 0 ? show(a.alpha) : "chosen"},
                                                     {"resolution", show(a.resolution)},
                                                     {"capacity", std::to_string(a.capacity)},
                                                     {"by-value", a.by_value ? "yes" : "no"}})
        if (reads(row, name)) all.emplace_back(name, value);
    if (o.symmetrise) all.emplace_back("symmetrise", "yes");
    return all;
}

/// How several ranks ran.
void show_ranks(sheet& result, int ranks, analysed_graph const& g) {
    result.line("ranks", g.devices > 0 ? counted(ranks, "device") : std::to_string(ranks));
    if (g.devices > 0) result.line("exchange", g.exchange);
    result.line("set-up", show_seconds(g.setup_seconds));
    result.json()["devices"] = g.devices;
    result.json()["exchange"] = g.exchange;
    result.json()["setup_seconds"] = g.setup_seconds;
}

} // namespace

template <class T>
void write_pictures(graph_algorithm_row const& row, graph_request const& o, any_executor const& chosen, csr_view<T> a,
                    graph_answer const& answer, report::graph_page page, output_files& files) {
    show_answer(answer, row, page);
    if (!o.picture.empty()) files.write_text(o.picture, report::picture_file(page.drawing));
    if (o.report.empty()) return;
    page.command = row.name;
    page.summary = row.summary;
    page.graph = o.matrix;
    page.size = show_size(a.rows(), a.columns(), a.nonzeros());
    for (auto const& [name, value] : answer.facts) page.facts.emplace_back(label_of_fact(name), show_fact(name, value));
    page.degrees = report::chart_degrees(a);
    page.settings = settings_of(row, o);
    show_environment(chosen, page);
    files.write_text(o.report, render(page));
}

void write_files(graph_request const& o, host_executor const& host, analysed_graph const& g, progress& status,
                 output_files& files) {
    if (!g.answer.failure.empty()) return;
    if (char const separator = table_separator(o.output))
        files.write_text(o.output, answer_table(g.answer, vertex_id(g.vertices), g.numbering, separator));
    else
        files.write(o.output, [&](std::string const& path) {
            write_answer(host, path, g.answer, vertex_id(g.vertices), g.numbering, status.of_file(o.output));
        });
    if (!o.mapping.empty()) files.write_text(o.mapping, mapping_text(g.numbering, g.vertices));
}

outcome print_result(graph_algorithm_row const& row, graph_request const& o, any_executor const& chosen,
                     analysed_graph const& g, output_files& files) {
    sheet result(std::string(row.name), o.common);
    result.input(o.matrix, g.vertices, g.vertices, g.edges);
    result.backend(chosen);
    if (is_distributed_graph_algorithm(row.name)) {
        result.json()["parts"] = o.ranks;
        if (o.ranks > 1) show_ranks(result, o.ranks, g);
    }
    result.json()["undirected"] = g.used.undirected;
    result.line("values", meaning_of_values(row, g.used.by_value || g.used.weighted));
    result.json()["weights"] = !uses_values(row, g.used)                    ? "none"
                               : reads(row, "by-value") && !g.used.by_value ? "magnitudes"
                                                                            : "values";
    for (auto const& [option, v] : {std::pair{"source", std::int64_t(g.used.source)}, {"sink", g.used.sink}}) {
        if (!reads(row, option)) continue;
        auto const name = g.numbering.name(v);
        result.line(option, name);
        if (g.numbering.names.empty())
            result.json()[option] = v + g.numbering.base;
        else
            result.json()[option] = name;
    }
    show_results(result, g.answer, g.seconds);
    bool const valid = g.answer.failure.empty();
    if (o.check) {
        result.line("check", valid ? "passed" : "failed");
        result.json()["checked"] = valid;
    }
    if (is_ranking(row) && valid) show_ranking(result, g.answer, g.numbering);
    result.json()["memory_bytes"] = nullptr;
    if (g.memory >= 0) {
        result.line("memory", fmt::format("at most {:.3g} MB in addition to the graph", double(g.memory) * 1e-6));
        result.json()["memory_bytes"] = g.memory;
    }
    if (!o.output.empty() && valid) result.line("written to", o.output);
    if (!o.mapping.empty() && valid) result.line("names", o.mapping);
    outcome const end = valid ? outcome{} : outcome{exit_numerical, g.answer.failure};
    result.publish(files, end);
    return end;
}

template void write_pictures(graph_algorithm_row const&, graph_request const&, any_executor const&, csr_view<float>,
                             graph_answer const&, report::graph_page, output_files&);
template void write_pictures(graph_algorithm_row const&, graph_request const&, any_executor const&, csr_view<double>,
                             graph_answer const&, report::graph_page, output_files&);

} // namespace coppice::app
