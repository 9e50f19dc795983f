// SPDX-License-Identifier: BSD-3-Clause
// ILU(0), IC(0), approximate inverses of their factors, and diagonal preconditioners, compared with dense definitions.
#include <coppice/krylov.hpp>
#include <coppice/preconditioner_classes.hpp>

#include <algorithm>
#include <limits>

#include "solvers/dense.hpp"
#include "support/executors.hpp"
#include <coppice/algebra/generate/generators.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

/// A strict triangle of the factors with the given diagonal, as a dense matrix.
template <class Executor>
dense dense_triangle(Executor const& exec, csr_view<double> t, std::vector<double> const& diagonal) {
    auto const offsets = to_vector(exec, t.row_offsets()), columns = to_vector(exec, t.column_indices());
    auto const values = to_vector(exec, t.values());
    dense m(t.rows());
    for (int i = 0; i < m.n; ++i) {
        m(i, i) = diagonal[std::size_t(i)];
        for (int k = offsets[std::size_t(i)]; k < offsets[std::size_t(i) + 1]; ++k)
            m(i, columns[std::size_t(k)]) = values[std::size_t(k)];
    }
    return m;
}

struct dense_factors {
    dense lower, upper;
};
template <class Executor>
dense_factors factors_of(Executor const& exec, ilu_factors<Executor, double> const& f) {
    std::size_t const n = std::size_t(f.size());
    auto pivots = to_vector(exec, array_view<double const>{f.inverse_pivots(), f.size()});
    for (double& pivot : pivots) pivot = 1 / pivot;
    return {dense_triangle(exec, f.lower(), std::vector<double>(n, 1)), dense_triangle(exec, f.upper(), pivots)};
}

template <class Executor, class M>
std::vector<double> applied(Executor const& exec, M const& m, std::vector<double> const& r) {
    auto const right = exec.copy(r);
    buffer<double> z(exec, right.size());
    m.apply(exec, right.view(), z.view());
    return to_vector(exec, z);
}

bool all_finite(std::vector<double> const& x) {
    return std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
}

void check_near(std::vector<double> const& a, std::vector<double> const& b, double tolerance) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::abs(a[i] - b[i]) <= tolerance * (1 + std::abs(b[i])));
}

constexpr ilu_options exact{.factor = ilu_scheme::exact, .solve = ilu_scheme::exact};

} // namespace

TEST_CASE_TEMPLATE("ilu0: L U is A on its pattern, exactly and in the limit of sweeps", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const n : {1, 2, 5, 30, 60})
        for (bool const symmetric : {false, true}) {
            CAPTURE(n);
            CAPTURE(symmetric);
            auto const a = random_matrix(n, symmetric, unsigned(n));
            auto const local = exec.copy(to_csr<double>(a));
            ilu_factors const f(exec, local.view(), exact);
            auto const whole = factors_of(exec, f);
            auto const lu = product(whole.lower, whole.upper);
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) {
                    if (a(i, j) != 0)
                        CHECK(lu(i, j) == doctest::Approx(a(i, j)));
                    else
                        CHECK((whole.lower(i, j) == 0 && whole.upper(i, j) == 0));
                }
            CHECK(f.shift() == 0);
            // Dependency chains between entries have at most n entries.
            ilu_options many{.factor = ilu_scheme::sweeps, .solve = ilu_scheme::exact, .factor_sweeps = 2 * n};
            auto const swept = factors_of(exec, ilu_factors(exec, local.view(), many));
            check_near(swept.lower.a, whole.lower.a, 1e-13);
            check_near(swept.upper.a, whole.upper.a, 1e-13);
        }
}

TEST_CASE_TEMPLATE("ilu0: solves with its factors, by sweeps too", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    int const n = 50;
    auto const local = exec.copy(to_csr<double>(random_matrix(n, false, 7)));
    auto const r = random_vector<double>(n, 3);
    ilu_preconditioner const m(exec, local.view(), exact);
    auto const whole = factors_of(exec, m.factors());
    auto const expected = lapack_solve(product(whole.lower, whole.upper), r);
    check_near(applied(exec, m, r), expected, 1e-12);
    // A strict triangle is nilpotent: n sweeps are exact.
    ilu_options by_sweeps = exact;
    by_sweeps.solve = ilu_scheme::sweeps;
    for (int const sweeps : {n, n + 1}) {
        by_sweeps.solve_sweeps = sweeps;
        check_near(applied(exec, ilu_preconditioner(exec, local.view(), by_sweeps), r), expected, 1e-12);
    }
    by_sweeps.solve_sweeps = 0; // D^-1 r
    auto const once = applied(exec, ilu_preconditioner(exec, local.view(), by_sweeps), r);
    for (int i = 0; i < n; ++i) CHECK(once[std::size_t(i)] == doctest::Approx(r[std::size_t(i)] / whole.upper(i, i)));
}

