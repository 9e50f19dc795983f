/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects of all kinds: fields by GrB_get and GrB_set, descriptions by GxB_fprint, GrB_wait, GrB_error and GrB_free.
   Values and codes are those of the specification, of SuiteSparse:GraphBLAS where it leaves them open. */
#include <GraphBLAS.h>
#include <math.h>
#include <string.h>

#include <coppice/version.h>

#include "checks.h"

#define WRONG(CALL) CODE(GrB_INVALID_VALUE, CALL)

static char text[1000];
static int32_t number;
static size_t size;
static GrB_Scalar scalar; /* of type GrB_INT32 */

/* A field whose value is a text: it has a size, and no other kind of value. */
#define TEXT(OBJECT, FIELD, EXPECTED)                                                                                  \
    do {                                                                                                               \
        OK(GrB_get(OBJECT, text, FIELD));                                                                              \
        check(strcmp(text, EXPECTED) == 0, #OBJECT " " #FIELD, __LINE__);                                              \
        OK(GrB_get(OBJECT, &size, FIELD));                                                                             \
        check(size == strlen(EXPECTED) + 1, "size of " #OBJECT " " #FIELD, __LINE__);                                  \
        WRONG(GrB_get(OBJECT, &number, FIELD));                                                                        \
        WRONG(GrB_get(OBJECT, scalar, FIELD));                                                                         \
        WRONG(GrB_get(OBJECT, (void*)text, FIELD));                                                                    \
    } while (0)
/* A field whose value is an integer, of type int32_t or in a GrB_Scalar. */
#define INTEGER(OBJECT, FIELD, EXPECTED)                                                                               \
    do {                                                                                                               \
        number = -77;                                                                                                  \
        OK(GrB_get(OBJECT, &number, FIELD));                                                                           \
        check(number == (EXPECTED), #OBJECT " " #FIELD, __LINE__);                                                     \
        number = -77;                                                                                                  \
        OK(GrB_get(OBJECT, scalar, FIELD));                                                                            \
        OK(GrB_Scalar_extractElement(&number, scalar));                                                                \
        check(number == (EXPECTED), "scalar of " #OBJECT " " #FIELD, __LINE__);                                        \
        WRONG(GrB_get(OBJECT, text, FIELD));                                                                           \
        WRONG(GrB_get(OBJECT, &size, FIELD));                                                                          \
    } while (0)
/* A field that the object does not have, or that has no value. */
#define ABSENT(EXPECTED, OBJECT, FIELD)                                                                                \
    do {                                                                                                               \
        CODE(EXPECTED, GrB_get(OBJECT, &number, FIELD));                                                               \
        CODE(EXPECTED, GrB_get(OBJECT, text, FIELD));                                                                  \
        CODE(EXPECTED, GrB_get(OBJECT, &size, FIELD));                                                                 \
        CODE(EXPECTED, GrB_get(OBJECT, scalar, FIELD));                                                                \
    } while (0)
/* What holds for every kind of object; `NAME` is the name that it has. */
#define EVERY(OBJECT, NAME)                                                                                            \
    do {                                                                                                               \
        TEXT(OBJECT, GrB_NAME, NAME);                                                                                  \
        ABSENT(GrB_INVALID_VALUE, OBJECT, 12345);                                                                      \
        WRONG(GrB_set(OBJECT, 0, 12345));                                                                              \
        WRONG(GrB_set(OBJECT, "x", 12345));                                                                            \
        WRONG(GrB_set(OBJECT, (void*)text, GrB_NAME, 3));                                                              \
        OK(GrB_Scalar_clear(scalar));                                                                                  \
        CODE(GrB_EMPTY_OBJECT, GrB_set(OBJECT, scalar, 12345));                                                        \
        OK(GrB_Scalar_setElement(scalar, 1));                                                                          \
        WRONG(GrB_set(OBJECT, scalar, 12345));                                                                         \
        CODE(GrB_NULL_POINTER, GrB_get(OBJECT, (char*)NULL, GrB_NAME));                                                \
        CODE(GrB_NULL_POINTER, GrB_get(OBJECT, (int32_t*)NULL, GrB_NAME));                                             \
        CODE(GrB_NULL_POINTER, GrB_get(OBJECT, (size_t*)NULL, GrB_NAME));                                              \
        CODE(GrB_NULL_POINTER, GrB_get(OBJECT, (GrB_Scalar)NULL, GrB_NAME));                                           \
        CODE(GrB_NULL_POINTER, GrB_set(OBJECT, (char*)NULL, GrB_NAME));                                                \
        CODE(GrB_NULL_POINTER, GrB_set(OBJECT, (GrB_Scalar)NULL, GrB_NAME));                                           \
    } while (0)
/* A handle that is NULL. */
#define NO_OBJECT(KIND)                                                                                                \
    do {                                                                                                               \
        GrB_##KIND const none = NULL;                                                                                  \
        CODE(GrB_NULL_POINTER, GrB_get(none, text, GrB_NAME));                                                         \
        CODE(GrB_NULL_POINTER, GrB_get(none, &number, GrB_NAME));                                                      \
        CODE(GrB_NULL_POINTER, GrB_get(none, &size, GrB_NAME));                                                        \
        CODE(GrB_NULL_POINTER, GrB_get(none, scalar, GrB_NAME));                                                       \
        CODE(GrB_NULL_POINTER, GrB_get(none, (void*)text, GrB_NAME));                                                  \
        CODE(GrB_NULL_POINTER, GrB_set(none, "x", GrB_NAME));                                                          \
        CODE(GrB_NULL_POINTER, GrB_set(none, 1, GrB_NAME));                                                            \
        CODE(GrB_NULL_POINTER, GrB_set(none, scalar, GrB_NAME));                                                       \
        CODE(GrB_NULL_POINTER, GrB_set(none, (void*)text, GrB_NAME, 3));                                               \
    } while (0)

static void add_one(void* z, void const* x) { *(double*)z = *(double const*)x + 1; }
static void add(void* z, void const* x, void const* y) { *(float*)z = *(float const*)x + *(float const*)y; }
static void row(void* z, void const* x, GrB_Index i, GrB_Index j, void const* y) {
    *(int64_t*)z = (int64_t)(i + j) + *(int8_t const*)x + *(int64_t const*)y;
}

static void fields_of_types(void) {
    GrB_Type type = NULL;
    OK(GrB_Type_new(&type, 24));
    EVERY(GrB_FP64, "GrB_FP64");
    INTEGER(GrB_FP64, GrB_EL_TYPE_CODE, GrB_FP64_CODE);
    TEXT(GrB_FP64, GrB_EL_TYPE_STRING, "GrB_FP64");
    INTEGER(GxB_FC32, GrB_EL_TYPE_CODE, GxB_FC32_CODE);
    INTEGER(type, GrB_EL_TYPE_CODE, GrB_UDT_CODE);
    OK(GrB_get(type, &size, GrB_SIZE));
    CHECK(size == 24);
    GrB_Scalar bytes = NULL;
    uint64_t count = 0;
    OK(GrB_Scalar_new(&bytes, GrB_UINT64));
    OK(GrB_get(type, bytes, GrB_SIZE));
    OK(GrB_Scalar_extractElement(&count, bytes));
    CHECK(count == 24);
    WRONG(GrB_get(type, &number, GrB_SIZE));
    WRONG(GrB_get(type, text, GrB_SIZE));
    EVERY(type, "");
    TEXT(type, GrB_EL_TYPE_STRING, "");
    OK(GrB_set(type, "point", GrB_NAME));
    EVERY(type, "point");
    CODE(GrB_ALREADY_SET, GrB_set(type, "other", GrB_NAME)); /* a type keeps its first name */
    CODE(GrB_ALREADY_SET, GrB_set(GrB_FP64, "double", GrB_NAME));
    TEXT(type, GrB_EL_TYPE_STRING, "point");
    ABSENT(GrB_INVALID_VALUE, type, GrB_INP0_TYPE_CODE);
    NO_OBJECT(Type);
    /* an integer is not stored in a scalar of a user-defined type */
    GrB_Scalar point = NULL;
    OK(GrB_Scalar_new(&point, type));
    CODE(GrB_DOMAIN_MISMATCH, GrB_get(GrB_FP64, point, GrB_EL_TYPE_CODE));
    double const x[3] = {1, 2, 3};
    OK(GrB_Scalar_setElement_UDT(point, (void*)x));
    CODE(GrB_DOMAIN_MISMATCH, GrB_set(GrB_GLOBAL, point, COPPICE_BACKEND));
    GrB_Scalar_free(&point), GrB_Scalar_free(&bytes), GrB_Type_free(&type);
}

/* Types of the operands and of the result. */
#define TYPES(OBJECT, X, Y, Z)                                                                                         \
    do {                                                                                                               \
        INTEGER(OBJECT, GrB_INP0_TYPE_CODE, X##_CODE);                                                                 \
        TEXT(OBJECT, GrB_INP0_TYPE_STRING, #X);                                                                        \
        INTEGER(OBJECT, GrB_INP1_TYPE_CODE, Y##_CODE);                                                                 \
        TEXT(OBJECT, GrB_INP1_TYPE_STRING, #Y);                                                                        \
        INTEGER(OBJECT, GrB_OUTP_TYPE_CODE, Z##_CODE);                                                                 \
        TEXT(OBJECT, GrB_OUTP_TYPE_STRING, #Z);                                                                        \
        ABSENT(GrB_INVALID_VALUE, OBJECT, GrB_EL_TYPE_CODE);                                                           \
    } while (0)
static void fields_of_operators(void) {
    GrB_UnaryOp unary = NULL;
    GrB_BinaryOp binary = NULL;
    GrB_IndexUnaryOp index = NULL;
    GrB_Monoid monoid = NULL;
    GrB_Semiring semiring = NULL;
    OK(GrB_UnaryOp_new(&unary, add_one, GrB_FP64, GrB_FP64));
    OK(GrB_BinaryOp_new(&binary, add, GrB_FP32, GrB_FP32, GrB_FP32));
    OK(GrB_IndexUnaryOp_new(&index, row, GrB_INT64, GrB_INT8, GrB_INT64));
    OK(GrB_Monoid_new(&monoid, binary, 0.0f));
    OK(GrB_Semiring_new(&semiring, monoid, binary));
    EVERY(GrB_ABS_INT16, "GrB_ABS_INT16");
    INTEGER(GxB_CREAL_FC64, GrB_INP0_TYPE_CODE, GxB_FC64_CODE);
    TEXT(GxB_CREAL_FC64, GrB_INP0_TYPE_STRING, "GxB_FC64");
    INTEGER(GxB_CREAL_FC64, GrB_OUTP_TYPE_CODE, GrB_FP64_CODE);
    TEXT(GxB_CREAL_FC64, GrB_OUTP_TYPE_STRING, "GrB_FP64");
    ABSENT(GrB_NO_VALUE, GxB_CREAL_FC64, GrB_INP1_TYPE_CODE);
    ABSENT(GrB_NO_VALUE, GxB_CREAL_FC64, GrB_INP1_TYPE_STRING);
    EVERY(GrB_LT_UINT8, "GrB_LT_UINT8");
    TYPES(GrB_LT_UINT8, GrB_UINT8, GrB_UINT8, GrB_BOOL);
    EVERY(GrB_VALUEGE_FP32, "GrB_VALUEGE_FP32");
    TYPES(GrB_VALUEGE_FP32, GrB_FP32, GrB_FP32, GrB_BOOL);
    ABSENT(GrB_NO_VALUE, GrB_TRIL, GrB_INP0_TYPE_CODE); /* it does not use the value */
    INTEGER(GrB_TRIL, GrB_INP1_TYPE_CODE, GrB_INT64_CODE);
    EVERY(GrB_PLUS_MONOID_INT32, "GrB_PLUS_MONOID_INT32");
    TYPES(GrB_PLUS_MONOID_INT32, GrB_INT32, GrB_INT32, GrB_INT32);
    EVERY(GrB_MIN_PLUS_SEMIRING_INT64, "GrB_MIN_PLUS_SEMIRING_INT64");
    TYPES(GrB_MIN_PLUS_SEMIRING_INT64, GrB_INT64, GrB_INT64, GrB_INT64);

    TYPES(binary, GrB_FP32, GrB_FP32, GrB_FP32);
    TYPES(index, GrB_INT8, GrB_INT64, GrB_INT64);
    TYPES(semiring, GrB_FP32, GrB_FP32, GrB_FP32);
#define NAMED(OBJECT, NAME)                                                                                            \
    do {                                                                                                               \
        TEXT(OBJECT, GrB_NAME, "");                                                                                    \
        OK(GrB_set(OBJECT, NAME, GrB_NAME));                                                                           \
        EVERY(OBJECT, NAME);                                                                                           \
        CODE(GrB_ALREADY_SET, GrB_set(OBJECT, "other", GrB_NAME));                                                     \
    } while (0)
    NAMED(unary, "add one");
    NAMED(binary, "add");
    NAMED(index, "row");
    NAMED(monoid, "sum");
    NAMED(semiring, "sums of sums");
    CODE(GrB_ALREADY_SET, GrB_set(GrB_ABS_INT16, "x", GrB_NAME));
    CODE(GrB_ALREADY_SET, GrB_set(GrB_LT_UINT8, "x", GrB_NAME));
    CODE(GrB_ALREADY_SET, GrB_set(GrB_TRIL, "x", GrB_NAME));
    CODE(GrB_ALREADY_SET, GrB_set(GrB_PLUS_MONOID_INT32, "x", GrB_NAME));
    CODE(GrB_ALREADY_SET, GrB_set(GrB_MIN_PLUS_SEMIRING_INT64, "x", GrB_NAME));
    NO_OBJECT(UnaryOp);
    NO_OBJECT(BinaryOp);
    NO_OBJECT(IndexUnaryOp);
    NO_OBJECT(Monoid);
    NO_OBJECT(Semiring);
    GrB_Semiring_free(&semiring), GrB_Monoid_free(&monoid), GrB_UnaryOp_free(&unary), GrB_BinaryOp_free(&binary);
    GrB_IndexUnaryOp_free(&index);
}

static void fields_of_descriptors(void) {
    GrB_Descriptor d = NULL;
    OK(GrB_Descriptor_new(&d));
    EVERY(d, "");
    OK(GrB_set(d, "first", GrB_NAME));
    OK(GrB_set(d, "second", GrB_NAME)); /* the name of a descriptor may change */
    EVERY(d, "second");
    int const fields[4] = {GrB_OUTP_FIELD, GrB_MASK_FIELD, GrB_INP0_FIELD, GrB_INP1_FIELD};
    int const values[4] = {GrB_REPLACE, GrB_COMP, GrB_TRAN, GrB_TRAN};
    for (int k = 0; k < 4; ++k) {
        INTEGER(d, fields[k], GrB_DEFAULT);
        OK(GrB_set(d, values[k], fields[k]));
        INTEGER(d, fields[k], values[k]);
        WRONG(GrB_set(d, 99, fields[k]));
        INTEGER(d, fields[k], values[k]);
        OK(GrB_Scalar_setElement(scalar, GrB_DEFAULT));
        OK(GrB_set(d, scalar, fields[k]));
        INTEGER(d, fields[k], GrB_DEFAULT);
    }
    for (int mask = GrB_COMP; mask <= GrB_COMP_STRUCTURE;
         mask += GrB_STRUCTURE - GrB_COMP) { /* one replaces the other */
        if (mask != GrB_COMP && mask != GrB_STRUCTURE && mask != GrB_COMP_STRUCTURE) continue;
        OK(GrB_set(d, mask, GrB_MASK_FIELD));
        INTEGER(d, GrB_MASK_FIELD, mask);
    }
    /* GrB_Descriptor_set combines settings of the mask */
    OK(GrB_Descriptor_set(d, GrB_MASK, GrB_DEFAULT));
    OK(GrB_Descriptor_set(d, GrB_MASK, GrB_COMP));
    OK(GrB_Descriptor_set(d, GrB_MASK, GrB_STRUCTURE));
    INTEGER(d, GrB_MASK_FIELD, GrB_COMP_STRUCTURE);
    WRONG(GrB_Descriptor_set(d, GrB_MASK, GrB_TRAN));
    WRONG(GrB_Descriptor_set(d, GrB_INP1, GrB_COMP));
    WRONG(GrB_Descriptor_set(d, GrB_INP0, GrB_REPLACE));
    WRONG(GrB_Descriptor_set(d, GrB_OUTP, GrB_TRAN));
    WRONG(GrB_Descriptor_set(d, 4711, GrB_DEFAULT));
    OK(GrB_Descriptor_set(d, GrB_INP0, GrB_TRAN));
    OK(GrB_Descriptor_set(d, GrB_INP1, GrB_TRAN));
    INTEGER(d, GrB_INP0_FIELD, GrB_TRAN);
    INTEGER(d, GrB_INP1_FIELD, GrB_TRAN);
    EVERY(GrB_DESC_RSCT0T1, "GrB_DESC_RSCT0T1");
    INTEGER(GrB_DESC_RSCT0T1, GrB_OUTP_FIELD, GrB_REPLACE);
    INTEGER(GrB_DESC_RSCT0T1, GrB_MASK_FIELD, GrB_COMP_STRUCTURE);
    INTEGER(GrB_DESC_T1, GrB_INP1_FIELD, GrB_TRAN);
    INTEGER(GrB_DESC_T1, GrB_INP0_FIELD, GrB_DEFAULT);
    WRONG(GrB_set(GrB_DESC_T1, GrB_DEFAULT, GrB_INP1_FIELD));
    CODE(GrB_ALREADY_SET, GrB_set(GrB_DESC_T1, "x", GrB_NAME));
    NO_OBJECT(Descriptor);
    GrB_Descriptor_free(&d);
}

static void fields_of_collections(void) {
    GrB_Scalar s = NULL;
    GrB_Vector v = NULL;
    GrB_Matrix a = NULL;
    OK(GrB_Scalar_new(&s, GxB_FC64));
    OK(GrB_Vector_new(&v, GrB_UINT16, 4));
    OK(GrB_Matrix_new(&a, GrB_INT8, 4, 3));
#define COLLECTION(OBJECT, TYPE)                                                                                       \
    do {                                                                                                               \
        EVERY(OBJECT, "");                                                                                             \
        OK(GrB_set(OBJECT, "first", GrB_NAME));                                                                        \
        OK(GrB_set(OBJECT, "second", GrB_NAME));                                                                       \
        EVERY(OBJECT, "second");                                                                                       \
        INTEGER(OBJECT, GrB_EL_TYPE_CODE, TYPE##_CODE);                                                                \
        TEXT(OBJECT, GrB_EL_TYPE_STRING, #TYPE);                                                                       \
        INTEGER(OBJECT, GrB_STORAGE_ORIENTATION_HINT, GrB_ROWMAJOR);                                                   \
        ABSENT(GrB_INVALID_VALUE, OBJECT, GrB_OUTP_TYPE_CODE);                                                         \
    } while (0)
    COLLECTION(s, GxB_FC64);
    COLLECTION(v, GrB_UINT16);
    COLLECTION(a, GrB_INT8);
    OK(GrB_set(a, GrB_COLMAJOR, GrB_STORAGE_ORIENTATION_HINT));
    INTEGER(a, GrB_STORAGE_ORIENTATION_HINT, GrB_COLMAJOR);
    OK(GrB_set(s, GrB_COLMAJOR, GrB_STORAGE_ORIENTATION_HINT));
    INTEGER(s, GrB_STORAGE_ORIENTATION_HINT, GrB_COLMAJOR);
    OK(GrB_Scalar_setElement(scalar, GrB_BOTH));
    OK(GrB_set(v, scalar, GrB_STORAGE_ORIENTATION_HINT));
    INTEGER(v, GrB_STORAGE_ORIENTATION_HINT, GrB_BOTH);
    WRONG(GrB_set(a, GrB_UNKNOWN + 1, GrB_STORAGE_ORIENTATION_HINT));
    WRONG(GrB_set(a, -1, GrB_STORAGE_ORIENTATION_HINT));
    INTEGER(a, GrB_STORAGE_ORIENTATION_HINT, GrB_COLMAJOR);
    NO_OBJECT(Scalar);
    NO_OBJECT(Vector);
    NO_OBJECT(Matrix);
    GrB_Scalar_free(&s), GrB_Vector_free(&v), GrB_Matrix_free(&a);
}

static void fields_of_the_library(void) {
    EVERY(GrB_GLOBAL, "Coppice");
    INTEGER(GrB_GLOBAL, GrB_LIBRARY_VER_MAJOR, COPPICE_VERSION_MAJOR);
    INTEGER(GrB_GLOBAL, GrB_LIBRARY_VER_MINOR, COPPICE_VERSION_MINOR);
    INTEGER(GrB_GLOBAL, GrB_LIBRARY_VER_PATCH, COPPICE_VERSION_PATCH);
    INTEGER(GrB_GLOBAL, GrB_API_VER_MAJOR, 2);
    INTEGER(GrB_GLOBAL, GrB_API_VER_MINOR, 1);
    INTEGER(GrB_GLOBAL, GrB_API_VER_PATCH, 0);
    INTEGER(GrB_GLOBAL, GrB_BLOCKING_MODE, GrB_NONBLOCKING);
    INTEGER(GrB_GLOBAL, GrB_STORAGE_ORIENTATION_HINT, GrB_ROWMAJOR);
    OK(GrB_set(GrB_GLOBAL, GrB_COLMAJOR, GrB_STORAGE_ORIENTATION_HINT)); /* of new objects */
    WRONG(GrB_set(GrB_GLOBAL, GrB_UNKNOWN + 1, GrB_STORAGE_ORIENTATION_HINT));
    INTEGER(GrB_GLOBAL, GrB_STORAGE_ORIENTATION_HINT, GrB_COLMAJOR);
    GrB_Matrix a = NULL;
    OK(GrB_Matrix_new(&a, GrB_FP64, 2, 3));
    INTEGER(a, GrB_STORAGE_ORIENTATION_HINT, GrB_COLMAJOR);
    GrB_Matrix_free(&a);
    OK(GrB_set(GrB_GLOBAL, GrB_ROWMAJOR, GrB_STORAGE_ORIENTATION_HINT));
    WRONG(GrB_set(GrB_GLOBAL, GrB_BLOCKING, GrB_BLOCKING_MODE));
    OK(GrB_Scalar_setElement(scalar, COPPICE_BACKEND_HOST));
    OK(GrB_set(GrB_GLOBAL, scalar, COPPICE_BACKEND));
    INTEGER(GrB_GLOBAL, COPPICE_BACKEND, COPPICE_BACKEND_HOST);
    OK(GrB_set(GrB_GLOBAL, COPPICE_BACKEND_AUTO, COPPICE_BACKEND));
    CODE(GrB_ALREADY_SET, GrB_set(GrB_GLOBAL, "x", GrB_NAME));
    NO_OBJECT(Global);
    unsigned version = 0, subversion = 0;
    OK(GrB_getVersion(&version, &subversion));
    CHECK(version == 2 && subversion == 1);
    CODE(GrB_NULL_POINTER, GrB_getVersion(NULL, &subversion));
    CODE(GrB_NULL_POINTER, GrB_getVersion(&version, NULL));
}

/* Names in C, and the types that have them. */
static void names_in_c(void) {
    GrB_Type const types[13] = {GrB_BOOL,   GrB_INT8,   GrB_INT16, GrB_INT32, GrB_INT64, GrB_UINT8, GrB_UINT16,
                                GrB_UINT32, GrB_UINT64, GrB_FP32,  GrB_FP64,  GxB_FC32,  GxB_FC64};
    char const* const names[13] = {"bool",    "int8_t",        "int16_t",       "int32_t",  "int64_t",
                                   "uint8_t", "uint16_t",      "uint32_t",      "uint64_t", "float",
                                   "double",  "float complex", "double complex"};
    size_t const sizes[13] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 16};
    char name[GxB_MAX_NAME_LEN];
    GrB_Type found = NULL, type = NULL;
    for (int k = 0; k < 13; ++k) {
        GrB_Scalar s = NULL;
        GrB_Vector v = NULL;
        GrB_Matrix a = NULL;
        GrB_Scalar_new(&s, types[k]), GrB_Vector_new(&v, types[k], 2), GrB_Matrix_new(&a, types[k], 2, 2);
        OK(GxB_Type_name(name, types[k]));
        CHECK(strcmp(name, names[k]) == 0);
        OK(GxB_Scalar_type_name(name, s));
        CHECK(strcmp(name, names[k]) == 0);
        OK(GxB_Vector_type_name(name, v));
        CHECK(strcmp(name, names[k]) == 0);
        OK(GxB_Matrix_type_name(name, a));
        CHECK(strcmp(name, names[k]) == 0);
        OK(GxB_Type_from_name(&found, name));
        CHECK(found == types[k]);
        OK(GxB_Type_size(&size, types[k]));
        CHECK(size == sizes[k]);
        GrB_Scalar_free(&s), GrB_Vector_free(&v), GrB_Matrix_free(&a);
    }
    OK(GrB_Type_new(&type, 3));
    OK(GxB_Type_name(name, type));
    CHECK(strcmp(name, "") == 0);
    GrB_Type_free(&type);
    char long_name[300];
    memset(long_name, 'n', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    OK(GxB_Type_new(&type, 3, long_name, NULL));
    OK(GxB_Type_name(name, type));
    CHECK(strlen(name) == GxB_MAX_NAME_LEN - 1 && strncmp(name, long_name, GxB_MAX_NAME_LEN - 1) == 0);
    OK(GxB_Type_from_name(&found, name));
    CHECK(found == NULL);
    CODE(GrB_NULL_POINTER, GxB_Type_name(NULL, type));
    CODE(GrB_NULL_POINTER, GxB_Type_name(name, NULL));
    CODE(GrB_NULL_POINTER, GxB_Matrix_type_name(name, NULL));
    CODE(GrB_NULL_POINTER, GxB_Type_size(NULL, type));
    CODE(GrB_NULL_POINTER, GxB_Type_size(&size, NULL));
    CODE(GrB_NULL_POINTER, GxB_Type_from_name(NULL, name));
    CODE(GrB_NULL_POINTER, GxB_Type_from_name(&found, NULL));
    GrB_Type_free(&type);
}

/* The lines that GxB_fprint writes. */
static char written[20000];
static void begin(FILE* f) {
    rewind(f);
    memset(written, 0, sizeof written);
}
static char const* end(FILE* f) {
    long const length = ftell(f);
    rewind(f);
    written[fread(written, 1, (size_t)length < sizeof written ? (size_t)length : sizeof written - 1, f)] = '\0';
    return written;
}
#define PRINTS(KIND, OBJECT, NAME, LEVEL, EXPECTED)                                                                    \
    do {                                                                                                               \
        begin(f);                                                                                                      \
        OK(GxB_##KIND##_fprint(OBJECT, NAME, LEVEL, f));                                                               \
        end(f);                                                                                                        \
        check(strcmp(written, EXPECTED) == 0, "is printed as " EXPECTED, __LINE__);                                    \
        if (strcmp(written, EXPECTED) != 0) printf("  not as %s", written);                                            \
    } while (0)

static void prints_of_operators(FILE* f) {
    GrB_Type type = NULL;
    GrB_UnaryOp unary = NULL;
    GrB_BinaryOp binary = NULL;
    GrB_IndexUnaryOp index = NULL;
    GrB_Monoid monoid = NULL;
    GrB_Descriptor d = NULL;
    OK(GxB_Type_new(&type, 12, "triple", NULL));
    OK(GrB_UnaryOp_new(&unary, add_one, GrB_FP64, GrB_FP64));
    OK(GrB_BinaryOp_new(&binary, add, GrB_FP32, GrB_FP32, GrB_FP32));
    OK(GrB_IndexUnaryOp_new(&index, row, GrB_INT64, GrB_INT8, GrB_INT64));
    OK(GrB_Monoid_new(&monoid, binary, 1.5f));
    OK(GrB_Descriptor_new(&d));
    OK(GrB_set(binary, "add", GrB_NAME));
    PRINTS(Type, type, "t", GxB_SUMMARY, "t: type triple, 12 bytes\n");
    PRINTS(Type, type, "t", GxB_SILENT, "");
    PRINTS(UnaryOp, unary, "u", GxB_SUMMARY, "u: unary operator without a name, GrB_FP64 -> GrB_FP64\n");
    PRINTS(IndexUnaryOp, index, NULL, GxB_SUMMARY,
           ": index-unary operator without a name, (GrB_INT8, indices, GrB_INT64) -> GrB_INT64\n");
    PRINTS(IndexUnaryOp, GrB_TRIL, "tril", GxB_SUMMARY,
           "tril: index-unary operator GrB_TRIL, (any type, indices, GrB_INT64) -> GrB_BOOL\n");
    PRINTS(BinaryOp, binary, "b", GxB_SUMMARY,
           "b: binary operator add, (GrB_FP32, GrB_FP32) -> GrB_FP32, by its function\n");
    PRINTS(BinaryOp, GrB_LT_INT8, "lt", GxB_SUMMARY,
           "lt: binary operator GrB_LT_INT8, (GrB_INT8, GrB_INT8) -> GrB_BOOL, with a compiled loop\n");
    PRINTS(BinaryOp, GxB_FIRSTJ_INT32, "j", GxB_SUMMARY, "j: binary operator GxB_FIRSTJ_INT32, indices -> GrB_INT32\n");
    PRINTS(Monoid, monoid, "m", GxB_SUMMARY, "m: monoid without a name, operator add, identity 1.5\n");
    PRINTS(Semiring, GrB_MIN_PLUS_SEMIRING_INT64, "s", GxB_SUMMARY,
           "s: semiring GrB_MIN_PLUS_SEMIRING_INT64, add GrB_MIN_INT64, multiply GrB_PLUS_INT64\n");
    PRINTS(Descriptor, d, "d", GxB_SUMMARY, "d: descriptor without a name\n");
    PRINTS(Descriptor, GrB_DESC_RSCT0T1, "d", GxB_SUMMARY,
           "d: descriptor GrB_DESC_RSCT0T1, replace, complement, structure, first operand transposed, "
           "second operand transposed\n");
    CODE(GrB_NULL_POINTER, GxB_Descriptor_fprint(NULL, "d", GxB_SUMMARY, f));
    GrB_Type_free(&type), GrB_UnaryOp_free(&unary), GrB_IndexUnaryOp_free(&index), GrB_Monoid_free(&monoid);
    GrB_BinaryOp_free(&binary), GrB_Descriptor_free(&d);
}
static void prints_of_values(FILE* f) {
    GrB_Type type = NULL;
    GrB_Scalar s = NULL;
    OK(GrB_Type_new(&type, 12));
    OK(GrB_Scalar_new(&s, type));
    PRINTS(Scalar, s, "s", GxB_COMPLETE, "s: scalar, type user-defined, empty\n");
    OK(GrB_Scalar_setElement_UDT(s, (void*)"twelve bytes"));
    PRINTS(Scalar, s, "s", GxB_COMPLETE, "s: scalar, type user-defined, value of 12 bytes\n");
    GrB_Scalar_free(&s);
#define SCALAR(TYPE, VALUE, LEVEL, EXPECTED)                                                                           \
    do {                                                                                                               \
        OK(GrB_Scalar_new(&s, TYPE));                                                                                  \
        OK(GrB_Scalar_setElement(s, VALUE));                                                                           \
        PRINTS(Scalar, s, "s", LEVEL, "s: scalar, type " #TYPE ", " EXPECTED "\n");                                    \
        GrB_Scalar_free(&s);                                                                                           \
    } while (0)
    SCALAR(GrB_UINT64, UINT64_MAX, GxB_SUMMARY, "18446744073709551615");
    SCALAR(GrB_INT64, INT64_MIN, GxB_SUMMARY, "-9223372036854775808");
    SCALAR(GrB_BOOL, true, GxB_SUMMARY, "1");
    SCALAR(GrB_FP64, 1.0 / 3, GxB_SUMMARY, "0.333333");
    SCALAR(GrB_FP64, 1.0 / 3, GxB_COMPLETE_VERBOSE, "0.333333333333333");
    SCALAR(GrB_FP32, 0.25f, GxB_SHORT_VERBOSE, "0.25");
    SCALAR(GxB_FC32, GxB_CMPLXF(1, 2.5f), GxB_SUMMARY, "1+2.5i");
    GrB_Type_free(&type);
}
static void prints_of_tables(FILE* f) {
    GrB_Vector v = NULL;
    GrB_Matrix a = NULL, b = NULL;
    OK(GrB_Vector_new(&v, GrB_INT32, 40));
    OK(GrB_assign(v, NULL, NULL, -7, GrB_ALL, 40, NULL));
    begin(f);
    OK(GxB_Vector_fprint(v, "v", GxB_SHORT, f)); /* 30 entries, and how many follow */
    end(f);
    CHECK(strstr(written, "v: vector of 40, type GrB_INT32, 40 entries, in host memory\n  full, 160 bytes\n"));
    CHECK(strstr(written, "  (29) -7\n  and 10 other entries\n") && !strstr(written, "(30)"));
    begin(f);
    OK(GxB_Vector_fprint(v, "v", GxB_COMPLETE, f));
    CHECK(strstr(end(f), "  (39) -7\n") && !strstr(written, "other entries"));
    OK(GrB_Vector_removeElement(v, 3));
    begin(f);
    OK(GxB_Vector_fprint(v, "v", GxB_SUMMARY, f));
    CHECK(strstr(end(f), "39 entries") && !strstr(written, "("));

    OK(GrB_Matrix_new(&a, GrB_FP64, 1000000, 1000000));
    OK(GrB_Matrix_setElement(a, 0.5, 999999, 7));
    OK(GrB_Matrix_new(&b, GrB_FP64, 1000000, 1000000));
    OK(GrB_mxm(b, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, a, a, GrB_DESC_T0));
    OK(GrB_transpose(b, NULL, NULL, a, NULL));
    PRINTS(Matrix, b, "b", GxB_SHORT_VERBOSE,
           "b: matrix, 1000000 x 1000000, type GrB_FP64, 1 entries, in host memory\n"
           "  hypersparse list of entries, 40 bytes\n  (7, 999999) 0.5\n");
    GrB_Vector_free(&v), GrB_Matrix_free(&a), GrB_Matrix_free(&b);
}

/* GrB_wait and GrB_error of every kind, and GrB_free of NULL. */
#define LIFETIME(KIND, OBJECT)                                                                                         \
    do {                                                                                                               \
        char const* message = NULL;                                                                                    \
        OK(GrB_##KIND##_wait(OBJECT, GrB_COMPLETE));                                                                   \
        OK(GrB_##KIND##_wait(OBJECT, GrB_MATERIALIZE));                                                                \
        WRONG(GrB_##KIND##_wait(OBJECT, 17));                                                                          \
        CODE(GrB_NULL_POINTER, GrB_##KIND##_wait(NULL, GrB_COMPLETE));                                                 \
        OK(GrB_##KIND##_error(&message, OBJECT));                                                                      \
        CHECK(message != NULL);                                                                                        \
        CODE(GrB_NULL_POINTER, GrB_##KIND##_error(NULL, OBJECT));                                                      \
        CODE(GrB_NULL_POINTER, GrB_##KIND##_error(&message, NULL));                                                    \
        OK(GrB_##KIND##_free(NULL));                                                                                   \
        GrB_##KIND predefined = NULL;                                                                                  \
        OK(GrB_##KIND##_free(&predefined));                                                                            \
    } while (0)
static void lifetime(void) {
    GrB_Vector v = NULL;
    GrB_Matrix a = NULL;
    OK(GrB_Vector_new(&v, GrB_FP64, 4));
    OK(GrB_Matrix_new(&a, GrB_FP64, 4, 4));
    LIFETIME(Type, GrB_INT8);
    LIFETIME(UnaryOp, GrB_LNOT);
    LIFETIME(IndexUnaryOp, GrB_DIAG);
    LIFETIME(BinaryOp, GrB_LAND);
    LIFETIME(Monoid, GrB_LOR_MONOID_BOOL);
    LIFETIME(Semiring, GrB_LOR_LAND_SEMIRING_BOOL);
    LIFETIME(Descriptor, GrB_DESC_S);
    LIFETIME(Scalar, scalar);
    LIFETIME(Vector, v);
    LIFETIME(Matrix, a);
    GrB_UnaryOp op = GrB_LNOT;
    OK(GrB_free(&op)); /* a predefined object stays */
    LIFETIME(UnaryOp, GrB_LNOT);
    GrB_Vector_free(&v), GrB_Matrix_free(&a);
}

/* Objects that cannot be made. */
static void refused_objects(void) {
    GrB_Type type = NULL;
    GrB_UnaryOp unary = NULL;
    GrB_BinaryOp binary = NULL;
    GrB_IndexUnaryOp index = NULL;
    GrB_Monoid monoid = NULL;
    GrB_Semiring semiring = NULL;
    WRONG(GrB_Type_new(&type, 0));
    CODE(GrB_NULL_POINTER, GrB_UnaryOp_new(&unary, NULL, GrB_FP64, GrB_FP64));
    CODE(GrB_NULL_POINTER, GrB_UnaryOp_new(&unary, add_one, NULL, GrB_FP64));
    CODE(GrB_NULL_POINTER, GrB_UnaryOp_new(NULL, add_one, GrB_FP64, GrB_FP64));
    CODE(GrB_NULL_POINTER, GrB_BinaryOp_new(&binary, NULL, GrB_FP64, GrB_FP64, GrB_FP64));
    CODE(GrB_NULL_POINTER, GrB_BinaryOp_new(&binary, add, GrB_FP32, GrB_FP32, NULL));
    CODE(GrB_NULL_POINTER, GrB_IndexUnaryOp_new(&index, NULL, GrB_FP64, GrB_FP64, GrB_INT64));
    CODE(GrB_NULL_POINTER, GrB_IndexUnaryOp_new(&index, row, GrB_FP64, NULL, GrB_INT64));
    /* monoids: T x T -> T, and an identity of that type */
    CODE(GrB_DOMAIN_MISMATCH, GrB_Monoid_new(&monoid, GrB_LT_FP64, 1.0));
    CODE(GrB_DOMAIN_MISMATCH, GrB_Monoid_new(&monoid, GxB_FIRSTI_INT64, (int64_t)1));
    CODE(GrB_DOMAIN_MISMATCH, GrB_Monoid_new(&monoid, GrB_PLUS_FP64, 1));
    CODE(GrB_DOMAIN_MISMATCH, GxB_Monoid_terminal_new_FP32(&monoid, GrB_PLUS_FP64, 0, 1));
    CODE(GrB_NULL_POINTER, GrB_Monoid_new(&monoid, (GrB_BinaryOp)NULL, 1.0));
    CODE(GrB_DOMAIN_MISMATCH, GrB_Semiring_new(&semiring, GrB_PLUS_MONOID_FP64, GrB_LT_FP64));
    CODE(GrB_NULL_POINTER, GrB_Semiring_new(&semiring, NULL, GrB_LT_FP64));
    CODE(GrB_NULL_POINTER, GrB_Semiring_new(&semiring, GrB_PLUS_MONOID_FP64, NULL));
    CHECK(!type && !unary && !binary && !index && !monoid && !semiring);
}

/* Scalars, and sizes of vectors and matrices. */
static void scalars(void) {
    GrB_Scalar s = NULL, t = NULL, none = NULL;
    GrB_Index n = 9;
    double x = 0;
    OK(GrB_Scalar_new(&s, GrB_FP64));
    OK(GrB_Scalar_nvals(&n, s));
    CHECK(n == 0 && GrB_Scalar_extractElement(&x, s) == GrB_NO_VALUE);
    OK(GrB_Scalar_setElement(s, 2.5));
    OK(GrB_Scalar_dup(&t, s));
    OK(GrB_Scalar_clear(s));
    OK(GrB_Scalar_nvals(&n, s));
    CHECK(n == 0);
    OK(GrB_Scalar_nvals(&n, t));
    OK(GrB_Scalar_extractElement(&x, t));
    CHECK(n == 1 && x == 2.5);
    CODE(GrB_NULL_POINTER, GrB_Scalar_dup(&none, NULL));
    CODE(GrB_NULL_POINTER, GrB_Scalar_clear(NULL));
    CODE(GrB_NULL_POINTER, GrB_Scalar_nvals(NULL, t));
    GrB_Scalar_free(&s), GrB_Scalar_free(&t);
}

int main(void) {
    GrB_init(GrB_NONBLOCKING);
    OK(GrB_Scalar_new(&scalar, GrB_INT32));
    fields_of_types();
    fields_of_operators();
    fields_of_descriptors();
    fields_of_collections();
    fields_of_the_library();
    names_in_c();
    FILE* f = tmpfile();
    if (!f) return 2;
    prints_of_operators(f);
    prints_of_values(f);
    prints_of_tables(f);
    fclose(f);
    lifetime();
    refused_objects();
    scalars();
    GrB_Scalar_free(&scalar);
    GrB_finalize();
    printf("%d failures\n", failures);
    return failures != 0;
}
