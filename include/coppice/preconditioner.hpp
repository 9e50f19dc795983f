// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Preconditioners made of nothing but the matrix.
///
///     coppice::host_executor exec;
///     auto m = coppice::make_preconditioner(exec, "forest", a.view());
///     m.apply(exec, r.view(), z.view());                      // z = M^-1 r
///     m.refresh(exec, a_new.view());                          // new values on the same pattern
///     std::cout << m.report().number("weight_coverage");      // what the setup found, and how long it took
///
/// preconditioner_catalogue lists them with what each needs of the matrix and its options;
/// docs/guide/preconditioners.md shows it as a table. Options go by name, in the text or beside it, or as a struct:
///
///     make_preconditioner(exec, "forest,rounds=7,ties=hash", a.view());
///     make_preconditioner(exec, "forest", a.view(), {{"rounds", 7}, {"ties", "hash"}});
///     make_preconditioner(exec, "forest", a.view(), coppice::forest_options{.factor = {.rounds = 7}});
///
/// The forest preconditioner (thesis section 4.6) finds the strong couplings of A itself: a [0, 2]-factor of |A|, its
/// linear forest, and the tridiagonal part of A along those paths, solved by RPTS. Its share of the weight of A
/// (weight_coverage in its report) tells how much it can do: near 1 it is close to a direct solve, below about 0.4
/// little more than Jacobi. forest_options sets the factor (rounds, charges, order of equal weights) and the pivoting.
///
/// `refresh` takes a matrix of the same pattern and reads the new coefficients; the forest stays, so that a sequence of
/// systems pays for it once. A matrix of another size is refused (dimension_error) and leaves the preconditioner as it
/// was.
///
/// any_preconditioner, what make_preconditioner returns, is a handle: copies share the preconditioner. apply() works in
/// memory of the preconditioner, so one preconditioner serves one solve at a time; it allocates nothing, and on CUDA
/// returns when the work is queued. The classes behind the names (jacobi_preconditioner, forest_preconditioner,
/// ilu_preconditioner, ...) can be used on their own: <coppice/preconditioner_classes.hpp>.
///
/// convergence_factor(exec, a.view(), m) tells by which factor M alone would shrink an error in one step.
///
/// Finite vectors stay finite: a tridiagonal part that is singular or nearly so, a pivot of an incomplete factorisation
/// that is zero, a diagonal entry without an inverse are mended when the preconditioner is made or refreshed, and told
/// in the report (mended_rows, shift).
///
/// Errors: argument_error for an unknown name or option (with the list of known ones) or options out of range,
/// dimension_error for a matrix that is not square, matrix_error for a zero diagonal (jacobi), a matrix that is not
/// symmetric (ic0) or values that are not finite.
#pragma once

#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/precondition/one_level/convergence_factor.hpp>
