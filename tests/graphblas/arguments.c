/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of every operation with an output, a mask and operands. An object may be output, mask and operand at once:
   the result is that of copies. A handle that is NULL, freed, of another kind or no object gives the code of the
   specification, and the output does not change. */
#include <GraphBLAS.h>
#include <stdio.h>
#include <string.h>

static int failures;
static long compared, refused;

typedef struct {
    void *c, *mask, *accum, *op, *a, *b, *d;
} arguments;

enum { size = 12 };
static GrB_Index const permuted[size] = {3, 0, 11, 7, 1, 10, 5, 2, 9, 4, 8, 6};

#define OPERATION(NAME, ...)                                                                                           \
    static GrB_Info run_##NAME(arguments const* x) { return __VA_ARGS__; }
#define HEAD x->c, x->mask, x->accum
#define ROWS permuted, size
#define PLACES permuted, size, GrB_ALL, size
OPERATION(mxm, GrB_mxm(HEAD, x->op, x->a, x->b, x->d))
OPERATION(add, GrB_Matrix_eWiseAdd_BinaryOp(HEAD, x->op, x->a, x->b, x->d))
OPERATION(multiply, GrB_Matrix_eWiseMult_Monoid(HEAD, x->op, x->a, x->b, x->d))
OPERATION(extract, GrB_Matrix_extract(HEAD, x->a, PLACES, x->d))
OPERATION(assign, GrB_Matrix_assign(HEAD, x->a, PLACES, x->d))
OPERATION(subassign, GxB_Matrix_subassign(HEAD, x->a, PLACES, x->d))
OPERATION(apply, GrB_Matrix_apply(HEAD, x->op, x->a, x->d))
OPERATION(apply_first, GrB_Matrix_apply_BinaryOp1st_FP64(HEAD, x->op, 3, x->a, x->d))
OPERATION(apply_second, GrB_Matrix_apply_BinaryOp2nd_FP64(HEAD, x->op, x->a, 3, x->d))
OPERATION(apply_index, GrB_Matrix_apply_IndexOp_INT64(HEAD, x->op, x->a, 1, x->d))
OPERATION(select, GrB_Matrix_select_INT64(HEAD, x->op, x->a, 0, x->d))
OPERATION(transpose, GrB_transpose(HEAD, x->a, x->d))
OPERATION(assign_value, GrB_Matrix_assign_FP64(HEAD, 7, PLACES, x->d))
OPERATION(subassign_value, GxB_Matrix_subassign_FP64(HEAD, 7, PLACES, x->d))
OPERATION(assign_row, GrB_Row_assign(HEAD, x->a, 2, ROWS, x->d))
OPERATION(assign_column, GrB_Col_assign(HEAD, x->a, ROWS, 2, x->d))
OPERATION(subassign_row, GxB_Row_subassign(HEAD, x->a, 2, ROWS, x->d))
OPERATION(vxm, GrB_vxm(HEAD, x->op, x->a, x->b, x->d))
OPERATION(mxv, GrB_mxv(HEAD, x->op, x->a, x->b, x->d))
OPERATION(vector_add, GrB_Vector_eWiseAdd_BinaryOp(HEAD, x->op, x->a, x->b, x->d))
OPERATION(vector_multiply, GrB_Vector_eWiseMult_Semiring(HEAD, x->op, x->a, x->b, x->d))
OPERATION(vector_extract, GrB_Vector_extract(HEAD, x->a, ROWS, x->d))
OPERATION(column_extract, GrB_Col_extract(HEAD, x->a, ROWS, 3, x->d))
OPERATION(vector_assign, GrB_Vector_assign(HEAD, x->a, ROWS, x->d))
OPERATION(vector_subassign, GxB_Vector_subassign(HEAD, x->a, ROWS, x->d))
OPERATION(vector_assign_value, GrB_Vector_assign_FP64(HEAD, 7, ROWS, x->d))
OPERATION(vector_apply, GrB_Vector_apply(HEAD, x->op, x->a, x->d))
OPERATION(vector_apply_first, GrB_Vector_apply_BinaryOp1st_FP64(HEAD, x->op, 3, x->a, x->d))
OPERATION(vector_apply_second, GrB_Vector_apply_BinaryOp2nd_FP64(HEAD, x->op, x->a, 3, x->d))
OPERATION(vector_apply_index, GrB_Vector_apply_IndexOp_INT64(HEAD, x->op, x->a, 1, x->d))
OPERATION(vector_select, GrB_Vector_select_FP64(HEAD, x->op, x->a, 0, x->d))
OPERATION(reduce_rows, GrB_Matrix_reduce_Monoid(HEAD, x->op, x->a, x->d))

