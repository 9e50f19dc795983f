/* SPDX-License-Identifier: BSD-3-Clause */
/*! \file
 * C interface: sparse matrices, preconditioners, iterative solvers and graph algorithms, see coppice_matrix_create
 * below; and the direct solvers on the host. The latter are the functions of tridigpu.h with the same names, for the
 * cores of this machine, without the stream and with 64-bit sizes. Plain C99.
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

/* Sparse matrices, solvers and graph algorithms, on the host or a CUDA device.
 *
 *     coppice_executor_t cores;
 *     coppice_matrix_t a;
 *     coppice_result_t result;
 *     coppice_status_t status = coppice_executor_create("host", NULL, &cores);
 *     if (!status) status = coppice_matrix_create(cores, n, n, nonzeros, COPPICE_INT32, offsets, indices,
 *                                                 COPPICE_DOUBLE, values, NULL, &a);
 *     if (!status) status = coppice_solve(a, NULL, "auto,tolerance=1e-8", b, x, n, 1, &result);
 *     if (status) fprintf(stderr, "%s\n", coppice_last_error());
 *
 * | function | does |
 * | --- | --- |
 * | `coppice_executor_create`, `synchronize` | chooses where the work runs; waits for it |
 * | `coppice_matrix_create`, `read`, `set_values` | a CSR matrix of arrays, of a file; new values |
 * | `coppice_spmv` | matrix-vector products over named semirings |
 * | `coppice_preconditioner_create`, `refresh`, `apply` | preconditioners by name |
 * | `coppice_solve` | linear systems by Krylov methods by name, or automatically |
 * | `coppice_graph` | graph algorithms by name |
 * | `coppice_number`, `text`, `array` | properties of what a handle names |
 * | `coppice_describe` | names and options of all methods |
 * | `coppice_destroy` | ends the use of a handle |
 *
 * **Handles** name objects of the library. A handle that was destroyed, or that is of another kind, is refused with
 * COPPICE_STATUS_INVALID_VALUE; values of handles are not used again. An object keeps what it needs: handles may be
 * destroyed in any order. One thread at a time may use the objects of an executor; a preconditioner that is in use in
 * another thread is refused.
 *
 * **Methods** are strings, a name with options: "forest,rounds=7", "gmres,restart=50,tolerance=1e-8". An unknown name
 * or option is an error whose message lists the known ones; coppice_describe returns them with their meaning.
 *
 * **Memory.** Vectors are contiguous, have the value type of the matrix, are in the memory of its executor (host
 * memory, or memory of its device) and do not overlap. Lengths count elements. On CUDA, coppice_spmv and
 * coppice_preconditioner_apply return when the work is queued; other functions return when the result is complete.
 *
 * **Not converged** is a result, not an error: coppice_number(result, "converged", &value). */

/*! Where work runs and memory is; names are never values of these types. */
typedef struct coppice_executor_handle* coppice_executor_t;
/*! A matrix in compressed sparse row (CSR) storage in the memory of an executor. */
typedef struct coppice_matrix_handle* coppice_matrix_t;
typedef struct coppice_preconditioner_handle* coppice_preconditioner_t;
/*! What coppice_solve or coppice_graph found. */
typedef struct coppice_result_handle* coppice_result_t;

/*! Chooses where work runs: "host" on all cores, "host,threads=4", "cuda" on device 0, "cuda,device=1". `stream` is
 * NULL for the host. For CUDA it is a stream of the device (cudaStream_t), which must outlive the executor and its
 * matrices; NULL creates a new stream, and with "cuda,stream=default" it is the default stream. Returns
 * COPPICE_STATUS_NO_DEVICE if there is no such device or the library was built without CUDA. */
coppice_status_t coppice_executor_create(char const* choice, void* stream, coppice_executor_t* executor);
/*! Waits until all work of the executor is complete. */
coppice_status_t coppice_synchronize(coppice_executor_t executor);

