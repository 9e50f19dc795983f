// SPDX-License-Identifier: BSD-3-Clause
// Operations on matrices against SuiteSparse:GraphBLAS, with every mask, accumulator and descriptor.
#include <doctest/doctest.h>

#include <functional>

#include "sparse/sparse_graphblas.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

using T = double;
using list = std::vector<std::int32_t>;
using graphblas_call = std::function<GrB_Info(GrB_Matrix, GrB_Matrix, GrB_BinaryOp, GrB_Descriptor)>;

host_executor const exec(2);

std::vector<GrB_Index> wide(list const& l) { return {l.begin(), l.end()}; }

/// Runs `ours(c, mask, accumulator, descriptor)` and the GraphBLAS call for all combinations; masks have the shape of
/// `mask`.
template <class Ours>
void check_calls(plain_matrix<T> const& c, plain_matrix<float> const& mask, graphblas_call const& theirs,
                 Ours const& ours, bool transposes = false) {
    start_graphblas();
    auto const dm = mask.on(exec);
    auto const gm = to_grb(mask);
    for (auto const& call : every_call()) {
        descriptor const& d = call.desc;
        if (!transposes && (d.transpose0 || d.transpose1)) continue;
        auto const expected = to_grb(c);
        grb_desc const gd(d);
        grb(theirs(expected, call.masked ? GrB_Matrix(gm) : nullptr, call.accumulated ? GrB_PLUS_FP64 : nullptr, gd));
        auto result = c.on(exec);
        if (call.masked && call.accumulated)
            ours(result, dm.view(), op::plus<T>{}, d);
        else if (call.masked)
            ours(result, dm.view(), no_accumulator{}, d);
        else if (call.accumulated)
            ours(result, no_mask{}, op::plus<T>{}, d);
        else
            ours(result, no_mask{}, no_accumulator{}, d);
        CAPTURE(call.masked);
        CAPTURE(call.accumulated);
        CAPTURE(d.replace);
        CAPTURE(d.structure);
        CAPTURE(d.complement);
        CHECK(plain(exec, result) == from_grb_matrix<T>(expected));
    }
}

struct double_at_column {
    T operator()(T const& x, std::int64_t, std::int64_t j) const { return x * double(j); }
};
struct below_diagonal {
    bool operator()(T const&, std::int64_t i, std::int64_t j) const { return j <= i - 1; }
};

} // namespace

