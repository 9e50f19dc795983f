/* SPDX-License-Identifier: BSD-3-Clause */
/* The C interface on the host, compiled by a C compiler: the examples of the appendix, batches, bad arguments. */
#include <coppice/coppice.h>

#include "c_examples.h"

static void* take(size_t bytes) { return aligned_alloc(64, (bytes + 63) / 64 * 64 + 64); }
static void* put(void const* host, size_t bytes) { return memcpy(take(bytes), host, bytes); }
static void get(void* to, void const* from, size_t bytes) { memcpy(to, from, bytes); }
static void give_back(void* memory) { free(memory); }

static void succeed(coppice_status_t status) {
    if (status != COPPICE_STATUS_SUCCESS) printf("%s\n", coppice_last_error());
    require(status == COPPICE_STATUS_SUCCESS, "a call");
}

#define PREFIX coppice
#define PIVOTING coppice_pivoting_t
#define DEFAULT_PIVOTING COPPICE_DEFAULT_PIVOTING
#define INVALID_VALUE COPPICE_STATUS_INVALID_VALUE
#define LAST_ERROR coppice_last_error
#define INDEX int64_t
#define ON_STREAM
#define run(call) succeed(call)

#define COMPLEX_FLOAT coppice_complex_float
#define COMPLEX_DOUBLE coppice_complex_double
#define MAKE_COMPLEX_FLOAT(x) ((coppice_complex_float){(float)(x), 0})
#define MAKE_COMPLEX_DOUBLE(x) ((coppice_complex_double){x, 0})
#define REAL_PART(v) ((v).re)
#include "c_examples_of_types.inc"

static void bad_arguments(void) {
    coppice_pivoting_t const p = COPPICE_DEFAULT_PIVOTING;
    size_t bytes = 0;
    double v[8] = {1, 1, 1, 1, 1, 1, 1, 1}, x[8];
    int64_t const rows[] = {5}, wild[] = {1}, ends[] = {0, 1};
    void* const buffer = take(1 << 20);
    char const* (*const e)(void) = coppice_last_error;
    refused(coppiceSgtsv_bufferSizeExt(p, -1, 1, &bytes), e, "N is -1");
    refused(coppiceSgtsv_bufferSizeExt(p, (int64_t)1 << 60, 1, &bytes), e, "N is");
    refused(coppiceSgtsv_bufferSizeExt(p, 10, (int64_t)1 << 60, &bytes), e, "n_r is");
    refused(coppiceSgtsv_bufferSizeExt(p, 10, 1, NULL), e, "coppiceSgtsv_bufferSizeExt: buffer_size_in_bytes is NULL");
    refused(coppiceDgtsv_bufferSizeExt((coppice_pivoting_t)9, 1, 1, &bytes), e, "p is 9, expected 0 to 3");
    refused(coppiceDgtsv_bufferSizeExt((coppice_pivoting_t)-1, 1, 1, &bytes), e, "p is -1");
    refused(coppiceCgtsv(p, 5, -2, NULL, NULL, NULL, NULL, NULL, NULL), e, "n_r is -2");
    refused(coppiceDgtsv(p, 8, 1, NULL, v, v, x, v, buffer), e, "coppiceDgtsv: a is NULL");
    refused(coppiceDgtsv(p, 8, 1, v, v, v, NULL, v, buffer), e, "X is NULL");
    refused(coppiceDgtsv(p, 8, 1, v, v, v, x, NULL, buffer), e, "D is NULL");
    static double many[1000], solution[1000]; /* systems of fewer rows may need no buffer */
    refused(coppiceDgtsv(p, 1000, 1, many, many, many, solution, many, NULL), e, "p_buffer is NULL");
    refused(coppiceDgtsv(p, 1000, 1, many, many, many, solution, many, (char*)buffer + 4), e,
            "p_buffer is not aligned to 64 bytes");
    refused(coppiceDgtsv(p, 8, 1, v, v, v, v, x, buffer), e, "X overlaps a");
    refused(coppiceDbgtsv(p, 1, 1, 9, v, v, v, x, v, buffer), e, "n is 9, expected 1 to 8");
    refused(coppiceDbgtsv(p, 1, 1, 0, v, v, v, x, v, buffer), e, "n is 0, expected 1 to 8");
    refused(coppiceDgbsv(p, 8, 1, 9, 0, v, x, v, buffer), e, "kl is 9, expected 0 to 8");
    refused(coppiceDgbsv(p, 8, 1, -1, -1, v, x, v, buffer), e, "kl is -1");
    refused(coppiceDgbsv(p, 200, 1, 2, 2, many, solution, many, NULL), e, "p_buffer is NULL");
    refused(coppiceDbgtf(p, 8, 1, x, x, x, NULL), e, "coppiceDbgtf: p_factorization_buffer is NULL");
    refused(coppiceZgtsv_csc2csc(p, 5, NULL, NULL, NULL, NULL, NULL, NULL, 1, -1, NULL, NULL, ends, 0), e, "rhs_nnz");
    refused(coppiceDgtsv_csc2csc(p, 8, v, v, v, v, rows, ends, 1, 1, x, NULL, ends, 1), e,
            "result_row_indices is NULL");
    refused(coppiceDgtsv_csc2csc(p, 8, v, v, v, v, rows, ends, 1, 1, x, (int64_t*)x, wild, 0), e, "column 0");
    refused(coppiceDbands_solve_bufferSizeExt(NULL, 1, NULL, 0, &bytes), e, "A is NULL");
    refused(coppice_set_threads(-1), e, "-1");

    /* Empty systems are not an error. */
    succeed(coppiceDgtsv(p, 0, 1, NULL, NULL, NULL, NULL, NULL, NULL));
    succeed(coppiceDgtsv(p, 8, 0, v, v, v, NULL, NULL, NULL));
    /* An entry outside the matrix makes its column NaN. */
    int64_t const outside[] = {8};
    v[0] = 3;
    succeed(coppiceDgtsv_csc2dense(p, 8, 1, v, v, v, x, v, outside, ends, 1, buffer));
    for (int i = 0; i < 8; ++i) require(isnan(x[i]), "an entry outside of the matrix");
    give_back(buffer);
}

