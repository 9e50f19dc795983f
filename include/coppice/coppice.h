/* SPDX-License-Identifier: BSD-3-Clause */
/*! \file
 * C interface of the direct solvers on the host. It has the functions of tridigpu.h with the same names, for the cores
 * of this machine, without the stream and with 64-bit sizes. Plain C99.
 *
 *     size_t bytes;
 *     coppice_status_t status = coppiceDgtsv_bufferSizeExt(COPPICE_DEFAULT_PIVOTING, N, n_r, &bytes);
 *     void* buffer = status ? NULL : aligned_alloc(64, bytes);
 *     if (!status) status = coppiceDgtsv(COPPICE_DEFAULT_PIVOTING, N, n_r, a, b, c, X, D, buffer);
 *     if (status) fprintf(stderr, "%s\n", coppice_last_error());
 *
 * | function | solves |
 * | --- | --- |
 * | `coppice<t>gtsv`, `cgtsv` | scalar tridiagonal systems, cyclic ones |
 * | `coppice<t>bgtsv`, `cbgtsv` | block tridiagonal systems, cyclic ones |
 * | `coppice<t>bgtf`, `bgtfs` | the same, factorised once |
 * | `coppice<t>gbsv` | banded systems |
 * | `coppice<t>gtsv_csc2dense`, `gtsv_csc2csc`, `gtsv_csc2csc_buffered` | sparse right-hand sides |
 * | `coppice<t>bands_solve` | any of these and batches, with transposes, refinement and reports |
 * | `coppice<t>bands_factor`, `bands_factor_solve` | any of these, factorised once |
 *
 * `<t>` is S, D, C, Z for float, double and complex of both. Dense matrices are column-major. The bands a, b, c hold N
 * blocks of n x n, each column-major. A banded matrix has kl + ku + 1 bands of N elements, from the lowest to the
 * highest. Entries outside a matrix that is not cyclic are ignored. Blocks have 1 to 8 rows, banded matrices 0 to 8
 * bands on either side.
 *
 * A call returns after the work is done. The caller provides buffers, aligned to 64 bytes and at least as large as the
 * matching _bufferSizeExt returns for the same arguments and the same number of threads. X may be D unless a report or
 * refinement is requested. Except for a factorisation only X is written.
 *
 * Every function returns COPPICE_STATUS_SUCCESS (0), or another code. Then nothing is written, and
 * coppice_last_error() returns a message that names the function and the argument ("coppiceDgtsv: X overlaps b").
 * Sizes, pointers and overlaps are checked; the contents of arrays are not. A singular matrix is not an error here: X
 * has values that are huge or not finite, and a report has the outcome COPPICE_SINGULAR. */
#ifndef COPPICE_COPPICE_H
#define COPPICE_COPPICE_H

#include <coppice/c_types.h>

/*! Same layout as float _Complex, std::complex<float> and cuComplex. */
typedef struct {
    float re, im;
} coppice_complex_float;
typedef struct {
    double re, im;
} coppice_complex_double;

#if defined(__cplusplus)
extern "C" {
#endif

/*! Sets the number of cores for subsequent calls of this thread; 0, the default, means all cores. */
coppice_status_t coppice_set_threads(int threads);

/* Written by scripts/c_headers.py from scripts/c_prototypes.txt. */
/* clang-format off */

/*! gtsv, cgtsv: scalar tridiagonal systems with n_r right-hand sides; cyclic ones, in which a[0] and c[N - 1] couple
 * the first and the last row. */
coppice_status_t coppiceSgtsv_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r, size_t* buffer_size_in_bytes);
coppice_status_t coppiceSgtsv(coppice_pivoting_t p, int64_t N, int64_t n_r, float const* a, float const* b,
    float const* c, float* X, float const* D, void* p_buffer);
coppice_status_t coppiceScgtsv_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceScgtsv(coppice_pivoting_t p, int64_t N, int64_t n_r, float const* a, float const* b,
    float const* c, float* X, float const* D, void* p_buffer);
