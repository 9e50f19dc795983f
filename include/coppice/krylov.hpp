// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Krylov methods: cg, bicgstab, gmres.
///
///     coppice::host_executor exec;
///     auto a = coppice::generate(exec, "aniso2", {.nx = 1200});
///     coppice::csr_operator op(exec, a.view());
///     auto m = coppice::make_preconditioner(exec, "forest", a.view());             // <coppice/preconditioner.hpp>
///     coppice::bicgstab<coppice::host_executor, double> solver(exec, a.rows(), {.tolerance = 1e-8});
///     auto result = solver.solve(op, m, b.view(), x.view());                       // x: guess in, solution out
///     if (!result.converged) std::cerr << coppice::to_string(result.reason);
///
/// or, with the method chosen at run time and its workspace made for one solve,
///
///     auto result = coppice::solve(exec, "bicgstab", op, m, b.view(), x.view(), {.tolerance = 1e-8});
///
/// **Which one.** cg for symmetric positive definite A and preconditioner; bicgstab for the rest, with little memory;
/// gmres where bicgstab is erratic, with restart + 3 vectors. One iteration of bicgstab applies A and the
/// preconditioner twice, one of the others once.
///
/// **Operators** are anything with apply(exec, x, y) const, y = A x; **preconditioners** anything with
/// apply(exec, r, z) const, z ≈ A^-1 r (concepts linear_operator, preconditioner_for). Views are in the memory of the
/// executor; x and b must not overlap. bicgstab and gmres precondition from the right, so that the residuals they see
/// are those of A x = b. The library holds compiled methods for csr_operator with any_preconditioner in float and
/// double on the host and on CUDA; code that nvcc compiles, or that uses the host, may bring its own types.
///
/// **Stopping.** |b - A x| <= tolerance |b| in the 2-norm, always the true residual: where the recurrence of a method
/// claims it, b - A x is computed; if it does not hold, the method goes on from there. result.relative_residual is that
/// of the returned x. Why a solve ended is a result, not an exception (krylov_reason): breakdown, stagnation and NaN
/// have their own reasons, and none of them hangs. After a NaN from A, b or the preconditioner, x is the last good
/// iterate where one exists; an overflow within an iteration may reach it.
///
/// **Corners.** b = 0 gives x = 0 (zero_rhs); so does n = 0. A right-hand side whose squares leave the range of double
/// (norms above 1e154 or below 1e-154) has reason not_finite: scale the system.
///
/// **Memory and order.** A solver object allocates when it is made; solve() allocates the history only. Dot products
/// are accumulated in double for both types and have the same bits on every run and for any number of threads, and so
/// has the solution. On CUDA an iteration waits for the stream two to three times, for its scalars.
///
/// **Errors.** argument_error for options out of range, overlapping vectors, an unknown method; dimension_error for
/// vectors of the wrong length or a matrix that is not square.
#pragma once

#include <coppice/solvers/krylov.hpp>
