/* SPDX-License-Identifier: BSD-3-Clause */
/*! \file
 * C interface of the direct solvers on one NVIDIA GPU, with the names and arguments of appendix A.1.4 of C. Klein's
 * thesis (`tridigpu`). Plain C99.
 *
 *     size_t bytes;
 *     tridigpu_status_t status = tridigpuSgtsv_bufferSizeExt(TRIDIGPU_DEFAULT_PIVOTING, N, n_r, &bytes);
 *     if (!status) cudaMalloc(&buffer, bytes);
 *     if (!status) status = tridigpuSgtsv(stream, TRIDIGPU_DEFAULT_PIVOTING, N, n_r, a, b, c, X, D, buffer);
 *     if (status) fprintf(stderr, "%s\n", tridigpu_last_error());
 *
 * | function | solves |
 * | --- | --- |
 * | `tridigpu<t>gtsv`, `cgtsv` | scalar tridiagonal systems, cyclic ones |
 * | `tridigpu<t>bgtsv`, `cbgtsv` | block tridiagonal systems, cyclic ones |
 * | `tridigpu<t>bgtf`, `bgtfs` | the same, factorised once |
 * | `tridigpu<t>gbsv` | banded systems |
 * | `tridigpu<t>gtsv_csc2dense`, `gtsv_csc2csc` | sparse right-hand sides, dense and pruned solutions |
 *
 * In addition to the appendix: functions with the suffix _64 take 64-bit sizes and indices; gtsv_csc2csc_buffered works
 * on a stream with a buffer of the caller; bands_solve, bands_factor and bands_factor_solve take every class and
 * batches of systems, with transposes, refinement and reports in device memory. coppice.h has all of them for the host.
 *
 * `<t>` is S, D, C, Z for float, double, cuComplex, cuDoubleComplex. All arrays are in memory of the current device.
 * Dense matrices are column-major. The bands a, b, c hold N blocks of n x n, each column-major. A banded matrix has
 * kl + ku + 1 bands of N elements, from the lowest to the highest. Entries outside a matrix that is not cyclic are
 * ignored.
 *
 * Functions with a stream queue their work and return before it is done. They allocate nothing and can be captured into
 * a CUDA graph. The caller provides buffers, aligned to 64 bytes (as those of cudaMalloc are) and at least as large as
 * the matching _bufferSizeExt returns for the same arguments. X may be D. Except for a factorisation only X is written.
 *
 * Pivoting: the default is partial pivoting. No pivoting is supported for real scalar systems that are not cyclic, and
 * means partial pivoting otherwise. Blocks have 1 to 8 rows and banded matrices 0 to 8 bands on either side (the
 * thesis: 4).
 *
 * Every function returns TRIDIGPU_STATUS_SUCCESS (0), or another code; then tridigpu_last_error() returns a message
 * that names the function and the argument ("tridigpuSgtsv: X overlaps b"). A singular matrix is not an error here: X
 * has values that are huge or not finite; see coppice/banded.hpp for reports. */
#ifndef COPPICE_TRIDIGPU_H
#define COPPICE_TRIDIGPU_H

#include <coppice/c_types.h>

#if defined(__has_include)
#if __has_include(<cuComplex.h>)
#include <cuComplex.h>
#define COPPICE_TRIDIGPU_HAS_CUDA_TYPES 1
#endif
#endif
#if !defined(COPPICE_TRIDIGPU_HAS_CUDA_TYPES)
typedef struct {
    float x, y;
} cuComplex;
typedef struct {
    double x, y;
} cuDoubleComplex;
#endif
struct CUstream_st;

#if defined(__cplusplus)
extern "C" {
#endif

typedef enum COPPICE_C_INT {
    TRIDIGPU_NO_PIVOTING = 0,
    TRIDIGPU_PARTIAL_PIVOTING = 1,
    TRIDIGPU_SCALED_PARTIAL_PIVOTING = 2,
    TRIDIGPU_DEFAULT_PIVOTING = 3
} tridigpu_pivoting_t;

typedef enum COPPICE_C_INT {
    TRIDIGPU_STATUS_SUCCESS = 0,
    TRIDIGPU_STATUS_INVALID_VALUE = 1,    /*!< an argument out of range, a null pointer, a misaligned buffer */
    TRIDIGPU_STATUS_ALLOC_FAILED = 2,     /*!< no memory */
    TRIDIGPU_STATUS_NO_DEVICE = 3,        /*!< no CUDA device, or a library built without CUDA */
    TRIDIGPU_STATUS_EXECUTION_FAILED = 4, /*!< the CUDA runtime reported a failure */
    TRIDIGPU_STATUS_INTERNAL_ERROR = 5
} tridigpu_status_t;

/*! Message of the last failed call of this thread; valid until the next call fails. */
char const* tridigpu_last_error(void);

/* Written by scripts/c_headers.py from scripts/c_prototypes.txt. */
/* clang-format off */

/*! gtsv, cgtsv: scalar tridiagonal systems with n_r right-hand sides; cyclic ones, in which a[0] and c[N - 1] couple
 * the first and the last row. */
tridigpu_status_t tridigpuSgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuSgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, float const* a,
    float const* b, float const* c, float* X, float const* D, void* p_buffer);
