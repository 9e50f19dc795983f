/* SPDX-License-Identifier: BSD-3-Clause */
/*! \file
 * Types of the C interfaces coppice.h and tridigpu.h. Plain C99. */
#ifndef COPPICE_C_TYPES_H
#define COPPICE_C_TYPES_H

#include <coppice/version.h>

#include <stddef.h>
#include <stdint.h>

/* A C caller may pass any int for an enumeration; in C++ it may hold any only where its type is fixed. */
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
    COPPICE_STATUS_INTERNAL_ERROR = 5
} coppice_status_t;

typedef enum COPPICE_C_INT {
    COPPICE_PLAIN = 0,
    COPPICE_TRANSPOSED = 1,
    COPPICE_CONJUGATE_TRANSPOSED = 2
} coppice_operation_t;

typedef enum COPPICE_C_INT {
    COPPICE_METHOD_AUTOMATIC = 0, /*!< RPTS where it applies; the chain solver elsewhere and where that is not enough */
    COPPICE_METHOD_RPTS = 1,
    COPPICE_METHOD_CHAIN = 2
} coppice_method_t;

/*! How a solve ended. */
typedef enum COPPICE_C_INT {
    COPPICE_SOLVED = 0,
    COPPICE_SINGULAR = 1,   /*!< elimination met a column without a pivot, coppice_report_t::row */
    COPPICE_NOT_FINITE = 2, /*!< the solution holds NaN or infinity */
    COPPICE_INACCURATE = 3  /*!< the backward error is beyond the bound after all tries */
} coppice_outcome_t;

/*! Shape of a matrix, or of a batch of matrices. All zero but `rows`: one scalar tridiagonal system. */
typedef struct {
    int64_t rows;           /*!< block rows of all systems together; of a banded matrix its rows */
    int block;              /*!< rows of a block, up to 8; 0 counts as 1 */
    int banded;             /*!< not 0: a banded matrix with lower_bands and upper_bands bands, up to 8 each */
    int lower_bands;        /*!< below the diagonal */
    int upper_bands;        /*!< above it */
    int cyclic;             /*!< not 0: a[0] and c[rows - 1] couple the first and the last block row */
    int interleaved;        /*!< not 0: block row j of system s is block row j systems + s */
    int64_t systems;        /*!< of a batch; 0 counts as 1 */
    int64_t const* offsets; /*!< NULL, or systems + 1 block rows at which systems of different sizes begin and end */
    int64_t largest;        /*!< with offsets: block rows of the largest system, or 0 where that is not known */
} coppice_bands_t;

/*! How to solve. A null pointer stands for partial pivoting and zeros. */
typedef struct {
    coppice_pivoting_t pivoting;
    coppice_operation_t operation;
    coppice_method_t method;
    int refinements;    /*!< steps of iterative refinement */
    double threshold;   /*!< entries up to this magnitude count as zero in the elimination */
    double error_bound; /*!< of the backward error, beyond which a solve is tried again; 0: 50 epsilon */
    int condition;      /*!< not 0: estimate condition numbers for the report, for four to ten more solves */
} coppice_options_t;

/*! What became of one system, over all its right-hand sides. */
typedef struct {
    double backward_error;      /*!< max |A x - d| / (|A| |x| + |d|), maximum norms */
    double componentwise_error; /*!< max over rows of |A x - d|_i / (|A| |x| + |d|)_i */
    int64_t row;                /*!< of the first column without a pivot, within the system; -1 for none */
    int32_t outcome;            /*!< a coppice_outcome_t */
    int32_t tries;              /*!< 1: the first method was good enough */
    double condition;           /*!< estimate of |op(A)|_1 |op(A)^-1|_1; 0 where it was not asked for */
} coppice_report_t;

/*! What the last call of this thread that failed had to say; valid until the next one fails. */
char const* coppice_last_error(void);

#if defined(__cplusplus)
}
#endif

#endif
