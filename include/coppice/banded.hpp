// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Direct solution of tridiagonal, cyclic, block tridiagonal and banded systems, single or in batches, with one or many
/// right-hand sides, and with reports of the accuracy.
///
///     block_tridiagonal<double> a(exec, length, 3);        // blocks of 3 x 3, column-major
///     buffer<solve_report> report(exec, 1);
///     solve_bands(exec, band_matrix<double>(a), {d.view()}, {x.view()}, {.cyclic = true}, report.view());
///
/// `void solve_bands(exec, a, d, x, [workspace,] options, report)`
///   - `a`: a tridiagonal_view, block_tridiagonal_view (blocks of 1 to 8 rows) or banded_view (up to 8 bands on either
///     side) of float, double or complex of both, or a batch of systems made by band_matrix::batch or
///     interleaved_batch. Bands and blocks are in memory of `exec` and are not changed. Entries outside a matrix are
///     ignored. If options.cyclic is set, the corner entries couple the first and last (block) row of each matrix; not
///     for banded matrices.
///   - `d`, `x`: n x k, column-major with leading dimensions of at least n. `x` may be `d` without a report and without
///     refinement; any other overlap, also of workspace and report, is an error.
///   - `options.operation`: A, its transpose, or its conjugate transpose.
///   - `workspace`: at least bands_workspace(exec, a, k, options, with report) bytes, aligned to 64. For large systems
///     this is 8 to 12 % of the bytes of the system; on CUDA 15 to 27 % for up to 2^19 block rows, and up to 45 % if
///     there are bands on one side only; on the host also some KiB to some MiB for each thread. It includes a copy of
///     the right-hand sides if refinement is requested or may follow (a report with method automatic; on CUDA also real
///     tridiagonal systems without a report). With it the call allocates nothing, with one exception: for real
///     tridiagonal systems without a report the host takes memory from the pool if x is not finite or wrong, and for a
///     copy of d if x is d and either x may become so or the call solves a batch of more than 512 elements whose
///     systems have at most 512 rows, different sizes or interleaved rows. The overload without it takes the workspace
///     from the pool of `exec`.
///   - `report`: empty, or one solve_report for each system, in memory of `exec`.
///   - On CUDA the call returns before the work is done, never waits, and may be captured into a CUDA graph.
///   - Errors: dimension_error for sizes that differ; argument_error for null pointers, forbidden overlap, a workspace
///     that is too small or misaligned, options out of range, an unsupported class (cyclic or batched banded matrices).
///     They are found in constant time before anything is written.
///
/// Reports. `status` is
///   - ok if max |A x - d| / (|A| |x| + |d|) is at most options.error_bound (default 50 epsilon);
///   - singular if a column has no pivot; its row within its system is reported (LAPACK's info minus 1 if it is the
///     only such column);
///   - not_finite if x or the matrix has a NaN or infinity;
///   - inaccurate otherwise.
///
/// Without a report errors are computed in one case only. Real tridiagonal systems are solved by RPTS, as in
/// solve_tridiagonal. With method automatic, each column whose x is not finite is solved again by the chain solver. So
/// is a column whose backward error is more than 32 epsilons; it is computed if the reduction found no good split of
/// two partitions. That answer is accepted if it is finite and every column of the matrix had a pivot; so a singular
/// matrix still gives infinity or NaN.
///
/// With a report and method automatic, a solution by RPTS whose backward error exceeds the bound is solved again by the
/// chain solver. If the error still exceeds the bound, one step of refinement follows. All of this runs on the device.
/// So either the backward error is small, or the status is not ok.
///
/// A matrix is also reported as singular in two cases in which x may solve the system, since the right-hand side is in
/// its range. First, if every column of an x by RPTS has a zero, as RPTS gives for an unknown without a pivot: the
/// chain solver then looks for columns without a pivot, and x is not changed (not with method rpts). Second, if all
/// rows or all columns of op(A) sum to zero in double arithmetic. A system of a batch that is singular or has a NaN
/// does not affect the others. Condition numbers are estimated on request (options.condition), or without a solve by
/// estimate_condition.
///
/// Accuracy. RPTS (see <coppice/tridiagonal.hpp>) reduces each partition separately and loses digits if its inner rows
/// are nearly singular. The chain solver eliminates the same unknowns, but any row that holds an unknown can become its
/// pivot row. It is Gaussian elimination with partial pivoting of the matrix with permuted columns, row by row also for
/// block rows. This is the elimination of a two-point boundary value problem, in which entries may grow exponentially
/// with the number of rows although the matrix is well-conditioned and gbsv solves it accurately (S. J. Wright 1993, L.
/// V. Foster 1994). So element growth is monitored: segments whose entries grow to more than 8 (blocks of 1 and 2
/// rows, up to two bands) or 16 times those of the matrix are eliminated by Householder reflections, which do not let
/// entries grow (Wright 1992: structured orthogonal factorization). Backward errors of systems with condition numbers
/// below 1e8 (1e3 in single precision) are below 100 epsilon, with or without a report; this is measured, not proved,
/// on random systems and on the families of tests/solvers/direct/block_banded/growth.cpp. Partial pivoting compares
/// |re| + |im|. Scaled partial pivoting first scales each row by a power of two. The chain solver treats no pivoting as
/// partial pivoting. In segments eliminated by reflections a pivot of up to 100 epsilon times the size of the matrix
/// counts as zero: a matrix with a condition number above 1e13 (1e5) may then be reported as singular.
///
/// Determinism. The same input gives the same bits on every run, for any number of host threads; on CUDA, on one device
/// with one tuning file (docs/guide/tridiagonal.md). The bits of a solution do not depend on the other right-hand
/// sides. On the host, systems of a batch of equal sizes have the bits of single systems; of different sizes, and
/// interleaved, they may differ in the last bits, since segments fit the largest system and short interleaved
/// tridiagonal systems are not partitioned. On CUDA the partitions depend on the number of systems. If a matrix or
/// right-hand side is multiplied by a power of two, the solution has the same bits, times a power of two, and the
/// report is the same, unless there is overflow or underflow; options.threshold must be multiplied like the matrix.
///
/// Method: docs/guide/tridiagonal.md.
#pragma once

#include <coppice/algebra/band_storage.hpp>
#include <coppice/algebra/tridiagonal.hpp>
#include <coppice/solvers/direct/factored/band_factor.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>
#include <coppice/solvers/direct/sparse_rhs/sparse_rhs.hpp>
