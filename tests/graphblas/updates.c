/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes of parts of matrices against a dense model: assignments to lists of rows and columns with masks, accumulators
   and GrB_REPLACE, elements that are set and removed, selections by position, and other shapes. A copy that was made
   before a change stays what it was. */
#include <GraphBLAS.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"

enum { rows = 96, columns = 80, max_list = 24 };
typedef struct {
    bool present[rows][columns];
    double value[rows][columns];
} model;

static unsigned long long state = 1;
static unsigned next_number(unsigned bound) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(state >> 33) % bound;
}

/* A random matrix; hypersparse if `few`, since only some of its rows have entries. */
static GrB_Matrix random_matrix(model* m, GrB_Index height, GrB_Index width, unsigned entries) {
    GrB_Matrix a = NULL;
    OK(GrB_Matrix_new(&a, GrB_FP64, height, width));
    memset(m, 0, sizeof *m);
    for (unsigned k = 0; k < entries; ++k) {
        GrB_Index const i = next_number((unsigned)height), j = next_number((unsigned)width);
        m->present[i][j] = true;
        m->value[i][j] = 1 + next_number(100);
        OK(GrB_Matrix_setElement_FP64(a, m->value[i][j], i, j));
    }
    GrB_Index n = 0;
    OK(GrB_Matrix_nvals(&n, a));
    return a;
}
static bool equals(GrB_Matrix a, model const* m, GrB_Index height, GrB_Index width) {
    GrB_Index n = 0, expected = 0;
    OK(GrB_Matrix_nvals(&n, a));
    for (GrB_Index i = 0; i < height; ++i)
        for (GrB_Index j = 0; j < width; ++j) {
            double x = 0;
            GrB_Info const info = GrB_Matrix_extractElement_FP64(&x, a, i, j);
            if ((info == GrB_SUCCESS) != m->present[i][j] || (info == GrB_SUCCESS && x != m->value[i][j])) return false;
            expected += m->present[i][j] ? 1 : 0;
        }
    return n == expected;
}
/* Distinct indices below a bound, ascending or not. */
static GrB_Index random_list(GrB_Index* list, unsigned bound, bool ascends) {
    GrB_Index const count = 1 + next_number(max_list < bound ? max_list : bound);
    bool used[rows + columns] = {false};
    for (GrB_Index k = 0; k < count;) {
        unsigned const i = next_number(bound);
        if (!used[i]) list[k++] = i;
        used[i] = true;
    }
    if (!ascends) return count;
    GrB_Index k = 0;
    for (GrB_Index i = 0; i < bound; ++i)
        if (used[i]) list[k++] = i;
    return count;
}

typedef struct {
    bool masked, complement, replace, accumulates, whole; /* whole: GrB_assign, otherwise GxB_subassign */
} settings;
/* C<M>(I, J) = accum(C(I, J), A) by the definition. M has the shape of C or of C(I, J). */
static void assign_model(model* c, model const* a, model const* mask, GrB_Index const* i, GrB_Index ni,
                         GrB_Index const* j, GrB_Index nj, settings s) {
    static model to;
    static bool in_region[rows][columns];
    to = *c;
    memset(in_region, 0, sizeof in_region);
    for (GrB_Index p = 0; p < ni; ++p)
        for (GrB_Index q = 0; q < nj; ++q) {
            GrB_Index const r = i[p], k = j[q], mr = s.whole ? r : p, mk = s.whole ? k : q;
            in_region[r][k] = true;
            if (s.masked && mask->present[mr][mk] == s.complement) {
                if (s.replace) to.present[r][k] = false;
                continue;
            }
            if (!s.accumulates) to.present[r][k] = a->present[p][q];
            if (!a->present[p][q]) continue;
            bool const both = s.accumulates && c->present[r][k];
            to.value[r][k] = both ? c->value[r][k] + a->value[p][q] : a->value[p][q];
            to.present[r][k] = true;
        }
    for (GrB_Index r = 0; s.whole && s.masked && s.replace && r < rows; ++r)
        for (GrB_Index k = 0; k < columns; ++k)
            if (!in_region[r][k] && mask->present[r][k] == s.complement) to.present[r][k] = false;
    *c = to;
}
static GrB_Descriptor descriptor_of(settings s) {
    if (!s.masked) return NULL;
    if (s.complement) return s.replace ? GrB_DESC_RSC : GrB_DESC_SC;
    return s.replace ? GrB_DESC_RS : GrB_DESC_S;
}

