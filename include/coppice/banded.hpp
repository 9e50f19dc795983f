// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Direct solution of tridiagonal, cyclic, block tridiagonal and banded systems, single and in batches, with one
/// or many right-hand sides, and with an account of how good the answer is.
///
///     block_tridiagonal<double> a(exec, length, 3);        // blocks of 3 x 3, column-major
///     buffer<solve_report> report(exec, 1);
///     solve_bands(exec, band_matrix<double>(a), {d.view()}, {x.view()}, {.cyclic = true}, report.view());
///
/// `void solve_bands(exec, a, d, x, [workspace,] options, report)`
///   - `a`: a tridiagonal_view, block_tridiagonal_view (blocks of 1 to 8 rows) or banded_view (up to 8 bands on either
///     side) of float, double or complex of both, or a batch of systems made of one by band_matrix::batch or
///     interleaved_batch; bands and blocks in memory of `exec`, not changed. What lies outside a matrix is ignored,
///     unless options.cyclic makes it couple the first and the last (block) row of a matrix, or of each one of a batch,
///     that is not banded.
///   - `d`, `x`: n x k, column-major with leading dimensions of at least n. `x` may be `d` where neither a report nor
///     refinement is wanted; any other overlap, also of workspace and report, is refused.
///   - `options.operation`: A, its transpose, or its conjugate transpose.
///   - `workspace`: at least bands_workspace(exec, a, k, options, with report) bytes, aligned to 64. For large systems
///     that is 8 to 12 % of the bytes of the system, on CUDA 15 to 27 % of those of up to 2^19 block rows, and up to
///     45 % where there are bands on one side only; on the host
///     some KiB to some MiB a thread beside, and the bytes of the right-hand sides more where refinement is wanted or
///     may follow (a report with method automatic; on CUDA real tridiagonal systems without a report, too). With it
///     the call allocates nothing, but on the host for real tridiagonal systems without a report memory from the pool
///     if x is not finite, and for a copy of d if x is d and may turn out not to be finite, or is a batch of more than
///     512 elements whose systems have at most 512 rows, different sizes or alternating rows; the overload without it
///     takes it from the pool of `exec`.
///   - `report`: empty, or one solve_report for each system, in memory of `exec`.
///   - On CUDA the call returns before the work is done, never waits, and may be captured into a CUDA graph.
///   - Errors: dimension_error for sizes that differ; argument_error for null pointers, forbidden overlap, a workspace
///     that is too small or misaligned, options out of range, a class that does not exist (cyclic or batched banded
///     matrices). All are found in constant time before anything is written.
///
/// What the report says. `status` is ok where max |A x - d| / (|A| |x| + |d|) is at most options.error_bound (50
/// epsilon); singular where a column was left without any pivot, with its row number within its system (LAPACK's info
/// minus 1 where only one column is without); not_finite where x or the matrix holds NaN or infinity; inaccurate
/// otherwise. Without a report nothing is measured; real tridiagonal systems are solved by RPTS as solve_tridiagonal
/// does, and with options.method automatic those whose x is not finite are solved again by the chain solver, each
/// column by itself. That answer is taken where it is finite and every column of the matrix had a pivot; so a singular
/// matrix still gives infinity or NaN. With a report, and options.method automatic, a solution by RPTS whose backward
/// error is beyond the bound is solved again by the chain solver, and gets a step of refinement by that where it still
/// is beyond; all on the device. Either the backward error is small or the status says that it is not. A matrix is
/// called singular also where the right-hand side is in its range and x solves the system: where every column of an x
/// by RPTS has a zero, which is what RPTS leaves for an unknown without a pivot, the chain solver looks for columns
/// without one, and x stays (not with options.method rpts); and where all rows or all columns of op(A) sum to zero, in
/// double arithmetic. In a batch, a system that is singular or holds NaN does not touch the others. Condition numbers
/// are estimated on request (options.condition), or without a solve by estimate_condition.
///
/// Numerics. RPTS (see <coppice/tridiagonal.hpp>) reduces each partition by itself and loses digits where its inner
/// rows are nearly singular. The chain solver eliminates the same unknowns, but every row that holds an unknown may
/// become its pivot row: Gaussian elimination with partial pivoting of the matrix with its columns permuted, on block
/// rows row by row and not block by block. That is the elimination of a two-point boundary value problem, in which
/// entries may grow exponentially with the number of rows though the matrix is well-conditioned and gbsv solves it well
/// (S. J. Wright 1993, L. V. Foster 1994). So growth is watched, and where entries grow beyond 4 to 16 times those of
/// the matrix, the rows concerned are eliminated by reflections instead, which let nothing grow (Wright 1992:
/// structured orthogonal factorization). Backward errors of systems with condition numbers below 1e8 (1e3 in single
/// precision) are below 100 epsilon, with or without a report: measured, over the families of
/// tests/solvers/chain/growth.cpp and random systems, not proved. Partial pivoting compares |re| + |im|; scaled partial
/// pivoting first scales each row by a power of two; no pivoting means partial pivoting here. Where rows were
/// reflected, a pivot of up to 100 epsilon of the size of the matrix counts as none: a matrix with a condition number
/// beyond 1e13 (1e5) may then be called singular.
///
/// The same input gives the same bits for any number of host threads and on every run, on CUDA on one device with one
/// tuning file (docs/guide/tridiagonal.md); a right-hand side gives the same bits alone and among others. A matrix or a
/// right-hand side times a power of two gives the same bits, times a power of two, and the same report, as long as
/// nothing overflows or underflows and options.threshold is multiplied with the matrix.
///
/// Method: docs/guide/tridiagonal.md.
#pragma once

#include <coppice/algebra/band_storage.hpp>
#include <coppice/algebra/tridiagonal.hpp>
#include <coppice/solvers/direct/factored/band_factor.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>
#include <coppice/solvers/direct/sparse_rhs/sparse_rhs.hpp>