coppice_status_t coppiceDgtsv_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r, size_t* buffer_size_in_bytes);
coppice_status_t coppiceDgtsv(coppice_pivoting_t p, int64_t N, int64_t n_r, double const* a, double const* b,
    double const* c, double* X, double const* D, void* p_buffer);
coppice_status_t coppiceDcgtsv_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceDcgtsv(coppice_pivoting_t p, int64_t N, int64_t n_r, double const* a, double const* b,
    double const* c, double* X, double const* D, void* p_buffer);
coppice_status_t coppiceCgtsv_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r, size_t* buffer_size_in_bytes);
coppice_status_t coppiceCgtsv(coppice_pivoting_t p, int64_t N, int64_t n_r, coppice_complex_float const* a,
    coppice_complex_float const* b, coppice_complex_float const* c, coppice_complex_float* X,
    coppice_complex_float const* D, void* p_buffer);
coppice_status_t coppiceCcgtsv_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceCcgtsv(coppice_pivoting_t p, int64_t N, int64_t n_r, coppice_complex_float const* a,
    coppice_complex_float const* b, coppice_complex_float const* c, coppice_complex_float* X,
    coppice_complex_float const* D, void* p_buffer);
coppice_status_t coppiceZgtsv_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r, size_t* buffer_size_in_bytes);
coppice_status_t coppiceZgtsv(coppice_pivoting_t p, int64_t N, int64_t n_r, coppice_complex_double const* a,
    coppice_complex_double const* b, coppice_complex_double const* c, coppice_complex_double* X,
    coppice_complex_double const* D, void* p_buffer);
coppice_status_t coppiceZcgtsv_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceZcgtsv(coppice_pivoting_t p, int64_t N, int64_t n_r, coppice_complex_double const* a,
    coppice_complex_double const* b, coppice_complex_double const* c, coppice_complex_double* X,
    coppice_complex_double const* D, void* p_buffer);

/*! bgtsv, cbgtsv: block tridiagonal systems of N block rows with blocks of n x n; cyclic ones. */
coppice_status_t coppiceSbgtsv_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceSbgtsv(coppice_pivoting_t p, int64_t N, int64_t n_r, int n, float const* a, float const* b,
    float const* c, float* X, float const* D, void* p_buffer);
coppice_status_t coppiceScbgtsv_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceScbgtsv(coppice_pivoting_t p, int64_t N, int64_t n_r, int n, float const* a, float const* b,
    float const* c, float* X, float const* D, void* p_buffer);
coppice_status_t coppiceDbgtsv_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceDbgtsv(coppice_pivoting_t p, int64_t N, int64_t n_r, int n, double const* a, double const* b,
    double const* c, double* X, double const* D, void* p_buffer);
coppice_status_t coppiceDcbgtsv_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceDcbgtsv(coppice_pivoting_t p, int64_t N, int64_t n_r, int n, double const* a, double const* b,
    double const* c, double* X, double const* D, void* p_buffer);
coppice_status_t coppiceCbgtsv_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceCbgtsv(coppice_pivoting_t p, int64_t N, int64_t n_r, int n, coppice_complex_float const* a,
    coppice_complex_float const* b, coppice_complex_float const* c, coppice_complex_float* X,
    coppice_complex_float const* D, void* p_buffer);
coppice_status_t coppiceCcbgtsv_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceCcbgtsv(coppice_pivoting_t p, int64_t N, int64_t n_r, int n, coppice_complex_float const* a,
    coppice_complex_float const* b, coppice_complex_float const* c, coppice_complex_float* X,
    coppice_complex_float const* D, void* p_buffer);
coppice_status_t coppiceZbgtsv_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceZbgtsv(coppice_pivoting_t p, int64_t N, int64_t n_r, int n, coppice_complex_double const* a,
    coppice_complex_double const* b, coppice_complex_double const* c, coppice_complex_double* X,
    coppice_complex_double const* D, void* p_buffer);
coppice_status_t coppiceZcbgtsv_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceZcbgtsv(coppice_pivoting_t p, int64_t N, int64_t n_r, int n, coppice_complex_double const* a,
    coppice_complex_double const* b, coppice_complex_double const* c, coppice_complex_double* X,
    coppice_complex_double const* D, void* p_buffer);

