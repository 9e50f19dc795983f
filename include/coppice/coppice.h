/* SPDX-License-Identifier: BSD-3-Clause */
/*! \file
 * C interface of the tridiagonal library on the host: coppice<t>gtsv and its kin are the functions of tridigpu.h
 * on the cores of this machine, name for name, without the stream and with 64-bit sizes. Plain C99.
 *
 *     size_t bytes;
 *     coppiceDgtsv_bufferSizeExt(COPPICE_DEFAULT_PIVOTING, N, n_r, &bytes);
 *     void* buffer = aligned_alloc(64, bytes);
 *     coppiceDgtsv(COPPICE_DEFAULT_PIVOTING, N, n_r, a, b, c, X, D, buffer);
 *
 * | function | solves |
 * | --- | --- |
 * | coppice<t>gtsv, cgtsv | scalar tridiagonal systems, cyclic ones |
 * | coppice<t>bgtsv, cbgtsv | block tridiagonal systems, cyclic ones |
 * | coppice<t>bgtf, bgtfs | the same, factorised once |
 * | coppice<t>gbsv | banded systems |
 * | coppice<t>gtsv_csc2dense, gtsv_csc2csc, gtsv_csc2csc_buffered | sparse right-hand sides |
 * | coppice<t>bands_solve | any of these and batches, with transposes, refinement and reports |
 * | coppice<t>bands_factor, bands_factor_solve | any of these, factorised once |
 *
 * <t> is S, D, C, Z for float, double and complex of both. Dense matrices are column-major; bands a, b, c hold N blocks
 * of n x n, each column-major; a banded matrix holds its kl + ku + 1 bands of N elements from the lowest to the
 * highest. What lies outside a matrix that is not cyclic is ignored. Blocks have 1 to 8 rows, banded matrices 0 to 8
 * bands on either side.
 *
 * A call has finished when it returns. Buffers come from the caller, aligned to 64 bytes, at least as large as the
 * matching _bufferSizeExt says for the same arguments on the same number of threads. X may be D unless a report or
 * refinement is wanted. Except for a factorisation nothing but X is written.
 *
 * Every function returns COPPICE_STATUS_SUCCESS (0), or a code and leaves a sentence for coppice_last_error(). A
 * singular matrix is not an error here: X shows it by values that are huge or not finite, and a report says it. */
#ifndef COPPICE_COPPICE_H
#define COPPICE_COPPICE_H

#include <coppice/c_types.h>

/*! Laid out as float _Complex, std::complex<float> and cuComplex are. */
typedef struct {
    float re, im;
} coppice_complex_float;
typedef struct {
    double re, im;
} coppice_complex_double;

#if defined(__cplusplus)
extern "C" {
#endif

/*! From now on calls of this thread run on `threads` cores; 0, as at first, takes all. */
coppice_status_t coppice_set_threads(int threads);

#define COPPICE_C_NAME(t, f) coppice##t##f
#define COPPICE_C_TYPES(F) F(S, float) F(D, double) F(C, coppice_complex_float) F(Z, coppice_complex_double)
#define COPPICE_C_STREAM
#define COPPICE_C_SIZE int64_t
#define COPPICE_C_STATUS coppice_status_t
#define COPPICE_C_PIVOTING coppice_pivoting_t
#define COPPICE_C_ADDITIONS 1
#include <coppice/tridiagonal_functions.inc>

#if defined(__cplusplus)
}
#endif

#endif