TEST_CASE("element-wise operations agree with SuiteSparse:GraphBLAS") {
    start_graphblas();
    auto const a = random_sparse<T>(31, 43, 0.2, 1), b = random_sparse<T>(31, 43, 0.3, 2),
               c = random_sparse<T>(31, 43, 0.2, 3);
    auto const m = random_sparse<float>(31, 43, 0.4, 4);
    auto const da = a.on(exec), db = b.on(exec);
    auto const ga = to_grb(a), gb = to_grb(b);
    op::minus<T> const minus;
    check_calls(
        c, m,
        [&](auto C, auto M, auto acc, auto d) {
            return GrB_Matrix_eWiseAdd_BinaryOp(C, M, acc, GrB_MINUS_FP64, ga, gb, d);
        },
        [&](auto& C, auto const& M, auto const& acc, auto const& d) {
            update(exec, C, M, acc, ewise_add(exec, minus, da.view(), db.view()), d);
        });
    check_calls(
        c, m,
        [&](auto C, auto M, auto acc, auto d) {
            return GrB_Matrix_eWiseMult_BinaryOp(C, M, acc, GrB_MINUS_FP64, ga, gb, d);
        },
        [&](auto& C, auto const& M, auto const& acc, auto const& d) {
            update(exec, C, M, acc, ewise_mult(exec, minus, da.view(), db.view()), d);
        });
    GrB_Scalar alpha = nullptr, beta = nullptr;
    grb(GrB_Scalar_new(&alpha, GrB_FP64));
    grb(GrB_Scalar_new(&beta, GrB_FP64));
    grb(GrB_Scalar_setElement_FP64(alpha, 7));
    grb(GrB_Scalar_setElement_FP64(beta, 11));
    check_calls(
        c, m,
        [&](auto C, auto M, auto acc, auto d) {
            return GxB_Matrix_eWiseUnion(C, M, acc, GrB_MINUS_FP64, ga, alpha, gb, beta, d);
        },
        [&](auto& C, auto const& M, auto const& acc, auto const& d) {
            update(exec, C, M, acc, ewise_union(exec, minus, da.view(), 7, db.view(), 11), d);
        });
    GrB_Scalar_free(&alpha);
    GrB_Scalar_free(&beta);
    grb_matrix columns;
    grb(GrB_Matrix_new(columns.address(), GrB_FP64, 31, 43));
    check_calls(
        c, m,
        [&](auto C, auto M, auto acc, auto d) {
            grb(GrB_Matrix_apply_IndexOp_INT64(columns, nullptr, nullptr, GrB_COLINDEX_INT64, ga, 0, nullptr));
            return GrB_Matrix_eWiseMult_BinaryOp(C, M, acc, GrB_TIMES_FP64, ga, columns, d);
        },
        [&](auto& C, auto const& M, auto const& acc, auto const& d) {
            update(exec, C, M, acc, apply(exec, double_at_column{}, da.view()), d);
        });
    check_calls(
        c, m, [&](auto C, auto M, auto acc, auto d) { return GrB_Matrix_select_INT64(C, M, acc, GrB_TRIL, ga, -1, d); },
        [&](auto& C, auto const& M, auto const& acc, auto const& d) {
            update(exec, C, M, acc, select_entries(exec, below_diagonal{}, da.view()), d);
        });
    auto const tall = random_sparse<T>(43, 31, 0.2, 5);
    auto const dt = tall.on(exec);
    auto const gt = to_grb(tall);
    check_calls(
        c, m, [&](auto C, auto M, auto acc, auto d) { return GrB_transpose(C, M, acc, gt, d); },
        [&](auto& C, auto const& M, auto const& acc, auto const& d) {
            update(exec, C, M, acc, transpose(exec, dt.view()), d);
        });

    double sum = 0;
    grb(GrB_Matrix_reduce_FP64(&sum, nullptr, GrB_PLUS_MONOID_FP64, ga, nullptr));
    CHECK(reduce_to_scalar(exec, add_plus<T>{}, da.view()) == sum);
    grb_vector rows;
    grb(GrB_Vector_new(rows.address(), GrB_FP64, 31));
    grb(GrB_Matrix_reduce_Monoid(rows, nullptr, nullptr, GrB_MAX_MONOID_FP64, ga, nullptr));
    auto const expected = from_grb<T>(rows), got = reduce_to_vector(exec, add_max<T>{}, da.view());
    for (std::int64_t i = 0; i < 31; ++i) {
        CHECK(got.present()[i] == expected.present()[i]);
        if (got.present()[i] != 0) CHECK(got.values()[i] == expected.values()[i]);
    }
}

TEST_CASE("extract, assign and subassign agree with SuiteSparse:GraphBLAS") {
    start_graphblas();
    auto const a = random_sparse<T>(20, 26, 0.3, 1), c = random_sparse<T>(15, 12, 0.3, 2);
    auto const m = random_sparse<float>(15, 12, 0.4, 3);
    auto const da = a.on(exec), dc = c.on(exec);
    auto const ga = to_grb(a), gc = to_grb(c);
    list const rows{3, 3, 19, 0, 7, 8, 8, 2, 4, 11, 12, 1, 5, 6, 18}, columns{25, 0, 3, 3, 9, 11, 2, 20, 21, 4, 4, 13};
    check_calls(
        c, m,
        [&](auto C, auto M, auto acc, auto d) {
            return GrB_Matrix_extract(C, M, acc, ga, wide(rows).data(), 15, wide(columns).data(), 12, d);
        },
        [&](auto& C, auto const& M, auto const& acc, auto const& d) {
            update(exec, C, M, acc, extract(exec, da.view(), rows, columns), d);
        });
    CHECK(plain(exec, extract(exec, da.view(), all_indices{}, all_indices{})) == a);
    CHECK(plain(exec, extract(exec, da.view(), list{}, all_indices{})) == plain_matrix<T>{0, 26});

    // Assignment to a submatrix of a larger matrix; the lists of rows and columns are unsorted.
    list const to_rows{19, 2, 3, 5, 4, 0, 7, 8, 11, 10, 12, 13, 15, 14, 16},
        to_columns{25, 1, 0, 3, 4, 9, 8, 11, 17, 12, 14, 20};
    auto const wide_mask = random_sparse<float>(20, 26, 0.5, 4);
    check_calls(
        a, wide_mask,
        [&](auto C, auto M, auto acc, auto d) {
            return GrB_Matrix_assign(C, M, acc, gc, wide(to_rows).data(), 15, wide(to_columns).data(), 12, d);
        },
        [&](auto& C, auto const& M, auto const& acc, auto const& d) {
            assign(exec, C, M, acc, dc.view(), to_rows, to_columns, d);
        });
    check_calls(
        a, m,
        [&](auto C, auto M, auto acc, auto d) {
            return GxB_Matrix_subassign(C, M, acc, gc, wide(to_rows).data(), 15, wide(to_columns).data(), 12, d);
        },
        [&](auto& C, auto const& M, auto const& acc, auto const& d) {
            subassign(exec, C, M, acc, dc.view(), to_rows, to_columns, d);
        });
    check_calls(
        a, wide_mask,
        [&](auto C, auto M, auto acc, auto d) {
            return GrB_Matrix_assign_FP64(C, M, acc, 9.0, wide(to_rows).data(), 15, GrB_ALL, 26, d);
        },
        [&](auto& C, auto const& M, auto const& acc, auto const& d) {
            assign_scalar(exec, C, M, acc, 9.0, to_rows, all_indices{}, d);
        });
    auto into = a.on(exec);
    CHECK_THROWS_AS(extract(exec, da.view(), list{20}, all_indices{}), argument_error);
    CHECK_THROWS_AS(assign(exec, into, no_mask{}, no_accumulator{}, dc.view(), rows, columns), argument_error);
    CHECK_THROWS_AS(assign(exec, into, no_mask{}, no_accumulator{}, dc.view(), to_rows, list{1, 2}), dimension_error);
    CHECK(plain(exec, into) == a);
}

