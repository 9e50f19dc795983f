// SPDX-License-Identifier: BSD-3-Clause
// coppice factor MATRIX: a weighted [0, n]-factor of the graph of a matrix.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "apps/backend.hpp"
#include "apps/factor_arguments.hpp"
#include "apps/input.hpp"
#include "apps/output.hpp"
#include "apps/report/graph_page.hpp"
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/algebra/operations.hpp>

namespace coppice::app {
namespace {

struct factor_request {
    common_options common{};
    std::string matrix{};
    std::string method = "parallel";
    factor_arguments factor{};
    std::string output{};
    std::string picture{};
    std::string report{};
};

constexpr std::string_view methods[] = {"parallel", "greedy"};

/// Returns the factor as a symmetric matrix with |w| of every selected edge. All arrays are in host memory.
template <class T>
csr<T> matrix_of(host_executor const& host, csr_view<T> weights, graph_factor<std::int32_t> const& f) {
    std::int64_t const n = f.vertices;
    auto const neighbors = [&](std::int64_t v) { return f.neighbors.data() + f.degree * v; };
    buffer<std::int32_t> offsets(host, n + 1);
    offsets[n] = exclusive_scan(
        host, n, [&](std::int64_t v) { return f.degree - std::count(neighbors(v), neighbors(v) + f.degree, -1); },
        [&](std::int64_t v, std::int32_t first) { offsets[v] = first; }, std::int32_t{0});
    buffer<std::int32_t> columns(host, offsets[n]);
    buffer<T> values(host, offsets[n]);
    for_each(host, n, [&](std::int64_t v) {
        auto* const row = columns.data() + offsets[v];
        auto* const end = std::copy_if(neighbors(v), neighbors(v) + f.degree, row, [](auto w) { return w >= 0; });
        std::sort(row, end);
        auto const* const all = weights.indices + weights.row_begin(v);
        for (auto* c = row; c != end; ++c) {
            auto const at = std::lower_bound(all, weights.indices + weights.row_end(v), *c) - weights.indices;
            values[c - columns.data()] = weights.coefficients[at];
        }
    });
    return {f.vertices, f.vertices, std::move(offsets), std::move(columns), std::move(values)};
}

void show_results(sheet& result, factor_request const& o, factor_options const& used,
                  graph_factor<std::int32_t> const& f, double weights_seconds, double seconds) {
    result.line("factor", fmt::format("[0,{}], {}, ties {}", f.degree, o.method, name_of(used.ties)));
    result.line("edges", show_count(f.edges) + (f.maximal ? ", maximal" : ""));
    result.line("weight coverage", show_fraction(f.weight_coverage));
    result.line("rounds", std::to_string(f.rounds));
    result.line("time", fmt::format("{} for the weights, {} for the factor", show_seconds(weights_seconds),
                                    show_seconds(seconds)));
    if (!o.output.empty()) result.line("written to", o.output);
    auto& json = result.json();
    json["method"] = o.method;
    json["degree"] = f.degree;
    json["rounds"] = f.rounds;
    json["ties"] = name_of(used.ties);
    json["maximal"] = f.maximal;
    json["edges"] = f.edges;
    json["weight_coverage"] = f.weight_coverage;
    json["weights_seconds"] = weights_seconds;
    json["seconds"] = seconds;
}

template <class T>
void write_report(factor_request const& o, any_executor const& chosen, factor_options const& used, csr_view<T> a,
                  graph_factor<std::int32_t> const& f, std::vector<std::int32_t> const& neighbors,
                  report::graph_drawing drawing, output_files& files) {
    report::graph_page page{.command = "factor", .summary = "A weighted [0, n]-factor", .graph = o.matrix};
    page.size = show_size(a.rows(), a.columns(), a.nonzeros());
    page.facts = {{"edges", show_count(f.edges)},
                  {"weight coverage", show_fraction(f.weight_coverage)},
                  {"rounds", std::to_string(f.rounds)},
                  {"maximal", f.maximal ? "yes" : "unknown"}};
    page.degrees = report::chart_degrees(a);
    std::vector<std::int64_t> selected(std::size_t(f.vertices), 0);
    for (std::size_t at = 0; at < neighbors.size(); ++at) selected[at / std::size_t(f.degree)] += neighbors[at] >= 0;
    page.found = report::chart_sizes("Vertices by selected edges", "selected edges of a vertex", selected);
    page.drawing = std::move(drawing);
    page.settings = {{"method", o.method},
                     {"degree", std::to_string(f.degree)},
                     {"ties", name_of(used.ties)},
                     {"precision", o.common.precision}};
    show_environment(chosen, page);
    files.write_text(o.report, render(page));
}

template <class Executor, class T>
outcome find_factor(factor_request const& o, any_executor const& chosen, Executor const& exec, output_files& files) {
    auto const host = make_host(o.common);
    auto const used = read_factor_arguments(o.factor);
    progress status(o.common);
    auto const graph = load_numbered<T>(host, o.matrix, status);
    auto const& a = graph.matrix;
    require_square("factor", o.matrix, a.rows(), a.columns());
    report::graph_drawing drawing;
    if (!o.picture.empty())
        drawing = report::draw_picture(host, a.view());
    else if (!o.report.empty())
        drawing = report::draw_graph(a.view());
    drawing.vertices = graph.vertices;
    auto const on_device = exec.copy(a);
    status.show("edge weights");
    exec.synchronize();
    stopwatch clock;
    auto const weights = symmetrised_weights(exec, on_device.view());
    exec.synchronize();
    double const weights_seconds = clock.lap();
    status.show("factor");
    graph_factor<std::int32_t> f;
    if constexpr (std::is_same_v<Executor, host_executor>)
        f = o.method == "greedy" ? greedy_factor(exec, weights.view(), used)
                                 : parallel_factor(exec, weights.view(), used);
    else
        f = parallel_factor(exec, weights.view(), used);
    exec.synchronize();
    double const seconds = clock.lap();
    files.write(o.output, [&](std::string const& path) {
        auto const on_host = host.copy(weights);
        auto const of_factor = matrix_of(host, on_host.view(), host.copy(f));
        write_matrix_market(host, path, of_factor,
                            {.symmetry = matrix_market_symmetry::symmetric,
                             .comment = comment_on(graph.vertices),
                             .progress = status.of_file(o.output)});
    });
    if (!o.picture.empty() || !o.report.empty()) {
        auto const neighbors = to_vector(exec, f.neighbors);
        for (std::int32_t at = 0; at < std::int32_t(neighbors.size()); ++at)
            if (std::int32_t const v = at / f.degree, w = neighbors[std::size_t(at)]; w > v)
                drawing.taken.emplace_back(v, w);
        if (!o.picture.empty()) files.write_text(o.picture, report::picture_file(drawing));
        if (!o.report.empty()) write_report(o, chosen, used, a.view(), f, neighbors, std::move(drawing), files);
    }
    status.clear();

    sheet result("factor", o.common);
    result.input(o.matrix, a.rows(), a.columns(), a.nonzeros());
    result.backend(chosen);
    show_results(result, o, used, f, weights_seconds, seconds);
    result.publish(files);
    return {};
}

outcome run(factor_request& o) {
    check_common_options(o.common);
    check_matrix_argument(o.matrix, "factor");
    require_name("method", o.method, methods);
    read_factor_arguments(o.factor);
    if (o.method == "greedy" && o.common.backend == "cuda")
        throw usage_error("the greedy method is sequential and runs on the host only; use --backend host");
    if (o.method == "greedy") o.common.backend = "host";
    auto const chosen = make_executor(o.common);
    output_files files({{"MATRIX", o.matrix}});
    files.expect("-o", o.output);
    files.expect("--json", o.common.json);
    files.expect("--report", o.report);
    files.expect("--picture", o.picture, ".svg");
    return with_backend(o.common, chosen, [&]<class Executor, class T>(Executor const& exec, std::type_identity<T>) {
        return find_factor<Executor, T>(o, chosen, exec, files);
    });
}

} // namespace

command add_factor(CLI::App& program) {
    auto const o = std::make_shared<factor_request>();
    auto* const cli = program.add_subcommand("factor", "Compute a weighted [0, n]-factor of the graph of a matrix");
    add_matrix_argument(*cli, o->matrix);
    add_integer(*cli, "--degree", o->factor.options.degree,
                "maximum number of selected edges per vertex, 1 to 4; 2 by default")
        ->type_name("n");
    cli->add_option("--method", o->method, "parallel (algorithm 8, the default) or greedy (algorithm 6)")
        ->type_name("parallel|greedy");
    add_factor_options(*cli, o->factor);
    cli->add_option("-o,--output", o->output, "output file of the factor, a symmetric matrix of its edge weights")
        ->type_name("FILE");
    cli->add_option("--report", o->report,
                    "write an HTML page with degrees, selected edges and, if the graph is small, a drawing")
        ->type_name("FILE.html");
    add_picture_option(*cli, o->picture);
    add_common_options(*cli, o->common);
    return {cli, [o] { return run(*o); }};
}

} // namespace coppice::app
