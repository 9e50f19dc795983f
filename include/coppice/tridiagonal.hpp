// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Direct solution of tridiagonal systems A x = d with partial pivoting, at the bandwidth of the memory.
///
///     tridiagonal<double> a(exec, n);                     // bands lower, diagonal, upper
///     buffer<std::byte> workspace(exec, tridiagonal_workspace<double>(n));
///     solve_tridiagonal(exec, a.view(), d.view(), x.view(), workspace.view(), {.pivot = pivoting::partial});
///     double error = tridiagonal_backward_error(exec, a.view(), x.view(), d.view());
///
/// `void solve_tridiagonal(exec, a, d, x, workspace, options)`
///   - `a`: bands of n >= 0 rows, d[n], x[n], all in memory of `exec`; float or double. lower[0] and upper[n-1] may
///     have any value and are ignored. `a` and `d` are not changed.
///   - `x` may be the same memory as `d`; any other overlap is an error.
///   - `workspace`: at least tridiagonal_workspace<T>(n) bytes, aligned to 64. This is at most 8 % of the bytes of the
///     system (4 n elements) plus 4 KiB, and 0 for n <= 64. The call allocates nothing, with one exception: if RPTS
///     gives an x that is not finite or wrong, the host takes memory for the chain solver from the pool. An overload
///     without this argument takes the workspace from the pool of `exec`.
///   - On CUDA the call returns before the work is done, never waits, and may be captured into a CUDA graph.
///   - Errors: dimension_error for sizes that differ; argument_error for null pointers, forbidden overlap, a workspace
///     that is too small or misaligned, an unknown pivoting, a threshold that is negative or not finite. They are found
///     in constant time before anything is written.
///
/// Accuracy. Pivoting is none, partial (default) or scaled partial, see solvers/direct/interface/pivoting.hpp. With
/// either pivoting the backward error is that of LAPACK's gtsv on all matrices of Table 4 with 512 rows, and at most
/// some hundred epsilon on a million random rows. Limit of the method: each partition of 32 rows is reduced separately.
/// If the inner rows of a partition (of the system or of a coarse system) are singular to working precision, accuracy
/// is lost although the whole matrix may be well-conditioned; tridiagonal_backward_error returns the error. If x is not
/// finite, or the reduction found such partitions and the backward error is more than 32 epsilon, the chain solver
/// (<coppice/banded.hpp>) solves the system again; its answer is accepted if it is finite and every column had a pivot.
/// Exceptions: on CUDA with a workspace of the caller there is no second solve, since this workspace suffices only for
/// RPTS; use the overload without workspace, or solve_bands. In place, d is copied before x is written only if the
/// reduction indicates that x may not be finite; if x overflows without such an indication, there is no second solve. A
/// singular matrix gives an x that is infinite, NaN or huge, never an exception: a pivot smaller than the smallest
/// normal number is replaced by that number. NaN or infinity in the input gives NaN or infinity in x, at least in the
/// unknowns that depend on it. Magnitudes from 1e-300 to 1e300 (1e-36 to 1e36 in float) cause no loss if the rows of
/// the matrix are of similar scale. For rows of different scales use scaled partial pivoting, whose result is invariant
/// under powers of two on rows.
///
/// Determinism. The same input gives the same bits on every run, for any number of host threads; on CUDA, on one device
/// with one tuning file. CPUs of different instruction sets (with or without fused multiply-add) and GPUs may differ in
/// the last bits.
///
/// Method: RPTS, the recursive partitioned tridiagonal Schur complement algorithm (C. Klein and R. Strzodka, 2021;
/// thesis sections 2.5-2.6), with partitions of 32 rows. The matrix is read twice: 9 n elements are moved in total,
/// plus about 7 % for the coarse systems.
#pragma once

#include <coppice/algebra/tridiagonal.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>
#include <coppice/solvers/direct/interface/tridiagonal_solver.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts.hpp>
