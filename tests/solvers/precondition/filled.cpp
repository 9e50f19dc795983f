// SPDX-License-Identifier: BSD-3-Clause
// ILUT and ILU(k).
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>

#include <algorithm>
#include <climits>
#include <limits>
#include <string>
#include <vector>

#include "solvers/dense.hpp"
#include "support/executors.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// A saddle point matrix (K B; B^T 0) with `small` zeros on the diagonal.
dense saddle_point(int n, int small, unsigned seed) {
    auto m = random_matrix(n, true, seed);
    for (int i = n - small; i < n; ++i) {
        for (int j = n - small; j < n; ++j) m(i, j) = 0;
        m(i, i - small) = m(i - small, i) = 1 + 0.1 * (i % 7);
    }
    return m;
}

/// Largest difference of M and A, relative to the largest element of A, where use(i, j); M is inverted by LAPACK.
template <class Executor, class M, class Use>
double difference(Executor const& exec, M const& m, dense const& a, Use use) {
    dense const inverse = inverse_of(exec, m, a.n);
    double max_error = 0, largest = 0;
    for (int j = 0; j < a.n; ++j) {
        std::vector<double> basis(static_cast<std::size_t>(a.n));
        basis[std::size_t(j)] = 1;
        auto const column = lapack_solve(inverse, basis);
        for (int i = 0; i < a.n; ++i) {
            if (use(i, j)) max_error = std::max(max_error, std::abs(column[std::size_t(i)] - a(i, j)));
            largest = std::max(largest, std::abs(a(i, j)));
        }
    }
    return max_error / largest;
}
bool everywhere(int, int) { return true; }

/// Levels of fill from their definition (Saad, Iterative Methods for Sparse Linear Systems, definition 10.5).
std::vector<std::vector<int>> levels_of_fill(dense const& a, int max_level) {
    std::vector<std::vector<int>> level(std::size_t(a.n), std::vector<int>(std::size_t(a.n), INT_MAX / 4));
    for (int i = 0; i < a.n; ++i)
        for (int j = 0; j < a.n; ++j)
            if (a(i, j) != 0 || i == j) level[std::size_t(i)][std::size_t(j)] = 0;
    for (std::size_t i = 1; i < level.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) {
            if (level[i][k] > max_level) continue;
            for (std::size_t j = k + 1; j < level.size(); ++j)
                level[i][j] = std::min(level[i][j], level[i][k] + level[k][j] + 1);
        }
    return level;
}

} // namespace

TEST_CASE_TEMPLATE("ilut: without dropping it is A, also with zeros on the diagonal", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    dense cycle(30); // a permutation
    for (int i = 0; i < 30; ++i) cycle(i, (i + 1) % 30) = 1 + i % 3;
    for (auto const& sample : {random_matrix(1, false, 1), random_matrix(2, false, 1), random_matrix(70, false, 2),
                               random_matrix(65, true, 3), saddle_point(60, 20, 4), cycle}) {
        CAPTURE(sample.n);
        auto const a = exec.copy(to_csr<double>(sample));
        for (auto const* const more : {"", ",order=given", ",order=degree,matching=yes", ",pivot=1,matching=no"}) {
            CAPTURE(more);
            auto m = make_preconditioner(exec, std::string("ilut,drop=0,fill=1000") + more, a.view());
            CHECK(difference(exec, m, sample, everywhere) < 1e-9);
            CHECK(m.report().number("replaced_pivots") == 0);
            auto other = sample;
            for (double& value : other.a) value *= -5;
            m.refresh(exec, view_of(exec.copy(to_csr<double>(other))));
            CHECK(difference(exec, m, other, everywhere) < 1e-9);
        }
    }
    auto const single = exec.copy(to_csr<float>(random_matrix(70, false, 2)));
    auto const m = make_preconditioner(exec, "ilut,drop=0,fill=1000", single.view());
    auto const b = random_vector<float>(70, 3);
    auto const right = exec.copy(b);
    buffer<float> z(exec, 70);
    m.apply(exec, right.view(), z.view());
    auto const expected = lapack_solve(random_matrix(70, false, 2), std::vector<double>(b.begin(), b.end()));
    for (int i = 0; i < 70; ++i)
        CHECK(double(to_vector(exec, z)[std::size_t(i)]) == doctest::Approx(expected[std::size_t(i)]).epsilon(1e-3));
}