/* Kinds: m matrix, v vector, - none. `op` points to the predefined operator. */
typedef struct {
    char const* name;
    GrB_Info (*run)(arguments const*);
    char c, mask, a, b;
    void* op;
} operation;
static operation const operations[] = {
    {"mxm", run_mxm, 'm', 'm', 'm', 'm', &GrB_PLUS_TIMES_SEMIRING_FP64},
    {"eWiseAdd", run_add, 'm', 'm', 'm', 'm', &GrB_MINUS_FP64},
    {"eWiseMult", run_multiply, 'm', 'm', 'm', 'm', &GrB_PLUS_MONOID_FP64},
    {"extract", run_extract, 'm', 'm', 'm', '-', NULL},
    {"assign", run_assign, 'm', 'm', 'm', '-', NULL},
    {"subassign", run_subassign, 'm', 'm', 'm', '-', NULL},
    {"apply", run_apply, 'm', 'm', 'm', '-', &GrB_AINV_FP64},
    {"apply 1st", run_apply_first, 'm', 'm', 'm', '-', &GrB_MINUS_FP64},
    {"apply 2nd", run_apply_second, 'm', 'm', 'm', '-', &GrB_MINUS_FP64},
    {"apply index", run_apply_index, 'm', 'm', 'm', '-', &GrB_COLINDEX_INT64},
    {"select", run_select, 'm', 'm', 'm', '-', &GrB_TRIL},
    {"transpose", run_transpose, 'm', 'm', 'm', '-', NULL},
    {"assign a value", run_assign_value, 'm', 'm', '-', '-', NULL},
    {"subassign a value", run_subassign_value, 'm', 'm', '-', '-', NULL},
    {"assign a row", run_assign_row, 'm', 'v', 'v', '-', NULL},
    {"assign a column", run_assign_column, 'm', 'v', 'v', '-', NULL},
    {"subassign a row", run_subassign_row, 'm', 'v', 'v', '-', NULL},
    {"vxm", run_vxm, 'v', 'v', 'v', 'm', &GrB_PLUS_TIMES_SEMIRING_FP64},
    {"mxv", run_mxv, 'v', 'v', 'm', 'v', &GrB_MIN_PLUS_SEMIRING_FP64},
    {"eWiseAdd of vectors", run_vector_add, 'v', 'v', 'v', 'v', &GrB_MINUS_FP64},
    {"eWiseMult of vectors", run_vector_multiply, 'v', 'v', 'v', 'v', &GrB_PLUS_TIMES_SEMIRING_FP64},
    {"extract of a vector", run_vector_extract, 'v', 'v', 'v', '-', NULL},
    {"extract of a column", run_column_extract, 'v', 'v', 'm', '-', NULL},
    {"assign to a vector", run_vector_assign, 'v', 'v', 'v', '-', NULL},
    {"subassign to a vector", run_vector_subassign, 'v', 'v', 'v', '-', NULL},
    {"assign a value to a vector", run_vector_assign_value, 'v', 'v', '-', '-', NULL},
    {"apply to a vector", run_vector_apply, 'v', 'v', 'v', '-', &GrB_AINV_FP64},
    {"apply 1st to a vector", run_vector_apply_first, 'v', 'v', 'v', '-', &GrB_MINUS_FP64},
    {"apply 2nd to a vector", run_vector_apply_second, 'v', 'v', 'v', '-', &GrB_MINUS_FP64},
    {"apply index to a vector", run_vector_apply_index, 'v', 'v', 'v', '-', &GrB_ROWINDEX_INT64},
    {"select of a vector", run_vector_select, 'v', 'v', 'v', '-', &GrB_VALUEGT_FP64},
    {"reduce rows", run_reduce_rows, 'v', 'v', 'm', '-', &GrB_PLUS_MONOID_FP64},
};
enum { operation_count = sizeof operations / sizeof operations[0] };

