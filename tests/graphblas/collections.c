/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements, tuples, import, export, reductions and moved arrays: results, and the codes of wrong arguments. After an
   error the object is what it was. */
#include <GraphBLAS.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "example_matrix.h"

#define WRONG(CALL) CODE(GrB_INVALID_VALUE, CALL)
#define MISMATCH(CALL) CODE(GrB_DOMAIN_MISMATCH, CALL)
#define IS_NULL(CALL) CODE(GrB_NULL_POINTER, CALL)

static GrB_Index const rows[4] = {0, 0, 2, 2}; /* of the entries of the example */
static bool is_example(GrB_Matrix a) {
    return entries(a) == 4 && element(a, 0, 1) == 1 && element(a, 0, 2) == 2 && element(a, 2, 0) == 3 &&
           element(a, 2, 2) == 4;
}
static GrB_Matrix example(void) {
    GrB_Matrix a = NULL;
    OK(GrB_Matrix_new(&a, GrB_FP64, 3, 3));
    OK(GrB_Matrix_build(a, rows, columns, numbers, 4, (GrB_BinaryOp)NULL));
    return a;
}
/* A type of 24 bytes. */
typedef struct {
    double x[3];
} point;
static point const points[4] = {{{1, 2, 3}}, {{4, 5, 6}}, {{7, 8, 9}}, {{10, 11, 12}}};
static GrB_Type point_type;

static void single_elements(void) {
    GrB_Matrix a = example();
    GrB_Vector v = NULL;
    GrB_Scalar s = NULL, p = NULL;
    GrB_Index n = 9;
    double x = 77;
    point y;
    OK(GrB_Vector_new(&v, point_type, 4));
    OK(GrB_Scalar_new(&s, GrB_INT32));
    OK(GrB_Scalar_new(&p, point_type));
    /* a value of a user-defined type has the type of the vector */
    OK(GrB_Vector_setElement_UDT(v, (void*)&points[2], 1));
    OK(GrB_Vector_extractElement_UDT(&y, v, 1));
    CHECK(y.x[2] == 9);
    MISMATCH(GrB_Vector_extractElement_FP64(&x, v, 1));
    MISMATCH(GrB_Vector_setElement_FP64(v, 1, 1));
    MISMATCH(GrB_Matrix_extractElement_UDT(&y, a, 0, 1));
    MISMATCH(GrB_Matrix_setElement_UDT(a, (void*)&points[2], 0, 1));
    MISMATCH(GrB_Vector_extractElement_Scalar(s, v, 1));
    OK(GrB_Vector_extractElement_Scalar(p, v, 1));
    OK(GrB_Scalar_extractElement_UDT(&y, p));
    CHECK(y.x[0] == 7);
    MISMATCH(GrB_Scalar_extractElement_FP64(&x, p));
    MISMATCH(GrB_Scalar_setElement_FP64(p, 1));
    IS_NULL(GrB_Matrix_extractElement_FP64(NULL, a, 0, 1));
    IS_NULL(GrB_Matrix_extractElement_Scalar(NULL, a, 0, 1));
    IS_NULL(GrB_Vector_setElement_Scalar(v, NULL, 0));
    IS_NULL(GrB_Scalar_extractElement_FP64(NULL, s));
    CHECK(x == 77);
    /* an element that does not exist: an empty scalar, GrB_NO_VALUE for others */
    OK(GrB_Scalar_setElement(s, 5));
    OK(GrB_Matrix_extractElement(s, a, 1, 1));
    OK(GrB_Scalar_nvals(&n, s));
    CHECK(n == 0 && GrB_Matrix_extractElement(&x, a, 1, 1) == GrB_NO_VALUE);
    OK(GrB_Matrix_extractElement(s, a, 2, 2));
    int32_t number = 0;
    OK(GrB_Scalar_extractElement(&number, s));
    CHECK(number == 4);
    CODE(GrB_INVALID_INDEX, GrB_Matrix_extractElement(&x, a, 3, 0));
    CODE(GrB_INVALID_INDEX, GrB_Matrix_removeElement(a, 3, 0));
    CODE(GrB_INVALID_INDEX, GrB_Vector_removeElement(v, 4));
    /* an empty scalar removes an element */
    OK(GrB_Scalar_clear(s));
    OK(GrB_Matrix_setElement(a, s, 2, 2));
    OK(GrB_Matrix_setElement(a, s, 1, 1));
    CHECK(entries(a) == 3 && element(a, 2, 2) == -1);
    GrB_Matrix_free(&a), GrB_Vector_free(&v), GrB_Scalar_free(&s), GrB_Scalar_free(&p);
}

