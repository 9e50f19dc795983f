// SPDX-License-Identifier: BSD-3-Clause
// coppice bfs, sssp, components, ...: one command for every row of the registry of graph algorithms.
#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "apps/backend.hpp"
#include "apps/input.hpp"
#include "apps/names.hpp"
#include "apps/output.hpp"
#include "apps/report/graph_page.hpp"
#include "apps/tables.hpp"
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/graph/catalogue/catalogue.hpp>
#include <coppice/graph/catalogue/checks.hpp>
#include <coppice/graph/structure/both_directions.hpp>
#include <coppice/semiring/matrix_operations/tuples.hpp>

namespace coppice::app {
namespace {

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
};

bool reads(graph_algorithm_row const& row, std::string_view option) { return row.reads(option); }
bool has_check(std::string_view algorithm) {
    auto const names = checked_graph_algorithms();
    return std::find(names.begin(), names.end(), algorithm) != names.end();
}
/// Whether the values of the graph are used.
bool uses_values(graph_algorithm_row const& row, analytics_options const& o) { return row.weighted || o.weighted; }

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

std::string show_fact(double value) {
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
        result.line(label_of_fact(name), show_fact(value));
        if (value == std::floor(value) && std::abs(value) < 1e15)
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

/// Writes the HTML page and the picture of a graph in host memory.
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
    for (auto const& [name, value] : answer.facts) page.facts.emplace_back(label_of_fact(name), show_fact(value));
    page.degrees = report::chart_degrees(a);
    page.settings = settings_of(row, o);
    show_environment(chosen, page);
    files.write_text(o.report, render(page));
}

/// Describes how the algorithm uses the values of the graph. `is_signed`: the option that changes this is set.
std::string meaning_of_values(graph_algorithm_row const& row, bool is_signed) {
    if (reads(row, "by-value"))
        return is_signed ? "the values: their sum is maximised; edges of negative value are not selected"
                         : "magnitudes: the sum of |value| is maximised; --by-value maximises the sum of the values";
    if (reads(row, "weighted") && !is_signed) return "not used: every edge has weight 1; --weighted uses the values";
    return row.weighted || reads(row, "weighted") ? "the values of the graph" : "not used: every edge has weight 1";
}

/// Describes how several entries at one position are combined.
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

constexpr named<duplicates> parallel_rules[] = {{"once", duplicates::first},
                                                {"min", duplicates::min},
                                                {"max", duplicates::max},
                                                {"sum", duplicates::sum},
                                                {"count", duplicates::count}};

duplicates rule_for_parallel_edges(graph_algorithm_row const& row, graph_request const& o) {
    if (!o.parallel.empty()) return choose("rule for parallel edges", o.parallel, parallel_rules);
    return o.algorithm.weighted ? row.parallel_weighted : row.parallel;
}

/// Throws input_error with the first pair of vertices with parallel edges.
template <class T>
void refuse_parallel_edges(graph_algorithm_row const& row, graph_request const& o, numbered_matrix<T> const& graph) {
    auto const a = graph.matrix.view();
    for (vertex_id u = 0; u < a.rows(); ++u)
        for (auto k = a.row_begin(u) + 1; k < a.row_end(u); ++k)
            if (a.indices[k] == a.indices[k - 1])
                throw input_error(
                    fmt::format("{}: there are parallel edges from {} to {}, and {} does not define what they "
                                "mean; --parallel once makes one edge of them",
                                o.matrix, graph.vertices.name(u), graph.vertices.name(a.indices[k]), row.name));
}

/// Splits the value of --columns. Throws usage_error unless it consists of two or three names.
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

/// Reads the graph and converts it to the form that the algorithm requires, in host memory.
template <class T>
numbered_matrix<T> load_graph(graph_algorithm_row const& row, graph_request const& o, host_executor const& host,
                              progress& status) {
    auto const rule = rule_for_parallel_edges(row, o);
    bool const refused = rule == duplicates::refuse;
    auto graph = load_numbered<T>(host, o.matrix, status,
                                  {.duplicates = refused ? duplicates::keep : rule,
                                   .renumber = o.renumber,
                                   .columns = names_of_columns(o.columns)});
    auto& a = graph.matrix;
    require_square(std::string(row.name), o.matrix, a.rows(), a.columns());
    if (refused) refuse_parallel_edges(row, o, graph);
    if (rule == duplicates::count && names_generator(o.matrix)) fill(host, a.values().view(), T(1));
    // In an undirected graph, two directions with different values are combined like parallel edges.
    bool const one_value = !row.undirected || !uses_values(row, o.algorithm) || is_symmetric(host, a.view());
    if (o.symmetrise || (!one_value && is_undirected(host, graph_view(a)))) a = both_directions(host, a.view(), rule);
    return graph;
}

vertex_id vertex_of(char const* option, std::string const& text, graph_request const& o,
                    vertex_numbering const& numbering, std::int64_t vertices) {
    auto const v = numbering.find(text, vertices);
    if (v < 0 && !numbering.names.empty())
        throw usage_error(fmt::format("{} is '{}', but {} has no vertex of that name", option, text, o.matrix));
    if (v < 0)
        throw usage_error(fmt::format("{} is '{}', expected a vertex from {} to {} of {}", option, text,
                                      numbering.name(0), numbering.name(vertices - 1), o.matrix));
    return static_cast<vertex_id>(v);
}

template <class Executor, class T>
outcome analyse(graph_algorithm_row const& row, graph_request const& o, any_executor const& chosen,
                Executor const& exec, output_files& files) {
    auto const host = make_host(o.common);
    std::string const command(row.name);
    progress status(o.common);
    auto const graph = load_graph<T>(row, o, host, status);
    auto const& a = graph.matrix;
    auto const& numbering = graph.vertices;
    auto used = o.algorithm;
    if (!o.source.empty()) used.source = vertex_of("--source", o.source, o, numbering, a.rows());
    used.sink = o.sink.empty() ? a.rows() - std::int64_t(1) : vertex_of("--sink", o.sink, o, numbering, a.rows());
    if (reads(row, "sink") && used.source == used.sink)
        throw usage_error(
            fmt::format("--source and --sink are both vertex {}, expected two vertices", numbering.name(used.source)));
    used.counted = rule_for_parallel_edges(row, o) == duplicates::count;
    auto const on_device = exec.copy(a);
    used.undirected = is_undirected(exec, graph_view(on_device));
    if (row.undirected && !used.undirected)
        throw input_error(fmt::format("{}: {} needs an undirected graph, but some edges are stored in one direction "
                                      "only; --symmetrise stores both",
                                      o.matrix, command));
    report::graph_page page;
    if (!o.picture.empty())
        page.drawing = report::draw_picture(host, a.view());
    else if (!o.report.empty())
        page.drawing = report::draw_graph(a.view());
    page.drawing.vertices = numbering;
    status.show(command);
    exec.synchronize();
    stopwatch clock;
    auto answer = run_graph_algorithm(exec, row.name, on_device.view(), used);
    double const seconds = clock.seconds();
    if (o.check && answer.failure.empty()) {
        status.show("check");
        auto const wrong = check_graph_answer(row.name, host_graph_of(host, a.view()), answer, used);
        if (!wrong.empty()) answer.failure = "the check of the result found " + wrong + " (counted from 0)";
    }
    if (answer.failure.empty()) {
        if (char const separator = table_separator(o.output))
            files.write_text(o.output, answer_table(answer, a.rows(), numbering, separator));
        else
            files.write(o.output, [&](std::string const& path) {
                write_answer(host, path, answer, a.rows(), numbering, status.of_file(o.output));
            });
        if (!o.mapping.empty()) files.write_text(o.mapping, mapping_text(numbering, a.rows()));
        status.show("report");
        write_pictures(row, o, chosen, a.view(), answer, std::move(page), files);
    }
    status.clear();

    sheet result(command, o.common);
    result.input(o.matrix, a.rows(), a.columns(), a.nonzeros());
    result.backend(chosen);
    result.json()["undirected"] = used.undirected;
    result.line("values", meaning_of_values(row, used.by_value || used.weighted));
    result.json()["weights"] = !uses_values(row, used)                    ? "none"
                               : reads(row, "by-value") && !used.by_value ? "magnitudes"
                                                                          : "values";
    for (auto const& [option, v] : {std::pair{"source", std::int64_t(used.source)}, {"sink", used.sink}}) {
        if (!reads(row, option)) continue;
        auto const name = numbering.name(v);
        result.line(option, name);
        if (numbering.names.empty())
            result.json()[option] = v + numbering.base;
        else
            result.json()[option] = name;
    }
    show_results(result, answer, seconds);
    if (o.check) {
        result.line("check", answer.failure.empty() ? "passed" : "failed");
        result.json()["checked"] = answer.failure.empty();
    }
    if (is_ranking(row) && answer.failure.empty()) show_ranking(result, answer, numbering);
    auto const memory = graph_algorithm_memory(row.name, graph_view(a), used.undirected);
    result.line("memory", fmt::format("at most {:.3g} MB in addition to the graph", double(memory) * 1e-6));
    result.json()["memory_bytes"] = memory;
    if (!o.output.empty() && answer.failure.empty()) result.line("written to", o.output);
    if (!o.mapping.empty() && answer.failure.empty()) result.line("names", o.mapping);
    outcome const end = answer.failure.empty() ? outcome{} : outcome{exit_numerical, answer.failure};
    result.publish(files, end);
    return end;
}

outcome run(graph_algorithm_row const& row, graph_request const& o) {
    check_common_options(o.common);
    check_matrix_argument(o.matrix, std::string(row.name));
    auto const chosen = make_executor(o.common);
    output_files files({{"MATRIX", o.matrix}});
    rule_for_parallel_edges(row, o);
    if (names_of_columns(o.columns).size() > 0 && names_generator(o.matrix))
        throw usage_error("--columns names columns of a file, but MATRIX is " + o.matrix);
    if (!o.mapping.empty() && !o.renumber)
        throw usage_error("--mapping writes the names that --renumber numbers; add --renumber");
    files.expect("-o", o.output);
    files.expect("--mapping", o.mapping);
    files.expect("--json", o.common.json);
    files.expect("--report", o.report);
    files.expect("--picture", o.picture, ".svg");
    return with_backend(o.common, chosen, [&]<class Executor, class T>(Executor const& exec, std::type_identity<T>) {
        return analyse<Executor, T>(row, o, chosen, exec, files);
    });
}

command add_algorithm(CLI::App& program, graph_algorithm_row const& row) {
    auto const o = std::make_shared<graph_request>();
    auto* const cli = program.add_subcommand(std::string(row.name), std::string(row.summary));
    cli->footer(fmt::format("Values of edges: {}.\nParallel edges (several entries for one pair of vertices): {}.",
                            meaning_of_values(row, false), meaning_of_parallel_edges(row.parallel)));
    add_matrix_argument(*cli, o->matrix);
    auto& a = o->algorithm;
    if (reads(row, "source"))
        cli->add_option("--source", o->source, "source vertex, by its number or name in the file; the first by default")
            ->type_name("VERTEX");
    if (reads(row, "sink"))
        cli->add_option("--sink", o->sink, "sink vertex, by its number or name in the file; the last by default")
            ->type_name("VERTEX");
    if (reads(row, "hops"))
        add_integer(*cli, "--hops", a.hops, "maximum number of edges from the source; 0, the default: no limit")
            ->type_name("N");
    if (reads(row, "length"))
        add_integer(*cli, "--length", a.length, "number of steps of a walk; 10 by default")->type_name("N");
    if (reads(row, "return-bias"))
        cli->add_option("--return-bias", a.return_bias,
                        "p of node2vec: a step back has its weight divided by this; 1 by default")
            ->type_name("P");
    if (reads(row, "outward-bias"))
        cli->add_option("--outward-bias", a.outward_bias,
                        "q of node2vec: a step away from the previous vertex, divided by this; 1 by default")
            ->type_name("Q");
    if (reads(row, "seed"))
        add_integer(*cli, "--seed", a.seed, "seed of the random numbers; 1 by default")->type_name("N");
    if (reads(row, "weighted"))
        cli->add_flag("--weighted", a.weighted,
                      fmt::format("use the values of the graph as {}; of parallel edges, {}",
                                  row.parallel_weighted == duplicates::min ? "lengths" : "weights",
                                  meaning_of_parallel_edges(row.parallel_weighted)));
    if (reads(row, "delta"))
        cli->add_option("--delta", a.delta, "bucket width of delta-stepping; 0: chosen automatically")
            ->type_name("LENGTH");
    if (reads(row, "damping"))
        cli->add_option("--damping", a.damping, "probability of following an edge; 0.85 by default")->type_name("D");
    if (reads(row, "tolerance"))
        cli->add_option("--tolerance", a.tolerance, "stop if the sum of all changes is less than this; 1e-6 by default")
            ->type_name("EPS");
    if (reads(row, "max-iterations"))
        add_integer(*cli, "--max-iterations", a.max_iterations, "maximum number of iterations; 200 by default")
            ->type_name("N");
    if (reads(row, "samples"))
        add_integer(*cli, "--samples", a.samples, "number of randomly selected sources; all vertices by default")
            ->type_name("N");
    if (reads(row, "alpha"))
        cli->add_option("--alpha", a.alpha, "attenuation factor of an edge; chosen from the degrees by default")
            ->type_name("X");
    if (reads(row, "resolution"))
        cli->add_option("--resolution", a.resolution,
                        "resolution: larger values give smaller communities; 1 by default")
            ->type_name("X");
    if (reads(row, "capacity"))
        add_integer(*cli, "--capacity", a.capacity, "maximum number of selected edges per vertex; 2 by default")
            ->type_name("N");
    if (reads(row, "by-value"))
        cli->add_flag("--by-value", a.by_value,
                      "maximise the sum of the values, without negative edges; by default the sum of |value|");
    if (has_check(row.name))
        cli->add_flag("--check", o->check,
                      "prove the result in linear time, from its definition, without the algorithm");
    cli->add_flag("--symmetrise", o->symmetrise,
                  fmt::format("use the undirected graph: every edge in both directions, with its value; of two "
                              "different values the {} one",
                              row.parallel == duplicates::min ? "smaller" : "larger"));
    cli->add_option(
           "--parallel", o->parallel,
           fmt::format("how parallel edges are combined; by default {}", meaning_of_parallel_edges(row.parallel)))
        ->type_name(alternatives(parallel_rules));
    cli->add_flag(
        "--renumber", o->renumber,
        "edge lists: vertices are arbitrary words or numbers; they are numbered in the order of their occurrence");
    cli->add_option("--columns", o->columns,
                    "tables of edges with a header line: the columns of source, target and weight, or of source and "
                    "target: then every weight is 1")
        ->type_name("SOURCE,TARGET[,WEIGHT]");
    cli->add_option("--mapping", o->mapping, "output file of the names of --renumber: line i is the vertex of row i")
        ->type_name("FILE");
    cli->add_option("-o,--output", o->output,
                    "output file: " + std::string(row.output) +
                        "; vertices have their numbers in the file; \"none\" is the number before the first. "
                        "With the ending .csv or .tsv: a table with the names of the vertices, or with their numbers")
        ->type_name("FILE");
    cli->add_option("--report", o->report,
                    "write an HTML page with degrees, results and, if the graph is small, a drawing")
        ->type_name("FILE.html");
    add_picture_option(*cli, o->picture);
    add_common_options(*cli, o->common);
    return {cli, [o, &row] { return run(row, *o); }};
}

} // namespace

std::vector<command> add_graph_algorithms(CLI::App& program) {
    std::vector<command> all;
    for (auto const& row : graph_algorithm_catalogue) all.push_back(add_algorithm(program, row));
    return all;
}

} // namespace coppice::app
