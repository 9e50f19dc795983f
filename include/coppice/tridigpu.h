/* SPDX-License-Identifier: BSD-3-Clause */
/*! \file C interface of the tridiagonal library on one NVIDIA GPU, name for name and argument for argument that of
 * appendix A.1.4 of C. Klein's thesis (`tridigpu`). Plain C99.
 *
 *     size_t bytes;
 *     tridigpuSgtsv_bufferSizeExt(TRIDIGPU_DEFAULT_PIVOTING, N, n_r, &bytes);
 *     cudaMalloc(&buffer, bytes);
 *     tridigpuSgtsv(stream, TRIDIGPU_DEFAULT_PIVOTING, N, n_r, a, b, c, X, D, buffer);
 *
 * <t> is S, D, C, Z for float, double, cuComplex, cuDoubleComplex. All arrays are in memory of the current device.
 * Dense matrices are column-major; bands a, b, c hold N blocks of n x n, each column-major; a banded matrix holds its
 * kl + ku + 1 bands of N elements from the lowest to the highest. What lies outside a matrix that is not cyclic is
 * ignored.
 *
 * Functions with a stream queue their work there and return before it is done; they allocate nothing and can be
 * captured into a CUDA graph. Buffers come from the caller, aligned to 64 bytes (as those of cudaMalloc are), at least
 * as large as the matching _bufferSizeExt says for the same arguments. X may be D. Except for the factorisation nothing
 * but X is written.
 *
 * Pivoting: no pivoting means partial pivoting except for real scalar systems that are not cyclic; the default is
 * partial. Blocks have 1 to 8 rows and banded matrices 0 to 8 bands on either side (the thesis: 4).
 *
 * Every function returns TRIDIGPU_STATUS_SUCCESS (0), or a code and leaves a sentence for tridigpu_last_error().
 * A singular matrix is not an error here: X shows it by values that are huge or not finite; see coppice/banded.hpp for
 * reports. */
#ifndef COPPICE_TRIDIGPU_H
#define COPPICE_TRIDIGPU_H

#include <stddef.h>

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

/* A C caller may pass any int for an enumeration; in C++ it may hold any only where its type is fixed. */
#if defined(__cplusplus)
#define COPPICE_C_INT : int
extern "C" {
#else
#define COPPICE_C_INT
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

/*! What the last call of this thread that failed had to say; valid until the next one fails. */
char const* tridigpu_last_error(void);

/*! Solves scalar tridiagonal systems with n_r right-hand sides. */
tridigpu_status_t tridigpuSgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuSgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, float const* a,
                                float const* b, float const* c, float* X, float const* D, void* p_buffer);
tridigpu_status_t tridigpuDgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, double const* a,
                                double const* b, double const* c, double* X, double const* D, void* p_buffer);
tridigpu_status_t tridigpuCgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, cuComplex const* a,
                                cuComplex const* b, cuComplex const* c, cuComplex* X, cuComplex const* D,
                                void* p_buffer);
tridigpu_status_t tridigpuZgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r,
                                cuDoubleComplex const* a, cuDoubleComplex const* b, cuDoubleComplex const* c,
                                cuDoubleComplex* X, cuDoubleComplex const* D, void* p_buffer);
/*! Solves cyclic scalar tridiagonal systems: a[0] and c[N - 1] couple the first and the last row. */
tridigpu_status_t tridigpuScgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuScgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, float const* a,
                                 float const* b, float const* c, float* X, float const* D, void* p_buffer);
tridigpu_status_t tridigpuDcgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDcgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, double const* a,
                                 double const* b, double const* c, double* X, double const* D, void* p_buffer);
tridigpu_status_t tridigpuCcgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCcgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, cuComplex const* a,
                                 cuComplex const* b, cuComplex const* c, cuComplex* X, cuComplex const* D,
                                 void* p_buffer);
tridigpu_status_t tridigpuZcgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZcgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r,
                                 cuDoubleComplex const* a, cuDoubleComplex const* b, cuDoubleComplex const* c,
                                 cuDoubleComplex* X, cuDoubleComplex const* D, void* p_buffer);
/*! Solves block tridiagonal systems of N block rows with blocks of n x n. */
tridigpu_status_t tridigpuSbgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
                                               size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuSbgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
                                 float const* a, float const* b, float const* c, float* X, float const* D,
                                 void* p_buffer);
