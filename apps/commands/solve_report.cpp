// SPDX-License-Identifier: BSD-3-Clause
// The page of `coppice solve --report`: comparison runs, forest, pictures, settings.
#include <algorithm>
#include <cctype>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "apps/commands/solve.hpp"
#include "apps/factor_arguments.hpp"
#include "apps/report/collect.hpp"
#include <coppice/algebra/operations.hpp>
#include <coppice/preconditioner_classes.hpp>

namespace coppice::app {
namespace {

template <class T>
report::run page_run(solve_run<T> const& r, bool chosen) {
    return {.preconditioner = r.preconditioner,
            .chosen = chosen,
            .converged = r.result.converged,
            .ending = in_words(r.result.reason),
            .iterations = r.result.iterations,
            .relative_residual = r.result.relative_residual,
            .forward_error = r.forward_error,
            .setup_seconds = r.setup_seconds,
            .solve_seconds = r.solve_seconds,
            .residuals = r.result.residual_history};
}

// Comparison runs may take four times as long as the chosen run, which bounds the time of the report.
template <class T>
std::int64_t comparison_limit(solve_options const& o, solve_run<T> const& run) {
    if (!run.result.converged) return o.max_iterations;
    return std::min(o.max_iterations, std::max<std::int64_t>(200, 4 * run.result.iterations));
}

template <class Executor, class T>
std::vector<report::run> compare(solve_options const& o, Executor const& exec, linear_system<Executor, T> const& system,
                                 solve_run<T> const& run, progress& status) {
    std::vector<report::run> runs{page_run(run, true)};
    for (preconditioner_row const& known : preconditioner_catalogue) {
        std::string const name(known.name);
        if (is_interrupted()) break;
        if (name == run.preconditioner || !known.compared) continue;
        if (auto const reason = reason_against(make_host(o.common), name, system.host_matrix.view()))
            runs.push_back({.preconditioner = name, .ending = "not run: " + *reason});
        else
            runs.push_back(page_run(run_solver(o, exec, system, name, comparison_limit(o, run), status), false));
        runs.back().style = int(runs.size()) - 2;
    }
    return runs;
}

/// Formats a key of a finding: coverage_2 is "coverage 2".
std::string display_key(std::string_view key) {
    std::string name(key);
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

template <class Executor, class T>
void add_forest(solve_options const& o, Executor const& exec, linear_system<Executor, T> const& system,
                preconditioner_report const& setup, report::page& page) {
    auto const host = make_host(o.common);
    chosen_options const options("preconditioner \"forest\"", forest_entry::row.options, o.options_of("forest"));
    auto const used = forest_entry::read(options).factor;
    auto const weights = symmetrised_weights(exec, system.matrix.view());
    auto const factor = parallel_factor(exec, weights.view(), used);
    auto const forest = host.copy(extract_forest(exec, weights.view(), factor));
    auto const original = coverages(exec, system.matrix.view());
    auto& summary = page.forest;
    summary = report::summary_of(forest, factor, name_of(used.ties), original);
    if (setup.has("factors"))
        for (finding const& f : setup.findings)
            if (f.unit == finding_unit::fraction)
                summary.coverages.push_back({display_key(f.key), "found by the set-up of " + setup.name, f.value});
    report::draw_patterns(system.host_matrix.view(), forest, page.whole, page.closeup);
}

std::string coarsening_in_words(coarsening_end end) {
    switch (end) {
    case coarsening_end::nothing:
        return "Every row of the last level is diagonally dominant.";
    case coarsening_end::stalled:
        return "The last level could not be made much smaller.";
    case coarsening_end::levels:
        return "The maximum number of levels is reached.";
    default:
        return "The last level is solved directly.";
    }
}

/// Recomputes the levels of the setup, since the run stores its findings only.
template <class Executor, class T>
void add_levels(Executor const& exec, linear_system<Executor, T> const& system, preconditioner_report const& setup,
                report::page& page) {
    auto const a = system.matrix.view();
    chosen_options const options("preconditioner \"multilevel\"", multilevel_entry::row.options, setup.options);
    auto const m = multilevel_entry::make(exec, a, options);
    multilevel_report const made = m.report();
    auto& s = page.levels;
    for (auto const& level : made.levels)
        s.levels.push_back({level.rows, level.nonzeros, level.coverage, level.smoothed});
    s.ending = coarsening_in_words(made.end);
    s.grid_complexity = made.grid_complexity;
    s.operator_complexity = made.operator_complexity;
    s.convergence_factor = convergence_factor(exec, a, m);
    s.seconds = {{"couplings", show_seconds(made.coupling_seconds)},
                 {"aggregates", show_seconds(made.aggregate_seconds)},
                 {"prolongators", show_seconds(made.prolongator_seconds)},
                 {"Galerkin products", show_seconds(made.galerkin_seconds)},
                 {"smoothers", show_seconds(made.smoother_seconds)}};
    if (!made.aggregates.empty()) s.aggregates = {report::plane_grid_width(system.host_matrix.view()), made.aggregates};
}

std::string show_options(option_values const& options) {
    std::string text;
    for (auto const& [name, value] : options.entries())
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value.text);
    return text.empty() ? "none" : text;
}

report::entries settings_of(solve_options const& o, preconditioner_report const& setup) {
    report::entries rows = {{"matrix", o.matrix},
                            {"right-hand side", !o.system.rhs.empty()         ? o.system.rhs
                                                : o.system.solution == "sine" ? "b = A x with x_i = sin(16 π i / N)"
                                                                              : "b = A x with x_i = 1"},
                            {"solver", o.solver == "gmres" ? fmt::format("gmres({})", o.restart) : o.solver},
                            {"preconditioner", o.preconditioner},
                            {"tolerance", fmt::format("{:g}", o.tolerance)},
                            {"maximum iterations", show_count(o.max_iterations)},
                            {"preconditioner options", show_options(setup.options)},
                            {"precision", o.common.precision}};
    return rows;
}

report::entries environment_of(any_executor const& chosen) {
    report::entries rows = {{"backend", describe_executor(chosen)}};
    for (auto const& entry : describe_build()) rows.push_back(entry);
    rows.emplace_back("date", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr))));
    return rows;
}