tridigpu_status_t tridigpuScgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuScgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, float const* a,
    float const* b, float const* c, float* X, float const* D, void* p_buffer);
tridigpu_status_t tridigpuDgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, double const* a,
    double const* b, double const* c, double* X, double const* D, void* p_buffer);
tridigpu_status_t tridigpuDcgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDcgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, double const* a,
    double const* b, double const* c, double* X, double const* D, void* p_buffer);
tridigpu_status_t tridigpuCgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, cuComplex const* a,
    cuComplex const* b, cuComplex const* c, cuComplex* X, cuComplex const* D, void* p_buffer);
tridigpu_status_t tridigpuCcgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCcgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, cuComplex const* a,
    cuComplex const* b, cuComplex const* c, cuComplex* X, cuComplex const* D, void* p_buffer);
tridigpu_status_t tridigpuZgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r,
    cuDoubleComplex const* a, cuDoubleComplex const* b, cuDoubleComplex const* c, cuDoubleComplex* X,
    cuDoubleComplex const* D, void* p_buffer);
tridigpu_status_t tridigpuZcgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZcgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r,
    cuDoubleComplex const* a, cuDoubleComplex const* b, cuDoubleComplex const* c, cuDoubleComplex* X,
    cuDoubleComplex const* D, void* p_buffer);

/*! bgtsv, cbgtsv: block tridiagonal systems of N block rows with blocks of n x n; cyclic ones. */
tridigpu_status_t tridigpuSbgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuSbgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
    float const* a, float const* b, float const* c, float* X, float const* D, void* p_buffer);
tridigpu_status_t tridigpuScbgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuScbgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
    float const* a, float const* b, float const* c, float* X, float const* D, void* p_buffer);
tridigpu_status_t tridigpuDbgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDbgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
    double const* a, double const* b, double const* c, double* X, double const* D, void* p_buffer);
tridigpu_status_t tridigpuDcbgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDcbgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
    double const* a, double const* b, double const* c, double* X, double const* D, void* p_buffer);
tridigpu_status_t tridigpuCbgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCbgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
    cuComplex const* a, cuComplex const* b, cuComplex const* c, cuComplex* X, cuComplex const* D, void* p_buffer);
tridigpu_status_t tridigpuCcbgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCcbgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
    cuComplex const* a, cuComplex const* b, cuComplex const* c, cuComplex* X, cuComplex const* D, void* p_buffer);
tridigpu_status_t tridigpuZbgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZbgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
    cuDoubleComplex const* a, cuDoubleComplex const* b, cuDoubleComplex const* c, cuDoubleComplex* X,
    cuDoubleComplex const* D, void* p_buffer);
tridigpu_status_t tridigpuZcbgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZcbgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
    cuDoubleComplex const* a, cuDoubleComplex const* b, cuDoubleComplex const* c, cuDoubleComplex* X,
    cuDoubleComplex const* D, void* p_buffer);

/*! bgtf factorises a block tridiagonal matrix; bgtfs solves with the results of bgtf in a, b, c and its buffer, for the
 * same p, N and n. bgtf may overwrite a, b, c; the caller must not change them before the last bgtfs. */
tridigpu_status_t tridigpuSbgtf_factorizationBufferSizeExt(tridigpu_pivoting_t p, int N, int n,
    size_t* factorization_buffer_size_in_bytes);
tridigpu_status_t tridigpuSbgtf(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n, float* a, float* b,
    float* c, void* p_factorization_buffer);
tridigpu_status_t tridigpuSbgtfs_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuSbgtfs(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
    float const* a, float const* b, float const* c, float* X, float const* D, void const* p_factorization_buffer,
    void* p_buffer);
tridigpu_status_t tridigpuDbgtf_factorizationBufferSizeExt(tridigpu_pivoting_t p, int N, int n,
    size_t* factorization_buffer_size_in_bytes);
tridigpu_status_t tridigpuDbgtf(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n, double* a, double* b,
    double* c, void* p_factorization_buffer);
