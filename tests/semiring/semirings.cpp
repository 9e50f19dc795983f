// SPDX-License-Identifier: BSD-3-Clause
// Named semirings against SuiteSparse:GraphBLAS, and the checks of spmv.
#include <coppice/semiring/spmv/spmv.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "semiring/graphblas_session.hpp"
#include "support/executors.hpp"
#include "support/patterns.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// y = A x over a GraphBLAS semiring; rows without a result keep `empty`.
template <class T>
std::vector<T> by_graphblas(plain_csr<T> const& a, std::vector<T> const& x, GrB_Semiring semiring, T empty) {
    GrB_Type const type = sizeof(T) == 4 ? GrB_FP32 : GrB_FP64;
    std::vector<GrB_Index> rows, columns;
    for (std::int32_t i = 0; i < a.rows; ++i)
        for (std::int32_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
            rows.push_back(GrB_Index(i));
            columns.push_back(GrB_Index(a.indices[k]));
        }
    GrB_Matrix m = nullptr;
    GrB_Vector u = nullptr, w = nullptr;
    REQUIRE(GrB_Matrix_new(&m, type, GrB_Index(a.rows), GrB_Index(a.columns)) == GrB_SUCCESS);
    REQUIRE(GrB_Vector_new(&u, type, GrB_Index(a.columns)) == GrB_SUCCESS);
    REQUIRE(GrB_Vector_new(&w, type, GrB_Index(a.rows)) == GrB_SUCCESS);
    std::vector<T> result(std::size_t(a.rows), empty);
    if (rows.empty()) {
        // GraphBLAS refuses the null pointers of an empty build; the matrix is empty as it is.
    } else if constexpr (sizeof(T) == 4) {
        REQUIRE(GrB_Matrix_build_FP32(m, rows.data(), columns.data(), a.values.data(), rows.size(), GrB_PLUS_FP32) ==
                GrB_SUCCESS);
    } else {
        REQUIRE(GrB_Matrix_build_FP64(m, rows.data(), columns.data(), a.values.data(), rows.size(), GrB_PLUS_FP64) ==
                GrB_SUCCESS);
    }
    for (std::size_t j = 0; j < x.size(); ++j) {
        if constexpr (sizeof(T) == 4)
            GrB_Vector_setElement_FP32(u, x[j], j);
        else
            GrB_Vector_setElement_FP64(u, x[j], j);
    }
    REQUIRE(GrB_mxv(w, nullptr, nullptr, semiring, m, u, nullptr) == GrB_SUCCESS);
    for (std::size_t i = 0; i < result.size(); ++i) {
        if constexpr (sizeof(T) == 4)
            GrB_Vector_extractElement_FP32(&result[i], w, i);
        else
            GrB_Vector_extractElement_FP64(&result[i], w, i);
    }
    GrB_Matrix_free(&m);
    GrB_Vector_free(&u);
    GrB_Vector_free(&w);
    return result;
}

/// Distinct sorted columns, since GraphBLAS has no duplicates; values in quarters, so that sums are exact.
template <class T>
plain_csr<T> without_duplicates(plain_csr<T> const& a) {
    plain_csr<T> b;
    b.rows = a.rows;
    b.columns = a.columns;
    for (std::int32_t i = 0; i < a.rows; ++i) {
        std::vector<std::int32_t> columns(a.indices.begin() + a.offsets[i], a.indices.begin() + a.offsets[i + 1]);
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        for (std::int32_t const c : columns) {
            b.indices.push_back(c);
            b.values.push_back(T((c * 37 + i * 11) % 64 - 31) / T(4));
        }
        b.offsets.push_back(static_cast<std::int32_t>(b.indices.size()));
    }
    return b;
}

template <class T>
std::vector<T> by_coppice(plain_csr<T> const& plain, std::vector<T> const& x, std::string_view name) {
    host_executor const exec(2);
    auto const a = plain.on(exec);
    std::vector<T> y(std::size_t(plain.rows), std::numeric_limits<T>::quiet_NaN());
    auto const plan = make_srcsr_plan(exec, a.view());
    semiring_spmv(exec, plan, name, a.view(), array_view<T const>{x.data(), std::int64_t(x.size())},
                  array_view<T>{y.data(), std::int64_t(y.size())});
    return y;
}

} // namespace

TEST_CASE("named semirings agree with SuiteSparse:GraphBLAS") {
    start_graphblas();
    float const infinity = std::numeric_limits<float>::infinity();
    struct row {
        char const* name;
        GrB_Semiring reference;
        float empty;
    };
    row const table[] = {
        {"plus-times", GrB_PLUS_TIMES_SEMIRING_FP32, 0},       {"min-plus", GrB_MIN_PLUS_SEMIRING_FP32, infinity},
        {"max-plus", GrB_MAX_PLUS_SEMIRING_FP32, -infinity},   {"max-min", GrB_MAX_MIN_SEMIRING_FP32, -infinity},
        {"max-first", GrB_MAX_FIRST_SEMIRING_FP32, -infinity}, {"max-second", GrB_MAX_SECOND_SEMIRING_FP32, -infinity},
    };
    for (auto const& shape : hard_row_lengths(21)) {
        if (shape.lengths.empty()) continue; // GraphBLAS has no matrix without rows
        auto const a = without_duplicates(random_matrix<float>(shape.lengths, 700, 22));
        std::vector<float> x(700);
        for (std::size_t j = 0; j < x.size(); ++j) x[j] = float(int(j * 29 % 128) - 63) / 8.0f;
        for (row const& r : table) {
            CAPTURE(shape.name);
            CAPTURE(std::string(r.name));
            CHECK(by_coppice(a, x, r.name) == by_graphblas(a, x, r.reference, r.empty));
        }
    }
}

