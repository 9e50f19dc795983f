// SPDX-License-Identifier: BSD-3-Clause
// Sparse vectors, hypersparse matrices, matrices by columns and dense ones to SuiteSparse:GraphBLAS and back.
#include <coppice/graphblas_exchange.hpp>

#include <doctest/doctest.h>

#include "sparse/sparse_graphblas.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

using T = double;
using wide = std::int64_t;
host_executor const exec(2, graphblas_memory());

/// A matrix in one of the forms of GraphBLAS.
grb_matrix in_form(plain_matrix<T> const& a, int sparsity, GxB_Format_Value order) {
    grb_matrix m = to_grb(a);
    grb(GxB_Matrix_Option_set(m, GxB_FORMAT, order));
    grb(GxB_Matrix_Option_set(m, GxB_SPARSITY_CONTROL, sparsity));
    grb(GrB_Matrix_wait(m, GrB_MATERIALIZE));
    return m;
}
GrB_Index entries_of(GrB_Matrix a) {
    GrB_Index n = 0;
    grb(GrB_Matrix_nvals(&n, a));
    return n;
}
template <class I>
plain_matrix<T> plain_rows(hypersparse<T, I> const& a) {
    auto const m = to_csr(exec, a);
    plain_matrix<T> to{std::int32_t(m.rows()), std::int32_t(m.columns())};
    to.offsets.assign(m.row_offsets().begin(), m.row_offsets().end());
    to.indices.assign(m.column_indices().begin(), m.column_indices().end());
    to.values.assign(m.values().begin(), m.values().end());
    return to;
}
void check_vector(sparse_vector<T, wide> const& got, plain_matrix<T> const& row) {
    CHECK(got.size() == row.columns);
    CHECK(got.entries() == wide(row.indices.size()));
    buffer<wide> indices;
    buffer<T> values;
    auto const list = got.as_list(exec, indices, values);
    for (wide k = 0; k < list.entries(); ++k) {
        CHECK(list.indices[k] == row.indices[std::size_t(k)]);
        CHECK(list.values[k] == row.values[std::size_t(k)]);
    }
}

} // namespace

TEST_CASE("matrices of every form move from GraphBLAS by rows that have entries, by columns and as dense ones") {
    start_graphblas();
    for (double const density : {0.0, 0.05, 1.0})
        for (int const sparsity : {GxB_HYPERSPARSE, GxB_SPARSE, GxB_BITMAP, GxB_AUTO_SPARSITY})
            for (auto const order : {GxB_BY_ROW, GxB_BY_COL}) {
                CAPTURE(density);
                CAPTURE(sparsity);
                CAPTURE(int(order));
                auto a = random_sparse<T>(23, 19, density, 7);
                if (density == 1.0)
                    a = plain(exec, ewise_union(exec, op::plus<T>{}, view_of(a.on(exec)), 1,
                                                view_of(random_sparse<T>(23, 19, 1, 8).on(exec)), 2));
                auto const make = [&] { return in_form(a, sparsity, order); };

                auto const copied = make();
                auto const narrow = hypersparse_from_graphblas<T, std::int32_t>(exec, copied);
                CHECK(entries_of(copied) == a.indices.size());
                CHECK(plain_rows(narrow) == a);
                grb_matrix const back(to_graphblas(exec, narrow));
                CHECK(from_grb_matrix<T>(back) == a);

                auto const taken = make();
                auto rows = move_hypersparse_from_graphblas<T>(taken);
                CHECK(entries_of(taken) == 0);
                CHECK(plain_rows(rows) == a);
                T const* const values = rows.entries().values().data();
                wide const* const list = rows.list().data();
                grb_matrix const again(move_to_graphblas(exec, std::move(rows)));
                CHECK(from_grb_matrix<T>(again) == a);
                auto const twice = move_hypersparse_from_graphblas<T>(again);
                if (!a.values.empty()) { // the arrays themselves
                    CHECK(twice.entries().values().data() == values);
                    CHECK(twice.list().data() == list);
                }

                auto columns = move_columns_from_graphblas<T>(make());
                T const* const by_columns = columns.values().data();
                CHECK(columns.rows() == 19);
                grb_matrix const turned(move_columns_to_graphblas(exec, std::move(columns)));
                CHECK(from_grb_matrix<T>(turned) == a);
                if (!a.values.empty()) CHECK(move_columns_from_graphblas<T>(turned).values().data() == by_columns);

                auto elements = move_dense_from_graphblas<T>(make());
                CHECK(elements.size() == 23 * 19);
                CHECK(entry_count(exec, std::as_const(elements).view()) == wide(a.indices.size()));
                T const* const dense = elements.values().data();
                grb_matrix const filled(move_dense_to_graphblas(exec, std::move(elements), 19));
                CHECK(from_grb_matrix<T>(filled) == a);
                if (!a.values.empty()) CHECK(move_dense_from_graphblas<T>(filled).values().data() == dense);
            }
}