tridigpu_status_t tridigpuDbgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
                                               size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDbgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
                                 double const* a, double const* b, double const* c, double* X, double const* D,
                                 void* p_buffer);
tridigpu_status_t tridigpuCbgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
                                               size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCbgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
                                 cuComplex const* a, cuComplex const* b, cuComplex const* c, cuComplex* X,
                                 cuComplex const* D, void* p_buffer);
tridigpu_status_t tridigpuZbgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
                                               size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZbgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
                                 cuDoubleComplex const* a, cuDoubleComplex const* b, cuDoubleComplex const* c,
                                 cuDoubleComplex* X, cuDoubleComplex const* D, void* p_buffer);
/*! Solves cyclic block tridiagonal systems. */
tridigpu_status_t tridigpuScbgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
                                                size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuScbgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
                                  float const* a, float const* b, float const* c, float* X, float const* D,
                                  void* p_buffer);
tridigpu_status_t tridigpuDcbgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
                                                size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDcbgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
                                  double const* a, double const* b, double const* c, double* X, double const* D,
                                  void* p_buffer);
tridigpu_status_t tridigpuCcbgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
                                                size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCcbgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
                                  cuComplex const* a, cuComplex const* b, cuComplex const* c, cuComplex* X,
                                  cuComplex const* D, void* p_buffer);
tridigpu_status_t tridigpuZcbgtsv_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
                                                size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZcbgtsv(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
                                  cuDoubleComplex const* a, cuDoubleComplex const* b, cuDoubleComplex const* c,
                                  cuDoubleComplex* X, cuDoubleComplex const* D, void* p_buffer);
/*! Factorises a block tridiagonal matrix. a, b, c may be overwritten and are not to be changed before the last
 * bgtfs. */
tridigpu_status_t tridigpuSbgtf_factorizationBufferSizeExt(tridigpu_pivoting_t p, int N, int n,
                                                           size_t* factorization_buffer_size_in_bytes);
tridigpu_status_t tridigpuSbgtf(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n, float* a, float* b,
                                float* c, void* p_factorization_buffer);
tridigpu_status_t tridigpuDbgtf_factorizationBufferSizeExt(tridigpu_pivoting_t p, int N, int n,
                                                           size_t* factorization_buffer_size_in_bytes);
tridigpu_status_t tridigpuDbgtf(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n, double* a, double* b,
                                double* c, void* p_factorization_buffer);
tridigpu_status_t tridigpuCbgtf_factorizationBufferSizeExt(tridigpu_pivoting_t p, int N, int n,
                                                           size_t* factorization_buffer_size_in_bytes);
tridigpu_status_t tridigpuCbgtf(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n, cuComplex* a,
                                cuComplex* b, cuComplex* c, void* p_factorization_buffer);
tridigpu_status_t tridigpuZbgtf_factorizationBufferSizeExt(tridigpu_pivoting_t p, int N, int n,
                                                           size_t* factorization_buffer_size_in_bytes);
tridigpu_status_t tridigpuZbgtf(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n, cuDoubleComplex* a,
                                cuDoubleComplex* b, cuDoubleComplex* c, void* p_factorization_buffer);
/*! Solves with a factorisation that bgtf left in a, b, c and its buffer, for the same p, N and n. */
tridigpu_status_t tridigpuSbgtfs_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
                                               size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuSbgtfs(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
                                 float const* a, float const* b, float const* c, float* X, float const* D,
                                 void const* p_factorization_buffer, void* p_buffer);
tridigpu_status_t tridigpuDbgtfs_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
                                               size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDbgtfs(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
                                 double const* a, double const* b, double const* c, double* X, double const* D,
                                 void const* p_factorization_buffer, void* p_buffer);
tridigpu_status_t tridigpuCbgtfs_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
                                               size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCbgtfs(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
                                 cuComplex const* a, cuComplex const* b, cuComplex const* c, cuComplex* X,
                                 cuComplex const* D, void const* p_factorization_buffer, void* p_buffer);
