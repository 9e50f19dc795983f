// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Krylov methods: cg, minres, bicgstab, tfqmr, idrs, gmres, fgmres.
///
///     coppice::host_executor exec;
///     auto a = coppice::generate(exec, "aniso2", {.nx = 1200});
///     coppice::csr_operator op(exec, a.view());
///     auto m = coppice::make_preconditioner(exec, "forest", a.view());             // <coppice/preconditioner.hpp>
///     coppice::bicgstab<coppice::host_executor, double> solver(exec, a.rows(), {.tolerance = 1e-8});
///     auto result = solver.solve(op, m, b.view(), x.view());                       // x: guess in, solution out
///     if (!result.converged) std::cerr << coppice::to_string(result.reason);
///
/// To select the method at run time and allocate its workspace for one solve:
///
///     auto result = coppice::solve(exec, "bicgstab", op, m, b.view(), x.view(), {.tolerance = 1e-8});
///
/// **Choice of the method.** cg for symmetric positive definite A and preconditioner. minres for symmetric indefinite A
/// with a positive definite preconditioner. bicgstab for other matrices, with little memory; tfqmr has residuals that
/// hardly increase, and three more vectors. idrs if bicgstab converges erratically; it converges more smoothly, often
/// with fewer products, and takes 3 shadow_space + 6 vectors. gmres is the most robust, with restart + 5 vectors.
/// fgmres if the preconditioner changes between calls, with 2 restart + 5 vectors. One iteration of bicgstab or tfqmr
/// applies A and the preconditioner twice, one of the other methods once.
///
/// bicg and qmr take operators and preconditioners with apply_transpose(exec, x, y), for example transposable_csr and
/// those of make_preconditioner; they are not among krylov_names.
///
/// **Operators** are objects with apply(exec, x, y) const, which computes y = A x; **preconditioners** are objects with
/// apply(exec, r, z) const, which computes z ≈ A^-1 r (concepts linear_operator, preconditioner_for). Views are in the
/// memory of the executor; x and b must not overlap. bicgstab, tfqmr, idrs and gmres apply the preconditioner from the
/// right, so their residuals are those of A x = b. solve() accepts vectors that convert to views (std::vector,
/// std::span). The library contains compiled methods for csr_operator and any_operator with any_preconditioner in float
/// and double on the host and on CUDA, and solve() for std::complex of both. Other types can be used on the host, and
/// on CUDA in code that is compiled by nvcc. For complex systems the dot product is x^H y; cg and minres require
/// Hermitian matrices.
///
///     coppice::any_operator<coppice::host_executor, double> const shifted(n, [&](auto const& exec, auto x, auto y) {
///         ...                                                                      // y = A x
///     });
///     auto result = coppice::solve(exec, "gmres", shifted, m, b, x);
///
/// **Stopping.** The criterion is |b - A x| <= tolerance |b| or |b - A x| <= absolute_tolerance in the 2-norm, always
/// for the true residual: if the recurrence of a method meets the criterion, b - A x is computed; if it does not meet
/// the criterion, the method continues from x. result.relative_residual is that of the returned x. The reason why a
/// solve ended is a result, not an exception (krylov_reason); there are reasons for breakdown, stagnation and NaN
/// (result.fault names the element of b or of the initial guess). Every solve ends. For every reason, x is the best
/// iterate by its true residual: it is never worse than the initial guess, and never NaN because of A, b or the
/// preconditioner.
///
/// **Limit cases.** If b = 0 or n = 0, the result is x = 0 (zero_rhs). b may have any magnitude: outside of 2^-64 to
/// 2^64 (float: 2^-32 to 2^32) b and x are multiplied by a power of two during the solve, in place, and x is multiplied
/// back. Therefore multiplying b and x by a power of two gives the same bits, times that power, unless elements of x
/// become subnormal or overflow. If this changes x too much for the tolerance, the reason is stagnated or not_finite,
/// and result.relative_residual is that of the returned x; if it makes x worse than the initial guess, that is
/// returned. x is always finite: elements that overflow become the largest number. Such a solve allocates a copy of the
/// guess. Entries of A and of the preconditioner are not scaled: products with them must be in the range of T,
/// squares of these products in the range of double.
///
/// **Memory and determinism.** A solver object allocates its vectors in the constructor; solve() allocates the history
/// and a few scalars. Dot products are accumulated in double for float and double. They and the solution have the same
/// bits on every run and for any number of threads. Scalars, the stopping test and the history are in the memory of the
/// vectors: on CUDA the iterations of a round run as one CUDA graph, and the host waits only at its end
/// (result.on_device). This requires an operator and a preconditioner that can be captured into a graph and declare
/// this by `bool replayable() const`: apply() queues the same kernels on the stream of the executor at every call,
/// allocates nothing and does not wait. All operators and preconditioners of the library do. Others have no
/// restrictions in apply(); they are called by the host, which then waits once per iteration. An operator may also have
/// apply_and_dot (see csr_operator), which computes the product and its dot products in one pass.
///
/// **Progress.** options.progress is called for every iteration. On CUDA the host reads the residuals while the graph
/// runs, so a cancelled solve ends some iterations later; x and result are those of the end.
///
/// **Threads.** Solver objects, csr_operator and preconditioners contain workspace and serve one thread at a time. If
/// another thread is in a call (on CUDA: queues one), they throw argument_error before anything is changed.
///
/// **Errors.** argument_error for options out of range, overlapping vectors, an unknown method; dimension_error for
/// vectors of the wrong length or a matrix that is not square.
#pragma once

#include <coppice/solvers/iterative/by_name/krylov.hpp>
#include <coppice/solvers/iterative/krylov/bicg.hpp>
#include <coppice/solvers/iterative/operators/transposed_matrix.hpp>
