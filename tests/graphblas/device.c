/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations on the device and on the host: each is computed by both, the results are equal, and the library says where
   it ran.

       device           kernels run on the host, by the compiler of the system
       device cuda      on the GPU; the exit code is 77 if there is none */
#define _POSIX_C_SOURCE 200809L
#include <GraphBLAS.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "range_type.h"

static bool emulated;

enum { n = 6000, m = 9000 }; /* sizes of two blocks of a scan, and rows of all lengths */
static uint64_t state = 7;
static int below(int bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)bound);
}
static void use(int backend) { OK(GrB_set(GrB_GLOBAL, backend, COPPICE_BACKEND)); }
static bool ran_on_device(void) {
    char text[1000], name[1000];
    OK(GrB_get(GrB_GLOBAL, text, COPPICE_LAST_RUN));
    OK(GrB_get(GrB_GLOBAL, name, COPPICE_DEVICE_NAME));
    bool const device = strstr(text, name) && !strstr(text, "host, because");
    if (!device) printf("  %s\n", text);
    return device;
}

/* Operands: matrices with rows of 5000, of 100 and of few entries, and vectors that are full and that are not. */
static GrB_Matrix a, b, a_int, a_bool, pattern;
static GrB_Vector full, sparse, flags, ints;
static GrB_Matrix random_matrix(GrB_Type type) {
    GrB_Matrix made = NULL;
    GrB_Matrix_new(&made, type, n, m);
    enum { most = 5000 + 30 * 100 + 5 * n };
    GrB_Index *i = malloc(most * sizeof *i), *j = malloc(most * sizeof *j), count = 0;
    double* x = malloc(most * sizeof *x);
    for (int row = 0; row < n; ++row) {
        int const length = row == 4 ? 5000 : row % 199 == 0 && row < 30 * 199 ? 100 : below(6);
        for (int k = 0; k < length && count < most; ++k) {
            i[count] = (GrB_Index)row, j[count] = (GrB_Index)below(m);
            x[count++] = below(9) - 3;
        }
    }
    OK(GrB_Matrix_build(made, i, j, x, count, type == GrB_BOOL ? GrB_LOR : GrB_SECOND_FP64));
    free(i), free(j), free(x);
    return made;
}
static GrB_Vector random_vector(GrB_Type type, GrB_Index size, int one_in) {
    GrB_Vector made = NULL;
    GrB_Vector_new(&made, type, size);
    GrB_Index *i = malloc(size * sizeof *i), count = 0;
    double* x = malloc(size * sizeof *x);
    for (GrB_Index k = 0; k < size; ++k)
        if (below(one_in) == 0) i[count] = k, x[count++] = below(9) - 3;
    OK(GrB_Vector_build(made, i, x, count, NULL));
    free(i), free(x);
    return made;
}

/* Whether two results are equal. */
static bool same_vectors(GrB_Vector u, GrB_Vector v) {
    GrB_Index p = 0, q = 0, size = 0;
    GrB_Vector_nvals(&p, u), GrB_Vector_nvals(&q, v), GrB_Vector_size(&size, u);
    GrB_Index *i = malloc((p + 1) * sizeof *i), *j = malloc((q + 1) * sizeof *j);
    double *x = malloc((p + 1) * sizeof *x), *y = malloc((q + 1) * sizeof *y);
    OK(GrB_Vector_extractTuples(i, x, &p, u)), OK(GrB_Vector_extractTuples(j, y, &q, v));
    bool const same = p == q && memcmp(i, j, p * sizeof *i) == 0 && memcmp(x, y, p * sizeof *x) == 0;
    free(i), free(j), free(x), free(y);
    return same;
}
static bool same_matrices(GrB_Matrix c, GrB_Matrix d) {
    GrB_Index p = 0, q = 0;
    GrB_Matrix_nvals(&p, c), GrB_Matrix_nvals(&q, d);
    GrB_Index *i = malloc((p + 1) * sizeof *i), *j = malloc((q + 1) * sizeof *j);
    GrB_Index *k = malloc((p + 1) * sizeof *k), *l = malloc((q + 1) * sizeof *l);
    double *x = malloc((p + 1) * sizeof *x), *y = malloc((q + 1) * sizeof *y);
    OK(GrB_Matrix_extractTuples(i, k, x, &p, c)), OK(GrB_Matrix_extractTuples(j, l, y, &q, d));
    bool const same = p == q && memcmp(i, j, p * sizeof *i) == 0 && memcmp(k, l, p * sizeof *k) == 0 &&
                      memcmp(x, y, p * sizeof *x) == 0;
    free(i), free(j), free(k), free(l), free(x), free(y);
    return same;
}

