// SPDX-License-Identifier: BSD-3-Clause
// coppice tridiagonal MATRIX: direct solve of a tridiagonal system.
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "algebra/matrix_market.hpp"
#include "algebra/operations.hpp"
#include "apps/backend.hpp"
#include "apps/names.hpp"
#include "apps/output.hpp"
#include "apps/pivoting_names.hpp"
#include "apps/system.hpp"
#include "solvers/rpts.hpp"

namespace coppice::app {
namespace {

struct options {
    common_options common{};
    std::string matrix{};
    std::string method = "rpts";
    std::string pivoting = "partial";
    double threshold = 0;
    int block = 1;
    system_arguments system{};
};

constexpr std::string_view methods[] = {"rpts"};

struct answer {
    double seconds = 0;
    double backward_error = 0;
    double forward_error = 0;
    std::int64_t zero_pivot = 0; ///< row, counted from 1, where elimination meets a column of zeros; 0 for none
    bool overflows = false;      ///< the solution is not finite, or so large that only a vanished pivot explains it
};

/// Gaussian elimination with partial pivoting, as a check of the matrix alone: the first row without a pivot.
template <class T>
std::int64_t find_zero_pivot(tridiagonal_view<T> a) {
    std::int64_t const n = a.size();
    auto const upper_of = [&](std::int64_t i) { return i + 1 < n ? a.upper[i] : T(0); };
    T pivot = n > 0 ? a.diagonal[0] : T(1), next = n > 0 ? upper_of(0) : T(0); // the row that is eliminated from
    for (std::int64_t i = 0; i + 1 < n; ++i) {
        T lower = a.lower[i + 1], diagonal = a.diagonal[i + 1], upper = upper_of(i + 1), fill = T(0);
        if (std::abs(lower) > std::abs(pivot)) {
            std::swap(lower, pivot);
            std::swap(diagonal, next);
            std::swap(upper, fill);
        }
        if (pivot == T(0)) return i + 1;
        T const factor = lower / pivot;
        pivot = diagonal - factor * next;
        next = upper - factor * fill;
    }
    return pivot == T(0) ? n : 0;
}

/// Whether |A| |x| exceeds |d| by more than half of the exponent range: RPTS takes the smallest normal number for a
/// pivot of zero, so that what depends on it is visible.
template <class T>
bool overflows(csr<T> const& a, buffer<T> const& x, buffer<T> const& d) {
    auto const largest = [](buffer<T> const& values) {
        double most = 0;
        for (T const value : values) most = std::isfinite(value) ? std::max<double>(most, std::abs(value)) : INFINITY;
        return most;
    };
    double const size = largest(x);
    return std::isinf(size) || std::sqrt(largest(a.values())) * std::sqrt(size) >
                                   std::sqrt(largest(d)) * std::pow(double(std::numeric_limits<T>::max()), 0.25);
}

template <class T>
void require_tridiagonal(host_executor const& host, options const& o, csr<T> const& a) {
    require_square("tridiagonal", o.matrix, a.rows(), a.columns());
    auto const reach = bandwidths(host, a.view());
    if (reach.lower > 1 || reach.upper > 1)
        throw input_error(fmt::format("{} has lower bandwidth {} and upper bandwidth {}, a tridiagonal matrix has at "
                                      "most 1 and 1; coppice solve takes any square matrix",
                                      o.matrix, reach.lower, reach.upper));
}

void tell(sheet& result, options const& o, std::int64_t rows, answer const& r) {
    result.line("method", fmt::format("{}, {} pivoting", o.method, o.pivoting));
    result.line("backward error", show_scientific(r.backward_error));
    if (!std::isnan(r.forward_error)) result.line("forward error", show_scientific(r.forward_error));
    result.line("time",
                fmt::format("{}, {:.3g} million rows/s", show_seconds(r.seconds), double(rows) / r.seconds * 1e-6));
    if (!o.system.output.empty()) result.line("written to", o.system.output);
    auto& json = result.json();
    json["method"] = o.method;
    json["pivoting"] = o.pivoting;
    json["block"] = o.block;
    json["rhs"] = o.system.rhs.empty() ? o.system.solution : o.system.rhs;
    json["backward_error"] = r.backward_error;
    json["forward_relative_error"] = r.forward_error;
    json["singular"] = r.zero_pivot > 0;
    json["seconds"] = r.seconds;
}

outcome judge(answer const& r, options const& o, double rounding) {
    if (r.zero_pivot > 0)
        return {exit_numerical,
                fmt::format("{} is singular: elimination finds no pivot in row {}", o.matrix, r.zero_pivot)};
    auto const advice = o.pivoting == "none" ? "; the matrix may need pivoting" : "";
    if (r.overflows) return {exit_numerical, fmt::format("the solution of {} overflows{}", o.matrix, advice)};
    // A stable solve leaves a few units of rounding.
    if (!(r.backward_error < std::sqrt(rounding)))
        return {exit_numerical,
                fmt::format("the backward error of {} is {}{}", o.matrix, show_scientific(r.backward_error), advice)};
    return {};
}

template <class Executor, class T>
outcome solve_system(options const& o, any_executor const& chosen, Executor const& exec, output_files& files) {
    auto const host = make_host(o.common);
    progress status(o.common);
    status.show("reading " + o.matrix);
    auto const a = load_matrix<T>(host, o.matrix);
    require_tridiagonal(host, o, a);
    auto const system = make_right_hand_side<T>(host, o.system, a);
    auto const host_bands = extract_tridiagonal(host, a.view());
    auto const bands = exec.copy(host_bands);
    auto const d = exec.copy(system.b);
    buffer<T> x(exec, a.rows());
    buffer<std::byte> workspace(exec, tridiagonal_workspace<T>(a.rows()));

    status.show("solving");
    exec.synchronize();
    answer r;
    stopwatch clock;
    solve_tridiagonal(exec, bands.view(), d.view(), x.view(), workspace.view(),
                      {.pivot = choose("pivoting", o.pivoting, pivotings), .threshold = o.threshold});
    exec.synchronize();
    r.seconds = clock.lap();
    r.backward_error = tridiagonal_backward_error(exec, bands.view(), x.view(), d.view());
    auto const solved = host.copy(x);
    r.forward_error = forward_relative_error<T>(host, solved.view(), system.solution);
    r.zero_pivot = find_zero_pivot(host_bands.view());
    r.overflows = overflows(a, solved, system.b);
    files.write(o.system.output, [&](std::string const& path) { write_vector<T>(host, path, solved.view()); });
    status.clear();

    sheet result("tridiagonal", o.common);
    result.input(o.matrix, a.rows(), a.columns(), a.nonzeros());
    result.backend(chosen);
    tell(result, o, a.rows(), r);
    result.publish(files);
    return judge(r, o, std::numeric_limits<T>::epsilon());
}

outcome run(options& o) {
    check_common_options(o.common);
    check_matrix_argument(o.matrix, "tridiagonal");
    require_name("method", o.method, methods);
    choose("pivoting", o.pivoting, pivotings);
    if (!(o.threshold >= 0 && std::isfinite(o.threshold)))
        throw usage_error(fmt::format("--threshold is {}, expected a finite number of at least 0", o.threshold));
    if (o.block != 1)
        throw usage_error(fmt::format("--block is {}, expected 1: only scalar systems are solved", o.block));
    check_system_arguments(o.system);
    auto const chosen = make_executor(o.common);
    output_files files;
    files.expect("-o", o.system.output);
    files.expect("--json", o.common.json);
    return with_backend(o.common, chosen, [&]<class Executor, class T>(Executor const& exec, std::type_identity<T>) {
        return solve_system<Executor, T>(o, chosen, exec, files);
    });
}

} // namespace

command add_tridiagonal(CLI::App& program) {
    auto const o = std::make_shared<options>();
    auto* const cli = program.add_subcommand("tridiagonal", "Solve a tridiagonal system directly");
    add_matrix_argument(*cli, o->matrix);
    cli->add_option("--method", o->method, "how to solve: rpts")->type_name("NAME");
    cli->add_option("--pivoting", o->pivoting, "none, partial or scaled")->type_name(alternatives(pivotings));
    cli->add_option("--threshold", o->threshold, "entries of at most this magnitude count as zero in the elimination")
        ->type_name("X");
    cli->add_option("--block", o->block, "rows and columns of a block: 1")->type_name("N");
    add_system_options(*cli, o->system);
    add_common_options(*cli, o->common);
    return {cli, [o] { return run(*o); }};
}

} // namespace coppice::app
