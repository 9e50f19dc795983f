// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Direct solution of tridiagonal, cyclic, block tridiagonal and banded systems and of batches of them;
/// include/coppice/banded.hpp has the contract.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <coppice/algebra/band_storage.hpp>
#include <coppice/algebra/tridiagonal.hpp>
#include <coppice/solvers/direct/interface/matrix_operation.hpp>
#include <coppice/solvers/direct/interface/pivoting.hpp>

namespace coppice::inline v0_1 {

/// How a solve ended.
enum class solve_status : std::int32_t {
    ok,         ///< the backward error is within the bound
    singular,   ///< an elimination column has no nonzero pivot; solve_report::row is its row
    not_finite, ///< the solution has a NaN or infinity: from the input, or by overflow
    inaccurate  ///< the backward error exceeds the bound after all attempts
};

/// Outcome of one system, over all its right-hand sides.
struct solve_report {
    /// max |A x - d| / (|A| |x| + |d|) in maximum norms; the maximum over the right-hand sides.
    double backward_error;
    double componentwise_error; ///< max over rows of |A x - d|_i / (|A| |x| + |d|)_i
    std::int64_t row;           ///< row within the system of the first column without a pivot; -1 if there is none
    solve_status status;
    /// Number of the attempt that gave x. If rpts is first: 1 rpts, 2 chain solver, 3 one step of refinement by the
    /// chain solver. Otherwise: 1 chain solver, 2 one step of refinement.
    std::int32_t tries;
    /// Estimate of |op(A)|_1 |op(A)^-1|_1: a lower bound, rarely below a third of the value. Infinite for a singular
    /// matrix and after overflow, NaN if the matrix has a NaN or infinity, 0 unless options.condition is set.
    double condition;
};

/// Elimination method of a solve.
enum class band_method {
    /// RPTS if it applies, otherwise chain; with a report, further attempts if the backward error exceeds the bound. On
    /// the host, real systems with blocks of 2 to 8 rows and at most 2^18 rows are eliminated like banded ones, from
    /// both ends: two to five times as fast as chain on one thread.
    automatic,
    rpts, ///< real tridiagonal systems only. Systems of different sizes: on CUDA if each fits into a block (4096 rows
          ///< of float, 2048 of double) and is at most 8 times the mean. Cyclic systems: of equal size, without a
          ///< threshold, on the host from 3 rows on with partial pivoting, on CUDA from 64 rows on with pivoting;
          ///< `automatic` chooses rpts for them only without a report and without refinement. Interleaved systems that
          ///< are cyclic or longer (than 4096 rows; on CUDA, than a block takes) are copied
    chain ///< any row that holds an unknown can become its pivot row
};

struct band_options {
    pivoting pivot = pivoting::partial; ///< the chain solver treats `none` as `partial`
    double threshold = 0;               ///< see tridiagonal_options
    bool cyclic = false;                ///< the corner entries couple the first and last (block) row
    matrix_operation operation = matrix_operation::none;
    band_method method = band_method::automatic;
    int refinements = 0;    ///< steps of iterative refinement in the precision of the data
    double error_bound = 0; ///< bound of the backward error; if it is exceeded, further attempts follow. 0: 50 epsilon
    bool condition = false; ///< estimate condition numbers for the report; costs four to ten chain solves
};

/// View of a matrix of any of the classes, or of a batch of such matrices.
template <class T>
struct band_matrix {
    std::int64_t size = 0; ///< scalar rows of all systems together
    int block = 1;
    int lower_bands = -1, upper_bands = -1; ///< of a banded matrix; otherwise -1
    T const *lower = nullptr, *diagonal = nullptr, *upper = nullptr;
    std::int64_t systems = 1;
    std::int64_t const* offsets = nullptr;
    std::int64_t largest = 0;
    bool interleaved = false;

    band_matrix() = default;
    band_matrix(tridiagonal_view<T> a) : size(a.size()), lower(a.lower), diagonal(a.diagonal), upper(a.upper) {}
    band_matrix(block_tridiagonal_view<T> a)
        : size(a.size()), block(a.block), lower(a.lower), diagonal(a.diagonal), upper(a.upper) {}
    band_matrix(banded_view<T> a)
        : size(a.length), block(band_block(a.lower_bands, a.upper_bands)), lower_bands(a.lower_bands),
          upper_bands(a.upper_bands), diagonal(a.bands) {}
    band_matrix(tridiagonal<T> const& a) : band_matrix(a.view()) {}
    band_matrix(block_tridiagonal<T> const& a) : band_matrix(a.view()) {}
    band_matrix(banded<T> const& a) : band_matrix(a.view()) {}

