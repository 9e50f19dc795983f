/* SPDX-License-Identifier: BSD-3-Clause */
/* Predefined operators on single values, against the functions of C or their definitions. */
#include <GraphBLAS.h>
#include <complex.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>

#include "checks.h"

/* z = op(x) and z = op(x, y), by vectors of one entry and of the types of x and z. */
#define UNARY(NAME, TYPE, C_TYPE, Z_TYPE, Z_C_TYPE)                                                                    \
    static Z_C_TYPE NAME(GrB_UnaryOp op, C_TYPE x) {                                                                   \
        GrB_Vector u = NULL, w = NULL;                                                                                 \
        Z_C_TYPE z = 77;                                                                                               \
        OK(GrB_Vector_new(&u, TYPE, 1));                                                                               \
        OK(GrB_Vector_new(&w, Z_TYPE, 1));                                                                             \
        OK(GrB_Vector_setElement(u, x, 0));                                                                            \
        OK(GrB_apply(w, NULL, NULL, op, u, NULL));                                                                     \
        OK(GrB_Vector_extractElement(&z, w, 0));                                                                       \
        GrB_Vector_free(&u), GrB_Vector_free(&w);                                                                      \
        return z;                                                                                                      \
    }
#define BINARY(NAME, TYPE, C_TYPE, Z_TYPE, Z_C_TYPE)                                                                   \
    static Z_C_TYPE NAME(GrB_BinaryOp op, C_TYPE x, C_TYPE y) {                                                        \
        GrB_Vector u = NULL, v = NULL, w = NULL;                                                                       \
        Z_C_TYPE z = 77;                                                                                               \
        OK(GrB_Vector_new(&u, TYPE, 1));                                                                               \
        OK(GrB_Vector_new(&v, TYPE, 1));                                                                               \
        OK(GrB_Vector_new(&w, Z_TYPE, 1));                                                                             \
        OK(GrB_Vector_setElement(u, x, 0));                                                                            \
        OK(GrB_Vector_setElement(v, y, 0));                                                                            \
        OK(GrB_eWiseMult(w, NULL, NULL, op, u, v, NULL));                                                              \
        OK(GrB_Vector_extractElement(&z, w, 0));                                                                       \
        GrB_Vector_free(&u), GrB_Vector_free(&v), GrB_Vector_free(&w);                                                 \
        return z;                                                                                                      \
    }
UNARY(of_double, GrB_FP64, double, GrB_FP64, double)
UNARY(of_float, GrB_FP32, float, GrB_FP32, float)
UNARY(of_complex, GxB_FC64, GxB_FC64_t, GxB_FC64, GxB_FC64_t)
UNARY(of_complex_float, GxB_FC32, GxB_FC32_t, GxB_FC32, GxB_FC32_t)
UNARY(real_of_complex, GxB_FC64, GxB_FC64_t, GrB_FP64, double)
UNARY(of_int8, GrB_INT8, int8_t, GrB_INT8, int8_t)
UNARY(of_uint8, GrB_UINT8, uint8_t, GrB_UINT8, uint8_t)
UNARY(of_bool, GrB_BOOL, bool, GrB_BOOL, bool)
BINARY(of_doubles, GrB_FP64, double, GrB_FP64, double)
BINARY(of_floats, GrB_FP32, float, GrB_FP32, float)
BINARY(of_complexes, GxB_FC64, GxB_FC64_t, GxB_FC64, GxB_FC64_t)
BINARY(complex_of_doubles, GrB_FP64, double, GxB_FC64, GxB_FC64_t)
BINARY(complex_of_floats, GrB_FP32, float, GxB_FC32, GxB_FC32_t)
BINARY(of_int8s, GrB_INT8, int8_t, GrB_INT8, int8_t)
BINARY(of_uint8s, GrB_UINT8, uint8_t, GrB_UINT8, uint8_t)
BINARY(of_bools, GrB_BOOL, bool, GrB_BOOL, bool)

/* The library and this program may use different compilers. */
static bool close_to(double x, double y, double unit) {
    return x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= 4 * unit * fabs(y);
}
static bool is(GxB_FC64_t z, double real, double imag) {
    return close_to(creal(z), real, 1e-16) && close_to(cimag(z), imag, 1e-16);
}

