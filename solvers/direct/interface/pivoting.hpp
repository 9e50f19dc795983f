// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// How tridiagonal elimination chooses its pivot rows.
#pragma once

namespace coppice {

/// The pivot of each elimination step is chosen among the two rows that hold the unknown.
enum class pivoting {
    none,          ///< always the upper row; safe only for matrices that need no exchange (diagonally dominant, SPD)
    partial,       ///< the row with the larger entry in the column, as LAPACK's gtsv
    scaled_partial ///< the row with the larger entry relative to the largest entry of its row; for badly scaled rows
};

/// Options of the tridiagonal solvers.
struct tridiagonal_options {
    pivoting pivot = pivoting::partial;
    /// Entries of at most this magnitude count as zero when they are about to be eliminated or to be a pivot (the
    /// epsilon of Algorithm 1, against noise in the input); 0 switches this off. Finite and not negative.
    double threshold = 0;
};

} // namespace coppice
