// SPDX-License-Identifier: BSD-3-Clause
// Eigenpairs compared with LAPACK (sygv) and with closed forms, and shifted systems with their definition.
#include <coppice/eigenpairs.hpp>
#include <coppice/krylov.hpp>
#include <coppice/shifted_systems.hpp>

#include <cmath>
#include <limits>

#include <lapacke.h>

#include "solvers/dense.hpp"
#include "support/executors.hpp"
#include <coppice/algebra/convert.hpp>
#include <coppice/algebra/generate/generators.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

/// Eigenvalues of A x = lambda B x by LAPACK.
std::vector<double> all_eigenvalues(dense const& a, dense const& b) {
    std::vector<double> x, y, values(static_cast<std::size_t>(a.n));
    for (int j = 0; j < a.n; ++j)
        for (int i = 0; i < a.n; ++i) x.push_back(a(i, j)), y.push_back(b(i, j));
    REQUIRE(LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'N', 'U', a.n, x.data(), a.n, y.data(), a.n, values.data()) == 0);
    return values;
}
dense identity(int n) {
    dense m(n);
    for (int i = 0; i < n; ++i) m(i, i) = 1;
    return m;
}

/// The largest |A x - lambda B x| over the pairs, relative to the largest element of A, and |X^T B X - I|.
double defect(dense const& a, dense const& b, eigen_result const& found, std::vector<double> const& x) {
    int const n = a.n, count = int(found.values.size());
    double worst = 0, largest = 0;
    std::vector<double> bx(x.size(), 0.0);
    for (int j = 0; j < count; ++j)
        for (int i = 0; i < n; ++i) {
            double ax = 0;
            for (int k = 0; k < n; ++k) {
                ax += a(i, k) * x[std::size_t(j * n + k)];
                bx[std::size_t(j * n + i)] += b(i, k) * x[std::size_t(j * n + k)];
                largest = std::max(largest, std::abs(a(i, k)));
            }
            worst = std::max(worst, std::abs(ax - found.values[std::size_t(j)] * bx[std::size_t(j * n + i)]));
        }
    if (largest > 0) worst /= largest;
    for (int j = 0; j < count; ++j)
        for (int k = 0; k < count; ++k) {
            double sum = 0;
            for (int i = 0; i < n; ++i) sum += x[std::size_t(j * n + i)] * bx[std::size_t(k * n + i)];
            worst = std::max(worst, std::abs(sum - (j == k ? 1 : 0)));
        }
    return worst;
}

template <class Executor>
std::pair<eigen_result, std::vector<double>>
pairs_of(Executor const& exec, csr<double> const& a, char const* name, int count, eigen_options const& options,
         csr<double> const& b = {}, std::vector<double> const& constraints = {}, unsigned seed = 3) {
    auto const matrix = exec.copy(a);
    auto const mass = b.rows() > 0 ? exec.copy(b) : csr<double>{};
    auto const m = make_preconditioner(exec, name, matrix.view());
    auto x = exec.copy(random_vector<double>(int(a.rows()) * count, seed));
    auto const y = exec.copy(constraints);
    auto found = lobpcg(exec, matrix.view(), m, x.view(), count, options,
                        b.rows() > 0 ? mass.view() : csr_view<double>{}, array_view<double const>(y.view()));
    return {std::move(found), to_vector(exec, x)};
}

} // namespace

TEST_CASE_TEMPLATE("lobpcg: eigenpairs as LAPACK", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (unsigned seed = 1; seed <= 4; ++seed) {
        auto const a = random_matrix(60, true, seed);
        auto mass = random_matrix(60, true, seed + 10);
        for (int i = 0; i < 60; ++i) mass(i, i) += 1;
        for (bool const generalised : {false, true}) {
            dense const b = generalised ? mass : identity(60);
            auto const expected = all_eigenvalues(a, b);
            for (auto const name : {"none", "jacobi", "forest"})
                for (bool const largest : {false, true}) {
                    CAPTURE(name);
                    CAPTURE(largest);
                    if (largest && std::string(name) != "none") continue; // a preconditioner is for the smallest
                    auto const [found, x] = pairs_of(exec, to_csr<double>(a), name, 5,
                                                     {.tolerance = 1e-9, .max_iterations = 2000, .largest = largest},
                                                     generalised ? to_csr<double>(mass) : csr<double>{});
                    CHECK(found.converged);
                    for (std::size_t j = 0; j < 5; ++j)
                        CHECK(found.values[j] == doctest::Approx(expected[largest ? 59 - j : j]).epsilon(1e-8));
                    CHECK(defect(a, b, found, x) <= 1e-7);
                }
        }
    }
}