/* One assignment of a matrix, a value, a row or a column, to a matrix whose values a copy shares. */
static void one_assignment(int kind, GrB_Matrix c, model* expected, bool ascends) {
    static model a_model, mask_model;
    GrB_Index i[rows + columns], j[rows + columns];
    GrB_Index ni = kind == 2 ? 1 : random_list(i, rows, ascends), nj = kind == 3 ? 1 : random_list(j, columns, ascends);
    if (kind == 2) i[0] = next_number(rows);
    if (kind == 3) j[0] = next_number(columns);
    settings const s = {kind < 2 && next_number(2) == 0, next_number(2) == 0, next_number(2) == 0, next_number(2) == 0,
                        next_number(2) == 0};
    if (kind == 1 && (s.whole || !s.masked)) { /* a repetition of an index has no effect */
        i[ni] = i[0], ++ni;
        j[nj] = j[nj / 2], ++nj;
    }
    GrB_BinaryOp const accum = s.accumulates ? GrB_PLUS_FP64 : NULL;
    GrB_Descriptor const d = descriptor_of(s);
    GrB_Matrix a = random_matrix(&a_model, ni, nj, (unsigned)(ni * nj / 2));
    GrB_Matrix m = random_matrix(&mask_model, s.whole ? rows : ni, s.whole ? columns : nj, 200);
    GrB_Matrix const mask = s.masked ? m : NULL;
    if (kind == 0) {
        if (s.whole)
            OK(GrB_Matrix_assign(c, mask, accum, a, i, ni, j, nj, d));
        else
            OK(GxB_Matrix_subassign(c, mask, accum, a, i, ni, j, nj, d));
    } else if (kind == 1) {
        for (GrB_Index p = 0; p < ni; ++p)
            for (GrB_Index q = 0; q < nj; ++q) {
                a_model.present[p][q] = true;
                a_model.value[p][q] = 7;
            }
        if (s.whole)
            OK(GrB_Matrix_assign_FP64(c, mask, accum, 7, i, ni, j, nj, d));
        else
            OK(GxB_Matrix_subassign_FP64(c, mask, accum, 7, i, ni, j, nj, d));
    } else {
        GrB_Vector u = NULL;
        GrB_Index const length = kind == 2 ? nj : ni;
        OK(GrB_Vector_new(&u, GrB_FP64, length));
        for (GrB_Index k = 0; k < length; ++k) {
            GrB_Index const p = kind == 2 ? 0 : k, q = kind == 2 ? k : 0;
            if (a_model.present[p][q]) OK(GrB_Vector_setElement_FP64(u, a_model.value[p][q], k));
        }
        if (kind == 2)
            OK(GrB_Row_assign(c, NULL, accum, u, i[0], j, nj, NULL));
        else
            OK(GrB_Col_assign(c, NULL, accum, u, i, ni, j[0], NULL));
        OK(GrB_free(&u));
    }
    assign_model(expected, &a_model, &mask_model, i, ni, j, nj, s);
    OK(GrB_free(&a));
    OK(GrB_free(&m));
}
static void assignments(void) {
    static model before, expected;
    for (int round = 0; round < 400; ++round) {
        GrB_Matrix c = random_matrix(&before, rows, columns, round % 5 == 0 ? 12 : 900), copy = NULL;
        expected = before;
        if (round % 2 == 0) OK(GrB_Matrix_dup(&copy, c));
        one_assignment(round % 4, c, &expected, round % 3 != 0);
        CHECK(equals(c, &expected, rows, columns));
        if (copy) CHECK(equals(copy, &before, rows, columns));
        OK(GrB_free(&copy));
        /* the entries stay the same ones: values change in place */
        one_assignment(round % 4, c, &expected, true);
        CHECK(equals(c, &expected, rows, columns));
        OK(GrB_free(&c));
    }
}