tridigpu_status_t tridigpuDbgtfs_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDbgtfs(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
    double const* a, double const* b, double const* c, double* X, double const* D, void const* p_factorization_buffer,
    void* p_buffer);
tridigpu_status_t tridigpuCbgtf_factorizationBufferSizeExt(tridigpu_pivoting_t p, int N, int n,
    size_t* factorization_buffer_size_in_bytes);
tridigpu_status_t tridigpuCbgtf(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n, cuComplex* a,
    cuComplex* b, cuComplex* c, void* p_factorization_buffer);
tridigpu_status_t tridigpuCbgtfs_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCbgtfs(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
    cuComplex const* a, cuComplex const* b, cuComplex const* c, cuComplex* X, cuComplex const* D,
    void const* p_factorization_buffer, void* p_buffer);
tridigpu_status_t tridigpuZbgtf_factorizationBufferSizeExt(tridigpu_pivoting_t p, int N, int n,
    size_t* factorization_buffer_size_in_bytes);
tridigpu_status_t tridigpuZbgtf(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n, cuDoubleComplex* a,
    cuDoubleComplex* b, cuDoubleComplex* c, void* p_factorization_buffer);
tridigpu_status_t tridigpuZbgtfs_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZbgtfs(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
    cuDoubleComplex const* a, cuDoubleComplex const* b, cuDoubleComplex const* c, cuDoubleComplex* X,
    cuDoubleComplex const* D, void const* p_factorization_buffer, void* p_buffer);

/*! gbsv: banded systems with kl bands below and ku above the diagonal. */
tridigpu_status_t tridigpuSgbsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int kl, int ku,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuSgbsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int kl, int ku,
    float const* AB, float* X, float const* D, void* p_buffer);
tridigpu_status_t tridigpuDgbsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int kl, int ku,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDgbsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int kl, int ku,
    double const* AB, double* X, double const* D, void* p_buffer);
tridigpu_status_t tridigpuCgbsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int kl, int ku,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCgbsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int kl, int ku,
    cuComplex const* AB, cuComplex* X, cuComplex const* D, void* p_buffer);
tridigpu_status_t tridigpuZgbsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int kl, int ku,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZgbsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int kl, int ku,
    cuDoubleComplex const* AB, cuDoubleComplex* X, cuDoubleComplex const* D, void* p_buffer);

/*! gtsv_csc2dense: scalar tridiagonal systems with sparse right-hand sides (compressed columns, entries in any order)
 * and dense solutions. If an entry is outside the matrix, its column of X is NaN.
 *
 * gtsv_csc2csc selects the entries of largest magnitude from each column of the solution; result_col_ptrs defines how
 * many. It allocates, works on the default stream and returns after the result is complete. */
tridigpu_status_t tridigpuSgtsv_csc2dense_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuSgtsv_csc2dense(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r,
    float const* a, float const* b, float const* c, float* X, float const* rhs_values, int const* rhs_row_indices,
    int const* rhs_col_ptrs, int rhs_nnz, void* p_buffer);
tridigpu_status_t tridigpuSgtsv_csc2csc(tridigpu_pivoting_t p, int N, float const* a, float const* b, float const* c,
    float const* rhs_values, int const* rhs_row_indices, int const* rhs_col_ptrs, int n_r, int rhs_nnz,
    float* result_values, int* result_row_indices, int const* result_col_ptrs, int result_nnz);
tridigpu_status_t tridigpuDgtsv_csc2dense_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDgtsv_csc2dense(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r,
    double const* a, double const* b, double const* c, double* X, double const* rhs_values, int const* rhs_row_indices,
    int const* rhs_col_ptrs, int rhs_nnz, void* p_buffer);
tridigpu_status_t tridigpuDgtsv_csc2csc(tridigpu_pivoting_t p, int N, double const* a, double const* b, double const* c,
    double const* rhs_values, int const* rhs_row_indices, int const* rhs_col_ptrs, int n_r, int rhs_nnz,
    double* result_values, int* result_row_indices, int const* result_col_ptrs, int result_nnz);
tridigpu_status_t tridigpuCgtsv_csc2dense_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCgtsv_csc2dense(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r,
    cuComplex const* a, cuComplex const* b, cuComplex const* c, cuComplex* X, cuComplex const* rhs_values,
    int const* rhs_row_indices, int const* rhs_col_ptrs, int rhs_nnz, void* p_buffer);
tridigpu_status_t tridigpuCgtsv_csc2csc(tridigpu_pivoting_t p, int N, cuComplex const* a, cuComplex const* b,
    cuComplex const* c, cuComplex const* rhs_values, int const* rhs_row_indices, int const* rhs_col_ptrs, int n_r,
    int rhs_nnz, cuComplex* result_values, int* result_row_indices, int const* result_col_ptrs, int result_nnz);
