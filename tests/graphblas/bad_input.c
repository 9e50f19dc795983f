/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors of the GraphBLAS C API: objects that are NULL, freed, foreign or not initialised, failing allocations, names,
   and serialised matrices that are damaged. Each check is the code that the specification gives, and an output that did
   not change. */
#include <GraphBLAS.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
#define EXPECT(CODE, CALL)                                                                                             \
    do {                                                                                                               \
        int const got = (int)(CALL);                                                                                   \
        if (got != (int)(CODE)) {                                                                                      \
            printf("line %d: %s is %d, expected %d\n", __LINE__, #CALL, got, (int)(CODE));                             \
            ++failures;                                                                                                \
        }                                                                                                              \
    } while (0)

static GrB_Matrix matrix_of(GrB_Index rows, GrB_Index columns) {
    GrB_Matrix a = NULL;
    GrB_Matrix_new(&a, GrB_FP64, rows, columns);
    for (GrB_Index i = 0; i < rows; ++i) GrB_Matrix_setElement(a, 1.5 + (double)i, i, (i * 2) % columns);
    return a;
}
static void expect_unchanged(GrB_Matrix a, GrB_Index rows) {
    GrB_Index n = 0;
    EXPECT(GrB_SUCCESS, GrB_Matrix_nvals(&n, a));
    EXPECT(rows, n);
    for (GrB_Index i = 0; i < rows; ++i) {
        double x = 0;
        EXPECT(GrB_SUCCESS, GrB_Matrix_extractElement(&x, a, i, (i * 2) % rows));
        EXPECT(1, x == 1.5 + (double)i);
    }
}

static void before_init(void) {
    GrB_Matrix a = NULL;
    EXPECT(GrB_PANIC, GrB_Matrix_new(&a, GrB_FP64, 2, 2));
    EXPECT(GrB_INVALID_VALUE, GrB_init(7));
    EXPECT(GrB_SUCCESS, GrB_init(GrB_NONBLOCKING));
    EXPECT(GrB_INVALID_VALUE, GrB_init(GrB_NONBLOCKING));
}

static void handles(void) {
    GrB_Matrix a = matrix_of(5, 5), none = NULL, copy;
    EXPECT(GrB_NULL_POINTER, GrB_mxm(NULL, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, a, a, NULL));
    EXPECT(GrB_NULL_POINTER, GrB_mxm(a, NULL, NULL, NULL, a, a, NULL));
    EXPECT(GrB_NULL_POINTER, GrB_mxm(a, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, none, a, NULL));
    EXPECT(GrB_NULL_POINTER, GrB_Matrix_nvals(NULL, a));
    EXPECT(GrB_NULL_POINTER, GrB_Matrix_new(NULL, GrB_FP64, 1, 1));
    EXPECT(GrB_NULL_POINTER, GrB_Matrix_new(&none, NULL, 1, 1));
    EXPECT(GrB_INVALID_VALUE, GrB_Matrix_new(&none, GrB_FP64, GrB_INDEX_MAX + 2, 1));

    /* a handle that was freed */
    EXPECT(GrB_SUCCESS, GrB_Matrix_new(&none, GrB_FP64, 5, 5));
    copy = none;
    EXPECT(GrB_SUCCESS, GrB_free(&none));
    EXPECT(1, none == NULL);
    EXPECT(GrB_SUCCESS, GrB_free(&none));
    GrB_Index n = 0;
    EXPECT(GrB_UNINITIALIZED_OBJECT, GrB_Matrix_nvals(&n, copy));
    EXPECT(GrB_UNINITIALIZED_OBJECT, GrB_Matrix_free(&copy));
    EXPECT(GrB_UNINITIALIZED_OBJECT, GrB_mxm(a, copy, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, a, a, NULL));
    EXPECT(GrB_UNINITIALIZED_OBJECT, GrB_transpose(a, NULL, NULL, copy, NULL));

    /* memory that is not an object, and an object of another kind */
    long long words[64];
    memset(words, 0, sizeof words);
    EXPECT(GrB_UNINITIALIZED_OBJECT, GrB_Matrix_nvals(&n, (GrB_Matrix)(void*)words));
    EXPECT(GrB_UNINITIALIZED_OBJECT, GrB_Matrix_nvals(&n, (GrB_Matrix)(void*)GrB_FP64));
    EXPECT(GrB_UNINITIALIZED_OBJECT,
           GrB_mxm(a, NULL, (GrB_BinaryOp)(void*)a, GrB_PLUS_TIMES_SEMIRING_FP64, a, a, NULL));

    /* predefined objects stay */
    GrB_Type type = GrB_FP64;
    EXPECT(GrB_SUCCESS, GrB_free(&type));
    EXPECT(GrB_SUCCESS, GrB_Matrix_new(&none, GrB_FP64, 1, 1));
    GrB_free(&none);
    EXPECT(GrB_INVALID_VALUE, GrB_Descriptor_set(GrB_DESC_T0, GrB_OUTP, GrB_REPLACE));
    expect_unchanged(a, 5);
    GrB_free(&a);
}

static void sizes_and_indices(void) {
    GrB_Matrix a = matrix_of(5, 5), b = matrix_of(4, 4);
    GrB_Vector w = NULL;
    GrB_Vector_new(&w, GrB_FP64, 5);
    EXPECT(GrB_DIMENSION_MISMATCH, GrB_mxm(a, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, a, b, NULL));
    EXPECT(GrB_DIMENSION_MISMATCH, GrB_mxm(a, b, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, a, a, NULL));
    EXPECT(GrB_DIMENSION_MISMATCH, GrB_eWiseAdd(a, NULL, NULL, GrB_PLUS_FP64, a, b, NULL));
    EXPECT(GrB_DIMENSION_MISMATCH, GrB_kronecker(a, NULL, NULL, GrB_PLUS_FP64, a, b, NULL));
    GrB_Index const outside[2] = {1, 5}, twice[3] = {1, 2, 1};
    EXPECT(GrB_DIMENSION_MISMATCH, GrB_assign(a, NULL, NULL, b, outside, 2, GrB_ALL, 5, NULL));
    EXPECT(GrB_INDEX_OUT_OF_BOUNDS, GrB_assign(a, NULL, NULL, 1.0, outside, 2, GrB_ALL, 5, NULL));
    EXPECT(GrB_NULL_POINTER, GrB_assign(a, NULL, NULL, 1.0, (GrB_Index*)NULL, 2, GrB_ALL, 5, NULL));
    EXPECT(GrB_INVALID_INDEX, GrB_Matrix_setElement(a, 1.0, 5, 0));
    EXPECT(GrB_INVALID_INDEX, GrB_Matrix_removeElement(a, 0, 5));
    EXPECT(GrB_INVALID_INDEX, GrB_extract(w, NULL, NULL, a, GrB_ALL, 5, 5, NULL));
    double const x[3] = {1, 2, 3};
    GrB_Matrix built = NULL;
    GrB_Matrix_new(&built, GrB_FP64, 3, 3);
    EXPECT(GrB_INVALID_VALUE, GrB_Matrix_build(built, twice, twice, x, 3, (GrB_BinaryOp)NULL));
    EXPECT(GrB_INDEX_OUT_OF_BOUNDS, GrB_Matrix_build(built, outside, outside, x, 2, GrB_PLUS_FP64));
    EXPECT(GrB_SUCCESS, GrB_Matrix_build(built, twice, twice, x, 3, GrB_PLUS_FP64));
    EXPECT(GrB_OUTPUT_NOT_EMPTY, GrB_Matrix_build(built, twice, twice, x, 3, GrB_PLUS_FP64));
    double sum = 0;
    EXPECT(GrB_SUCCESS, GrB_reduce(&sum, NULL, GrB_PLUS_MONOID_FP64, built, NULL));
    EXPECT(6, sum);
    char const* message = NULL;
    EXPECT(GrB_DIMENSION_MISMATCH, GrB_mxm(a, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP64, a, b, NULL));
    EXPECT(GrB_SUCCESS, GrB_error(&message, a));
    EXPECT(1, message && strstr(message, "expected") != NULL);
    expect_unchanged(a, 5);
    GrB_free(&a), GrB_free(&b), GrB_free(&w), GrB_free(&built);
}

static void damaged_blobs(GrB_Type type) {
    GrB_Matrix a = NULL, b = NULL;
    GrB_Matrix_new(&a, type, 9, 9);
    for (GrB_Index i = 0; i < 9; ++i) GrB_Matrix_setElement(a, 1.5 + (double)i, i, (i * 2) % 9);
    GrB_Index size = 0;
    EXPECT(GrB_SUCCESS, GrB_Matrix_serializeSize(&size, a));
    unsigned char *blob = malloc(size), *damaged = malloc(size);
    GrB_Index small = size - 1;
    EXPECT(GrB_INSUFFICIENT_SPACE, GrB_Matrix_serialize(blob, &small, a));
    EXPECT(GrB_SUCCESS, GrB_Matrix_serialize(blob, &size, a));
    for (GrB_Index length = 0; length < size; ++length)
        EXPECT(GrB_INVALID_OBJECT, GrB_Matrix_deserialize(&b, NULL, blob, length));
    /* Any byte may change: the result is an error or a matrix that can be used. */
    for (GrB_Index at = 0; at < size; ++at)
        for (int value = 0; value < 256; value += 15) {
            memcpy(damaged, blob, size);
            damaged[at] = (unsigned char)(damaged[at] ^ value);
            if (GrB_Matrix_deserialize(&b, NULL, damaged, size) != GrB_SUCCESS) continue;
            EXPECT(GrB_SUCCESS, GrB_transpose(b, NULL, NULL, b, GrB_DESC_T0));
            double sum = 0;
            EXPECT(GrB_SUCCESS, GrB_reduce(&sum, NULL, GrB_PLUS_MONOID_FP64, b, NULL));
            GrB_free(&b);
        }
    free(blob), free(damaged), GrB_free(&a);
}
/* A byte that is no value of GrB_BOOL, and a predefined type of the same size for user-defined values. */
static void blobs_of_other_values(void) {
    bool const truth = true;
    double const value = 2;
    GrB_Type type = NULL;
    GrB_Matrix a = NULL, b = NULL;
    GrB_Index size = 0;
    GrB_Matrix_new(&a, GrB_BOOL, 2, 2);
    GrB_Matrix_setElement(a, truth, 1, 0);
    EXPECT(GrB_SUCCESS, GrB_Matrix_serializeSize(&size, a));
    unsigned char* blob = malloc(size);
    EXPECT(GrB_SUCCESS, GrB_Matrix_serialize(blob, &size, a));
    blob[size - 1] = 2;
    EXPECT(GrB_INVALID_OBJECT, GrB_Matrix_deserialize(&b, NULL, blob, size));
    EXPECT(1, b == NULL);
    free(blob), GrB_free(&a);
    GrB_Type_new(&type, sizeof value);
    GrB_Matrix_new(&a, type, 2, 2);
    GrB_Matrix_setElement_UDT(a, (void*)&value, 1, 0);
    EXPECT(GrB_SUCCESS, GrB_Matrix_serializeSize(&size, a));
    blob = malloc(size);
    EXPECT(GrB_SUCCESS, GrB_Matrix_serialize(blob, &size, a));
    EXPECT(GrB_DOMAIN_MISMATCH, GrB_Matrix_deserialize(&b, GrB_FP64, blob, size));
    EXPECT(1, b == NULL);
    EXPECT(GrB_SUCCESS, GrB_Matrix_deserialize(&b, type, blob, size));
    free(blob), GrB_free(&a), GrB_free(&b), GrB_free(&type);
}

static void options(void) {
    GrB_Matrix a = matrix_of(3, 3);
    int32_t number = -1;
    char text[64];
    size_t size = 0;
    EXPECT(GrB_SUCCESS, GrB_get(a, &number, GrB_EL_TYPE_CODE));
    EXPECT(GrB_FP64_CODE, number);
    EXPECT(GrB_SUCCESS, GrB_set(a, (char*)"adjacency", GrB_NAME));
    EXPECT(GrB_SUCCESS, GrB_get(a, &size, GrB_NAME));
    EXPECT(10, size);
    EXPECT(GrB_SUCCESS, GrB_get(a, text, GrB_NAME));
    EXPECT(0, strcmp(text, "adjacency"));
    EXPECT(GrB_ALREADY_SET, GrB_set(GrB_FP64, (char*)"double", GrB_NAME));
    EXPECT(GrB_SUCCESS, GrB_get(GrB_PLUS_FP64, text, GrB_OUTP_TYPE_STRING));
    EXPECT(0, strcmp(text, "GrB_FP64"));
    EXPECT(GrB_SUCCESS, GrB_get(GrB_GLOBAL, &number, GrB_API_VER_MAJOR));
    EXPECT(2, number);
    EXPECT(GrB_INVALID_VALUE, GrB_get(a, &number, 12345));
    GrB_Descriptor d = NULL;
    EXPECT(GrB_SUCCESS, GrB_Descriptor_new(&d));
    EXPECT(GrB_SUCCESS, GrB_set(d, GrB_COMP_STRUCTURE, GrB_MASK_FIELD));
    EXPECT(GrB_SUCCESS, GrB_get(d, &number, GrB_MASK_FIELD));
    EXPECT(GrB_COMP_STRUCTURE, number);
    EXPECT(GrB_INVALID_VALUE, GrB_set(d, GrB_TRAN, GrB_OUTP_FIELD));
    GrB_free(&a), GrB_free(&d);
}

int main(void) {
    before_init();
    handles();
    sizes_and_indices();
    damaged_blobs(GrB_FP64);
    damaged_blobs(GrB_BOOL);
    blobs_of_other_values();
    options();
    EXPECT(GrB_SUCCESS, GrB_finalize());
    printf("%d failures\n", failures);
    return failures != 0;
}