/*! bgtf factorises a block tridiagonal matrix; bgtfs solves with the results of bgtf in a, b, c and its buffer, for the
 * same p, N and n. bgtf may overwrite a, b, c; the caller must not change them before the last bgtfs. */
coppice_status_t coppiceSbgtf_factorizationBufferSizeExt(coppice_pivoting_t p, int64_t N, int n,
    size_t* factorization_buffer_size_in_bytes);
coppice_status_t coppiceSbgtf(coppice_pivoting_t p, int64_t N, int n, float* a, float* b, float* c,
    void* p_factorization_buffer);
coppice_status_t coppiceSbgtfs_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceSbgtfs(coppice_pivoting_t p, int64_t N, int64_t n_r, int n, float const* a, float const* b,
    float const* c, float* X, float const* D, void const* p_factorization_buffer, void* p_buffer);
coppice_status_t coppiceDbgtf_factorizationBufferSizeExt(coppice_pivoting_t p, int64_t N, int n,
    size_t* factorization_buffer_size_in_bytes);
coppice_status_t coppiceDbgtf(coppice_pivoting_t p, int64_t N, int n, double* a, double* b, double* c,
    void* p_factorization_buffer);
coppice_status_t coppiceDbgtfs_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceDbgtfs(coppice_pivoting_t p, int64_t N, int64_t n_r, int n, double const* a, double const* b,
    double const* c, double* X, double const* D, void const* p_factorization_buffer, void* p_buffer);
coppice_status_t coppiceCbgtf_factorizationBufferSizeExt(coppice_pivoting_t p, int64_t N, int n,
    size_t* factorization_buffer_size_in_bytes);
coppice_status_t coppiceCbgtf(coppice_pivoting_t p, int64_t N, int n, coppice_complex_float* a,
    coppice_complex_float* b, coppice_complex_float* c, void* p_factorization_buffer);
coppice_status_t coppiceCbgtfs_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceCbgtfs(coppice_pivoting_t p, int64_t N, int64_t n_r, int n, coppice_complex_float const* a,
    coppice_complex_float const* b, coppice_complex_float const* c, coppice_complex_float* X,
    coppice_complex_float const* D, void const* p_factorization_buffer, void* p_buffer);
coppice_status_t coppiceZbgtf_factorizationBufferSizeExt(coppice_pivoting_t p, int64_t N, int n,
    size_t* factorization_buffer_size_in_bytes);
coppice_status_t coppiceZbgtf(coppice_pivoting_t p, int64_t N, int n, coppice_complex_double* a,
    coppice_complex_double* b, coppice_complex_double* c, void* p_factorization_buffer);
coppice_status_t coppiceZbgtfs_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceZbgtfs(coppice_pivoting_t p, int64_t N, int64_t n_r, int n, coppice_complex_double const* a,
    coppice_complex_double const* b, coppice_complex_double const* c, coppice_complex_double* X,
    coppice_complex_double const* D, void const* p_factorization_buffer, void* p_buffer);

/*! gbsv: banded systems with kl bands below and ku above the diagonal. */
coppice_status_t coppiceSgbsv_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r, int kl, int ku,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceSgbsv(coppice_pivoting_t p, int64_t N, int64_t n_r, int kl, int ku, float const* AB, float* X,
    float const* D, void* p_buffer);
coppice_status_t coppiceDgbsv_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r, int kl, int ku,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceDgbsv(coppice_pivoting_t p, int64_t N, int64_t n_r, int kl, int ku, double const* AB, double* X,
    double const* D, void* p_buffer);
coppice_status_t coppiceCgbsv_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r, int kl, int ku,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceCgbsv(coppice_pivoting_t p, int64_t N, int64_t n_r, int kl, int ku,
    coppice_complex_float const* AB, coppice_complex_float* X, coppice_complex_float const* D, void* p_buffer);
coppice_status_t coppiceZgbsv_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r, int kl, int ku,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceZgbsv(coppice_pivoting_t p, int64_t N, int64_t n_r, int kl, int ku,
    coppice_complex_double const* AB, coppice_complex_double* X, coppice_complex_double const* D, void* p_buffer);