TEST_CASE_TEMPLATE("iluk: level 0 is ilu0, and M = A where the level of fill is small enough", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (unsigned const seed : {1U, 2U}) {
        auto const sample = random_matrix(60, false, seed);
        auto const a = exec.copy(to_csr<double>(sample));
        auto const exact = make_preconditioner(exec, "ilu0,factor-scheme=exact,solve-scheme=exact", a.view());
        auto const zero = make_preconditioner(exec, "iluk,level=0,order=given,matching=no", a.view());
        auto const r = random_vector<double>(60, 5);
        auto const expected = apply(exec, exact, r), found = apply(exec, zero, r);
        for (std::size_t i = 0; i < r.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-10));
        double before = 0;
        for (int const level : {0, 1, 2, 4}) {
            auto const m =
                make_preconditioner(exec, "iluk,order=given,matching=no,level=" + std::to_string(level), a.view());
            auto const levels = levels_of_fill(sample, level);
            auto const in_pattern = [&](int i, int j) { return levels[std::size_t(i)][std::size_t(j)] <= level; };
            CHECK(difference(exec, m, sample, in_pattern) < 1e-10);
            std::int64_t count = 0; // elements that are zero by value are not stored
            for (int i = 0; i < 60; ++i)
                for (int j = 0; j < 60; ++j) count += in_pattern(i, j);
            CHECK(m.report().number("factor_nonzeros") <= double(count));
            CHECK(m.report().number("factor_nonzeros") > before);
            before = m.report().number("factor_nonzeros");
        }
    }
}

TEST_CASE_TEMPLATE("ilut: smaller thresholds give more fill and fewer iterations", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const sample = saddle_point(300, 80, 6);
    auto const a = exec.copy(to_csr<double>(sample));
    auto const b = random_vector<double>(300, 7);
    auto const right = exec.copy(b);
    double fill = 0;
    std::int64_t iterations = std::numeric_limits<std::int64_t>::max();
    for (auto const* const drop : {"0.1", "0.01", "1e-4"}) {
        CAPTURE(drop);
        auto const m = make_preconditioner(exec, std::string("ilut,fill=100,drop=") + drop, a.view());
        auto x = exec.copy(std::vector<double>(300, 0.0));
        auto const found = solve(exec, "gmres", csr_operator(exec, a), m, right.view(), x.view(),
                                 {.tolerance = 1e-10, .max_iterations = 300, .restart = 300});
        CHECK(found.converged);
        CHECK(found.iterations <= iterations);
        CHECK(m.report().number("fill") >= fill);
        CHECK(m.report().number("matched") == 1);
        iterations = found.iterations;
        fill = m.report().number("fill");
    }
    CHECK(iterations <= 12);
    auto const thin = make_preconditioner(exec, "ilut,fill=1,drop=0", a.view());
    CHECK(thin.report().number("fill") <= 3); // of L, of U and the diagonal
}

TEST_CASE_TEMPLATE("ilut: bad input is an error, and singular matrices give finite vectors", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto sample = random_matrix(40, false, 1);
    sample(3, 4) = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(make_preconditioner(exec, "ilut", view_of(exec.copy(to_csr<double>(sample)))), matrix_error);
    sample = random_matrix(40, false, 1);
    for (int j = 0; j < 40; ++j) sample(7, j) = 0;
    auto const empty_row = exec.copy(to_csr<double>(sample));
    CHECK_THROWS_WITH_AS(make_preconditioner(exec, "ilut,matching=yes", empty_row.view()),
                         doctest::Contains("use matching=no"), matrix_error);
    for (auto const* const name : {"ilut", "iluk", "ilut,drop=0,fill=100"}) {
        CAPTURE(name);
        auto const m = make_preconditioner(exec, name, empty_row.view());
        for (double const value : apply(exec, m, random_vector<double>(40, 2))) CHECK(std::isfinite(value));
        dense graph(40); // singular: all row sums are zero
        for (int i = 0; i < 40; ++i) {
            graph(i, i) = 2;
            graph(i, (i + 1) % 40) = graph((i + 1) % 40, i) = -1;
        }
        auto const cycle = make_preconditioner(exec, name, view_of(exec.copy(to_csr<double>(graph))));
        for (double const value : apply(exec, cycle, random_vector<double>(40, 2))) CHECK(std::isfinite(value));
        auto const nothing = make_preconditioner(exec, name, view_of(exec.copy(to_csr<double>(dense(0)))));
        CHECK(apply(exec, nothing, {}).empty());
    }
    CHECK_THROWS_AS(make_preconditioner(exec, "ilut,drop=2", empty_row.view()), argument_error);
    CHECK_THROWS_AS(make_preconditioner(exec, "iluk,level=-1", empty_row.view()), argument_error);
}
