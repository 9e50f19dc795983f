// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Preconditioners made of nothing but the matrix: none, jacobi, tridiagonal, forest.
///
///     coppice::host_executor exec;
///     auto m = coppice::make_preconditioner(exec, "forest", a.view());
///     m.apply(exec, r.view(), z.view());            // z = M^-1 r
///     m.refresh(exec, a_new.view());                // new values on the same pattern
///     std::cout << m.report().weight_coverage;      // what the setup found, and how long it took
///
/// | name | M | for |
/// | --- | --- | --- |
/// | none | I | comparison |
/// | jacobi | diag(A) | diagonals of different size; throws matrix_error for a zero diagonal entry, naming its row |
/// | tridiagonal | tridiag(A) in the given order | couplings that the numbering of the rows already follows |
/// | forest | P^T tridiag(P A P^T) P along a linear forest of heavy edges | strong couplings in whatever direction |
///
/// The forest preconditioner (thesis section 4.6) finds the strong couplings of A itself: a [0, 2]-factor of |A|, its
/// linear forest, and the tridiagonal part of A along those paths, solved by RPTS. Its share of the weight of A
/// (report().weight_coverage) tells how much it can do: near 1 it is close to a direct solve, below about 0.4 little
/// more than Jacobi. forest_options sets the factor (rounds, charges, order of equal weights) and the pivoting.
///
/// `refresh` takes a matrix of the same pattern and reads the new coefficients; the forest stays, so that a sequence of
/// systems pays for it once. A matrix of another size is refused (dimension_error) and leaves the preconditioner as it
/// was.
///
/// any_preconditioner, what make_preconditioner returns, is a handle: copies share the preconditioner. apply() works in
/// memory of the preconditioner, so one preconditioner serves one solve at a time; it allocates nothing, and on CUDA
/// returns when the work is queued. The classes behind the names (identity_preconditioner, jacobi_preconditioner,
/// tridiagonal_preconditioner, forest_preconditioner) can be used on their own.
///
/// A tridiagonal part that is singular, though A is not, gives infinities: the solve then ends with reason not_finite.
///
/// Errors: argument_error for an unknown name (with the list of known ones) or options out of range, dimension_error
/// for a matrix that is not square, matrix_error for a zero diagonal (jacobi) or weights that are not finite (forest).
#pragma once

#include <coppice/solvers/preconditioner.hpp>
