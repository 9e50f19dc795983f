/* SPDX-License-Identifier: BSD-3-Clause */
/* GxB extensions that other tests do not compare with another library: pack, unpack, print. */
#include <GraphBLAS.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "example_matrix.h"

static void rows_move(void) {
    GrB_Matrix a = NULL;
    GrB_Matrix_new(&a, GrB_FP64, 3, 3);
    GrB_Matrix_setElement_FP64(a, 9, 1, 1); /* is replaced */
    GrB_Index *p = copied(offsets, sizeof offsets), *j = copied(columns, sizeof columns);
    double* x = copied(numbers, sizeof numbers);
    void const *p_before = p, *j_before = j, *x_before = x;
    CHECK(GxB_Matrix_pack_CSR(a, &p, &j, (void**)&x, sizeof offsets, sizeof columns, sizeof numbers, false, false,
                              NULL) == GrB_SUCCESS);
    CHECK(!p && !j && !x);
    CHECK(entries(a) == 4 && element(a, 0, 2) == 2 && element(a, 2, 0) == 3 && element(a, 1, 1) == -1);
    GrB_Index p_size = 0, j_size = 0, x_size = 0;
    bool iso = true, jumbled = true;
    CHECK(GxB_Matrix_unpack_CSR(a, &p, &j, (void**)&x, &p_size, &j_size, &x_size, &iso, &jumbled, NULL) == GrB_SUCCESS);
    CHECK(p == p_before && j == j_before && x == x_before); /* the same arrays: nothing was copied */
    CHECK(p_size == sizeof offsets && j_size == sizeof columns && x_size == sizeof numbers && !iso && !jumbled);
    CHECK(entries(a) == 0);
    free(p), free(j), free(x);
    GrB_Matrix_free(&a);
}

static void columns_are_transposed(void) {
    GrB_Matrix a = NULL;
    GrB_Matrix_new(&a, GrB_FP64, 3, 3);
    GrB_Index *p = copied(offsets, sizeof offsets), *i = copied(columns, sizeof columns);
    double* x = copied(numbers, sizeof numbers);
    CHECK(GxB_Matrix_pack_CSC(a, &p, &i, (void**)&x, sizeof offsets, sizeof columns, sizeof numbers, false, false,
                              NULL) == GrB_SUCCESS);
    CHECK(entries(a) == 4 && element(a, 2, 0) == 2 && element(a, 0, 2) == 3);
    GrB_Index sizes[3];
    CHECK(GxB_Matrix_unpack_CSC(a, &p, &i, (void**)&x, &sizes[0], &sizes[1], &sizes[2], NULL, NULL, NULL) ==
          GrB_SUCCESS);
    CHECK(memcmp(p, offsets, sizeof offsets) == 0 && memcmp(i, columns, sizeof columns) == 0 &&
          memcmp(x, numbers, sizeof numbers) == 0);
    free(p), free(i), free(x);
    GrB_Matrix_free(&a);
}

static void shared_arrays_are_copied(void) {
    GrB_Matrix a = NULL, b = NULL;
    GrB_Matrix_new(&a, GrB_FP64, 3, 3);
    GrB_Index *p = copied(offsets, sizeof offsets), *j = copied(columns, sizeof columns), sizes[3];
    double* x = copied(numbers, sizeof numbers);
    GxB_Matrix_pack_CSR(a, &p, &j, (void**)&x, sizeof offsets, sizeof columns, sizeof numbers, false, false, NULL);
    GrB_Matrix_dup(&b, a);
    CHECK(GxB_Matrix_unpack_CSR(a, &p, &j, (void**)&x, &sizes[0], &sizes[1], &sizes[2], NULL, NULL, NULL) ==
          GrB_SUCCESS);
    free(p), free(j), free(x);
    CHECK(entries(a) == 0 && entries(b) == 4 && element(b, 2, 2) == 4);
    GrB_Matrix_free(&a);
    GrB_Matrix_free(&b);
}

