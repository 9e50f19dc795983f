/* SPDX-License-Identifier: BSD-3-Clause */
/* Random calls of the GraphBLAS C API. The program is compiled against two libraries; compare.py compares what they
   print: for each case the operation, the code that it returned and the output.

       cases SEED FIRST COUNT */
#include <GraphBLAS.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a call has no descriptor. With one, a library may find that nothing is to be done before it checks sizes and
   indices, so that wrong ones are tried without. */
static bool plain;

/* Random numbers */

static uint64_t state;
static uint64_t next_random(void) {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static int below(int n) { return (int)(next_random() % (uint64_t)n); }
static bool one_in(int n) { return below(n) == 0; }

/* Types */

typedef struct {
    int32_t a;
    float b;
    int32_t c;
} triple;

enum { types = 13, user_type = 13 };
static GrB_Type type_of[14];
/* X(number, name, C type, prefix of the functions) */
#define NUMBER_TYPES(X)                                                                                                \
    X(1, INT8, int8_t, GrB)                                                                                            \
    X(2, INT16, int16_t, GrB)                                                                                          \
    X(3, INT32, int32_t, GrB)                                                                                          \
    X(4, INT64, int64_t, GrB)                                                                                          \
    X(5, UINT8, uint8_t, GrB)                                                                                          \
    X(6, UINT16, uint16_t, GrB)                                                                                        \
    X(7, UINT32, uint32_t, GrB) X(8, UINT64, uint64_t, GrB) X(9, FP32, float, GrB) X(10, FP64, double, GrB)
#define REAL_TYPES(X) X(0, BOOL, bool, GrB) NUMBER_TYPES(X)
#define COMPLEX_TYPES(X) X(11, FC32, GxB_FC32_t, GxB) X(12, FC64, GxB_FC64_t, GxB)
#define TYPES(X) REAL_TYPES(X) COMPLEX_TYPES(X)

static double random_value(int type) {
    int const value = below(9) - 4;
    if (type == 0) return value > 0;
    if (type >= 5 && type <= 8) return abs(value);
    return value;
}
static GxB_FC64_t random_complex(int type) {
    double const real = random_value(type);
    return type > 10 ? GxB_CMPLX(real, random_value(type)) : GxB_CMPLX(real, 0);
}
static triple random_triple(void) {
    triple t;
    t.a = below(9) - 4;
    t.b = (float)(below(9) - 4);
    t.c = below(9);
    return t;
}

/* Operators */

static void triple_plus(void* z, void const* x, void const* y) {
    triple const *a = x, *b = y;
    triple r = {a->a + b->a, a->b + b->b, a->c + b->c};
    memcpy(z, &r, sizeof r);
}
static void triple_times(void* z, void const* x, void const* y) { /* does not commute */
    triple const *a = x, *b = y;
    triple r = {a->a * b->c, a->b * (float)b->a, a->c + 1};
    memcpy(z, &r, sizeof r);
}
static void triple_turn(void* z, void const* x) {
    triple const* a = x;
    triple r = {a->c, (float)a->a, -a->a};
    memcpy(z, &r, sizeof r);
}
static void triple_at(void* z, void const* x, GrB_Index i, GrB_Index j, void const* y) {
    triple const* a = x;
    triple r = {a->a + (int32_t)i, a->b, (int32_t)j + *(int32_t const*)y};
    memcpy(z, &r, sizeof r);
}
static void triple_keep(void* z, void const* x, GrB_Index i, GrB_Index j, void const* y) {
    *(bool*)z = (((triple const*)x)->a + (int64_t)i - (int64_t)j + *(int32_t const*)y) % 2 != 0;
}
static void minus_twice(void* z, void const* x, void const* y) {
    *(int32_t*)z = *(int32_t const*)x - 2 * *(int32_t const*)y;
}
static void half(void* z, void const* x) { *(double*)z = *(double const*)x / 2; }
static void mixed(void* z, void const* x, void const* y) { *(double*)z = *(int16_t const*)x - *(float const*)y; }

enum { max_operators = 500 };
static GrB_BinaryOp binary[max_operators], positional[16], user_binary, mixed_binary;
static GrB_BinaryOp plus_of[types], fold[max_operators];
static GrB_UnaryOp unary[max_operators], user_unary;
static GrB_IndexUnaryOp index_unary[max_operators], selection[max_operators], user_index, user_selection;
static GrB_Monoid monoid[max_operators], user_monoid;
static GrB_Semiring semiring[max_operators], user_semiring;
static int binaries, positionals, unaries, index_unaries, selections, monoids, semirings, folds;

#define BINARY_OF(N, T, C, P)                                                                                          \
    plus_of[N] = GrB_PLUS_##T;                                                                                         \
    binary[binaries++] = GrB_FIRST_##T, binary[binaries++] = GrB_SECOND_##T, binary[binaries++] = GrB_ONEB_##T;        \
    binary[binaries++] = GrB_MIN_##T, binary[binaries++] = GrB_MAX_##T, binary[binaries++] = GrB_PLUS_##T;             \
    binary[binaries++] = GrB_MINUS_##T, binary[binaries++] = GrB_TIMES_##T, binary[binaries++] = GrB_DIV_##T;          \
    binary[binaries++] = GrB_EQ_##T, binary[binaries++] = GrB_NE_##T, binary[binaries++] = GrB_GT_##T;                 \
    binary[binaries++] = GrB_LT_##T, binary[binaries++] = GrB_GE_##T, binary[binaries++] = GrB_LE_##T;                 \
    binary[binaries++] = GxB_PAIR_##T, binary[binaries++] = GxB_RMINUS_##T, binary[binaries++] = GxB_RDIV_##T;         \
    binary[binaries++] = GxB_ISEQ_##T, binary[binaries++] = GxB_ISLT_##T, binary[binaries++] = GxB_ISGE_##T;           \
    binary[binaries++] = GxB_LOR_##T, binary[binaries++] = GxB_LAND_##T, binary[binaries++] = GxB_LXOR_##T;            \
    fold[folds++] = GrB_PLUS_##T, fold[folds++] = GrB_MIN_##T, fold[folds++] = GrB_MAX_##T;                            \
    fold[folds++] = GrB_FIRST_##T, fold[folds++] = GrB_SECOND_##T, fold[folds++] = GrB_MINUS_##T;
#define UNARY_OF(N, T, C, P)                                                                                           \
    unary[unaries++] = GrB_IDENTITY_##T, unary[unaries++] = GrB_AINV_##T, unary[unaries++] = GrB_MINV_##T;             \
    unary[unaries++] = GrB_ABS_##T, unary[unaries++] = GxB_ONE_##T, unary[unaries++] = GxB_LNOT_##T;                   \
    selection[selections++] = GrB_VALUEEQ_##T, selection[selections++] = GrB_VALUENE_##T;                              \
    selection[selections++] = GrB_VALUELT_##T, selection[selections++] = GrB_VALUELE_##T;                              \
    selection[selections++] = GrB_VALUEGT_##T, selection[selections++] = GrB_VALUEGE_##T;
#define MONOID_OF(N, T, C, P)                                                                                          \
    monoid[monoids++] = GrB_PLUS_MONOID_##T, monoid[monoids++] = GrB_TIMES_MONOID_##T;                                 \
    monoid[monoids++] = GrB_MIN_MONOID_##T, monoid[monoids++] = GrB_MAX_MONOID_##T;                                    \
    semiring[semirings++] = GrB_PLUS_TIMES_SEMIRING_##T, semiring[semirings++] = GrB_PLUS_MIN_SEMIRING_##T;            \
    semiring[semirings++] = GrB_MIN_PLUS_SEMIRING_##T, semiring[semirings++] = GrB_MIN_TIMES_SEMIRING_##T;             \
    semiring[semirings++] = GrB_MIN_FIRST_SEMIRING_##T, semiring[semirings++] = GrB_MIN_SECOND_SEMIRING_##T;           \
    semiring[semirings++] = GrB_MIN_MAX_SEMIRING_##T, semiring[semirings++] = GrB_MAX_PLUS_SEMIRING_##T;               \
    semiring[semirings++] = GrB_MAX_TIMES_SEMIRING_##T, semiring[semirings++] = GrB_MAX_FIRST_SEMIRING_##T;            \
    semiring[semirings++] = GrB_MAX_SECOND_SEMIRING_##T, semiring[semirings++] = GrB_MAX_MIN_SEMIRING_##T;             \
    semiring[semirings++] = GxB_PLUS_PAIR_##T, semiring[semirings++] = GxB_PLUS_SECOND_##T;                            \
    semiring[semirings++] = GxB_PLUS_FIRST_##T, semiring[semirings++] = GxB_ANY_PAIR_##T;
#define COMPLEX_OF(N, T, C, P)                                                                                         \
    plus_of[N] = GxB_PLUS_##T;                                                                                         \
    binary[binaries++] = GxB_FIRST_##T, binary[binaries++] = GxB_SECOND_##T, binary[binaries++] = GxB_ONEB_##T;        \
    binary[binaries++] = GxB_PLUS_##T, binary[binaries++] = GxB_MINUS_##T, binary[binaries++] = GxB_TIMES_##T;         \
    binary[binaries++] = GxB_DIV_##T, binary[binaries++] = GxB_RMINUS_##T, binary[binaries++] = GxB_RDIV_##T;          \
    binary[binaries++] = GxB_EQ_##T, binary[binaries++] = GxB_NE_##T, binary[binaries++] = GxB_ISEQ_##T;               \
    binary[binaries++] = GxB_ISNE_##T, binary[binaries++] = GxB_PAIR_##T;                                              \
    fold[folds++] = GxB_PLUS_##T, fold[folds++] = GxB_FIRST_##T, fold[folds++] = GxB_SECOND_##T;                       \
    fold[folds++] = GxB_MINUS_##T, fold[folds++] = GxB_TIMES_##T;                                                      \
    unary[unaries++] = GxB_IDENTITY_##T, unary[unaries++] = GxB_AINV_##T, unary[unaries++] = GxB_MINV_##T;             \
    unary[unaries++] = GxB_ABS_##T, unary[unaries++] = GxB_ONE_##T, unary[unaries++] = GxB_CONJ_##T;                   \
    unary[unaries++] = GxB_CREAL_##T, unary[unaries++] = GxB_CIMAG_##T, unary[unaries++] = GxB_CARG_##T;               \
    unary[unaries++] = GxB_SQRT_##T, unary[unaries++] = GxB_EXP_##T, unary[unaries++] = GxB_LOG_##T;                   \
    selection[selections++] = GxB_VALUEEQ_##T, selection[selections++] = GxB_VALUENE_##T;                              \
    monoid[monoids++] = GxB_PLUS_##T##_MONOID, monoid[monoids++] = GxB_TIMES_##T##_MONOID;                             \
    for (int n = 0; n < 3; ++n) semiring[semirings++] = GxB_PLUS_TIMES_##T;                                            \
    semiring[semirings++] = GxB_PLUS_FIRST_##T, semiring[semirings++] = GxB_PLUS_SECOND_##T;                           \
    semiring[semirings++] = GxB_PLUS_PAIR_##T, semiring[semirings++] = GxB_PLUS_MINUS_##T;                             \
    semiring[semirings++] = GxB_PLUS_DIV_##T, semiring[semirings++] = GxB_TIMES_PLUS_##T;                              \
    semiring[semirings++] = GxB_ANY_PAIR_##T;
#define BITS_OF(T)                                                                                                     \
    binary[binaries++] = GrB_BOR_##T, binary[binaries++] = GrB_BAND_##T, binary[binaries++] = GrB_BXOR_##T;            \
    binary[binaries++] = GrB_BXNOR_##T, unary[unaries++] = GrB_BNOT_##T;

static void make_operators(void) {
#define TYPE_OF(N, T, C, P) type_of[N] = P##_##T;
    TYPES(TYPE_OF)
    GrB_Type_new(&type_of[user_type], sizeof(triple));
    REAL_TYPES(BINARY_OF)
    REAL_TYPES(UNARY_OF)
    COMPLEX_TYPES(COMPLEX_OF)
    NUMBER_TYPES(MONOID_OF)
    BITS_OF(INT8)
    BITS_OF(UINT16)
    BITS_OF(INT32)
    BITS_OF(UINT64) binary[binaries++] = GrB_LOR, binary[binaries++] = GrB_LAND, binary[binaries++] = GrB_LXOR;
    binary[binaries++] = GrB_LXNOR, unary[unaries++] = GrB_LNOT;
    monoid[monoids++] = GrB_LOR_MONOID_BOOL, monoid[monoids++] = GrB_LAND_MONOID_BOOL;
    monoid[monoids++] = GrB_LXOR_MONOID_BOOL, monoid[monoids++] = GrB_LXNOR_MONOID_BOOL;
    semiring[semirings++] = GrB_LOR_LAND_SEMIRING_BOOL, semiring[semirings++] = GrB_LAND_LOR_SEMIRING_BOOL;
    semiring[semirings++] = GrB_LXOR_LAND_SEMIRING_BOOL, semiring[semirings++] = GrB_LXNOR_LOR_SEMIRING_BOOL;
    semiring[semirings++] = GxB_MIN_SECONDI_INT64, semiring[semirings++] = GxB_MAX_FIRSTJ_INT64;
    semiring[semirings++] = GxB_PLUS_SECONDJ1_INT32, semiring[semirings++] = GxB_MIN_FIRSTI1_INT32;
    positional[positionals++] = GxB_FIRSTI_INT32, positional[positionals++] = GxB_FIRSTJ1_INT64;
    positional[positionals++] = GxB_SECONDI1_INT64, positional[positionals++] = GxB_SECONDJ_INT32;
    index_unary[index_unaries++] = GrB_ROWINDEX_INT32, index_unary[index_unaries++] = GrB_ROWINDEX_INT64;
    binary[binaries++] = GxB_CMPLX_FP32, binary[binaries++] = GxB_CMPLX_FP64;
    index_unary[index_unaries++] = GrB_COLINDEX_INT32, index_unary[index_unaries++] = GrB_COLINDEX_INT64;
    /* GrB_DIAGINDEX is left out: SuiteSparse subtracts the scalar, the specification adds it. */
    selection[selections++] = GrB_TRIL, selection[selections++] = GrB_TRIU, selection[selections++] = GrB_DIAG;
    selection[selections++] = GrB_OFFDIAG, selection[selections++] = GrB_ROWLE, selection[selections++] = GrB_ROWGT;
    selection[selections++] = GrB_COLLE, selection[selections++] = GrB_COLGT;
    GrB_BinaryOp triple_add, triple_multiply;
    GrB_BinaryOp_new(&triple_add, triple_plus, type_of[user_type], type_of[user_type], type_of[user_type]);
    GrB_BinaryOp_new(&triple_multiply, triple_times, type_of[user_type], type_of[user_type], type_of[user_type]);
    GrB_BinaryOp_new(&user_binary, minus_twice, GrB_INT32, GrB_INT32, GrB_INT32);
    GrB_BinaryOp_new(&mixed_binary, mixed, GrB_FP64, GrB_INT16, GrB_FP32);
    binary[binaries++] = user_binary, binary[binaries++] = mixed_binary;
    for (int k = 0; k < 12; ++k) binary[binaries++] = triple_add, binary[binaries++] = triple_multiply;
    GrB_UnaryOp_new(&user_unary, half, GrB_FP64, GrB_FP64);
    unary[unaries++] = user_unary;
    GrB_UnaryOp turn;
    GrB_UnaryOp_new(&turn, triple_turn, type_of[user_type], type_of[user_type]);
    for (int k = 0; k < 6; ++k) unary[unaries++] = turn;
    GrB_IndexUnaryOp_new(&user_index, triple_at, type_of[user_type], type_of[user_type], GrB_INT32);
    GrB_IndexUnaryOp_new(&user_selection, triple_keep, GrB_BOOL, type_of[user_type], GrB_INT32);
    index_unary[index_unaries++] = user_index;
    for (int k = 0; k < 6; ++k) selection[selections++] = user_selection;
    triple zero = {0, 0, 0};
    GrB_Monoid_new_UDT(&user_monoid, triple_add, &zero);
    monoid[monoids++] = user_monoid;
    GrB_Semiring_new(&user_semiring, user_monoid, triple_multiply);
    for (int k = 0; k < 8; ++k) semiring[semirings++] = user_semiring;
}

/* Random objects */

typedef struct {
    GrB_Index rows, columns;
    int type;
    GrB_Matrix m;
    GrB_Vector v;
} object;

static GrB_Index small_size(void) { return one_in(25) ? 0 : (GrB_Index)(1 + below(7)); }

static void set_entry(object const* o, GrB_Index i, GrB_Index j, GxB_FC64_t value) {
    if (o->type == user_type) {
        triple const t = random_triple();
        if (o->m) GrB_Matrix_setElement_UDT(o->m, (void*)&t, i, j);
        if (o->v) GrB_Vector_setElement_UDT(o->v, (void*)&t, i);
        return;
    }
    if (o->m) GxB_Matrix_setElement_FC64(o->m, value, i, j);
    if (o->v) GxB_Vector_setElement_FC64(o->v, value, i);
}
/* Writes the entries of an object onto themselves: a library may then store them by position. */
static void update_itself(object const* o) {
    if (o->rows == 0 || o->columns == 0) return; /* Debian's SuiteSparse 7.4 does not serialise such a bitmap */
    if (o->m) GrB_Matrix_assign(o->m, o->m, NULL, o->m, GrB_ALL, o->rows, GrB_ALL, o->columns, GrB_DESC_S);
    if (o->v) GrB_Vector_assign(o->v, o->v, NULL, o->v, GrB_ALL, o->rows, GrB_DESC_S);
}
static object new_matrix(int type, GrB_Index rows, GrB_Index columns, int density) {
    object o = {rows, columns, type, NULL, NULL};
    GrB_Matrix_new(&o.m, type_of[type], rows, columns);
    for (GrB_Index i = 0; i < rows; ++i)
        for (GrB_Index j = 0; j < columns; ++j)
            if (below(100) < density) set_entry(&o, i, j, random_complex(type));
    if (one_in(2)) GrB_Matrix_wait(o.m, GrB_MATERIALIZE);
    if (one_in(3)) update_itself(&o);
    return o;
}
static object new_vector(int type, GrB_Index n, int density) {
    object o = {n, 1, type, NULL, NULL};
    GrB_Vector_new(&o.v, type_of[type], n);
    for (GrB_Index i = 0; i < n; ++i)
        if (below(100) < density) set_entry(&o, i, 0, random_complex(type));
    if (one_in(2)) GrB_Vector_wait(o.v, GrB_MATERIALIZE);
    if (one_in(3)) update_itself(&o);
    return o;
}
static int density(void) { return one_in(4) ? 100 : one_in(8) ? 0 : 10 + below(80); }
static int real_type(void) { return one_in(12) ? user_type : below(11); }
static int random_type(void) { return one_in(12) ? user_type : below(types); }
static void free_object(object* o) {
    GrB_Matrix_free(&o->m);
    GrB_Vector_free(&o->v);
}

/* Output */

static void print_number(double x) {
    if (x != x)
        printf(" nan");
    else
        printf(" %.17g", x + 0.0); /* a minimum of 0 and -0 is either */
}
static void print_complex(GxB_FC64_t x) {
    double parts[2];
    memcpy(parts, &x, sizeof parts);
    print_number(parts[0]);
    print_number(parts[1]);
}
static void print_value(int type, void const* values, GrB_Index k, GrB_Index const* I, GrB_Index const* J) {
    if (J)
        printf(" (%" PRIu64 ",%" PRIu64 ")", (uint64_t)I[k], (uint64_t)J[k]);
    else if (I)
        printf(" (%" PRIu64 ")", (uint64_t)I[k]);
    switch (type) {
#define PRINT_INTEGER(N, T, C, P)                                                                                      \
    case N:                                                                                                            \
        if (N > 10)                                                                                                    \
            print_complex((GxB_FC64_t)((C const*)values)[k]);                                                          \
        else if (N >= 9)                                                                                               \
            print_number((double)((C const*)values)[k]);                                                               \
        else                                                                                                           \
            printf(" %lld", (long long)((C const*)values)[k]);                                                         \
        break;
        TYPES(PRINT_INTEGER)
    default: {
        triple const* t = (triple const*)values + k;
        printf(" {%d", t->a);
        print_number(t->b);
        printf(" %d}", t->c);
    }
    }
}
/* Prints the entries of a matrix by rows, since the order of extractTuples is free. */
static void print_object(object const* o) {
    GrB_Index n = 0, rows = 0, columns = 1;
    if (o->m) GrB_Matrix_nvals(&n, o->m), GrB_Matrix_nrows(&rows, o->m), GrB_Matrix_ncols(&columns, o->m);
    if (o->v) GrB_Vector_nvals(&n, o->v), GrB_Vector_size(&rows, o->v);
    printf(" | %" PRIu64 "x%" PRIu64 " n=%" PRIu64, (uint64_t)rows, (uint64_t)columns, (uint64_t)n);
    GrB_Index *I = calloc(n + 1, sizeof *I), *J = calloc(n + 1, sizeof *J);
    void* X = calloc(n + 1, sizeof(GxB_FC64_t)); /* no type is larger */
    GrB_Info info = GrB_SUCCESS;
    switch (o->type) {
#define EXTRACT(N, T, C, P)                                                                                            \
    case N:                                                                                                            \
        info = o->m ? P##_Matrix_extractTuples_##T(I, J, X, &n, o->m) : P##_Vector_extractTuples_##T(I, X, &n, o->v);  \
        break;
        TYPES(EXTRACT)
    default:
        info = o->m ? GrB_Matrix_extractTuples_UDT(I, J, X, &n, o->m) : GrB_Vector_extractTuples_UDT(I, X, &n, o->v);
    }
    if (info != GrB_SUCCESS) printf(" tuples=%d", (int)info);
    GrB_Index* order = calloc(n + 1, sizeof *order);
    for (GrB_Index k = 0; k < n; ++k) { /* by rows */
        GrB_Index at = k;
        for (; at > 0 && (I[order[at - 1]] > I[k] || (I[order[at - 1]] == I[k] && J[order[at - 1]] > J[k])); --at)
            order[at] = order[at - 1];
        order[at] = k;
    }
    for (GrB_Index k = 0; k < n; ++k) print_value(o->type, X, order[k], I, o->m ? J : NULL);
    free(order);
    free(I), free(J), free(X);
}

/* Settings of a call */

typedef struct {
    GrB_Descriptor d;
    bool t0, t1, complement;
} setting;

static setting random_descriptor(void) {
    setting s = {NULL, false, false, false};
    if (one_in(4)) return s;
    GrB_Descriptor_new(&s.d);
    if (one_in(2)) GrB_Descriptor_set(s.d, GrB_OUTP, GrB_REPLACE);
    if (one_in(2)) s.complement = GrB_Descriptor_set(s.d, GrB_MASK, GrB_COMP) == GrB_SUCCESS;
    if (one_in(2)) GrB_Descriptor_set(s.d, GrB_MASK, GrB_STRUCTURE);
    if (one_in(3)) s.t0 = GrB_Descriptor_set(s.d, GrB_INP0, GrB_TRAN) == GrB_SUCCESS;
    if (one_in(3)) s.t1 = GrB_Descriptor_set(s.d, GrB_INP1, GrB_TRAN) == GrB_SUCCESS;
    return s;
}
static GrB_BinaryOp random_accumulator(void) {
    if (one_in(2)) return NULL;
    return one_in(30) ? positional[below(positionals)] : binary[below(binaries)];
}
/* A size that is wrong now and then. */
static GrB_Index size_near(GrB_Index n) { return n > 0 && plain && one_in(20) ? n + 1 : n; }
static object random_mask_matrix(GrB_Index rows, GrB_Index columns) {
    object o = {0, 0, 0, NULL, NULL};
    if (one_in(2)) return o;
    return new_matrix(one_in(20) ? user_type : below(types), size_near(rows), size_near(columns), density());
}
static object random_mask_vector(GrB_Index n) {
    object o = {0, 0, 0, NULL, NULL};
    if (one_in(2)) return o;
    return new_vector(one_in(20) ? user_type : below(types), size_near(n), density());
}
static object matrix_of(bool transposed, GrB_Index rows, GrB_Index columns) {
    return transposed ? new_matrix(random_type(), size_near(columns), size_near(rows), density())
                      : new_matrix(random_type(), size_near(rows), size_near(columns), density());
}
static object vector_of(GrB_Index n) { return new_vector(random_type(), size_near(n), density()); }
static GrB_BinaryOp random_binary(void) {
    return one_in(20) ? positional[below(positionals)] : binary[below(binaries)];
}

/* A list of indices below `bound`, distinct unless `repeats`; NULL and n = 0 stand for GrB_ALL. */
typedef struct {
    GrB_Index *list, n;
} list;
static list random_list(GrB_Index bound, bool repeats) {
    list l = {NULL, bound};
    if (bound == 0 || one_in(3)) return l;
    l.n = (GrB_Index)below((int)bound + 1);
    l.list = calloc(bound + l.n + 1, sizeof(GrB_Index));
    for (GrB_Index k = 0; k < bound; ++k) l.list[k] = k;
    for (GrB_Index k = 0; k < l.n; ++k) {
        GrB_Index const other = k + (GrB_Index)below((int)(bound - k)), x = l.list[k];
        l.list[k] = l.list[other], l.list[other] = x;
    }
    if (repeats)
        for (GrB_Index k = 0; k < l.n; ++k)
            if (one_in(3)) l.list[k] = (GrB_Index)below((int)bound);
    if (l.n > 0 && plain && one_in(80)) l.list[below((int)l.n)] = bound + (GrB_Index)below(2);
    return l;
}
static GrB_Index const* indices_of(list const* l) { return l->list ? l->list : GrB_ALL; }

/* Operations; each returns the code and leaves the output in `c`. */

typedef struct {
    object c, mask, a, b;
    GrB_BinaryOp accum;
    setting s;
} call;

static GrB_Info case_mxm(call* k) {
    GrB_Index const m = small_size(), n = small_size(), l = small_size();
    k->c = new_matrix(random_type(), m, n, density());
    k->mask = random_mask_matrix(m, n);
    k->a = matrix_of(k->s.t0, m, l), k->b = matrix_of(k->s.t1, l, n);
    GrB_Semiring const op = semiring[below(semirings)];
    if (one_in(8) && m == n && n == l) { /* the output is an operand and the mask */
        free_object(&k->c);
        k->c = k->a;
        GrB_Matrix const mask = k->c.type != user_type && one_in(2) ? k->c.m : NULL;
        GrB_Info const info = GrB_mxm(k->c.m, mask, k->accum, op, k->a.m, one_in(2) ? k->a.m : k->b.m, k->s.d);
        k->a.m = NULL;
        return info;
    }
    return GrB_mxm(k->c.m, k->mask.m, k->accum, op, k->a.m, k->b.m, k->s.d);
}
static GrB_Info case_diagonal(call* k) { /* a diagonal factor, mostly without a gap */
    GrB_Index const m = small_size(), n = small_size();
    bool const left = one_in(2);
    object d = new_vector(random_type(), left ? m : n, one_in(4) ? density() : 100);
    object* const factor = left ? &k->a : &k->b;
    factor->type = d.type;
    GrB_Matrix_diag(&factor->m, d.v, one_in(8) ? 1 : 0);
    free_object(&d);
    k->c = new_matrix(random_type(), m, n, density());
    k->mask = one_in(2) ? random_mask_matrix(m, n) : k->mask;
    *(left ? &k->b : &k->a) = left ? matrix_of(k->s.t1, m, n) : matrix_of(k->s.t0, m, n);
    return GrB_mxm(k->c.m, k->mask.m, k->accum, semiring[below(semirings)], k->a.m, k->b.m, k->s.d);
}
static GrB_Info case_few_columns(call* k) { /* of a product of many rows */
    GrB_Index const m = (GrB_Index)(60 + below(20)), n = (GrB_Index)(1 + below(4)), l = (GrB_Index)(1 + below(30));
    k->c = new_matrix(random_type(), m, n, density());
    k->a = matrix_of(k->s.t0, m, l), k->b = matrix_of(k->s.t1, l, n);
    if (k->b.type != user_type)
        for (GrB_Index e = one_in(2) ? 0 : 1; e < l * n; ++e)
            GrB_Matrix_setElement_INT64(k->b.m, 1 + below(3), e / k->b.columns, e % k->b.columns);
    /* without products of all entries, which round */
    return GrB_mxm(k->c.m, NULL, k->accum, semiring[20 + below(semirings - 20)], k->a.m, k->b.m, k->s.d);
}
static GrB_Info case_mxv(call* k) {
    GrB_Index const m = small_size(), n = small_size();
    k->c = new_vector(random_type(), m, density()), k->mask = random_mask_vector(m);
    k->a = matrix_of(k->s.t0, m, n), k->b = vector_of(n);
    return GrB_mxv(k->c.v, k->mask.v, k->accum, semiring[below(semirings - 12)], k->a.m, k->b.v, k->s.d);
}
static GrB_Info case_vxm(call* k) {
    GrB_Index const m = small_size(), n = small_size();
    k->c = new_vector(random_type(), n, density()), k->mask = random_mask_vector(n);
    k->a = matrix_of(k->s.t1, m, n), k->b = vector_of(m);
    return GrB_vxm(k->c.v, k->mask.v, k->accum, semiring[below(semirings - 12)], k->b.v, k->a.m, k->s.d);
}
/* SuiteSparse 7.4 converts a transposed complex operand of GrB_eWiseAdd to the type of the operator's operand, also
   entries without a partner, which the specification (4.3.5.2) converts to the type of the operator's result. */
static object operand_of_add(bool add, bool transposed, GrB_Index m, GrB_Index n) {
    if (!add || !transposed) return matrix_of(transposed, m, n);
    return new_matrix(real_type(), size_near(n), size_near(m), density());
}
static GrB_Info case_elementwise_matrix(call* k) {
    GrB_Index const m = small_size(), n = small_size();
    k->c = new_matrix(random_type(), m, n, density()), k->mask = random_mask_matrix(m, n);
    bool const add = one_in(2);
    k->a = operand_of_add(add, k->s.t0, m, n), k->b = operand_of_add(add, k->s.t1, m, n);
    switch (below(4)) {
    case 0: {
        GrB_Semiring const op = semiring[below(semirings)];
        return add ? GrB_Matrix_eWiseAdd_Semiring(k->c.m, k->mask.m, k->accum, op, k->a.m, k->b.m, k->s.d)
                   : GrB_Matrix_eWiseMult_Semiring(k->c.m, k->mask.m, k->accum, op, k->a.m, k->b.m, k->s.d);
    }
    case 1: {
        GrB_Monoid const op = monoid[below(monoids)];
        return add ? GrB_Matrix_eWiseAdd_Monoid(k->c.m, k->mask.m, k->accum, op, k->a.m, k->b.m, k->s.d)
                   : GrB_Matrix_eWiseMult_Monoid(k->c.m, k->mask.m, k->accum, op, k->a.m, k->b.m, k->s.d);
    }
    default: {
        GrB_BinaryOp const op = random_binary();
        return add ? GrB_Matrix_eWiseAdd_BinaryOp(k->c.m, k->mask.m, k->accum, op, k->a.m, k->b.m, k->s.d)
                   : GrB_Matrix_eWiseMult_BinaryOp(k->c.m, k->mask.m, k->accum, op, k->a.m, k->b.m, k->s.d);
    }
    }
}
static GrB_Info case_elementwise_vector(call* k) {
    GrB_Index const n = small_size();
    k->c = new_vector(random_type(), n, density()), k->mask = random_mask_vector(n);
    k->a = vector_of(n), k->b = vector_of(n);
    bool const add = one_in(2);
    switch (below(4)) {
    case 0: {
        GrB_Semiring const op = semiring[below(semirings - 12)];
        return add ? GrB_Vector_eWiseAdd_Semiring(k->c.v, k->mask.v, k->accum, op, k->a.v, k->b.v, k->s.d)
                   : GrB_Vector_eWiseMult_Semiring(k->c.v, k->mask.v, k->accum, op, k->a.v, k->b.v, k->s.d);
    }
    case 1: {
        GrB_Monoid const op = monoid[below(monoids)];
        return add ? GrB_Vector_eWiseAdd_Monoid(k->c.v, k->mask.v, k->accum, op, k->a.v, k->b.v, k->s.d)
                   : GrB_Vector_eWiseMult_Monoid(k->c.v, k->mask.v, k->accum, op, k->a.v, k->b.v, k->s.d);
    }
    default: {
        GrB_BinaryOp const op = random_binary();
        return add ? GrB_Vector_eWiseAdd_BinaryOp(k->c.v, k->mask.v, k->accum, op, k->a.v, k->b.v, k->s.d)
                   : GrB_Vector_eWiseMult_BinaryOp(k->c.v, k->mask.v, k->accum, op, k->a.v, k->b.v, k->s.d);
    }
    }
}
static GrB_Info case_extract_matrix(call* k) {
    GrB_Index const m = small_size(), n = small_size();
    k->a = new_matrix(random_type(), m, n, density());
    list i = random_list(k->s.t0 ? n : m, true), j = random_list(k->s.t0 ? m : n, true);
    k->c = new_matrix(random_type(), size_near(i.n), size_near(j.n), density());
    k->mask = random_mask_matrix(k->c.rows, k->c.columns);
    GrB_Info const info =
        GrB_Matrix_extract(k->c.m, k->mask.m, k->accum, k->a.m, indices_of(&i), i.n, indices_of(&j), j.n, k->s.d);
    free(i.list), free(j.list);
    return info;
}
static GrB_Info case_extract_vector(call* k) {
    GrB_Index const m = small_size(), n = small_size();
    bool const column = one_in(2);
    k->a = column ? new_matrix(random_type(), m, n, density()) : new_vector(random_type(), m, density());
    list i = random_list(column && k->s.t0 ? n : m, true);
    k->c = new_vector(random_type(), size_near(i.n), density());
    k->mask = random_mask_vector(k->c.rows);
    GrB_Index const j = (GrB_Index)below((int)(k->s.t0 ? m : n) + (one_in(20) ? 2 : 0) + 1);
    GrB_Info const info = column ? GrB_Col_extract(k->c.v, k->mask.v, k->accum, k->a.m, indices_of(&i), i.n, j, k->s.d)
                                 : GrB_Vector_extract(k->c.v, k->mask.v, k->accum, k->a.v, indices_of(&i), i.n, k->s.d);
    free(i.list);
    return info;
}
static GrB_Info case_assign_matrix(call* k) {
    GrB_Index const m = small_size(), n = small_size();
    k->c = new_matrix(random_type(), m, n, density()), k->mask = random_mask_matrix(m, n);
    list i = random_list(m, false), j = random_list(n, false);
    k->a = matrix_of(k->s.t0, i.n, j.n);
    GrB_Info const info =
        GrB_Matrix_assign(k->c.m, k->mask.m, k->accum, k->a.m, indices_of(&i), i.n, indices_of(&j), j.n, k->s.d);
    free(i.list), free(j.list);
    return info;
}
static GrB_Info case_assign_vector(call* k) {
    GrB_Index const n = small_size();
    k->c = new_vector(random_type(), n, density()), k->mask = random_mask_vector(n);
    list i = random_list(n, false);
    k->a = vector_of(i.n);
    GrB_Info const info = GrB_Vector_assign(k->c.v, k->mask.v, k->accum, k->a.v, indices_of(&i), i.n, k->s.d);
    free(i.list);
    return info;
}
static GrB_Info case_assign_line(call* k) {
    GrB_Index const m = (GrB_Index)(1 + below(7)), n = (GrB_Index)(1 + below(7));
    bool const row = one_in(2);
    k->c = new_matrix(random_type(), m, n, density());
    k->mask = random_mask_vector(row ? n : m);
    list l = random_list(row ? n : m, false);
    k->a = vector_of(l.n);
    GrB_Index const at = (GrB_Index)below((int)(row ? m : n) + (plain && one_in(20) ? 1 : 0));
    GrB_Info const info = row ? GrB_Row_assign(k->c.m, k->mask.v, k->accum, k->a.v, at, indices_of(&l), l.n, k->s.d)
                              : GrB_Col_assign(k->c.m, k->mask.v, k->accum, k->a.v, indices_of(&l), l.n, at, k->s.d);
    free(l.list);
    return info;
}

static GrB_Info case_subassign(call* k) {
    GrB_Index const m = small_size(), n = small_size();
    list i = random_list(m, false), j = random_list(n, false);
    GrB_Info info = GrB_SUCCESS;
    GrB_Index const at = (GrB_Index)(n > 0 ? below((int)n) : 0), row = (GrB_Index)(m > 0 ? below((int)m) : 0);
    switch (below(4)) {
    case 0:
        k->c = new_matrix(random_type(), m, n, density()), k->mask = random_mask_matrix(i.n, j.n);
        k->a = matrix_of(k->s.t0, i.n, j.n);
        info =
            GxB_Matrix_subassign(k->c.m, k->mask.m, k->accum, k->a.m, indices_of(&i), i.n, indices_of(&j), j.n, k->s.d);
        break;
    case 1:
        k->c = new_vector(random_type(), m, density()), k->mask = random_mask_vector(i.n), k->a = vector_of(i.n);
        info = GxB_Vector_subassign(k->c.v, k->mask.v, k->accum, k->a.v, indices_of(&i), i.n, k->s.d);
        break;
    case 2:
        k->c = new_matrix(random_type(), m, n, density()), k->mask = random_mask_vector(i.n), k->a = vector_of(i.n);
        info = GxB_Col_subassign(k->c.m, k->mask.v, k->accum, k->a.v, indices_of(&i), i.n, at, k->s.d);
        break;
    default:
        k->c = new_matrix(random_type(), m, n, density()), k->mask = random_mask_vector(j.n), k->a = vector_of(j.n);
        info = GxB_Row_subassign(k->c.m, k->mask.v, k->accum, k->a.v, row, indices_of(&j), j.n, k->s.d);
    }
    free(i.list), free(j.list);
    return info;
}

static GrB_Scalar random_scalar(int type) {
    GrB_Scalar s;
    GrB_Scalar_new(&s, type_of[type]);
    triple t = random_triple();
    if (type != user_type && plain && one_in(3)) return s;
    if (type == user_type)
        GrB_Scalar_setElement_UDT(s, &t);
    else
        GxB_Scalar_setElement_FC64(s, random_complex(type));
    return s;
}
/* Calls FUNCTION##_T(before, x, after) for a value of a random type, user-defined or GrB_Scalar. */
#define TYPED_CASE(N, T, C, P)                                                                                         \
    case N:                                                                                                            \
        info = CALL(P, T, (C)random_complex(N));                                                                       \
        break;
#define TYPED_CALL(TYPE)                                                                                               \
    switch (TYPE) {                                                                                                    \
        TYPES(TYPED_CASE)                                                                                              \
    case user_type: {                                                                                                  \
        triple t = random_triple();                                                                                    \
        info = CALL(GrB, UDT, (void*)&t);                                                                              \
        break;                                                                                                         \
    }                                                                                                                  \
    default: {                                                                                                         \
        GrB_Scalar s = random_scalar(below(types));                                                                    \
        info = CALL(GrB, Scalar, s);                                                                                   \
        GrB_Scalar_free(&s);                                                                                           \
    }                                                                                                                  \
    }
static int random_argument(void) { return one_in(4) ? user_type + 1 : random_type(); }

static GrB_Info case_assign_scalar(call* k) {
    GrB_Index const m = small_size(), n = small_size();
    GrB_Info info = GrB_SUCCESS;
    int const type = random_argument();
    list i = random_list(m, true), j = random_list(n, true);
    if (one_in(2)) {
        k->c = new_matrix(random_type(), m, n, density()), k->mask = random_mask_matrix(m, n);
#define CALL(P, T, X)                                                                                                  \
    P##_Matrix_assign_##T(k->c.m, k->mask.m, k->accum, X, indices_of(&i), i.n, indices_of(&j), j.n, k->s.d)
        TYPED_CALL(type)
#undef CALL
    } else {
        k->c = new_vector(random_type(), m, density()), k->mask = random_mask_vector(m);
#define CALL(P, T, X) P##_Vector_assign_##T(k->c.v, k->mask.v, k->accum, X, indices_of(&i), i.n, k->s.d)
        TYPED_CALL(type)
#undef CALL
    }
    free(i.list), free(j.list);
    return info;
}
static GrB_Info case_subassign_scalar(call* k) {
    GrB_Index const m = small_size(), n = small_size();
    GrB_Info info = GrB_SUCCESS;
    int const type = random_argument();
    list i = random_list(m, false), j = random_list(n, false);
    if (one_in(2)) {
        k->c = new_matrix(random_type(), m, n, density()), k->mask = random_mask_matrix(i.n, j.n);
#define CALL(P, T, X)                                                                                                  \
    GxB_Matrix_subassign_##T(k->c.m, k->mask.m, k->accum, X, indices_of(&i), i.n, indices_of(&j), j.n, k->s.d)
        TYPED_CALL(type)
#undef CALL
    } else {
        k->c = new_vector(random_type(), m, density()), k->mask = random_mask_vector(i.n);
#define CALL(P, T, X) GxB_Vector_subassign_##T(k->c.v, k->mask.v, k->accum, X, indices_of(&i), i.n, k->s.d)
        TYPED_CALL(type)
#undef CALL
    }
    free(i.list), free(j.list);
    return info;
}
static GrB_Info case_apply(call* k) {
    GrB_Index const m = small_size(), n = small_size();
    GrB_UnaryOp const op = unary[below(unaries)];
    if (one_in(2)) {
        k->c = new_matrix(random_type(), m, n, density()), k->mask = random_mask_matrix(m, n);
        k->a = matrix_of(k->s.t0, m, n);
        return GrB_Matrix_apply(k->c.m, k->mask.m, k->accum, op, k->a.m, k->s.d);
    }
    k->c = new_vector(random_type(), m, density()), k->mask = random_mask_vector(m), k->a = vector_of(m);
    return GrB_Vector_apply(k->c.v, k->mask.v, k->accum, op, k->a.v, k->s.d);
}
static GrB_Info case_apply_bound(call* k) {
    GrB_Index const m = small_size(), n = small_size();
    GrB_BinaryOp op = random_binary();
    GrB_Info info = GrB_SUCCESS;
    bool const first = one_in(2);
    /* A predefined operator may not use an operand, whose type is then not checked everywhere. */
    int const type = random_argument(), entries = type == user_type ? random_type() : below(types);
    if (type == user_type)
        op = binary[binaries - 1 - below(2)]; /* types behind an address are not checked everywhere */
    if (one_in(2)) {
        k->c = new_matrix(entries, m, n, density()), k->mask = random_mask_matrix(m, n);
        bool const turned = first ? k->s.t1 : k->s.t0;
        k->a = new_matrix(entries, size_near(turned ? n : m), size_near(turned ? m : n), density());
#define CALL(P, T, X)                                                                                                  \
    first ? P##_Matrix_apply_BinaryOp1st_##T(k->c.m, k->mask.m, k->accum, op, X, k->a.m, k->s.d)                       \
          : P##_Matrix_apply_BinaryOp2nd_##T(k->c.m, k->mask.m, k->accum, op, k->a.m, X, k->s.d)
        TYPED_CALL(type)
#undef CALL
        return info;
    }
    k->c = new_vector(entries, m, density()), k->mask = random_mask_vector(m);
    k->a = new_vector(entries, size_near(m), density());
#define CALL(P, T, X)                                                                                                  \
    first ? P##_Vector_apply_BinaryOp1st_##T(k->c.v, k->mask.v, k->accum, op, X, k->a.v, k->s.d)                       \
          : P##_Vector_apply_BinaryOp2nd_##T(k->c.v, k->mask.v, k->accum, op, k->a.v, X, k->s.d)
    TYPED_CALL(type)
#undef CALL
    return info;
}
/* SuiteSparse refuses to compare values of a complex operand that it could convert; case_complex_selection has others.
 */
static GrB_Info case_complex_selection(call* k) {
    GrB_Index const m = small_size(), n = small_size();
    GrB_IndexUnaryOp const op[6] = {GxB_VALUEEQ_FC32, GxB_VALUENE_FC64, GxB_VALUENE_FC32,
                                    GrB_TRIL,         GrB_OFFDIAG,      GrB_ROWLE};
    int const o = below(6);
    k->c = new_matrix(random_type(), m, n, density()), k->mask = random_mask_matrix(m, n);
    k->a = new_matrix(11 + below(2), k->s.t0 ? n : m, k->s.t0 ? m : n, density());
    if (o > 2) return GrB_Matrix_select_INT64(k->c.m, k->mask.m, k->accum, op[o], k->a.m, below(3), k->s.d);
    return GxB_Matrix_select_FC64(k->c.m, k->mask.m, k->accum, op[o], k->a.m, random_complex(12), k->s.d);
}
static GrB_Info case_index(call* k) {
    GrB_Index const m = small_size(), n = small_size();
    bool const selects = one_in(2);
    GrB_IndexUnaryOp const op = selects || one_in(3) ? selection[below(selections)] : index_unary[below(index_unaries)];
    GrB_Info info = GrB_SUCCESS;
    int type = random_argument();
    if (type == user_type) type = 3; /* types behind an address are not checked everywhere */
    if (one_in(2)) {
        k->c = new_matrix(random_type(), m, n, density()), k->mask = random_mask_matrix(m, n);
        k->a = new_matrix(real_type(), size_near(k->s.t0 ? n : m), size_near(k->s.t0 ? m : n), density());
#define CALL(P, T, X)                                                                                                  \
    selects ? P##_Matrix_select_##T(k->c.m, k->mask.m, k->accum, op, k->a.m, X, k->s.d)                                \
            : P##_Matrix_apply_IndexOp_##T(k->c.m, k->mask.m, k->accum, op, k->a.m, X, k->s.d)
        TYPED_CALL(type)
#undef CALL
        return info;
    }
    k->c = new_vector(random_type(), m, density()), k->mask = random_mask_vector(m);
    k->a = new_vector(real_type(), size_near(m), density());
#define CALL(P, T, X)                                                                                                  \
    selects ? P##_Vector_select_##T(k->c.v, k->mask.v, k->accum, op, k->a.v, X, k->s.d)                                \
            : P##_Vector_apply_IndexOp_##T(k->c.v, k->mask.v, k->accum, op, k->a.v, X, k->s.d)
    TYPED_CALL(type)
#undef CALL
    return info;
}
static GrB_Info case_reduce_rows(call* k) {
    GrB_Index const m = small_size(), n = small_size();
    k->c = new_vector(random_type(), m, density()), k->mask = random_mask_vector(m), k->a = matrix_of(k->s.t0, m, n);
    return GrB_Matrix_reduce_Monoid(k->c.v, k->mask.v, k->accum, monoid[below(monoids)], k->a.m, k->s.d);
}
static GrB_Info case_reduce_value(call* k) {
    GrB_Index const m = small_size(), n = small_size();
    bool const matrix = one_in(2);
    if (k->accum) k->accum = plus_of[below(types)];
    k->a = matrix ? new_matrix(random_type(), m, n, density()) : new_vector(random_type(), m, density());
    /* The types of an object without entries are not checked everywhere. */
    GrB_Monoid const op = k->a.type == user_type ? user_monoid : monoid[below(monoids - 1)];
    if (k->a.type == user_type) k->accum = NULL;
    GrB_Info info = GrB_SUCCESS;
    switch (random_argument()) {
#define REDUCE(N, T, C, P)                                                                                             \
    case N: {                                                                                                          \
        C x = (C)random_complex(N);                                                                                    \
        info = matrix ? P##_Matrix_reduce_##T(&x, k->accum, op, k->a.m, k->s.d)                                        \
                      : P##_Vector_reduce_##T(&x, k->accum, op, k->a.v, k->s.d);                                       \
        printf(" value");                                                                                              \
        print_complex((GxB_FC64_t)x);                                                                                  \
        break;                                                                                                         \
    }
        TYPES(REDUCE)
    case user_type: {
        triple x = random_triple();
        info = matrix ? GrB_Matrix_reduce_UDT(&x, NULL, user_monoid, k->a.m, k->s.d)
                      : GrB_Vector_reduce_UDT(&x, NULL, user_monoid, k->a.v, k->s.d);
        print_value(user_type, &x, 0, NULL, NULL);
        break;
    }
    default: {
        int const type = k->a.type == user_type ? user_type : below(types);
        GrB_Scalar s = random_scalar(type);
        info = matrix ? GrB_Matrix_reduce_Monoid_Scalar(s, k->accum, op, k->a.m, k->s.d)
                      : GrB_Vector_reduce_Monoid_Scalar(s, k->accum, op, k->a.v, k->s.d);
        GrB_Index n_values = 0;
        GrB_Scalar_nvals(&n_values, s);
        triple t = {0, 0, 0};
        GxB_FC64_t x = 0;
        if (type == user_type) {
            GrB_Scalar_extractElement_UDT(&t, s);
            if (info >= 0 && n_values) print_value(user_type, &t, 0, NULL, NULL);
        } else {
            GxB_Scalar_extractElement_FC64(&x, s);
            if (info >= 0) printf(" scalar %d", (int)n_values);
            if (info >= 0 && n_values) print_complex(x);
        }
        GrB_Scalar_free(&s);
    }
    }
    return info;
}
static GrB_Info case_transpose(call* k) {
    GrB_Index const m = small_size(), n = small_size();
    k->c = new_matrix(random_type(), m, n, density()), k->mask = random_mask_matrix(m, n);
    k->a = matrix_of(!k->s.t0, m, n);
    return GrB_transpose(k->c.m, k->mask.m, k->accum, k->a.m, k->s.d);
}
static GrB_Info case_kronecker(call* k) {
    GrB_Index const m = (GrB_Index)(1 + below(3)), n = (GrB_Index)(1 + below(3)), p = (GrB_Index)(1 + below(3)),
                    q = (GrB_Index)(1 + below(3));
    k->c = new_matrix(random_type(), m * p, n * q, density()), k->mask = random_mask_matrix(m * p, n * q);
    k->a = matrix_of(k->s.t0, m, n), k->b = matrix_of(k->s.t1, p, q);
    switch (below(3)) {
    case 0:
        return GrB_Matrix_kronecker_Semiring(k->c.m, k->mask.m, k->accum, semiring[below(semirings - 12)], k->a.m,
                                             k->b.m, k->s.d);
    case 1:
        return GrB_Matrix_kronecker_Monoid(k->c.m, k->mask.m, k->accum, monoid[below(monoids)], k->a.m, k->b.m, k->s.d);
    default:
        return GrB_Matrix_kronecker_BinaryOp(k->c.m, k->mask.m, k->accum, binary[below(binaries)], k->a.m, k->b.m,
                                             k->s.d);
    }
}
static GrB_Info case_build(call* k) {
    GrB_Index const m = (GrB_Index)(1 + below(7)), n = (GrB_Index)(1 + below(7)), count = (GrB_Index)below(20);
    GrB_Index I[32], J[32];
    bool const matrix = one_in(2);
    for (GrB_Index e = 0; e < count; ++e)
        I[e] = (GrB_Index)below((int)m + one_in(200)), J[e] = (GrB_Index)below((int)n + one_in(200));
    k->c = matrix ? new_matrix(random_type(), m, n, one_in(15) ? 50 : 0)
                  : new_vector(random_type(), m, one_in(15) ? 50 : 0);
    GrB_BinaryOp const dup = one_in(5) ? NULL : one_in(20) ? mixed_binary : fold[below(folds)];
    GrB_Info info = GrB_SUCCESS;
    switch (k->c.type == user_type ? random_type()
                                   : below(types)) { /* user-defined values are not checked everywhere */
#define BUILD(N, T, C, P)                                                                                              \
    case N: {                                                                                                          \
        C X[32];                                                                                                       \
        for (GrB_Index e = 0; e < count; ++e) X[e] = (C)random_complex(N);                                             \
        info = matrix ? P##_Matrix_build_##T(k->c.m, I, J, X, count, dup)                                              \
                      : P##_Vector_build_##T(k->c.v, I, X, count, dup);                                                \
        break;                                                                                                         \
    }
        TYPES(BUILD)
    default: {
        triple X[32];
        for (GrB_Index e = 0; e < count; ++e) X[e] = random_triple();
        GrB_BinaryOp const add = binary[binaries - 2];
        info = matrix ? GrB_Matrix_build_UDT(k->c.m, I, J, X, count, one_in(4) ? dup : add)
                      : GrB_Vector_build_UDT(k->c.v, I, X, count, one_in(4) ? dup : add);
    }
    }
    return info;
}
static GrB_Info case_elements(call* k) {
    GrB_Index const m = (GrB_Index)(1 + below(5)), n = (GrB_Index)(1 + below(5));
    bool const matrix = one_in(2);
    k->c = matrix ? new_matrix(random_type(), m, n, density()) : new_vector(random_type(), m, density());
    for (int step = below(12); step > 0; --step) {
        GrB_Index const i = (GrB_Index)below((int)m + one_in(20)), j = (GrB_Index)below((int)n + one_in(20));
        GrB_Info info = GrB_SUCCESS;
        switch (below(4)) {
        case 0: /* Debian's SuiteSparse 7.4 ends the program if an entry is removed before others are merged */
            if (matrix) GrB_Matrix_wait(k->c.m, GrB_MATERIALIZE);
            info = matrix ? GrB_Matrix_removeElement(k->c.m, i, j) : GrB_Vector_removeElement(k->c.v, i);
            break;
        case 1: {
            double x = 99;
            triple t = {9, 9, 9};
            GrB_Scalar s;
            GrB_Scalar_new(&s, type_of[k->c.type == user_type ? user_type : below(types)]);
            GrB_Index present = 0;
            switch (k->c.type == user_type ? 1 + below(2) : 2 * below(2)) { /* the order of two errors is free */
            case 0:
                info = matrix ? GrB_Matrix_extractElement_FP64(&x, k->c.m, i, j)
                              : GrB_Vector_extractElement_FP64(&x, k->c.v, i);
                print_number(x);
                break;
            case 1:
                info = matrix ? GrB_Matrix_extractElement_UDT(&t, k->c.m, i, j)
                              : GrB_Vector_extractElement_UDT(&t, k->c.v, i);
                print_value(user_type, &t, 0, NULL, NULL);
                break;
            default:
                info = matrix ? GrB_Matrix_extractElement_Scalar(s, k->c.m, i, j)
                              : GrB_Vector_extractElement_Scalar(s, k->c.v, i);
                GrB_Scalar_nvals(&present, s);
                printf(" n=%d", (int)present);
            }
            GrB_Scalar_free(&s);
            break;
        }
        default: {
            int const type = random_argument();
            if (matrix) {
#define CALL(P, T, X) P##_Matrix_setElement_##T(k->c.m, X, i, j)
                TYPED_CALL(type)
#undef CALL
            } else {
#define CALL(P, T, X) P##_Vector_setElement_##T(k->c.v, X, i)
                TYPED_CALL(type)
#undef CALL
            }
        }
        }
        printf(" %d", (int)info);
    }
    return GrB_SUCCESS;
}
static GrB_Info case_shapes(call* k) {
    GrB_Index const m = (GrB_Index)(1 + below(6)), n = (GrB_Index)(1 + below(6));
    int const type = random_type();
    switch (below(5)) {
    case 0:
        k->c = new_matrix(type, m, n, density());
        return GrB_Matrix_resize(k->c.m, small_size(), small_size());
    case 1:
        k->c = new_vector(type, m, density());
        return GrB_Vector_resize(k->c.v, small_size());
    case 2:
        k->a = new_vector(type, m, density()), k->c.type = type;
        return GrB_Matrix_diag(&k->c.m, k->a.v, below(9) - 4);
    case 3: {
        k->a = new_matrix(type, m, n, density()), k->c.type = type;
        GrB_Info const info = GrB_Matrix_dup(&k->c.m, k->a.m);
        GrB_Matrix_clear(k->a.m);
        print_object(&k->a);
        return info;
    }
    default: {
        k->a = new_vector(type, m, density()), k->c.type = type;
        GrB_Info const info = GrB_Vector_dup(&k->c.v, k->a.v);
        set_entry(&k->a, 0, 0, 1);
        print_object(&k->a);
        return info;
    }
    }
}
static GrB_Info case_serialise(call* k) {
    int const type = random_type();
    k->a = new_matrix(type, small_size(), small_size(), density()), k->c.type = type;
    GrB_Index size = 0;
    GrB_Matrix_serializeSize(&size, k->a.m);
    void* blob = malloc(size + 1);
    GrB_Info info = GrB_Matrix_serialize(blob, &size, k->a.m);
    if (info == GrB_SUCCESS)
        info = GrB_Matrix_deserialize(&k->c.m, type == user_type || one_in(2) ? type_of[type] : NULL, blob, size);
    free(blob);
    return info;
}
static GrB_Info case_import(call* k) {
    int const format = below(3);
    GrB_Index const m = (GrB_Index)(1 + below(6)), n = (GrB_Index)(1 + below(6));
    k->a = new_matrix(10, m, n, density());
    k->c.type = one_in(10) ? 3 : 10;
    GrB_Index p_length = 0, i_length = 0, x_length = 0;
    GrB_Info info = GrB_Matrix_exportSize(&p_length, &i_length, &x_length, format, k->a.m);
    printf(" %d %d %d %d", (int)info, (int)p_length, (int)i_length, (int)x_length);
    GrB_Index *p = calloc(p_length + 1, sizeof *p), *i = calloc(i_length + 1, sizeof *i);
    double* x = calloc(x_length + 1, sizeof *x);
    if (i_length > 0 && one_in(15)) --i_length;
    info = GrB_Matrix_export_FP64(p, i, x, &p_length, &i_length, &x_length, format, k->a.m);
    printf(" %d:", (int)info);
    if (info == GrB_SUCCESS) {
        for (GrB_Index e = 0; e < p_length; ++e) printf(" %d", (int)p[e]);
        printf(",");
        for (GrB_Index e = 0; e < i_length; ++e) printf(" %d", (int)i[e]);
        for (GrB_Index e = 0; e < x_length; ++e) print_number(x[e]);
        info = GrB_Matrix_import_FP64(&k->c.m, k->c.type == 10 ? GrB_FP64 : GrB_INT32, m, n, p, i, x, p_length,
                                      i_length, x_length, format);
    }
    free(p), free(i), free(x);
    return info;
}
static GrB_Info case_huge(call* k) { /* hypersparse: large sizes, few entries */
    GrB_Index const m = ((GrB_Index)1 << (13 + below(45))) + (GrB_Index)below(5),
                    places[6] = {0, 1, 77, m / 3, m - 2, m - 1};
    k->c.type = k->a.type = k->b.type = 4;
    GrB_Matrix_new(&k->c.m, GrB_INT64, m, m);
    GrB_Matrix_new(&k->a.m, GrB_INT64, m, m);
    GrB_Matrix_new(&k->b.m, GrB_INT64, m, m);
    for (int e = below(14); e > 0; --e)
        GrB_Matrix_setElement_INT64(k->a.m, 1 + below(9), places[below(6)], places[below(6)]);
    for (int e = below(14); e > 0; --e)
        GrB_Matrix_setElement_INT64(k->b.m, 1 + below(9), places[below(6)], places[below(6)]);
    for (int e = below(14); e > 0; --e)
        GrB_Matrix_setElement_INT64(k->c.m, 1 + below(9), places[below(6)], places[below(6)]);
    GrB_Matrix const mask = one_in(2) ? NULL : one_in(2) ? k->a.m : k->b.m;
    switch (below(8)) {
    case 0:
        return GrB_mxm(k->c.m, mask, k->accum, semiring[below(semirings - 12)], k->a.m, k->b.m, k->s.d);
    case 1:
        return GrB_Matrix_eWiseAdd_BinaryOp(k->c.m, mask, k->accum, GrB_MINUS_INT64, k->a.m, k->b.m, k->s.d);
    case 2:
        return GrB_Matrix_eWiseMult_BinaryOp(k->c.m, mask, k->accum, GrB_MINUS_INT64, k->a.m, k->b.m, k->s.d);
    case 3:
        return GrB_transpose(k->c.m, mask, k->accum, k->a.m, k->s.d);
    case 4:
        return GrB_Matrix_select_INT64(k->c.m, mask, k->accum, GrB_TRIL, k->a.m, (int64_t)below(3) - 1, k->s.d);
    case 5: {
        GrB_Matrix small;
        GrB_Index I[3] = {m - 1, 77, m / 3}, J[4] = {1, m - 2, 5, 0};
        GrB_Matrix_new(&small, GrB_INT64, 3, 4);
        for (GrB_Index i = 0; i < 3; ++i) GrB_Matrix_setElement_INT64(small, (int64_t)i + 3, i, i);
        GrB_Info info = GrB_Matrix_assign(k->c.m, mask, k->accum, small, I, 3, J, 4, GrB_DESC_R);
        printf(" %d", (int)info);
        GrB_Matrix_free(&small);
        GrB_Matrix_new(&small, GrB_INT64, 3, 4);
        info = GrB_Matrix_extract(small, NULL, NULL, k->a.m, I, 3, J, 4, NULL);
        object const o = {3, 4, 4, small, NULL};
        print_object(&o);
        GrB_Matrix_free(&small);
        return info;
    }
    case 6: {
        GrB_Vector v;
        GrB_Vector_new(&v, GrB_INT64, m);
        GrB_Info const info = GrB_Matrix_reduce_Monoid(v, NULL, NULL, GrB_PLUS_MONOID_INT64, k->a.m, k->s.d);
        GrB_Index const I[3] = {m - 1, 0, 77};
        GrB_Vector_assign_INT64(v, NULL, NULL, 42, I, 3, NULL);
        object const o = {m, 1, 4, NULL, v};
        print_object(&o);
        GrB_Vector_free(&v);
        return info;
    }
    default:
        return GrB_Matrix_assign_INT64(k->c.m, k->a.m, k->accum, 7, GrB_ALL, m, GrB_ALL, m, GrB_DESC_S);
    }
}

/* Vectors and matrices of some thousand positions, in sequences of operations as graph algorithms have them. */

static GrB_Vector long_vector(GrB_Type type, GrB_Index n) {
    GrB_Vector v;
    GrB_Vector_new(&v, type, n);
    GrB_Index const count = one_in(4) ? 2 * n : one_in(3) ? n / 4 : one_in(2) ? n / 50 : 3;
    if (one_in(5)) GrB_Vector_assign_INT64(v, NULL, NULL, 3, GrB_ALL, n, NULL);
    for (GrB_Index k = 0; k < count; ++k) GrB_Vector_setElement_INT64(v, below(20), (GrB_Index)below((int)n));
    return v;
}
static GrB_Matrix long_matrix(GrB_Index rows, GrB_Index columns) {
    GrB_Matrix a;
    GrB_Matrix_new(&a, GrB_INT64, rows, columns);
    GrB_Index const count = (one_in(4) ? 40 : 4) * (rows < columns ? rows : columns) + 3;
    for (GrB_Index k = 0; k < count; ++k) { /* smaller indices have more entries */
        GrB_Index const i = (GrB_Index)below((int)rows), j = (GrB_Index)below((int)columns);
        GrB_Matrix_setElement_INT64(a, below(20), i * i / rows, j * j / columns);
    }
    return a;
}
/* Prints a number that depends on all entries, but not on their order. */
static void print_sum(GrB_Info info, GrB_Index count, GrB_Index const* I, GrB_Index const* J, int64_t const* X) {
    uint64_t sum = 0;
    for (GrB_Index k = 0; k < count; ++k) {
        uint64_t entry = (1469598103934665603u ^ (J ? J[k] : 0)) * 1099511628211u;
        entry = ((entry ^ I[k]) * 1099511628211u ^ (uint64_t)X[k]) * 1099511628211u;
        sum += entry ^ entry >> 29;
    }
    printf(" %d:%" PRIu64 ":%" PRIx64, (int)info, (uint64_t)count, sum);
}
static void print_long_vector(GrB_Info info, GrB_Vector v) {
    GrB_Index count = 0;
    GrB_Vector_nvals(&count, v);
    GrB_Index* I = calloc(count + 1, sizeof *I);
    int64_t* X = calloc(count + 1, sizeof *X);
    GrB_Vector_extractTuples_INT64(I, X, &count, v);
    print_sum(info, count, I, NULL, X);
    free(I), free(X);
}
static void print_long_matrix(GrB_Info info, GrB_Matrix a) {
    GrB_Index count = 0;
    GrB_Matrix_nvals(&count, a);
    GrB_Index *I = calloc(count + 1, sizeof *I), *J = calloc(count + 1, sizeof *J);
    int64_t* X = calloc(count + 1, sizeof *X);
    GrB_Matrix_extractTuples_INT64(I, J, X, &count, a);
    print_sum(info, count, I, J, X);
    free(I), free(J), free(X);
}
static GrB_Info long_step(GrB_Vector w, GrB_Vector mask, GrB_BinaryOp accum, GrB_Vector u, GrB_Vector v, GrB_Matrix a,
                          GrB_Index n, GrB_Descriptor d) {
    GrB_Semiring const product[7] = {GrB_PLUS_TIMES_SEMIRING_INT64, GrB_MIN_PLUS_SEMIRING_INT64,
                                     GrB_MIN_FIRST_SEMIRING_INT64,  GrB_MIN_SECOND_SEMIRING_INT64,
                                     GrB_LOR_LAND_SEMIRING_BOOL,    GxB_PLUS_PAIR_INT64,
                                     GrB_MAX_PLUS_SEMIRING_INT64};
    GrB_BinaryOp const op[5] = {GrB_PLUS_INT64, GrB_MINUS_INT64, GrB_LT_INT64, GrB_MIN_INT32, GrB_DIV_INT64};
    /* SuiteSparse 7.4 combines a product that is not sorted yet with itself in the wrong order. */
    if (u == w) GrB_Vector_wait(u, GrB_MATERIALIZE);
    switch (below(12)) {
    case 0:
    case 1:
        return GrB_vxm(w, mask, accum, product[below(7)], u, a, d);
    case 2:
        return GrB_mxv(w, mask, accum, product[below(7)], a, u, d);
    case 3:
        return GrB_Vector_eWiseAdd_BinaryOp(w, mask, accum, op[below(5)], u, v, d);
    case 4:
        return GrB_Vector_eWiseMult_BinaryOp(w, mask, accum, op[below(5)], u, v, d);
    case 5:
        return GrB_Vector_assign_INT64(w, mask, accum, below(9), GrB_ALL, n, d);
    case 6:
        return GrB_Vector_assign(w, mask, accum, u, GrB_ALL, n, d);
    case 7:
        return GrB_Vector_select_INT64(w, mask, accum, GrB_VALUELT_INT64, u, below(20), d);
    case 8:
        return GrB_Vector_apply(w, mask, accum, GrB_AINV_INT64, u, d);
    case 9:
        return GrB_Vector_apply_BinaryOp2nd_INT64(w, mask, accum, op[below(5)], u, 1 + below(7), d);
    case 10:
        return GrB_Matrix_reduce_Monoid(w, mask, accum, GrB_PLUS_MONOID_INT64, a, d);
    default:
        return GrB_Vector_apply_IndexOp_INT64(w, mask, accum, GrB_ROWINDEX_INT64, u, 1, d);
    }
}
static GrB_Descriptor long_descriptor(void) {
    GrB_Descriptor const d[8] = {NULL,         GrB_DESC_S,  GrB_DESC_C,    GrB_DESC_SC,
                                 GrB_DESC_RSC, GrB_DESC_RS, GrB_DESC_T0T1, GrB_DESC_RSCT1};
    return d[below(8)];
}
static GrB_Info case_long(call* k) {
    GrB_Index const n = (GrB_Index)(500 + below(one_in(10) ? 20000 : 1500));
    GrB_Matrix a = long_matrix(n, n);
    GrB_Vector v[4];
    for (int e = 0; e < 4; ++e) v[e] = long_vector(e == 3 ? GrB_BOOL : GrB_INT64, n);
    for (int step = 2 + below(10); step > 0; --step) {
        int const to = below(4);
        GrB_Vector mask = one_in(3) ? NULL : v[below(4)];
        GrB_BinaryOp const accum = one_in(2) ? NULL : one_in(2) ? GrB_PLUS_INT64 : GrB_MIN_INT32;
        if (mask == v[to] && accum) mask = NULL; /* Debian's SuiteSparse 7.4 ends the program */
        GrB_Descriptor const d = long_descriptor();
        GrB_Info const info = long_step(v[to], mask, accum, v[below(4)], v[below(4)], a, n, d);
        print_long_vector(info, v[to]);
        int64_t sum = 0;
        GrB_Vector_reduce_INT64(&sum, NULL, GrB_PLUS_MONOID_INT64, v[to], NULL);
        printf("=%" PRId64, sum);
    }
    (void)k;
    GrB_Matrix_free(&a);
    for (int e = 0; e < 4; ++e) GrB_Vector_free(&v[e]);
    return GrB_SUCCESS;
}
static GrB_Info case_long_rows(call* k) { /* few rows, as searches from several vertices have them */
    GrB_Index const rows = (GrB_Index)(1 + below(5)), n = (GrB_Index)(500 + below(1500));
    GrB_Matrix a = long_matrix(n, n), m[3];
    for (int e = 0; e < 3; ++e) {
        m[e] = long_matrix(rows, n);
        if (one_in(2)) GrB_Matrix_assign_INT64(m[e], NULL, NULL, 2, GrB_ALL, rows, GrB_ALL, n, NULL);
        for (int j = below(200); j > 0; --j)
            GrB_Matrix_setElement_INT64(m[e], below(9), (GrB_Index)below((int)rows), (GrB_Index)below((int)n));
    }
    for (int step = 2 + below(8); step > 0; --step) {
        GrB_Matrix const c = m[below(3)], u = m[below(3)], w = m[below(3)];
        GrB_Matrix mask = one_in(3) ? NULL : m[below(3)];
        GrB_BinaryOp const accum = one_in(2) ? NULL : GrB_PLUS_INT64;
        if (mask == c && accum) mask = NULL; /* Debian's SuiteSparse 7.4 ends the program */
        GrB_Descriptor const d[5] = {NULL, GrB_DESC_S, GrB_DESC_SC, GrB_DESC_RSC, GrB_DESC_RS},
                             t[5] = {GrB_DESC_T1, GrB_DESC_ST1, GrB_DESC_SCT1, GrB_DESC_RSCT1, GrB_DESC_RST1};
        GrB_Info info = GrB_SUCCESS;
        switch (below(5)) {
        case 0:
        case 1:
            info = GrB_mxm(c, mask, accum, one_in(2) ? GrB_PLUS_TIMES_SEMIRING_INT64 : GrB_MIN_FIRST_SEMIRING_INT64, u,
                           a, one_in(2) ? d[below(5)] : t[below(5)]);
            break;
        case 2:
            info = GrB_Matrix_eWiseMult_BinaryOp(c, mask, accum, GrB_TIMES_INT64, u, w, d[below(5)]);
            break;
        case 3:
            info = GrB_Matrix_eWiseAdd_BinaryOp(c, mask, accum, GrB_MINUS_INT64, u, w, d[below(5)]);
            break;
        default:
            info = GrB_Matrix_assign(c, mask, accum, u, GrB_ALL, rows, GrB_ALL, n, d[below(5)]);
        }
        print_long_matrix(info, c);
    }
    GrB_Vector sums;
    GrB_Vector_new(&sums, GrB_INT64, n);
    GrB_Info const info = GrB_Matrix_reduce_Monoid(sums, NULL, NULL, GrB_PLUS_MONOID_INT64, m[0], GrB_DESC_T0);
    print_long_vector(info, sums);
    (void)k;
    GrB_Vector_free(&sums);
    GrB_Matrix_free(&a);
    for (int e = 0; e < 3; ++e) GrB_Matrix_free(&m[e]);
    return GrB_SUCCESS;
}
static GrB_Info case_objects(call* k) {
    (void)k;
    switch (below(6)) {
    case 0: {
        GrB_Monoid m = NULL;
        GrB_Info const info = GrB_Monoid_new_INT32(&m, binary[below(binaries)], 3);
        GrB_Monoid_free(&m);
        return info;
    }
    case 1: {
        GrB_Semiring s = NULL;
        GrB_Info const info = GrB_Semiring_new(&s, monoid[below(monoids)], binary[below(binaries)]);
        GrB_Semiring_free(&s);
        return info;
    }
    case 2: {
        GrB_Matrix m = NULL;
        GrB_Index const sizes[4] = {0, 5, GrB_INDEX_MAX, GrB_INDEX_MAX + 2};
        GrB_Info const info = GrB_Matrix_new(&m, one_in(5) ? NULL : GrB_FP32, sizes[below(4)], sizes[below(4)]);
        GrB_Matrix_free(&m);
        return info;
    }
    case 3:
        return GrB_mxm(NULL, NULL, NULL, semiring[0], NULL, NULL, NULL);
    case 4:
        return GrB_Vector_nvals(NULL, NULL);
    default: {
        GrB_Type t = NULL;
        GrB_Info const info = GrB_Type_new(&t, (size_t)(1 + below(40)));
        GrB_Type_free(&t);
        return info;
    }
    }
}

typedef GrB_Info (*operation)(call*);
static struct {
    char const* name;
    operation run;
} const operations[] = {
    {"mxm", case_mxm},
    {"diagonal", case_diagonal},
    {"few columns", case_few_columns},
    {"mxv", case_mxv},
    {"vxm", case_vxm},
    {"elementwise matrix", case_elementwise_matrix},
    {"elementwise vector", case_elementwise_vector},
    {"extract matrix", case_extract_matrix},
    {"extract vector", case_extract_vector},
    {"assign matrix", case_assign_matrix},
    {"assign vector", case_assign_vector},
    {"assign line", case_assign_line},
    {"assign scalar", case_assign_scalar},
    {"apply", case_apply},
    {"apply bound", case_apply_bound},
    {"index", case_index},
    {"complex selection", case_complex_selection},
    {"reduce rows", case_reduce_rows},
    {"reduce value", case_reduce_value},
    {"transpose", case_transpose},
    {"kronecker", case_kronecker},
    {"build", case_build},
    {"elements", case_elements},
    {"shapes", case_shapes},
    {"serialise", case_serialise},
    {"import", case_import},
    {"huge", case_huge},
    {"subassign", case_subassign},
    {"subassign scalar", case_subassign_scalar},
    {"long", case_long},
    {"long rows", case_long_rows},
    {"objects", case_objects},
};

int main(int argc, char** argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s SEED FIRST COUNT\n", argv[0]);
        return 2;
    }
    uint64_t const seed = strtoull(argv[1], NULL, 10);
    long const first = strtol(argv[2], NULL, 10), count = strtol(argv[3], NULL, 10);
    setvbuf(stdout, NULL, _IOLBF, 0); /* whole lines if a call ends the program */
    if (GrB_init(GrB_NONBLOCKING) != GrB_SUCCESS) return 1;
    make_operators();
    int const kinds = (int)(sizeof operations / sizeof operations[0]);
    for (long n = first; n < first + count; ++n) {
        state = seed * 1000003u + (uint64_t)n * 7919u;
        int const kind = below(kinds);
        call k;
        memset(&k, 0, sizeof k);
        k.s = random_descriptor();
        k.accum = random_accumulator();
        plain = !k.s.d;
        printf("%ld %s:", n, operations[kind].name);
        GrB_Info const info = operations[kind].run(&k);
        if (k.s.complement && !k.mask.m && !k.mask.v) printf(" (nothing to do)");
        printf(" -> %d", (int)info);
        bool const invalid = info < 0 && operations[kind].run == case_build; /* it may be left without entries or not */
        if ((k.c.m || k.c.v) && !invalid) print_object(&k.c);
        printf("\n");
        free_object(&k.c), free_object(&k.mask), free_object(&k.a), free_object(&k.b);
        GrB_Descriptor_free(&k.s.d);
    }
    GrB_finalize();
    return 0;
}