/* build and extractTuples */
static void tuples(void) {
    GrB_Matrix a = NULL;
    GrB_Vector v = NULL;
    GrB_Scalar s = NULL, p = NULL;
    GrB_Index i[9], j[9], n = 9;
    double x[9];
    point y[4];
    OK(GrB_Matrix_new(&a, GrB_FP64, 3, 3));
    OK(GrB_Vector_new(&v, point_type, 4));
    OK(GrB_Scalar_new(&s, GrB_INT32));
    OK(GrB_Scalar_new(&p, point_type));
    CODE(GrB_EMPTY_OBJECT, GxB_Matrix_build_Scalar(a, rows, columns, s, 4));
    CODE(GrB_EMPTY_OBJECT, GxB_Vector_build_Scalar(v, columns, s, 2));
    OK(GrB_Scalar_setElement(s, 7));
    MISMATCH(GxB_Vector_build_Scalar(v, columns, s, 2));
    IS_NULL(GxB_Matrix_build_Scalar(a, NULL, columns, s, 4));
    IS_NULL(GxB_Matrix_build_Scalar(a, rows, NULL, s, 4));
    IS_NULL(GxB_Matrix_build_Scalar(a, rows, columns, NULL, 4));
    IS_NULL(GrB_Matrix_build(a, rows, columns, (double*)NULL, 4, GrB_PLUS_FP64));
    IS_NULL(GrB_Matrix_build(a, NULL, columns, numbers, 4, GrB_PLUS_FP64));
    WRONG(GrB_Matrix_build(a, rows, columns, numbers, GrB_INDEX_MAX + 1, GrB_PLUS_FP64));
    MISMATCH(GrB_Matrix_build(a, rows, columns, numbers, 4, GrB_LT_FP64));
    MISMATCH(GrB_Matrix_build(a, rows, columns, numbers, 4, GxB_FIRSTI_INT64));
    MISMATCH(GrB_Matrix_build_UDT(a, rows, columns, points, 4, NULL));
    MISMATCH(GrB_Vector_build_FP64(v, columns, numbers, 2, NULL));
    CHECK(entries(a) == 0);
    /* one value at all positions, also at one that is given twice */
    GrB_Index const twice_i[5] = {2, 0, 2, 1, 2}, twice_j[5] = {2, 1, 2, 0, 0};
    OK(GxB_Matrix_build_Scalar(a, twice_i, twice_j, s, 5));
    CHECK(entries(a) == 4 && element(a, 2, 2) == 7 && element(a, 0, 1) == 7 && element(a, 1, 0) == 7);
    CODE(GrB_OUTPUT_NOT_EMPTY, GxB_Matrix_build_Scalar(a, rows, columns, s, 4));
    /* an operator of another type: values are converted to it and then to that of the matrix */
    double const fractions[5] = {1.75, 2.75, 3.75, 4.75, 5.75};
    OK(GrB_Matrix_clear(a));
    OK(GrB_Matrix_build(a, twice_i, twice_j, fractions, 5, GrB_PLUS_INT32));
    CHECK(element(a, 2, 2) == 4 && element(a, 0, 1) == 2 && element(a, 2, 0) == 5);
    OK(GrB_Matrix_clear(a));
    OK(GrB_Matrix_build(a, twice_i, twice_j, fractions, 5, GrB_FIRST_FP64));
    CHECK(element(a, 2, 2) == 1.75);

    OK(GrB_Matrix_extractTuples(i, j, x, &n, a));
    CHECK(n == 4 && i[0] == 0 && j[0] == 1 && x[0] == 2.75 && i[3] == 2 && j[3] == 2 && x[3] == 1.75);
    n = 3;
    CODE(GrB_INSUFFICIENT_SPACE, GrB_Matrix_extractTuples(i, j, x, &n, a));
    CODE(GrB_INSUFFICIENT_SPACE, GrB_Matrix_extractTuples(NULL, j, (double*)NULL, &n, a));
    CHECK(n == 3);
    OK(GrB_Matrix_extractTuples(NULL, NULL, (double*)NULL, &n, a)); /* the number alone */
    CHECK(n == 4);
    memset(j, 0, sizeof j);
    OK(GrB_Matrix_extractTuples(NULL, j, (double*)NULL, &n, a));
    CHECK(j[0] == 1 && j[1] == 0 && j[2] == 0 && j[3] == 2);
    IS_NULL(GrB_Matrix_extractTuples(i, j, x, NULL, a));
    MISMATCH(GrB_Matrix_extractTuples_UDT(i, j, y, &n, a));
    /* a full matrix, and values of another type */
    OK(GrB_assign(a, NULL, NULL, 2.5, GrB_ALL, 3, GrB_ALL, 3, NULL));
    int32_t integers[9];
    n = 9;
    OK(GrB_Matrix_extractTuples(i, NULL, integers, &n, a));
    CHECK(n == 9 && i[4] == 1 && i[8] == 2 && integers[8] == 2);
    OK(GrB_Matrix_extractTuples(NULL, j, (double*)NULL, &n, a));
    CHECK(j[0] == 0 && j[5] == 2 && j[7] == 1);

    OK(GrB_Vector_build_UDT(v, columns, points, 2, NULL));
    n = 4;
    OK(GrB_Vector_extractTuples_UDT(i, y, &n, v));
    CHECK(n == 2 && i[1] == 2 && y[1].x[0] == 4);
    MISMATCH(GrB_Vector_extractTuples_FP64(i, x, &n, v));
    OK(GrB_Vector_clear(v));
    OK(GrB_Scalar_setElement_UDT(p, (void*)&points[3]));
    OK(GxB_Vector_build_Scalar(v, columns, p, 3));
    n = 4;
    OK(GrB_Vector_extractTuples_UDT(i, y, &n, v));
    CHECK(n == 3 && y[0].x[2] == 12 && y[2].x[2] == 12);
    GrB_Matrix_free(&a), GrB_Vector_free(&v), GrB_Scalar_free(&s), GrB_Scalar_free(&p);
}

