/* SPDX-License-Identifier: BSD-3-Clause */
/*! \file
 * Types of the C interfaces coppice.h and tridigpu.h. Plain C99. */
#ifndef COPPICE_C_TYPES_H
#define COPPICE_C_TYPES_H

#include <coppice/version.h>

#include <stddef.h> /* NOLINT(modernize-deprecated-headers): also C */
#include <stdint.h> /* NOLINT(modernize-deprecated-headers): also C */

/* A C caller may pass any int for an enumeration. In C++ this is defined only if the underlying type is fixed. */
#if defined(__cplusplus)
#define COPPICE_C_INT : int
extern "C" {
#else
#define COPPICE_C_INT
#endif

typedef enum COPPICE_C_INT {
    COPPICE_NO_PIVOTING = 0,
    COPPICE_PARTIAL_PIVOTING = 1,
    COPPICE_SCALED_PARTIAL_PIVOTING = 2,
    COPPICE_DEFAULT_PIVOTING = 3 /*!< partial */
} coppice_pivoting_t;

typedef enum COPPICE_C_INT {
    COPPICE_STATUS_SUCCESS = 0,
    COPPICE_STATUS_INVALID_VALUE = 1,    /*!< an argument out of range, a null pointer, a bad buffer */
    COPPICE_STATUS_ALLOC_FAILED = 2,     /*!< no memory */
    COPPICE_STATUS_NO_DEVICE = 3,        /*!< no CUDA device, or a library built without CUDA */
    COPPICE_STATUS_EXECUTION_FAILED = 4, /*!< the CUDA runtime reported a failure */
    COPPICE_STATUS_INTERNAL_ERROR = 5,
    COPPICE_STATUS_FILE_ERROR = 6 /*!< a file that cannot be read, or that does not follow its format */
} coppice_status_t;

/*! Type of the elements of an array. */
typedef enum COPPICE_C_INT {
    COPPICE_INT32 = 0,
    COPPICE_INT64 = 1,
    COPPICE_FLOAT = 2,
    COPPICE_DOUBLE = 3,
    COPPICE_COMPLEX_FLOAT = 4,
    COPPICE_COMPLEX_DOUBLE = 5
} coppice_type_t;

typedef enum COPPICE_C_INT {
    COPPICE_PLAIN = 0,
    COPPICE_TRANSPOSED = 1,
    COPPICE_CONJUGATE_TRANSPOSED = 2
} coppice_operation_t;

typedef enum COPPICE_C_INT {
    COPPICE_METHOD_AUTOMATIC = 0, /*!< RPTS if it applies; otherwise, or if it is inaccurate, the chain solver */
    COPPICE_METHOD_RPTS = 1,
    COPPICE_METHOD_CHAIN = 2
} coppice_method_t;

/*! How a solve ended. */
typedef enum COPPICE_C_INT {
    COPPICE_SOLVED = 0,
    COPPICE_SINGULAR = 1,   /*!< a column has no pivot, see coppice_report_t::row */
    COPPICE_NOT_FINITE = 2, /*!< the solution has a NaN or infinity */
    COPPICE_INACCURATE = 3  /*!< the backward error exceeds the bound after all attempts */
} coppice_outcome_t;

/*! Shape of a matrix or of a batch of matrices. With all members zero except `rows`: one scalar tridiagonal system. */
typedef struct {
    int64_t rows;           /*!< block rows of all systems together; rows of a banded matrix */
    int block;              /*!< rows of a block, up to 8; 0 means 1 */
    int banded;             /*!< not 0: a banded matrix with lower_bands and upper_bands bands, up to 8 each */
    int lower_bands;        /*!< below the diagonal */
    int upper_bands;        /*!< above it */
    int cyclic;             /*!< not 0: a[0] and c[rows - 1] couple the first and the last block row */
    int interleaved;        /*!< not 0: block row j of system s is block row j systems + s */
    int64_t systems;        /*!< of a batch; 0 means 1 */
    int64_t const* offsets; /*!< NULL, or for systems of different sizes: systems + 1 offsets in block rows */
    int64_t largest;        /*!< with offsets: block rows of the largest system, or 0 if unknown */
} coppice_bands_t;

/*! Options of a solve. A null pointer means partial pivoting and 0 for the other members. */
typedef struct {
    coppice_pivoting_t pivoting;
    coppice_operation_t operation;
    coppice_method_t method;
    int refinements;    /*!< steps of iterative refinement */
    double threshold;   /*!< entries up to this magnitude count as zero in the elimination */
    double error_bound; /*!< bound of the backward error; if exceeded, further attempts follow. 0: 50 epsilon */
    int condition;      /*!< not 0: estimate condition numbers for the report; costs four to ten solves */
} coppice_options_t;

/*! Outcome of one system, over all its right-hand sides. */
typedef struct {
    double backward_error;      /*!< max |A x - d| / (|A| |x| + |d|), maximum norms */
    double componentwise_error; /*!< max over rows of |A x - d|_i / (|A| |x| + |d|)_i */
    int64_t row;                /*!< row within the system of the first column without a pivot; -1 if none */
    int32_t outcome;            /*!< a coppice_outcome_t */
    int32_t tries;              /*!< number of the attempt that gave X; 1: the first one */
    double condition;           /*!< estimate of |op(A)|_1 |op(A)^-1|_1; 0 if not requested */
} coppice_report_t;

/*! Message of the last failed call of this thread; valid until the next call fails. */
char const* coppice_last_error(void);

#if defined(__cplusplus)
}
#endif

#endif