TEST_CASE("sparse vectors move and are copied as lists, bitmaps and full ones") {
    start_graphblas();
    for (double const density : {0.0, 0.01, 0.3, 1.0}) {
        CAPTURE(density);
        auto const row = random_sparse<T>(1, 700, density, 3);
        auto const make = [&](int sparsity) {
            grb_vector v;
            grb(GrB_Vector_new(v.address(), GrB_FP64, 700));
            for (std::size_t k = row.indices.size(); k-- > 0;)
                grb(GrB_Vector_setElement_FP64(v, row.values[k], GrB_Index(row.indices[k])));
            grb(GxB_Vector_Option_set(v, GxB_SPARSITY_CONTROL, sparsity));
            return v;
        };
        for (int const sparsity : {GxB_SPARSE, GxB_BITMAP, GxB_AUTO_SPARSITY}) {
            CAPTURE(sparsity);
            auto const v = make(sparsity);
            auto const copied = sparse_from_graphblas<T>(exec, v);
            CHECK(copied.entries() == wide(row.indices.size()));
            grb_vector const again(to_graphblas(exec, copied));
            check_vector(move_sparse_from_graphblas<T>(again), row);
            auto moved = move_sparse_from_graphblas<T>(v);
            check_vector(moved, row);
            GrB_Index left = 1;
            grb(GrB_Vector_nvals(&left, v));
            CHECK(left == 0);
            bool const listed = moved.format() == vector_format::list;
            T const* const values = listed ? moved.list().values.data() : moved.dense().values.data();
            grb_vector const back(move_to_graphblas(exec, std::move(moved)));
            auto const twice = move_sparse_from_graphblas<T>(back);
            check_vector(twice, row);
            if (listed && !row.values.empty()) CHECK(twice.list().values.data() == values);
        }
    }
}

TEST_CASE("matrices beyond any array move hypersparse; what does not fit is refused") {
    start_graphblas();
    GrB_Index const n = GrB_Index{1} << 50;
    grb_matrix a;
    grb(GrB_Matrix_new(a.address(), GrB_FP64, n, n));
    grb(GrB_Matrix_setElement_FP64(a, 3, n - 1, 7));
    grb(GrB_Matrix_setElement_FP64(a, 5, 7, n / 2));
    auto const copy = hypersparse_from_graphblas<T>(exec, a);
    CHECK(copy.rows() == wide(n));
    grb_matrix squared;
    grb(GrB_Matrix_new(squared.address(), GrB_FP64, n, n));
    grb(GrB_mxm(squared, nullptr, nullptr, GrB_PLUS_TIMES_SEMIRING_FP64, a, a, nullptr));
    auto const theirs = extract_tuples(exec, move_hypersparse_from_graphblas<T>(squared)),
               ours = extract_tuples(exec, mxm(exec, plus_times<T>{}, copy, copy));
    CHECK(to_vector(exec, ours.rows) == to_vector(exec, theirs.rows));
    CHECK(to_vector(exec, ours.columns) == to_vector(exec, theirs.columns));
    CHECK(to_vector(exec, ours.values) == to_vector(exec, theirs.values));

    CHECK_THROWS_AS((hypersparse_from_graphblas<T, std::int32_t>(exec, a)), overflow_error);
    CHECK_THROWS_AS(move_hypersparse_from_graphblas<float>(a), argument_error);
    CHECK(entries_of(a) == 2);
    host_executor const elsewhere(1);
    CHECK_THROWS_AS(move_columns_to_graphblas(exec, csr<T, wide>()), argument_error);
    hypersparse<T, wide> strange(elsewhere, 4, elsewhere.copy(std::vector<wide>{2}),
                                 csr<T, wide>(1, 4, elsewhere.copy(std::vector<wide>{0, 1}),
                                              elsewhere.copy(std::vector<wide>{3}), elsewhere.copy(std::vector<T>{1})));
    CHECK_THROWS_AS(move_to_graphblas(exec, std::move(strange)), argument_error);
    CHECK(strange.nonzeros() == 1);
    sparse_vector<T, wide> list(elsewhere, 90, elsewhere.copy(std::vector<wide>{3}), elsewhere.copy(std::vector<T>{1}));
    CHECK_THROWS_AS(move_to_graphblas(exec, std::move(list)), argument_error);
    CHECK(list.entries() == 1);
    CHECK_THROWS_AS(move_dense_to_graphblas(exec, dense_vector<T>(exec, 7), 2), argument_error);
}