// [begin]
static coppice_status_t solve_pentadiagonal(int64_t n, double const* bands, double* x, double const* d) {
    size_t bytes = 0;
    coppice_status_t status = coppiceDgbsv_bufferSizeExt(COPPICE_DEFAULT_PIVOTING, n, 1, 2, 2, &bytes);
    void* const buffer = status ? NULL : aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!status) status = coppiceDgbsv(COPPICE_DEFAULT_PIVOTING, n, 1, 2, 2, bands, x, d, buffer);
    if (status) puts(coppice_last_error()); /* "coppiceDgbsv: X is NULL" */
    free(buffer);
    return status;
}
// [end]

/* The example of the guide: rows 1 -4 6 -4 1, truncated at the ends; the solution of A x = A (1, ..., 1) is known. */
static void guide(void) {
    enum { n = 2000 };
    static double bands[5 * n], x[n], d[n];
    double const row[] = {1, -4, 6.5, -4, 1};
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < 5; ++k) {
            bands[k * n + i] = row[k];
            if (i + k - 2 >= 0 && i + k - 2 < n) d[i] += row[k];
        }
    require(solve_pentadiagonal(n, bands, x, d) == COPPICE_STATUS_SUCCESS, "the example of the guide");
    for (int i = 0; i < n; ++i) require(fabs(x[i] - 1) <= 1e-12, "its solution");
}

int main(void) {
    for (int threads = 1; threads <= 2; ++threads) {
        succeed(coppice_set_threads(threads));
        S_examples(), S_batches(), S_bands();
        D_examples(), D_batches(), D_bands();
        C_examples(), C_batches(), C_bands();
        Z_examples(), Z_batches(), Z_bands();
    }
    S_bad_memory(), D_bad_memory(), C_bad_memory(), Z_bad_memory();
    S_bad_shapes(), D_bad_shapes(), C_bad_shapes(), Z_bad_shapes();
    S_bad_buffers(), D_bad_buffers(), C_bad_buffers(), Z_bad_buffers();
    bad_arguments();
    guide();
    return failures ? 1 : 0;
}