std::string display_name(std::string const& solver) {
    if (solver == "bicgstab") return "BiCGStab";
    std::string name = solver;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return char(std::toupper(c)); });
    return name;
}

} // namespace

template <class Executor, class T>
void write_report(solve_options const& o, any_executor const& chosen, Executor const& exec,
                  linear_system<Executor, T> const& system, solve_run<T> const& run, output_files& files,
                  progress& status) {
    auto const& a = system.host_matrix;
    report::page page;
    page.matrix = o.matrix;
    page.size = show_size(a.rows(), a.columns(), a.nonzeros());
    page.solver = display_name(o.solver);
    page.tolerance = o.tolerance;
    page.runs = compare(o, exec, system, run, status);
    status.show("drawing the report");
    add_forest(o, exec, system, run.setup, page);
    if (run.setup.name == multilevel_entry::row.name) add_levels(exec, system, run.setup, page);
    page.settings = settings_of(o, run.setup);
    page.environment = environment_of(chosen);
    if (!o.start.empty()) page.settings.emplace_back("starting guess", o.start);
    files.write_text(o.report, report::render(page));
}

#define COPPICE_APP_REPORT(EXECUTOR, T)                                                                                \
    template void write_report(solve_options const&, any_executor const&, EXECUTOR const&,                             \
                               linear_system<EXECUTOR, T> const&, solve_run<T> const&, output_files&, progress&);
COPPICE_APP_REPORT(host_executor, float)
COPPICE_APP_REPORT(host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_APP_REPORT(cuda_executor, float)
COPPICE_APP_REPORT(cuda_executor, double)
#endif

} // namespace coppice::app
