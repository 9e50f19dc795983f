// SPDX-License-Identifier: BSD-3-Clause
// Exchange with SuiteSparse:GraphBLAS: every form of matrix and vector, there and back.
#include <coppice/graphblas_exchange.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <map>
#include <set>

#include "semiring/graphblas_session.hpp"
#include "semiring/mxv_problem.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

using wide = std::int64_t;

/// The entries of a matrix, whatever the order in its rows.
template <class T>
using entries = std::map<std::pair<wide, wide>, T>;

template <class T, class I, class O>
entries<T> entries_of(csr<T, I, O> const& a) {
    entries<T> all;
    for (I i = 0; i < a.rows(); ++i)
        for (O k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            CHECK(all.insert({{wide(i), wide(a.column_indices()[k])}, a.values()[k]}).second);
    return all;
}

/// The entries of a GrB_Matrix, asked for one by one.
template <class T>
entries<T> entries_of(GrB_Matrix a) {
    GrB_Index rows = 0, columns = 0;
    grb(GrB_Matrix_nrows(&rows, a));
    grb(GrB_Matrix_ncols(&columns, a));
    entries<T> all;
    for (GrB_Index i = 0; i < rows; ++i)
        for (GrB_Index j = 0; j < columns; ++j)
            if (T v{}; grb_type<T>::get(&v, a, i, j) == GrB_SUCCESS) all[{wide(i), wide(j)}] = v;
    return all;
}

GrB_Index entry_count_of(GrB_Matrix a) {
    GrB_Index n = 0;
    grb(GrB_Matrix_nvals(&n, a));
    return n;
}
GrB_Index entry_count_of(GrB_Vector v) {
    GrB_Index n = 0;
    grb(GrB_Vector_nvals(&n, v));
    return n;
}

/// Matrices of every internal form, all 9 x 7.
enum class form { sorted, by_columns, hypersparse, bitmap, full, iso, jumbled, pending, empty };

grb_matrix matrix_of_form(form f) {
    grb_matrix a;
    grb(GrB_Matrix_new(a.address(), GrB_FP32, 9, 7));
    if (f == form::by_columns) grb(GxB_Matrix_Option_set(a, GxB_FORMAT, GxB_BY_COL));
    if (f == form::hypersparse) grb(GxB_Matrix_Option_set(a, GxB_SPARSITY_CONTROL, GxB_HYPERSPARSE));
    if (f == form::bitmap) grb(GxB_Matrix_Option_set(a, GxB_SPARSITY_CONTROL, GxB_BITMAP));
    if (f == form::iso) {
        GrB_Index const rows[]{0, 3, 3, 8}, columns[]{1, 0, 6, 2};
        GrB_Scalar two = nullptr;
        grb(GrB_Scalar_new(&two, GrB_FP32));
        grb(GrB_Scalar_setElement_FP32(two, 2.5f));
        grb(GxB_Matrix_build_Scalar(a, rows, columns, two, 4));
        GrB_Scalar_free(&two);
        bool iso = false;
        grb(GxB_Matrix_iso(&iso, a));
        REQUIRE(iso);
    } else if (f == form::jumbled) {
        auto* const offsets = static_cast<GrB_Index*>(std::malloc(10 * sizeof(GrB_Index)));
        auto* const columns = static_cast<GrB_Index*>(std::malloc(3 * sizeof(GrB_Index)));
        auto* const values = static_cast<float*>(std::malloc(3 * sizeof(float)));
        for (int i = 0; i < 10; ++i) offsets[i] = i < 4 ? 0 : 3;
        columns[0] = 5, columns[1] = 1, columns[2] = 3;
        values[0] = 50, values[1] = 10, values[2] = 30;
        GrB_Index *p = offsets, *j = columns;
        void* x = values;
        grb(GxB_Matrix_pack_CSR(a, &p, &j, &x, 10 * sizeof(GrB_Index), 3 * sizeof(GrB_Index), 3 * sizeof(float), false,
                                true, nullptr));
    } else if (f != form::empty) {
        for (GrB_Index i = 0; i < 9; ++i)
            for (GrB_Index j = 0; j < 7; ++j)
                if (f == form::full || (i % 3 != 1 && (i * 5 + j * 3) % 4 == 0))
                    grb(GrB_Matrix_setElement_FP32(a, float(10 * i + j), i, j));
        if (f != form::pending) grb(GrB_Matrix_wait(a, GrB_MATERIALIZE));
    }
    return a;
}

} // namespace