TEST_CASE("or-and, any and arg-max follow their definitions") {
    auto const a = without_duplicates(random_matrix<double>(hard_row_lengths(31)[9].lengths, 300, 32));
    std::vector<double> x(300);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = j % 3 == 0 ? 0.0 : double(j % 17) - 8;
    auto const reachable = by_coppice(a, x, "or-and");
    auto const any = by_coppice(a, x, "any");
    auto const best = by_coppice(a, x, "arg-max");
    for (std::int32_t i = 0; i < a.rows; ++i) {
        double reached = 0, first = 0, largest = 0, column = -1;
        for (std::int32_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
            double const v = a.values[std::size_t(k)], u = x[std::size_t(a.indices[k])];
            if (v != 0 && u != 0) reached = 1;
            if (k == a.offsets[i]) first = v * u;
            if (column < 0 || v * u > largest) {
                largest = v * u;
                column = a.indices[k];
            }
        }
        REQUIRE(reachable[std::size_t(i)] == reached);
        REQUIRE(any[std::size_t(i)] == first);
        REQUIRE(best[std::size_t(i)] == column);
    }
}

namespace {

/// A semiring that the catalogue does not have.
template <class T>
using min_max = semiring_of<add_min<T>, op::max<T>>;

/// Every row is found by its name, as its own type, and by no other name.
template <class... Rows>
void check_catalogue(std::tuple<Rows...> const& catalogue) {
    static_assert(std::variant_size_v<detail::semiring_variant<float, std::tuple<Rows...>>> == sizeof...(Rows));
    auto const check_row = [&]<class Row>(Row const& row) {
        CAPTURE(std::string(row.name));
        auto const found = detail::find_semiring<float>(catalogue, row.name);
        CHECK(std::holds_alternative<typename Row::template semiring<float>>(found));
        CHECK_FALSE(row.meaning.empty());
        auto const all = detail::names_of(detail::descriptions_of(catalogue));
        CHECK(std::count(all.begin(), all.end(), row.name) == 1);
    };
    std::apply([&](auto const&... row) { (check_row(row), ...); }, catalogue);
}

} // namespace

TEST_CASE("every row of the catalogue is found, and so is one row more") {
    static_assert(semiring_names.size() == std::variant_size_v<named_semiring<float>>);
    static_assert(semiring_names.size() == std::tuple_size_v<std::remove_const_t<decltype(semiring_catalogue)>>);
    check_catalogue(semiring_catalogue);
    check_catalogue(
        std::tuple_cat(semiring_catalogue, std::tuple{semiring_row<min_max>{{"min-max", "smallest bottleneck"}}}));
    for (std::string_view const name : semiring_names) {
        CAPTURE(std::string(name));
        CHECK(std::holds_alternative<plus_times<double>>(semiring_by_name<double>(name)) == (name == "plus-times"));
    }
}

TEST_CASE("an unknown semiring lists the known ones") {
    CHECK_THROWS_WITH_AS(semiring_by_name<float>("plus"), doctest::Contains("plus-times, min-plus"), argument_error);
}

TEST_CASE("spmv scales, does not read y when beta is zero, and refuses wrong sizes and overlap") {
    host_executor const exec(1);
    auto const plain = random_matrix<double>({2, 0, 3}, 4, 41);
    auto const a = plain.on(exec);
    auto const plan = make_srcsr_plan(exec, a.view());
    std::vector<double> x{1, 2, 3, 4};
    std::vector<double> y(3, std::numeric_limits<double>::quiet_NaN());
    array_view<double const> const xv{x.data(), 4};
    array_view<double> const yv{y.data(), 3};
    spmv(exec, plan, a.view(), xv, yv);
    for (double const v : y) CHECK(std::isfinite(v));
    auto const once = y;
    spmv(exec, plan, a.view(), xv, yv, 2.0, 0.5);
    for (std::size_t i = 0; i < 3; ++i) CHECK(y[i] == doctest::Approx(2.5 * once[i]));
    CHECK_THROWS_AS(spmv(exec, plan, a.view(), xv.slice(0, 3), yv), dimension_error);
    CHECK_THROWS_AS(spmv(exec, plan, a.view(), xv, yv.slice(0, 2)), dimension_error);
    std::vector<double> both(7);
    CHECK_THROWS_AS(
        spmv(exec, plan, a.view(), array_view<double const>{both.data(), 4}, array_view<double>{both.data() + 2, 3}),
        argument_error);
    x[1] = std::numeric_limits<double>::quiet_NaN();
    spmv(exec, plan, a.view(), xv, yv);
    for (int i = 0; i < 3; ++i) {
        bool touches = false;
        for (int k = plain.offsets[std::size_t(i)]; k < plain.offsets[std::size_t(i) + 1]; ++k)
            touches = touches || plain.indices[std::size_t(k)] == 1;
        CHECK(std::isnan(y[std::size_t(i)]) == touches);
    }
}