/* import, export and their sizes in all formats */
static void formats(void) {
    GrB_Matrix a = example(), b = NULL;
    GrB_Index p[9], i[9], np, ni, nx;
    double x[9];
    int format = -1;
    GrB_Index const column_offsets[4] = {0, 1, 2, 4}, column_rows[4] = {2, 0, 0, 2};
    double const by_column[4] = {3, 1, 2, 4};
    GrB_Index const* const first[3] = {offsets, column_offsets, rows};
    GrB_Index const* const second[3] = {columns, column_rows, columns};
    double const* const values[3] = {numbers, by_column, numbers};
    for (int f = GrB_CSR_FORMAT; f <= GrB_COO_FORMAT; ++f) {
        GrB_Index const length = 4; /* of the first array: 3 + 1, or one for each entry */
        OK(GrB_Matrix_exportSize(&np, &ni, &nx, f, a));
        CHECK(np == length && ni == 4 && nx == 4);
        np = ni = nx = 9;
        OK(GrB_Matrix_export(p, i, x, &np, &ni, &nx, f, a));
        CHECK(np == length && ni == 4 && nx == 4);
        CHECK(memcmp(p, first[f], 4 * sizeof *p) == 0 && memcmp(i, second[f], 4 * sizeof *i) == 0);
        CHECK(memcmp(x, values[f], 4 * sizeof *x) == 0);
        OK(GrB_Matrix_import(&b, GrB_FP64, 3, 3, p, i, x, np, ni, nx, f));
        CHECK(is_example(b));
        GrB_Matrix_free(&b);
        GrB_Index small[3][3] = {{3, 4, 4}, {4, 3, 4}, {4, 4, 3}};
        for (int k = 0; k < 3; ++k) {
            CODE(GrB_INSUFFICIENT_SPACE, GrB_Matrix_export(p, i, x, &small[k][0], &small[k][1], &small[k][2], f, a));
            WRONG(GrB_Matrix_import(&b, GrB_FP64, 3, 3, first[f], second[f], x, 4, 4, 3, f));
            CHECK(!b);
        }
    }
    OK(GrB_Matrix_exportHint(&format, a));
    CHECK(format == GrB_CSR_FORMAT);
    IS_NULL(GrB_Matrix_exportHint(NULL, a));
    WRONG(GrB_Matrix_exportSize(&np, &ni, &nx, 3, a));
    IS_NULL(GrB_Matrix_exportSize(NULL, &ni, &nx, 0, a));
    IS_NULL(GrB_Matrix_export(p, i, (double*)NULL, &np, &ni, &nx, 0, a));
    float floats[9];
    np = ni = nx = 9;
    MISMATCH(GrB_Matrix_export(p, i, floats, &np, &ni, &nx, GrB_CSR_FORMAT, a)); /* values are not converted */
    MISMATCH(GrB_Matrix_import(&b, GrB_FP32, 3, 3, offsets, columns, numbers, 4, 4, 4, GrB_CSR_FORMAT));
    WRONG(GrB_Matrix_import(&b, GrB_FP64, 3, 3, offsets, columns, numbers, 4, 4, 4, 17));
    WRONG(GrB_Matrix_import(&b, GrB_FP64, 3, 3, offsets, columns, numbers, 3, 4, 4, GrB_CSR_FORMAT));
    IS_NULL(GrB_Matrix_import(NULL, GrB_FP64, 3, 3, offsets, columns, numbers, 4, 4, 4, GrB_CSR_FORMAT));
    IS_NULL(GrB_Matrix_import(&b, GrB_FP64, 3, 3, offsets, NULL, numbers, 4, 4, 4, GrB_CSR_FORMAT));
    GrB_Index const wrong_offsets[3][4] = {{1, 2, 2, 4}, {0, 3, 2, 4}, {0, 2, 2, 5}}, outside[4] = {1, 2, 0, 3};
    for (int k = 0; k < 3; ++k)
        WRONG(GrB_Matrix_import(&b, GrB_FP64, 3, 3, wrong_offsets[k], columns, numbers, 4, 4, 4, GrB_CSR_FORMAT));
    CODE(GrB_INDEX_OUT_OF_BOUNDS, GrB_Matrix_import(&b, GrB_FP64, 3, 3, offsets, outside, numbers, 4, 4, 4, 0));
    CHECK(!b);
    /* no entries */
    GrB_Index const none[4] = {0, 0, 0, 0};
    OK(GrB_Matrix_import(&b, GrB_FP64, 3, 3, none, columns, numbers, 4, 0, 0, GrB_CSR_FORMAT));
    CHECK(b && entries(b) == 0);
    GrB_Matrix_free(&a), GrB_Matrix_free(&b);
}

/* Serialised forms of types, and of a hypersparse matrix. */
static void serialised(void) {
    GrB_Matrix a = NULL, b = NULL;
    GrB_Index size = 0, length = 0;
    OK(GrB_Matrix_new(&a, point_type, 2, 2));
    OK(GrB_Matrix_setElement_UDT(a, (void*)&points[1], 1, 0));
    OK(GrB_Matrix_serializeSize(&size, a));
    char* blob = malloc(size);
    length = size;
    OK(GrB_Matrix_serialize(blob, &length, a));
    CHECK(length == size);
    IS_NULL(GrB_Matrix_deserialize(&b, NULL, blob, size)); /* the type is not in the blob */
    MISMATCH(GrB_Matrix_deserialize(&b, GrB_FP64, blob, size));
    OK(GrB_Matrix_deserialize(&b, point_type, blob, size));
    point x;
    OK(GrB_Matrix_extractElement_UDT(&x, b, 1, 0));
    CHECK(x.x[1] == 5 && entries(b) == 1);
    GrB_Matrix_free(&a), GrB_Matrix_free(&b);
    IS_NULL(GrB_Matrix_deserialize(NULL, NULL, blob, size));
    IS_NULL(GrB_Matrix_deserialize(&b, NULL, NULL, size));
    free(blob);

    OK(GrB_Matrix_new(&a, GrB_FP64, 1000000, 1000000));
    OK(GrB_Matrix_setElement(a, 5.0, 999999, 3));
    OK(GrB_Matrix_setElement(a, 6.0, 4, 999998));
    OK(GrB_Matrix_serializeSize(&size, a));
    CHECK(size < 1000);
    blob = malloc(size);
    OK(GrB_Matrix_serialize(blob, &size, a));
    MISMATCH(GrB_Matrix_deserialize(&b, GrB_FP32, blob, size));
    OK(GrB_Matrix_deserialize(&b, GrB_FP64, blob, size));
    CHECK(entries(b) == 2 && element(b, 999999, 3) == 5 && element(b, 4, 999998) == 6);
    GrB_Matrix_free(&a), GrB_Matrix_free(&b);
    free(blob);
}