static void jumbled_rows_are_sorted(void) {
    GrB_Matrix a = NULL;
    GrB_Matrix_new(&a, GrB_FP64, 3, 3);
    GrB_Index const unsorted[4] = {2, 1, 2, 0}, twice[4] = {2, 2, 2, 0}, far[4] = {2, 1, 3, 0};
    for (int k = 0; k < 4; ++k) {
        GrB_Index *p = copied(offsets, sizeof offsets), *j = copied(k == 2   ? twice
                                                                    : k == 3 ? far
                                                                             : unsorted,
                                                                    sizeof columns);
        double* x = copied(numbers, sizeof numbers);
        GrB_Info const info = GxB_Matrix_pack_CSR(a, &p, &j, (void**)&x, sizeof offsets, sizeof columns, sizeof numbers,
                                                  false, k > 0, NULL);
        CHECK(info == (k == 1 ? GrB_SUCCESS : GrB_INVALID_VALUE));
        CHECK((info == GrB_SUCCESS) ==
              (p == NULL && j == NULL && x == NULL)); /* after an error they are the caller's */
        free(p), free(j), free(x);
    }
    CHECK(entries(a) == 4 && element(a, 0, 2) == 1 && element(a, 0, 1) == 2 && element(a, 2, 0) == 4);
    GrB_Matrix_free(&a);
}

static void vectors_move(void) {
    GrB_Vector v = NULL;
    GrB_Vector_new(&v, GrB_FP64, 4);
    double* x = copied(numbers, sizeof numbers);
    void const* before = x;
    GrB_Index size = 0, b_size = 0, n = 0;
    double sum = 0;
    CHECK(GxB_Vector_pack_Full(v, (void**)&x, sizeof numbers, false, NULL) == GrB_SUCCESS && !x);
    GrB_Vector_reduce_FP64(&sum, NULL, GrB_PLUS_MONOID_FP64, v, NULL);
    CHECK(sum == 10);
    CHECK(GxB_Vector_unpack_Full(v, (void**)&x, &size, NULL, NULL) == GrB_SUCCESS && x == before);
    CHECK(size == sizeof numbers);
    int8_t const flags[4] = {1, 0, 0, 1};
    int8_t* b = copied(flags, sizeof flags);
    void const* b_before = b;
    CHECK(GxB_Vector_pack_Bitmap(v, &b, (void**)&x, sizeof flags, sizeof numbers, false, 3, NULL) ==
          GrB_INVALID_VALUE); /* there are two entries */
    CHECK(GxB_Vector_pack_Bitmap(v, &b, (void**)&x, sizeof flags, sizeof numbers, false, 2, NULL) == GrB_SUCCESS);
    sum = 0;
    GrB_Vector_reduce_FP64(&sum, NULL, GrB_PLUS_MONOID_FP64, v, NULL);
    CHECK(sum == 5);
    CHECK(GxB_Vector_unpack_Full(v, (void**)&x, &size, NULL, NULL) == GrB_INVALID_VALUE);
    CHECK(GxB_Vector_unpack_Bitmap(v, &b, (void**)&x, &b_size, &size, NULL, &n, NULL) == GrB_SUCCESS);
    CHECK(b == b_before && x == before && n == 2 && b_size == 4 && b[3] == 1);
    free(b);
    GrB_Index const positions[2] = {1, 3};
    GrB_Index* i = copied(positions, sizeof positions);
    CHECK(GxB_Vector_pack_CSC(v, &i, (void**)&x, sizeof positions, sizeof numbers, true, 2, false, NULL) ==
          GrB_SUCCESS); /* one value for all entries */
    CHECK(!i && !x);
    CHECK(GxB_Vector_unpack_CSC(v, &i, (void**)&x, &b_size, &size, NULL, &n, NULL, NULL) == GrB_SUCCESS);
    CHECK(n == 2 && i[0] == 1 && i[1] == 3 && x[0] == 1 && x[1] == 1);
    free(i), free(x);
    GrB_Vector_free(&v);
}

static void values_of_user_types(void) {
    typedef struct {
        char text[24];
    } name;
    name const names[2] = {{"first"}, {"second"}};
    GrB_Type type = NULL;
    GrB_Matrix a = NULL;
    GrB_Type_new(&type, sizeof(name));
    GrB_Matrix_new(&a, type, 1, 2);
    name *x = copied(names, sizeof names), y;
    CHECK(GxB_Matrix_pack_FullR(a, (void**)&x, sizeof names, false, NULL) == GrB_SUCCESS);
    CHECK(GrB_Matrix_extractElement_UDT(&y, a, 0, 1) == GrB_SUCCESS && strcmp(y.text, "second") == 0);
    GrB_Index size = 0;
    CHECK(GxB_Matrix_unpack_FullR(a, (void**)&x, &size, NULL, NULL) == GrB_SUCCESS && size == sizeof names);
    CHECK(strcmp(x[0].text, "first") == 0);
    free(x);
    GrB_Matrix_free(&a);
    GrB_Type_free(&type);
}

