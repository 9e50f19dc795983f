// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Direct solution of tridiagonal systems: A x = d with partial pivoting at the speed of memory.
///
///     tridiagonal<double> a(exec, n);                     // bands lower, diagonal, upper
///     buffer<std::byte> workspace(exec, tridiagonal_workspace<double>(n));
///     solve_tridiagonal(exec, a.view(), d.view(), x.view(), workspace.view(), {.pivot = pivoting::partial});
///     double error = tridiagonal_backward_error(exec, a.view(), x.view(), d.view());
///
/// `void solve_tridiagonal(exec, a, d, x, workspace, options)`
///   - `a`: bands of n >= 0 rows, d[n], x[n], all in memory of `exec`; float or double. lower[0] and upper[n-1] are
///     ignored, whatever they hold. `a` and `d` are not changed.
///   - `x` may be the same memory as `d`; any other overlap is refused.
///   - `workspace`: at least tridiagonal_workspace<T>(n) bytes, aligned to 64, which is at most 8 % of the bytes of
///     the system (4 n elements) plus 4 KiB, and nothing for n <= 64. The call allocates nothing, except on the host
///     if RPTS gives an x that is not finite: then the chain solver takes memory from the pool. An overload without
///     workspace takes it from the pool of `exec`.
///   - On CUDA the call returns before the work is done, never waits, and may be captured into a CUDA graph.
///   - Errors: dimension_error for sizes that differ; argument_error for null pointers, forbidden overlap, a workspace
///     that is too small or misaligned, an unknown pivoting, a threshold that is negative or not finite. All are found
///     in constant time before anything is written.
///
/// Numerics. Pivoting none, partial (default) or scaled partial, see solvers/direct/interface/pivoting.hpp. With either
/// pivoting the backward error is that of LAPACK's gtsv on all matrices of Table 4 with 512 rows, and some hundred
/// epsilon at worst on a million random rows. Limit of the method: each partition of 32 rows is reduced by itself, so a
/// partition (of the system or of a coarse one) whose inner rows are singular to working precision costs accuracy even
/// where the whole matrix is not; tridiagonal_backward_error tells. If x is not finite, the chain solver
/// (<coppice/banded.hpp>) solves the system again, and its answer is taken if it is finite and every column had a
/// pivot. Not so on CUDA with a workspace of the caller, which holds what RPTS needs and no more: take the overload
/// without workspace, or solve_bands. (In place, d is copied before x is written only if the reduction shows that x may
/// not be finite. If nothing shows and x overflows nevertheless, it stays so.) A singular matrix gives x that is
/// infinite, NaN or huge, never an exception: a pivot of magnitude below the smallest normal number is replaced by that
/// number. NaN or infinity in the input gives NaN or infinity in x, at least where x depends on it. Magnitudes up to
/// 1e300 and down to 1e-300 (1e36, 1e-36 in float) do no harm where the rows of a matrix are of similar scale; for rows
/// of different scales use scaled partial pivoting, whose answer does not change when rows are multiplied by powers of
/// two.
///
/// The same input gives the same bits for any number of host threads and on every run, on CUDA on one device with one
/// tuning file. CPUs of different instruction sets (fused multiply-add or not) and GPUs may differ from each other in
/// the last bits.
///
/// Method: RPTS, the recursive partitioned tridiagonal Schur complement algorithm (C. Klein and R. Strzodka, 2021;
/// thesis sections 2.5-2.6) with partitions of 32 rows. The matrix is read twice: 9 n elements move altogether, plus
/// some 7 % for the coarse systems.
#pragma once

#include <coppice/algebra/tridiagonal.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>
#include <coppice/solvers/direct/interface/tridiagonal_solver.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts.hpp>
