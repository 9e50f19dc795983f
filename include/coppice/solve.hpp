// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Solves linear systems with an automatic choice of the method: solve_automatically, and solve(exec, a, b, x).
///
///     coppice::host_executor exec;
///     auto a = coppice::generate(exec, "aniso2", {.nx = 1200});
///     coppice::csr_operator op(exec, a.view());
///     auto result = coppice::solve(exec, op, b.view(), x.view());                  // x: guess in, solution out
///
/// To get a report of the attempts, or to select the method or the preconditioner:
///
///     auto found = coppice::solve_automatically(exec, op, b.view(), x.view(), {.krylov = {.tolerance = 1e-8}});
///     for (auto const& attempt : found.attempts) ... attempt.choice.solver, attempt.result.reason ...
///
/// The properties of the matrix (traits_of: symmetry, signs of the diagonal) determine the solvers that are tried, and
/// their order (solver_choices). If an attempt fails (by a breakdown, by stagnation, because its preconditioner cannot
/// be made, or because it does not converge in its number of iterations), the next one continues from the best x so
/// far. The choice depends on residuals, not on time: results are the same on every run. The result is never worse than
/// the initial guess (<coppice/krylov.hpp> documents results and errors).
///
/// **Singular matrices.** With vectors that span the null space the solution has no components along them:
///
///     solve_automatically(exec, op, b.view(), x.view(), {.null_space = std::vector<double>(n, 1)});
///
/// For many systems with one matrix, reuse the method and the preconditioner of the first result (found.last()).
/// Right-hand sides that are available at the same time share the passes over the matrix:
///
///     auto results = coppice::solve_columns(exec, "cg", op, m, b.view(), x.view(), columns);  // one after the other
///
/// **Mixed precision.** Krylov steps in float, with a preconditioner in float or half, and refinement in double:
///
///     auto found = coppice::solve_refined(exec, op, b.view(), x.view(), {.preconditioner = "isai,storage=half"});
#pragma once

#include <coppice/solvers/solve/solve_automatically.hpp>
#include <coppice/solvers/solve/solve_columns.hpp>
#include <coppice/solvers/solve/solve_refined.hpp>
