// SPDX-License-Identifier: BSD-3-Clause
// coppice solve with several right-hand sides: one set-up, shared products, separate convergence of each column.
#include <algorithm>
#include <complex>

#include <fmt/format.h>

#include "apps/commands/solve.hpp"
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/solvers/solve/solve_columns.hpp>

namespace coppice::app {
namespace {

/// Solves of all columns; solver and set-up are those of the first column, or as given.
template <class T>
struct several_runs {
    solver_choice choice{};
    preconditioner_report setup{};
    std::vector<krylov_result> results{};
    double setup_seconds = 0, solve_seconds = 0;
    buffer<T> x{}; ///< host memory

    std::int64_t converged() const {
        return std::count_if(results.begin(), results.end(), [](auto const& r) { return r.converged; });
    }
    /// Returns the column with the largest relative residual.
    std::size_t worst() const {
        auto const rank = [](krylov_result const& r) {
            return std::pair(!r.converged, std::isnan(r.relative_residual) ? 1e300 : r.relative_residual);
        };
        return std::size_t(std::max_element(results.begin(), results.end(),
                                            [&](auto const& a, auto const& b) { return rank(a) < rank(b); }) -
                           results.begin());
    }
};

template <class Executor, class T>
several_runs<T> run_columns(solve_options const& o, Executor const& exec, linear_system<Executor, T> const& system,
                            std::int64_t columns, krylov_options krylov) {
    std::int64_t const n = system.a.size();
    auto x = system.start.empty() ? exec.copy(std::vector<T>(std::size_t(n * columns), T(0))) : exec.copy(system.start);
    several_runs<T> runs{.choice = {o.solver, o.preconditioner, 0}};
    stopwatch watch;
    auto const automatic = [&](std::int64_t k) {
        return solve_automatically(exec, system.a, system.b.view().slice(k * n, n), x.view().slice(k * n, n),
                                   {o.solver, o.preconditioner, o.preconditioner_options, krylov});
    };
    std::int64_t first = 0; // first unsolved column
    if (o.is_automatic()) { // solver and preconditioner are chosen by means of the first column
        auto found = automatic(first++);
        runs.choice = found.last().choice;
        runs.results.push_back(std::move(found.result));
        runs.solve_seconds = watch.lap();
    }
    auto const m = detail::make_chosen_preconditioner(exec, runs.choice, o.preconditioner_options, system.a.matrix());
    runs.setup = m.report();
    exec.synchronize();
    runs.setup_seconds = watch.lap();
    krylov_options const with_room = [&] {
        krylov_options more = krylov;
        more.restart = std::max(more.restart, runs.choice.restart);
        return more;
    }();
    std::int64_t const rest = columns - first;
    auto others = solve_columns(exec, runs.choice.solver, system.a, m, system.b.view().slice(first * n, rest * n),
                                x.view().slice(first * n, rest * n), rest, with_room);
    for (auto& r : others) runs.results.push_back(std::move(r));
    for (std::int64_t k = first; o.is_automatic() && k < columns;
         ++k) { // columns that did not converge are solved separately
        krylov_result& r = runs.results[std::size_t(k)];
        if (r.converged || is_interrupted()) continue;
        auto const before = r.iterations;
        r = automatic(k).result;
        r.iterations += before;
    }
    runs.x = make_host(o.common).copy(x);
    runs.solve_seconds += watch.lap();
    return runs;
}

template <class T>
void show_results(sheet& result, solve_options const& o, several_runs<T> const& runs) {
    auto const& worst = runs.results[runs.worst()];
    std::int64_t max_iterations = 0;
    for (auto const& r : runs.results) max_iterations = std::max(max_iterations, r.iterations);
    result.line("solver", fmt::format("{}, preconditioner {}{}, tolerance {:g}", runs.choice.solver, runs.setup.name,
                                      o.is_automatic() ? " (chosen)" : "", o.tolerance));
    result.line("converged", fmt::format("{} of {} right-hand sides, {} at most", runs.converged(), runs.results.size(),
                                         counted(max_iterations, "iteration")));
    result.line("relative residual", show_scientific(worst.relative_residual) + " at most");
    result.line("time", fmt::format("{} to set up, {} to solve", show_seconds(runs.setup_seconds),
                                    show_seconds(runs.solve_seconds)));
    if (!o.system.output.empty()) result.line("solutions", o.system.output);

    auto& json = result.json();
    json["solver"] = runs.choice.solver;
    json["preconditioner"] = runs.setup.name;
    json["rhs"] = o.system.rhs;
    json["tolerance"] = o.tolerance;
    if (o.absolute_tolerance > 0) json["absolute_tolerance"] = o.absolute_tolerance;
    json["max_iterations"] = o.max_iterations;
    json["iterations"] = max_iterations;
    json["converged"] = runs.converged() == std::int64_t(runs.results.size());
    json["relative_residual"] = worst.relative_residual;
    json["setup_seconds"] = runs.setup_seconds;
    json["solve_seconds"] = runs.solve_seconds;
    json["right_hand_sides"] = nlohmann::ordered_json::array();
    for (auto const& r : runs.results)
        json["right_hand_sides"].push_back({{"iterations", r.iterations},
                                            {"converged", r.converged},
                                            {"reason", to_string(r.reason)},
                                            {"relative_residual", r.relative_residual},
                                            {"residual_history", r.residual_history}});
}

template <class T>
outcome outcome_of(solve_options const& o, several_runs<T> const& runs) {
    auto const count = std::int64_t(runs.results.size());
    if (runs.converged() == count) return {};
    auto const k = runs.worst();
    auto const& worst = runs.results[k];
    return {exit_numerical,
            fmt::format("{} did not converge on {} for {} of {} right-hand sides: for column {} {} after {}, relative "
                        "residual {}, tolerance {:g}",
                        runs.choice.solver, o.matrix, count - runs.converged(), count, k + 1, in_words(worst.reason),
                        counted(worst.iterations, "iteration"), show_scientific(worst.relative_residual), o.tolerance)};
}

} // namespace

template <class Executor, class T>
outcome solve_several(solve_options const& o, any_executor const& chosen, Executor const& exec,
                      linear_system<Executor, T> const& system, std::int64_t columns, int scale, output_files& files,
                      progress& status) {
    krylov_options krylov{.tolerance = o.tolerance,
                          .absolute_tolerance = std::ldexp(o.absolute_tolerance, scale),
                          .max_iterations = o.max_iterations,
                          .restart = o.restart,
                          .shadow_space = o.shadow_space};
    status.show("solving for " + counted(columns, "right-hand side"));
    krylov.progress = [](std::int64_t, double) { return !is_interrupted(); };
    auto const runs = run_columns(o, exec, system, columns, krylov);
    files.write(o.system.output, [&](std::string const& path) {
        write_vectors<T>(make_host(o.common), path, runs.x.view(), columns, {}, status.of_file(o.system.output));
    });
    status.clear();
    sheet result("solve", o.common);
    auto const& a = system.host_matrix;
    result.input(o.matrix, a.rows(), a.columns(), a.nonzeros());
    result.backend(chosen);
    show_results(result, o, runs);
    auto const end = outcome_of(o, runs);
    result.publish(files, end);
    return end;
}

#define COPPICE_APP_SEVERAL(EXECUTOR, T)                                                                               \
    template outcome solve_several(solve_options const&, any_executor const&, EXECUTOR const&,                         \
                                   linear_system<EXECUTOR, T> const&, std::int64_t, int, output_files&, progress&);
#define COPPICE_APP_SEVERAL_ALL(EXECUTOR)                                                                              \
    COPPICE_APP_SEVERAL(EXECUTOR, float)                                                                               \
    COPPICE_APP_SEVERAL(EXECUTOR, double)                                                                              \
    COPPICE_APP_SEVERAL(EXECUTOR, std::complex<float>)                                                                 \
    COPPICE_APP_SEVERAL(EXECUTOR, std::complex<double>)
COPPICE_APP_SEVERAL_ALL(host_executor)
#if defined(COPPICE_HAS_CUDA)
COPPICE_APP_SEVERAL_ALL(cuda_executor)
#endif

} // namespace coppice::app