/* The output is the matrix that is assigned, and the mask. */
static void aliases(void) {
    static model m, expected;
    GrB_Index list[columns];
    for (GrB_Index k = 0; k < 5; ++k) list[k] = 3 * k + 1;
    GrB_Matrix c = random_matrix(&m, 5, 5, 12), a = NULL;
    expected = m;
    assign_model(&expected, &m, &m, (GrB_Index const[]){4, 3, 2, 1, 0}, 5, (GrB_Index const[]){0, 2, 1, 3, 4}, 5,
                 (settings){true, false, false, true, false});
    OK(GxB_Matrix_subassign(c, c, GrB_PLUS_FP64, c, (GrB_Index const[]){4, 3, 2, 1, 0}, 5,
                            (GrB_Index const[]){0, 2, 1, 3, 4}, 5, GrB_DESC_S));
    CHECK(equals(c, &expected, 5, 5));
    OK(GrB_free(&c));
    c = random_matrix(&m, rows, columns, 900);
    expected = m;
    OK(GrB_Matrix_new(&a, GrB_FP64, 5, 5));
    OK(GrB_Matrix_extract(a, NULL, NULL, c, list, 5, list, 5, NULL));
    OK(GrB_Matrix_assign(c, c, NULL, a, list, 5, list, 5, GrB_DESC_S)); /* assigns what is there */
    CHECK(equals(c, &expected, rows, columns));
    OK(GrB_Matrix_clear(a));
    OK(GrB_Matrix_assign(c, NULL, NULL, a, list, 5, list, 5, NULL)); /* deletes */
    for (int p = 0; p < 5; ++p)
        for (int q = 0; q < 5; ++q) expected.present[list[p]][list[q]] = false;
    CHECK(equals(c, &expected, rows, columns));
    OK(GrB_free(&a));
    OK(GrB_free(&c));
}

/* An operator is applied to its own output, with and without a copy that shares the values. */
static void own_operands(void) {
    static model m, expected;
    for (int round = 0; round < 6; ++round) {
        GrB_Matrix a = random_matrix(&m, rows, columns, round % 2 == 0 ? 900 : 20000), copy = NULL;
        GrB_Vector v = NULL, old = NULL;
        double x = 0;
        expected = m;
        for (GrB_Index i = 0; i < rows; ++i)
            for (GrB_Index j = 0; j < columns; ++j) expected.value[i][j] = -m.value[i][j];
        OK(GrB_Vector_new(&v, GrB_FP64, 50));
        OK(GrB_Vector_assign_FP64(v, NULL, NULL, 4, GrB_ALL, 50, NULL));
        if (round > 3) OK(GrB_Vector_removeElement(v, 9));
        if (round % 3 == 0) {
            OK(GrB_Matrix_dup(&copy, a));
            OK(GrB_Vector_dup(&old, v));
        }
        OK(GrB_Matrix_apply(a, NULL, NULL, GrB_AINV_FP64, a, NULL));
        OK(GrB_Vector_apply(v, NULL, NULL, GrB_AINV_FP64, v, NULL));
        CHECK(equals(a, &expected, rows, columns));
        OK(GrB_Vector_extractElement_FP64(&x, v, 49));
        CHECK(x == -4);
        CODE(round > 3 ? GrB_NO_VALUE : GrB_SUCCESS, GrB_Vector_extractElement_FP64(&x, v, 9));
        if (copy) CHECK(equals(copy, &m, rows, columns));
        if (old) OK(GrB_Vector_extractElement_FP64(&x, old, 49));
        if (old) CHECK(x == 4);
        OK(GrB_free(&a));
        OK(GrB_free(&copy));
        OK(GrB_free(&v));
        OK(GrB_free(&old));
    }
}

/* Short lists of positions of a full vector, of which some repeat: the last one counts. */
static void listed_positions(void) {
    GrB_Index const lists[3][4] = {{3, 4, 5, 6}, {700, 2, 900, 1}, {8, 7, 8, 2}};
    for (int k = 0; k < 3; ++k) {
        GrB_Vector w = NULL, u = NULL;
        OK(GrB_Vector_new(&w, GrB_FP64, 1000));
        OK(GrB_Vector_assign_FP64(w, NULL, NULL, 1, GrB_ALL, 1000, NULL));
        OK(GrB_Vector_new(&u, GrB_FP64, 4));
        for (GrB_Index e = 0; e < 4; ++e) OK(GrB_Vector_setElement_FP64(u, 10 + (double)e, e));
        OK(GrB_Vector_assign(w, NULL, NULL, u, lists[k], 4, NULL));
        double sum = 0, x = 0;
        OK(GrB_Vector_reduce_FP64(&sum, NULL, GrB_PLUS_MONOID_FP64, w, NULL));
        CHECK(sum == (k == 2 ? 997 + 11 + 12 + 13 : 996 + 10 + 11 + 12 + 13));
        OK(GrB_Vector_extractElement_FP64(&x, w, lists[k][2]));
        CHECK(x == 12);
        OK(GrB_free(&w));
        OK(GrB_free(&u));
    }
}

