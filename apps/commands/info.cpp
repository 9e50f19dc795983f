// SPDX-License-Identifier: BSD-3-Clause
// coppice info MATRIX: size, symmetry, bandwidths, degrees, coverages.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "apps/backend.hpp"
#include "apps/input.hpp"
#include "apps/output.hpp"
#include "apps/report/graph_page.hpp"
#include <coppice/algebra/asymmetry.hpp>
#include <coppice/algebra/operations.hpp>
#include <coppice/solvers/iterative/vectors/elements.hpp>

namespace coppice::app {
namespace {

struct info_request {
    common_options common{};
    std::string matrix{};
    std::string report{};
};

char const* yes_no(bool yes) { return yes ? "yes" : "no"; }

/// A matrix, and the largest difference from its (conjugate) transpose relative to the rows, infinity if it is not
/// square. Weights and magnitudes of a complex matrix are those of |a|.
struct inspected : matrix_info {
    double asymmetry = 0;
    double tolerance = 0; ///< of the asymmetry, for solvers that need symmetry
    bool complex = false;
    bool hermitian = false; ///< of a complex matrix

    bool symmetric_to_rounding() const { return asymmetry <= tolerance; }
};

std::string show_symmetry(inspected const& m) {
    auto const text = fmt::format("pattern {}, values {}", yes_no(m.symmetric_pattern), yes_no(m.symmetric_values));
    if (m.complex ? m.hermitian : m.symmetric_values) return text + (m.complex ? ", Hermitian yes" : "");
    if (m.rows != m.columns) return text;
    auto const rounding = fmt::format("{}{}, up to rounding {}", text, m.complex ? ", Hermitian no" : "",
                                      yes_no(m.symmetric_to_rounding()));
    if (std::isinf(m.asymmetry)) return rounding; // the row of the transposed element is empty
    return rounding + fmt::format(" ({:.1e} of the largest element of a row)", m.asymmetry);
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
    if (m.complex) json["hermitian"] = m.hermitian;
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

char const* describe_values(inspected const& m) {
    if (m.symmetric_values) return "symmetric";
    if (m.hermitian) return "Hermitian";
    if (m.symmetric_to_rounding()) return m.complex ? "Hermitian up to rounding" : "symmetric up to rounding";
    return "not symmetric";
}

template <class T>
void write_report(info_request const& o, any_executor const& chosen, csr_view<T> a, inspected const& m,
                  output_files& files) {
    report::graph_page page{
        .command = "info", .summary = "Size, symmetry, bandwidths and coverages", .graph = o.matrix};
    show_matrix(a, page);
    page.facts = {{"pattern", m.symmetric_pattern ? "symmetric" : "not symmetric"},
                  {"values", describe_values(m)},
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

double asymmetry_of_square(auto const& exec, auto const& a) {
    return a.rows() == a.columns() ? asymmetry_of(exec, a) : std::numeric_limits<double>::infinity();
}

template <class Executor, class T>
inspected inspect(Executor const& exec, csr<T> const& a) {
    // A matrix without rows has no arrays.
    inspected m{a.rows() > 0 ? describe(exec, a.view()) : matrix_info{.columns = a.columns()}};
    m.tolerance = symmetry_tolerance<T>;
    if (a.rows() != a.columns() || !m.symmetric_values) m.asymmetry = asymmetry_of_square(exec, a.view());
    return m;
}

template <class T>
csr<T> const& real_values(host_executor const&, csr<T> const& a) {
    return a;
}
/// |A|
template <class R>
csr<R> real_values(host_executor const& host, csr<std::complex<R>> const& a) {
    buffer<R> values(host, a.values().size());
    std::transform(a.values().begin(), a.values().end(), values.begin(), [](std::complex<R> z) { return std::abs(z); });
    return {a.rows(), a.columns(), host.copy(a.row_offsets()), host.copy(a.column_indices()), std::move(values)};
}

/// Statistics of the magnitudes, and the symmetry of the values.
template <class R>
inspected inspect(host_executor const& host, csr<std::complex<R>> const& a) {
    auto m = inspect(host, real_values(host, a));
    m.complex = true;
    if (a.rows() == 0) return m;
    auto const elements = detail::as_elements(a.view());
    m.symmetric_values = symmetry_of(host, elements).values;
    m.asymmetry = asymmetry_of_square(host, elements);
    m.hermitian = m.asymmetry == 0;
    return m;
}

void publish(info_request const& o, any_executor const& chosen, inspected const& m, double read_seconds, double seconds,
             output_files& files) {
    sheet result("info", o.common);
    result.input(o.matrix, m.rows, m.columns, m.nonzeros);
    result.backend(chosen);
    show_results(result, m);
    result.line("time", fmt::format("{} to read, {} to inspect", show_seconds(read_seconds), show_seconds(seconds)));
    result.json()["read_seconds"] = read_seconds;
    result.json()["seconds"] = seconds;
    result.publish(files);
}

template <class Executor, class T>
outcome run(info_request const& o, any_executor const& chosen, Executor const& exec, matrix_input& input,
            output_files& files, progress& status) {
    stopwatch clock;
    auto const host = make_host(o.common);
    auto const a = std::move(input).load<T>(host);
    double const read_seconds = clock.lap();
    status.show("inspecting");
    auto const on_device = exec.copy(a);
    clock.lap();
    auto const m = inspect(exec, on_device);
    double const seconds = clock.lap();
    if (!o.report.empty()) {
        auto const& shown = real_values(host, a);
        write_report(o, chosen, shown.view(), m, files);
    }
    status.clear();
    publish(o, chosen, m, read_seconds, seconds, files);
    return {};
}

outcome run(info_request const& o) {
    check_common_options(o.common);
    check_matrix_argument(o.matrix, "info");
    auto const chosen = make_executor(o.common);
    output_files files({{"MATRIX", o.matrix}});
    files.expect("--json", o.common.json);
    files.expect("--report", o.report);
    progress status(o.common);
    matrix_input input(o.matrix, status);
    if (input.is_complex()) { // on the host
        auto const host = make_host(o.common);
        return o.common.precision == "single"
                   ? run<host_executor, std::complex<float>>(o, host, host, input, files, status)
                   : run<host_executor, std::complex<double>>(o, host, host, input, files, status);
    }
    return with_backend(o.common, chosen, [&]<class Executor, class T>(Executor const& exec, std::type_identity<T>) {
        return run<Executor, T>(o, chosen, exec, input, files, status);
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