tridigpu_status_t tridigpuZgtsv_csc2dense_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZgtsv_csc2dense(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r,
    cuDoubleComplex const* a, cuDoubleComplex const* b, cuDoubleComplex const* c, cuDoubleComplex* X,
    cuDoubleComplex const* rhs_values, int const* rhs_row_indices, int const* rhs_col_ptrs, int rhs_nnz,
    void* p_buffer);
tridigpu_status_t tridigpuZgtsv_csc2csc(tridigpu_pivoting_t p, int N, cuDoubleComplex const* a,
    cuDoubleComplex const* b, cuDoubleComplex const* c, cuDoubleComplex const* rhs_values, int const* rhs_row_indices,
    int const* rhs_col_ptrs, int n_r, int rhs_nnz, cuDoubleComplex* result_values, int* result_row_indices,
    int const* result_col_ptrs, int result_nnz);

/*! gtsv_csc2csc_buffered: gtsv_csc2csc with a buffer of the caller. It allocates nothing and does not check
 * result_col_ptrs; if they are invalid, entries are omitted, and nothing is written outside the result arrays. */
tridigpu_status_t tridigpuSgtsv_csc2csc_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuSgtsv_csc2csc_buffered(struct CUstream_st* stream, tridigpu_pivoting_t p, int N,
    float const* a, float const* b, float const* c, float const* rhs_values, int const* rhs_row_indices,
    int const* rhs_col_ptrs, int n_r, int rhs_nnz, float* result_values, int* result_row_indices,
    int const* result_col_ptrs, int result_nnz, void* p_buffer);
tridigpu_status_t tridigpuDgtsv_csc2csc_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDgtsv_csc2csc_buffered(struct CUstream_st* stream, tridigpu_pivoting_t p, int N,
    double const* a, double const* b, double const* c, double const* rhs_values, int const* rhs_row_indices,
    int const* rhs_col_ptrs, int n_r, int rhs_nnz, double* result_values, int* result_row_indices,
    int const* result_col_ptrs, int result_nnz, void* p_buffer);
tridigpu_status_t tridigpuCgtsv_csc2csc_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCgtsv_csc2csc_buffered(struct CUstream_st* stream, tridigpu_pivoting_t p, int N,
    cuComplex const* a, cuComplex const* b, cuComplex const* c, cuComplex const* rhs_values, int const* rhs_row_indices,
    int const* rhs_col_ptrs, int n_r, int rhs_nnz, cuComplex* result_values, int* result_row_indices,
    int const* result_col_ptrs, int result_nnz, void* p_buffer);
tridigpu_status_t tridigpuZgtsv_csc2csc_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZgtsv_csc2csc_buffered(struct CUstream_st* stream, tridigpu_pivoting_t p, int N,
    cuDoubleComplex const* a, cuDoubleComplex const* b, cuDoubleComplex const* c, cuDoubleComplex const* rhs_values,
    int const* rhs_row_indices, int const* rhs_col_ptrs, int n_r, int rhs_nnz, cuDoubleComplex* result_values,
    int* result_row_indices, int const* result_col_ptrs, int result_nnz, void* p_buffer);

/*! bands_solve: op(A) X = D for every class and for batches, with refinement and reports. Block tridiagonal matrices
 * are in a, b, c; a banded one is in b, and a and c are null. X and D have leading dimensions ldx and ldd of at least
 * the scalar rows of all systems. `reports` is null or has one report for each system, in the memory space of the matrix.
 * buffer_bytes is at least the size that bands_solve_bufferSizeExt returns for the same arguments. */
