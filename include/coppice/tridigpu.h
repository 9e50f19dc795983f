/* SPDX-License-Identifier: BSD-3-Clause */
/*! \file
 * C interface of the tridiagonal library on one NVIDIA GPU, name for name and argument for argument that of
 * appendix A.1.4 of C. Klein's thesis (`tridigpu`). Plain C99.
 *
 *     size_t bytes;
 *     tridigpuSgtsv_bufferSizeExt(TRIDIGPU_DEFAULT_PIVOTING, N, n_r, &bytes);
 *     cudaMalloc(&buffer, bytes);
 *     tridigpuSgtsv(stream, TRIDIGPU_DEFAULT_PIVOTING, N, n_r, a, b, c, X, D, buffer);
 *
 * | function | solves |
 * | --- | --- |
 * | tridigpu<t>gtsv, cgtsv | scalar tridiagonal systems, cyclic ones |
 * | tridigpu<t>bgtsv, cbgtsv | block tridiagonal systems, cyclic ones |
 * | tridigpu<t>bgtf, bgtfs | the same, factorised once |
 * | tridigpu<t>gbsv | banded systems |
 * | tridigpu<t>gtsv_csc2dense, gtsv_csc2csc | sparse right-hand sides, dense and pruned solutions |
 *
 * Beyond the appendix: the same names with _64 behind them take 64-bit sizes and indices; gtsv_csc2csc_buffered works
 * on a stream in a buffer of the caller's; bands_solve, bands_factor and bands_factor_solve take every class and
 * batches of systems, with transposes, refinement and reports in device memory. tridiagonal_functions.inc declares them
 * all; coppice.h has them for the host.
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

/*! What the last call of this thread that failed had to say; valid until the next one fails. */
char const* tridigpu_last_error(void);

#define COPPICE_TRIDIGPU_TYPES(F) F(S, float) F(D, double) F(C, cuComplex) F(Z, cuDoubleComplex)
#define COPPICE_TRIDIGPU_STREAM struct CUstream_st *stream,

/* Name for name and argument for argument. */
#define COPPICE_C_NAME(t, f) tridigpu##t##f
#define COPPICE_C_TYPES COPPICE_TRIDIGPU_TYPES
#define COPPICE_C_STREAM COPPICE_TRIDIGPU_STREAM
#define COPPICE_C_SIZE int
#define COPPICE_C_STATUS tridigpu_status_t
#define COPPICE_C_PIVOTING tridigpu_pivoting_t
#define COPPICE_C_ADDITIONS 1
#include <coppice/tridiagonal_functions.inc>

/* The same with 64-bit sizes and indices. */
#define COPPICE_C_NAME(t, f) tridigpu##t##f##_64
#define COPPICE_C_TYPES COPPICE_TRIDIGPU_TYPES
#define COPPICE_C_STREAM COPPICE_TRIDIGPU_STREAM
#define COPPICE_C_SIZE int64_t
#define COPPICE_C_STATUS tridigpu_status_t
#define COPPICE_C_PIVOTING tridigpu_pivoting_t
#define COPPICE_C_ADDITIONS 0
#include <coppice/tridiagonal_functions.inc>

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