/* Rows that are few of many, and then many of few. */
static void hypersparse_rows(void) {
    enum { many = 1000000 };
    GrB_Matrix a = NULL, b = NULL, c = NULL;
    GrB_Index *p = NULL, *j = NULL, p_size = 0, j_size = 0, x_size = 0;
    double* x = NULL;
    OK(GrB_Matrix_new(&a, GrB_FP64, many, many));
    OK(GrB_Matrix_setElement(a, 1.0, 2, 3));
    OK(GrB_Matrix_setElement(a, 2.0, 2, 999999));
    OK(GrB_Matrix_setElement(a, 3.0, 7, 0));
    OK(GrB_Matrix_setElement(a, 4.0, 999999, 5));
    OK(GrB_Matrix_wait(a, GrB_MATERIALIZE));
    OK(GrB_Matrix_dup(&b, a));
    OK(GrB_Matrix_resize(b, 9, 4));
    CHECK(entries(b) == 2 && element(b, 2, 3) == 1 && element(b, 7, 0) == 3);
    OK(GrB_Matrix_resize(b, many, many));
    CHECK(entries(b) == 2 && element(b, 7, 0) == 3 && element(b, 999999, 5) == -1);
    OK(GrB_Matrix_resize(b, 2, 2));
    OK(GrB_Matrix_setElement(b, 10.0, 1, 0));
    OK(GrB_Matrix_new(&c, GrB_FP64, 2 * many, 2 * many));
    OK(GrB_kronecker(c, NULL, NULL, GrB_TIMES_FP64, b, a, NULL));
    CHECK(entries(c) == 4 && element(c, many + 2, 999999) == 20 && element(c, 1999999, 5) == 40);
    OK(GrB_kronecker(c, NULL, NULL, GrB_MINUS_FP64, a, b, NULL));
    CHECK(entries(c) == 4 && element(c, 15, 0) == -7 && element(c, 5, 1999998) == -8);
    CODE(GrB_NOT_IMPLEMENTED, GrB_kronecker(c, NULL, NULL, GxB_FIRSTI_INT64, a, b, NULL));
    CODE(GrB_DIMENSION_MISMATCH, GrB_kronecker(c, NULL, NULL, GrB_TIMES_FP64, a, a, NULL));
    /* the caller gets an offset for each row */
    OK(GxB_Matrix_unpack_CSR(a, &p, &j, (void**)&x, &p_size, &j_size, &x_size, NULL, NULL, NULL));
    CHECK(p_size == (many + 1) * sizeof *p && j_size == 4 * sizeof *j && x_size == 4 * sizeof *x);
    CHECK(p[0] == 0 && p[2] == 0 && p[3] == 2 && p[7] == 2 && p[8] == 3 && p[999999] == 3 && p[many] == 4);
    CHECK(j[0] == 3 && j[1] == 999999 && j[2] == 0 && j[3] == 5 && x[3] == 4 && entries(a) == 0);
    free(p), free(j), free(x);
    GrB_Matrix_free(&a), GrB_Matrix_free(&b), GrB_Matrix_free(&c);
}

/* Lists of indices of matrices with so many columns that only those with entries are counted: rows with all columns,
   and no columns. */
static void lists_of_wide_matrices(void) {
    GrB_Index const many = GrB_INDEX_MAX, list[2] = {7, many - 1};
    GrB_Matrix a = NULL, c = NULL, none = NULL;
    GrB_Vector v = NULL, nothing = NULL;
    OK(GrB_Matrix_new(&a, GrB_FP64, 2, many));
    OK(GrB_Matrix_setElement(a, 1.0, 0, many - 3));
    OK(GrB_Matrix_setElement(a, 2.0, 1, 4));
    OK(GrB_Matrix_new(&c, GrB_FP64, many, many));
    OK(GrB_Matrix_setElement(c, 3.0, 7, 5));
    OK(GrB_Matrix_setElement(c, 4.0, 8, 6));
    OK(GrB_assign(c, NULL, GrB_PLUS_FP64, a, list, 2, GrB_ALL, many, NULL));
    CHECK(entries(c) == 4 && element(c, 7, 5) == 3 && element(c, 7, many - 3) == 1 && element(c, many - 1, 4) == 2);
    OK(GrB_assign(c, NULL, NULL, a, list, 2, GrB_ALL, many, NULL));
    CHECK(entries(c) == 3 && element(c, 8, 6) == 4 && element(c, 7, 5) == -1);
    OK(GxB_subassign(c, a, GrB_PLUS_FP64, a, list, 2, GrB_ALL, many, GrB_DESC_S));
    CHECK(entries(c) == 3 && element(c, 7, many - 3) == 2 && element(c, many - 1, 4) == 4);
    OK(GrB_Matrix_new(&none, GrB_FP64, 2, 0));
    OK(GrB_assign(c, NULL, NULL, none, list, 2, list, 0, NULL));
    OK(GxB_subassign(c, NULL, NULL, none, list, 2, list, 0, NULL));
    CHECK(entries(c) == 3);
    OK(GrB_Vector_new(&v, GrB_FP64, many));
    OK(GrB_Vector_setElement(v, 5.0, 9));
    OK(GrB_Vector_new(&nothing, GrB_FP64, 0));
    OK(GrB_assign(v, NULL, NULL, nothing, list, 0, NULL));
    OK(GxB_subassign(v, NULL, GrB_PLUS_FP64, nothing, list, 0, NULL));
    OK(GrB_Vector_assign_FP64(v, NULL, NULL, 1, list, 0, NULL));
    double x = 0;
    OK(GrB_Vector_extractElement(&x, v, 9));
    CHECK(x == 5);
    GrB_Matrix_free(&a), GrB_Matrix_free(&c), GrB_Matrix_free(&none);
    GrB_Vector_free(&v), GrB_Vector_free(&nothing);
}

