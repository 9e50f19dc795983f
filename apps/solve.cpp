// SPDX-License-Identifier: BSD-3-Clause
// coppice solve MATRIX: Krylov solve with a preconditioner made from nothing but the matrix.
#include "apps/solve.hpp"

#include <cmath>
#include <memory>

#include <fmt/format.h>

#include <coppice/algebra/matrix_market.hpp>
#include <coppice/algebra/operations.hpp>

namespace coppice::app {
namespace {

template <class T>
void tell(sheet& result, solve_options const& o, solve_run<T> const& r) {
    result.line("solver",
                fmt::format("{}, preconditioner {}, tolerance {:g}", o.solver, o.preconditioner, o.tolerance));
    if (o.preconditioner == "forest")
        result.line("forest",
                    fmt::format("{}, the longest of {}, weight coverage {}", counted(r.setup.paths, "path"),
                                counted(r.setup.longest_path, "row"), show_fraction(r.setup.weight_coverage)));
    result.line(r.result.converged ? "converged" : "not converged",
                counted(r.result.iterations, "iteration") +
                    (r.result.reason == krylov_reason::converged ? "" : ", " + in_words(r.result.reason)));
    result.line("relative residual", show_scientific(r.result.relative_residual));
    if (!std::isnan(r.forward_error)) result.line("forward error", show_scientific(r.forward_error));
    result.line("time",
                fmt::format("{} to set up, {} to solve", show_seconds(r.setup_seconds), show_seconds(r.solve_seconds)));
    if (!o.system.output.empty()) result.line("solution", o.system.output);
    if (!o.report.empty()) result.line("report", o.report);
}

template <class T>
void tell_json(nlohmann::ordered_json& json, solve_options const& o, solve_run<T> const& r) {
    json["solver"] = o.solver;
    json["preconditioner"] = o.preconditioner;
    json["factors"] = o.factors;
    json["rhs"] = o.system.rhs.empty() ? o.system.solution : o.system.rhs;
    json["tolerance"] = o.tolerance;
    json["max_iterations"] = o.max_iterations;
    if (o.solver == "gmres") json["restart"] = o.restart;
    json["iterations"] = r.result.iterations;
    json["converged"] = r.result.converged;
    json["reason"] = to_string(r.result.reason);
    json["relative_residual"] = r.result.relative_residual;
    json["forward_relative_error"] = r.forward_error;
    json["setup_seconds"] = r.setup_seconds;
    json["solve_seconds"] = r.solve_seconds;
    if (o.preconditioner == "forest")
        json["forest"] = {{"rounds", r.setup.rounds},
                          {"paths", r.setup.paths},
                          {"longest_path", r.setup.longest_path},
                          {"cycles_broken", r.setup.cycles_broken},
                          {"weight_coverage", r.setup.weight_coverage},
                          {"weights_seconds", r.setup.weights_seconds},
                          {"factor_seconds", r.setup.factor_seconds},
                          {"forest_seconds", r.setup.forest_seconds},
                          {"system_seconds", r.setup.system_seconds}};
    json["residual_history"] = r.result.residual_history;
}

template <class T>
outcome judge(solve_options const& o, host_executor const& host, csr<T> const& a, solve_run<T> const& r) {
    if (r.result.converged) return {};
    auto reason = fmt::format("{} did not converge on {}: {} after {}, relative residual {}, tolerance {:g}", o.solver,
                              o.matrix, in_words(r.result.reason), counted(r.result.iterations, "iteration"),
                              show_scientific(r.result.relative_residual), o.tolerance);
    if (o.solver == "cg" && !is_symmetric(host, a.view())) reason += "; cg needs a symmetric matrix, this one is not";
    if (r.result.reason == krylov_reason::not_finite && o.preconditioner != "none")
        reason += "; the " + o.preconditioner + " preconditioner may be singular";
    return {exit_numerical, reason};
}

template <class Executor, class T>
outcome solve_system(solve_options const& o, any_executor const& chosen, Executor const& exec, output_files& files) {
    auto const host = make_host(o.common);
    progress status(o.common);
    status.show("reading " + o.matrix);
    auto const a = load_matrix<T>(host, o.matrix);
    require_square("solve", o.matrix, a.rows(), a.columns());
    if (auto const reason = reason_against(host, o.preconditioner, a.view()))
        throw input_error(o.matrix + ": " + *reason);
    auto const rhs = make_right_hand_side<T>(host, o.system, a);
    linear_system<Executor, T> const system(exec, a, rhs);

    auto const r = run_solver(o, exec, system, o.preconditioner, o.max_iterations, status);
    if (!o.report.empty()) write_report(o, chosen, exec, system, r, files, status);
    files.write(o.system.output, [&](std::string const& path) { write_vector<T>(host, path, r.x.view()); });
    status.clear();

    sheet result("solve", o.common);
    result.input(o.matrix, a.rows(), a.columns(), a.nonzeros());
    result.backend(chosen);
    tell(result, o, r);
    tell_json(result.json(), o, r);
    result.publish(files);
    return judge(o, host, a, r);
}

void check(solve_options& o) {
    check_common_options(o.common);
    check_matrix_argument(o.matrix, "solve");
    require_name("solver", o.solver, krylov_names);
    require_name("preconditioner", o.preconditioner, preconditioner_names);
    o.forest(); // throws for what is wrong in its options
    if (o.factors != 1)
        throw usage_error(
            fmt::format("--factors is {}, expected 1: preconditioners of one forest are built", o.factors));
    if (!(o.tolerance >= 0 && std::isfinite(o.tolerance)))
        throw usage_error(fmt::format("--tolerance is {}, expected a finite number of at least 0", o.tolerance));
    if (o.max_iterations < 0)
        throw usage_error(fmt::format("--max-iterations is {}, expected at least 0", o.max_iterations));
    if (o.restart < 1 || o.restart > 1000)
        throw usage_error(fmt::format("--restart is {}, expected 1 to 1000", o.restart));
    check_system_arguments(o.system);
}

outcome run(solve_options& o) {
    check(o);
    auto const chosen = make_executor(o.common);
    output_files files;
    files.expect("-o", o.system.output);
    files.expect("--report", o.report);
    files.expect("--json", o.common.json);
    return with_backend(o.common, chosen, [&]<class Executor, class T>(Executor const& exec, std::type_identity<T>) {
        return solve_system<Executor, T>(o, chosen, exec, files);
    });
}

} // namespace

command add_solve(CLI::App& program) {
    auto const o = std::make_shared<solve_options>();
    auto* const cli = program.add_subcommand("solve", "Solve a linear system with a preconditioned Krylov method");
    add_matrix_argument(*cli, o->matrix);
    cli->add_option("--solver", o->solver, "one of " + listed(krylov_names) + "; bicgstab by default")
        ->type_name("NAME");
    cli->add_option("--preconditioner", o->preconditioner,
                    "one of " + listed(preconditioner_names) + "; forest by default")
        ->type_name("NAME");
    cli->add_option("--factors", o->factors, "forests that the preconditioner is made of: 1")->type_name("m");
    cli->add_option("--pivoting", o->pivoting, "of the tridiagonal solves in the preconditioner")
        ->type_name(alternatives(pivotings));
    cli->add_option("--tolerance", o->tolerance, "of the relative residual |b - Ax| / |b|; 1e-6 by default")
        ->type_name("X");
    cli->add_option("--max-iterations", o->max_iterations, "10000 by default")->type_name("N");
    cli->add_option("--restart", o->restart, "gmres: dimension of the Krylov space; 30 by default")->type_name("N");
    add_system_options(*cli, o->system);
    cli->add_option("--report", o->report,
                    "write a self-contained HTML page with pictures; runs the other preconditioners to compare")
        ->type_name("FILE.html");
    add_factor_options(*cli, o->factor);
    add_common_options(*cli, o->common);
    return {cli, [o] { return run(*o); }};
}

} // namespace coppice::app
