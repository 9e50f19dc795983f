// SPDX-License-Identifier: BSD-3-Clause
// Min and max with a NaN operand: the result is the other operand, in every operation that combines two values (fmin
// and fmax of C).
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "sparse/sparse_problem.hpp"
#include <coppice/semiring/spmv/spmv.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

double const nan_value = std::numeric_limits<double>::quiet_NaN();

/// All pairs of these values: a in the first row, b in the second.
struct pairs {
    std::vector<double> a{}, b{};
    pairs() {
        double const values[] = {1, 2, -1, nan_value, std::numeric_limits<double>::infinity()};
        for (double const x : values)
            for (double const y : values) {
                a.push_back(x);
                b.push_back(y);
            }
    }
    std::vector<double> by(double (*f)(double, double)) const {
        std::vector<double> all;
        for (std::size_t k = 0; k < a.size(); ++k) all.push_back(f(a[k], b[k]));
        return all;
    }
};

plain_matrix<double> row_of(std::vector<double> const& values) {
    plain_matrix<double> m{1, std::int32_t(values.size())};
    for (std::size_t k = 0; k < values.size(); ++k) m.indices.push_back(std::int32_t(k));
    m.values = values;
    m.offsets.push_back(std::int32_t(values.size()));
    return m;
}

void check_same(std::vector<double> const& got, std::vector<double> const& expected) {
    REQUIRE(got.size() == expected.size());
    for (std::size_t k = 0; k < got.size(); ++k) {
        CAPTURE(k);
        CHECK((got[k] == expected[k] || (std::isnan(got[k]) && std::isnan(expected[k]))));
    }
}

template <executor Executor, class Op>
void check_elementwise(Executor const& exec, Op const& op, std::vector<double> const& expected) {
    pairs const p;
    auto const a = row_of(p.a).on(exec), b = row_of(p.b).on(exec);
    check_same(plain(exec, ewise_add(exec, op, a.view(), b.view())).values, expected);
    check_same(plain(exec, ewise_mult(exec, op, a.view(), b.view())).values, expected);
    check_same(plain(exec, ewise_union(exec, op, a.view(), 0, b.view(), 0)).values, expected);
    auto c = row_of(p.a).on(exec); // as an accumulator
    update(exec, c, no_mask{}, op, b);
    check_same(plain(exec, c).values, expected);
}

/// Tuples added one by one at the same position.
template <executor Executor, class Op>
void check_duplicates(Executor const& exec, Op const& op, std::vector<double> const& expected) {
    pairs const p;
    std::vector<std::int32_t> rows, columns;
    std::vector<double> values;
    for (std::size_t k = 0; k < p.a.size(); ++k)
        for (double const v : {p.a[k], p.b[k]}) {
            rows.push_back(0);
            columns.push_back(std::int32_t(k));
            values.push_back(v);
        }
    auto const i = exec.copy(rows), j = exec.copy(columns);
    auto const x = exec.copy(values);
    auto const n = std::int32_t(p.a.size());
    check_same(plain(exec, build(exec, 1, n, i.view(), j.view(), x.view(), op)).values, expected);
    auto w = exec.copy(p.a);
    auto const second = exec.copy(p.b);
    std::vector<std::int32_t> every(p.a.size());
    for (std::size_t k = 0; k < every.size(); ++k) every[k] = std::int32_t(k);
    auto const at = exec.copy(every);
    scatter(exec, dense_vector_view<double>{w.view(), {}}, op, at.view(), second.view());
    check_same(to_vector(exec, w), expected);
}

/// Folds of a whole matrix and of rows begin with the identity.
template <executor Executor, class Add>
void check_reductions(Executor const& exec, Add const& add, double (*f)(double, double)) {
    for (int position = 0; position < 3; ++position) {
        std::vector<double> values{3, 2, 4};
        values[std::size_t(position)] = nan_value;
        double expected = add.identity();
        for (double const v : values) expected = f(expected, v);
        auto const a = row_of(values).on(exec);
        CHECK(reduce_to_scalar(exec, add, a.view()) == expected);
        CHECK(to_vector(exec, reduce_to_vector(exec, add, a.view()).values())[0] == expected);
    }
    auto const no_numbers = row_of({nan_value, nan_value}).on(exec);
    CHECK(reduce_to_scalar(exec, add, no_numbers.view()) == add.identity());
}

} // namespace

TEST_CASE_TEMPLATE("min and max ignore a NaN operand in every operation", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    double (*const fmin)(double, double) = [](double a, double b) { return std::fmin(a, b); };
    double (*const fmax)(double, double) = [](double a, double b) { return std::fmax(a, b); };
    auto const smaller = pairs().by(fmin), larger = pairs().by(fmax);
    check_elementwise(exec, op::min<double>{}, smaller);
    check_elementwise(exec, op::max<double>{}, larger);
    check_elementwise(exec, add_min<double>{}, smaller);
    check_elementwise(exec, add_max<double>{}, larger);
    check_duplicates(exec, op::min<double>{}, smaller);
    check_duplicates(exec, op::max<double>{}, larger);
    check_duplicates(exec, add_min<double>{}, smaller);
    check_duplicates(exec, add_max<double>{}, larger);
    check_reductions(exec, add_min<double>{}, fmin);
    check_reductions(exec, add_max<double>{}, fmax);
}

TEST_CASE_TEMPLATE("max-min products ignore NaN operands", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    pairs const p;
    // One entry per row: y_i = max(-infinity, min(a_i, x_0)) for every x_0.
    std::vector<std::int32_t> offsets, columns(p.a.size(), 0);
    for (std::size_t k = 0; k <= p.a.size(); ++k) offsets.push_back(std::int32_t(k));
    csr<double> const a(std::int32_t(p.a.size()), 1, exec.copy(offsets), exec.copy(columns), exec.copy(p.a));
    auto const plan = make_srcsr_plan(exec, a.view());
    for (double const x0 : {1.5, nan_value}) {
        auto const x = exec.copy(std::vector<double>{x0});
        auto y = exec.copy(std::vector<double>(p.a.size()));
        semiring_spmv(exec, plan, max_min<double>{}, a.view(), x.view(), y.view());
        std::vector<double> expected;
        for (double const v : p.a) expected.push_back(std::fmax(add_max<double>{}.identity(), std::fmin(v, x0)));
        check_same(to_vector(exec, y), expected);
    }
}