/* Assignments to a list of positions of a full vector: entries that the operand lacks are deleted, and of repeated
   positions the last one counts, for which the accumulator is called once. */
static void positions_of_a_list(void) {
    GrB_Index const list[4] = {3, 0, 5, 2}, twice[4] = {3, 0, 3, 2}, reversed[6] = {5, 4, 3, 2, 1, 0};
    double const before = 10, values[4] = {1, 2, 3, 4};
    GrB_Vector u = NULL, w = NULL;
    OK(GrB_Vector_new(&u, GrB_FP64, 4));
    for (GrB_Index k = 0; k < 4; ++k) OK(GrB_Vector_setElement(u, values[k], k));
    OK(GrB_Vector_removeElement(u, 1));
    for (int accumulates = 0; accumulates < 2; ++accumulates)
        for (int repeats = 0; repeats < 2; ++repeats) {
            GrB_BinaryOp const accum = accumulates ? GrB_MINUS_FP64 : NULL;
            OK(GrB_Vector_new(&w, GrB_FP64, 6));
            OK(GrB_assign(w, NULL, NULL, before, GrB_ALL, 6, NULL));
            OK(GrB_assign(w, NULL, accum, u, repeats ? twice : list, 4, NULL));
            double const start = accumulates ? before : 0, sign = accumulates ? -1 : 1;
            double const expected[6] = {accumulates ? before : -1,        before, start + sign * 4,
                                        start + sign * (repeats ? 3 : 1), before, repeats ? before : start + sign * 3};
            for (GrB_Index i = 0; i < 6; ++i) {
                double x = -1;
                GrB_Vector_extractElement(&x, w, i);
                CHECK(x == expected[i]);
            }
            GrB_Vector_free(&w);
        }
    OK(GrB_Vector_new(&w, GrB_FP64, 6));
    OK(GrB_assign(w, NULL, NULL, before, GrB_ALL, 6, NULL));
    OK(GrB_Vector_assign_FP64(w, NULL, GrB_PLUS_FP64, 1, list, 4, NULL));
    OK(GrB_Vector_assign_FP64(w, NULL, GrB_PLUS_FP64, 1, twice, 4, NULL));
    OK(GrB_assign(w, NULL, GrB_MINUS_FP64, w, reversed, 6, NULL)); /* w is read first */
    double const sums[6] = {12, 10, 12, 12, 10, 11};
    for (GrB_Index i = 0; i < 6; ++i) {
        double x = -1;
        OK(GrB_Vector_extractElement(&x, w, i));
        CHECK(x == sums[i] - sums[5 - i]);
    }
    GrB_Vector_free(&u), GrB_Vector_free(&w);
}