TEST_CASE_TEMPLATE("lobpcg: Laplacians with the multilevel method and a null space", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    int const nx = 60;
    auto const a = generate<double>(host_executor{1}, "laplace2d", {.nx = nx});
    auto const [found, x] = pairs_of(exec, a, "multilevel", 6, {.tolerance = 1e-8, .max_iterations = 60});
    CHECK(found.converged);
    std::vector<double> expected; // 4 - 2 cos - 2 cos
    double const step = std::acos(-1.0) / (nx + 1);
    for (int i = 1; i <= nx; ++i)
        for (int j = 1; j <= nx; ++j) expected.push_back(4 - 2 * std::cos(i * step) - 2 * std::cos(j * step));
    std::sort(expected.begin(), expected.end());
    for (std::size_t j = 0; j < 6; ++j) CHECK(found.values[j] == doctest::Approx(expected[j]).epsilon(1e-8));

    int const n = 90; // a cycle: eigenvalues 2 - 2 cos(2 pi k / n), the constants are the null space
    coo<double> entries{n, n};
    for (int i = 0; i < n; ++i) {
        entries.add(i, i, 2);
        entries.add(i, (i + 1) % n, -1);
        entries.add((i + 1) % n, i, -1);
    }
    auto const cycle = to_csr(host_executor{1}, std::move(entries));
    auto const without = pairs_of(exec, cycle, "jacobi", 2, {.tolerance = 1e-8, .max_iterations = 500}, {},
                                  std::vector<double>(std::size_t(n), 1.0))
                             .first;
    CHECK(without.converged);
    for (double const value : without.values)
        CHECK(value == doctest::Approx(2 - 2 * std::cos(2 * std::acos(-1.0) / n)).epsilon(1e-7));
}

// While an eigenvalue decreases from 1 to 1e-10, its relative residual grows from .05 to 1. That of the start is the
// smallest one for a long time, and the sum of the eigenvalues is constant before the small ones are accurate.
TEST_CASE_TEMPLATE("lobpcg: tiny eigenvalues below a cluster, from many start vectors", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    dense a(300);
    for (int i = 0; i < 300; ++i) a(i, i) = 1 - 0.7 / (1 + 0.05 * i * i);
    a(0, 0) = 2e-10;
    a(1, 1) = 1e-9;
    a(2, 2) = 0.29;
    for (unsigned seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        auto const found = pairs_of(exec, to_csr<double>(a), "none", 3, {.tolerance = 1e-4}, {}, {}, seed).first;
        CHECK(found.converged);
        CHECK(found.values[0] == doctest::Approx(2e-10).epsilon(1e-3));
        CHECK(found.values[1] == doctest::Approx(1e-9).epsilon(1e-3));
        CHECK(found.values[2] == doctest::Approx(0.29).epsilon(1e-6));
    }
}

namespace {

/// Laplacian of paths of 15 vertices in a row, connected by edges of weight `weak`.
dense connected_paths(int paths, double weak) {
    int const n = 15 * paths;
    dense a(n);
    for (int i = 0; i + 1 < n; ++i) {
        double const weight = (i + 1) % 15 == 0 ? weak : 1;
        a(i, i) += weight;
        a(i + 1, i + 1) += weight;
        a(i, i + 1) = a(i + 1, i) = -weight;
    }
    return a;
}
/// Laplacian of a grid of 10 x 10 on a torus: eigenvalues are double or fourfold.
dense torus() {
    dense a(100);
    for (int i = 0; i < 10; ++i)
        for (int j = 0; j < 10; ++j)
            for (int const neighbour : {(i + 1) % 10 * 10 + j, i * 10 + (j + 1) % 10}) {
                int const v = i * 10 + j;
                a(v, v) += 1;
                a(neighbour, neighbour) += 1;
                a(v, neighbour) = a(neighbour, v) = -1;
            }
    return a;
}
dense diagonal(int n, double (*value)(int)) {
    dense a(n);
    for (int i = 0; i < n; ++i) a(i, i) = value(i);
    return a;
}
dense complete_graph(int n) {
    dense a(n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) a(i, j) = i == j ? n - 1 : -1;
    return a;
}

} // namespace