/*! gtsv_csc2dense: scalar tridiagonal systems with sparse right-hand sides (compressed columns, entries in any order)
 * and dense solutions. If an entry is outside the matrix, its column of X is NaN.
 *
 * gtsv_csc2csc selects the entries of largest magnitude from each column of the solution; result_col_ptrs defines how
 * many. It allocates, works on the default stream and returns after the result is complete. */
coppice_status_t coppiceSgtsv_csc2dense_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceSgtsv_csc2dense(coppice_pivoting_t p, int64_t N, int64_t n_r, float const* a, float const* b,
    float const* c, float* X, float const* rhs_values, int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs,
    int64_t rhs_nnz, void* p_buffer);
coppice_status_t coppiceSgtsv_csc2csc(coppice_pivoting_t p, int64_t N, float const* a, float const* b, float const* c,
    float const* rhs_values, int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs, int64_t n_r, int64_t rhs_nnz,
    float* result_values, int64_t* result_row_indices, int64_t const* result_col_ptrs, int64_t result_nnz);
coppice_status_t coppiceDgtsv_csc2dense_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceDgtsv_csc2dense(coppice_pivoting_t p, int64_t N, int64_t n_r, double const* a, double const* b,
    double const* c, double* X, double const* rhs_values, int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs,
    int64_t rhs_nnz, void* p_buffer);
coppice_status_t coppiceDgtsv_csc2csc(coppice_pivoting_t p, int64_t N, double const* a, double const* b,
    double const* c, double const* rhs_values, int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs, int64_t n_r,
    int64_t rhs_nnz, double* result_values, int64_t* result_row_indices, int64_t const* result_col_ptrs,
    int64_t result_nnz);
coppice_status_t coppiceCgtsv_csc2dense_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceCgtsv_csc2dense(coppice_pivoting_t p, int64_t N, int64_t n_r, coppice_complex_float const* a,
    coppice_complex_float const* b, coppice_complex_float const* c, coppice_complex_float* X,
    coppice_complex_float const* rhs_values, int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs,
    int64_t rhs_nnz, void* p_buffer);
coppice_status_t coppiceCgtsv_csc2csc(coppice_pivoting_t p, int64_t N, coppice_complex_float const* a,
    coppice_complex_float const* b, coppice_complex_float const* c, coppice_complex_float const* rhs_values,
    int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs, int64_t n_r, int64_t rhs_nnz,
    coppice_complex_float* result_values, int64_t* result_row_indices, int64_t const* result_col_ptrs,
    int64_t result_nnz);
coppice_status_t coppiceZgtsv_csc2dense_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceZgtsv_csc2dense(coppice_pivoting_t p, int64_t N, int64_t n_r, coppice_complex_double const* a,
    coppice_complex_double const* b, coppice_complex_double const* c, coppice_complex_double* X,
    coppice_complex_double const* rhs_values, int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs,
    int64_t rhs_nnz, void* p_buffer);
coppice_status_t coppiceZgtsv_csc2csc(coppice_pivoting_t p, int64_t N, coppice_complex_double const* a,
    coppice_complex_double const* b, coppice_complex_double const* c, coppice_complex_double const* rhs_values,
    int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs, int64_t n_r, int64_t rhs_nnz,
    coppice_complex_double* result_values, int64_t* result_row_indices, int64_t const* result_col_ptrs,
    int64_t result_nnz);

/*! gtsv_csc2csc_buffered: gtsv_csc2csc with a buffer of the caller. It allocates nothing and does not check
 * result_col_ptrs; if they are invalid, entries are omitted, and nothing is written outside the result arrays. */
coppice_status_t coppiceSgtsv_csc2csc_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceSgtsv_csc2csc_buffered(coppice_pivoting_t p, int64_t N, float const* a, float const* b,
    float const* c, float const* rhs_values, int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs, int64_t n_r,
    int64_t rhs_nnz, float* result_values, int64_t* result_row_indices, int64_t const* result_col_ptrs,
    int64_t result_nnz, void* p_buffer);