/*! Makes a matrix of rows x columns from the three arrays offsets[rows + 1], indices[nonzeros], values[nonzeros]:
 * row i has the columns indices[k] and the values values[k] with offsets[i] <= k < offsets[i + 1]. Columns of a row may
 * be in any order. Both index arrays are of index_type, COPPICE_INT32 or COPPICE_INT64. In both cases there are fewer
 * than 2^31 - 1 rows and columns, and fewer than 2^31 nonzeros. The arrays are checked; a column outside the matrix, or
 * offsets that decrease or do not end with `nonzeros`, are refused.
 *
 * `options` is NULL or a list "key=value,key=value":
 *
 * - storage=copy (default): the arrays are copied, from host or device memory to the memory of the executor.
 *   storage=borrow: the arrays are used where they are, in memory of the executor, and must exist as long as the matrix
 *   and what is made of it; it requires COPPICE_INT32, base=0 and order=rows. The caller may change the values, not the
 *   pattern.
 * - base=0 (default) or 1: the number of the first offset, row and column.
 * - order=rows (default), or columns: the arrays are of compressed columns, offsets[columns + 1]. */
coppice_status_t coppice_matrix_create(coppice_executor_t executor, int64_t rows, int64_t columns, int64_t nonzeros,
                                       coppice_type_t index_type, void const* offsets, void const* indices,
                                       coppice_type_t value_type, void const* values, char const* options,
                                       coppice_matrix_t* matrix);
/*! Reads a matrix from a file (Matrix Market, Harwell-Boeing, edge list, METIS and others; plain, gzip or tar), or
 * generates one: "generate:laplace2d,nx=100". `options` is NULL or a list: duplicates=sum (default), min, max, first,
 * last, count combines entries at the same position; renumber=1 numbers the vertices of an edge list by their names.
 * Returns COPPICE_STATUS_FILE_ERROR if the file cannot be read or is malformed. */
coppice_status_t coppice_matrix_read(coppice_executor_t executor, char const* path, coppice_type_t value_type,
                                     char const* options, coppice_matrix_t* matrix);
/*! New values on the same pattern, in the order of the arrays that the matrix was made of; copied from host or device
 * memory, or borrowed if the matrix borrows its arrays. `count` is the number of nonzeros. */
coppice_status_t coppice_matrix_set_values(coppice_matrix_t matrix, void const* values, int64_t count);

/*! y = the product of the matrix and x over a named semiring: y_i = sum over j of a_ij (x) x_j, e.g. "min-plus".
 * "plus-times" is the usual product, for which `alpha` and `beta` are pointers to numbers of the value type in host
 * memory: y = alpha A x + beta y. NULL means 1 and 0; for other semirings both are NULL. x has a length of `columns`, y
 * of `rows`. Complex matrices have "plus-times" only. */
coppice_status_t coppice_spmv(coppice_matrix_t matrix, char const* semiring, void const* x, int64_t x_length, void* y,
                              int64_t y_length, void const* alpha, void const* beta);

/*! Makes a preconditioner by name: "jacobi", "ilu0", "forest,rounds=7", "multilevel". The matrix must be square and may
 * be destroyed afterwards. `near_null_space` is NULL, or for "multilevel" vectors[rows * vector_count] of the value
 * type of the matrix, one after the other, in the memory of the executor, which the coarse levels represent: rigid body
 * modes of elasticity, with the option block=3 for three unknowns per point. They are copied. At most 32 vectors, of a
 * complex matrix 16. */
coppice_status_t coppice_preconditioner_create(coppice_matrix_t matrix, char const* choice, void const* near_null_space,
                                               int64_t vector_count, coppice_preconditioner_t* preconditioner);
/*! Recomputes the preconditioner for new values on the same pattern; what depends only on the pattern is kept. */
coppice_status_t coppice_preconditioner_refresh(coppice_preconditioner_t preconditioner, coppice_matrix_t matrix);
/*! z = M^-1 r, an approximation of A^-1 r. r and z have a length of `length`, the number of rows. */
coppice_status_t coppice_preconditioner_apply(coppice_preconditioner_t preconditioner, void const* r, void* z,
                                              int64_t length);

