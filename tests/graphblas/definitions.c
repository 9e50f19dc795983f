/* SPDX-License-Identifier: BSD-3-Clause */
/* Operators from C definitions: compiled, from the cache, and without a compiler.

       definitions FOLDER         with a folder that does not exist yet
       definitions FOLDER PATH    again, with a PATH without a compiler: the libraries are those of the first run */
#define _POSIX_C_SOURCE 200809L
#include <GraphBLAS.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "range_type.h"

/* What the program itself gives differs from the definitions, so that results tell which one ran. */
static void subtract(void* z, void const* x, void const* y) { *(double*)z = *(double const*)x - *(double const*)y; }
static void negate(void* z, void const* x) { *(double*)z = -*(double const*)x; }

/* Definitions with a comment of the test, so that each is another source. */
static char const* definition_of(char const* comment, char const* text) {
    static char all[1024];
    snprintf(all, sizeof all, "/* %s */ %s", comment, text);
    return all;
}
#define CLAMPED "void clamped(double *z, const double *x, const double *y) { *z = *x < 0 ? 0 : *x * *y; }"

/* Result of op on a vector of (-1, 2) and one of (3, 4): the two elements of the result are stored. */
static void apply(GrB_BinaryOp op, double result[2]) {
    GrB_Vector u = NULL, v = NULL, w = NULL;
    GrB_Vector_new(&u, GrB_FP64, 2);
    GrB_Vector_new(&v, GrB_FP64, 2);
    GrB_Vector_new(&w, GrB_FP64, 2);
    GrB_Vector_setElement_FP64(u, -1, 0);
    GrB_Vector_setElement_FP64(u, 2, 1);
    GrB_Vector_setElement_FP64(v, 3, 0);
    GrB_Vector_setElement_FP64(v, 4, 1);
    CHECK(GrB_Vector_eWiseMult_BinaryOp(w, NULL, NULL, op, u, v, NULL) == GrB_SUCCESS);
    result[0] = result[1] = 99;
    GrB_Vector_extractElement_FP64(&result[0], w, 0);
    GrB_Vector_extractElement_FP64(&result[1], w, 1);
    GrB_Vector_free(&u);
    GrB_Vector_free(&v);
    GrB_Vector_free(&w);
}
/* Which one runs for a definition: 1 the compiled one, 0 the function. */
static int compiled(char const* comment, char const* text) {
    GrB_BinaryOp op = NULL;
    double r[2];
    CHECK(GxB_BinaryOp_new(&op, subtract, GrB_FP64, GrB_FP64, GrB_FP64, "clamped", definition_of(comment, text)) ==
          GrB_SUCCESS);
    apply(op, r);
    GrB_BinaryOp_free(&op);
    if (r[0] == 0 && r[1] == 8) return 1;
    return r[0] == -4 && r[1] == -2 ? 0 : -1;
}

static void operators_of_definitions(void) {
    CHECK(compiled("first", CLAMPED) == 1);
    CHECK(compiled("first", CLAMPED) == 1);
    GrB_BinaryOp op = NULL;
    double r[2];
    CHECK(GxB_BinaryOp_new(&op, NULL, GrB_FP64, GrB_FP64, GrB_FP64, "clamped", CLAMPED) == GrB_SUCCESS);
    apply(op, r);
    CHECK(r[0] == 0 && r[1] == 8);
    GrB_BinaryOp_free(&op);

    GrB_UnaryOp unary = NULL;
    GrB_Vector v = NULL;
    GrB_Vector_new(&v, GrB_FP64, 1000);
    GrB_Vector_assign_FP64(v, NULL, NULL, 3, GrB_ALL, 1000, NULL);
    CHECK(GxB_UnaryOp_new(&unary, negate, GrB_FP64, GrB_FP64, "cube",
                          "void cube(double *z, const double *x) { *z = *x * *x * *x; }") == GrB_SUCCESS);
    CHECK(GrB_Vector_apply(v, NULL, NULL, unary, v, NULL) == GrB_SUCCESS);
    double sum = 0;
    GrB_Vector_reduce_FP64(&sum, NULL, GrB_PLUS_MONOID_FP64, v, NULL);
    CHECK(sum == 27000);
    GrB_UnaryOp_free(&unary);

    GrB_IndexUnaryOp index = NULL;
    CHECK(GxB_IndexUnaryOp_new(&index, NULL, GrB_BOOL, GrB_FP64, GrB_INT64, "third",
                               "void third(bool *z, const double *x, GrB_Index i, GrB_Index j, const int64_t *y)"
                               "{ *z = i % 3 == (GrB_Index)*y; }") == GrB_SUCCESS);
    CHECK(GrB_Vector_select_INT64(v, NULL, NULL, index, v, 1, NULL) == GrB_SUCCESS);
    GrB_Index count = 0;
    GrB_Vector_nvals(&count, v);
    CHECK(count == 333);
    GrB_IndexUnaryOp_free(&index);
    GrB_Vector_free(&v);
}

