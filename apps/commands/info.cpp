// SPDX-License-Identifier: BSD-3-Clause
// coppice info MATRIX: size, symmetry, bandwidths, degrees, coverages.
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "apps/backend.hpp"
#include "apps/input.hpp"
#include "apps/output.hpp"
#include "apps/report/graph_page.hpp"
#include <coppice/algebra/asymmetry.hpp>
#include <coppice/algebra/operations.hpp>

namespace coppice::app {
namespace {

struct info_request {
    common_options common{};
    std::string matrix{};
    std::string report{};
};

char const* yes_no(bool yes) { return yes ? "yes" : "no"; }

/// A matrix, and the largest difference from its transpose relative to the rows, infinity if it is not square.
struct inspected : matrix_info {
    double asymmetry = 0;
    double tolerance = 0; ///< of the asymmetry, for solvers that need symmetry

    bool symmetric_to_rounding() const { return asymmetry <= tolerance; }
};

std::string show_symmetry(inspected const& m) {
    auto const text = fmt::format("pattern {}, values {}", yes_no(m.symmetric_pattern), yes_no(m.symmetric_values));
    if (m.symmetric_values) return text;
    return text + fmt::format(", up to rounding {} ({:.1e} of the largest element of a row)",
                              yes_no(m.symmetric_to_rounding()), m.asymmetry);
}

void show_results(sheet& result, inspected const& m) {
    result.line("symmetric", show_symmetry(m));
    result.line("bandwidth",
                fmt::format("lower {}, upper {}", show_count(m.bandwidth.lower), show_count(m.bandwidth.upper)));
    result.line("row degrees", fmt::format("{} to {}, mean {:.2f}", show_count(m.degrees.smallest),
                                           show_count(m.degrees.largest), m.degrees.mean));
    result.line("zero diagonals", show_count(m.zero_diagonals));
    result.line("largest |a|", fmt::format("{:.6g}", m.largest_magnitude));
    result.line("diagonal coverage", show_fraction(m.diagonal_coverage) + "  of the weight is on the diagonal");
    result.line("identity coverage",
                show_fraction(m.identity_coverage) + "  of the off-diagonal weight is on the sub- and superdiagonal");
    auto& json = result.json();
    json["symmetric_pattern"] = m.symmetric_pattern;
    json["symmetric_values"] = m.symmetric_values;
    json["symmetric_to_rounding"] = m.symmetric_to_rounding();
    json["asymmetry"] = m.asymmetry;
    json["lower_bandwidth"] = m.bandwidth.lower;
    json["upper_bandwidth"] = m.bandwidth.upper;
    json["smallest_degree"] = m.degrees.smallest;
    json["largest_degree"] = m.degrees.largest;
    json["mean_degree"] = m.degrees.mean;
    json["zero_diagonals"] = m.zero_diagonals;
    json["largest_magnitude"] = m.largest_magnitude;
    json["diagonal_coverage"] = m.diagonal_coverage;
    json["identity_coverage"] = m.identity_coverage;
}

template <class T>
void write_report(info_request const& o, any_executor const& chosen, csr_view<T> a, inspected const& m,
                  output_files& files) {
    report::graph_page page{
        .command = "info", .summary = "Size, symmetry, bandwidths and coverages", .graph = o.matrix};
    show_matrix(a, page);
    page.facts = {{"pattern", m.symmetric_pattern ? "symmetric" : "not symmetric"},
                  {"values", m.symmetric_values          ? "symmetric"
                             : m.symmetric_to_rounding() ? "symmetric up to rounding"
                                                         : "not symmetric"},
                  {"lower bandwidth", show_count(m.bandwidth.lower)},
                  {"upper bandwidth", show_count(m.bandwidth.upper)},
                  {"mean row degree", fmt::format("{:.2f}", m.degrees.mean)},
                  {"zero diagonals", show_count(m.zero_diagonals)},
                  {"diagonal coverage", show_fraction(m.diagonal_coverage)},
                  {"identity coverage", show_fraction(m.identity_coverage)}};
    page.settings = {{"precision", o.common.precision}};
    show_environment(chosen, page);
    files.write_text(o.report, render(page));
}

template <class Executor, class T>
outcome inspect(info_request const& o, any_executor const& chosen, Executor const& exec, output_files& files) {
    progress status(o.common);
    stopwatch clock;
    auto const a = load_matrix<T>(make_host(o.common), o.matrix, status);
    double const read_seconds = clock.lap();
    status.show("inspecting");
    auto const on_device = exec.copy(a);
    clock.lap();
    // A matrix without rows has no arrays.
    inspected info{a.rows() > 0 ? describe(exec, on_device.view()) : matrix_info{.columns = a.columns()}};
    info.tolerance = symmetry_tolerance<T>;
    if (a.rows() != a.columns())
        info.asymmetry = std::numeric_limits<double>::infinity();
    else if (!info.symmetric_values)
        info.asymmetry = asymmetry_of(exec, on_device.view());
    double const seconds = clock.lap();
    if (!o.report.empty()) write_report(o, chosen, a.view(), info, files);
    status.clear();

    sheet result("info", o.common);
    result.input(o.matrix, a.rows(), a.columns(), a.nonzeros());
    result.backend(chosen);
    show_results(result, info);
    result.line("time", fmt::format("{} to read, {} to inspect", show_seconds(read_seconds), show_seconds(seconds)));
    result.json()["read_seconds"] = read_seconds;
    result.json()["seconds"] = seconds;
    result.publish(files);
    return {};
}

outcome run(info_request const& o) {
    check_common_options(o.common);
    check_matrix_argument(o.matrix, "info");
    auto const chosen = make_executor(o.common);
    output_files files({{"MATRIX", o.matrix}});
    files.expect("--json", o.common.json);
    files.expect("--report", o.report);
    return with_backend(o.common, chosen, [&]<class Executor, class T>(Executor const& exec, std::type_identity<T>) {
        return inspect<Executor, T>(o, chosen, exec, files);
    });
}

} // namespace

command add_info(CLI::App& program) {
    auto const o = std::make_shared<info_request>();
    auto* const cli = program.add_subcommand("info", "Describe a matrix: size, symmetry, bandwidths, coverages");
    add_matrix_argument(*cli, o->matrix);
    cli->add_option("--report", o->report,
                    "write an HTML page with the sparsity pattern, row degrees and, if the graph is small, a drawing")
        ->type_name("FILE.html");
    add_common_options(*cli, o->common);
    return {cli, [o] { return run(*o); }};
}

} // namespace coppice::app