TEST_CASE_TEMPLATE("ilu0 without dropped fill is a direct solver", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    dense full(20);
    for (int i = 0; i < 20; ++i)
        for (int j = 0; j < 20; ++j) full(i, j) = i == j ? 25 : 1.0 / (1 + i + 2 * j);
    dense band(300);
    for (int i = 0; i < 300; ++i) {
        band(i, i) = 2.5;
        if (i > 0) band(i, i - 1) = -1, band(i - 1, i) = -1.3;
    }
    for (dense const& a : {full, band}) {
        auto const local = exec.copy(to_csr<double>(a));
        csr_operator<Executor, double> const op(exec, local.view());
        auto const b = exec.copy(random_vector<double>(a.n, 1));
        for (auto const name : {"ilu0,factor-scheme=exact,solve-scheme=exact", "isai,factor-scheme=exact,power=8"}) {
            CAPTURE(name);
            if (a.n == 300 && name[1] == 's') continue;
            auto x = exec.copy(std::vector<double>(std::size_t(a.n)));
            auto const result = solve(exec, "gmres", op, make_preconditioner(exec, name, local.view()), b.view(),
                                      x.view(), {.tolerance = 1e-12});
            CHECK(result.converged);
            CHECK(result.iterations == 1);
        }
    }
}

TEST_CASE_TEMPLATE("ic0: symmetric and positive definite, for every scheme", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    int const n = 30;
    auto a = random_matrix(n, true, 5);
    for (int i = 0; i < n; ++i) a(i, i) *= 0.8; // pivots may be negative
    auto const local = exec.copy(to_csr<double>(a));
    for (auto const name : {"ic0", "ic0,factor-scheme=exact,solve-scheme=exact", "ic0,solve-scheme=sweeps",
                            "ic0,factor-scheme=sweeps,factor-sweeps=2,solve-scheme=sweeps,solve-sweeps=3"}) {
        CAPTURE(name);
        auto const m = make_preconditioner(exec, name, local.view());
        dense inverse(n);
        for (int j = 0; j < n; ++j) {
            std::vector<double> basis(std::size_t(n), 0);
            basis[std::size_t(j)] = 1;
            auto const column = applied(exec, m, basis);
            for (int i = 0; i < n; ++i) inverse(i, j) = column[std::size_t(i)];
        }
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < i; ++j) CHECK(inverse(i, j) == doctest::Approx(inverse(j, i)).epsilon(1e-10));
        CHECK(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, inverse.a.data(), n) == 0);
    }
    auto const unsymmetric = exec.copy(to_csr<double>(random_matrix(n, false, 5)));
    CHECK_THROWS_WITH_AS(make_preconditioner(exec, "ic0", unsymmetric.view()), doctest::Contains("needs a symmetric"),
                         matrix_error);
}

TEST_CASE_TEMPLATE("isai: M T is I on the pattern of a power of the triangle", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    int const n = 40;
    auto const local = exec.copy(to_csr<double>(random_matrix(n, false, 11)));
    ilu_factors const f(exec, local.view(), exact);
    auto const whole = factors_of(exec, f);
    for (int const power : {1, 2, 3}) {
        CAPTURE(power);
        auto const check = [&](auto& inverse, csr_view<double> t, double const* pivots, dense const& triangle) {
            inverse.make(exec, t, power);
            inverse.fill(exec, t, pivots);
            dense const m = dense_triangle(exec, inverse.matrix.view(), std::vector<double>(std::size_t(n), 0));
            // The pattern of |T|^power by dense products.
            dense ones(n), reached(n);
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) ones(i, j) = triangle(i, j) != 0 ? 1 : 0;
            reached = ones;
            for (int k = 1; k < power; ++k) reached = product(reached, ones);
            dense const should_be_identity = product(m, triangle);
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) {
                    if (reached(i, j) != 0)
                        CHECK(std::abs(should_be_identity(i, j) - (i == j ? 1 : 0)) < 1e-12);
                    else
                        CHECK(m(i, j) == 0);
                }
        };
        using Executor = std::remove_const_t<decltype(exec)>;
        detail::inverse_triangle<Executor, double, true> lower;
        check(lower, f.lower(), nullptr, whole.lower);
        detail::inverse_triangle<Executor, double, false> upper;
        check(upper, f.upper(), f.inverse_pivots(), whole.upper);
    }
}

