// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Smallest (or largest) eigenvalues of a symmetric matrix, with a preconditioner: LOBPCG.
///
///     auto m = coppice::make_preconditioner(exec, "multilevel", a.view());
///     coppice::buffer<double> x(exec, n * 4);                                     // fill it with random numbers
///     auto pairs = coppice::lobpcg(exec, a.view(), m, x.view(), 4, {.tolerance = 1e-8});
///     pairs.values;                                                               // four numbers, increasing
///
/// `eigen_result lobpcg(exec, a, m, x, count, options, b = {}, constraints = {})` computes eigenpairs A x = lambda B x
/// (Knyazev, SIAM J. Sci. Comput. 23, 2001).
///   - `a`: symmetric; `b`: symmetric positive definite, or empty for the identity. Neither is checked. Double.
///   - `m`: a symmetric positive definite preconditioner for A, of <coppice/preconditioner.hpp>; for a singular A that
///     of A + sigma I for a small sigma also serves. Not one that varies.
///   - x[n count], in memory of `exec`: on entry the start vectors, one after the other, linearly independent (random
///     numbers of any magnitude); on return the eigenvectors, orthonormal in the product of B. `count` is 1 to 32 and
///     at most n / 3.
///   - constraints[n k]: vectors to whose B-orthogonal complement the iteration is restricted: the null space, or known
///     eigenvectors. With them `x` contains the next pairs.
///   - Each iteration is the Rayleigh-Ritz method for the 3 count vectors X, M^-1 (A X - B X Lambda) and the last
///     directions; nearly dependent directions are left out (Duersch, Shao, Yang and Gu, SIAM J. Sci. Comput. 40,
///     2018). It takes count products with A and B and count applications of M. The host waits several times in each.
///   - An eigenvalue below the rounding errors of A x, such as 0, cannot meet the tolerance, which is relative to it.
///     The solve ends with the reason stagnated; its residuals are small relative to A. Pass known null vectors as
///     `constraints`.
///   - If the next eigenvalue beyond `count` is close to the last, convergence is slow: ask for some more pairs.
///   - Errors: argument_error for options or counts out of range, dimension_error for wrong lengths, matrix_error for
///     values of A, B or the constraints that are not finite.
#pragma once

#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/eigen/lobpcg.hpp>
