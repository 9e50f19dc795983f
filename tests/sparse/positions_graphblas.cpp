// SPDX-License-Identifier: BSD-3-Clause
// Positional operators against SuiteSparse:GraphBLAS, in every operation that accepts them.
#include <doctest/doctest.h>

#include "sparse/sparse_graphblas.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

using T = std::int32_t;
host_executor const exec(2);

grb_matrix result_of(std::int32_t rows, std::int32_t columns) {
    grb_matrix m;
    grb(GrB_Matrix_new(m.address(), GrB_INT32, GrB_Index(rows), GrB_Index(columns)));
    return m;
}

/// The vector as a matrix with one column, as GraphBLAS treats it.
grb_vector to_grb_vector(plain_matrix<T> const& row) {
    grb_vector v;
    grb(GrB_Vector_new(v.address(), GrB_INT32, GrB_Index(row.columns)));
    for (std::size_t k = 0; k < row.indices.size(); ++k)
        grb(GrB_Vector_setElement_INT32(v, row.values[k], GrB_Index(row.indices[k])));
    return v;
}
sparse_vector<T> to_sparse(plain_matrix<T> const& row) {
    return {exec, row.columns, exec.copy(row.indices), exec.copy(row.values)};
}
void check_same(sparse_vector<T> const& got, GrB_Vector expected) {
    auto const a = got.to_dense(exec), b = from_grb<T>(expected);
    for (std::int64_t i = 0; i < got.size(); ++i) {
        REQUIRE(a.view().has(i) == (b.present()[i] != 0));
        if (a.view().has(i)) CHECK(a.values()[i] == b.values()[i]);
    }
}

template <class Op>
void check_positions(Op const& op, GrB_BinaryOp binary, GrB_Semiring sum_of) {
    using semiring = semiring_of<add_plus<T>, Op>;
    auto const a = random_sparse<T>(23, 31, 0.2, 1), b = random_sparse<T>(31, 17, 0.2, 2),
               c = random_sparse<T>(23, 31, 0.3, 3);
    auto const da = a.on(exec), db = b.on(exec), dc = c.on(exec);
    auto const ga = to_grb(a), gb = to_grb(b), gc = to_grb(c);
    auto product = result_of(23, 17), met = result_of(23, 31), spread = result_of(23 * 31, 31 * 17);
    grb(GrB_mxm(product, nullptr, nullptr, sum_of, ga, gb, nullptr));
    CHECK(plain(exec, mxm(exec, semiring{}, da.view(), db.view())) == from_grb_matrix<T>(product));
    auto masked = random_sparse<T>(23, 17, 0.1, 4);
    auto const mask = masked.on(exec);
    auto const plan = make_masked_product_plan(exec, da.view(), db.view(), mask.view(), {.structure = true});
    product = result_of(23, 17);
    grb_desc const structure(descriptor{.structure = true});
    grb(GrB_mxm(product, to_grb(masked), nullptr, sum_of, ga, gb, structure));
    CHECK(plain(exec, mxm(exec, plan, semiring{}, da.view(), db.view())) == from_grb_matrix<T>(product));
    grb(GrB_Matrix_eWiseMult_BinaryOp(met, nullptr, nullptr, binary, ga, gc, nullptr));
    CHECK(plain(exec, ewise_mult(exec, op, da.view(), dc.view())) == from_grb_matrix<T>(met));
    grb(GrB_Matrix_kronecker_BinaryOp(spread, nullptr, nullptr, binary, ga, gb, nullptr));
    auto const kron = kronecker(exec, op, da.view(), db.view());
    GrB_Index entries = 0;
    grb(GrB_Matrix_nvals(&entries, spread));
    CHECK(GrB_Index(kron.nonzeros()) == entries);
    CHECK(plain(exec, extract(exec, kron.view(), std::vector<T>{5, 200, 700}, all_indices{})) == [&] {
        auto rows = result_of(3, 31 * 17);
        GrB_Index const list[] = {5, 200, 700};
        grb(GrB_Matrix_extract(rows, nullptr, nullptr, spread, list, 3, GrB_ALL, 0, nullptr));
        return from_grb_matrix<T>(rows);
    }());

    matrix_operand both(exec, da), without_transpose(exec, da);
    both.prepare_transpose(exec);
    for (double const density : {0.02, 0.5, 1.0}) { // push, pull, full
        auto const right = random_sparse<T>(1, 31, density, 5), left = random_sparse<T>(1, 23, density, 6);
        grb_vector w, v;
        grb(GrB_Vector_new(w.address(), GrB_INT32, 23));
        grb(GrB_Vector_new(v.address(), GrB_INT32, 31));
        grb(GrB_mxv(w, nullptr, nullptr, sum_of, ga, to_grb_vector(right), nullptr));
        grb(GrB_vxm(v, nullptr, nullptr, sum_of, to_grb_vector(left), ga, nullptr));
        sparse_vector<T> to_rows(exec, 23), to_columns(exec, 31), pushed(exec, 31);
        mxv(exec, to_rows, no_mask{}, no_accumulator{}, semiring{}, both, to_sparse(right));
        check_same(to_rows, w);
        vxm(exec, to_columns, no_mask{}, no_accumulator{}, semiring{}, to_sparse(left), both);
        check_same(to_columns, v);
        vxm(exec, pushed, no_mask{}, no_accumulator{}, semiring{}, to_sparse(left), without_transpose);
        check_same(pushed, v);
    }
    auto const u = random_sparse<T>(1, 40, 0.6, 7), x = random_sparse<T>(1, 40, 0.6, 8);
    grb_vector w;
    grb(GrB_Vector_new(w.address(), GrB_INT32, 40));
    grb(GrB_Vector_eWiseMult_BinaryOp(w, nullptr, nullptr, binary, to_grb_vector(u), to_grb_vector(x), nullptr));
    check_same(ewise_mult(exec, op, to_sparse(u), to_sparse(x)), w);
}