/* The call with output `to`, computed on the device and on the host from copies of `before`. */
#define BOTH(TABLE, SAME, BEFORE, CALL)                                                                                \
    do {                                                                                                               \
        GrB_##TABLE on_device = NULL, on_host = NULL, to = NULL;                                                       \
        GrB_##TABLE##_dup(&on_device, BEFORE), GrB_##TABLE##_dup(&on_host, BEFORE);                                    \
        to = on_device;                                                                                                \
        use(COPPICE_BACKEND_CUDA);                                                                                     \
        OK(CALL);                                                                                                      \
        check(ran_on_device(), "the device", __LINE__);                                                                \
        use(COPPICE_BACKEND_HOST);                                                                                     \
        to = on_host;                                                                                                  \
        OK(CALL);                                                                                                      \
        check(SAME(on_device, on_host), "equal results", __LINE__);                                                    \
        GrB_##TABLE##_free(&on_device), GrB_##TABLE##_free(&on_host);                                                  \
    } while (0)
#define VECTORS(BEFORE, CALL) BOTH(Vector, same_vectors, BEFORE, CALL)
#define MATRICES(BEFORE, CALL) BOTH(Matrix, same_matrices, BEFORE, CALL)

static void products(void) {
    GrB_Vector rows = random_vector(GrB_FP64, n, 3), row_flags = random_vector(GrB_BOOL, n, 2);
    GrB_Vector levels = random_vector(GrB_INT32, n, 2), nothing = NULL, columns = NULL;
    GrB_Vector_new(&nothing, GrB_FP64, n), GrB_Vector_new(&columns, GrB_FP64, m);
    VECTORS(nothing, GrB_mxv(to, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, a, full, NULL));
    VECTORS(rows, GrB_mxv(to, row_flags, GrB_PLUS_FP64, GrB_PLUS_TIMES_SEMIRING_FP64, a, sparse, NULL));
    VECTORS(rows, GrB_mxv(to, row_flags, NULL, GrB_MIN_PLUS_SEMIRING_FP64, a, sparse, GrB_DESC_C));
    VECTORS(rows, GrB_mxv(to, levels, GrB_MIN_FP64, GrB_MIN_PLUS_SEMIRING_INT32, a_int, ints, GrB_DESC_RS));
    VECTORS(row_flags, GrB_mxv(to, levels, NULL, GrB_LOR_LAND_SEMIRING_BOOL, a_bool, flags, GrB_DESC_RSC));
    VECTORS(nothing, GrB_mxv(to, NULL, NULL, GxB_ANY_PAIR_FP64, a, sparse, NULL));
    VECTORS(nothing, GrB_mxv(to, NULL, NULL, GrB_MAX_FIRST_SEMIRING_FP64, a, sparse, NULL));
    VECTORS(nothing, GrB_mxv(to, NULL, NULL, GxB_PLUS_SECOND_FP64, a, sparse, NULL));
    VECTORS(columns, GrB_vxm(to, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, rows, a, NULL));
    VECTORS(columns, GrB_vxm(to, sparse, GrB_SECOND_FP64, GrB_MIN_SECOND_SEMIRING_FP64, rows, a, GrB_DESC_R));
    VECTORS(nothing, GrB_vxm(to, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, full, a, GrB_DESC_T1));
    VECTORS(rows, GrB_mxv(rows, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, a, full, NULL)); /* the same twice */
    GrB_Matrix c = NULL, d = NULL, few = NULL, seen = NULL;
    GrB_Matrix_new(&c, GrB_FP64, n, n), GrB_Matrix_new(&d, GrB_INT32, n, n);
    MATRICES(c, GrB_mxm(to, pattern, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, a, b, GrB_DESC_ST1));
    MATRICES(d, GrB_mxm(to, pattern, NULL, GxB_PLUS_PAIR_INT64, a, b, GrB_DESC_T1));
    MATRICES(c, GrB_mxm(to, pattern, NULL, GrB_MIN_PLUS_SEMIRING_FP64, a, b, GrB_DESC_RST1));
    GrB_Matrix_free(&c), GrB_Matrix_free(&d);
    GrB_Matrix_new(&few, GrB_FP64, 3, n), GrB_Matrix_new(&seen, GrB_BOOL, 3, m), GrB_Matrix_new(&c, GrB_FP64, 3, m);
    for (int k = 0; k < 2000; ++k) {
        GrB_Matrix_setElement(few, (double)(below(9) - 3), (GrB_Index)below(3), (GrB_Index)below(n));
        GrB_Matrix_setElement(seen, below(2) == 0, (GrB_Index)below(3), (GrB_Index)below(m));
    }
    MATRICES(c, GrB_mxm(to, seen, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, few, a, GrB_DESC_RC));
    GrB_Matrix_free(&few), GrB_Matrix_free(&seen), GrB_Matrix_free(&c);
    GrB_Vector_free(&rows), GrB_Vector_free(&row_flags), GrB_Vector_free(&levels);
    GrB_Vector_free(&nothing), GrB_Vector_free(&columns);
}

