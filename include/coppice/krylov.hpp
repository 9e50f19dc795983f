// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Krylov methods: cg, minres, bicgstab, idrs, gmres, fgmres.
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
/// **Which one.** cg for symmetric positive definite A and preconditioner; minres for symmetric A of both signs with a
/// positive definite preconditioner; bicgstab for the rest, with little memory; idrs where bicgstab is erratic, with
/// 3 shadow_space + 6 vectors (smoother and often fewer products); gmres, the most robust, with restart + 5 vectors;
/// fgmres where the preconditioner changes from call to call, with 2 restart + 5. One iteration of bicgstab applies A
/// and the preconditioner twice, one of the others once.
///
/// **Operators** are anything with apply(exec, x, y) const, y = A x; **preconditioners** anything with
/// apply(exec, r, z) const, z ≈ A^-1 r (concepts linear_operator, preconditioner_for). Views are in the memory of the
/// executor; x and b must not overlap. bicgstab, idrs and gmres precondition from the right, so that the residuals they
/// see are those of A x = b. solve() takes vectors that convert to views (std::vector, std::span). The library holds
/// compiled methods for csr_operator and any_operator with any_preconditioner in float and double on the host and on
/// CUDA, and solve() with them for std::complex of both; code that nvcc compiles, or that uses the host, may bring its
/// own types. For complex systems x^H y is the dot product, and cg and minres ask for Hermitian matrices.
///
///     coppice::any_operator<coppice::host_executor, double> const shifted(n, [&](auto const& exec, auto x, auto y) {
///         ...                                                                      // y = A x
///     });
///     auto result = coppice::solve(exec, "gmres", shifted, m, b, x);
///
/// **Stopping.** |b - A x| <= tolerance |b|, or <= absolute_tolerance, in the 2-norm, always the true residual: where
/// the recurrence of a method claims it, b - A x is computed; if it does not hold, the method goes on from there.
/// result.relative_residual is that of the returned x. Why a solve ended is a result, not an exception (krylov_reason):
/// breakdown, stagnation and NaN (result.fault names the element of b or of the guess) have their own reasons, and none
/// of them hangs. Whatever the reason, x is the best iterate by its true residual: never one worse than the starting
/// guess, and never NaN from A, b or the preconditioner.
///
/// **Corners.** b = 0 gives x = 0 (zero_rhs); so does n = 0. b may be of any magnitude: outside of 2^-64 to 2^64
/// (float: 2^-32 to 2^32) b and x are multiplied by a power of two for the time of the solve, in place, and x is
/// multiplied back. So b and x times a power of two give the same bits, times that power, as long as no element of x
/// becomes subnormal or overflows; where that changes x too much for the tolerance, the reason is stagnated or
/// not_finite, and result.relative_residual is that of the x returned. x is finite in any case: what overflows becomes
/// the largest number. Entries of A and of the preconditioner are used as they are: products with them must
/// stay in the range of T, squares of those in the range of double.
///
/// **Memory and order.** A solver object allocates its vectors when it is made; solve() allocates the history and a few
/// scalars. Dot products are accumulated in double for both types and have the same bits on every run and for any
/// number of threads, and so has the solution. Scalars, the stopping test and the history live where the vectors live:
/// on CUDA the iterations of a round run as one CUDA graph, and the host waits at its end alone (result.on_device).
/// That takes an operator and a preconditioner that can be captured into a graph, and say so by `bool replayable()
/// const`: apply() queues the same kernels on the executor's stream at every call, allocates nothing and waits for
/// nothing. All of the library's are. Others, which may do in apply() whatever they like, are called by the host, which
/// then waits once an iteration. An operator may also have apply_and_dot (csr_operator), the product with its dot
/// products in one pass.
///
/// **Watching.** options.progress is told of every iteration. On CUDA the host reads along while the graph runs, so a
/// solve that is cancelled ends some iterations later; x and result are those of its end.
///
/// **Threads.** Solver objects, csr_operator and preconditioners have memory of their own: one thread at a time.
/// argument_error where another thread is in a call (on CUDA: queues one), before anything is changed.
///
/// **Errors.** argument_error for options out of range, overlapping vectors, an unknown method; dimension_error for
/// vectors of the wrong length or a matrix that is not square.
#pragma once

#include <coppice/solvers/iterative/by_name/krylov.hpp>