TEST_CASE("matrices of every form are copied from GraphBLAS, which keeps them") {
    start_graphblas();
    host_executor const exec(2);
    for (int f = 0; f <= int(form::empty); ++f) {
        CAPTURE(f);
        auto const expected = entries_of<float>(matrix_of_form(form(f)));
        grb_matrix const a = matrix_of_form(form(f));
        auto const copy = from_graphblas<float>(exec, a);
        CHECK(copy.rows() == 9);
        CHECK(copy.columns() == 7);
        CHECK(entries_of(copy) == expected);
        CHECK(entries_of<float>(a) == expected);
        auto const wider = from_graphblas<float, std::int32_t, wide>(exec, a);
        CHECK(entries_of(wider) == expected);
        bool iso = false;
        grb(GxB_Matrix_iso(&iso, a));
        CHECK(iso == (form(f) == form::iso)); // what was iso-valued still is
    }
}

TEST_CASE("matrices of every form move from GraphBLAS and back without copying") {
    start_graphblas();
    host_executor const exec(1);
    for (int f = 0; f <= int(form::empty); ++f) {
        CAPTURE(f);
        auto const expected = entries_of<float>(matrix_of_form(form(f)));
        grb_matrix const a = matrix_of_form(form(f));
        auto moved = move_from_graphblas<float>(a);
        CHECK(entry_count_of(a) == 0);
        CHECK(entries_of(moved) == expected);
        void const* const where[]{moved.row_offsets().data(), moved.column_indices().data(), moved.values().data()};
        grb_matrix const back(move_to_graphblas(exec, std::move(moved)));
        CHECK(moved.rows() == 0);
        CHECK(entry_count_of(back) == expected.size());
        if (!expected.empty()) {
            // The same three arrays have made the whole journey.
            auto again = move_from_graphblas<float>(back);
            CHECK(static_cast<void const*>(again.row_offsets().data()) == where[0]);
            CHECK(static_cast<void const*>(again.column_indices().data()) == where[1]);
            CHECK(static_cast<void const*>(again.values().data()) == where[2]);
            grb_matrix const third(move_to_graphblas(exec, std::move(again)));
            CHECK(entries_of<float>(third) == expected);
        }
    }
}

TEST_CASE("random matrices are copied to GraphBLAS and back") {
    start_graphblas();
    host_executor const exec(2);
    std::mt19937_64 random(11);
    for (auto const& shape : small_mxv_shapes()) {
        CAPTURE(shape.name);
        auto const a = random_pattern<double>(shape.lengths, shape.columns, random);
        grb_matrix const g(to_graphblas(exec, a.view()));
        CHECK(entries_of<double>(g) == entries_of(a));
        auto const back = from_graphblas<double>(exec, g);
        CHECK(to_vector(exec, back.row_offsets()) == to_vector(exec, a.row_offsets()));
        CHECK(to_vector(exec, back.column_indices()) == to_vector(exec, a.column_indices()));
        CHECK(to_vector(exec, back.values()) == to_vector(exec, a.values()));
    }
    auto const b = random_pattern<bool>({3, 0, 4}, 9, random);
    grb_matrix const g(to_graphblas(exec, b.view()));
    CHECK(entries_of<bool>(g) == entries_of(b));
}