    /// `count` systems of equal size, stored one after the other in `all`.
    static band_matrix batch(band_matrix all, std::int64_t count) {
        all.systems = count;
        return all;
    }
    /// `count` systems of equal size with interleaved rows: (block) row j of system s is (block) row j count + s.
    static band_matrix interleaved_batch(band_matrix all, std::int64_t count) {
        all.systems = count;
        all.interleaved = true;
        return all;
    }
    /// System s has the (block) rows [offsets[s], offsets[s + 1]). The offsets are in memory of the executor and
    /// increase from 0 to the number of (block) rows. `largest_rows`: an upper bound of the (block) rows of the largest
    /// system, or 0 if it is unknown, which is slower for small systems. Neither is checked.
    static band_matrix batch(band_matrix all, array_view<std::int64_t const> offsets, std::int64_t largest_rows = 0) {
        all.systems = offsets.size() - 1;
        all.offsets = offsets.data();
        all.largest = largest_rows;
        return all;
    }

    static int band_block(int below, int above) {
        return below > above ? (below > 1 ? below : 1) : above > 1 ? above : 1;
    }
};

/// Bytes of workspace that solve_bands needs. Throws as solve_bands does.
template <class T, executor Executor>
std::int64_t bands_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                             band_options const& options = {}, bool reported = false);

/// Solves op(A) X = D; see <coppice/banded.hpp>. Instantiated for float, double and complex of both.
template <class T, executor Executor>
void solve_bands(Executor const& exec, band_matrix<T> const& a, columns_view<std::type_identity_t<T> const> d,
                 columns_view<std::type_identity_t<T>> x, array_view<std::byte> workspace, band_options const& options,
                 array_view<solve_report> report = {});

/// Overload with workspace from the pool of `exec`.
template <class T, executor Executor>
void solve_bands(Executor const& exec, band_matrix<T> const& a, columns_view<std::type_identity_t<T> const> d,
                 columns_view<std::type_identity_t<T>> x, band_options const& options = {},
                 array_view<solve_report> report = {}) {
    buffer<std::byte> workspace(exec, bands_workspace(exec, a, x.columns, options, !report.empty()));
    solve_bands(exec, a, d, x, workspace.view(), options, report);
}

/// Estimates the condition number of each system, as in solve_report::condition, without a right-hand side.
/// condition[s] is in memory of `exec`; workspace comes from its pool. Does not wait. Throws as solve_bands does.
template <class T, executor Executor>
void estimate_condition(Executor const& exec, band_matrix<T> const& a, array_view<double> condition,
                        band_options const& options = {});

/// Report of a given X for op(A) X = D: errors and status as solve_bands computes them, the worst over all systems.
/// Waits.
template <class T, executor Executor>
solve_report bands_report(Executor const& exec, band_matrix<T> const& a, columns_view<std::type_identity_t<T> const> x,
                          columns_view<std::type_identity_t<T> const> d, band_options const& options = {});

/// Normwise backward error |A x - d| / (|A| |x| + |d|) in the maximum norm (row sums for A), as in reports. 0 for n =
/// 0; NaN if any value is not finite. Waits for the stream, since it returns a value.
template <class T, executor Executor>
double tridiagonal_backward_error(Executor const& exec, tridiagonal_view<T> a,
                                  array_view<std::type_identity_t<T> const> x,
                                  array_view<std::type_identity_t<T> const> d) {
    require_size("solution of tridiagonal_backward_error", x, a.size());
    require_size("right-hand side of tridiagonal_backward_error", d, a.size());
    solve_report const r = bands_report(exec, band_matrix<T>(a), columns_view<T const>(x.data(), x.size(), 1),
                                        columns_view<T const>(d.data(), d.size(), 1));
    return r.status == solve_status::not_finite ? std::numeric_limits<double>::quiet_NaN() : r.backward_error;
}

} // namespace coppice::inline v0_1