tridigpu_status_t tridigpuSbands_solve_bufferSizeExt(coppice_bands_t const* A, int64_t n_r,
    coppice_options_t const* options, int reported, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuSbands_solve(struct CUstream_st* stream, coppice_bands_t const* A, float const* a,
    float const* b, float const* c, int64_t n_r, float* X, int64_t ldx, float const* D, int64_t ldd,
    coppice_options_t const* options, coppice_report_t* reports, void* p_buffer, size_t buffer_bytes);
tridigpu_status_t tridigpuDbands_solve_bufferSizeExt(coppice_bands_t const* A, int64_t n_r,
    coppice_options_t const* options, int reported, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDbands_solve(struct CUstream_st* stream, coppice_bands_t const* A, double const* a,
    double const* b, double const* c, int64_t n_r, double* X, int64_t ldx, double const* D, int64_t ldd,
    coppice_options_t const* options, coppice_report_t* reports, void* p_buffer, size_t buffer_bytes);
tridigpu_status_t tridigpuCbands_solve_bufferSizeExt(coppice_bands_t const* A, int64_t n_r,
    coppice_options_t const* options, int reported, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCbands_solve(struct CUstream_st* stream, coppice_bands_t const* A, cuComplex const* a,
    cuComplex const* b, cuComplex const* c, int64_t n_r, cuComplex* X, int64_t ldx, cuComplex const* D, int64_t ldd,
    coppice_options_t const* options, coppice_report_t* reports, void* p_buffer, size_t buffer_bytes);
tridigpu_status_t tridigpuZbands_solve_bufferSizeExt(coppice_bands_t const* A, int64_t n_r,
    coppice_options_t const* options, int reported, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZbands_solve(struct CUstream_st* stream, coppice_bands_t const* A, cuDoubleComplex const* a,
    cuDoubleComplex const* b, cuDoubleComplex const* c, int64_t n_r, cuDoubleComplex* X, int64_t ldx,
    cuDoubleComplex const* D, int64_t ldd, coppice_options_t const* options, coppice_report_t* reports, void* p_buffer,
    size_t buffer_bytes);

/*! bands_factor, bands_factor_solve: the same, factorised once. `singular_rows` is null or gets, for each system, the
 * row of the first column without a pivot or -1. A solve reads no values of the matrix. */
tridigpu_status_t tridigpuSbands_factor_bufferSizeExt(coppice_bands_t const* A, coppice_options_t const* options,
    size_t* factorization_buffer_size_in_bytes);
tridigpu_status_t tridigpuSbands_factor(struct CUstream_st* stream, coppice_bands_t const* A, float const* a,
    float const* b, float const* c, coppice_options_t const* options, int64_t* singular_rows,
    void* p_factorization_buffer, size_t factorization_bytes);
tridigpu_status_t tridigpuSbands_factor_solve_bufferSizeExt(coppice_bands_t const* A, int64_t n_r,
    coppice_options_t const* options, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuSbands_factor_solve(struct CUstream_st* stream, coppice_bands_t const* A, int64_t n_r,
    float* X, int64_t ldx, float const* D, int64_t ldd, coppice_options_t const* options,
    void const* p_factorization_buffer, size_t factorization_bytes, void* p_buffer, size_t buffer_bytes);
tridigpu_status_t tridigpuDbands_factor_bufferSizeExt(coppice_bands_t const* A, coppice_options_t const* options,
    size_t* factorization_buffer_size_in_bytes);
tridigpu_status_t tridigpuDbands_factor(struct CUstream_st* stream, coppice_bands_t const* A, double const* a,
    double const* b, double const* c, coppice_options_t const* options, int64_t* singular_rows,
    void* p_factorization_buffer, size_t factorization_bytes);
tridigpu_status_t tridigpuDbands_factor_solve_bufferSizeExt(coppice_bands_t const* A, int64_t n_r,
    coppice_options_t const* options, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDbands_factor_solve(struct CUstream_st* stream, coppice_bands_t const* A, int64_t n_r,
    double* X, int64_t ldx, double const* D, int64_t ldd, coppice_options_t const* options,
    void const* p_factorization_buffer, size_t factorization_bytes, void* p_buffer, size_t buffer_bytes);
tridigpu_status_t tridigpuCbands_factor_bufferSizeExt(coppice_bands_t const* A, coppice_options_t const* options,
    size_t* factorization_buffer_size_in_bytes);
tridigpu_status_t tridigpuCbands_factor(struct CUstream_st* stream, coppice_bands_t const* A, cuComplex const* a,
    cuComplex const* b, cuComplex const* c, coppice_options_t const* options, int64_t* singular_rows,
    void* p_factorization_buffer, size_t factorization_bytes);
tridigpu_status_t tridigpuCbands_factor_solve_bufferSizeExt(coppice_bands_t const* A, int64_t n_r,
    coppice_options_t const* options, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCbands_factor_solve(struct CUstream_st* stream, coppice_bands_t const* A, int64_t n_r,
    cuComplex* X, int64_t ldx, cuComplex const* D, int64_t ldd, coppice_options_t const* options,
    void const* p_factorization_buffer, size_t factorization_bytes, void* p_buffer, size_t buffer_bytes);
tridigpu_status_t tridigpuZbands_factor_bufferSizeExt(coppice_bands_t const* A, coppice_options_t const* options,
    size_t* factorization_buffer_size_in_bytes);
tridigpu_status_t tridigpuZbands_factor(struct CUstream_st* stream, coppice_bands_t const* A, cuDoubleComplex const* a,
    cuDoubleComplex const* b, cuDoubleComplex const* c, coppice_options_t const* options, int64_t* singular_rows,
    void* p_factorization_buffer, size_t factorization_bytes);
tridigpu_status_t tridigpuZbands_factor_solve_bufferSizeExt(coppice_bands_t const* A, int64_t n_r,
    coppice_options_t const* options, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZbands_factor_solve(struct CUstream_st* stream, coppice_bands_t const* A, int64_t n_r,
    cuDoubleComplex* X, int64_t ldx, cuDoubleComplex const* D, int64_t ldd, coppice_options_t const* options,
    void const* p_factorization_buffer, size_t factorization_bytes, void* p_buffer, size_t buffer_bytes);

/* The same with 64-bit sizes and indices. */

/*! gtsv, cgtsv: scalar tridiagonal systems with n_r right-hand sides; cyclic ones, in which a[0] and c[N - 1] couple
 * the first and the last row. */
tridigpu_status_t tridigpuSgtsv_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuSgtsv_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    float const* a, float const* b, float const* c, float* X, float const* D, void* p_buffer);
tridigpu_status_t tridigpuScgtsv_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuScgtsv_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    float const* a, float const* b, float const* c, float* X, float const* D, void* p_buffer);
tridigpu_status_t tridigpuDgtsv_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDgtsv_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    double const* a, double const* b, double const* c, double* X, double const* D, void* p_buffer);
tridigpu_status_t tridigpuDcgtsv_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDcgtsv_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    double const* a, double const* b, double const* c, double* X, double const* D, void* p_buffer);
tridigpu_status_t tridigpuCgtsv_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCgtsv_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    cuComplex const* a, cuComplex const* b, cuComplex const* c, cuComplex* X, cuComplex const* D, void* p_buffer);
tridigpu_status_t tridigpuCcgtsv_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCcgtsv_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    cuComplex const* a, cuComplex const* b, cuComplex const* c, cuComplex* X, cuComplex const* D, void* p_buffer);
tridigpu_status_t tridigpuZgtsv_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZgtsv_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    cuDoubleComplex const* a, cuDoubleComplex const* b, cuDoubleComplex const* c, cuDoubleComplex* X,
    cuDoubleComplex const* D, void* p_buffer);
tridigpu_status_t tridigpuZcgtsv_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZcgtsv_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    cuDoubleComplex const* a, cuDoubleComplex const* b, cuDoubleComplex const* c, cuDoubleComplex* X,
    cuDoubleComplex const* D, void* p_buffer);