tridigpu_status_t tridigpuZbgtfs_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r, int n,
                                               size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZbgtfs(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r, int n,
                                 cuDoubleComplex const* a, cuDoubleComplex const* b, cuDoubleComplex const* c,
                                 cuDoubleComplex* X, cuDoubleComplex const* D, void const* p_factorization_buffer,
                                 void* p_buffer);
/*! Solves banded systems with kl bands below and ku above the diagonal. */
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
                                cuDoubleComplex const* AB, cuDoubleComplex* X, cuDoubleComplex const* D,
                                void* p_buffer);
/*! Solves scalar tridiagonal systems with sparse right-hand sides (compressed columns) and dense solutions. */
tridigpu_status_t tridigpuSgtsv_csc2dense_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r,
                                                        size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuSgtsv_csc2dense(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r,
                                          float const* a, float const* b, float const* c, float* X,
                                          float const* rhs_values, int const* rhs_row_indices, int const* rhs_col_ptrs,
                                          int rhs_nnz, void* p_buffer);
tridigpu_status_t tridigpuDgtsv_csc2dense_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r,
                                                        size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuDgtsv_csc2dense(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r,
                                          double const* a, double const* b, double const* c, double* X,
                                          double const* rhs_values, int const* rhs_row_indices, int const* rhs_col_ptrs,
                                          int rhs_nnz, void* p_buffer);
tridigpu_status_t tridigpuCgtsv_csc2dense_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r,
                                                        size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuCgtsv_csc2dense(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r,
                                          cuComplex const* a, cuComplex const* b, cuComplex const* c, cuComplex* X,
                                          cuComplex const* rhs_values, int const* rhs_row_indices,
                                          int const* rhs_col_ptrs, int rhs_nnz, void* p_buffer);
tridigpu_status_t tridigpuZgtsv_csc2dense_bufferSizeExt(tridigpu_pivoting_t p, int N, int n_r,
                                                        size_t* buffer_size_in_bytes);
tridigpu_status_t tridigpuZgtsv_csc2dense(struct CUstream_st* stream, tridigpu_pivoting_t p, int N, int n_r,
                                          cuDoubleComplex const* a, cuDoubleComplex const* b, cuDoubleComplex const* c,
                                          cuDoubleComplex* X, cuDoubleComplex const* rhs_values,
                                          int const* rhs_row_indices, int const* rhs_col_ptrs, int rhs_nnz,
                                          void* p_buffer);
/*! Solves scalar tridiagonal systems with sparse right-hand sides and keeps of each column of the solution as many
 * entries of largest magnitude as result_col_ptrs leaves room for. Allocates, works on the default stream and returns
 * when the result is there. */
tridigpu_status_t tridigpuSgtsv_csc2csc(tridigpu_pivoting_t p, int N, float const* a, float const* b, float const* c,
                                        float const* rhs_values, int const* rhs_row_indices, int const* rhs_col_ptrs,
                                        int n_r, int rhs_nnz, float* result_values, int* result_row_indices,
                                        int const* result_col_ptrs, int result_nnz);
tridigpu_status_t tridigpuDgtsv_csc2csc(tridigpu_pivoting_t p, int N, double const* a, double const* b, double const* c,
                                        double const* rhs_values, int const* rhs_row_indices, int const* rhs_col_ptrs,
                                        int n_r, int rhs_nnz, double* result_values, int* result_row_indices,
                                        int const* result_col_ptrs, int result_nnz);
tridigpu_status_t tridigpuCgtsv_csc2csc(tridigpu_pivoting_t p, int N, cuComplex const* a, cuComplex const* b,
                                        cuComplex const* c, cuComplex const* rhs_values, int const* rhs_row_indices,
                                        int const* rhs_col_ptrs, int n_r, int rhs_nnz, cuComplex* result_values,
                                        int* result_row_indices, int const* result_col_ptrs, int result_nnz);
tridigpu_status_t tridigpuZgtsv_csc2csc(tridigpu_pivoting_t p, int N, cuDoubleComplex const* a,
                                        cuDoubleComplex const* b, cuDoubleComplex const* c,
                                        cuDoubleComplex const* rhs_values, int const* rhs_row_indices,
                                        int const* rhs_col_ptrs, int n_r, int rhs_nnz, cuDoubleComplex* result_values,
                                        int* result_row_indices, int const* result_col_ptrs, int result_nnz);

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