/* A monoid of a user-defined type whose definition is known; its result must not share memory with an operand. */
static void user_types(void) {
    GrB_Type type = NULL;
    GrB_BinaryOp op = NULL;
    GrB_Monoid monoid = NULL;
    GrB_Vector v = NULL;
    make_range_type(&type, &op);
    range empty = {1e300, -1e300}, x, all = empty;
    CHECK(GrB_Monoid_new_UDT(&monoid, op, &empty) == GrB_SUCCESS);
    GrB_Vector_new(&v, type, 3000);
    for (int k = 0; k < 3000; ++k) {
        x.low = (k * 7) % 1000 - 500, x.high = x.low + k % 13;
        GrB_Vector_setElement_UDT(v, &x, (GrB_Index)k);
    }
    CHECK(GrB_Vector_reduce_UDT(&all, NULL, monoid, v, NULL) == GrB_SUCCESS);
    CHECK(all.low == -500 && all.high >= 499 && all.high <= 511);
    GrB_Vector_free(&v);
    GrB_Monoid_free(&monoid);
    GrB_BinaryOp_free(&op);
    GrB_Type_free(&type);
}

static void without_success(char const* folder) {
    char other[512];
    CHECK(compiled("wrong C", "void clamped(double *z { }") == 0);
    CHECK(compiled("another name", "void other(double *z, const double *x, const double *y) { *z = 1; }") == 0);
    GrB_BinaryOp op = NULL;
    CHECK(GxB_BinaryOp_new(&op, NULL, GrB_FP64, GrB_FP64, GrB_FP64, "clamped", "not C") == GrB_NULL_POINTER && !op);
    char const* message = "";
    CHECK(GxB_BinaryOp_new(&op, subtract, GrB_FP64, GrB_FP64, GrB_FP64, "clamped", "not C") == GrB_SUCCESS);
    CHECK(GrB_BinaryOp_error(&message, op) == GrB_SUCCESS && strstr(message, "the function is used"));
    GrB_BinaryOp_free(&op);

    setenv("COPPICE_JIT", "off", 1);
    CHECK(compiled("first", CLAMPED) == 0);
    unsetenv("COPPICE_JIT");
    setenv("COPPICE_CC", "/no/such/compiler", 1);
    CHECK(compiled("no compiler", CLAMPED) == 0);
    unsetenv("COPPICE_CC");

    chmod(folder, 0777); /* others could replace libraries */
    CHECK(compiled("open folder", CLAMPED) == 0);
    chmod(folder, 0700);
    snprintf(other, sizeof other, "%s/file", folder);
    FILE* f = fopen(other, "w");
    if (f) fclose(f);
    setenv("COPPICE_CACHE_DIR", other, 1);
    CHECK(compiled("a file in place of the folder", CLAMPED) == 0);
    setenv("COPPICE_CACHE_DIR", folder, 1);
    CHECK(compiled("last", CLAMPED) == 1);
}

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    setenv("COPPICE_CACHE_DIR", argv[1], 1);
    if (argc == 3) setenv("PATH", argv[2], 1);
    GrB_init(GrB_NONBLOCKING);
    operators_of_definitions();
    user_types();
    if (argc == 2) without_success(argv[1]);
    GrB_finalize();
    printf("%d failures\n", failures);
    return failures != 0;
}