/*! bgtsv, cbgtsv: block tridiagonal systems of N block rows with blocks of n x n; cyclic ones. */
tridigpu_status_t tridigpuSbgtsv_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuSbgtsv_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    float const* a, float const* b, float const* c, float* X, float const* D, void* p_buffer);
tridigpu_status_t tridigpuScbgtsv_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuScbgtsv_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    float const* a, float const* b, float const* c, float* X, float const* D, void* p_buffer);
tridigpu_status_t tridigpuDbgtsv_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDbgtsv_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    double const* a, double const* b, double const* c, double* X, double const* D, void* p_buffer);
tridigpu_status_t tridigpuDcbgtsv_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDcbgtsv_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    double const* a, double const* b, double const* c, double* X, double const* D, void* p_buffer);
tridigpu_status_t tridigpuCbgtsv_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCbgtsv_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    cuComplex const* a, cuComplex const* b, cuComplex const* c, cuComplex* X, cuComplex const* D, void* p_buffer);
tridigpu_status_t tridigpuCcbgtsv_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCcbgtsv_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    cuComplex const* a, cuComplex const* b, cuComplex const* c, cuComplex* X, cuComplex const* D, void* p_buffer);
tridigpu_status_t tridigpuZbgtsv_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZbgtsv_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    cuDoubleComplex const* a, cuDoubleComplex const* b, cuDoubleComplex const* c, cuDoubleComplex* X,
    cuDoubleComplex const* D, void* p_buffer);
tridigpu_status_t tridigpuZcbgtsv_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZcbgtsv_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    cuDoubleComplex const* a, cuDoubleComplex const* b, cuDoubleComplex const* c, cuDoubleComplex* X,
    cuDoubleComplex const* D, void* p_buffer);

/*! bgtf factorises a block tridiagonal matrix; bgtfs solves with the results of bgtf in a, b, c and its buffer, for the
 * same p, N and n. bgtf may overwrite a, b, c; the caller must not change them before the last bgtfs. */
tridigpu_status_t tridigpuSbgtf_factorizationBufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int n,
    size_t* factorization_buffer_size_in_bytes);