// For an eigenvalue below the rounding errors of A x the tolerance is out of reach. The solve stagnates, with
// eigenvalues as accurate as those of LAPACK and with orthonormal vectors.
TEST_CASE_TEMPLATE("lobpcg: singular matrices and equal eigenvalues, from many start vectors", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    struct problem {
        std::string name;
        dense a;
        int count;
        double tolerance;
        bool constant; ///< whether the constant vector is a constraint
        bool converges;
    };
    std::vector<problem> const problems{
        {"disconnected graph", connected_paths(6, 0), 5, 1e-4, true, false},
        {"disconnected graph, no constraint", connected_paths(6, 0), 7, 1e-4, false, false},
        {"nearly disconnected graph", connected_paths(6, 1e-6), 5, 1e-4, true, true},
        {"torus", torus(), 6, 1e-8, true, true},
        {"torus, a multiple eigenvalue split", torus(), 3, 1e-8, true, true},
        {"torus, no constraint", torus(), 6, 1e-8, false, false},
        {"complete graph", complete_graph(60), 5, 1e-8, false, false},
        {"projector", diagonal(100, [](int i) { return i < 4 ? 0. : 1.; }), 6, 1e-8, false, false},
        {"zero", diagonal(100, [](int) { return 0.; }), 3, 1e-8, false, true},
        {"cluster", diagonal(100, [](int i) { return i < 8    ? 1
                                                     : i < 16 ? 1 + 1e-9
                                                              : 2. + i; }), 8, 1e-8, false, true},
    };
    for (auto const& p : problems) {
        CAPTURE(p.name);
        auto const b = identity(p.a.n);
        auto const expected = all_eigenvalues(p.a, b);
        auto const y = p.constant ? std::vector<double>(std::size_t(p.a.n), 1.0) : std::vector<double>();
        for (unsigned seed = 0; seed < 5; ++seed) {
            CAPTURE(seed);
            auto const [found, x] = pairs_of(exec, to_csr<double>(p.a), "none", p.count,
                                             {.tolerance = p.tolerance, .max_iterations = 2000}, {}, y, seed);
            CHECK(found.reason == (p.converges ? eigen_reason::converged : eigen_reason::stagnated));
            CHECK(defect(p.a, b, found, x) <= 2 * p.tolerance);
            for (std::size_t j = 0; j < found.values.size(); ++j)
                CHECK(std::abs(found.values[j] - expected[j + p.constant]) <= 1e-8 * std::abs(expected.back()));
        }
    }
}

TEST_CASE_TEMPLATE("lobpcg: a matrix times a power of two has the same vectors", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const name : {"none", "jacobi"})
        for (unsigned seed = 1; seed <= 5; ++seed) {
            auto const a = random_matrix(60, true, seed);
            auto const [found, x] = pairs_of(exec, to_csr<double>(a), name, 5, {.tolerance = 1e-9});
            CHECK(found.converged);
            for (int const exponent : {-1000, -600, -300, -50, 50, 300, 600, 1000}) {
                CAPTURE(exponent);
                dense scaled = a;
                for (int i = 0; i < 60; ++i)
                    for (int j = 0; j < 60; ++j) scaled(i, j) = std::ldexp(a(i, j), exponent);
                auto const [same, y] = pairs_of(exec, to_csr<double>(scaled), name, 5, {.tolerance = 1e-9});
                CHECK(same.iterations == found.iterations);
                CHECK(x == y);
                for (std::size_t j = 0; j < 5; ++j) CHECK(same.values[j] == std::ldexp(found.values[j], exponent));
            }
        }
}