TEST_CASE("composition of matrices agrees with SuiteSparse:GraphBLAS") {
    start_graphblas();
    auto const a = random_sparse<T>(7, 9, 0.4, 1), b = random_sparse<T>(7, 4, 0.4, 2),
               e = random_sparse<T>(5, 9, 0.4, 3), f = random_sparse<T>(5, 4, 0.4, 4);
    auto const da = a.on(exec), db = b.on(exec), de = e.on(exec), df = f.on(exec);
    auto const ga = to_grb(a), gb = to_grb(b), ge = to_grb(e), gf = to_grb(f);

    grb_matrix whole;
    grb(GrB_Matrix_new(whole.address(), GrB_FP64, 12, 13));
    GrB_Matrix tiles[] = {ga, gb, ge, gf};
    grb(GxB_Matrix_concat(whole, tiles, 2, 2, nullptr));
    std::vector<csr_view<T>> const ours{da.view(), db.view(), de.view(), df.view()};
    auto const composed = concat(exec, ours, 2);
    CHECK(plain(exec, composed) == from_grb_matrix<T>(whole));
    auto const pieces = split(exec, composed.view(), list{7, 5}, list{9, 4});
    CHECK(plain(exec, pieces[1]) == b);
    CHECK(plain(exec, pieces[2]) == e);
    CHECK_THROWS_AS(split(exec, composed.view(), list{7, 4}, list{9, 4}), dimension_error);
    CHECK_THROWS_AS(concat(exec, ours, 4), dimension_error);

    grb_matrix product;
    grb(GrB_Matrix_new(product.address(), GrB_FP64, 35, 81));
    grb(GrB_Matrix_kronecker_BinaryOp(product, nullptr, nullptr, GrB_MINUS_FP64, ga, ge, nullptr));
    CHECK(plain(exec, kronecker(exec, op::minus<T>{}, da.view(), de.view())) == from_grb_matrix<T>(product));

    for (auto const& [rows, columns] : {std::pair{10, 5}, std::pair{3, 20}, std::pair{7, 9}}) {
        auto const sized = to_grb(a);
        grb(GrB_Matrix_resize(sized, GrB_Index(rows), GrB_Index(columns)));
        CHECK(plain(exec, resize(exec, da.view(), rows, columns)) == from_grb_matrix<T>(sized));
    }
    dense_vector<T> v(exec, 6);
    for (int i = 0; i < 6; i += 2) {
        v.values()[i] = i + 1;
        v.present()[i] = 1;
    }
    auto const gv = to_grb<T>(std::as_const(v).view());
    for (std::int64_t const k : {0, 2, -3}) {
        grb_matrix g;
        grb(GrB_Matrix_new(g.address(), GrB_FP64, GrB_Index(6 + std::abs(k)), GrB_Index(6 + std::abs(k))));
        grb(GxB_Matrix_diag(g, gv, k, nullptr));
        CHECK(plain(exec, diag(exec, v.view(), k)) == from_grb_matrix<T>(g));
    }
}
