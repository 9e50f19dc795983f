// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Common parts of the sources of the solve command: one timed Krylov run.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "apps/backend.hpp"
#include "apps/commands/solve_options.hpp"
#include "apps/interrupt.hpp"
#include "apps/names.hpp"
#include "apps/output.hpp"
#include "apps/system.hpp"
#include <coppice/core/host/interruption.hpp>
#include <coppice/solvers/solve/solve_automatically.hpp>
#include <coppice/solvers/solve/solve_refined.hpp>

namespace coppice::app {

/// A system in the memory of an executor, with the operator that all runs share. `matrix` is in host memory too.
template <class Executor, class T>
struct linear_system {
    csr<T> const& host_matrix;
    csr<T> matrix;
    buffer<T> b;               ///< right-hand sides, column-major
    buffer<T> const& solution; ///< host memory; empty if unknown
    buffer<T> const& start;    ///< host memory; empty for zeros
    csr_operator<Executor, T> a;

    linear_system(Executor const& exec, csr<T> const& on_host, right_hand_side<T> const& rhs, buffer<T> const& x0)
        : host_matrix(on_host), matrix(exec.copy(on_host)), b(exec.copy(rhs.b)), solution(rhs.solution), start(x0),
          a(exec, matrix.view()) {}
};

template <class T>
struct solve_run {
    std::string solver{};
    std::string preconditioner{};
    std::vector<solver_attempt> attempts{}; ///< the successful one and those before it
    double asymmetry = 0;                   ///< of a matrix that was recognised as symmetric up to rounding
    preconditioner_report setup{};
    krylov_result result{};
    double setup_seconds = 0;
    double solve_seconds = 0;
    double forward_error = 0;
    buffer<T> x{}; ///< host memory
};

/// Ends set-ups after a SIGINT.
class interruption_by_signal final : public interruption {
    bool requested() override { return is_interrupted(); }
};

/// Methods that require a symmetric matrix.
inline bool needs_symmetry(std::string_view solver) { return solver == "cg" || solver == "minres"; }

/// The facts about its matrix that a solve reports.
struct solved_matrix {
    std::int64_t rows, columns, nonzeros;
    std::function<bool()> is_symmetric;
};

/// Writes and prints the results of a solve. T is float, double or complex of both.
template <class T>
outcome finish(solve_options const& o, any_executor const& chosen, host_executor const& host, solved_matrix const& a,
               solve_run<T> const& r, output_files& files, progress& status);

/// Describes why a solve ended.
inline std::string in_words(krylov_reason reason) {
    switch (reason) {
    case krylov_reason::zero_rhs:
        return "the right-hand side is zero";
    case krylov_reason::max_iterations:
        return "iteration limit";
    case krylov_reason::slow:
        return "too slow";
    case krylov_reason::not_finite:
        return "non-finite values";
    case krylov_reason::cancelled:
        return is_interrupted() ? "interrupted" : "given up";
    default:
        return std::string(to_string(reason));
    }
}

inline std::string in_words(unmet_need const& unmet, std::string const& preconditioner) {
    if (unmet.kind == unmet_need::zero_on_diagonal)
        return "the diagonal entry of row " + std::to_string(unmet.row + 1) + " is zero, and " + preconditioner +
               " divides by it";
    return "it is not symmetric, and " + preconditioner + " requires symmetry";
}

/// Returns the reason why `preconditioner` is not applicable to this matrix; nothing if it is. Rows count from 1.
template <class T>
std::optional<std::string> reason_against(host_executor const& host, std::string const& preconditioner, csr_view<T> a) {
    auto const unmet = find_unmet_need(host, preconditioner_row_of(preconditioner).needs, a);
    if (!unmet) return {};
    return in_words(*unmet, preconditioner);
}

/// The options of one run with this preconditioner, without its progress.
inline automatic_options options_of_run(solve_options const& o, std::string const& preconditioner,
                                        std::int64_t max_iterations) {
    automatic_options options{.solver = o.solver,
                              .preconditioner = preconditioner,
                              .preconditioner_options =
                                  preconditioner == automatic_name && o.solver != direct_name
                                      ? o.preconditioner_options
                                      : o.options_of(o.solver == direct_name ? direct_name : preconditioner),
                              .krylov = {.tolerance = o.tolerance,
                                         .max_iterations = max_iterations,
                                         .restart = o.restart,
                                         .shadow_space = o.shadow_space}};
    if (preconditioner == automatic_name || preconditioner == "multilevel") {
        options.near_null_space = o.near_vectors;
        options.near_null_space_imaginary = o.near_imaginary;
        options.unknowns_per_point = o.unknowns_per_point;
    }
    options.null_space = o.null_vectors;
    return options;
}

/// Sets up a preconditioner and solves from the starting guess; both names may be "auto". An interrupt ends the solve
/// with the best x so far.
template <class Executor, class T>
solve_run<T> run_solver(solve_options const& o, Executor const& exec, linear_system<Executor, T> const& system,
                        std::string const& preconditioner, std::int64_t max_iterations, progress& status) {
    auto const host = make_host(o.common);
    status.show("setting up " + preconditioner);
    automatic_options options = options_of_run(o, preconditioner, max_iterations);
    stopwatch since_start;
    options.krylov.progress = [&](std::int64_t iteration, double residual) {
        if (status.enabled())
            status.show(o.solver + ", " + preconditioner + ": iteration " + std::to_string(iteration) +
                        ", relative residual " + show_scientific(residual));
        return since_start.seconds() < o.max_seconds && !is_interrupted();
    };
    auto x = system.start.empty() ? exec.copy(std::vector<T>(static_cast<std::size_t>(system.a.size()), T(0)))
                                  : exec.copy(system.start);
    exec.synchronize();
    since_start.lap();
    solve_run<T> run;
    if constexpr (std::is_same_v<T, double>) {
        if (o.mixed) {
            run.solver = o.solver == automatic_name ? "gmres" : o.solver;
            auto found = solve_refined(exec, system.a, system.b.view(), x.view(),
                                       {.solver = run.solver,
                                        .preconditioner = preconditioner == automatic_name ? "forest" : preconditioner,
                                        .preconditioner_options = o.preconditioner_options,
                                        .krylov = options.krylov});
            run.setup = std::move(found.setup);
            run.setup_seconds = found.setup_seconds;
            run.solve_seconds = found.solve_seconds;
            run.result = std::move(found.result);
        }
    }
    if (!o.mixed) {
        automatic_result found;
        try {
            interruption_by_signal request;
            interruption::scope const scope(&request);
            found = solve_automatically(exec, system.a, system.b.view(), x.view(), options);
        } catch (interrupted const&) { // during a set-up
            found.attempts.push_back({.choice = {o.solver, preconditioner}, .setup = {.name = preconditioner}});
            found.result.reason = krylov_reason::cancelled;
        }
        run.solver = found.last().choice.solver;
        run.asymmetry = found.traits.asymmetry;
        run.setup = found.last().setup;
        run.setup_seconds = found.setup_seconds();
        run.solve_seconds = found.solve_seconds();
        run.result = std::move(found.result);
        run.attempts = std::move(found.attempts);
    }
    run.preconditioner = run.setup.name;
    run.x = host.copy(x);
    run.forward_error = forward_relative_error<T>(host, run.x.view(), system.solution);
    return run;
}

/// Runs every solver with every preconditioner that suits the matrix, prints them sorted by time including set-up, and
/// writes the solution of the fastest one.
template <class Executor, class T>
outcome compare_solvers(solve_options const& o, any_executor const& chosen, Executor const& exec,
                        linear_system<Executor, T> const& system, output_files& files, progress& status);

/// Solves for all columns of b and writes the solutions; `scale`: the power of two in matrix and right-hand sides.
template <class Executor, class T>
outcome solve_several(solve_options const& o, any_executor const& chosen, Executor const& exec,
                      linear_system<Executor, T> const& system, std::int64_t columns, int scale, output_files& files,
                      progress& status);

/// Writes the HTML page: runs the other preconditioners for comparison, and draws the matrix in the order of its
/// forest.
template <class Executor, class T>
void write_report(solve_options const& o, any_executor const& chosen, Executor const& exec,
                  linear_system<Executor, T> const& system, solve_run<T> const& run, output_files& files,
                  progress& status);

} // namespace coppice::app