/*! Solves A X = B for `columns` right-hand sides of `length` elements, one after the other. X holds the starting
 * guesses on entry; the result is never worse than the guess. `method` is "cg", "minres", "bicgstab", "tfqmr",
 * "idrs", "gmres" or "fgmres" with the given preconditioner. If `preconditioner` is NULL, it is chosen from properties
 * of the matrix, and so is the method "auto"; the option preconditioner=NAME fixes its name. "direct" is a sparse
 * factorisation with refinement. "bicg" and "qmr", which need transposed products, take a preconditioner by name only.
 * Other options: tolerance, absolute-tolerance, max-iterations, restart, shadow-space.
 *
 * Properties of the result: numbers "converged" (1 if all columns have), "iterations" (of all columns),
 * "relative_residual" (the largest), "restarts", "setup_seconds", "solve_seconds"; texts "reason" (of the first column
 * that has not converged), "method", "preconditioner" (the last ones that were used), "fault"; arrays with an element
 * per column "iterations" (COPPICE_INT64), "relative_residual" (COPPICE_DOUBLE), "converged" (COPPICE_INT32), and for
 * one column "residual_history" (COPPICE_DOUBLE). */
coppice_status_t coppice_solve(coppice_matrix_t matrix, coppice_preconditioner_t preconditioner, char const* method,
                               void const* b, void* x, int64_t length, int64_t columns, coppice_result_t* result);

/*! Runs the graph algorithm of that name: "bfs,source=3", "pagerank,damping=0.9". An entry (i, j) of the real, square
 * matrix is the edge from i to j, its value the weight. Vertices count from 0. Algorithms for undirected graphs require
 * both directions of every edge; symmetrise=1 adds them. Parallel edges (a column twice in a row) are refused unless
 * the result does not depend on them; coppice_matrix_read combines them.
 *
 * Properties of the result, in host memory: the array "values" (COPPICE_DOUBLE) or "vertices" (COPPICE_INT64, -1: none)
 * with an element per vertex, or the edges "from", "to" (COPPICE_INT32) and "weights" (COPPICE_DOUBLE); numbers as in
 * the JSON output of the command, e.g. "reached"; the number "valid", and the text "failure" with the reason if it is
 * 0: then there are no arrays. */
coppice_status_t coppice_graph(coppice_matrix_t matrix, char const* algorithm, coppice_result_t* result);

/*! Properties by name of what a handle of any kind names; an unknown name is an error whose message lists the known
 * ones. Texts and arrays belong to the object and are valid until it is destroyed, those of a preconditioner until it
 * is refreshed.
 *
 * - executor: numbers "threads", "device"; text "name".
 * - matrix: numbers "rows", "columns", "nonzeros"; arrays "row_offsets", "column_indices" (COPPICE_INT32), "values" (of
 * its value type), in the memory of the executor, compressed by rows.
 * - preconditioner: text "name"; numbers of its report, e.g. "setup_seconds"; options as texts.
 * - result: see coppice_solve and coppice_graph. */
coppice_status_t coppice_number(void const* handle, char const* name, double* value);
coppice_status_t coppice_text(void const* handle, char const* name, char const** value);
/*! `type` is the type that the caller expects, an error if it is another one. */
coppice_status_t coppice_array(void const* handle, char const* name, coppice_type_t type, void const** data,
                               int64_t* length);

/*! Describes the methods that are chosen by name. `what` is one of "preconditioners", "complex preconditioners",
 * "methods", "semirings", "graph algorithms": a line "NAME: meaning" for each; or the name of a preconditioner, a
 * Krylov method or a graph algorithm: a line "OPTION=default: meaning" for each option. The text is valid until the
 * next call in this thread. */
coppice_status_t coppice_describe(char const* what, char const** text);

/*! Ends the use of a handle of any kind. NULL is allowed. On CUDA, queued work may still use the object. */
coppice_status_t coppice_destroy(void* handle);

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