static void folds(void) {
    GrB_Matrix a = example();
    GrB_Vector v = NULL, w = NULL, empty = NULL;
    GrB_Scalar s = NULL, p = NULL;
    GrB_Index n = 9;
    double x = 0;
    point y;
    OK(GrB_Vector_new(&v, GrB_FP64, 3));
    OK(GrB_Vector_new(&w, GrB_FP64, 3));
    OK(GrB_Vector_new(&empty, GrB_FP64, 3));
    OK(GrB_Scalar_new(&s, GrB_FP64));
    OK(GrB_Scalar_new(&p, point_type));
    OK(GrB_Vector_build(v, columns, numbers, 2, (GrB_BinaryOp)NULL)); /* [. 1 2] */
    OK(GrB_reduce(w, NULL, NULL, GrB_PLUS_FP64, a, NULL));
    OK(GrB_Vector_nvals(&n, w));
    OK(GrB_Vector_extractElement(&x, w, 2));
    CHECK(n == 2 && x == 7);
    OK(GrB_reduce(w, NULL, NULL, GrB_MAX_FP64, a, GrB_DESC_T0));
    OK(GrB_Vector_extractElement(&x, w, 2));
    CHECK(x == 4);
    MISMATCH(GrB_reduce(w, NULL, NULL, GrB_LT_FP64, a, NULL));
    MISMATCH(GrB_reduce(w, NULL, NULL, GxB_FIRSTI_INT64, a, NULL));
    CODE(GrB_DIMENSION_MISMATCH,
         GrB_Vector_resize(w, 2) == GrB_SUCCESS ? GrB_reduce(w, NULL, NULL, GrB_PLUS_FP64, a, NULL) : GrB_PANIC);
    /* to a scalar: without entries it is empty, and with an accumulator it stays */
#define VALUE(EXPECTED)                                                                                                \
    do {                                                                                                               \
        x = -77;                                                                                                       \
        OK(GrB_Scalar_extractElement(&x, s));                                                                          \
        check(x == (EXPECTED), "the scalar is " #EXPECTED, __LINE__);                                                  \
    } while (0)
    OK(GrB_reduce(s, NULL, GrB_PLUS_MONOID_FP64, a, NULL));
    VALUE(10);
    OK(GrB_reduce(s, GrB_MINUS_FP64, GrB_PLUS_MONOID_FP64, v, NULL));
    VALUE(7);
    OK(GrB_reduce(s, GrB_MINUS_FP64, GrB_PLUS_MONOID_FP64, empty, NULL));
    VALUE(7);
    OK(GrB_reduce(s, NULL, GrB_PLUS_MONOID_FP64, empty, NULL));
    CODE(GrB_NO_VALUE, GrB_Scalar_extractElement(&x, s));
    OK(GrB_reduce(s, GrB_MINUS_FP64, GrB_TIMES_FP64, a, NULL)); /* an empty scalar takes the value */
    VALUE(24);
    OK(GrB_reduce(s, GrB_MINUS_FP64, GrB_MIN_FP64, v, NULL));
    VALUE(23);
    OK(GrB_reduce(s, NULL, GrB_MIN_FP64, empty, NULL));
    CODE(GrB_NO_VALUE, GrB_Scalar_extractElement(&x, s));
    MISMATCH(GrB_reduce(s, NULL, GrB_LT_FP64, v, NULL));
    MISMATCH(GrB_reduce(p, NULL, GrB_PLUS_MONOID_FP64, v, NULL));
    IS_NULL(GrB_reduce((GrB_Scalar)NULL, NULL, GrB_PLUS_MONOID_FP64, v, NULL));
    /* to a value: the identity without entries */
    x = 5;
    OK(GrB_reduce(&x, GrB_PLUS_FP64, GrB_MIN_MONOID_FP64, v, NULL));
    CHECK(x == 6);
    OK(GrB_reduce(&x, NULL, GrB_MIN_MONOID_FP64, empty, NULL));
    CHECK(isinf(x));
    MISMATCH(GrB_Vector_reduce_UDT(&y, NULL, GrB_PLUS_MONOID_FP64, v, NULL));
    IS_NULL(GrB_Vector_reduce_FP64(NULL, NULL, GrB_PLUS_MONOID_FP64, v, NULL));
    IS_NULL(GrB_Vector_reduce_FP64(&x, NULL, NULL, v, NULL));
    GrB_Matrix_free(&a), GrB_Vector_free(&v), GrB_Vector_free(&w), GrB_Vector_free(&empty);
    GrB_Scalar_free(&s), GrB_Scalar_free(&p);
}

/* Arguments that apply and select refuse, and scalars that are empty. */
static void scalar_arguments(void) {
    GrB_Vector v = NULL, w = NULL;
    GrB_Scalar s = NULL;
    double x = 0;
    OK(GrB_Vector_new(&v, GrB_FP64, 3));
    OK(GrB_Vector_new(&w, GrB_FP64, 3));
    OK(GrB_Vector_build(v, columns, numbers, 2, (GrB_BinaryOp)NULL)); /* [. 1 2] */
    OK(GrB_Scalar_new(&s, GrB_INT8));
    CODE(GrB_EMPTY_OBJECT, GrB_apply(w, NULL, NULL, GrB_MINUS_FP64, s, v, NULL));
    CODE(GrB_EMPTY_OBJECT, GrB_apply(w, NULL, NULL, GrB_MINUS_FP64, v, s, NULL));
    CODE(GrB_EMPTY_OBJECT, GrB_apply(w, NULL, NULL, GrB_ROWINDEX_INT64, v, s, NULL));
    CODE(GrB_EMPTY_OBJECT, GrB_select(w, NULL, NULL, GrB_VALUEGT_FP64, v, s, NULL));
    OK(GrB_Scalar_setElement(s, 1));
    OK(GrB_apply(w, NULL, NULL, GrB_MINUS_FP64, s, v, NULL));
    OK(GrB_Vector_extractElement(&x, w, 2));
    CHECK(x == -1);
    OK(GrB_select(w, NULL, NULL, GrB_VALUEGT_FP64, v, s, NULL));
    GrB_Index n = 0;
    OK(GrB_Vector_nvals(&n, w));
    CHECK(n == 1);
    /* an operand that the operator does not use may have any type */
    OK(GrB_Vector_apply_BinaryOp1st_UDT(w, NULL, NULL, GrB_SECOND_FP64, (void*)&points[0], v, NULL));
    OK(GrB_Vector_extractElement(&x, w, 1));
    CHECK(x == 1);
    OK(GrB_apply(w, NULL, NULL, GxB_PAIR_FP64, s, v, NULL));
    OK(GrB_Vector_extractElement(&x, w, 2));
    CHECK(x == 1);
    IS_NULL(GrB_apply(w, NULL, NULL, GrB_SECOND_FP64, (GrB_Scalar)NULL, v, NULL));
    MISMATCH(GrB_Vector_apply_BinaryOp2nd_UDT(w, NULL, NULL, GrB_MINUS_FP64, v, (void*)&points[0], NULL));
    GrB_Vector_free(&v), GrB_Vector_free(&w), GrB_Scalar_free(&s);
}

/* Arrays of the caller that a matrix does not take, and forms that a user-defined type does not have. */
static void moved_arrays(void) {
    GrB_Matrix a = NULL, b = NULL;
    GrB_Vector v = NULL;
    GrB_Index size = 0, p_size = 0, n = 0;
    OK(GrB_Matrix_new(&a, point_type, 2, 2));
    point* y = copied(points, sizeof points);
    int8_t const flags[4] = {1, 0, 1, 1}, wrong_flags[4] = {1, 0, 2, 1};
    int8_t* f = copied(wrong_flags, sizeof flags);
    WRONG(GxB_Matrix_pack_BitmapR(a, &f, (void**)&y, sizeof flags, sizeof points, false, 3, NULL));
    memcpy(f, flags, sizeof flags);
    WRONG(GxB_Matrix_pack_BitmapR(a, &f, (void**)&y, sizeof flags - 1, sizeof points, false, 3, NULL));
    WRONG(GxB_Matrix_pack_BitmapR(a, &f, (void**)&y, sizeof flags, sizeof points - 1, false, 3, NULL));
    CHECK(f && y && entries(a) == 0);
    OK(GxB_Matrix_pack_BitmapR(a, &f, (void**)&y, sizeof flags, sizeof points, false, 3, NULL));
    CHECK(!f && !y && entries(a) == 3);
    point x;
    OK(GrB_Matrix_extractElement_UDT(&x, a, 1, 0));
    CHECK(x.x[0] == 7 && GrB_Matrix_extractElement_UDT(&x, a, 0, 1) == GrB_NO_VALUE);
    CODE(GrB_NOT_IMPLEMENTED, GxB_Matrix_unpack_BitmapR(a, &f, (void**)&y, &p_size, &size, NULL, &n, NULL));
    CHECK(entries(a) == 3);
    y = copied(points, sizeof points);
    OK(GxB_Matrix_pack_FullR(a, (void**)&y, sizeof points, true, NULL)); /* one value */
    OK(GxB_Matrix_unpack_BitmapR(a, &f, (void**)&y, &p_size, &size, NULL, &n, NULL));
    CHECK(n == 4 && p_size == 4 && f[3] == 1 && size == sizeof points && y[3].x[0] == 1 && entries(a) == 0);
    free(f), free(y);
    GrB_Matrix_free(&a);

    /* values without an entry may be anything, also for truth values */
    OK(GrB_Vector_new(&v, GrB_BOOL, 4));
    bool const truth[4] = {false, true, true, true};
    bool* t = copied(truth, sizeof truth);
    f = copied(flags, sizeof flags);
    OK(GxB_Vector_pack_Bitmap(v, &f, (void**)&t, 4, 4, false, 3, NULL));
    bool all = true, any = false;
    OK(GrB_reduce(&all, NULL, GrB_LAND_MONOID_BOOL, v, NULL));
    OK(GrB_reduce(&any, NULL, GrB_LOR_MONOID_BOOL, v, NULL));
    CHECK(!all && any);
    OK(GrB_Vector_nvals(&n, v));
    CHECK(n == 3);
    GrB_Vector_free(&v);

    a = example();
    GrB_Index *p = copied(offsets, sizeof offsets), *j = copied(columns, sizeof columns);
    double* z = copied(numbers, sizeof numbers);
    void** const values = (void**)&z;
    size_t const np = sizeof offsets, nj = sizeof columns, nz = sizeof numbers;
    double* none = NULL;
    p[0] = 1;
    WRONG(GxB_Matrix_pack_CSR(a, &p, &j, values, np, nj, nz, false, false, NULL));
    WRONG(GxB_Matrix_pack_CSC(a, &p, &j, values, np, nj, nz, false, false, NULL));
    p[0] = 0, j[1] = 3;
    WRONG(GxB_Matrix_pack_CSR(a, &p, &j, values, np, nj, nz, false, false, NULL));
    j[1] = 1; /* twice in a row */
    WRONG(GxB_Matrix_pack_CSR(a, &p, &j, values, np, nj, nz, false, true, NULL));
    WRONG(GxB_Matrix_pack_CSC(a, &p, &j, values, np, nj, nz, false, false, NULL));
    j[1] = 0; /* not ascending */
    WRONG(GxB_Matrix_pack_CSR(a, &p, &j, values, np, nj, nz, false, false, NULL));
    WRONG(GxB_Matrix_pack_CSC(a, &p, &j, values, np, nj, nz, false, false, NULL));
    j[1] = 2, p[3] = (GrB_Index)-1;
    WRONG(GxB_Matrix_pack_CSR(a, &p, &j, values, np, nj, nz, false, false, NULL));
    p[3] = 4;
    IS_NULL(GxB_Matrix_pack_CSR(a, &p, &j, (void**)&none, np, nj, nz, false, false, NULL));
    IS_NULL(GxB_Matrix_pack_CSR(a, &p, &j, NULL, np, nj, nz, false, false, NULL));
    CHECK(p && j && z && is_example(a));
    OK(GxB_Matrix_pack_CSR(a, &p, &j, values, np, nj, nz, false, false, NULL));
    CHECK(!p && !j && !z && is_example(a));
    /* by columns, from a matrix whose transpose is at hand and whose arrays another matrix shares */
    OK(GrB_Matrix_dup(&b, a));
    bool iso = true, jumbled = true;
    OK(GxB_Matrix_unpack_CSC(a, &p, &j, values, &p_size, &size, &n, &iso, &jumbled, NULL));
    CHECK(!iso && !jumbled && n == sizeof numbers && p[1] == 1 && p[2] == 2 && j[0] == 2 && z[0] == 3 && z[3] == 4);
    CHECK(entries(a) == 0 && is_example(b));
    OK(GxB_Matrix_pack_CSC(a, &p, &j, values, p_size, size, n, false, false, NULL));
    CHECK(is_example(a));
    IS_NULL(GxB_Matrix_unpack_CSR(a, NULL, &j, values, &p_size, &size, &n, NULL, NULL, NULL));
    IS_NULL(GxB_Matrix_unpack_CSR(a, &p, &j, values, NULL, &size, &n, NULL, NULL, NULL));
    WRONG(GxB_Matrix_unpack_FullR(a, values, &size, NULL, NULL)); /* it has positions without entries */
    CHECK(is_example(a));
    GrB_Matrix_free(&a), GrB_Matrix_free(&b);

    OK(GrB_Vector_new(&v, GrB_FP64, 3));
    j = copied(columns, sizeof columns), z = copied(numbers, sizeof numbers);
    WRONG(GxB_Vector_pack_CSC(v, &j, (void**)&z, sizeof columns, sizeof numbers, false, 4, false, NULL));
    IS_NULL(GxB_Vector_unpack_CSC(v, &j, (void**)&z, &p_size, &size, NULL, NULL, NULL, NULL));
    OK(GxB_Vector_pack_CSC(v, &j, (void**)&z, sizeof columns, sizeof numbers, false, 2, false, NULL));
    double sum = 0;
    OK(GrB_reduce(&sum, NULL, GrB_PLUS_MONOID_FP64, v, NULL));
    CHECK(sum == 3);
    GrB_Vector_free(&v);
    /* more positions than an index counts */
    OK(GrB_Matrix_new(&a, GrB_FP64, GrB_INDEX_MAX, GrB_INDEX_MAX));
    z = copied(numbers, sizeof numbers);
    WRONG(GxB_Matrix_pack_FullR(a, (void**)&z, sizeof numbers, false, NULL));
    free(z);
    GrB_Matrix_free(&a);
}

/* Changes of elements, the last one of a position counts, also of values of other sizes. */
static void changed_elements(void) {
    GrB_Vector v = NULL;
    GrB_Index n = 0;
    point x;
    OK(GrB_Vector_new(&v, point_type, 4));
    for (int k = 0; k < 4; ++k) OK(GrB_Vector_setElement_UDT(v, (void*)&points[k], (GrB_Index)k));
    OK(GrB_Vector_removeElement(v, 1));
    OK(GrB_Vector_setElement_UDT(v, (void*)&points[0], 3));
    OK(GrB_Vector_removeElement(v, 2));
    OK(GrB_Vector_setElement_UDT(v, (void*)&points[3], 2));
    OK(GrB_Vector_nvals(&n, v));
    CHECK(n == 3);
    OK(GrB_Vector_extractElement_UDT(&x, v, 3));
    CHECK(x.x[0] == 1);
    OK(GrB_Vector_extractElement_UDT(&x, v, 2));
    CHECK(x.x[0] == 10 && GrB_Vector_extractElement_UDT(&x, v, 1) == GrB_NO_VALUE);
    GrB_Vector_free(&v);
}

/* Many rows with entries, of which few remain: a search in the list of those rows. */
static void rows_that_become_few(void) {
    enum { many = 6000 };
    GrB_Matrix a = NULL;
    OK(GrB_Matrix_new(&a, GrB_INT32, many, 8));
    for (int i = 0; i < many; ++i) OK(GrB_Matrix_setElement(a, i, (GrB_Index)i, (GrB_Index)(i % 8)));
    OK(GrB_select(a, NULL, NULL, GrB_VALUEGE_INT32, a, many - 3, NULL));
    CHECK(entries(a) == 3 && element(a, 5997, 5) == 5997 && element(a, 5999, 7) == 5999);
    CHECK(element(a, 5996, 4) == -1 && element(a, 0, 0) == -1 && element(a, 5999, 6) == -1);
    OK(GrB_Matrix_resize(a, many + 5, 8));
    CHECK(entries(a) == 3 && element(a, many + 4, 0) == -1 && element(a, 5998, 6) == 5998);
    OK(GrB_Matrix_resize(a, 5998, 8));
    CHECK(entries(a) == 1);
    GrB_Matrix_free(&a);
}

/* Sizes that no array has: an error, and the object remains. */
static void sizes_of_no_array(void) {
    GrB_Type largest = NULL, large = NULL;
    GrB_Scalar s = NULL;
    GrB_Vector v = NULL;
    GrB_Index n = 9;
    OK(GrB_Type_new(&largest, SIZE_MAX));
    OK(GrB_Type_new(&large, (size_t)1 << 62));
    CODE(GrB_OUT_OF_MEMORY, GrB_Scalar_new(&s, largest));
    CHECK(!s);
    OK(GrB_Vector_new(&v, large, 4));
    CODE(GrB_OUT_OF_MEMORY, GrB_Vector_build_UDT(v, columns, numbers, 2, NULL));
    OK(GrB_Vector_nvals(&n, v));
    CHECK(n == 0);
    GrB_Vector_free(&v), GrB_Type_free(&large), GrB_Type_free(&largest);
}

/* A diagonal from a vector. */
static void diagonals(void) {
    GrB_Vector v = NULL;
    GrB_Matrix a = NULL;
    OK(GrB_Vector_new(&v, GrB_FP64, 3));
    OK(GrB_Vector_build(v, columns, numbers, 2, (GrB_BinaryOp)NULL)); /* [. 1 2] */
    GrB_Index n = 0;
    for (int64_t k = -2; k <= 2; ++k) {
        OK(GrB_Matrix_diag(&a, v, k));
        OK(GrB_Matrix_nrows(&n, a));
        GrB_Index const i = (GrB_Index)(k < 0 ? -k : 0), j = (GrB_Index)(k > 0 ? k : 0);
        CHECK(n == 3 + i + j && entries(a) == 2 && element(a, 1 + i, 1 + j) == 1 && element(a, 2 + i, 2 + j) == 2);
        GrB_Matrix_free(&a);
    }
    IS_NULL(GrB_Matrix_diag(&a, NULL, 0));
    IS_NULL(GrB_Matrix_diag(NULL, v, 0));
    GrB_Vector_free(&v);
}

int main(void) {
    GrB_init(GrB_NONBLOCKING);
    OK(GxB_Type_new(&point_type, sizeof(point), "point", NULL));
    single_elements();
    tuples();
    formats();
    serialised();
    hypersparse_rows();
    lists_of_wide_matrices();
    positions_of_a_list();
    folds();
    scalar_arguments();
    moved_arrays();
    changed_elements();
    rows_that_become_few();
    sizes_of_no_array();
    diagonals();
    GrB_Type_free(&point_type);
    GrB_finalize();
    printf("%d failures\n", failures);
    return failures != 0;
}
