/* SPDX-License-Identifier: BSD-3-Clause */
/* What the device leaves to the host, and why: the library says it, and the result is that of the host. Kernels run on
   the host, by the compiler of the system.

       device_limits          with the emulated device
       device_limits none     without a device: a library or a compiler is missing */
#define _POSIX_C_SOURCE 200809L
#include <GraphBLAS.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

enum { n = 200 };
static char text[2000];
static void use(int backend) { OK(GrB_set(GrB_GLOBAL, backend, COPPICE_BACKEND)); }
static char const* last_run(void) {
    OK(GrB_get(GrB_GLOBAL, text, COPPICE_LAST_RUN));
    return text;
}
static void expect_reason(char const* reason, int line) {
    bool const given = strstr(last_run(), "host, because") && strstr(text, reason);
    if (!given) printf("line %d: %s\n", line, text);
    check(given, reason, line);
}
#define REASON(TEXT, CALL)                                                                                             \
    do {                                                                                                               \
        use(COPPICE_BACKEND_CUDA);                                                                                     \
        OK(CALL);                                                                                                      \
        expect_reason(TEXT, __LINE__);                                                                                 \
    } while (0)
#define ON_DEVICE(CALL)                                                                                                \
    do {                                                                                                               \
        use(COPPICE_BACKEND_CUDA);                                                                                     \
        OK(CALL);                                                                                                      \
        check(strstr(last_run(), ": emulated") != NULL, #CALL, __LINE__);                                              \
    } while (0)

static GrB_Matrix a, b;
static GrB_Vector u;
static double element(GrB_Matrix c, GrB_Index i, GrB_Index j) {
    double x = -77;
    return GrB_Matrix_extractElement(&x, c, i, j) == GrB_SUCCESS ? x : -77;
}
static double value(GrB_Vector w, GrB_Index i) {
    double x = -77;
    return GrB_Vector_extractElement(&x, w, i) == GrB_SUCCESS ? x : -77;
}
static GrB_Index entries(GrB_Vector w) {
    GrB_Index count = 0;
    GrB_Vector_nvals(&count, w);
    return count;
}

static void operators(void) {
    GrB_Vector w = NULL, z = NULL, x = NULL;
    GrB_Semiring semiring = NULL;
    OK(GrB_Vector_new(&w, GrB_FP64, n));
    OK(GrB_Vector_new(&z, GxB_FC64, n));
    OK(GrB_Vector_new(&x, GxB_FC64, n));
    REASON("the operator is positional", GrB_eWiseMult(w, NULL, NULL, GxB_SECONDJ_INT64, u, u, NULL));
    CHECK(value(w, 4) == 0);
    REASON("the operator does not use the scalar", GrB_apply(w, NULL, NULL, GrB_SECOND_FP64, 3.0, u, NULL));
    CHECK(value(w, 4) == 4);
    REASON("the operator does not use the scalar", GrB_apply(w, NULL, NULL, GrB_FIRST_FP64, u, 3.0, NULL));
    OK(GrB_assign(z, NULL, NULL, GxB_CMPLX(0, 1), GrB_ALL, n, NULL));
    REASON("mathematical functions of complex numbers", GrB_apply(x, NULL, NULL, GxB_EXP_FC64, z, NULL));
    GxB_FC64_t of_x = 0;
    OK(GrB_Vector_extractElement(&of_x, x, 7));
    CHECK(creal(of_x) > 0.5403 && creal(of_x) < 0.5404 && cimag(of_x) > 0.8414 && cimag(of_x) < 0.8415);
    ON_DEVICE(GrB_apply(x, NULL, NULL, GxB_CONJ_FC64, z, NULL));
    OK(GrB_Vector_extractElement(&of_x, x, 7));
    CHECK(creal(of_x) == 0 && cimag(of_x) == -1);
    GrB_BinaryOp complex_op = NULL;
    OK(GxB_BinaryOp_new(&complex_op, NULL, GxB_FC64, GxB_FC64, GxB_FC64, "complex_sum",
                        "#include <complex.h>\nvoid complex_sum(double complex *z, const double complex *x, "
                        "const double complex *y) { *z = *x + *y; }"));
    REASON("a definition in C has complex numbers", GrB_eWiseMult(x, NULL, NULL, complex_op, z, z, NULL));
    OK(GrB_Vector_extractElement(&of_x, x, 7));
    CHECK(creal(of_x) == 0 && cimag(of_x) == 2);
    GrB_BinaryOp_free(&complex_op);
    /* C that is not C++ */
    GrB_UnaryOp c_only = NULL;
    OK(GxB_UnaryOp_new(&c_only, NULL, GrB_FP64, GrB_FP64, "c_only",
                       "void c_only(double *z, const double *x) { double class = *x; *z = class + 1; }"));
    for (int k = 0; k < 2; ++k) { /* the second time it is known */
        use(COPPICE_BACKEND_CUDA);
        OK(GrB_apply(w, NULL, NULL, c_only, u, NULL));
        CHECK(strstr(last_run(), "GrB_apply: host, because"));
        CHECK(value(w, 4) == 5);
    }
    GrB_UnaryOp_free(&c_only);
    /* what ends a fold of truth values */
    bool all = false, any = false;
    GrB_Vector flags = NULL;
    OK(GrB_Vector_new(&flags, GrB_BOOL, n));
    OK(GrB_assign(flags, NULL, NULL, true, GrB_ALL, n, NULL));
    ON_DEVICE(GrB_reduce(&all, NULL, GrB_LAND_MONOID_BOOL, flags, NULL));
    CHECK(all);
    OK(GrB_Vector_setElement(flags, false, 17));
    ON_DEVICE(GrB_reduce(&all, NULL, GrB_LAND_MONOID_BOOL, flags, NULL));
    ON_DEVICE(GrB_reduce(&any, NULL, GrB_LOR_MONOID_BOOL, flags, NULL));
    CHECK(!all && any);
    GrB_Vector_free(&flags);
    GrB_Vector_free(&w), GrB_Vector_free(&z), GrB_Vector_free(&x), GrB_Semiring_free(&semiring);
}

typedef struct {
    double x[5];
} large;
static void types(void) {
    GrB_Type type = NULL, unknown = NULL;
    GrB_BinaryOp op = NULL;
    GrB_Vector v = NULL, w = NULL;
    large const x = {{1, 2, 3, 4, 5}};
    large y;
    OK(GxB_Type_new(&type, sizeof(large), "large", "typedef struct { double x[5]; } large;"));
    OK(GxB_BinaryOp_new(&op, NULL, type, type, type, "add_large",
                        "void add_large(large *z, const large *x, const large *y)"
                        "{ for (int k = 0; k < 5; ++k) z->x[k] = x->x[k] + y->x[k]; }"));
    OK(GrB_Vector_new(&v, type, n));
    OK(GrB_Vector_setElement_UDT(v, (void*)&x, 3));
    OK(GrB_Vector_new(&w, type, n));
    REASON("a value has more than 32 bytes", GrB_Vector_apply_BinaryOp1st_UDT(w, NULL, NULL, op, (void*)&x, v, NULL));
    OK(GrB_Vector_extractElement_UDT(&y, w, 3));
    CHECK(y.x[0] == 2 && y.x[4] == 10);
    ON_DEVICE(GrB_Vector_eWiseMult_BinaryOp(w, NULL, NULL, op, v, v, NULL));
    OK(GrB_Vector_extractElement_UDT(&y, w, 3));
    CHECK(y.x[0] == 2 && y.x[4] == 10 && entries(w) == 1);
    GrB_Vector_free(&v), GrB_Vector_free(&w), GrB_BinaryOp_free(&op), GrB_Type_free(&type);
    OK(GrB_Type_new(&unknown, 24));
    OK(GrB_Vector_new(&v, unknown, n));
    OK(GrB_Vector_new(&w, unknown, n));
    REASON("has no definition in C", GrB_assign(w, NULL, NULL, v, GrB_ALL, n, NULL));
    GrB_Vector_free(&v), GrB_Vector_free(&w), GrB_Type_free(&unknown);
}

static void shapes(void) {
    GrB_Matrix c = NULL, few_rows = NULL, d = NULL;
    GrB_Vector w = NULL;
    OK(GrB_Matrix_new(&c, GrB_FP64, n, n));
    OK(GrB_Matrix_new(&d, GrB_FP64, n, n));
    OK(GrB_Vector_new(&w, GrB_FP64, n));
    /* a is a chain: a[i][i] = 2, a[i][i + 1] = 1 */
    REASON("no mask that selects its entries", GrB_mxm(c, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, a, a, NULL));
    CHECK(element(c, 3, 3) == 4 && element(c, 3, 4) == 4 && element(c, 3, 5) == 1);
    REASON("changed by a mask or an accumulator", GrB_eWiseAdd(c, a, NULL, GrB_PLUS_FP64, a, a, GrB_DESC_S));
    CHECK(element(c, 3, 3) == 4 && element(c, 3, 4) == 2 && element(c, 3, 5) == 1);
    REASON("the matrix is stored by rows", GrB_assign(d, NULL, NULL, a, GrB_ALL, n, GrB_ALL, n, NULL));
    CHECK(element(d, 3, 4) == 1);
    REASON("is transposed", GrB_apply(c, NULL, NULL, GrB_MINUS_FP64, 1.0, a, GrB_DESC_T1));
    CHECK(element(c, 4, 3) == 0 && element(c, 3, 4) == -77 && element(c, 3, 3) == -1);
    /* a matrix of few rows by position, and its product with the transpose of the first operand */
    OK(GrB_Matrix_new(&few_rows, GrB_FP64, n, 3));
    for (GrB_Index i = 0; i < n; ++i) OK(GrB_Matrix_setElement(few_rows, 1.0, i, i % 3));
    GrB_Matrix sums = NULL;
    OK(GrB_Matrix_new(&sums, GrB_FP64, 3, n));
    REASON("the first operand is transposed",
           GrB_mxm(sums, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, few_rows, a, GrB_DESC_T0));
    CHECK(element(sums, 0, 3) == 2 && element(sums, 0, 4) == 1 && element(sums, 1, 3) == -77);
    GrB_Matrix_free(&sums), GrB_Matrix_free(&few_rows);
    REASON("it has no kernels", GrB_transpose(c, NULL, NULL, a, NULL));
    CHECK(element(c, 4, 3) == 1);
    /* few of many rows: offsets of all rows on the device */
    GrB_Matrix sparse = NULL;
    GrB_Vector x = NULL, y = NULL;
    OK(GrB_Matrix_new(&sparse, GrB_FP64, 100000, n));
    OK(GrB_Matrix_setElement(sparse, 3.0, 99999, 4));
    OK(GrB_Matrix_setElement(sparse, 5.0, 7, 0));
    OK(GrB_Matrix_setElement(sparse, 6.0, 7, 9));
    OK(GrB_Vector_new(&x, GrB_FP64, 100000));
    ON_DEVICE(GrB_mxv(x, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, sparse, u, NULL));
    CHECK(entries(x) == 2 && value(x, 99999) == 12 && value(x, 7) == 54);
    GrB_Matrix_free(&sparse);
    OK(GrB_Matrix_new(&sparse, GrB_FP64, (GrB_Index)1 << 26, n));
    OK(GrB_Matrix_setElement(sparse, 3.0, 99999, 4));
    OK(GrB_Vector_new(&y, GrB_FP64, (GrB_Index)1 << 26));
    REASON("few of many rows", GrB_mxv(y, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, sparse, u, NULL));
    CHECK(entries(y) == 1 && value(y, 99999) == 12);
    GrB_Matrix_free(&sparse);
    OK(GrB_Matrix_new(&sparse, GrB_FP64, n, (GrB_Index)1 << 40));
    OK(GrB_Matrix_setElement(sparse, 3.0, 7, (GrB_Index)1 << 39));
    REASON("too large for indices of 32 bits", GrB_reduce(w, NULL, NULL, GrB_PLUS_MONOID_FP64, sparse, NULL));
    CHECK(entries(w) == 1 && value(w, 7) == 3);
    GrB_Matrix_free(&sparse), GrB_Vector_free(&x), GrB_Vector_free(&y);
    GrB_Matrix_free(&c), GrB_Matrix_free(&d), GrB_Vector_free(&w);
}

/* The device fails when entries that it alone has are read: the call says so. */
static void lost_entries(void) {
    GrB_Vector w = NULL;
    char const* message = NULL;
    double x = 0;
    OK(GrB_Vector_new(&w, GrB_FP64, n));
    ON_DEVICE(GrB_apply(w, NULL, NULL, GrB_AINV_FP64, u, NULL));
    setenv("COPPICE_GRAPHBLAS_DEVICE_FAILS", "1", 1);
    CHECK(GrB_Vector_extractElement(&x, w, 4) == GrB_PANIC);
    unsetenv("COPPICE_GRAPHBLAS_DEVICE_FAILS");
    OK(GrB_error(&message, w));
    CHECK(strstr(message, "the entries are lost") && strstr(message, "device memory is exhausted"));
    GrB_Vector_free(&w);
}

/* What GxB_fprint writes of memory on the device. */
static void descriptions(void) {
    GrB_Vector w = NULL;
    GrB_Matrix c = NULL;
    FILE* file = tmpfile();
    if (!file) return check(false, "a temporary file", __LINE__);
    OK(GrB_Vector_new(&w, GrB_FP64, n));
    OK(GrB_Matrix_new(&c, GrB_FP64, n, n));
    ON_DEVICE(GrB_eWiseAdd(c, NULL, NULL, GrB_PLUS_FP64, a, b, NULL));
    ON_DEVICE(GrB_vxm(w, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, u, a, NULL));
    OK(GxB_Matrix_fprint(c, "c", GxB_SUMMARY, file));
    OK(GxB_Matrix_fprint(a, "a", GxB_SUMMARY, file));
    OK(GxB_Vector_fprint(w, "w", GxB_SUMMARY, file));
    OK(GrB_Vector_setElement(w, 1.0, 0));
    use(COPPICE_BACKEND_CUDA);
    ON_DEVICE(GrB_apply(w, NULL, NULL, GrB_AINV_FP64, w, NULL));
    CHECK(value(w, 1) == -(2 * 1 + 0.0)); /* w[1] = u[0] + 2 u[1] = 2 */
    OK(GxB_Vector_fprint(w, "v", GxB_SUMMARY, file));
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    CHECK(strstr(text, "c: matrix, 200 x 200, type GrB_FP64, 399 entries, in device memory\n"
                       "  on the device: sparse list of entries, "));
    CHECK(strstr(text, "a: matrix, 200 x 200, type GrB_FP64, 399 entries, in host and device memory\n"));
    CHECK(strstr(text, "sparse list of entries transpose, "));
    CHECK(strstr(text,
                 "w: vector of 200, type GrB_FP64, 200 entries, in device memory\n  on the device: full, 1600 bytes"));
    CHECK(strstr(text, "v: vector of 200, type GrB_FP64, 200 entries, in host and device memory\n"));
    fclose(file);
    GrB_Vector_free(&w), GrB_Matrix_free(&c);
}

/* Backends by the environment, read by GrB_init. */
static void environment(void) {
    struct {
        char const* name;
        int code, backend;
    } const names[] = {{"host", GrB_SUCCESS, COPPICE_BACKEND_HOST},
                       {"cuda", GrB_SUCCESS, COPPICE_BACKEND_CUDA},
                       {"auto", GrB_SUCCESS, COPPICE_BACKEND_AUTO},
                       {"CUDA", GrB_INVALID_VALUE, 0}};
    for (int k = 0; k < 4; ++k) {
        setenv("COPPICE_GRAPHBLAS_BACKEND", names[k].name, 1);
        CHECK((int)GrB_init(GrB_NONBLOCKING) == names[k].code);
        int32_t backend = -1;
        if (names[k].code != GrB_SUCCESS) continue;
        OK(GrB_get(GrB_GLOBAL, &backend, COPPICE_BACKEND));
        CHECK(backend == names[k].backend);
        OK(GrB_finalize());
    }
    unsetenv("COPPICE_GRAPHBLAS_BACKEND");
}

/* A program on a machine without a device: CUDA cannot be chosen, and operations run on the host. */
static int without_device(void) {
    setenv("COPPICE_GRAPHBLAS_BACKEND", "cuda", 1);
    if (GrB_init(GrB_NONBLOCKING) == GrB_SUCCESS) {
        printf("skipped: there is a device\n");
        return 77;
    }
    setenv("COPPICE_GRAPHBLAS_BACKEND", "auto", 1);
    OK(GrB_init(GrB_NONBLOCKING));
    CHECK(strcmp(last_run(), "") == 0);
    CHECK(GrB_set(GrB_GLOBAL, COPPICE_BACKEND_CUDA, COPPICE_BACKEND) == GrB_NOT_IMPLEMENTED);
    CHECK(GrB_set(GrB_GLOBAL, -1, COPPICE_BACKEND) == GrB_INVALID_VALUE);
    OK(GrB_get(GrB_GLOBAL, text, COPPICE_DEVICE_NAME));
    CHECK(strstr(text, "there is no CUDA device: "));
    GrB_Vector v = NULL;
    enum { size = 1200000 };
    OK(GrB_Vector_new(&v, GrB_INT8, size));
    OK(GrB_assign(v, NULL, NULL, 3, GrB_ALL, size, NULL));
    OK(GrB_apply(v, NULL, NULL, GrB_AINV_INT8, v, NULL));
    expect_reason("GrB_apply: host, because there is no CUDA device", __LINE__);
    CHECK(value(v, size - 1) == -3);
    int32_t runs = -1;
    OK(GrB_get(GrB_GLOBAL, &runs, COPPICE_DEVICE_RUNS));
    CHECK(runs == 0);
    GrB_Vector_free(&v);
    GrB_finalize();
    printf("%d failures\n", failures);
    return failures != 0;
}

int main(int argc, char** argv) {
    if (argc == 2 && strcmp(argv[1], "none") == 0) return without_device();
    setenv("COPPICE_GRAPHBLAS_DEVICE", "emulated", 1);
    environment();
    OK(GrB_init(GrB_NONBLOCKING));
    use(COPPICE_BACKEND_HOST);
    OK(GrB_Matrix_new(&a, GrB_FP64, n, n));
    OK(GrB_Matrix_new(&b, GrB_FP64, n, n));
    OK(GrB_Vector_new(&u, GrB_FP64, n));
    for (GrB_Index i = 0; i < n; ++i) {
        OK(GrB_Vector_setElement(u, (double)i, i));
        OK(GrB_Matrix_setElement(a, 2.0, i, i));
        OK(GrB_Matrix_setElement(b, 3.0, i, i));
        if (i + 1 < n) OK(GrB_Matrix_setElement(a, 1.0, i, i + 1));
    }
    operators();
    types();
    shapes();
    lost_entries();
    descriptions();
    GrB_Matrix_free(&a), GrB_Matrix_free(&b), GrB_Vector_free(&u);
    GrB_finalize();
    printf("%d failures\n", failures);
    return failures != 0;
}