coppice_status_t coppiceDgtsv_csc2csc_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceDgtsv_csc2csc_buffered(coppice_pivoting_t p, int64_t N, double const* a, double const* b,
    double const* c, double const* rhs_values, int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs, int64_t n_r,
    int64_t rhs_nnz, double* result_values, int64_t* result_row_indices, int64_t const* result_col_ptrs,
    int64_t result_nnz, void* p_buffer);
coppice_status_t coppiceCgtsv_csc2csc_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceCgtsv_csc2csc_buffered(coppice_pivoting_t p, int64_t N, coppice_complex_float const* a,
    coppice_complex_float const* b, coppice_complex_float const* c, coppice_complex_float const* rhs_values,
    int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs, int64_t n_r, int64_t rhs_nnz,
    coppice_complex_float* result_values, int64_t* result_row_indices, int64_t const* result_col_ptrs,
    int64_t result_nnz, void* p_buffer);
coppice_status_t coppiceZgtsv_csc2csc_bufferSizeExt(coppice_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
coppice_status_t coppiceZgtsv_csc2csc_buffered(coppice_pivoting_t p, int64_t N, coppice_complex_double const* a,
    coppice_complex_double const* b, coppice_complex_double const* c, coppice_complex_double const* rhs_values,
    int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs, int64_t n_r, int64_t rhs_nnz,
    coppice_complex_double* result_values, int64_t* result_row_indices, int64_t const* result_col_ptrs,
    int64_t result_nnz, void* p_buffer);

/*! bands_solve: op(A) X = D for every class and for batches, with refinement and reports. Block tridiagonal matrices
 * are in a, b, c; a banded one is in b, and a and c are null. X and D have leading dimensions ldx and ldd of at least
 * the scalar rows of all systems. `reports` is null or has one report for each system, in the memory space of the matrix.
 * buffer_bytes is at least the size that bands_solve_bufferSizeExt returns for the same arguments. */
coppice_status_t coppiceSbands_solve_bufferSizeExt(coppice_bands_t const* A, int64_t n_r,
    coppice_options_t const* options, int reported, size_t* buffer_size_in_bytes);
coppice_status_t coppiceSbands_solve(coppice_bands_t const* A, float const* a, float const* b, float const* c,
    int64_t n_r, float* X, int64_t ldx, float const* D, int64_t ldd, coppice_options_t const* options,
    coppice_report_t* reports, void* p_buffer, size_t buffer_bytes);
coppice_status_t coppiceDbands_solve_bufferSizeExt(coppice_bands_t const* A, int64_t n_r,
    coppice_options_t const* options, int reported, size_t* buffer_size_in_bytes);
coppice_status_t coppiceDbands_solve(coppice_bands_t const* A, double const* a, double const* b, double const* c,
    int64_t n_r, double* X, int64_t ldx, double const* D, int64_t ldd, coppice_options_t const* options,
    coppice_report_t* reports, void* p_buffer, size_t buffer_bytes);
coppice_status_t coppiceCbands_solve_bufferSizeExt(coppice_bands_t const* A, int64_t n_r,
    coppice_options_t const* options, int reported, size_t* buffer_size_in_bytes);
coppice_status_t coppiceCbands_solve(coppice_bands_t const* A, coppice_complex_float const* a,
    coppice_complex_float const* b, coppice_complex_float const* c, int64_t n_r, coppice_complex_float* X, int64_t ldx,
    coppice_complex_float const* D, int64_t ldd, coppice_options_t const* options, coppice_report_t* reports,
    void* p_buffer, size_t buffer_bytes);
coppice_status_t coppiceZbands_solve_bufferSizeExt(coppice_bands_t const* A, int64_t n_r,
    coppice_options_t const* options, int reported, size_t* buffer_size_in_bytes);
coppice_status_t coppiceZbands_solve(coppice_bands_t const* A, coppice_complex_double const* a,
    coppice_complex_double const* b, coppice_complex_double const* c, int64_t n_r, coppice_complex_double* X,
    int64_t ldx, coppice_complex_double const* D, int64_t ldd, coppice_options_t const* options,
    coppice_report_t* reports, void* p_buffer, size_t buffer_bytes);

/*! bands_factor, bands_factor_solve: the same, factorised once. `singular_rows` is null or gets, for each system, the
 * row of the first column without a pivot or -1. A solve reads no values of the matrix. */
coppice_status_t coppiceSbands_factor_bufferSizeExt(coppice_bands_t const* A, coppice_options_t const* options,
    size_t* factorization_buffer_size_in_bytes);
coppice_status_t coppiceSbands_factor(coppice_bands_t const* A, float const* a, float const* b, float const* c,
    coppice_options_t const* options, int64_t* singular_rows, void* p_factorization_buffer, size_t factorization_bytes);
coppice_status_t coppiceSbands_factor_solve_bufferSizeExt(coppice_bands_t const* A, int64_t n_r,
    coppice_options_t const* options, size_t* buffer_size_in_bytes);
coppice_status_t coppiceSbands_factor_solve(coppice_bands_t const* A, int64_t n_r, float* X, int64_t ldx,
    float const* D, int64_t ldd, coppice_options_t const* options, void const* p_factorization_buffer,
    size_t factorization_bytes, void* p_buffer, size_t buffer_bytes);
coppice_status_t coppiceDbands_factor_bufferSizeExt(coppice_bands_t const* A, coppice_options_t const* options,
    size_t* factorization_buffer_size_in_bytes);
coppice_status_t coppiceDbands_factor(coppice_bands_t const* A, double const* a, double const* b, double const* c,
    coppice_options_t const* options, int64_t* singular_rows, void* p_factorization_buffer, size_t factorization_bytes);
coppice_status_t coppiceDbands_factor_solve_bufferSizeExt(coppice_bands_t const* A, int64_t n_r,
    coppice_options_t const* options, size_t* buffer_size_in_bytes);
coppice_status_t coppiceDbands_factor_solve(coppice_bands_t const* A, int64_t n_r, double* X, int64_t ldx,
    double const* D, int64_t ldd, coppice_options_t const* options, void const* p_factorization_buffer,
    size_t factorization_bytes, void* p_buffer, size_t buffer_bytes);
coppice_status_t coppiceCbands_factor_bufferSizeExt(coppice_bands_t const* A, coppice_options_t const* options,
    size_t* factorization_buffer_size_in_bytes);
coppice_status_t coppiceCbands_factor(coppice_bands_t const* A, coppice_complex_float const* a,
    coppice_complex_float const* b, coppice_complex_float const* c, coppice_options_t const* options,
    int64_t* singular_rows, void* p_factorization_buffer, size_t factorization_bytes);
coppice_status_t coppiceCbands_factor_solve_bufferSizeExt(coppice_bands_t const* A, int64_t n_r,
    coppice_options_t const* options, size_t* buffer_size_in_bytes);
coppice_status_t coppiceCbands_factor_solve(coppice_bands_t const* A, int64_t n_r, coppice_complex_float* X,
    int64_t ldx, coppice_complex_float const* D, int64_t ldd, coppice_options_t const* options,
    void const* p_factorization_buffer, size_t factorization_bytes, void* p_buffer, size_t buffer_bytes);
coppice_status_t coppiceZbands_factor_bufferSizeExt(coppice_bands_t const* A, coppice_options_t const* options,
    size_t* factorization_buffer_size_in_bytes);
coppice_status_t coppiceZbands_factor(coppice_bands_t const* A, coppice_complex_double const* a,
    coppice_complex_double const* b, coppice_complex_double const* c, coppice_options_t const* options,
    int64_t* singular_rows, void* p_factorization_buffer, size_t factorization_bytes);
coppice_status_t coppiceZbands_factor_solve_bufferSizeExt(coppice_bands_t const* A, int64_t n_r,
    coppice_options_t const* options, size_t* buffer_size_in_bytes);
coppice_status_t coppiceZbands_factor_solve(coppice_bands_t const* A, int64_t n_r, coppice_complex_double* X,
    int64_t ldx, coppice_complex_double const* D, int64_t ldd, coppice_options_t const* options,
    void const* p_factorization_buffer, size_t factorization_bytes, void* p_buffer, size_t buffer_bytes);
/* clang-format on */

#if defined(__cplusplus)
}
#endif

#endif
