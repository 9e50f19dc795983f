/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of vectors and of few rows with matrices, over semirings that have compiled kernels and over others, against
   the definition of the product in plain loops. Operands of all densities use all forms of the product. */
#include <GraphBLAS.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

enum { n = 9000, rows_of_few = 3 };
static uint64_t state = 11;
static int below(int bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)bound);
}

/* A matrix as arrays of all positions would be too large: lists of entries by rows, in the order of columns. */
static int starts[n + 1], *columns_of, *values_of;
static GrB_Matrix a; /* n x n, of type GrB_INT32 */
static void make_matrix(void) {
    int const most = 40 * n;
    columns_of = malloc((size_t)most * sizeof(int)), values_of = malloc((size_t)most * sizeof(int));
    if (!columns_of || !values_of) exit(2);
    int count = 0;
    for (int i = 0; i < n; ++i) {
        starts[i] = count;
        int const length = i == 4 ? 4000 : i % 1000 == 7 ? 200 : below(9);
        int column = below(length > 1000 ? 2 : n / (2 * length + 1));
        for (int k = 0; k < length && column < n; ++k, column += 1 + below(length > 1000 ? 2 : n / (length + 1)))
            columns_of[count] = column, values_of[count++] = below(9) - 3;
    }
    starts[n] = count;
    GrB_Index *i = malloc((size_t)count * sizeof *i), *j = malloc((size_t)count * sizeof *j);
    for (int r = 0; r < n; ++r)
        for (int k = starts[r]; k < starts[r + 1]; ++k) i[k] = (GrB_Index)r, j[k] = (GrB_Index)columns_of[k];
    OK(GrB_Matrix_new(&a, GrB_INT32, n, n));
    OK(GrB_Matrix_build(a, i, j, values_of, (GrB_Index)count, (GrB_BinaryOp)NULL));
    free(i), free(j);
}

/* Vectors as values of all positions and whether they exist. */
typedef struct {
    int value[n];
    bool exists[n];
} positions;
static positions u, mask, before, expected, found;
static void fill(positions* x, int one_in) {
    for (int k = 0; k < n; ++k) x->exists[k] = below(one_in) == 0, x->value[k] = below(9) - 3;
}
static GrB_Vector vector_of(positions const* x, GrB_Type type) {
    GrB_Vector made = NULL;
    OK(GrB_Vector_new(&made, type, n));
    for (int k = 0; k < n; ++k)
        if (x->exists[k]) GrB_Vector_setElement(made, x->value[k], (GrB_Index)k);
    return made;
}
static void read_vector(positions* x, GrB_Vector v) {
    static GrB_Index i[n];
    static int values[n];
    GrB_Index count = n;
    memset(x, 0, sizeof *x);
    OK(GrB_Vector_extractTuples(i, values, &count, v));
    for (GrB_Index k = 0; k < count; ++k) x->exists[i[k]] = true, x->value[i[k]] = values[k];
}

/* Semirings over 32-bit integers: sums and products of plain C. */
typedef enum { op_plus, op_min, op_max, op_times, op_first, op_second, op_pair, op_or, op_and } plain_operator;
static int plain(plain_operator op, int x, int y) {
    switch (op) {
    case op_plus:
        return x + y;
    case op_min:
        return x < y ? x : y;
    case op_max:
        return x > y ? x : y;
    case op_times:
        return x * y;
    case op_first:
        return x;
    case op_second:
        return y;
    case op_pair:
        return 1;
    case op_or:
        return x != 0 || y != 0;
    default:
        return x != 0 && y != 0;
    }
}
/* The product u' A, or A u if `by_column`; `truth`: all values as truth values. */
static void multiply(plain_operator add, plain_operator times, bool by_column, bool truth) {
    memset(&expected, 0, sizeof expected);
    for (int i = 0; i < n; ++i)
        for (int k = starts[i]; k < starts[i + 1]; ++k) {
            int const j = columns_of[k], from = by_column ? j : i, to = by_column ? i : j;
            if (!u.exists[from]) continue;
            int const x = truth ? u.value[from] != 0 : u.value[from], y = truth ? values_of[k] != 0 : values_of[k];
            int const product = by_column ? plain(times, y, x) : plain(times, x, y);
            expected.value[to] = expected.exists[to] ? plain(add, expected.value[to], product) : product;
            expected.exists[to] = true;
        }
}
static bool equal(positions const* x, positions const* y) {
    for (int k = 0; k < n; ++k)
        if (x->exists[k] != y->exists[k] || (x->exists[k] && x->value[k] != y->value[k])) return false;
    return true;
}
/* Masks: none, of values, of structure, complements; the output is replaced. */
static void apply_mask(int kind) {
    for (int k = 0; k < n && kind > 0; ++k) {
        bool const selected = mask.exists[k] && (kind == 2 || kind == 4 || mask.value[k] != 0);
        if (selected == (kind > 2)) expected.exists[k] = false;
    }
}

