// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Direct solvers of LAPACK in both precisions, for comparison; they overwrite all their arguments.
#pragma once

#include <lapacke.h>

namespace coppice::bench {

/// `columns` right-hand sides with leading dimension `leading`.
inline lapack_int gtsv(lapack_int n, lapack_int columns, double* lower, double* diagonal, double* upper, double* x,
                       lapack_int leading) {
    return LAPACKE_dgtsv_work(LAPACK_COL_MAJOR, n, columns, lower, diagonal, upper, x, leading);
}
inline lapack_int gtsv(lapack_int n, lapack_int columns, float* lower, float* diagonal, float* upper, float* x,
                       lapack_int leading) {
    return LAPACKE_sgtsv_work(LAPACK_COL_MAJOR, n, columns, lower, diagonal, upper, x, leading);
}

/// `reach` bands on each side of the diagonal; `bands` has 3 reach + 1 rows.
inline lapack_int gbsv(lapack_int n, lapack_int reach, double* bands, lapack_int* pivots, double* x) {
    return LAPACKE_dgbsv_work(LAPACK_COL_MAJOR, n, reach, reach, 1, bands, 3 * reach + 1, pivots, x, n);
}
inline lapack_int gbsv(lapack_int n, lapack_int reach, float* bands, lapack_int* pivots, float* x) {
    return LAPACKE_sgbsv_work(LAPACK_COL_MAJOR, n, reach, reach, 1, bands, 3 * reach + 1, pivots, x, n);
}

} // namespace coppice::bench