TEST_CASE("columns may be unsorted, but a row must not hold one twice") {
    start_graphblas();
    host_executor const exec(2);
    csr<float> const unsorted(2, 5, exec.copy(std::vector{0, 3, 5}), exec.copy(std::vector{4, 0, 2, 3, 1}),
                              exec.copy(std::vector{4.0f, 0.0f, 2.0f, 3.0f, 1.0f}));
    grb_matrix const g(to_graphblas(exec, unsorted.view()));
    CHECK(entries_of<float>(g) == entries_of(unsorted));
    csr<float> const twice(3, 5, exec.copy(std::vector{0, 1, 2, 5}), exec.copy(std::vector{4, 0, 2, 3, 2}),
                           exec.copy(std::vector(5, 1.0f)));
    CHECK_THROWS_WITH_AS(to_graphblas(exec, twice.view()), doctest::Contains("row 2 holds a column more than once"),
                         matrix_error);
}

TEST_CASE("hypersparse matrices with more rows than 32 bits hold") {
    start_graphblas();
    host_executor const exec(1);
    grb_matrix a;
    grb(GrB_Matrix_new(a.address(), GrB_FP64, GrB_Index(1) << 33, 4));
    CHECK_THROWS_AS(from_graphblas<double>(exec, a), overflow_error);
    grb_matrix b;
    grb(GrB_Matrix_new(b.address(), GrB_FP64, 4, GrB_Index(1) << 33));
    grb(GrB_Matrix_setElement_FP64(b, 1.5, 2, GrB_Index(1) << 32));
    CHECK_THROWS_AS(from_graphblas<double>(exec, b), overflow_error);
    CHECK(entry_count_of(b) == 1); // it went back
    auto const moved = move_from_graphblas<double>(b);
    CHECK(moved.columns() == wide(1) << 33);
    CHECK(moved.column_indices()[0] == wide(1) << 32);
    CHECK(moved.values()[0] == 1.5);
}

TEST_CASE("vectors move and are copied, full, with flags, iso-valued and empty") {
    start_graphblas();
    host_executor const exec(2);
    std::mt19937_64 random(12);
    for (bool const full : {true, false})
        for (wide const n : {1, 2, 1000}) {
            auto const v = random_vector<std::int32_t>(n, full, random);
            grb_vector const g(to_graphblas(exec, v.view()));
            CHECK(same_entries(from_grb<std::int32_t>(g), v));
            auto const copy = from_graphblas<std::int32_t>(exec, g);
            CHECK(same_entries(copy, v));
            CHECK(same_entries(from_grb<std::int32_t>(g), v));
            if (full) CHECK(copy.is_full());

            auto moved = move_from_graphblas<std::int32_t>(g);
            CHECK(entry_count_of(g) == 0);
            CHECK(same_entries(moved, v));
            void const* const where = moved.values().data();
            grb_vector const back(move_to_graphblas(exec, std::move(moved)));
            CHECK(same_entries(from_grb<std::int32_t>(back), v));
            if (entry_count_of(back) > 0) {
                auto const again = move_from_graphblas<std::int32_t>(back);
                CHECK(static_cast<void const*>(again.values().data()) == where);
            }
        }
    for (bool const full : {true, false}) {
        grb_vector iso;
        grb(GrB_Vector_new(iso.address(), GrB_FP32, 10));
        GrB_Index const some[]{2, 3, 7};
        grb(GrB_Vector_assign_FP32(iso, nullptr, nullptr, 1.25f, full ? GrB_ALL : some, full ? 10 : 3, nullptr));
        auto const expected = from_grb<float>(iso);
        CHECK(same_entries(from_graphblas<float>(exec, iso), expected));
        CHECK(same_entries(from_grb<float>(iso), expected));
        CHECK(same_entries(move_from_graphblas<float>(iso), expected));
    }
    grb_vector none;
    grb(GrB_Vector_new(none.address(), GrB_FP32, 10));
    CHECK(entry_count(exec, view_of(from_graphblas<float>(exec, none))) == 0);
    CHECK(entry_count(exec, view_of(move_from_graphblas<float>(none))) == 0);
}