static void errors_of_pack(void) {
    GrB_Matrix a = NULL;
    GrB_Matrix_new(&a, GrB_FP64, 3, 3);
    GrB_Index *p = copied(offsets, sizeof offsets), *j = copied(columns, sizeof columns);
    double* x = copied(numbers, sizeof numbers);
    void** const values = (void**)&x;
    size_t const np = sizeof offsets, nj = sizeof columns, nx = sizeof numbers;
    CHECK(GxB_Matrix_pack_CSR(NULL, &p, &j, values, np, nj, nx, false, false, NULL) == GrB_NULL_POINTER);
    CHECK(GxB_Matrix_pack_CSR(a, NULL, &j, values, np, nj, nx, false, false, NULL) == GrB_NULL_POINTER);
    CHECK(GxB_Matrix_pack_CSR(a, &p, &j, values, np - 1, nj, nx, false, false, NULL) == GrB_INVALID_VALUE);
    CHECK(GxB_Matrix_pack_CSR(a, &p, &j, values, np, nj - 1, nx, false, false, NULL) == GrB_INVALID_VALUE);
    CHECK(GxB_Matrix_pack_CSR(a, &p, &j, values, np, nj, nx - 1, false, false, NULL) == GrB_INVALID_VALUE);
    p[1] = 5;
    CHECK(GxB_Matrix_pack_CSR(a, &p, &j, values, np, nj, nx, false, false, NULL) == GrB_INVALID_VALUE);
    CHECK(entries(a) == 0);
    free(p), free(j), free(x);
    GrB_Matrix_free(&a);
}

/* Returns what GxB_fprint writes. */
static char const* printed(GrB_Matrix a, GrB_Vector v, GxB_Print_Level level) {
    static char text[4096];
    FILE* f = tmpfile();
    if (!f) return "";
    if (a) CHECK(GxB_fprint(a, level, f) == GrB_SUCCESS);
    if (v) CHECK(GxB_fprint(v, level, f) == GrB_SUCCESS);
    CHECK(GxB_fprint(GrB_PLUS_TIMES_SEMIRING_FP64, level, f) == GrB_SUCCESS);
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}
static void prints(void) {
    GrB_Matrix a = NULL;
    GrB_Vector v = NULL;
    GrB_Matrix_new(&a, GrB_FP64, 3, 3);
    GrB_Vector_new(&v, GrB_INT32, 5);
    GrB_Matrix_setElement_FP64(a, 2.5, 1, 2);
    GrB_Vector_assign_INT32(v, NULL, NULL, 7, GrB_ALL, 5, NULL);
    CHECK(strcmp(printed(a, v, GxB_SILENT), "") == 0);
    char const* text = printed(a, v, GxB_COMPLETE);
    CHECK(strstr(text, "a: matrix, 3 x 3, type GrB_FP64, 1 entries") && strstr(text, "(1, 2) 2.5"));
    CHECK(strstr(text, "v: vector of 5, type GrB_INT32, 5 entries") && strstr(text, "(4) 7") && strstr(text, "full"));
    CHECK(strstr(text, "multiply GrB_TIMES_FP64") != NULL);
    CHECK(GxB_Matrix_fprint(NULL, "a", GxB_SHORT, NULL) == GrB_NULL_POINTER);
    GrB_Matrix_free(&a);
    GrB_Vector_free(&v);
}

