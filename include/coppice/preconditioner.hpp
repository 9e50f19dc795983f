// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Algebraic (black-box) preconditioners: they are computed from the matrix alone.
///
///     coppice::host_executor exec;
///     auto m = coppice::make_preconditioner(exec, "forest", a.view());
///     m.apply(exec, r.view(), z.view());                      // z = M^-1 r
///     m.refresh(exec, a_new.view());                          // new values on the same pattern
///     std::cout << m.report().number("weight_coverage");      // findings of the set-up; also its time
///
/// preconditioner_catalogue lists all preconditioners, their requirements and options; docs/guide/preconditioners.md
/// contains it as a table. Options are given by name, in the string or as a list, or as a struct:
///
///     make_preconditioner(exec, "forest,rounds=7,ties=hash", a.view());
///     make_preconditioner(exec, "forest", a.view(), {{"rounds", 7}, {"ties", "hash"}});
///     make_preconditioner(exec, "forest", a.view(), coppice::forest_options{.factor = {.rounds = 7}});
///
/// The forest preconditioner (thesis section 4.6) finds the strong couplings of A: a [0, 2]-factor of |A|, its linear
/// forest, and the tridiagonal submatrix of A along these paths, which is solved by RPTS. The fraction of the weight of
/// A that it contains (weight_coverage in its report) indicates its quality: near 1 it is close to a direct solve,
/// below about 0.4 slightly better than Jacobi. forest_options sets the factor (rounds, charges, order of equal
/// weights) and the pivoting.
///
/// `refresh` reads the coefficients of a matrix with the same pattern; the forest is reused, so a sequence of systems
/// needs one forest. For a matrix of another size it throws dimension_error, and the preconditioner is unchanged.
///
/// make_preconditioner returns any_preconditioner, a handle: copies share the preconditioner. apply() uses workspace of
/// the preconditioner, so one preconditioner serves one solve at a time; it allocates nothing, and on CUDA returns when
/// the work is queued. The classes behind the names (jacobi_preconditioner, forest_preconditioner, ilu_preconditioner,
/// ...) can also be used directly: <coppice/preconditioner_classes.hpp>.
///
/// m.apply_transpose(exec, r.view(), z.view()) computes z = M^-T r, without conjugation. It may allocate and wait; the
/// first call transposes the data that it needs. Preconditioners that change from call to call have no transpose.
///
/// convergence_factor(exec, a.view(), m) estimates the factor by which M alone reduces an error per step.
///
/// Finite vectors stay finite: tridiagonal factors that are singular or nearly singular, zero pivots of an incomplete
/// factorisation, and diagonal entries without a finite inverse are regularised when the preconditioner is made or
/// refreshed; the report contains their number or size (`mended_rows`, `shift`). M^-1 r itself may leave the range: the
/// triangular solves of ilu0, ic0, ilut, iluk and direct then give infinity or NaN, and a Krylov method ends as
/// not_finite with the best x so far.
///
/// Errors: argument_error for an unknown name or option (with the list of known ones) or options out of range,
/// dimension_error for a matrix that is not square, matrix_error for a zero diagonal (jacobi), a matrix that is not
/// symmetric (ic0) or values that are not finite.
#pragma once

#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/precondition/one_level/convergence_factor.hpp>
