// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What the files of the solve command share: its options and one timed Krylov run.
#pragma once

#include <optional>
#include <string>

#include "apps/backend.hpp"
#include "apps/factor_arguments.hpp"
#include "apps/output.hpp"
#include "apps/pivoting_names.hpp"
#include "apps/system.hpp"
#include <coppice/solvers/krylov.hpp>
#include <coppice/solvers/preconditioner.hpp>

namespace coppice::app {

struct solve_options {
    common_options common{};
    std::string matrix{};
    std::string solver = "bicgstab";
    std::string preconditioner = "forest";
    int factors = 1;
    std::string pivoting = "partial";
    factor_arguments factor{forest_options{}.factor}; // ties as the preconditioner takes them
    system_arguments system{};
    double tolerance = 1e-6;
    std::int64_t max_iterations = 10000;
    int restart = 30;
    std::string report{};

    forest_options forest() const {
        return {.factor = read_factor_arguments(factor),
                .tridiagonal = {.pivot = choose("pivoting", pivoting, pivotings), .threshold = 0}};
    }
};

/// A system in the memory of an executor, with the operator that all runs share. `matrix` stays in host memory too.
template <class Executor, class T>
struct linear_system {
    csr<T> const& host_matrix;
    csr<T> matrix;
    buffer<T> b;
    buffer<T> const& solution; ///< host memory; empty where it is not known
    csr_operator<Executor, T> a;

    linear_system(Executor const& exec, csr<T> const& on_host, right_hand_side<T> const& rhs)
        : host_matrix(on_host), matrix(exec.copy(on_host)), b(exec.copy(rhs.b)), solution(rhs.solution),
          a(exec, matrix.view()) {}
};

template <class T>
struct solve_run {
    std::string preconditioner{};
    preconditioner_report setup{};
    krylov_result result{};
    double setup_seconds = 0;
    double solve_seconds = 0;
    double forward_error = 0;
    buffer<T> x{}; ///< host memory
};

/// Why a solve ended, for people.
inline std::string in_words(krylov_reason reason) {
    switch (reason) {
    case krylov_reason::zero_rhs:
        return "the right-hand side is zero";
    case krylov_reason::max_iterations:
        return "iteration limit";
    case krylov_reason::not_finite:
        return "values that are not finite";
    default:
        return std::string(to_string(reason));
    }
}

/// Why `preconditioner` cannot be made for this matrix; nothing where it can. Rows count from 1.
template <class T>
std::optional<std::string> reason_against(host_executor const& host, std::string const& preconditioner, csr_view<T> a) {
    if (preconditioner != "jacobi") return {};
    auto const diagonal = extract_diagonal(host, a);
    for (std::int64_t i = 0; i < diagonal.size(); ++i)
        if (diagonal[i] == T(0))
            return "the diagonal entry of row " + std::to_string(i + 1) + " is zero, and jacobi divides by it";
    return {};
}

/// Sets up a preconditioner and solves from x = 0.
template <class Executor, class T>
solve_run<T> run_solver(solve_options const& o, Executor const& exec, linear_system<Executor, T> const& system,
                        std::string const& preconditioner, std::int64_t max_iterations, progress& status) {
    auto const host = make_host(o.common);
    solve_run<T> run;
    run.preconditioner = preconditioner;
    status.show("setting up " + preconditioner);
    exec.synchronize();
    stopwatch clock;
    auto const m = make_preconditioner(exec, preconditioner, system.matrix.view(), o.forest());
    exec.synchronize();
    run.setup_seconds = clock.lap();
    run.setup = m.report();

    krylov_options options{.tolerance = o.tolerance, .max_iterations = max_iterations, .restart = o.restart};
    if (status.enabled())
        options.progress = [&](std::int64_t iteration, double residual) {
            status.show(preconditioner + ": iteration " + std::to_string(iteration) + ", relative residual " +
                        show_scientific(residual));
            return true;
        };
    auto x = exec.copy(std::vector<T>(static_cast<std::size_t>(system.a.size()), T(0)));
    exec.synchronize();
    clock.lap();
    run.result = solve(exec, o.solver, system.a, m, system.b.view(), x.view(), options);
    exec.synchronize();
    run.solve_seconds = clock.lap();
    run.x = host.copy(x);
    run.forward_error = forward_relative_error<T>(host, run.x.view(), system.solution);
    return run;
}

/// Writes the HTML page: runs the other preconditioners to compare, and draws the matrix in the order of its forest.
template <class Executor, class T>
void write_report(solve_options const& o, any_executor const& chosen, Executor const& exec,
                  linear_system<Executor, T> const& system, solve_run<T> const& run, output_files& files,
                  progress& status);

} // namespace coppice::app