static bool is(GxB_FC64_t x, double real, double imag) { return creal(x) == real && cimag(x) == imag; }
/* Complex numbers through the polymorphic names, against their definitions. */
static void complex_numbers(void) {
    enum { n = 300 };
    GrB_Matrix a = NULL;
    GrB_Vector u = NULL, w = NULL, part = NULL;
    GrB_Scalar s = NULL;
    GxB_FC64_t x = 0, expected = 0;
    double real = 0;
    bool flag = true;
    CHECK(GrB_Matrix_new(&a, GxB_FC64, n, n) == GrB_SUCCESS && GrB_Vector_new(&u, GxB_FC32, n) == GrB_SUCCESS);
    CHECK(GrB_Vector_new(&w, GxB_FC64, n) == GrB_SUCCESS && GrB_Vector_new(&part, GrB_FP64, n) == GrB_SUCCESS);
    for (int i = 0; i < n; ++i) {
        GrB_Matrix_setElement(a, GxB_CMPLX(i % 7, 1 - i % 3), 0, (GrB_Index)i);
        GrB_Vector_setElement(u, GxB_CMPLXF(2, i % 5), (GrB_Index)i);
        expected += GxB_CMPLX(i % 7, 1 - i % 3) * GxB_CMPLX(2, i % 5);
    }
    CHECK(GrB_mxv(w, NULL, NULL, GxB_PLUS_TIMES_FC64, a, u, NULL) == GrB_SUCCESS);
    CHECK(GrB_Vector_extractElement(&x, w, 0) == GrB_SUCCESS && is(x, creal(expected), cimag(expected)));
    CHECK(GrB_reduce(&x, NULL, GxB_PLUS_FC64_MONOID, u, NULL) == GrB_SUCCESS && is(x, 2 * n, 2 * n));
    CHECK(GrB_apply(part, NULL, NULL, GxB_CIMAG_FC32, u, NULL) == GrB_SUCCESS);
    CHECK(GrB_Vector_extractElement(&real, part, 4) == GrB_SUCCESS && real == 4);
    CHECK(GrB_apply(part, NULL, NULL, GxB_ABS_FC32, u, NULL) == GrB_SUCCESS);
    CHECK(GrB_Vector_extractElement(&real, part, 0) == GrB_SUCCESS && real == 2);
    /* conversions: to the real part, and to false if both parts are 0 */
    CHECK(GrB_Vector_extractElement(&real, u, 3) == GrB_SUCCESS && real == 2);
    CHECK(GrB_assign(u, NULL, NULL, GxB_CMPLX(0, 3), GrB_ALL, n, NULL) == GrB_SUCCESS);
    CHECK(GrB_Vector_extractElement(&flag, u, 3) == GrB_SUCCESS && flag);
    CHECK(GrB_Vector_extractElement(&x, u, 3) == GrB_SUCCESS && is(x, 0, 3));
    /* quotients whose divisor has a square that overflows */
    GrB_Scalar_new(&s, GxB_FC64);
    GrB_Scalar_setElement(s, GxB_CMPLX(1e300, 1e300));
    CHECK(GrB_assign(w, NULL, NULL, s, GrB_ALL, n, NULL) == GrB_SUCCESS);
    CHECK(GrB_apply(w, NULL, NULL, GxB_DIV_FC64, s, w, NULL) == GrB_SUCCESS);
    CHECK(GrB_Vector_extractElement(&x, w, 9) == GrB_SUCCESS && is(x, 1, 0));
    char name[GxB_MAX_NAME_LEN];
    CHECK(GxB_Matrix_type_name(name, a) == GrB_SUCCESS && strcmp(name, "double complex") == 0);
    GrB_Matrix_clear(a);
    GrB_Matrix_setElement(a, GxB_CMPLX(1.5, -2), 1, 2);
    CHECK(strstr(printed(a, NULL, GxB_COMPLETE), "(1, 2) 1.5-2i") != NULL);
    GrB_Matrix_free(&a), GrB_Vector_free(&u), GrB_Vector_free(&w), GrB_Vector_free(&part), GrB_Scalar_free(&s);
}

static void types_of_objects(void) {
    GrB_Type type = NULL, own = NULL;
    GrB_Matrix a = NULL, c = NULL;
    GrB_Vector u = NULL;
    GrB_Scalar s = NULL;
    GrB_Type_new(&own, 24);
    GrB_Matrix_new(&a, GrB_INT16, 2, 3), GrB_Vector_new(&u, own, 4), GrB_Scalar_new(&s, GxB_FC32);
    CHECK(GxB_Matrix_type(&type, a) == GrB_SUCCESS && type == GrB_INT16);
    CHECK(GxB_Vector_type(&type, u) == GrB_SUCCESS && type == own);
    CHECK(GxB_Scalar_type(&type, s) == GrB_SUCCESS && type == GxB_FC32);
    CHECK(GxB_Matrix_type(NULL, a) == GrB_NULL_POINTER && GxB_Vector_type(&type, NULL) == GrB_NULL_POINTER);
    c = a;
    GrB_Matrix_free(&a);
    CHECK(GxB_Matrix_type(&type, c) == GrB_UNINITIALIZED_OBJECT && type == GxB_FC32);
    GrB_Vector_free(&u), GrB_Scalar_free(&s), GrB_Type_free(&own);
}

int main(void) {
    GrB_init(GrB_NONBLOCKING);
    types_of_objects();
    rows_move();
    columns_are_transposed();
    shared_arrays_are_copied();
    jumbled_rows_are_sorted();
    vectors_move();
    values_of_user_types();
    errors_of_pack();
    prints();
    complex_numbers();
    GrB_finalize();
    printf("%d failures\n", failures);
    return failures != 0;
}