TEST_CASE_TEMPLATE("lobpcg: limits and bad input", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = to_csr<double>(random_matrix(60, true, 1));
    CHECK(pairs_of(exec, a, "none", 3, {.tolerance = 1e-9, .max_iterations = 2}).first.reason ==
          eigen_reason::max_iterations);
    CHECK(pairs_of(exec, a, "none", 3, {.tolerance = 0}).first.reason == eigen_reason::stagnated);
    CHECK(pairs_of(exec, a, "none", 3, {.tolerance = 1e-9, .progress = [](std::int64_t, double) { return false; }})
              .first.reason == eigen_reason::cancelled);
    CHECK_THROWS_WITH_AS(pairs_of(exec, a, "none", 21, {}), doctest::Contains("at most a third"), argument_error);
    CHECK_THROWS_AS(pairs_of(exec, a, "none", 0, {}), argument_error);
    CHECK_THROWS_WITH_AS(pairs_of(exec, to_csr<double>(random_matrix(100, true, 1)), "none", 33, {}),
                         doctest::Contains("expected 1 to 32"), argument_error);
    CHECK_THROWS_WITH_AS(pairs_of(exec, a, "alt-o", 3, {}), doctest::Contains("the same at every call"),
                         argument_error);
    auto const matrix = exec.copy(a);
    auto y = random_vector<double>(180, 3);
    y[7] = std::numeric_limits<double>::quiet_NaN();
    auto start = exec.copy(y);
    auto const m = make_preconditioner(exec, "none", matrix.view());
    auto const found = lobpcg(exec, matrix.view(), m, start.view(), 3, {});
    CHECK(found.reason == eigen_reason::not_finite);
    CHECK_FALSE(found.converged);
    CHECK(found.values.size() == 3);
    CHECK(found.residuals.size() == 3);
    CHECK(std::isnan(found.values.at(2)));
    for (double const value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        std::vector<double> constraint(60, 1.0);
        constraint[31] = value;
        CHECK_THROWS_WITH_AS(pairs_of(exec, a, "none", 3, {}, {}, constraint),
                             "element 31 of the constraints of lobpcg is not finite", matrix_error);
    }
    CHECK_THROWS_WITH_AS(pairs_of(exec, a, "none", 3, {.tolerance = -1e-9}), doctest::Contains("tolerance is -1e-09"),
                         argument_error);
    CHECK_THROWS_WITH_AS(pairs_of(exec, a, "none", 3, {.max_iterations = -1}),
                         doctest::Contains("max_iterations is -1"), argument_error);
    CHECK_THROWS_AS(pairs_of(exec, a, "none", 3, {}, {}, std::vector<double>(61, 1.0)), dimension_error);
    auto poisoned = to_csr<double>(random_matrix(60, true, 1));
    poisoned.values()[5] = std::numeric_limits<double>::infinity();
    CHECK_THROWS_AS(pairs_of(exec, poisoned, "none", 3, {}), matrix_error);
}

TEST_CASE_TEMPLATE("lobpcg: vectors of a scaled B, and nothing after them is written", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    dense const a = random_matrix(60, true, 2);
    dense b(60);
    for (int i = 0; i < 60; ++i) b(i, i) = 0x1p400;
    auto const matrix = exec.copy(to_csr<double>(a)), mass = exec.copy(to_csr<double>(b));
    auto const m = make_preconditioner(exec, "jacobi", matrix.view());
    auto x = exec.copy(random_vector<double>(240, 3));
    auto const before = to_vector(exec, x);
    auto const found = lobpcg(exec, matrix.view(), m, x.view().slice(0, 180), 3, {.tolerance = 1e-9}, mass.view());
    auto const after = to_vector(exec, x);
    CHECK(found.converged);
    CHECK(defect(a, b, found, {after.begin(), after.begin() + 180}) <= 1e-7);
    CHECK(std::equal(after.begin() + 180, after.end(), before.begin() + 180));
}