template <class F>
void check_apply(F const& f, GrB_IndexUnaryOp reference, std::int64_t scalar) {
    auto const a = random_sparse<T>(23, 31, 0.3, 9);
    grb_matrix g;
    grb(GrB_Matrix_new(g.address(), GrB_INT64, 23, 31));
    grb(GrB_Matrix_apply_IndexOp_INT64(g, nullptr, nullptr, reference, to_grb(a), scalar, nullptr));
    auto const da = a.on(exec);
    CHECK(plain(exec, apply(exec, f, da.view())) == from_grb_matrix<std::int64_t>(g));
}
template <class Keep>
void check_select(Keep const& keep, GrB_IndexUnaryOp reference, std::int64_t scalar) {
    auto const a = random_sparse<T>(23, 31, 0.3, 10);
    auto g = result_of(23, 31);
    grb(GrB_Matrix_select_INT64(g, nullptr, nullptr, reference, to_grb(a), scalar, nullptr));
    auto const da = a.on(exec);
    CHECK(plain(exec, select_entries(exec, keep, da.view())) == from_grb_matrix<T>(g));
}

} // namespace

TEST_CASE("positional operators agree with SuiteSparse:GraphBLAS") {
    start_graphblas();
    check_positions(op::firsti<T>{}, GxB_FIRSTI_INT32, GxB_PLUS_FIRSTI_INT32);
    check_positions(op::firsti1<T>{}, GxB_FIRSTI1_INT32, GxB_PLUS_FIRSTI1_INT32);
    check_positions(op::firstj<T>{}, GxB_FIRSTJ_INT32, GxB_PLUS_FIRSTJ_INT32);
    check_positions(op::firstj1<T>{}, GxB_FIRSTJ1_INT32, GxB_PLUS_FIRSTJ1_INT32);
    check_positions(op::secondi<T>{}, GxB_SECONDI_INT32, GxB_PLUS_SECONDI_INT32);
    check_positions(op::secondi1<T>{}, GxB_SECONDI1_INT32, GxB_PLUS_SECONDI1_INT32);
    check_positions(op::secondj<T>{}, GxB_SECONDJ_INT32, GxB_PLUS_SECONDJ_INT32);
    check_positions(op::secondj1<T>{}, GxB_SECONDJ1_INT32, GxB_PLUS_SECONDJ1_INT32);
}

TEST_CASE("index-unary operators agree with SuiteSparse:GraphBLAS") {
    start_graphblas();
    for (std::int64_t const s : {-3, 0, 5}) {
        CAPTURE(s);
        check_apply(op::rowindex<>{s}, GrB_ROWINDEX_INT64, s);
        check_apply(op::colindex<>{s}, GrB_COLINDEX_INT64, s);
        check_apply(op::diagindex<>{s}, GrB_DIAGINDEX_INT64, s);
        check_select(op::tril{s}, GrB_TRIL, s);
        check_select(op::triu{s}, GrB_TRIU, s);
        check_select(op::on_diagonal{s}, GrB_DIAG, s);
        check_select(op::offdiag{s}, GrB_OFFDIAG, s);
        check_select(op::colle{s}, GrB_COLLE, s);
        check_select(op::colgt{s}, GrB_COLGT, s);
        check_select(op::rowle{s}, GrB_ROWLE, s);
        check_select(op::rowgt{s}, GrB_ROWGT, s);
    }
    for (T const s : {-1, 2}) {
        CAPTURE(s);
        check_select(op::valueeq(s), GrB_VALUEEQ_INT32, s);
        check_select(op::valuene(s), GrB_VALUENE_INT32, s);
        check_select(op::valuelt(s), GrB_VALUELT_INT32, s);
        check_select(op::valuele(s), GrB_VALUELE_INT32, s);
        check_select(op::valuegt(s), GrB_VALUEGT_INT32, s);
        check_select(op::valuege(s), GrB_VALUEGE_INT32, s);
    }
    auto const u = random_sparse<T>(1, 40, 0.6, 7);
    auto const selected = select_entries(exec, op::rowgt{20}, to_sparse(u));
    grb_vector w;
    grb(GrB_Vector_new(w.address(), GrB_INT32, 40));
    grb(GrB_Vector_select_INT64(w, nullptr, nullptr, GrB_ROWGT, to_grb_vector(u), 20, nullptr));
    check_same(selected, w);
    CHECK(op::bind_first<op::minus<T>, T>{7, {}}(3) == 4);
}
