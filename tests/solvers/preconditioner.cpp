// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>

#include <limits>
#include <numeric>

#include "solvers/dense.hpp"
#include "support/executors.hpp"
#include <coppice/algebra/generators.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

/// M of a preconditioner: M^-1 by columns, inverted by LAPACK.
template <class Executor, class M>
dense matrix_of(Executor const& exec, M const& m, int n) {
    dense inverse(n);
    for (int j = 0; j < n; ++j) {
        std::vector<double> unit(static_cast<std::size_t>(n));
        unit[std::size_t(j)] = 1;
        auto const r = exec.copy(unit);
        buffer<double> z(exec, n);
        m.apply(exec, r.view(), z.view());
        auto const column = to_vector(exec, z);
        for (int i = 0; i < n; ++i) inverse(i, j) = column[std::size_t(i)];
    }
    dense result(n);
    for (int j = 0; j < n; ++j) {
        std::vector<double> unit(static_cast<std::size_t>(n));
        unit[std::size_t(j)] = 1;
        auto const column = lapack_solve(inverse, unit);
        for (int i = 0; i < n; ++i) result(i, j) = column[std::size_t(i)];
    }
    return result;
}

/// Checks that M is made of entries of A: the diagonal, and a set of edges that is a linear forest. Returns the share
/// of |A|'s off-diagonal weight that M holds.
double check_linear_forest(dense const& m, dense const& a) {
    std::vector<int> root(static_cast<std::size_t>(a.n));
    std::iota(root.begin(), root.end(), 0);
    auto const find = [&](int v) {
        while (root[std::size_t(v)] != v) v = root[std::size_t(v)];
        return v;
    };
    double covered = 0, all = 0;
    for (int i = 0; i < a.n; ++i) {
        CHECK(m(i, i) == doctest::Approx(a(i, i)));
        int degree = 0;
        for (int j = 0; j < a.n; ++j) {
            if (i == j) continue;
            all += std::abs(a(i, j));
            bool const edge = std::abs(m(i, j)) > 1e-9 || std::abs(m(j, i)) > 1e-9;
            if (!edge) continue;
            ++degree;
            covered += std::abs(a(i, j));
            CHECK(m(i, j) == doctest::Approx(a(i, j)).epsilon(1e-8));
            if (j < i) continue;
            CHECK(find(i) != find(j)); // no cycle
            root[std::size_t(find(i))] = find(j);
        }
        CHECK(degree <= 2);
    }
    return all > 0 ? covered / all : 1;
}

/// The pattern of `a` with new random values, diagonally dominant.
dense revalued(dense const& a, unsigned seed) {
    dense b = random_matrix(a.n, false, seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> value(0.1, 1);
    for (int i = 0; i < a.n; ++i) {
        double sum = 0.1;
        for (int j = 0; j < a.n; ++j) sum += std::abs(b(i, j) = a(i, j) != 0 && i != j ? -value(random) : 0);
        b(i, i) = sum;
    }
    return b;
}

} // namespace

TEST_CASE_TEMPLATE("jacobi divides by the diagonal", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto m = random_matrix(40, false, 3);
    auto const a = exec.copy(to_csr<double>(m));
    auto const r = random_vector<double>(40, 1);
    auto const right = exec.copy(r);
    buffer<double> z(exec, 40);
    auto const jacobi = make_preconditioner(exec, "jacobi", a.view());
    jacobi.apply(exec, right.view(), z.view());
    for (int i = 0; i < 40; ++i)
        CHECK(to_vector(exec, z)[std::size_t(i)] == doctest::Approx(r[std::size_t(i)] / m(i, i)));
    CHECK_THROWS_AS(jacobi.apply(exec, right.view().slice(0, 39), z.view()), dimension_error);

    m(23, 23) = 0; // not stored
    m(31, 31) = 0;
    auto const holes = exec.copy(to_csr<double>(m));
    CHECK_THROWS_WITH_AS(make_preconditioner(exec, "jacobi", holes.view()),
                         "row 23 has a zero diagonal entry, or none; the Jacobi preconditioner needs every one",
                         matrix_error);
}

TEST_CASE_TEMPLATE("tridiagonal is the tridiagonal part", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const n : {1, 2, 3, 65, 150}) {
        auto a = random_matrix(n, false, 3);
        for (int i = 1; i < n; ++i) a(i, i - 1) = -0.1 * i / n;
        auto part = a;
        double beside = 0, all = 0;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                if (std::abs(i - j) > 1) part(i, j) = 0;
                if (std::abs(i - j) == 1) beside += std::abs(a(i, j));
                if (i != j) all += std::abs(a(i, j));
            }
        auto const local = exec.copy(to_csr<double>(a));
        auto const m = make_preconditioner(exec, "tridiagonal", local.view());
        auto const r = random_vector<double>(n, 1);
        auto const right = exec.copy(r);
        buffer<double> z(exec, n);
        m.apply(exec, right.view(), z.view());
        auto const expected = lapack_solve(part, r);
        for (int i = 0; i < n; ++i)
            CHECK(to_vector(exec, z)[std::size_t(i)] == doctest::Approx(expected[std::size_t(i)]));
        CHECK(m.report().weight_coverage == doctest::Approx(all > 0 ? beside / all : 1));
        CHECK(m.forest() == nullptr);
    }
}

