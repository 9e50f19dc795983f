// SPDX-License-Identifier: BSD-3-Clause
// coppice solve --compare: every solver with every preconditioner that suits the matrix, sorted by time.
#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "apps/commands/solve.hpp"
#include <coppice/algebra/asymmetry.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/algebra/operations.hpp>

namespace coppice::app {
namespace {

/// One row of the table; `refusal` is the reason if it was not run.
template <class T>
struct compared {
    std::string solver{};
    solve_run<T> run{};
    std::string refusal{};

    double seconds() const { return run.setup_seconds + run.solve_seconds; }
    bool converged() const { return refusal.empty() && run.result.converged; }
    /// Sort key: converged runs by time, then runs that did not converge, then those that were not run.
    auto rank() const { return std::tuple(!refusal.empty(), !converged(), seconds()); }
};

// A run is ended at five times the time of the best one so far: it cannot win, and the table shows its progress.
template <class T>
double patience(std::vector<compared<T>> const& runs) {
    double best = std::numeric_limits<double>::infinity();
    for (auto const& r : runs)
        if (r.converged()) best = std::min(best, r.seconds());
    return std::max(1.0, 5 * best);
}

template <class Executor, class T>
std::vector<compared<T>> run_all(solve_options o, Executor const& exec, linear_system<Executor, T> const& system,
                                 progress& status) {
    auto const host = make_host(o.common);
    constexpr double tolerance = symmetry_tolerance<T>;
    bool const symmetric = asymmetry_of(host, system.host_matrix.view(), tolerance) <= tolerance;
    std::vector<compared<T>> runs;
    for (preconditioner_row const& known : preconditioner_catalogue) {
        if (!known.compared || (known.needs.symmetric && !symmetric)) continue;
        std::string const name(known.name);
        auto const reason = reason_against(host, name, system.host_matrix.view());
        for (std::string_view const solver : krylov_names) {
            if (!runs.empty() && is_interrupted()) break;
            if (needs_symmetry(solver) && !symmetric) continue;
            compared<T> r{std::string(solver), {}, reason.value_or("")};
            r.run.preconditioner = name;
            if (!reason) {
                o.solver = solver;
                o.max_seconds = patience(runs);
                r.run = run_solver(o, exec, system, name, o.max_iterations, status);
            }
            runs.push_back(std::move(r));
        }
    }
    std::stable_sort(runs.begin(), runs.end(), [](auto const& a, auto const& b) { return a.rank() < b.rank(); });
    return runs;
}

template <class T>
void show_results(sheet& result, compared<T> const& r) {
    auto const label = r.solver + ", " + r.run.preconditioner;
    if (!r.refusal.empty()) return result.line(label, "not run: " + r.refusal);
    result.line(label, fmt::format("{:>8}  = {:>8} to set up + {:>8} to solve, {:>6} iterations, residual {}{}",
                                   show_seconds(r.seconds()), show_seconds(r.run.setup_seconds),
                                   show_seconds(r.run.solve_seconds), r.run.result.iterations,
                                   show_scientific(r.run.result.relative_residual),
                                   r.converged() ? "" : "; " + in_words(r.run.result.reason)));
}

template <class T>
nlohmann::ordered_json json_of(compared<T> const& r) {
    nlohmann::ordered_json json = {{"solver", r.solver}, {"preconditioner", r.run.preconditioner}};
    if (!r.refusal.empty()) {
        json["not_run"] = r.refusal;
        return json;
    }
    json["converged"] = r.converged();
    json["reason"] = to_string(r.run.result.reason);
    json["iterations"] = r.run.result.iterations;
    json["relative_residual"] = r.run.result.relative_residual;
    json["forward_relative_error"] = r.run.forward_error;
    json["setup_seconds"] = r.run.setup_seconds;
    json["solve_seconds"] = r.run.solve_seconds;
    json["seconds"] = r.seconds();
    return json;
}

} // namespace

template <class Executor, class T>
outcome compare_solvers(solve_options const& o, any_executor const& chosen, Executor const& exec,
                        linear_system<Executor, T> const& system, output_files& files, progress& status) {
    auto const runs = run_all(o, exec, system, status);
    auto const& best = runs.front();
    if (best.converged())
        files.write(o.system.output, [&](std::string const& path) {
            write_vector<T>(make_host(o.common), path, best.run.x.view(), {}, status.of_file(o.system.output));
        });
    status.clear();

    auto const& a = system.host_matrix;
    sheet result("solve", o.common);
    result.input(o.matrix, a.rows(), a.columns(), a.nonzeros());
    result.backend(chosen);
    for (auto const& r : runs) show_results(result, r);
    auto& json = result.json();
    json["tolerance"] = o.tolerance;
    json["max_iterations"] = o.max_iterations;
    json.update(json_of(best));
    json["runs"] = nlohmann::ordered_json::array();
    for (auto const& r : runs) json["runs"].push_back(json_of(r));
    outcome end;
    if (!best.converged())
        end = {exit_numerical,
               fmt::format("no solver converged on {} with any preconditioner, tolerance {:g}", o.matrix, o.tolerance)};
    result.publish(files, end);
    return end;
}

#define COPPICE_APP_COMPARE(EXECUTOR, T)                                                                               \
    template outcome compare_solvers(solve_options const&, any_executor const&, EXECUTOR const&,                       \
                                     linear_system<EXECUTOR, T> const&, output_files&, progress&);
COPPICE_APP_COMPARE(host_executor, float)
COPPICE_APP_COMPARE(host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_APP_COMPARE(cuda_executor, float)
COPPICE_APP_COMPARE(cuda_executor, double)
#endif

} // namespace coppice::app