tridigpu_status_t tridigpuSbgtf_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int n, float* a,
    float* b, float* c, void* p_factorization_buffer);
tridigpu_status_t tridigpuSbgtfs_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuSbgtfs_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    float const* a, float const* b, float const* c, float* X, float const* D, void const* p_factorization_buffer,
    void* p_buffer);
tridigpu_status_t tridigpuDbgtf_factorizationBufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int n,
    size_t* factorization_buffer_size_in_bytes);
tridigpu_status_t tridigpuDbgtf_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int n, double* a,
    double* b, double* c, void* p_factorization_buffer);
tridigpu_status_t tridigpuDbgtfs_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDbgtfs_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    double const* a, double const* b, double const* c, double* X, double const* D, void const* p_factorization_buffer,
    void* p_buffer);
tridigpu_status_t tridigpuCbgtf_factorizationBufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int n,
    size_t* factorization_buffer_size_in_bytes);
tridigpu_status_t tridigpuCbgtf_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int n, cuComplex* a,
    cuComplex* b, cuComplex* c, void* p_factorization_buffer);
tridigpu_status_t tridigpuCbgtfs_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCbgtfs_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    cuComplex const* a, cuComplex const* b, cuComplex const* c, cuComplex* X, cuComplex const* D,
    void const* p_factorization_buffer, void* p_buffer);
tridigpu_status_t tridigpuZbgtf_factorizationBufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int n,
    size_t* factorization_buffer_size_in_bytes);
tridigpu_status_t tridigpuZbgtf_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int n,
    cuDoubleComplex* a, cuDoubleComplex* b, cuDoubleComplex* c, void* p_factorization_buffer);
tridigpu_status_t tridigpuZbgtfs_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZbgtfs_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r, int n,
    cuDoubleComplex const* a, cuDoubleComplex const* b, cuDoubleComplex const* c, cuDoubleComplex* X,
    cuDoubleComplex const* D, void const* p_factorization_buffer, void* p_buffer);

/*! gbsv: banded systems with kl bands below and ku above the diagonal. */
tridigpu_status_t tridigpuSgbsv_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r, int kl, int ku,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuSgbsv_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r, int kl,
    int ku, float const* AB, float* X, float const* D, void* p_buffer);
tridigpu_status_t tridigpuDgbsv_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r, int kl, int ku,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDgbsv_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r, int kl,
    int ku, double const* AB, double* X, double const* D, void* p_buffer);
tridigpu_status_t tridigpuCgbsv_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r, int kl, int ku,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCgbsv_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r, int kl,
    int ku, cuComplex const* AB, cuComplex* X, cuComplex const* D, void* p_buffer);
tridigpu_status_t tridigpuZgbsv_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r, int kl, int ku,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZgbsv_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r, int kl,
    int ku, cuDoubleComplex const* AB, cuDoubleComplex* X, cuDoubleComplex const* D, void* p_buffer);

/*! gtsv_csc2dense: scalar tridiagonal systems with sparse right-hand sides (compressed columns, entries in any order)
 * and dense solutions. If an entry is outside the matrix, its column of X is NaN.
 *
 * gtsv_csc2csc selects the entries of largest magnitude from each column of the solution; result_col_ptrs defines how
 * many. It allocates, works on the default stream and returns after the result is complete. */
tridigpu_status_t tridigpuSgtsv_csc2dense_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuSgtsv_csc2dense_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    float const* a, float const* b, float const* c, float* X, float const* rhs_values, int64_t const* rhs_row_indices,
    int64_t const* rhs_col_ptrs, int64_t rhs_nnz, void* p_buffer);
tridigpu_status_t tridigpuSgtsv_csc2csc_64(tridigpu_pivoting_t p, int64_t N, float const* a, float const* b,
    float const* c, float const* rhs_values, int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs, int64_t n_r,
    int64_t rhs_nnz, float* result_values, int64_t* result_row_indices, int64_t const* result_col_ptrs,
    int64_t result_nnz);
tridigpu_status_t tridigpuDgtsv_csc2dense_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDgtsv_csc2dense_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    double const* a, double const* b, double const* c, double* X, double const* rhs_values,
    int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs, int64_t rhs_nnz, void* p_buffer);
tridigpu_status_t tridigpuDgtsv_csc2csc_64(tridigpu_pivoting_t p, int64_t N, double const* a, double const* b,
    double const* c, double const* rhs_values, int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs, int64_t n_r,
    int64_t rhs_nnz, double* result_values, int64_t* result_row_indices, int64_t const* result_col_ptrs,
    int64_t result_nnz);