/* Products by the entries of a short operand (push), whose additions have any order: without a transpose on the device.
   Row 4 of the matrices has more entries than a task. */
static bool has_transpose(GrB_Matrix of) {
    char text[4000] = "";
    FILE* file = tmpfile();
    OK(GxB_Matrix_fprint(of, "of", GxB_SUMMARY, file));
    rewind(file);
    CHECK(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    char const* const forms = strstr(text, "on the device:");
    CHECK(forms);
    return forms && strstr(forms, "transpose");
}
static void pushes(void) {
    GrB_Type const types[] = {GrB_INT8, GrB_UINT16, GrB_INT32, GrB_UINT64, GrB_BOOL};
    for (int k = 0; k < 5; ++k) {
        GrB_Matrix given = random_matrix(types[k]);
        GrB_Vector few = random_vector(types[k], n, 40), wide = random_vector(types[k], m, 2), nothing = NULL,
                   none = NULL;
        OK(GrB_Vector_setElement(few, 2, 4));
        GrB_Vector_new(&nothing, types[k], m), GrB_Vector_new(&none, types[k], n);
        if (k == 0) {
            VECTORS(nothing, GrB_vxm(to, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_INT8, few, given, NULL));
            VECTORS(wide, GrB_vxm(to, flags, GrB_PLUS_INT8, GrB_MAX_PLUS_SEMIRING_INT8, few, given, NULL));
        } else if (k == 1) {
            VECTORS(nothing, GrB_vxm(to, NULL, NULL, GrB_MIN_TIMES_SEMIRING_UINT16, few, given, NULL));
            VECTORS(wide, GrB_vxm(to, ints, NULL, GrB_PLUS_MIN_SEMIRING_UINT16, few, given, GrB_DESC_RC));
        } else if (k == 2) {
            VECTORS(nothing, GrB_vxm(to, NULL, NULL, GrB_MIN_PLUS_SEMIRING_INT32, few, given, NULL));
            VECTORS(wide, GrB_vxm(to, sparse, NULL, GrB_MIN_FIRST_SEMIRING_INT32, few, given, GrB_DESC_RSC));
            VECTORS(sparse, GrB_vxm(to, sparse, GrB_TIMES_FP64, GrB_MAX_SECOND_SEMIRING_INT32, few, given, GrB_DESC_S));
            VECTORS(nothing, GrB_mxv(to, NULL, NULL, GrB_MIN_FIRST_SEMIRING_INT32, given, few, GrB_DESC_T0));
            VECTORS(nothing, GrB_vxm(to, NULL, NULL, GrB_MIN_PLUS_SEMIRING_INT32, none, given, NULL));
        } else if (k == 3) {
            VECTORS(nothing, GrB_vxm(to, NULL, NULL, GrB_MIN_PLUS_SEMIRING_UINT64, few, given, NULL));
            VECTORS(nothing, GrB_vxm(to, flags, NULL, GxB_PLUS_PAIR_UINT64, few, given, GrB_DESC_C));
        } else {
            VECTORS(nothing, GrB_vxm(to, NULL, NULL, GrB_LOR_LAND_SEMIRING_BOOL, few, given, NULL));
            VECTORS(wide, GrB_vxm(to, sparse, GrB_LOR, GxB_ANY_PAIR_BOOL, few, given, GrB_DESC_SC));
            VECTORS(nothing, GrB_vxm(to, NULL, NULL, GrB_LXNOR_LOR_SEMIRING_BOOL, few, given, NULL));
        }
        CHECK(!has_transpose(given));
        GrB_Matrix_free(&given), GrB_Vector_free(&few), GrB_Vector_free(&wide), GrB_Vector_free(&nothing);
        GrB_Vector_free(&none);
    }
    /* several rows; and a full operand, until the transpose pays */
    GrB_Matrix given = random_matrix(GrB_INT32), few = NULL, c = NULL;
    GrB_Matrix_new(&few, GrB_INT32, 3, n), GrB_Matrix_new(&c, GrB_INT32, 3, m);
    OK(GrB_assign(few, NULL, NULL, 1, GrB_ALL, 3, GrB_ALL, n, NULL));
    OK(GrB_select(few, NULL, NULL, GrB_DIAG, few, (int64_t)4, NULL));
    MATRICES(c, GrB_mxm(to, NULL, NULL, GrB_MIN_PLUS_SEMIRING_INT32, few, given, NULL));
    CHECK(!has_transpose(given));
    GrB_Vector all = random_vector(GrB_INT32, n, 1), w = NULL;
    GrB_Vector_new(&w, GrB_INT32, m);
    for (int k = 0; k < 3; ++k) VECTORS(w, GrB_vxm(to, NULL, NULL, GrB_MIN_PLUS_SEMIRING_INT32, all, given, NULL));
    CHECK(has_transpose(given));
    GrB_Matrix_free(&given), GrB_Matrix_free(&few), GrB_Matrix_free(&c), GrB_Vector_free(&all), GrB_Vector_free(&w);
}

/* Matrices of few rows, stored by position, and tables that share the pattern of another one. */
static void few_rows_and_shared_patterns(void) {
    GrB_Matrix rows = NULL, structure = NULL, c = NULL;
    GrB_Vector w = random_vector(GrB_FP64, m, 2);
    GrB_Matrix_new(&rows, GrB_FP64, 4, m);
    MATRICES(rows, GrB_assign(to, NULL, NULL, 1.5, GrB_ALL, 4, GrB_ALL, m, NULL));
    use(COPPICE_BACKEND_CUDA);
    OK(GrB_assign(rows, NULL, NULL, 2.0, GrB_ALL, 4, GrB_ALL, m, NULL));
    VECTORS(w, GrB_reduce(to, NULL, GrB_PLUS_FP64, GrB_PLUS_MONOID_FP64, rows, GrB_DESC_T0));
    OK(GrB_eWiseMult(rows, NULL, NULL, GrB_GT_FP64, rows, rows, NULL));
    VECTORS(w, GrB_reduce(to, flags, NULL, GrB_MAX_MONOID_INT32, rows, GrB_DESC_T0));
    use(COPPICE_BACKEND_HOST);
    GrB_Matrix_new(&structure, GrB_BOOL, n, m), GrB_Matrix_new(&c, GrB_BOOL, n, m);
    OK(GrB_assign(structure, a, NULL, true, GrB_ALL, n, GrB_ALL, m, GrB_DESC_S));
    GrB_Vector nothing = NULL;
    GrB_Vector_new(&nothing, GrB_FP64, n);
    VECTORS(nothing, GrB_mxv(to, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, a, full, NULL));
    VECTORS(nothing, GrB_mxv(to, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, structure, full, NULL));
    MATRICES(c, GrB_select(to, NULL, NULL, GrB_TRIL, structure, (int64_t)0, NULL));
    OK(GrB_Matrix_setElement(structure, true, 7, 8)); /* which makes a separate pattern */
    VECTORS(nothing, GrB_mxv(to, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, structure, full, NULL));
    VECTORS(nothing, GrB_mxv(to, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, a, full, NULL));
    GrB_Matrix_free(&rows), GrB_Matrix_free(&structure), GrB_Matrix_free(&c), GrB_Vector_free(&w);
    GrB_Vector_free(&nothing);
}

static void elementwise(void) {
    VECTORS(ints, GrB_eWiseAdd(to, NULL, NULL, GrB_PLUS_FP64, full, sparse, NULL));
    VECTORS(ints, GrB_eWiseAdd(to, flags, GrB_MAX_INT32, GrB_MINUS_FP64, sparse, ints, NULL));
    VECTORS(sparse, GrB_eWiseAdd(to, flags, NULL, GrB_FIRST_INT32, sparse, ints, GrB_DESC_RSC));
    VECTORS(sparse, GrB_eWiseMult(to, NULL, NULL, GrB_TIMES_FP64, ints, sparse, NULL));
    VECTORS(flags, GrB_eWiseMult(to, NULL, NULL, GrB_NE_FP64, full, sparse, NULL));
    VECTORS(full, GrB_eWiseMult(to, ints, GrB_SECOND_FP64, GrB_DIV_INT32, full, ints, GrB_DESC_R));
    GrB_Matrix c = NULL;
    GrB_Matrix_new(&c, GrB_FP64, n, m);
    MATRICES(c, GrB_eWiseAdd(to, NULL, NULL, GrB_MINUS_FP64, a, b, NULL));
    MATRICES(c, GrB_eWiseAdd(to, NULL, NULL, GrB_TIMES_INT32, a_int, b, NULL));
    MATRICES(a, GrB_eWiseMult(to, NULL, NULL, GrB_PLUS_FP64, a, b, NULL));
    MATRICES(c, GrB_eWiseMult(to, NULL, NULL, GrB_GT_FP64, a, a_int, NULL));
    GrB_Matrix_free(&c);
}

static void maps(void) {
    VECTORS(full, GrB_apply(to, NULL, NULL, GrB_ABS_FP64, sparse, NULL));
    VECTORS(ints, GrB_apply(to, flags, GrB_PLUS_INT32, GrB_AINV_FP64, sparse, GrB_DESC_C));
    VECTORS(ints, GrB_apply(to, NULL, NULL, GrB_MINUS_FP64, 5.5, sparse, NULL));
    VECTORS(sparse, GrB_apply(to, NULL, NULL, GrB_DIV_FP64, full, 4.0, NULL));
    VECTORS(ints, GrB_apply(to, NULL, NULL, GrB_ROWINDEX_INT64, sparse, (int64_t)3, NULL));
    VECTORS(full, GrB_select(to, NULL, NULL, GrB_VALUELT_FP64, sparse, 1.0, NULL));
    VECTORS(full, GrB_select(to, flags, GrB_PLUS_FP64, GrB_ROWLE, sparse, (int64_t)4000, GrB_DESC_S));
    MATRICES(a, GrB_apply(to, NULL, NULL, GrB_AINV_FP64, b, NULL));
    MATRICES(a, GrB_apply(to, NULL, NULL, GrB_DIAGINDEX_INT64, b, (int64_t)2, NULL));
    MATRICES(a, GrB_apply(to, NULL, NULL, GrB_TIMES_FP64, 3.0, b, NULL));
    MATRICES(a_int, GrB_select(to, NULL, NULL, GrB_TRIL, b, (int64_t)0, NULL));
    MATRICES(a, GrB_select(to, NULL, NULL, GrB_VALUEGT_FP64, b, 2.0, NULL));
    MATRICES(pattern, GrB_select(to, NULL, NULL, GrB_TRIU, pattern, (int64_t)1, GrB_DESC_T0));
}

static void assignments(void) {
    VECTORS(ints, GrB_assign(to, NULL, NULL, sparse, GrB_ALL, m, NULL));
    VECTORS(full, GrB_assign(to, flags, GrB_PLUS_FP64, sparse, GrB_ALL, m, GrB_DESC_R));
    VECTORS(sparse, GrB_assign(to, flags, NULL, 7.5, GrB_ALL, m, GrB_DESC_S));
    VECTORS(sparse, GrB_assign(to, flags, GrB_TIMES_FP64, 2.0, GrB_ALL, m, GrB_DESC_C));
    VECTORS(sparse, GrB_assign(to, NULL, NULL, 1.0, GrB_ALL, m, NULL));
    VECTORS(ints, GrB_extract(to, NULL, NULL, sparse, GrB_ALL, m, NULL));
    GrB_Index* positions = malloc(m * sizeof *positions);
    for (int k = 0; k < m; ++k) positions[k] = (GrB_Index)below(m);
    VECTORS(full, GrB_extract(to, flags, NULL, sparse, positions, m, NULL));
    positions[17] = m;
    use(COPPICE_BACKEND_CUDA);
    CHECK(GrB_extract(sparse, NULL, NULL, full, positions, m, NULL) == GrB_INDEX_OUT_OF_BOUNDS);
    free(positions);
}

static void reductions(void) {
    for (int backend = COPPICE_BACKEND_CUDA, k = 0; k < 2; backend = COPPICE_BACKEND_HOST, ++k) {
        static double sums[2][5];
        use(backend);
        double* s = sums[k];
        bool any = false;
        OK(GrB_reduce(&s[0], NULL, GrB_PLUS_MONOID_FP64, full, NULL));
        CHECK(k == 1 || ran_on_device());
        OK(GrB_reduce(&s[1], NULL, GrB_MAX_MONOID_FP64, sparse, NULL));
        OK(GrB_reduce(&s[2], GrB_PLUS_FP64, GrB_PLUS_MONOID_FP64, a, NULL));
        OK(GrB_reduce(&any, NULL, GrB_LOR_MONOID_BOOL, flags, NULL));
        s[3] = any;
        GrB_Vector empty = NULL;
        GrB_Vector_new(&empty, GrB_FP64, m);
        OK(GrB_reduce(&s[4], NULL, GrB_MIN_MONOID_FP64, empty, NULL));
        GrB_Vector_free(&empty);
        CHECK(k == 0 || memcmp(sums[0], sums[1], sizeof sums[0]) == 0);
    }
    GrB_Vector w = random_vector(GrB_FP64, n, 2);
    VECTORS(w, GrB_reduce(to, NULL, NULL, GrB_PLUS_MONOID_FP64, a, NULL));
    VECTORS(w, GrB_reduce(to, w, GrB_PLUS_FP64, GrB_MAX_MONOID_INT32, a, NULL));
    VECTORS(full, GrB_reduce(to, NULL, NULL, GrB_PLUS_MONOID_FP64, a, GrB_DESC_T0));
    GrB_Vector_free(&w);
}

/* Operators and types of the program. */
static void plus_one(void* z, void const* x) { *(double*)z = *(double const*)x + 1; }
static void user_operators(void) {
    GrB_BinaryOp add = NULL, multiply = NULL;
    GrB_Monoid monoid = NULL;
    GrB_Semiring semiring = NULL;
    GrB_UnaryOp unary = NULL, pointer = NULL;
    GrB_IndexUnaryOp third = NULL;
    GrB_Vector w = NULL;
    GrB_Vector_new(&w, GrB_FP64, n);
    OK(GxB_BinaryOp_new(&add, NULL, GrB_FP64, GrB_FP64, GrB_FP64, "larger",
                        "#include <math.h>\n"
                        "static double helper(double x, double y) { return x > y ? x : y; }\n"
                        "void larger(double *z, const double *x, const double *y) { *z = helper(*x, *y); }"));
    OK(GxB_BinaryOp_new(&multiply, NULL, GrB_FP64, GrB_FP64, GrB_FP64, "difference",
                        "void difference(double *z, const double *x, const double *y) { *z = *x - 2 * *y; }"));
    OK(GrB_Monoid_new(&monoid, add, -1e300));
    OK(GrB_Semiring_new(&semiring, monoid, multiply));
    VECTORS(w, GrB_mxv(to, NULL, NULL, semiring, a, sparse, NULL));
    OK(GxB_UnaryOp_new(&unary, NULL, GrB_FP64, GrB_FP64, "cube",
                       "void cube(double *z, const double *x) { *z = *x * *x * *x; }"));
    VECTORS(ints, GrB_apply(to, NULL, NULL, unary, sparse, NULL));
    OK(GxB_IndexUnaryOp_new(&third, NULL, GrB_BOOL, GrB_FP64, GrB_INT64, "third",
                            "void third(bool *z, const double *x, GrB_Index i, GrB_Index j, const int64_t *y)"
                            "{ *z = (i + j) % 3 == (GrB_Index)*y; }"));
    VECTORS(full, GrB_select(to, NULL, NULL, third, sparse, (int64_t)1, NULL));
    MATRICES(a, GrB_select(to, NULL, NULL, third, a, (int64_t)1, NULL));

    use(COPPICE_BACKEND_CUDA);
    char text[1000];
    OK(GrB_UnaryOp_new(&pointer, plus_one, GrB_FP64, GrB_FP64));
    OK(GrB_apply(ints, NULL, NULL, pointer, ints, NULL));
    OK(GrB_get(GrB_GLOBAL, text, COPPICE_LAST_RUN));
    CHECK(strstr(text, "GrB_apply: host, because operator") && strstr(text, "no definition in C"));
    GrB_UnaryOp_free(&unary), GrB_UnaryOp_free(&pointer), GrB_IndexUnaryOp_free(&third), GrB_Semiring_free(&semiring);
    GrB_Monoid_free(&monoid), GrB_BinaryOp_free(&add), GrB_BinaryOp_free(&multiply), GrB_Vector_free(&w);
}
static void user_types(void) {
    GrB_Type type = NULL;
    GrB_BinaryOp op = NULL;
    GrB_Monoid monoid = NULL;
    GrB_Vector v = NULL;
    use(COPPICE_BACKEND_CUDA);
    make_range_type(&type, &op);
    range const nothing = {1e300, -1e300};
    range all = nothing;
    OK(GrB_Monoid_new_UDT(&monoid, op, (void*)&nothing));
    GrB_Vector_new(&v, type, 5000);
    for (int k = 0; k < 5000; ++k) {
        range const x = {(k * 7) % 1000 - 500, (k * 7) % 1000 - 500 + k % 13};
        GrB_Vector_setElement_UDT(v, (void*)&x, (GrB_Index)k);
    }
    OK(GrB_Vector_eWiseAdd_BinaryOp(v, NULL, NULL, op, v, v, NULL));
    CHECK(ran_on_device());
    OK(GrB_Vector_reduce_UDT(&all, NULL, monoid, v, NULL));
    CHECK(ran_on_device());
    CHECK(all.low == -500 && all.high >= 499 && all.high <= 511);
    OK(GrB_Vector_extractElement_UDT(&all, v, 3));
    CHECK(all.low == -479 && all.high == -476);
    GrB_Vector_free(&v), GrB_Monoid_free(&monoid), GrB_BinaryOp_free(&op), GrB_Type_free(&type);
}

/* Entries that only the device has, and changes on the host. */
static void entries_on_device(void) {
    GrB_Vector u = NULL, v = NULL;
    GrB_Vector_new(&u, GrB_FP64, m);
    use(COPPICE_BACKEND_CUDA);
    OK(GrB_apply(u, NULL, NULL, GrB_AINV_FP64, full, NULL));
    char text[2000] = "";
    FILE* file = tmpfile();
    OK(GxB_Vector_fprint(u, "u", GxB_SUMMARY, file));
    rewind(file);
    CHECK(fread(text, 1, sizeof text - 1, file) > 0 && strstr(text, "in device memory"));
    fclose(file);
    GrB_Index count = 0;
    OK(GrB_Vector_nvals(&count, u));
    CHECK(count == m);
    OK(GrB_Vector_dup(&v, u)); /* both have the arrays of the device */
    OK(GrB_Vector_setElement(u, 1234.0, 5));
    OK(GrB_Vector_removeElement(u, 6));
    double x = 0, y = 0;
    OK(GrB_Vector_extractElement(&x, u, 5));
    CHECK(x == 1234 && GrB_Vector_extractElement(&x, u, 6) == GrB_NO_VALUE);
    OK(GrB_Vector_extractElement(&x, v, 5)), OK(GrB_Vector_extractElement(&y, full, 5));
    CHECK(x == -y);
    OK(GrB_apply(v, NULL, NULL, GrB_AINV_FP64, u, NULL)); /* the device sees the changes */
    OK(GrB_Vector_nvals(&count, v));
    OK(GrB_Vector_extractElement(&x, v, 5));
    CHECK(count == m - 1 && x == -1234);
    OK(GrB_Vector_resize(v, 5));
    OK(GrB_Vector_nvals(&count, v));
    CHECK(count == 5);
    OK(GrB_Vector_clear(v));
    OK(GrB_Vector_nvals(&count, v));
    CHECK(count == 0);
    GrB_Vector_free(&u), GrB_Vector_free(&v);

    GrB_Matrix c = NULL, d = NULL;
    GrB_Matrix_new(&c, GrB_FP64, n, m), GrB_Matrix_new(&d, GrB_FP64, n, m);
    OK(GrB_eWiseAdd(c, NULL, NULL, GrB_PLUS_FP64, a, b, NULL));
    OK(GrB_Matrix_setElement(c, 5.0, 3, 3));
    OK(GrB_Matrix_extractElement(&x, c, 3, 3));
    CHECK(x == 5);
    OK(GrB_transpose(d, NULL, NULL, c, GrB_DESC_T0));
    OK(GrB_get(GrB_GLOBAL, text, COPPICE_LAST_RUN));
    CHECK(strcmp(text, "GrB_transpose: host, because it has no kernels") == 0);
    CHECK(same_matrices(c, d));
    GrB_Matrix_free(&c), GrB_Matrix_free(&d);
}

static void settings(void) {
    int32_t value = -1, before = 0, after = 0;
    OK(GrB_set(GrB_GLOBAL, COPPICE_BACKEND_AUTO, COPPICE_BACKEND));
    OK(GrB_get(GrB_GLOBAL, &value, COPPICE_BACKEND));
    CHECK(value == COPPICE_BACKEND_AUTO);
    CHECK(GrB_set(GrB_GLOBAL, 3, COPPICE_BACKEND) == GrB_INVALID_VALUE);
    CHECK(GrB_set(GrB_GLOBAL, 1, COPPICE_DEVICE_RUNS) == GrB_INVALID_VALUE);
    CHECK(GrB_set(full, 1, COPPICE_BACKEND) == GrB_INVALID_VALUE);
    char text[1000];
    GrB_Vector small = NULL;
    GrB_Vector_new(&small, GrB_FP64, 10);
    OK(GrB_assign(small, NULL, NULL, 1.0, GrB_ALL, 10, NULL));
    OK(GrB_get(GrB_GLOBAL, text, COPPICE_LAST_RUN));
    CHECK(strcmp(text, "GrB_assign: host, because it is small") == 0);
    OK(GrB_get(GrB_GLOBAL, &before, COPPICE_HOST_RUNS));
    OK(GrB_apply(small, NULL, NULL, GrB_AINV_FP64, small, NULL));
    OK(GrB_get(GrB_GLOBAL, &after, COPPICE_HOST_RUNS));
    CHECK(after == before + 1);
    GrB_Vector_free(&small);

    GrB_Vector huge = NULL; /* too many positions for the device */
    double x = 0;
    use(COPPICE_BACKEND_CUDA);
    GrB_Vector_new(&huge, GrB_FP64, (GrB_Index)1 << 50);
    OK(GrB_Vector_setElement(huge, 3.0, (GrB_Index)1 << 49));
    OK(GrB_apply(huge, NULL, NULL, GrB_AINV_FP64, huge, NULL));
    OK(GrB_get(GrB_GLOBAL, text, COPPICE_LAST_RUN));
    CHECK(strstr(text, "GrB_apply: host, because"));
    OK(GrB_Vector_extractElement(&x, huge, (GrB_Index)1 << 49));
    CHECK(x == -3);
    GrB_Vector_free(&huge);
}

/* Each call of the device fails once: the host computes the operation, or the device does. */
static void failing_device(void) {
    GrB_Vector w = NULL, expected = NULL;
    GrB_Vector_new(&expected, GrB_FP64, n);
    use(COPPICE_BACKEND_HOST);
    OK(GrB_mxv(expected, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, a, sparse, NULL));
    int on_host = 0;
    for (int k = 1; k < 200; ++k) {
        GrB_Matrix copy = NULL; /* without arrays on the device */
        char number[20], text[1000];
        use(COPPICE_BACKEND_HOST);
        GrB_Matrix_dup(&copy, a), OK(GrB_Matrix_setElement(copy, 0.0, 0, 0)), GrB_Matrix_free(&copy);
        GrB_Matrix_new(&copy, GrB_FP64, n, m);
        OK(GrB_eWiseAdd(copy, NULL, NULL, GrB_SECOND_FP64, a, a, NULL));
        OK(GrB_Vector_new(&w, GrB_FP64, n));
        use(COPPICE_BACKEND_CUDA);
        snprintf(number, sizeof number, "%d", k);
        setenv("COPPICE_GRAPHBLAS_DEVICE_FAILS", number, 1);
        OK(GrB_mxv(w, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, copy, sparse, NULL));
        unsetenv("COPPICE_GRAPHBLAS_DEVICE_FAILS");
        OK(GrB_get(GrB_GLOBAL, text, COPPICE_LAST_RUN));
        bool const failed = strstr(text, "device memory is exhausted");
        CHECK(same_vectors(w, expected));
        GrB_Vector_free(&w), GrB_Matrix_free(&copy);
        on_host += failed;
        if (!failed) break;
    }
    if (on_host < 10) printf("  %d calls failed\n", on_host);
    CHECK(on_host >= 10 && on_host < 100);
    GrB_Vector_free(&expected);
}

static void* compute(void* to) {
    GrB_Vector w = *(GrB_Vector*)to;
    for (int k = 0; k < 5; ++k)
        if (GrB_mxv(w, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, a, full, NULL) != GrB_SUCCESS) return to;
    return NULL;
}
static void several_threads(void) {
    enum { count = 4 };
    pthread_t threads[count];
    GrB_Vector w[count];
    use(COPPICE_BACKEND_CUDA);
    for (int k = 0; k < count; ++k) {
        GrB_Vector_new(&w[k], GrB_FP64, n);
        pthread_create(&threads[k], NULL, compute, &w[k]);
    }
    for (int k = 0; k < count; ++k) {
        void* failed = NULL;
        pthread_join(threads[k], &failed);
        CHECK(!failed && same_vectors(w[k], w[0]));
    }
    for (int k = 0; k < count; ++k) GrB_Vector_free(&w[k]);
}

int main(int argc, char** argv) {
    emulated = argc < 2 || strcmp(argv[1], "cuda") != 0;
    if (emulated) setenv("COPPICE_GRAPHBLAS_DEVICE", "emulated", 1);
    setenv("COPPICE_GRAPHBLAS_BACKEND", "gpu", 1);
    CHECK(GrB_init(GrB_NONBLOCKING) == GrB_INVALID_VALUE);
    unsetenv("COPPICE_GRAPHBLAS_BACKEND");
    OK(GrB_init(GrB_NONBLOCKING));
    if (GrB_set(GrB_GLOBAL, COPPICE_BACKEND_CUDA, COPPICE_BACKEND) != GrB_SUCCESS) {
        char text[1000];
        OK(GrB_get(GrB_GLOBAL, text, COPPICE_DEVICE_NAME));
        printf("skipped: %s\n", text);
        return 77;
    }
    use(COPPICE_BACKEND_HOST);
    a = random_matrix(GrB_FP64), b = random_matrix(GrB_FP64), a_int = random_matrix(GrB_INT32);
    a_bool = random_matrix(GrB_BOOL);
    GrB_Matrix_new(&pattern, GrB_INT32, n, n);
    for (int k = 0; k < 20000; ++k)
        GrB_Matrix_setElement(pattern, below(3), (GrB_Index)(k < 5000 ? 4 : below(n)), (GrB_Index)below(n));
    full = random_vector(GrB_FP64, m, 1), sparse = random_vector(GrB_FP64, m, 3);
    flags = random_vector(GrB_BOOL, m, 2), ints = random_vector(GrB_INT32, m, 2);
    products(), pushes(), few_rows_and_shared_patterns(), elementwise(), maps(), assignments(), reductions(),
        user_operators(), user_types();
    entries_on_device(), settings(), several_threads();
    if (emulated) failing_device();
    GrB_finalize();
    printf("%d failures\n", failures);
    return failures != 0;
}