typedef struct {
    char const* name;
    GrB_Semiring* semiring;
    plain_operator add, times;
    bool truth;
} test_semiring;
static test_semiring const semirings[] = {
    {"plus times", &GrB_PLUS_TIMES_SEMIRING_INT32, op_plus, op_times, false},
    {"plus first", &GxB_PLUS_FIRST_INT32, op_plus, op_first, false},
    {"plus second", &GxB_PLUS_SECOND_INT32, op_plus, op_second, false},
    {"plus pair", &GxB_PLUS_PAIR_INT32, op_plus, op_pair, false},
    {"plus min", &GrB_PLUS_MIN_SEMIRING_INT32, op_plus, op_min, false},
    {"min plus", &GrB_MIN_PLUS_SEMIRING_INT32, op_min, op_plus, false},
    {"min first", &GrB_MIN_FIRST_SEMIRING_INT32, op_min, op_first, false},
    {"min second", &GrB_MIN_SECOND_SEMIRING_INT32, op_min, op_second, false},
    {"min times", &GrB_MIN_TIMES_SEMIRING_INT32, op_min, op_times, false},
    {"max times", &GrB_MAX_TIMES_SEMIRING_INT32, op_max, op_times, false},
    {"or and", &GrB_LOR_LAND_SEMIRING_BOOL, op_or, op_and, true},
    {"or first", &GxB_LOR_FIRST_BOOL, op_or, op_first, true},
    {"or second", &GxB_LOR_SECOND_BOOL, op_or, op_second, true},
    {"or pair", &GxB_LOR_PAIR_BOOL, op_or, op_pair, true},
    {"or or", &GxB_LOR_LOR_BOOL, op_or, op_or, true},
};

static void products_of_vectors(void) {
    GrB_Descriptor const plain_descriptors[5] = {NULL, GrB_DESC_R, GrB_DESC_RS, GrB_DESC_RC, GrB_DESC_RSC};
    GrB_Descriptor const transposed[5] = {GrB_DESC_T1, GrB_DESC_RT1, GrB_DESC_RST1, GrB_DESC_RCT1, GrB_DESC_RSCT1};
    int const densities[5] = {3000, 200, 30, 3, 1}; /* 200: a list of some hundred columns */
    for (int density = 0; density < 5; ++density)
        for (size_t s = 0; s < sizeof semirings / sizeof *semirings; ++s)
            for (int kind = 0; kind < 5; ++kind) {
                test_semiring const* const t = &semirings[s];
                GrB_Type const type = t->truth ? GrB_BOOL : GrB_INT32;
                fill(&u, densities[density]), fill(&before, 5);
                /* values that ascend: the first product of a minimum is the smallest one */
                for (int k = 0; k < n && s % 2 == 0; ++k) u.value[k] = k;
                fill(&mask, kind % 2 ? 50 : 2);
                GrB_Vector const x = vector_of(&u, type), m = kind ? vector_of(&mask, GrB_INT32) : NULL;
                for (int form = 0; form < 3; ++form) { /* u' A, A u, u' B where B is the transpose of A */
                    GrB_Vector const w = vector_of(&before, type);
                    multiply(t->add, t->times, form == 1, t->truth);
                    if (form == 0) OK(GrB_vxm(w, m, NULL, *t->semiring, x, a, plain_descriptors[kind]));
                    if (form == 1) OK(GrB_mxv(w, m, NULL, *t->semiring, a, x, plain_descriptors[kind]));
                    if (form == 2) {
                        OK(GrB_vxm(w, m, NULL, *t->semiring, x, a, transposed[kind]));
                        multiply(t->add,
                                 t->times == op_first    ? op_second
                                 : t->times == op_second ? op_first
                                                         : t->times,
                                 true, t->truth);
                    }
                    apply_mask(kind);
                    read_vector(&found, w);
                    if (!equal(&found, &expected))
                        printf("%s, density 1 / %d, mask %d, form %d\n", t->name, densities[density], kind, form);
                    CHECK(equal(&found, &expected));
                    GrB_Vector w_of = w;
                    GrB_Vector_free(&w_of);
                }
                GrB_Vector x_of = x, m_of = m;
                GrB_Vector_free(&x_of), GrB_Vector_free(&m_of);
            }
}