TEST_CASE_TEMPLATE("lobpcg: start vectors and constraints of any magnitude", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    dense const a = random_matrix(60, true, 5), b = identity(60);
    auto const matrix = exec.copy(to_csr<double>(a));
    auto const m = make_preconditioner(exec, "jacobi", matrix.view());
    auto const all = all_eigenvalues(a, b);
    auto lowest = exec.copy(random_vector<double>(60, 4));
    REQUIRE(lobpcg(exec, matrix.view(), m, lowest.view(), 1, {.tolerance = 1e-12}).converged);
    for (int const power : {-1000, -600, 600, 1000})
        for (bool const constrained : {false, true}) {
            CAPTURE(power);
            CAPTURE(constrained);
            auto start = random_vector<double>(120, 3), constraint = to_vector(exec, lowest);
            for (std::size_t i = 0; i < 60; ++i) start[i] = std::ldexp(start[i], power); // the second as it is
            for (double& value : constraint) value = std::ldexp(value, power);
            auto x = exec.copy(start);
            auto const y = exec.copy(constraint);
            auto const found = lobpcg(exec, matrix.view(), m, x.view(), 2, {.tolerance = 1e-9}, {},
                                      constrained ? array_view<double const>(y.view()) : array_view<double const>());
            REQUIRE(found.converged);
            CHECK(defect(a, b, found, to_vector(exec, x)) <= 1e-7);
            for (std::size_t k = 0; k < 2; ++k)
                CHECK(found.values[k] == doctest::Approx(all[k + (constrained ? 1 : 0)]).epsilon(1e-8));
        }
}

TEST_CASE_TEMPLATE("lobpcg: eigenvalues whose squares leave the range", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const power : {-300, 300}) {
        dense a(30), b(30);
        for (int i = 0; i < 30; ++i) a(i, i) = std::ldexp(i + 1.0, power), b(i, i) = std::ldexp(1.0, -power);
        auto const there = exec.copy(to_csr<double>(a)), of_b = exec.copy(to_csr<double>(b));
        auto const m = make_preconditioner(exec, "jacobi", there.view());
        auto x = exec.copy(random_vector<double>(60, 3));
        auto const found = lobpcg(exec, there.view(), m, x.view(), 2, {.tolerance = 1e-9}, of_b.view());
        CHECK(found.converged);
        for (std::size_t k = 0; k < 2; ++k)
            CHECK(std::ldexp(found.values[k], -2 * power) == doctest::Approx(double(k + 1)).epsilon(1e-8));
    }
}

TEST_CASE_TEMPLATE("lobpcg: eigenvalues that leave the range are not reported as converged", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const power : {-800, 800}) {
        dense a(9), b(9);
        for (int i = 0; i < 9; ++i) a(i, i) = std::ldexp(i + 1.0, power), b(i, i) = std::ldexp(1.0, -power);
        auto const there = exec.copy(to_csr<double>(a)), of_b = exec.copy(to_csr<double>(b));
        auto const m = make_preconditioner(exec, "none", there.view());
        auto x = exec.copy(random_vector<double>(18, 3));
        auto const found = lobpcg(exec, there.view(), m, x.view(), 2, {}, of_b.view());
        CHECK_FALSE(found.converged);
        CHECK(found.reason == eigen_reason::not_finite);
    }
}

TEST_CASE("lobpcg: names of reasons") {
    CHECK(to_string(eigen_reason::converged) == "converged");
    CHECK(to_string(eigen_reason::max_iterations) == "max_iterations");
    CHECK(to_string(eigen_reason::stagnated) == "stagnated");
    CHECK(to_string(eigen_reason::not_finite) == "not_finite");
    CHECK(to_string(eigen_reason::cancelled) == "cancelled");
    CHECK(to_string(eigen_reason(99)) == "unknown");
}