tridigpu_status_t tridigpuCgtsv_csc2dense_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCgtsv_csc2dense_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    cuComplex const* a, cuComplex const* b, cuComplex const* c, cuComplex* X, cuComplex const* rhs_values,
    int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs, int64_t rhs_nnz, void* p_buffer);
tridigpu_status_t tridigpuCgtsv_csc2csc_64(tridigpu_pivoting_t p, int64_t N, cuComplex const* a, cuComplex const* b,
    cuComplex const* c, cuComplex const* rhs_values, int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs,
    int64_t n_r, int64_t rhs_nnz, cuComplex* result_values, int64_t* result_row_indices, int64_t const* result_col_ptrs,
    int64_t result_nnz);
tridigpu_status_t tridigpuZgtsv_csc2dense_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZgtsv_csc2dense_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    cuDoubleComplex const* a, cuDoubleComplex const* b, cuDoubleComplex const* c, cuDoubleComplex* X,
    cuDoubleComplex const* rhs_values, int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs, int64_t rhs_nnz,
    void* p_buffer);
tridigpu_status_t tridigpuZgtsv_csc2csc_64(tridigpu_pivoting_t p, int64_t N, cuDoubleComplex const* a,
    cuDoubleComplex const* b, cuDoubleComplex const* c, cuDoubleComplex const* rhs_values,
    int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs, int64_t n_r, int64_t rhs_nnz,
    cuDoubleComplex* result_values, int64_t* result_row_indices, int64_t const* result_col_ptrs, int64_t result_nnz);

/*! gtsv_csc2csc_buffered: gtsv_csc2csc with a buffer of the caller. It allocates nothing and does not check
 * result_col_ptrs; if they are invalid, entries are omitted, and nothing is written outside the result arrays. */
tridigpu_status_t tridigpuSgtsv_csc2csc_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuSgtsv_csc2csc_buffered_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N,
    float const* a, float const* b, float const* c, float const* rhs_values, int64_t const* rhs_row_indices,
    int64_t const* rhs_col_ptrs, int64_t n_r, int64_t rhs_nnz, float* result_values, int64_t* result_row_indices,
    int64_t const* result_col_ptrs, int64_t result_nnz, void* p_buffer);
tridigpu_status_t tridigpuDgtsv_csc2csc_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDgtsv_csc2csc_buffered_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N,
    double const* a, double const* b, double const* c, double const* rhs_values, int64_t const* rhs_row_indices,
    int64_t const* rhs_col_ptrs, int64_t n_r, int64_t rhs_nnz, double* result_values, int64_t* result_row_indices,
    int64_t const* result_col_ptrs, int64_t result_nnz, void* p_buffer);
tridigpu_status_t tridigpuCgtsv_csc2csc_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCgtsv_csc2csc_buffered_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N,
    cuComplex const* a, cuComplex const* b, cuComplex const* c, cuComplex const* rhs_values,
    int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs, int64_t n_r, int64_t rhs_nnz, cuComplex* result_values,
    int64_t* result_row_indices, int64_t const* result_col_ptrs, int64_t result_nnz, void* p_buffer);
tridigpu_status_t tridigpuZgtsv_csc2csc_bufferSizeExt_64(tridigpu_pivoting_t p, int64_t N, int64_t n_r,
    size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZgtsv_csc2csc_buffered_64(struct CUstream_st* stream, tridigpu_pivoting_t p, int64_t N,
    cuDoubleComplex const* a, cuDoubleComplex const* b, cuDoubleComplex const* c, cuDoubleComplex const* rhs_values,
    int64_t const* rhs_row_indices, int64_t const* rhs_col_ptrs, int64_t n_r, int64_t rhs_nnz,
    cuDoubleComplex* result_values, int64_t* result_row_indices, int64_t const* result_col_ptrs, int64_t result_nnz,
    void* p_buffer);
/* clang-format on */

/* The appendix also spells it so. */
#define tridigpuSbgtrfs tridigpuSbgtfs
#define tridigpuDbgtrfs tridigpuDbgtfs
#define tridigpuCbgtrfs tridigpuCbgtfs
#define tridigpuZbgtrfs tridigpuZbgtfs
#define tridigpuSbgtrfs_bufferSizeExt tridigpuSbgtfs_bufferSizeExt
#define tridigpuDbgtrfs_bufferSizeExt tridigpuDbgtfs_bufferSizeExt
#define tridigpuCbgtrfs_bufferSizeExt tridigpuCbgtfs_bufferSizeExt
#define tridigpuZbgtrfs_bufferSizeExt tridigpuZbgtfs_bufferSizeExt

#if defined(__cplusplus)
}
#endif

#endif