TEST_CASE_TEMPLATE("incomplete factors: bad input gives an error or finite numbers", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::vector<std::pair<char const*, dense>> cases;
    auto const add = [&](char const* name, dense m) { cases.emplace_back(name, std::move(m)); };
    auto graph = random_matrix(20, true, 2);
    for (int i = 0; i < 20; ++i) graph(i, i) = 0;
    add("no diagonal", graph);
    add("nothing", dense(7));
    dense singular(3);
    for (double& value : singular.a) value = 1;
    add("singular", singular);
    dense indefinite(2);
    indefinite(0, 1) = indefinite(1, 0) = 1;
    indefinite(0, 0) = -1;
    add("indefinite", indefinite);
    dense one(1);
    one(0, 0) = 1e-300;
    add("one row", one);
    auto tiny = random_matrix(20, true, 4), huge = tiny;
    for (double& value : tiny.a) value *= 1e-290;
    for (double& value : huge.a) value *= 1e290;
    add("tiny", tiny);
    add("huge", huge);
    auto tilted = random_matrix(20, false, 6);
    for (int i = 0; i < 20; ++i) tilted(i, i) *= 1e-9;
    add("unsymmetric, nearly no diagonal", tilted);
    for (auto const& [name, m] : cases)
        for (auto const choice :
             {"ilu0", "ilu0,factor-scheme=exact,solve-scheme=exact", "ilu0,factor-scheme=sweeps,solve-scheme=sweeps",
              "ic0", "ic0,factor-scheme=sweeps,solve-scheme=sweeps", "isai", "isai,power=3", "diagp_0", "diagp_1",
              "diagp_2", "l1", "diagp_1,steps=3"}) {
            auto const& case_name = name;
            CAPTURE(case_name);
            CAPTURE(choice);
            auto const a = exec.copy(to_csr<double>(m));
            bool const symmetric = is_symmetric(exec, a.view());
            if (choice[1] == 'c' && !symmetric) continue;
            auto const p = make_preconditioner(exec, choice, a.view());
            CHECK(all_finite(applied(exec, p, random_vector<double>(m.n, 1))));
        }
    auto bad = random_matrix(20, true, 2);
    bad(3, 4) = bad(4, 3) = std::numeric_limits<double>::quiet_NaN();
    auto const poisoned = exec.copy(to_csr<double>(bad));
    for (auto const name : {"ilu0", "ic0", "isai", "diagp_0", "diagp_1", "diagp_2", "l1"})
        CHECK_THROWS_WITH_AS(make_preconditioner(exec, name, poisoned.view()),
                             doctest::Contains("row 3, column 4 holds"), matrix_error);
    // A row with a duplicate column.
    csr<double> const twice{1, 1, exec.copy(std::vector<std::int32_t>{0, 2}),
                            exec.copy(std::vector<std::int32_t>{0, 0}), exec.copy(std::vector<double>{1, 2})};
    CHECK_THROWS_AS(make_preconditioner(exec, "ilu0", twice.view()), matrix_error);
    // The report contains what was changed.
    auto const report = make_preconditioner(exec, "ilu0", view_of(exec.copy(to_csr<double>(graph)))).report();
    CHECK(report.number("added_diagonal_entries") == 20);
    CHECK(report.number("shift") > 0);
}