/* Elements that are set and removed between reads. */
static void elements(void) {
    static model m;
    for (int round = 0; round < 40; ++round) {
        GrB_Matrix c = random_matrix(&m, rows, columns, round % 4 == 0 ? 0 : 700);
        for (int k = 0; k < 60; ++k) {
            GrB_Index const i = next_number(rows), j = next_number(columns);
            m.present[i][j] = next_number(2) == 0;
            m.value[i][j] = k;
            if (m.present[i][j])
                OK(GrB_Matrix_setElement_FP64(c, k, i, j));
            else
                OK(GrB_Matrix_removeElement(c, i, j));
        }
        CHECK(equals(c, &m, rows, columns));
        OK(GrB_free(&c));
    }
}

static bool selects(int op, GrB_Index i, GrB_Index j, int64_t s) {
    int64_t const distance = (int64_t)j - (int64_t)i;
    switch (op) {
    case 0:
        return distance <= s;
    case 1:
        return distance >= s;
    case 2:
        return distance == s;
    case 3:
        return distance != s;
    case 4:
        return (int64_t)i <= s;
    case 5:
        return (int64_t)i > s;
    case 6:
        return (int64_t)j <= s;
    default:
        return (int64_t)j > s;
    }
}
static void selections(void) {
    static model m, expected;
    GrB_IndexUnaryOp const ops[8] = {GrB_TRIL,  GrB_TRIU,  GrB_DIAG,  GrB_OFFDIAG,
                                     GrB_ROWLE, GrB_ROWGT, GrB_COLLE, GrB_COLGT};
    int64_t const numbers[9] = {0, 3, -7, 40, -200, 200, -1, INT64_MAX, INT64_MIN};
    for (int round = 0; round < 144; ++round) {
        int64_t const s = numbers[round % 9];
        int const op = round / 9 % 8;
        GrB_Matrix a = random_matrix(&m, rows, columns, round < 72 ? 2500 : 9);
        memset(&expected, 0, sizeof expected);
        for (GrB_Index i = 0; i < rows; ++i)
            for (GrB_Index j = 0; j < columns; ++j) {
                expected.present[i][j] = m.present[i][j] && selects(op, i, j, s);
                expected.value[i][j] = m.value[i][j];
            }
        OK(GrB_Matrix_select_INT64(a, NULL, NULL, ops[op], a, s, NULL));
        CHECK(equals(a, &expected, rows, columns));
        OK(GrB_free(&a));
    }
}

static void shapes(void) {
    static model m;
    GrB_Index const heights[5] = {rows, 40, rows, 1, 70}, widths[5] = {columns, columns, 33, 1, 60};
    for (int round = 0; round < 50; ++round) {
        GrB_Matrix a = random_matrix(&m, rows, columns, round < 25 ? 900 : 10);
        GrB_Index const height = heights[round % 5], width = widths[round % 5];
        GrB_Index n = 0;
        OK(GrB_Matrix_resize(a, height, width));
        CHECK(equals(a, &m, height, width));
        OK(GrB_Matrix_nvals(&n, a));
        OK(GrB_Matrix_resize(a, GrB_INDEX_MAX, GrB_INDEX_MAX)); /* only rows with entries are stored */
        CHECK(equals(a, &m, height, width));
        OK(GrB_Matrix_setElement_FP64(a, 5, 1000000007, 1000000009));
        OK(GrB_Matrix_resize(a, rows, columns));
        for (GrB_Index i = 0; i < rows; ++i)
            for (GrB_Index j = 0; j < columns; ++j) m.present[i][j] = m.present[i][j] && i < height && j < width;
        CHECK(equals(a, &m, rows, columns));
        OK(GrB_free(&a));
    }
}