/* Objects. `density` is a percentage; every third object is written onto itself, so that it may be stored by position.
 */

static void* object_of(char kind, int density, unsigned seed) {
    GrB_Matrix m = NULL;
    GrB_Vector v = NULL;
    if (kind == 'm') GrB_Matrix_new(&m, GrB_FP64, size, size);
    if (kind == 'v') GrB_Vector_new(&v, GrB_FP64, size);
    unsigned state = seed * 2654435761u + 12345u;
    for (GrB_Index i = 0; i < size; ++i)
        for (GrB_Index j = 0; j < (kind == 'm' ? size : 1); ++j) {
            state = state * 1664525u + 1013904223u;
            if ((int)(state >> 8) % 100 >= density) continue;
            double const x = (int)(state >> 16) % 9 - 3;
            if (m) GrB_Matrix_setElement_FP64(m, x, i, j);
            if (v) GrB_Vector_setElement_FP64(v, x, i);
        }
    if (seed % 3 == 0 && m) GrB_Matrix_assign(m, m, NULL, m, GrB_ALL, size, GrB_ALL, size, GrB_DESC_S);
    if (seed % 3 == 0 && v) GrB_Vector_assign(v, v, NULL, v, GrB_ALL, size, GrB_DESC_S);
    return kind == 'm' ? (void*)m : (void*)v;
}
static void* copy_of(char kind, void* of) {
    GrB_Matrix m = NULL;
    GrB_Vector v = NULL;
    if (kind == 'm') GrB_Matrix_dup(&m, of);
    if (kind == 'v') GrB_Vector_dup(&v, of);
    return kind == 'm' ? (void*)m : (void*)v;
}
static void free_object(char kind, void* object) {
    GrB_Matrix m = object;
    GrB_Vector v = object;
    if (kind == 'm') GrB_Matrix_free(&m);
    if (kind == 'v') GrB_Vector_free(&v);
}
static bool equal(char kind, void* first, void* second) {
    GrB_Index I[2][size * size], J[2][size * size], n[2] = {size * size, size * size};
    double X[2][size * size];
    void* const objects[2] = {first, second};
    memset(J, 0, sizeof J);
    for (int k = 0; k < 2; ++k) {
        GrB_Info const info = kind == 'm' ? GrB_Matrix_extractTuples_FP64(I[k], J[k], X[k], &n[k], objects[k])
                                          : GrB_Vector_extractTuples_FP64(I[k], X[k], &n[k], objects[k]);
        if (info != GrB_SUCCESS) return false;
    }
    if (n[0] != n[1]) return false;
    return memcmp(I[0], I[1], n[0] * sizeof I[0][0]) == 0 && memcmp(J[0], J[1], n[0] * sizeof J[0][0]) == 0 &&
           memcmp(X[0], X[1], n[0] * sizeof X[0][0]) == 0;
}
static void fail(char const* name, char const* what, int code) {
    printf("%s: %s (%d)\n", name, what, code);
    ++failures;
}

