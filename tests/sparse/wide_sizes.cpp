// SPDX-License-Identifier: BSD-3-Clause
// Sizes whose product does not fit 64 bits: positions stay distinct, and what cannot be counted is an error.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "sparse/sparse_problem.hpp"
#include <coppice/algebra/band_storage.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

using wide = std::int64_t;

struct wide_tuples {
    std::vector<wide> rows{}, columns{};
    std::vector<double> values{};
    void add(wide i, wide j, double v) {
        rows.push_back(i);
        columns.push_back(j);
        values.push_back(v);
    }
    /// Entries by position, values of one position summed.
    std::map<std::pair<wide, wide>, double> entries() const {
        std::map<std::pair<wide, wide>, double> all;
        for (std::size_t k = 0; k < rows.size(); ++k) all[{rows[k], columns[k]}] += values[k];
        return all;
    }
};

/// Tuples that a key row * columns + column modulo 2^64 would take for one, and some that are one.
wide_tuples colliding(wide rows, wide columns) {
    wide_tuples t;
    std::mt19937_64 random(11);
    for (wide const i : {wide{0}, wide{1}, rows - 1, wide{4} % rows, rows / 2})
        for (wide const j : {wide{7}, wide{0}, columns - 1, wide(std::uint64_t(i) * std::uint64_t(columns) % 1000)})
            t.add(i, j, double(random() % 100));
    for (int k = 0; k < 300; ++k)
        t.add(wide(random() % std::uint64_t(rows)), wide(random() % 3 + (k % 2 == 0 ? 0 : columns - 5)), 1);
    t.add(rows - 1, columns - 1, 5);
    return t;
}

template <executor Executor, class Matrix>
void check_entries(Executor const& exec, Matrix const& a, wide_tuples const& t) {
    auto const made = extract_tuples(exec, a);
    auto const rows = to_vector(exec, made.rows), columns = to_vector(exec, made.columns);
    auto const values = to_vector(exec, made.values);
    auto const expected = t.entries();
    REQUIRE(values.size() == expected.size());
    std::size_t k = 0;
    for (auto const& [position, value] : expected) {
        CHECK(rows[k] == position.first);
        CHECK(columns[k] == position.second);
        CHECK(values[k++] == value);
    }
}

} // namespace

TEST_CASE_TEMPLATE("build tells positions apart whose numbers do not fit 64 bits", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    wide const quarter = wide{1} << 62, most = std::numeric_limits<wide>::max();
    for (auto const& [rows, columns] : {std::pair<wide, wide>{5, quarter}, {5, most}, {3000, most}, {7, quarter + 3}}) {
        auto t = colliding(rows, columns);
        if (rows == 5) {
            t.add(0, 7, 1);
            t.add(4, 7, 2); // 4 * 2^62 = 2^64
        }
        auto const i = exec.copy(t.rows), j = exec.copy(t.columns);
        auto const x = exec.copy(t.values);
        auto const a = build(exec, rows, columns, i.view(), j.view(), x.view(), op::plus<double>{});
        check_entries(exec, a.view(), t);
    }
}

TEST_CASE_TEMPLATE("hypersparse build and products of sizes near 2^63", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    wide const most = std::numeric_limits<wide>::max();
    auto const t = colliding(most, most);
    auto const i = exec.copy(t.rows), j = exec.copy(t.columns);
    auto const x = exec.copy(t.values);
    auto const a = build_hypersparse(exec, most, most, i.view(), j.view(), x.view(), op::plus<double>{});
    check_entries(exec, a, t);
    auto const turned = transpose(exec, transpose(exec, a));
    check_entries(exec, turned, t);
    auto const twice = ewise_add(exec, op::plus<double>{}, a, a);
    wide_tuples doubled = t;
    for (double& v : doubled.values) v *= 2;
    check_entries(exec, twice, doubled);
}

TEST_CASE_TEMPLATE("sizes that 64 bits do not count are errors", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    wide const half = wide{1} << 32, most = std::numeric_limits<wide>::max();
    auto const none = [&](wide columns) {
        return csr<double, wide>(1, columns, exec.copy(std::vector<wide>{0, 0}), buffer<wide>(exec, 0),
                                 buffer<double>(exec, 0));
    };
    auto const a = none(half), b = none(half), c = none(most);
    CHECK_THROWS_AS(kronecker(exec, op::times<double>{}, a.view(), b.view()), overflow_error);
    CHECK_THROWS_AS(concat(exec, std::vector<csr_view<double, wide>>{c.view(), c.view()}, 2), overflow_error);
    auto const wrapping = std::vector<wide>{most, most, 2 + half}; // 2^64 + 2^32
    CHECK_THROWS_AS(split(exec, a.view(), std::vector<wide>{1}, wrapping), overflow_error);
    auto const v = exec.copy(std::vector<double>{1, 2});
    dense_vector_view<double const> const vector{v.view(), {}};
    CHECK_THROWS_AS(diag<wide>(exec, vector, most), overflow_error);
    CHECK_THROWS_AS(diag<wide>(exec, vector, std::numeric_limits<wide>::min()), overflow_error);
}

TEST_CASE("elements of dense blocks are counted without wrapping") {
    host_executor const exec(1);
    CHECK_THROWS_AS(banded<double>(exec, std::int64_t{1} << 62, 1, 2), overflow_error);
    CHECK_THROWS_AS(block_tridiagonal<double>(exec, std::int64_t{1} << 60, 4), overflow_error);
    auto const a = plain_matrix<double>{2, 2, {0, 1, 2}, {0, 1}, {1, 1}}.on(exec);
    auto const plan = make_srcsr_plan(exec, a.view());
    thin_view<double const> const x{{}, (std::int64_t{1} << 62)};
    CHECK_THROWS_AS(spmm(exec, plan, plus_times<double>{}, a.view(), x, thin_view<double>{{}, x.columns}), error);
}