/* Few rows at once, with a mask that selects entries or not: each row is a product of a vector. */
static void products_of_few_rows(void) {
    GrB_Index count = 0;
    for (int kind = 0; kind < 5; ++kind) {
        GrB_Descriptor const d[5] = {NULL, GrB_DESC_R, GrB_DESC_RS, GrB_DESC_RC, GrB_DESC_RSC};
        GrB_Matrix x = NULL, m = NULL, c = NULL;
        OK(GrB_Matrix_new(&x, GrB_INT32, rows_of_few, n));
        OK(GrB_Matrix_new(&m, GrB_INT32, rows_of_few, n));
        OK(GrB_Matrix_new(&c, GrB_INT32, rows_of_few, n));
        static positions u_rows[rows_of_few], mask_rows[rows_of_few];
        for (int r = 0; r < rows_of_few; ++r) {
            fill(&u_rows[r], r == 0 ? 2000 : 40), fill(&mask_rows[r], 9);
            for (int k = 0; k < n; ++k) {
                if (u_rows[r].exists[k]) GrB_Matrix_setElement(x, u_rows[r].value[k], (GrB_Index)r, (GrB_Index)k);
                if (mask_rows[r].exists[k]) GrB_Matrix_setElement(m, mask_rows[r].value[k], (GrB_Index)r, (GrB_Index)k);
            }
        }
        OK(GrB_mxm(c, kind ? m : NULL, NULL, GrB_PLUS_TIMES_SEMIRING_INT32, x, a, d[kind]));
        for (int r = 0; r < rows_of_few; ++r) {
            GrB_Vector row = NULL;
            OK(GrB_Vector_new(&row, GrB_INT32, n));
            OK(GrB_Col_extract(row, NULL, NULL, c, GrB_ALL, n, (GrB_Index)r, GrB_DESC_T0));
            u = u_rows[r], mask = mask_rows[r];
            multiply(op_plus, op_times, false, false);
            apply_mask(kind);
            read_vector(&found, row);
            CHECK(equal(&found, &expected));
            GrB_Vector_free(&row);
        }
        GrB_Matrix_nvals(&count, c);
        CHECK(count > 0);
        GrB_Matrix_free(&x), GrB_Matrix_free(&m), GrB_Matrix_free(&c);
    }
}

/* Operators of positions in products: of the first operand (i, k), of the second (k, j); the smallest k of each entry.
 */