/* The output is also mask, first and second operand, as the bits of `shared` say; the mask may be an operand, too. */
static void compare(operation const* o, int shared, int density, void* accum, void* d, unsigned seed) {
    char const kinds[3] = {o->mask, o->a, o->b};
    void* const c = object_of(o->c, density, seed);
    void* const apart = copy_of(o->c, c);
    void *given[3], *copies[3];
    for (int k = 0; k < 3; ++k) {
        bool const is_output = (shared >> k & 1) != 0 && kinds[k] == o->c;
        bool const is_mask = (shared & 8) != 0 && k > 0 && kinds[k] == o->mask && !is_output;
        given[k] = is_output         ? c
                   : is_mask         ? given[0]
                   : kinds[k] == '-' ? NULL
                                     : object_of(kinds[k], 60, seed + (unsigned)k + 1);
        copies[k] = kinds[k] == '-' ? NULL : copy_of(kinds[k], given[k]);
    }
    void* const op = o->op ? *(void**)o->op : NULL;
    arguments const x = {c, given[0], accum, op, given[1], given[2], d};
    arguments const y = {apart, copies[0], accum, op, copies[1], copies[2], d};
    GrB_Info const first = o->run(&x), second = o->run(&y);
    if (first != GrB_SUCCESS || second != GrB_SUCCESS) fail(o->name, "is not accepted", first ? first : second);
    if (!equal(o->c, c, apart)) fail(o->name, "differs if objects are the same", shared);
    ++compared;
    for (int k = 2; k >= 0; --k) {
        if (given[k] && given[k] != c && !(k > 0 && given[k] == given[0])) free_object(kinds[k], given[k]);
        if (copies[k]) free_object(kinds[k], copies[k]);
    }
    free_object(o->c, c);
    free_object(o->c, apart);
}

/* One argument of a call is replaced by a handle that is not valid. */
static void refuse(operation const* o, void* accum) {
    void* freed = object_of('m', 50, 1);
    free_object('m', freed);
    long long zeros[64];
    memset(zeros, 0, sizeof zeros);
    GrB_Type foreign = GrB_FP64;
    void* const wrong[4] = {NULL, freed, zeros, foreign};
    arguments const good = {object_of(o->c, 50, 3),
                            object_of(o->mask, 50, 4),
                            accum,
                            o->op ? *(void**)o->op : NULL,
                            o->a == '-' ? NULL : object_of(o->a, 50, 5),
                            o->b == '-' ? NULL : object_of(o->b, 50, 6),
                            NULL};
    void* const before = copy_of(o->c, good.c);
    for (int place = 0; place < 7; ++place)
        for (int k = 0; k < 4; ++k) {
            arguments x = good;
            void** const slots[7] = {&x.c, &x.mask, &x.accum, &x.op, &x.a, &x.b, &x.d};
            bool const optional = place == 1 || place == 2 || place == 6;
            bool const present = place == 2 || place == 6 || *slots[place] != NULL;
            if (!present || (optional && !wrong[k])) continue;
            *slots[place] = wrong[k];
            GrB_Info const info = o->run(&x);
            if (info != (wrong[k] ? GrB_UNINITIALIZED_OBJECT : GrB_NULL_POINTER))
                fail(o->name, "has another code", info);
            if (!equal(o->c, good.c, before)) fail(o->name, "changed its output for a wrong handle", place);
            ++refused;
        }
    free_object(o->c, good.c), free_object(o->mask, good.mask), free_object(o->c, before);
    if (o->a != '-') free_object(o->a, good.a);
    if (o->b != '-') free_object(o->b, good.b);
}

