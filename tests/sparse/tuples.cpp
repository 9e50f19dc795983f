// SPDX-License-Identifier: BSD-3-Clause
// build, extract_tuples and scatter: duplicates are combined in the given order.
#include <doctest/doctest.h>

#include <map>
#include <utility>

#include "sparse/sparse_problem.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// An operation that is not commutative and depends on both operands.
struct append_digits {
    COPPICE_HD std::int64_t operator()(std::int64_t a, std::int64_t b) const { return (a * 31 + b) % 1000000007; }
};

} // namespace

TEST_CASE_TEMPLATE("tuples are built into a matrix and extracted again", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::mt19937_64 random(5);
    for (int const count : {0, 1, 700}) {
        std::vector<std::int32_t> rows, columns;
        std::vector<std::int64_t> values;
        std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> expected;
        for (int k = 0; k < count; ++k) {
            rows.push_back(int(random() % 20));
            columns.push_back(int(random() % 17));
            values.push_back(int(random() % 100));
            auto const [at, is_new] = expected.try_emplace({rows.back(), columns.back()}, values.back());
            if (!is_new) at->second = append_digits{}(at->second, values.back());
        }
        auto const i = exec.copy(rows), j = exec.copy(columns);
        auto const x = exec.copy(values);
        auto const a = build(exec, 20, 17, i.view(), j.view(), x.view(), append_digits{});
        auto const t = extract_tuples(exec, a.view());
        auto const r = to_vector(exec, t.rows), c = to_vector(exec, t.columns);
        auto const v = to_vector(exec, t.values);
        REQUIRE(v.size() == expected.size());
        std::size_t k = 0;
        for (auto const& [position, value] : expected) {
            CHECK(r[k] == position.first);
            CHECK(c[k] == position.second);
            CHECK(v[k++] == value);
        }
        if (count > 1) {
            CHECK_THROWS_AS(build(exec, 20, 17, i.view(), j.view(), x.view(), no_duplicates{}), matrix_error);
            CHECK_THROWS_AS(build(exec, 20, 3, i.view(), j.view(), x.view(), append_digits{}), argument_error);
        }
    }
}

TEST_CASE_TEMPLATE("scatter folds values of equal index in order", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::mt19937_64 random(6);
    std::vector<std::int32_t> index;
    std::vector<std::int64_t> u;
    std::vector<std::int64_t> w(50);
    for (int i = 0; i < 50; ++i) w[std::size_t(i)] = i;
    auto const before = w;
    std::vector<std::vector<std::int64_t>> met(50);
    for (int k = 0; k < 3000; ++k) {
        index.push_back(int(random() % 40));
        u.push_back(int(random() % 100));
        met[std::size_t(index.back())].push_back(u.back());
    }
    append_digits const add;
    for (std::size_t i = 0; i < 50; ++i) {
        if (met[i].empty()) continue;
        std::int64_t sum = met[i][0];
        for (std::size_t k = 1; k < met[i].size(); ++k) sum = add(sum, met[i][k]);
        w[i] = add(w[i], sum);
    }
    auto const at = exec.copy(index);
    auto const values = exec.copy(u);
    auto full = exec.copy(before);
    scatter(exec, dense_vector_view<std::int64_t>{full.view(), {}}, add, at.view(), values.view());
    CHECK(to_vector(exec, full) == w);
    auto const bad = exec.copy(std::vector<std::int32_t>{1, 50});
    CHECK_THROWS_AS(
        scatter(exec, dense_vector_view<std::int64_t>{full.view(), {}}, add, bad.view(), values.view().slice(0, 2)),
        argument_error);
}
