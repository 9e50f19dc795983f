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

namespace coppice {

/// How a solve ended.
enum class solve_status : std::int32_t {
    ok,         ///< the backward error is within the bound
    singular,   ///< elimination met a column without a pivot; solve_report::row tells which
    not_finite, ///< the solution holds NaN or infinity: so did the input, or something overflowed
    inaccurate  ///< the backward error is beyond the bound after all tries
};

/// What became of one system, over all its right-hand sides.
struct solve_report {
    double backward_error;      ///< max |A x - d| / (|A| |x| + |d|), maximum norms; the largest of the columns
    double componentwise_error; ///< max over rows of |A x - d|_i / (|A| |x| + |d|)_i
    std::int64_t row;           ///< of the first column without a pivot, within the system; -1 for none
    solve_status status;
    /// Number of the try that gave the answer. Where rpts comes first: 1 rpts, 2 the chain solver, 3 a step of
    /// refinement by that; elsewhere 1 the chain solver, 2 a step of refinement.
    std::int32_t tries;
    /// Estimate of |op(A)|_1 |op(A)^-1|_1, from below and rarely less than a third of it; infinite for a singular
    /// matrix and where it overflows, NaN where the matrix holds NaN or infinity, 0 where options.condition did not ask
    /// for it.
    double condition;
};

/// The elimination that a solve uses.
enum class band_method {
    automatic, ///< rpts where it applies, chain where it does not; with a report, what follows where that is not enough
    rpts, ///< only for real tridiagonal systems; on CUDA interleaved ones and such of different sizes only where each
          ///< fits into a block (4096 rows of float, 2048 of double); on the host interleaved ones of at most 4096
          ///< rows, each eliminated as a whole; cyclic ones on CUDA alone, of equal size, from 64 rows on, with
          ///< pivoting and without a threshold, and `automatic` only where there is neither a report nor a refinement
    chain ///< every row of an unknown may become its pivot row
};

struct band_options {
    pivoting pivot = pivoting::partial; ///< the chain solver takes `none` for `partial`
    double threshold = 0;               ///< as in tridiagonal_options
    bool cyclic = false;                ///< the corner entries couple the first and the last (block) row
    matrix_operation operation = matrix_operation::none;
    band_method method = band_method::automatic;
    int refinements = 0;    ///< steps of iterative refinement in the precision of the data
    double error_bound = 0; ///< of the backward error, beyond which a solve is tried again; 0: 50 epsilon
    bool condition = false; ///< estimate condition numbers for the report, at the cost of four to ten chain solves
};

/// A borrowed matrix of any of the classes, or a batch of such matrices.
template <class T>
struct band_matrix {
    std::int64_t size = 0; ///< scalar rows of all systems together
    int block = 1;
    int lower_bands = -1, upper_bands = -1; ///< of a banded matrix
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

    /// `count` systems of the same size, one behind the other in `all`.
    static band_matrix batch(band_matrix all, std::int64_t count) {
        all.systems = count;
        return all;
    }
    /// `count` systems of the same size whose rows alternate: (block) row j of system s is (block) row j count + s.
    static band_matrix interleaved_batch(band_matrix all, std::int64_t count) {
        all.systems = count;
        all.interleaved = true;
        return all;
    }
    /// System s is (block) rows [offsets[s], offsets[s + 1]); the offsets, in memory of the executor, grow from 0 to
    /// the number of (block) rows. `largest_rows`: at least the (block) rows of the largest system; 0 where that is not
    /// known, which costs time where systems are small. Neither is checked.
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

/// The same with workspace from the pool of `exec`.
template <class T, executor Executor>
void solve_bands(Executor const& exec, band_matrix<T> const& a, columns_view<std::type_identity_t<T> const> d,
                 columns_view<std::type_identity_t<T>> x, band_options const& options = {},
                 array_view<solve_report> report = {}) {
    buffer<std::byte> workspace(exec, bands_workspace(exec, a, x.columns, options, !report.empty()));
    solve_bands(exec, a, d, x, workspace.view(), options, report);
}

/// Estimates the condition number of each system as solve_report::condition says, without solving anything for the
/// caller: condition[s] in memory of `exec`, workspace from its pool. Does not wait. Throws as solve_bands does.
template <class T, executor Executor>
void estimate_condition(Executor const& exec, band_matrix<T> const& a, array_view<double> condition,
                        band_options const& options = {});

/// What the classes of solve_bands have in common: A times X, or the residual of a solution, judged.
template <class T, executor Executor>
solve_report bands_report(Executor const& exec, band_matrix<T> const& a, columns_view<std::type_identity_t<T> const> x,
                          columns_view<std::type_identity_t<T> const> d, band_options const& options = {});

/// Normwise backward error |A x - d| / (|A| |x| + |d|) in the maximum norm (row sums for A), as reports have it; 0 for
/// n = 0, NaN where anything is not finite. Waits for the stream, as it returns a value.
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

} // namespace coppice
