// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Linear systems without a choice of method: solve_automatically, and solve(exec, a, b, x).
///
///     coppice::host_executor exec;
///     auto a = coppice::generate(exec, "aniso2", {.nx = 1200});
///     coppice::csr_operator op(exec, a.view());
///     auto result = coppice::solve(exec, op, b.view(), x.view());                  // x: guess in, solution out
///
/// or, to see what was done, or with one of the names kept,
///
///     auto found = coppice::solve_automatically(exec, op, b.view(), x.view(), {.krylov = {.tolerance = 1e-8}});
///     for (auto const& attempt : found.attempts) ... attempt.choice.solver, attempt.result.reason ...
///
/// A look at the matrix (traits_of) tells whether it is symmetric and whether its diagonal is positive; solver_choices
/// lists what is tried then, in order. What fails (a breakdown, stagnation, a preconditioner that cannot be made, a
/// share of the iterations without an end) hands its best x to the next. Which one gets there depends on residuals, not
/// on the clock: the same bits on every run. The result is never worse than the guess (see <coppice/krylov.hpp> for
/// what a result means, and for the errors).
///
/// For many systems with one matrix keep the method and the preconditioner of the first (found.last()); right-hand
/// sides that are there at the same time share the passes over the matrix:
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
