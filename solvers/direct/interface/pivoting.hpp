// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Pivot choice of the tridiagonal elimination.
#pragma once

namespace coppice::inline v0_1 {

/// Each elimination step chooses its pivot row from the two rows that hold the unknown.
enum class pivoting {
    /// Always the upper row; safe only for matrices that need no row exchange (diagonally dominant, SPD).
    none,
    partial, ///< the row with the larger entry in the column, as LAPACK's gtsv
    /// The row with the larger ratio of its entry to the largest entry of the row; for badly scaled rows.
    scaled_partial
};

/// Options of the tridiagonal solvers.
struct tridiagonal_options {
    pivoting pivot = pivoting::partial;
    /// Entries of at most this magnitude count as zero if they are to be eliminated or to be a pivot (the epsilon of
    /// Algorithm 1, against noise in the input). 0 disables this. Finite and nonnegative.
    double threshold = 0;
};

} // namespace coppice::inline v0_1