/* Sizes whose products or sums do not fit. */
static void overflow_of_sizes(void) {
    GrB_Matrix huge = NULL, other = NULL, made = NULL;
    GrB_Vector v = NULL;
    GrB_Index const most = GrB_INDEX_MAX + 1;
    GrB_Info info = GrB_Matrix_new(&huge, GrB_FP64, most, most);
    if (info != GrB_SUCCESS) fail("2^60 rows and columns", "are refused", info);
    GrB_Matrix_setElement_FP64(huge, 5, most - 1, most - 1);
    GrB_Matrix_new(&other, GrB_FP64, size, size);
    info = GrB_Matrix_kronecker_BinaryOp(other, NULL, NULL, GrB_TIMES_FP64, huge, huge, NULL);
    if (info != GrB_DIMENSION_MISMATCH && info != GrB_OUT_OF_MEMORY) fail("kronecker", "overflows", info);
    info = GrB_Matrix_resize(huge, most + 1, 3);
    if (info != GrB_INVALID_VALUE) fail("resize", "accepts 2^60 + 1 rows", info);
    info = GrB_Vector_new(&v, GrB_FP64, most);
    if (info != GrB_SUCCESS) fail("a vector of size 2^60", "is refused", info);
    info = GrB_Matrix_diag(&made, v, 1);
    if (info >= 0 || made) fail("diag", "makes a matrix of 2^60 + 1 rows", info);
    info = GrB_Matrix_diag(&made, v, INT64_MIN);
    if (info >= 0 || made) fail("diag", "accepts the smallest offset", info);
    GrB_Index const p[3] = {0, 1, 1}, i[1] = {0};
    double const x[1] = {2};
    /* one value at all positions: refused before they are counted */
    GrB_Descriptor const everywhere[2] = {NULL, GrB_DESC_C};
    for (int k = 0; k < 2; ++k) {
        GrB_Vector const mask = k ? v : NULL;
        info = GrB_Vector_assign_FP64(v, mask, NULL, 1, GrB_ALL, most, everywhere[k]);
        if (info != GrB_OUT_OF_MEMORY) fail("assign", "fills a vector of size 2^60", info);
        info = GrB_Matrix_assign_FP64(huge, NULL, NULL, 1, i, 1, GrB_ALL, most, NULL);
        if (info != GrB_OUT_OF_MEMORY) fail("assign", "fills a row of size 2^60", info);
        GrB_Index count = 9;
        GrB_Vector_nvals(&count, v);
        if (count != (GrB_Index)k) fail("assign", "changed its output", k);
        info = GrB_Vector_assign_FP64(v, NULL, NULL, 1, i, 1, NULL);
        if (info != GrB_SUCCESS) fail("assign", "of an element to a vector of size 2^60", info);
    }
    info = GrB_Matrix_import_FP64(&made, GrB_FP64, most, 2, p, i, x, 3, 1, 1, GrB_CSR_FORMAT);
    if (info >= 0 || made) fail("import", "reads more offsets than there are", info);
    double found = 0;
    info = GrB_Matrix_extractElement_FP64(&found, huge, most - 1, most - 1);
    if (info != GrB_SUCCESS || found != 5) fail("an operand", "changed", info);
    double sum = 0;
    info = GrB_Matrix_reduce_FP64(&sum, NULL, GrB_PLUS_MONOID_FP64, huge, NULL);
    if (info != GrB_SUCCESS || sum != 5) fail("reduce", "of a huge matrix", info);
    GrB_Matrix_free(&huge), GrB_Matrix_free(&other), GrB_Matrix_free(&made), GrB_Vector_free(&v);
}

int main(void) {
    GrB_init(GrB_NONBLOCKING);
    GrB_Descriptor const d[6] = {NULL, GrB_DESC_R, GrB_DESC_S, GrB_DESC_RSC, GrB_DESC_C, GrB_DESC_RT0T1};
    GrB_BinaryOp const accum[3] = {NULL, GrB_MINUS_FP64, GrB_SECOND_FP64};
    int const density[3] = {8, 55, 100};
    unsigned seed = 1;
    for (int o = 0; o < operation_count; ++o) {
        refuse(&operations[o], GrB_PLUS_FP64);
        for (int shared = 0; shared < 16; ++shared)
            for (int k = 0; k < 54; ++k)
                compare(&operations[o], shared, density[k % 3], accum[k / 3 % 3], d[k / 9], seed++);
    }
    overflow_of_sizes();
    GrB_finalize();
    printf("%ld calls with shared objects, %ld with wrong handles, %d failures\n", compared, refused, failures);
    return failures != 0 || compared < 20000 || refused < 500;
}