TEST_CASE_TEMPLATE("ilu0, ic0 and isai converge if no other preconditioner does", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const a = exec.copy(generate<double>(host_executor{1}, "laplace2d", {.nx = 40}));
    csr_operator<Executor, double> const op(exec, a.view());
    auto const b = exec.copy(random_vector<double>(a.rows(), 1));
    auto const iterations = [&](char const* method, char const* name) {
        auto x = exec.copy(std::vector<double>(std::size_t(a.rows())));
        auto const result = solve(exec, method, op, make_preconditioner(exec, name, a.view()), b.view(), x.view());
        CHECK(result.converged);
        return result.iterations;
    };
    auto const without = iterations("cg", "none");
    CHECK(2 * iterations("cg", "ic0,factor-scheme=exact,solve-scheme=exact") < without);
    CHECK(3 * iterations("cg", "ic0,factor-scheme=sweeps,solve-scheme=sweeps") < 2 * without);
    auto const plain = iterations("bicgstab", "none");
    CHECK(2 * iterations("bicgstab", "ilu0,factor-scheme=exact,solve-scheme=exact") < plain);
    CHECK(3 * iterations("bicgstab", "isai") < 2 * plain);
}

TEST_CASE_TEMPLATE("diagonal preconditioners are those of section 5.1.6", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    int const n = 25;
    auto a = random_matrix(n, false, 9);
    for (int i = 0; i < n; i += 3) a(i, i) *= -0.2;
    a(4, 4) = 0;
    for (int j = 0; j < n; ++j) a(7, j) = 0;
    auto const local = exec.copy(to_csr<double>(a));
    auto const r = random_vector<double>(n, 2);
    for (std::string const name : {"diagp_0", "diagp_1", "diagp_2", "l1"}) {
        CAPTURE(name);
        std::vector<double> d(std::size_t(n), 0);
        int regularised = 0;
        for (int i = 0; i < n; ++i) {
            double off_diagonal = 0;
            for (int j = 0; j < n; ++j) off_diagonal += i == j ? 0 : std::abs(a(i, j));
            double const here = a(i, i), sign = here < 0 ? -1 : 1;
            double const safe = sign * std::max(std::abs(here), off_diagonal);
            double& di = d[std::size_t(i)];
            di = name == "diagp_0"   ? here
                 : name == "diagp_1" ? safe
                 : name == "diagp_2" ? sign * (std::abs(here) + off_diagonal)
                                     : here + off_diagonal;
            regularised += di == 0 ? 1 : 0;
            if (di == 0) di = safe != 0 ? safe : 1;
        }
        for (int const steps : {1, 2, 3, 4}) {
            CAPTURE(steps);
            auto const m = make_preconditioner(exec, name, local.view(), {{"steps", steps}});
            std::vector<double> z(std::size_t(n), 0);
            for (int step = 0; step < steps; ++step) {
                auto next = z;
                for (int i = 0; i < n; ++i) {
                    double rest = r[std::size_t(i)];
                    for (int j = 0; j < n; ++j) rest -= a(i, j) * z[std::size_t(j)];
                    next[std::size_t(i)] += rest / d[std::size_t(i)];
                }
                z = next;
            }
            check_near(applied(exec, m, r), z, 1e-11);
            CHECK(m.report().number("mended_rows") == regularised);
            if (steps > 1) continue;
            for (double& value : z) value = std::abs(value);
            auto positive = applied(exec, make_preconditioner(exec, name, local.view(), {{"sign", "positive"}}), r);
            for (std::size_t i = 0; i < r.size(); ++i) CHECK(positive[i] * r[i] >= 0);
            for (double& value : positive) value = std::abs(value);
            check_near(positive, z, 1e-11);
        }
    }
}

TEST_CASE_TEMPLATE("steps that diverge are taken as long as numbers stay within range", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    int const n = 30;
    auto a = random_matrix(n, false, 8);
    for (int i = 0; i < n; i += 2) a(i, i) *= 1e-3;
    auto const local = exec.copy(to_csr<double>(a));
    auto const sound = exec.copy(to_csr<double>(random_matrix(n, false, 8)));
    for (std::string const name : {"diagp_0", "diagp_1", "diagp_2", "l1"}) {
        CAPTURE(name);
        auto m = make_preconditioner(exec, name, local.view(), {{"steps", 1000}});
        CHECK(all_finite(applied(exec, m, random_vector<double>(n, 2))));
        CHECK(m.report().number("steps_taken") < 1000);
        CHECK(m.report().number("steps_taken") >= 1);
        m.refresh(exec, sound.view());
        CHECK(m.report().number("steps_taken") == 1000);
    }
}