TEST_CASE_TEMPLATE("shifted systems share one Krylov space", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_cvref_t<decltype(exec)>;
    auto const m = random_matrix(90, true, 2);
    auto const a = exec.copy(to_csr<double>(m));
    csr_operator<Executor, double> const op(exec, a.view());
    auto const right = random_vector<double>(90, 4);
    auto const b = exec.copy(right);
    std::vector<double> const shifts{0.5, 0, 100, 0.01, 0.5, -0.001};
    auto x = exec.copy(std::vector<double>(90 * shifts.size(), 7.0)); // the guess is not used
    auto const found =
        solve_shifted(exec, op, shifts, array_view<double const>(b.view()), x.view(), {.tolerance = 1e-10});
    CHECK(found.converged);
    auto const all = to_vector(exec, x);
    double norm = 0;
    for (double const v : right) norm += v * v;
    for (std::size_t j = 0; j < shifts.size(); ++j) {
        double left = 0;
        for (int i = 0; i < 90; ++i) {
            double r = right[std::size_t(i)] - shifts[j] * all[j * 90 + std::size_t(i)];
            for (int k = 0; k < 90; ++k) r -= m(i, k) * all[j * 90 + std::size_t(k)];
            left += r * r;
        }
        CHECK(std::sqrt(left / norm) <= 1e-10);
        CHECK(found.relative_residuals[j] <= 1e-10);
    }
    // The number of iterations is that of CG for the smallest shift alone, which converges last.
    auto one = exec.copy(std::vector<double>(90, 0.0));
    auto const alone =
        solve_shifted(exec, op, {-0.001}, array_view<double const>(b.view()), one.view(), {.tolerance = 1e-10});
    CHECK(alone.iterations == found.iterations);
    auto const few = solve_shifted(exec, op, {0.0}, array_view<double const>(b.view()), one.view(),
                                   {.tolerance = 1e-10, .max_iterations = 3});
    CHECK_FALSE(few.converged);
    CHECK(few.iterations == 3);
    auto const none = solve_shifted(exec, op, {0.0}, array_view<double const>(b.view()), one.view(),
                                    {.tolerance = 1e-10, .max_iterations = 0});
    CHECK(none.iterations == 0);
    CHECK(none.relative_residuals == std::vector{1.0}); // x = 0
    CHECK(solve_shifted(exec, op, {}, array_view<double const>(b.view()), array_view<double>(one.data(), 0)).converged);
    CHECK_THROWS_AS(solve_shifted(exec, op, {0.0, 1.0}, array_view<double const>(b.view()), one.view()),
                    dimension_error);
    CHECK_THROWS_WITH_AS(
        solve_shifted(exec, op, {0.0}, array_view<double const>(b.view()), one.view(), {.tolerance = -1e-9}),
        doctest::Contains("tolerance is -1e-09"), argument_error);
    CHECK_THROWS_WITH_AS(
        solve_shifted(exec, op, {0.0}, array_view<double const>(b.view()), one.view(), {.max_iterations = -1}),
        "max_iterations is -1, expected >= 0", argument_error);
    CHECK_THROWS_AS(solve_shifted(exec, op, {std::nan("")}, array_view<double const>(b.view()), one.view()),
                    argument_error);
    for (int const power : {-1000, -600, 600, 1000}) { // b of any magnitude
        CAPTURE(power);
        auto scaled_b = right;
        for (double& v : scaled_b) v = std::ldexp(v, power);
        auto const there = exec.copy(scaled_b);
        auto y = exec.copy(std::vector<double>(90, 7.0));
        auto const scaled =
            solve_shifted(exec, op, {0.5}, array_view<double const>(there.view()), y.view(), {.tolerance = 1e-10});
        CHECK(scaled.converged);
        auto const of_y = to_vector(exec, y);
        for (std::size_t i = 0; i < 90; ++i)
            CHECK(std::ldexp(of_y[i], -power) == doctest::Approx(all[i]).epsilon(1e-6));
    }
    auto const poisoned = exec.copy(std::vector<double>(90, std::nan("")));
    CHECK_FALSE(solve_shifted(exec, op, {0.0}, array_view<double const>(poisoned.view()), one.view()).converged);
    // A singular matrix: x is not worse than 0.
    auto singular = m;
    for (int i = 0; i < 90; ++i) singular(7, i) = singular(i, 7) = 0;
    auto const s = exec.copy(to_csr<double>(singular));
    csr_operator<Executor, double> const of_singular(exec, s.view());
    auto const end = solve_shifted(exec, of_singular, {0.0}, array_view<double const>(b.view()), one.view());
    CHECK_FALSE(end.converged);
    CHECK(end.relative_residuals[0] <= 1);
    for (double const v : to_vector(exec, one)) CHECK(std::isfinite(v));
    // For a matrix that is not positive definite, the result must not be reported as converged.
    CHECK_FALSE(solve_shifted(exec, op, {-50.0}, array_view<double const>(b.view()), one.view()).converged);
}