static void functions_of_real_numbers(void) {
#define REAL(NAME, FUNCTION)                                                                                           \
    for (int k = 0; k < 8; ++k) {                                                                                      \
        check(close_to(of_double(GxB_##NAME##_FP64, x[k]), FUNCTION(x[k]), 0x1p-53), #NAME, __LINE__);                 \
        float const y = (float)x[k];                                                                                   \
        check(close_to((double)of_float(GxB_##NAME##_FP32, y), (double)FUNCTION##f(y), 0x1p-24), #NAME, __LINE__);     \
    }
    double const x[8] = {-1.5, -0.75, -0.25, 0.125, 0.5, 1, 1.75, 2.5};
    REAL(SQRT, sqrt) REAL(LOG, log) REAL(EXP, exp) REAL(LOG2, log2) REAL(EXP2, exp2) REAL(LOG10, log10);
    REAL(LOG1P, log1p) REAL(EXPM1, expm1) REAL(SIN, sin) REAL(COS, cos) REAL(TAN, tan) REAL(ASIN, asin);
    REAL(ACOS, acos) REAL(ATAN, atan) REAL(SINH, sinh) REAL(COSH, cosh) REAL(TANH, tanh) REAL(ASINH, asinh);
    REAL(ACOSH, acosh) REAL(ATANH, atanh) REAL(CBRT, cbrt) REAL(CEIL, ceil) REAL(FLOOR, floor) REAL(ROUND, round);
    REAL(TRUNC, trunc) REAL(LGAMMA, lgamma) REAL(TGAMMA, tgamma) REAL(ERF, erf) REAL(ERFC, erfc);
#define REALS(NAME, FUNCTION)                                                                                          \
    for (int k = 0; k < 7; ++k) {                                                                                      \
        check(close_to(of_doubles(GxB_##NAME##_FP64, x[k], x[k + 1]), FUNCTION(x[k], x[k + 1]), 0x1p-53), #NAME,       \
              __LINE__);                                                                                               \
        float const y = (float)x[k], z = (float)x[k + 1];                                                              \
        check(close_to((double)of_floats(GxB_##NAME##_FP32, y, z), (double)FUNCTION##f(y, z), 0x1p-24), #NAME,         \
              __LINE__);                                                                                               \
    }
    REALS(ATAN2, atan2) REALS(HYPOT, hypot) REALS(FMOD, fmod) REALS(COPYSIGN, copysign);
    CHECK(is(complex_of_doubles(GxB_CMPLX_FP64, 1.5, -2), 1.5, -2));
    CHECK(complex_of_floats(GxB_CMPLX_FP32, 0.5f, 3) == GxB_CMPLXF(0.5f, 3));
    CHECK(of_double(GrB_MINV_FP64, 4) == 0.25 && of_double(GrB_ABS_FP64, -4) == 4 && of_double(GxB_LNOT_FP64, 0) == 1);
    /* the value that is a number */
    CHECK(of_doubles(GrB_MIN_FP64, NAN, 3) == 3 && of_doubles(GrB_MIN_FP64, 3, NAN) == 3);
    CHECK(of_doubles(GrB_MAX_FP64, NAN, 3) == 3 && of_doubles(GrB_MAX_FP64, 3, NAN) == 3);
}

static void functions_of_complex_numbers(void) {
    GxB_FC64_t const x[4] = {GxB_CMPLX(0.5, 0.25), GxB_CMPLX(-1.5, 2), GxB_CMPLX(0.75, -0.5), GxB_CMPLX(-0.25, -3)};
#define COMPLEX(NAME, FUNCTION)                                                                                        \
    for (int k = 0; k < 4; ++k) {                                                                                      \
        GxB_FC64_t const y = FUNCTION(x[k]), z = of_complex(GxB_##NAME##_FC64, x[k]);                                  \
        check(cabs(z - y) <= 0x1p-48 * cabs(y), #NAME, __LINE__);                                                      \
        GxB_FC32_t const v = GxB_CMPLXF((float)creal(x[k]), (float)cimag(x[k]));                                       \
        GxB_FC64_t const w = of_complex_float(GxB_##NAME##_FC32, v);                                                   \
        check(cabs(w - y) <= 0x1p-20 * cabs(y), #NAME, __LINE__);                                                      \
    }
    COMPLEX(SQRT, csqrt) COMPLEX(LOG, clog) COMPLEX(EXP, cexp) COMPLEX(SIN, csin) COMPLEX(COS, ccos);
    COMPLEX(TAN, ctan) COMPLEX(ASIN, casin) COMPLEX(ACOS, cacos) COMPLEX(ATAN, catan) COMPLEX(SINH, csinh);
    COMPLEX(COSH, ccosh) COMPLEX(TANH, ctanh) COMPLEX(ASINH, casinh) COMPLEX(ACOSH, cacosh) COMPLEX(ATANH, catanh);
    COMPLEX(CONJ, conj);
    for (int k = 0; k < 4; ++k) {
        CHECK(close_to(real_of_complex(GxB_ABS_FC64, x[k]), cabs(x[k]), 0x1p-53));
        CHECK(close_to(real_of_complex(GxB_CARG_FC64, x[k]), carg(x[k]), 0x1p-53));
        CHECK(real_of_complex(GxB_CREAL_FC64, x[k]) == creal(x[k]));
        CHECK(real_of_complex(GxB_CIMAG_FC64, x[k]) == cimag(x[k]));
    }
    CHECK(is(of_complexes(GxB_TIMES_FC64, GxB_CMPLX(1, 2), GxB_CMPLX(3, -1)), 5, 5));
    CHECK(is(of_complexes(GxB_MINUS_FC64, GxB_CMPLX(1, 2), GxB_CMPLX(3, -1)), -2, 3));
    CHECK(is(of_complexes(GxB_RMINUS_FC64, GxB_CMPLX(1, 2), GxB_CMPLX(3, -1)), 2, -3));
    CHECK(is(of_complex(GxB_MINV_FC64, GxB_CMPLX(0, 2)), 0, -0.5));
    CHECK(is(of_complex(GxB_AINV_FC64, GxB_CMPLX(1, -2)), -1, 2));
    /* quotients: the larger part of the divisor is the real, the imaginary, the only one; both are infinite */
    CHECK(is(of_complexes(GxB_DIV_FC64, GxB_CMPLX(10, 5), GxB_CMPLX(4, 3)), 2.2, -0.4));
    CHECK(is(of_complexes(GxB_DIV_FC64, GxB_CMPLX(10, 5), GxB_CMPLX(3, 4)), 2, -1));
    CHECK(is(of_complexes(GxB_RDIV_FC64, GxB_CMPLX(3, 4), GxB_CMPLX(10, 5)), 2, -1));
    CHECK(is(of_complexes(GxB_DIV_FC64, GxB_CMPLX(6, 3), GxB_CMPLX(2, 0)), 3, 1.5));
    CHECK(is(of_complexes(GxB_DIV_FC64, GxB_CMPLX(0, 3), GxB_CMPLX(2, 0)), 0, 1.5));
    CHECK(is(of_complexes(GxB_DIV_FC64, GxB_CMPLX(3, 0), GxB_CMPLX(0, 0)), INFINITY, 0));
    CHECK(is(of_complexes(GxB_DIV_FC64, GxB_CMPLX(0, 3), GxB_CMPLX(0, 0)), 0, INFINITY));
    CHECK(is(of_complexes(GxB_DIV_FC64, GxB_CMPLX(6, 3), GxB_CMPLX(0, 2)), 1.5, -3));
    CHECK(is(of_complexes(GxB_DIV_FC64, GxB_CMPLX(6, 0), GxB_CMPLX(0, 2)), 0, -3));
    CHECK(is(of_complexes(GxB_DIV_FC64, GxB_CMPLX(0, 3), GxB_CMPLX(0, 2)), 1.5, 0));
    CHECK(is(of_complexes(GxB_DIV_FC64, GxB_CMPLX(1, 3), GxB_CMPLX(INFINITY, -INFINITY)), 0, 0));
    CHECK(is(of_complexes(GxB_DIV_FC64, GxB_CMPLX(1, 3), GxB_CMPLX(-INFINITY, INFINITY)), 0, 0));
    CHECK(is(of_complexes(GxB_DIV_FC64, GxB_CMPLX(1e300, 1e300), GxB_CMPLX(1e300, -1e300)), 0, 1));
}

/* Integers wrap around; a quotient by 0 is the largest or smallest number, or 0. */
static void functions_of_integers(void) {
    CHECK(of_int8s(GrB_DIV_INT8, 7, 0) == INT8_MAX && of_int8s(GrB_DIV_INT8, -7, 0) == INT8_MIN);
    CHECK(of_int8s(GrB_DIV_INT8, 0, 0) == 0 && of_int8s(GrB_DIV_INT8, -7, 2) == -3);
    CHECK(of_int8s(GrB_DIV_INT8, INT8_MIN, -1) == INT8_MIN && of_int8s(GrB_DIV_INT8, 7, -1) == -7);
    CHECK(of_int8s(GxB_RDIV_INT8, 2, 9) == 4 && of_int8s(GxB_RMINUS_INT8, 2, 9) == 7);
    CHECK(of_uint8s(GrB_DIV_UINT8, 7, 0) == UINT8_MAX && of_uint8s(GrB_DIV_UINT8, 0, 0) == 0);
    CHECK(of_uint8s(GrB_DIV_UINT8, 255, 2) == 127);
    CHECK(of_int8s(GrB_PLUS_INT8, INT8_MAX, 1) == INT8_MIN && of_int8s(GrB_TIMES_INT8, 100, 3) == 44);
    CHECK(of_int8s(GrB_MINUS_INT8, INT8_MIN, 1) == INT8_MAX && of_uint8s(GrB_MINUS_UINT8, 1, 2) == 255);
    CHECK(of_int8(GrB_AINV_INT8, INT8_MIN) == INT8_MIN && of_int8(GrB_AINV_INT8, 5) == -5);
    CHECK(of_int8(GrB_ABS_INT8, -5) == 5 && of_int8(GrB_ABS_INT8, INT8_MIN) == INT8_MIN);
    CHECK(of_uint8(GrB_ABS_UINT8, 200) == 200 && of_uint8(GrB_AINV_UINT8, 1) == 255);
    CHECK(of_int8(GrB_MINV_INT8, 0) == INT8_MAX && of_int8(GrB_MINV_INT8, 1) == 1 && of_int8(GrB_MINV_INT8, 3) == 0);
    CHECK(of_int8(GrB_MINV_INT8, -1) == -1 && of_uint8(GrB_MINV_UINT8, 0) == UINT8_MAX);
    CHECK(of_uint8(GrB_BNOT_UINT8, 0x0f) == 0xf0 && of_int8(GrB_BNOT_INT8, 0) == -1);
    CHECK(of_uint8s(GrB_BOR_UINT8, 0x35, 0x53) == 0x77 && of_uint8s(GrB_BAND_UINT8, 0x35, 0x53) == 0x11);
    CHECK(of_uint8s(GrB_BXOR_UINT8, 0x35, 0x53) == 0x66 && of_uint8s(GrB_BXNOR_UINT8, 0x35, 0x53) == 0x99);
    CHECK(of_int8(GxB_LNOT_INT8, 5) == 0 && of_int8(GxB_LNOT_INT8, 0) == 1 && of_int8(GxB_ONE_INT8, 9) == 1);
    CHECK(of_int8s(GxB_LOR_INT8, 0, 4) == 1 && of_int8s(GxB_LAND_INT8, 0, 4) == 0 &&
          of_int8s(GxB_LXOR_INT8, 3, 4) == 0);
    CHECK(of_int8s(GxB_ISGT_INT8, 3, 2) == 1 && of_int8s(GxB_ISEQ_INT8, 3, 2) == 0 &&
          of_int8s(GxB_PAIR_INT8, 0, 0) == 1);
}
/* Operators of numbers applied to truth values: 1 + 1 is 1, and 1 - 1 is 0. */
static void functions_of_truth_values(void) {
    for (int k = 0; k < 4; ++k) {
        bool const x = k & 1, y = k > 1;
        CHECK(of_bools(GrB_PLUS_BOOL, x, y) == (x || y) && of_bools(GrB_TIMES_BOOL, x, y) == (x && y));
        CHECK(of_bools(GrB_MINUS_BOOL, x, y) == (x != y) && of_bools(GxB_RMINUS_BOOL, x, y) == (x != y));
        CHECK(of_bools(GrB_DIV_BOOL, x, y) == x && of_bools(GxB_RDIV_BOOL, x, y) == y);
        CHECK(of_bools(GrB_MIN_BOOL, x, y) == (x && y) && of_bools(GrB_MAX_BOOL, x, y) == (x || y));
        CHECK(of_bools(GrB_LXNOR, x, y) == (x == y) && of_bools(GrB_LXOR, x, y) == (x != y));
        CHECK(of_bools(GrB_GT_BOOL, x, y) == (x > y) && of_bools(GrB_LE_BOOL, x, y) == (x <= y));
        CHECK(of_bools(GrB_ONEB_BOOL, x, y) && of_bools(GrB_FIRST_BOOL, x, y) == x &&
              of_bools(GrB_SECOND_BOOL, x, y) == y);
    }
    CHECK(of_bool(GrB_MINV_BOOL, false) && of_bool(GrB_MINV_BOOL, true) && of_bool(GrB_ABS_BOOL, true));
    CHECK(of_bool(GrB_AINV_BOOL, true) && !of_bool(GrB_AINV_BOOL, false) && of_bool(GrB_LNOT, false));
}

/* Operators of positions, in rows of a matrix with entries (i, j) = 10 i + j. */
static void functions_of_positions(void) {
    GrB_Matrix a = NULL, c = NULL;
    OK(GrB_Matrix_new(&a, GrB_INT64, 4, 5));
    OK(GrB_Matrix_new(&c, GrB_INT64, 4, 5));
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 5; ++j) OK(GrB_Matrix_setElement(a, 10 * i + j, (GrB_Index)i, (GrB_Index)j));
#define AT(OP, Y, EXPECTED)                                                                                            \
    do {                                                                                                               \
        OK(GrB_apply(c, NULL, NULL, OP, a, (int64_t)(Y), NULL));                                                       \
        for (int i = 0; i < 4; ++i)                                                                                    \
            for (int j = 0; j < 5; ++j) {                                                                              \
                int64_t x = -77;                                                                                       \
                OK(GrB_Matrix_extractElement(&x, c, (GrB_Index)i, (GrB_Index)j));                                      \
                check(x == (EXPECTED), #OP, __LINE__);                                                                 \
            }                                                                                                          \
    } while (0)
    AT(GrB_ROWINDEX_INT32, 3, i + 3);
    AT(GrB_ROWINDEX_INT64, -1, i - 1);
    AT(GrB_COLINDEX_INT32, 3, j + 3);
    AT(GrB_COLINDEX_INT64, 2, j + 2);
    AT(GrB_DIAGINDEX_INT32, 3, j - i + 3);
    AT(GrB_DIAGINDEX_INT64, 0, j - i);
    AT(GrB_TRIL, 1, j - i <= 1);
    AT(GrB_TRIU, 1, j - i >= 1);
    AT(GrB_DIAG, -1, j - i == -1);
    AT(GrB_OFFDIAG, -1, j - i != -1);
    AT(GrB_ROWLE, 2, i <= 2);
    AT(GrB_ROWGT, 2, i > 2);
    AT(GrB_COLLE, 2, j <= 2);
    AT(GrB_COLGT, 2, j > 2);
    AT(GrB_VALUEEQ_INT64, 12, 10 * i + j == 12);
    AT(GrB_VALUENE_INT64, 12, 10 * i + j != 12);
    AT(GrB_VALUELT_INT64, 12, 10 * i + j < 12);
    AT(GrB_VALUELE_INT64, 12, 10 * i + j <= 12);
    AT(GrB_VALUEGT_INT64, 12, 10 * i + j > 12);
    AT(GrB_VALUEGE_INT64, 12, 10 * i + j >= 12);
#define INDICES(OP, TYPE, EXPECTED)                                                                                    \
    do {                                                                                                               \
        OK(GrB_eWiseMult(c, NULL, NULL, GxB_##OP##_##TYPE, a, a, NULL));                                               \
        int64_t x = -77;                                                                                               \
        OK(GrB_Matrix_extractElement(&x, c, 2, 3));                                                                    \
        check(x == (EXPECTED), #OP, __LINE__);                                                                         \
    } while (0)
    INDICES(FIRSTI, INT32, 2);
    INDICES(FIRSTI1, INT64, 3);
    INDICES(FIRSTJ, INT64, 3);
    INDICES(FIRSTJ1, INT32, 4);
    INDICES(SECONDI, INT64, 2);
    INDICES(SECONDI1, INT32, 3);
    INDICES(SECONDJ, INT32, 3);
    INDICES(SECONDJ1, INT64, 4);
    GrB_Matrix_free(&a), GrB_Matrix_free(&c);
}

/* Folds of values that no other test has: exclusive or, and its complement. */
static void folds_of_bits(void) {
    GrB_Vector v = NULL;
    uint8_t x = 0;
    OK(GrB_Vector_new(&v, GrB_UINT8, 3));
    OK(GrB_Vector_setElement(v, 0x35, 0));
    OK(GrB_Vector_setElement(v, 0x53, 2));
    OK(GrB_reduce(&x, NULL, GxB_BXNOR_UINT8_MONOID, v, NULL));
    CHECK(x == 0x99);
    OK(GrB_reduce(&x, NULL, GxB_BXOR_UINT8_MONOID, v, NULL));
    CHECK(x == 0x66);
    OK(GrB_reduce(&x, NULL, GxB_BOR_UINT8_MONOID, v, NULL));
    CHECK(x == 0x77);
    OK(GrB_reduce(&x, NULL, GxB_BAND_UINT8_MONOID, v, NULL));
    CHECK(x == 0x11);
    GrB_Vector_free(&v);
}

int main(void) {
    GrB_init(GrB_NONBLOCKING);
    functions_of_real_numbers();
    functions_of_complex_numbers();
    functions_of_integers();
    functions_of_truth_values();
    functions_of_positions();
    folds_of_bits();
    GrB_finalize();
    printf("%d failures\n", failures);
    return failures != 0;
}
