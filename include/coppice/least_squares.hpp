// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Least-squares problems min |b - A x| and consistent systems with rectangular or singular matrices.
///
///     auto result = coppice::solve_least_squares(exec, a.view(), b.view(), x.view(), {.tolerance = 1e-10});
///     if (!result.converged) std::cerr << to_string(result.reason);
///
/// `least_squares_result solve_least_squares(exec, a, b, x, options)`
///   - `a`: rows x columns, of any shape and rank, float or double. b[rows], x[columns] in memory of `exec`; x is the
///     initial guess on entry and does not overlap b. The result is the x with the smallest true |A^T (b - A x)| of the
///     restarts, never one that is worse than the guess.
///   - If the problem has several solutions, x is the one with the smallest |x - guess| if there is no preconditioner,
///     and in the norm of the preconditioner otherwise.
///   - options.method: "lsmr" (Fong and Saunders 2011: MINRES for A^T A x = A^T b) or "lsqr" (Paige and Saunders 1982:
///     CG for the same equations). LSMR reduces |A^T r| monotonically and usually ends earlier.
///   - options.preconditioner: M, an approximation of A^T A + damping^2 I; "jacobi" divides by the squared column
///     norms. For other names of symmetric preconditioners A^T A is computed by a sparse product, which fills for rows
///     with many entries. M must be positive definite, which rounding may prevent if A has dependent columns and there
///     is no damping; the solve then ends as stagnated.
///   - options.damping: minimises |b - A x|^2 + damping^2 |x|^2 (Tikhonov regularisation).
///   - The criterion (Paige and Saunders) is checked for the true residual; if it does not hold, the method restarts
///     from it.
///   - One iteration takes one product with A, one with its transpose (a copy of the matrix) and one application of M.
///     The host waits in every iteration. Results are the same on every run and for any number of threads.
///   - Errors: argument_error for options out of range or an unknown preconditioner, dimension_error for vectors of the
///     wrong length, matrix_error for values of A that are not finite.
#pragma once

#include <coppice/solvers/least_squares/least_squares.hpp>
