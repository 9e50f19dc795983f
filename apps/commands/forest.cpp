// SPDX-License-Identifier: BSD-3-Clause
// coppice forest MATRIX: the linear forest of a matrix and the permutation that makes it tridiagonal.
#include <memory>

#include <fmt/format.h>

#include "apps/backend.hpp"
#include "apps/factor_arguments.hpp"
#include "apps/input.hpp"
#include "apps/output.hpp"
#include "apps/report/collect.hpp"
#include "apps/report/components.hpp"
#include "apps/report/graph_page.hpp"
#include <coppice/algebra/operations.hpp>
#include <coppice/graph/forest/linear_forest.hpp>

namespace coppice::app {
namespace {

struct forest_request {
    common_options common{};
    std::string matrix{};
    factor_arguments factor{{.ties = tie_rule::near}}; // prefers whole grid lines to independence of the numbering
    std::string output{};
    std::string picture{};
    std::string report{};
};

struct timing {
    double weights = 0;
    double factor = 0;
    double forest = 0;
    double all() const { return weights + factor + forest; }
};

/// Returns, for each position, the number of its vertex in the file.
std::string permutation_text(array_view<std::int32_t const> permutation, vertex_numbering const& vertices) {
    std::string text = "%%MatrixMarket matrix array integer general\n"
                       "% row p of the permuted matrix is row permutation(p) of the original one\n";
    if (auto const first = number_of(vertices, 0); first != 1)
        text += "% whose first row is number " + std::to_string(first) + "\n";
    text.reserve(text.size() + static_cast<std::size_t>(permutation.size()) * 8);
    text += std::to_string(permutation.size()) + " 1\n";
    for (auto const vertex : permutation) text.append(std::to_string(number_of(vertices, vertex))) += '\n';
    return text;
}

void show_results(sheet& result, forest_request const& o, factor_options const& used,
                  graph_factor<std::int32_t> const& factor, linear_forest<std::int32_t> const& forest,
                  double identity_coverage, timing const& seconds) {
    result.line("paths",
                fmt::format("{}, the longest of {}", show_count(forest.paths), counted(forest.longest_path, "row")));
    result.line("cycles broken", show_count(forest.cycles_broken));
    result.line("weight coverage",
                fmt::format("{}  (factor {}, sub- and superdiagonal of the original order {})",
                            show_fraction(forest.weight_coverage), show_fraction(factor.weight_coverage),
                            show_fraction(identity_coverage)));
    result.line("time", fmt::format("{}: weights {}, factor {} ({} rounds), paths {}", show_seconds(seconds.all()),
                                    show_seconds(seconds.weights), show_seconds(seconds.factor), factor.rounds,
                                    show_seconds(seconds.forest)));
    if (!o.output.empty()) result.line("written to", o.output);
    auto& json = result.json();
    json["ties"] = name_of(used.ties);
    json["rounds"] = factor.rounds;
    json["paths"] = forest.paths;
    json["longest_path"] = forest.longest_path;
    json["cycles_broken"] = forest.cycles_broken;
    json["edges"] = forest.edges;
    json["weight_coverage"] = forest.weight_coverage;
    json["factor_coverage"] = factor.weight_coverage;
    json["identity_coverage"] = identity_coverage;
    json["weights_seconds"] = seconds.weights;
    json["factor_seconds"] = seconds.factor;
    json["forest_seconds"] = seconds.forest;
    json["seconds"] = seconds.all();
    for (auto const& bin : report::bin_paths(forest.path_offsets.view()))
        json["path_lengths"].push_back(
            {{"shortest", bin.shortest}, {"longest", bin.longest}, {"paths", bin.paths}, {"rows", bin.vertices}});
}

template <class T>
void write_report(forest_request const& o, any_executor const& chosen, csr_view<T> a,
                  linear_forest<std::int32_t> const& forest, report::forest_summary const& summary,
                  report::graph_drawing drawing, output_files& files) {
    report::graph_page page{.command = "forest", .summary = "The linear forest of a matrix", .graph = o.matrix};
    page.size = show_size(a.rows(), a.columns(), a.nonzeros());
    page.facts = {{"paths", show_count(forest.paths)},
                  {"longest path", show_count(forest.longest_path)},
                  {"cycles broken", show_count(forest.cycles_broken)},
                  {"weight coverage", show_fraction(forest.weight_coverage)}};
    page.degrees = report::chart_degrees(a);
    report::pattern whole, closeup;
    draw_patterns(a, forest, whole, closeup);
    page.more = {{"forest", "Linear forest", forest_figures(summary)},
                 {"pattern", "Sparsity pattern", forest_patterns(whole, closeup)}};
    page.drawing = std::move(drawing);
    page.settings = {{"precision", o.common.precision}};
    show_environment(chosen, page);
    files.write_text(o.report, render(page));
}

template <class Executor, class T>
outcome find_forest(forest_request const& o, any_executor const& chosen, Executor const& exec, output_files& files) {
    auto const host = make_host(o.common);
    auto const used = read_factor_arguments(o.factor);
    progress status(o.common);
    auto const graph = load_numbered<T>(host, o.matrix, status);
    auto const& a = graph.matrix;
    require_square("forest", o.matrix, a.rows(), a.columns());
    report::graph_drawing drawing;
    if (!o.picture.empty())
        drawing = report::draw_picture(host, a.view());
    else if (!o.report.empty())
        drawing = report::draw_graph(a.view());
    drawing.vertices = graph.vertices;
    auto const on_device = exec.copy(a);
    auto const lap = [&](stopwatch& clock) {
        exec.synchronize();
        return clock.lap();
    };
    exec.synchronize();
    timing seconds;
    stopwatch clock;
    status.show("edge weights");
    auto const weights = symmetrised_weights(exec, on_device.view());
    seconds.weights = lap(clock);
    status.show("factor");
    auto const factor = parallel_factor(exec, weights.view(), used);
    seconds.factor = lap(clock);
    status.show("forest");
    auto const found = extract_forest(exec, weights.view(), factor);
    seconds.forest = lap(clock);
    auto const original = coverages(exec, on_device.view());
    double const identity_coverage = original.identity_coverage();
    auto const forest = host.copy(found);
    files.write_text(o.output, permutation_text(forest.permutation.view(), graph.vertices));
    if (!o.picture.empty() || !o.report.empty()) {
        for (std::int32_t v = 0; v < forest.vertices; ++v)
            for (int s : {0, 1})
                if (std::int32_t const w = forest.links[2 * v + s]; w > v) drawing.taken.emplace_back(v, w);
        if (!o.picture.empty()) files.write_text(o.picture, report::picture_file(drawing));
        if (!o.report.empty())
            write_report(o, chosen, a.view(), forest, report::summary_of(forest, factor, name_of(used.ties), original),
                         std::move(drawing), files);
    }
    status.clear();

    sheet result("forest", o.common);
    result.input(o.matrix, a.rows(), a.columns(), a.nonzeros());
    result.backend(chosen);
    show_results(result, o, used, factor, forest, identity_coverage, seconds);
    result.publish(files);
    return {};
}

outcome run(forest_request const& o) {
    check_common_options(o.common);
    check_matrix_argument(o.matrix, "forest");
    read_factor_arguments(o.factor);
    auto const chosen = make_executor(o.common);
    output_files files({{"MATRIX", o.matrix}});
    files.expect("-o", o.output);
    files.expect("--json", o.common.json);
    files.expect("--report", o.report);
    files.expect("--picture", o.picture, ".svg");
    return with_backend(o.common, chosen, [&]<class Executor, class T>(Executor const& exec, std::type_identity<T>) {
        return find_forest<Executor, T>(o, chosen, exec, files);
    });
}

} // namespace

command add_forest(CLI::App& program) {
    auto const o = std::make_shared<forest_request>();
    auto* const cli = program.add_subcommand("forest", "Compute the linear forest of a matrix and its permutation");
    add_matrix_argument(*cli, o->matrix);
    add_factor_options(*cli, o->factor);
    cli->add_option("-o,--output", o->output,
                    "output file of the permutation: for every position, the number of its row in the input file")
        ->type_name("FILE");
    cli->add_option(
           "--report", o->report,
           "write an HTML page with path lengths, coverages, sparsity patterns and, if the graph is small, a drawing")
        ->type_name("FILE.html");
    add_picture_option(*cli, o->picture);
    add_common_options(*cli, o->common);
    return {cli, [o] { return run(*o); }};
}

} // namespace coppice::app