/* Tuples that are sorted, with and without an operator, and diagonals. */
static void builds(void) {
    static model m;
    GrB_Index i[300], j[300];
    double x[300];
    GrB_Index n = 0;
    memset(&m, 0, sizeof m);
    for (GrB_Index r = 3; r < 90; r += 4)
        for (GrB_Index k = r % 7; k < columns; k += 9) {
            i[n] = r;
            j[n] = k;
            x[n] = m.value[r][k] = 1.5 * (double)n;
            m.present[r][k] = true;
            ++n;
        }
    for (int kind = 0; kind < 3; ++kind) {
        GrB_Matrix a = NULL;
        OK(GrB_Matrix_new(&a, GrB_FP64, rows, columns));
        /* an operator of integers truncates */
        GrB_BinaryOp const dup = kind == 0 ? NULL : kind == 1 ? GrB_PLUS_FP64 : GrB_PLUS_INT32;
        OK(GrB_Matrix_build_FP64(a, i, j, x, n, dup));
        for (GrB_Index k = 0; k < n; ++k) m.value[i[k]][j[k]] = kind == 2 ? (double)(int)x[k] : x[k];
        CHECK(equals(a, &m, rows, columns));
        OK(GrB_free(&a));
    }
    for (int64_t k = -2; k <= 2; ++k) {
        GrB_Vector v = NULL;
        GrB_Matrix d = NULL;
        memset(&m, 0, sizeof m);
        OK(GrB_Vector_new(&v, GrB_FP64, 50));
        for (GrB_Index e = 0; e < 50; e += k == 0 ? 1 : 3) {
            OK(GrB_Vector_setElement_FP64(v, (double)e, e));
            GrB_Index const r = k < 0 ? e + (GrB_Index)-k : e, c = k > 0 ? e + (GrB_Index)k : e;
            m.present[r][c] = true;
            m.value[r][c] = (double)e;
        }
        OK(GrB_Matrix_diag(&d, v, k));
        CHECK(equals(d, &m, 50 + (GrB_Index)llabs(k), 50 + (GrB_Index)llabs(k)));
        OK(GrB_free(&d));
        OK(GrB_free(&v));
    }
}

/* Vectors of all forms: selections and operators of positions, sums with a short list in both orders. */
static void vectors(void) {
    enum { size = 400 };
    for (int form = 0; form < 3; ++form) { /* full, with gaps, list */
        GrB_Vector u = NULL, w = NULL, few = NULL;
        GrB_Vector number = NULL;
        bool present[size] = {false};
        OK(GrB_Vector_new(&u, GrB_FP64, size));
        OK(GrB_Vector_new(&w, GrB_FP64, size));
        OK(GrB_Vector_new(&few, GrB_FP64, size));
        OK(GrB_Vector_new(&number, GrB_INT64, size));
        GrB_Index const step = form == 0 ? 1 : form == 1 ? 3 : 50;
        for (GrB_Index k = 0; k < size; k += step) {
            present[k] = true;
            OK(GrB_Vector_setElement_FP64(u, (double)(k % 17), k));
        }
        for (GrB_Index k = 5; k < size; k += 100) OK(GrB_Vector_setElement_FP64(few, 1000, k));
        OK(GrB_Vector_select_FP64(w, NULL, NULL, GrB_VALUEGT_FP64, u, 8, NULL));
        OK(GrB_Vector_apply_IndexOp_INT64(number, NULL, NULL, GrB_ROWINDEX_INT64, u, 3, NULL));
        for (GrB_Index k = 0; k < size; ++k) {
            double x = 0;
            int64_t i = 0;
            bool const kept = present[k] && k % 17 > 8;
            CODE(kept ? GrB_SUCCESS : GrB_NO_VALUE, GrB_Vector_extractElement_FP64(&x, w, k));
            CHECK(!kept || x == (double)(k % 17));
            CODE(present[k] ? GrB_SUCCESS : GrB_NO_VALUE, GrB_Vector_extractElement_INT64(&i, number, k));
            CHECK(!present[k] || i == (int64_t)k + 3);
        }
        OK(GrB_Vector_select_INT64(w, NULL, NULL, GrB_ROWLE, u, 100, NULL));
        for (GrB_Index k = 0; k < size; ++k) {
            double x = 0;
            CODE(present[k] && k <= 100 ? GrB_SUCCESS : GrB_NO_VALUE, GrB_Vector_extractElement_FP64(&x, w, k));
        }
        for (int order = 0; order < 2; ++order) {
            OK(GrB_Vector_eWiseAdd_BinaryOp(w, NULL, NULL, GrB_MINUS_FP64, order == 0 ? u : few, order == 0 ? few : u,
                                            NULL));
            for (GrB_Index k = 0; k < size; ++k) {
                double x = 0;
                bool const other = k % 100 == 5;
                double const a = (double)(k % 17), difference = order == 0 ? a - 1000 : 1000 - a;
                double const expected = present[k] && other ? difference : other ? 1000 : a;
                CODE(present[k] || other ? GrB_SUCCESS : GrB_NO_VALUE, GrB_Vector_extractElement_FP64(&x, w, k));
                CHECK(!(present[k] || other) || x == expected);
            }
        }
        OK(GrB_free(&u));
        OK(GrB_free(&w));
        OK(GrB_free(&few));
        OK(GrB_free(&number));
    }
}