TEST_CASE("user-defined and complex values") {
    start_graphblas();
    host_executor const exec(1, graphblas_memory());
    struct pair {
        float weight;
        std::int32_t column;
    };
    GrB_Type type = nullptr;
    grb(GrB_Type_new(&type, sizeof(pair)));
    csr<pair, wide, wide> a(2, 2, exec.copy(std::vector<wide>{0, 1, 2}), exec.copy(std::vector<wide>{1, 0}),
                            exec.copy(std::vector<pair>{{1.5f, 1}, {2.5f, 0}}));
    {
        grb_matrix const g(move_to_graphblas(exec, std::move(a), type));
        CHECK_THROWS_AS(from_graphblas<float>(exec, g), argument_error);
        auto const back = move_from_graphblas<pair>(g, type);
        CHECK(back.values()[1].weight == 2.5f);
        CHECK(back.values()[0].column == 1);
    }
    GrB_Type_free(&type);

    dense_vector<std::complex<double>> c(exec.copy(std::vector<std::complex<double>>{{1, 2}, {3, 4}}));
    grb_vector const g(move_to_graphblas(exec, std::move(c)));
    CHECK(from_graphblas<std::complex<double>>(exec, g).values()[1] == std::complex<double>(3, 4));
}

TEST_CASE("the exchange refuses what GraphBLAS cannot hold, and leaves it as it was") {
    start_graphblas();
    host_executor const exec(1);
    csr<float, wide, wide> of_other_memory(1, 1, exec.copy(std::vector<wide>{0, 1}), exec.copy(std::vector<wide>{0}),
                                           exec.copy(std::vector{3.0f}));
    CHECK_THROWS_WITH_AS(move_to_graphblas(exec, std::move(of_other_memory)), doctest::Contains("graphblas_memory"),
                         argument_error);
    CHECK(of_other_memory.nonzeros() == 1);
    dense_vector<float> v(exec.copy(std::vector{1.0f}));
    CHECK_THROWS_AS(move_to_graphblas(exec, std::move(v)), argument_error);
    CHECK(v.size() == 1);
    csr<float> const no_rows(0, 3, exec.copy(std::vector{0}), {}, {});
    CHECK_THROWS_WITH_AS(to_graphblas(exec, no_rows.view()), doctest::Contains("0 x 3"), argument_error);
    CHECK_THROWS_AS(to_graphblas(exec, dense_vector_view<float const>{}), argument_error);
    grb_matrix const a = matrix_of_form(form::sorted);
    CHECK_THROWS_WITH_AS(from_graphblas<double>(exec, a), doctest::Contains("another type"), argument_error);
    CHECK_THROWS_AS(move_from_graphblas<std::int32_t>(a), argument_error);
    CHECK(entry_count_of(a) > 0);
}

TEST_CASE("a product of what came from GraphBLAS is the product of GraphBLAS") {
    start_graphblas();
    host_executor const exec(2);
    std::mt19937_64 random(13);
    auto const plain = random_pattern<float>(small_mxv_shapes().front().lengths, 45, random);
    grb_matrix const g(to_graphblas(exec, plain.view()));
    grb_vector const u(to_graphblas(exec, view_of(random_vector<float>(45, false, random))));
    grb_vector w;
    grb(GrB_Vector_new(w.address(), GrB_FP32, 61));
    grb(GrB_mxv(w, nullptr, nullptr, GrB_PLUS_TIMES_SEMIRING_FP32, g, u, nullptr));

    auto const matrix = move_from_graphblas<float>(g);
    auto const x = move_from_graphblas<float>(u);
    dense_vector<float> y(exec, 61);
    mxv(exec, y.view(), no_mask{}, no_accumulator{}, plus_times<float>{}, matrix_operand(exec, matrix), x.view());
    CHECK(same_entries(y, from_graphblas<float>(exec, w)));
}