TEST_CASE_TEMPLATE("forest holds the entries of A along a linear forest", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const n : {1, 2, 3, 20, 70}) {
        for (bool const symmetric : {true, false}) {
            CAPTURE(n);
            CAPTURE(symmetric);
            auto const a = random_matrix(n, symmetric, unsigned(n) + 1);
            auto const local = exec.copy(to_csr<double>(a));
            auto m = make_preconditioner(exec, "forest", local.view());
            double const covered = check_linear_forest(matrix_of(exec, m, n), a);
            CHECK(covered == doctest::Approx(m.report().weight_coverage).epsilon(1e-6));
            CHECK(m.report().paths >= 1);
            CHECK(m.report().longest_path <= n);
            CHECK(m.report().setup_seconds > 0);
            REQUIRE(m.forest() != nullptr);
            CHECK(m.forest()->paths == m.report().paths);

            // New values: the same edges, the new coefficients.
            auto const b = revalued(a, 99);
            auto const values = to_csr<double>(b);
            auto const fresh = exec.copy(values);
            if (values.nonzeros() == local.nonzeros()) {
                auto const before = matrix_of(exec, m, n);
                m.refresh(exec, fresh.view());
                auto const after = matrix_of(exec, m, n);
                check_linear_forest(after, b);
                for (int i = 0; i < n; ++i)
                    for (int j = 0; j < n; ++j)
                        if (std::abs(before(i, j)) > 1e-9) CHECK(std::abs(after(i, j)) > 1e-9);
            }
        }
    }
}

TEST_CASE_TEMPLATE("refresh with the same values is the same preconditioner, to the bit", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = exec.copy(generate<double>(host_executor{1}, "aniso2", {.nx = 70}));
    auto const doubled = [&] {
        auto twice = generate<double>(host_executor{1}, "aniso2", {.nx = 70});
        for (double& v : twice.values()) v *= 2;
        return exec.copy(twice);
    }();
    auto const r = exec.copy(random_vector<double>(a.rows(), 1));
    for (auto const name : preconditioner_names) {
        CAPTURE(name);
        auto const apply = [&](auto const& m) {
            buffer<double> z(exec, a.rows());
            m.apply(exec, r.view(), z.view());
            return to_vector(exec, z);
        };
        auto const fresh = make_preconditioner(exec, name, a.view());
        auto again = make_preconditioner(exec, name, doubled.view());
        if (name != "none") CHECK(apply(again) != apply(fresh));
        again.refresh(exec, a.view());
        CHECK(apply(again) == apply(fresh));

        auto const other = exec.copy(generate<double>(host_executor{1}, "aniso2", {.nx = 69}));
        if (name != "none") CHECK_THROWS_AS(again.refresh(exec, other.view()), dimension_error);
        CHECK(apply(again) == apply(fresh));
    }
}

TEST_CASE_TEMPLATE("a path in any order is solved directly", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    int const n = 90;
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(5));
    dense a(n);
    for (int i = 0; i < n; ++i) {
        a(order[std::size_t(i)], order[std::size_t(i)]) = 2.5;
        if (i > 0) a(order[std::size_t(i)], order[std::size_t(i - 1)]) = -1;
        if (i > 0) a(order[std::size_t(i - 1)], order[std::size_t(i)]) = -1.2;
    }
    auto const local = exec.copy(to_csr<double>(a));
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const m = make_preconditioner(exec, "forest", local.view(), {.factor = {.rounds = 0}});
    CHECK(m.report().paths == 1);
    CHECK(m.report().longest_path == n);
    CHECK(m.report().weight_coverage == doctest::Approx(1));
    csr_operator<Executor, double> const op(exec, local.view());
    auto const b = exec.copy(random_vector<double>(n, 1));
    auto x = exec.copy(std::vector<double>(n));
    auto const result = solve(exec, "gmres", op, m, b.view(), x.view(), {.tolerance = 1e-12});
    CHECK(result.converged);
    CHECK(result.iterations == 1);
}

TEST_CASE_TEMPLATE("strong couplings across the numbering: the forest beats jacobi and tridiagonal", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const a = exec.copy(generate<double>(host_executor{1}, "laplace3d", {.nx = 20, .wy = 40}));
    csr_operator<Executor, double> const op(exec, a.view());
    auto const b = exec.copy(random_vector<double>(a.rows(), 1));
    auto const iterations = [&](std::string_view name) {
        auto x = exec.copy(std::vector<double>(std::size_t(a.rows())));
        auto const result = solve(exec, "bicgstab", op, make_preconditioner(exec, name, a.view()), b.view(), x.view());
        CHECK(result.converged);
        return result.iterations;
    };
    auto const forest = iterations("forest");
    CHECK(2 * forest < iterations("jacobi"));
    CHECK(2 * forest < iterations("tridiagonal"));
}

TEST_CASE_TEMPLATE("bad input of preconditioners", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto m = random_matrix(6, true, 1);
    auto const a = exec.copy(to_csr<double>(m));
    CHECK_THROWS_WITH_AS(make_preconditioner(exec, "ilu", a.view()),
                         "unknown preconditioner \"ilu\", expected one of: none, jacobi, tridiagonal, forest",
                         argument_error);
    csr_view<double> wide = a.view();
    wide.column_count = 7;
    for (auto const name : preconditioner_names)
        CHECK_THROWS_AS(make_preconditioner(exec, name, wide), dimension_error);
    CHECK_THROWS_AS(make_preconditioner(exec, "forest", a.view(), {.factor = {.rounds = -1}}), argument_error);
    m(2, 3) = std::numeric_limits<double>::quiet_NaN();
    auto const poisoned = exec.copy(to_csr<double>(m));
    CHECK_THROWS_AS(make_preconditioner(exec, "forest", poisoned.view()), matrix_error);
    // No rows at all.
    auto const empty = exec.copy(to_csr<double>(dense(0)));
    for (auto const name : preconditioner_names) {
        auto const none = make_preconditioner(exec, name, empty.view());
        none.apply(exec, array_view<double const>{}, array_view<double>{});
    }
}
