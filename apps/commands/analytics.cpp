// SPDX-License-Identifier: BSD-3-Clause
// coppice bfs, sssp, components, ...: a command for every row of the catalogue of graph algorithms.
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "apps/backend.hpp"
#include "apps/input.hpp"
#include "apps/output.hpp"
#include "apps/report/graph_page.hpp"
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/graph/analytics/catalogue.hpp>
#include <coppice/semiring/sparse/tuples.hpp>

namespace coppice::app {
namespace {

struct graph_request {
    common_options common{};
    std::string matrix{};
    std::int64_t source = 1; ///< as files count
    analytics_options algorithm{};
    bool symmetrise = false;
    std::string output{};
    std::string report{};
    std::string picture{};
};

bool reads(graph_algorithm_row const& row, std::string_view option) {
    return (" " + std::string(row.options) + " ").find(" " + std::string(option) + " ") != std::string::npos;
}

/// What goes to the file: values as they are, vertices counted from 1.
void write_answer(host_executor const& host, std::string const& path, graph_answer const& answer, vertex_id vertices,
                  file_progress const& progress) {
    if (auto const* edges = std::get_if<answer_edges>(&answer.found)) {
        auto rows = edges->from, columns = edges->to;
        rows.insert(rows.end(), edges->to.begin(), edges->to.end());
        columns.insert(columns.end(), edges->from.begin(), edges->from.end());
        auto weights = edges->weights;
        weights.insert(weights.end(), edges->weights.begin(), edges->weights.end());
        auto const forest =
            build(host, vertices, vertices, array_view<vertex_id const>(rows), array_view<vertex_id const>(columns),
                  array_view<double const>(weights), no_duplicates{});
        write_matrix_market(host, path, forest.view(),
                            {.symmetry = matrix_market_symmetry::symmetric, .progress = progress});
        return;
    }
    std::vector<double> values;
    if (auto const* numbers = std::get_if<graph_answer::vertex_numbers>(&answer.found))
        for (auto const v : *numbers) values.push_back(double(v + 1));
    else
        values = std::get<graph_answer::values>(answer.found);
    write_vector(host, path, array_view<double const>(values), {}, progress);
}

std::string show_fact(double value) {
    return value == std::floor(value) && std::abs(value) < 1e15 ? show_count(std::int64_t(value))
                                                                : fmt::format("{:.6g}", value);
}

std::string label_of_fact(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

void tell(sheet& result, graph_answer const& answer, double seconds) {
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

report::entries settings_of(graph_algorithm_row const& row, graph_request const& o) {
    auto const& a = o.algorithm;
    auto const show = [](double v) { return fmt::format("{:.6g}", v); };
    report::entries all;
    for (auto const& [name, value] : report::entries{{"source", std::to_string(o.source)},
                                                     {"delta", a.delta > 0 ? show(a.delta) : "chosen"},
                                                     {"damping", show(a.damping)},
                                                     {"tolerance", show_scientific(a.tolerance)},
                                                     {"max-iterations", std::to_string(a.max_iterations)},
                                                     {"samples", a.samples > 0 ? std::to_string(a.samples) : "all"},
                                                     {"alpha", a.alpha > 0 ? show(a.alpha) : "chosen"},
                                                     {"resolution", show(a.resolution)},
                                                     {"capacity", std::to_string(a.capacity)}})
        if (reads(row, name)) all.emplace_back(name, value);
    if (o.symmetrise) all.emplace_back("symmetrise", "yes");
    return all;
}

/// The page and the picture, of what is in host memory.
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
    page.degrees = report::chart_degrees({a.offsets, a.offsets + a.rows() + 1});
    page.settings = settings_of(row, o);
    page.environment = describe_build();
    page.environment.insert(page.environment.begin(), {"backend", describe_executor(chosen)});
    files.write_text(o.report, render(page));
}

template <class Executor, class T>
outcome analyse(graph_algorithm_row const& row, graph_request const& o, any_executor const& chosen,
                Executor const& exec, output_files& files) {
    auto const host = make_host(o.common);
    std::string const command(row.name);
    progress status(o.common);
    auto a = load_matrix<T>(host, o.matrix, status);
    require_square(command, o.matrix, a.rows(), a.columns());
    if (o.symmetrise) a = symmetrised_weights(host, a.view());
    auto used = o.algorithm;
    if (o.source < 1 || o.source > a.rows())
        throw usage_error(
            fmt::format("--source is {}, expected a vertex from 1 to {}", o.source, std::int64_t(a.rows())));
    used.source = static_cast<vertex_id>(o.source - 1);
    auto const on_device = exec.copy(a);
    used.undirected = is_undirected(exec, graph_view(on_device));
    if (row.undirected && !used.undirected)
        throw input_error(fmt::format("{}: {} needs an undirected graph, and some edges are stored in one direction "
                                      "only; --symmetrise stores both",
                                      o.matrix, command));
    report::graph_page page;
    if (!o.picture.empty())
        page.drawing = report::draw_picture(a.view());
    else if (!o.report.empty())
        page.drawing = report::draw_graph(a.view());
    status.show(command);
    exec.synchronize();
    stopwatch clock;
    auto const answer = run_graph_algorithm(exec, row.name, on_device.view(), used);
    double const seconds = clock.seconds();
    if (answer.failure.empty()) {
        files.write(o.output, [&](std::string const& path) {
            write_answer(host, path, answer, a.rows(), status.of_file(o.output));
        });
        status.show("report");
        write_pictures(row, o, chosen, a.view(), answer, std::move(page), files);
    }
    status.clear();

    sheet result(command, o.common);
    result.input(o.matrix, a.rows(), a.columns(), a.nonzeros());
    result.backend(chosen);
    result.json()["undirected"] = used.undirected;
    if (reads(row, "source")) {
        result.line("source", show_count(o.source));
        result.json()["source"] = o.source;
    }
    tell(result, answer, seconds);
    auto const memory = graph_algorithm_memory(row.name, graph_view(a), used.undirected);
    result.line("memory", fmt::format("at most {:.3g} MB beside the graph", double(memory) * 1e-6));
    result.json()["memory_bytes"] = memory;
    if (!o.output.empty() && answer.failure.empty()) result.line("written to", o.output);
    outcome const end = answer.failure.empty() ? outcome{} : outcome{exit_numerical, answer.failure};
    result.publish(files, end);
    return end;
}

outcome run(graph_algorithm_row const& row, graph_request const& o) {
    check_common_options(o.common);
    check_matrix_argument(o.matrix, std::string(row.name));
    auto const chosen = make_executor(o.common);
    output_files files;
    files.expect("-o", o.output);
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
    add_matrix_argument(*cli, o->matrix);
    auto& a = o->algorithm;
    if (reads(row, "source"))
        add_integer(*cli, "--source", o->source, "vertex to start from, counted from 1; 1 by default")->type_name("N");
    if (reads(row, "delta"))
        cli->add_option("--delta", a.delta, "how far beyond the nearest vertices are settled together; chosen if 0")
            ->type_name("LENGTH");
    if (reads(row, "damping"))
        cli->add_option("--damping", a.damping, "probability of following an edge; 0.85 by default")->type_name("D");
    if (reads(row, "tolerance"))
        cli->add_option("--tolerance", a.tolerance, "stops where the sum of all changes is below; 1e-6 by default")
            ->type_name("EPS");
    if (reads(row, "max-iterations"))
        add_integer(*cli, "--max-iterations", a.max_iterations, "200 by default")->type_name("N");
    if (reads(row, "samples"))
        add_integer(*cli, "--samples", a.samples, "so many sources, drawn by chance; all vertices by default")
            ->type_name("N");
    if (reads(row, "alpha"))
        cli->add_option("--alpha", a.alpha, "weight of an edge; chosen from the degrees by default")->type_name("X");
    if (reads(row, "resolution"))
        cli->add_option("--resolution", a.resolution, "the larger, the smaller communities are; 1 by default")
            ->type_name("X");
    if (reads(row, "capacity"))
        add_integer(*cli, "--capacity", a.capacity, "edges that a vertex may keep; 2 by default")->type_name("N");
    cli->add_flag("--symmetrise", o->symmetrise,
                  "work on the undirected graph beneath: |a_ij|, plus |a_ji| where they differ, without loops");
    cli->add_option("-o,--output", o->output, "where to write " + std::string(row.output) + "; vertices from 1")
        ->type_name("FILE");
    cli->add_option("--report", o->report,
                    "write a page with the degrees, what was found, and a drawing where the graph is small")
        ->type_name("FILE");
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