/* Parents by an operator of positions, in the two forms of a product, and the largest product. */
static void searches(void) {
    static model m;
    GrB_Matrix a = random_matrix(&m, rows, columns, 1500), p = NULL;
    for (int form = 0; form < 3; ++form) { /* few elements, all elements, a mask */
        GrB_Vector u = NULL, mask = NULL, parent = NULL, largest = NULL;
        GrB_Index const step = form == 0 ? 30 : 1;
        OK(GrB_Vector_new(&u, GrB_FP64, rows));
        OK(GrB_Vector_new(&mask, GrB_BOOL, columns));
        OK(GrB_Vector_new(&parent, GrB_INT32, columns));
        OK(GrB_Vector_new(&largest, GrB_FP64, columns));
        for (GrB_Index i = 0; i < rows; i += step) OK(GrB_Vector_setElement_FP64(u, (double)(i % 7) - 3, i));
        for (GrB_Index j = 0; j < columns; j += 9) OK(GrB_Vector_setElement_BOOL(mask, true, j));
        OK(GrB_vxm(parent, form == 2 ? mask : NULL, NULL, GxB_ANY_SECONDI1_INT32, u, a, GrB_DESC_S));
        OK(GrB_vxm(largest, NULL, NULL, GrB_MAX_TIMES_SEMIRING_FP64, u, a, NULL));
        for (GrB_Index j = 0; j < columns; ++j) {
            bool found = false;
            double expected = 0, x = 0;
            for (GrB_Index i = 0; i < rows; i += step)
                if (m.present[i][j]) {
                    double const product = ((double)(i % 7) - 3) * m.value[i][j];
                    expected = !found || product > expected ? product : expected;
                    found = true;
                }
            int32_t i = 0;
            CODE(found ? GrB_SUCCESS : GrB_NO_VALUE, GrB_Vector_extractElement_FP64(&x, largest, j));
            CHECK(x == expected);
            bool const admitted = found && (form != 2 || j % 9 == 0);
            CODE(admitted ? GrB_SUCCESS : GrB_NO_VALUE, GrB_Vector_extractElement_INT32(&i, parent, j));
            CHECK(!admitted || (i > 0 && m.present[i - 1][j] && (GrB_Index)(i - 1) % step == 0));
        }
        OK(GrB_free(&u));
        OK(GrB_free(&mask));
        OK(GrB_free(&parent));
        OK(GrB_free(&largest));
    }
    OK(GrB_Matrix_new(&p, GrB_INT64, rows, rows)); /* smallest inner index of A A' */
    OK(GrB_mxm(p, NULL, NULL, GxB_MIN_FIRSTJ_INT64, a, a, GrB_DESC_T1));
    for (GrB_Index i = 0; i < rows; ++i)
        for (GrB_Index k = 0; k < rows; ++k) {
            GrB_Index j = 0;
            while (j < columns && !(m.present[i][j] && m.present[k][j])) ++j;
            int64_t x = -1;
            CODE(j < columns ? GrB_SUCCESS : GrB_NO_VALUE, GrB_Matrix_extractElement_INT64(&x, p, i, k));
            CHECK(j == columns || x == (int64_t)j);
        }
    OK(GrB_free(&p));
    OK(GrB_free(&a));
}

int main(void) {
    OK(GrB_init(GrB_NONBLOCKING));
    assignments();
    aliases();
    own_operands();
    listed_positions();
    elements();
    selections();
    shapes();
    builds();
    vectors();
    searches();
    OK(GrB_finalize());
    return failures > 0;
}