static void positions_in_products(void) {
    GrB_Matrix x = NULL, y = NULL, c = NULL;
    GrB_Vector v = NULL, w = NULL;
    OK(GrB_Matrix_new(&x, GrB_INT32, 3, 4));
    OK(GrB_Matrix_new(&y, GrB_INT32, 4, 5));
    OK(GrB_Matrix_new(&c, GrB_INT64, 3, 5));
    OK(GrB_Vector_new(&v, GrB_INT32, 5));
    OK(GrB_Vector_new(&w, GrB_INT64, 4));
    OK(GrB_Matrix_setElement(x, 1, 2, 1));
    OK(GrB_Matrix_setElement(x, 1, 2, 3));
    OK(GrB_Matrix_setElement(y, 1, 1, 4));
    OK(GrB_Matrix_setElement(y, 1, 3, 4));
    OK(GrB_Vector_setElement(v, 1, 4));
#define POSITION(OP, EXPECTED, OF_MATRIX_AND_VECTOR)                                                                   \
    do {                                                                                                               \
        GrB_Semiring s = NULL;                                                                                         \
        int64_t z = -77;                                                                                               \
        GrB_Index count = 0;                                                                                           \
        OK(GrB_Semiring_new(&s, GrB_MIN_MONOID_INT64, GxB_##OP##_INT64));                                              \
        OK(GrB_mxm(c, NULL, NULL, s, x, y, NULL));                                                                     \
        OK(GrB_Matrix_nvals(&count, c));                                                                               \
        OK(GrB_Matrix_extractElement(&z, c, 2, 4));                                                                    \
        check(count == 1 && z == (EXPECTED), #OP, __LINE__);                                                           \
        OK(GrB_mxv(w, NULL, NULL, s, y, v, NULL));                                                                     \
        OK(GrB_Vector_extractElement(&z, w, 3));                                                                       \
        check(z == (OF_MATRIX_AND_VECTOR), #OP " of a matrix and a vector", __LINE__);                                 \
        GrB_Semiring_free(&s);                                                                                         \
    } while (0)
    POSITION(FIRSTI, 2, 3);
    POSITION(FIRSTI1, 3, 4);
    POSITION(FIRSTJ, 1, 4);
    POSITION(FIRSTJ1, 2, 5);
    POSITION(SECONDI, 1, 4);
    POSITION(SECONDI1, 2, 5);
    POSITION(SECONDJ, 4, 0);
    POSITION(SECONDJ1, 5, 1);
    GrB_Matrix_free(&x), GrB_Matrix_free(&y), GrB_Matrix_free(&c), GrB_Vector_free(&v), GrB_Vector_free(&w);
}

/* A monoid with a terminal value: a fold may end there. Values of 24 bytes have memory of their own. */
typedef struct {
    double x[3];
} triple;
static void larger(void* z, void const* x, void const* y) {
    triple a3 = *(triple const*)x, b3 = *(triple const*)y;
    for (int k = 0; k < 3; ++k) a3.x[k] = a3.x[k] > b3.x[k] ? a3.x[k] : b3.x[k];
    *(triple*)z = a3;
}
static void terminal_values(void) {
    GrB_Type type = NULL;
    GrB_BinaryOp op = NULL;
    GrB_Monoid monoid = NULL, least = NULL;
    GrB_Semiring semiring = NULL;
    GrB_Vector v = NULL;
    triple const none = {{-1e300, -1e300, -1e300}}, all = {{9, 9, 9}};
    triple sum;
    OK(GrB_Type_new(&type, sizeof(triple)));
    OK(GrB_BinaryOp_new(&op, larger, type, type, type));
    OK(GxB_Monoid_terminal_new_UDT(&monoid, op, (void*)&none, (void*)&all));
    OK(GrB_Vector_new(&v, type, 100));
    OK(GrB_Vector_reduce_UDT(&sum, NULL, monoid, v, NULL));
    CHECK(memcmp(&sum, &none, sizeof sum) == 0);
    for (int k = 0; k < 100; ++k) {
        triple const x = {{k % 7, k % 5, k == 50 ? 9 : -k}};
        OK(GrB_Vector_setElement_UDT(v, (void*)&x, (GrB_Index)k));
    }
    OK(GrB_Vector_reduce_UDT(&sum, NULL, monoid, v, NULL));
    CHECK(sum.x[0] == 6 && sum.x[1] == 4 && sum.x[2] == 9);
    GrB_Vector_free(&v), GrB_Monoid_free(&monoid), GrB_BinaryOp_free(&op), GrB_Type_free(&type);

    /* integers of the matrix are at least -3 */
    OK(GxB_Monoid_terminal_new_INT32(&least, GrB_MIN_INT32, INT32_MAX, -3));
    OK(GrB_Semiring_new(&semiring, least, GrB_SECOND_INT32));
    GrB_Vector w = NULL;
    OK(GrB_Vector_new(&w, GrB_INT32, n));
    fill(&u, 1);
    v = vector_of(&u, GrB_INT32);
    OK(GrB_vxm(w, NULL, NULL, semiring, v, a, NULL));
    multiply(op_min, op_second, false, false);
    read_vector(&found, w);
    CHECK(equal(&found, &expected));
    GrB_Vector_free(&v), GrB_Vector_free(&w), GrB_Semiring_free(&semiring), GrB_Monoid_free(&least);
}

int main(void) {
    CHECK(GrB_init(GrB_BLOCKING) == GrB_SUCCESS);
    int32_t mode = -1;
    OK(GrB_get(GrB_GLOBAL, &mode, GrB_BLOCKING_MODE));
    CHECK(mode == GrB_BLOCKING);
    make_matrix();
    products_of_vectors();
    products_of_few_rows();
    positions_in_products();
    terminal_values();
    GrB_Matrix_free(&a);
    free(columns_of), free(values_of);
    GrB_finalize();
    printf("%d failures\n", failures);
    return failures != 0;
}
