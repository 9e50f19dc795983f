// SPDX-License-Identifier: BSD-3-Clause
// Mixed precision: inner solves in float, refinement in double.
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>
#include <coppice/solve.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

#include "solvers/dense.hpp"
#include "support/executors.hpp"
#include <coppice/algebra/generate/generators.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

struct refined {
    krylov_result result;
    std::vector<double> x;
};

template <class Executor>
refined refine(Executor const& exec, csr<double> const& host_a, std::vector<double> const& b,
               refinement_options const& options, std::vector<double> guess = {}) {
    auto const a = exec.copy(host_a);
    csr_operator<Executor, double> const op(exec, a);
    guess.resize(b.size());
    auto x = exec.copy(guess);
    auto found = solve_refined(exec, op, view_of(exec.copy(b)), x.view(), options);
    return {std::move(found.result), to_vector(exec, x)};
}

} // namespace

TEST_CASE_TEMPLATE("refined: digits beyond float, for any inner method and preconditioner", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = generate<double>(host_executor{1}, "aniso2", {.nx = 40});
    auto const b = random_vector<double>(a.rows(), 3);
    struct {
        std::string solver, preconditioner;
    } const cases[] = {{"gmres", "forest"},     {"gmres", "isai"},   {"gmres", "isai,storage=half"},
                       {"cg", "jacobi"},        {"minres", "none"},  {"bicgstab", "ilu0"},
                       {"idrs", "tridiagonal"}, {"fgmres", "alt-o"}, {"gmres", "mos-d"}};
    for (auto const& c : cases) {
        CAPTURE(c.solver);
        CAPTURE(c.preconditioner);
        auto const [result, x] = refine(
            exec, a, b,
            {.solver = c.solver, .preconditioner = c.preconditioner, .krylov = {.tolerance = 1e-12, .restart = 20}});
        CHECK(result.converged);
        CHECK(residual_of(a, b, x) <= 1.01e-12); // float alone ends near 1e-6
        CHECK(result.restarts >= 1);
        CHECK(result.residual_history.size() == std::size_t(result.iterations) + 1);
        CHECK(result.residual_history.back() == result.relative_residual);
    }
}

TEST_CASE_TEMPLATE("refined: a preconditioner in half storage is as good as the full one", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    // Rows whose scales exceed the range of half precision.
    auto dense = random_matrix(120, false, 5);
    for (int i = 0; i < dense.n; ++i)
        for (int j = 0; j < dense.n; ++j) dense(i, j) *= std::pow(10.0, i % 13 - 6);
    auto const a = exec.copy(to_csr<float>(dense));
    auto const full = make_preconditioner(exec, "isai", a.view());
    auto half = make_preconditioner(exec, "isai,storage=half", a.view());
    auto const r = exec.copy(random_vector<float>(120, 2));
    buffer<float> z(exec, 120), w(exec, 120);
    full.apply(exec, r.view(), z.view());
    for (int k = 0; k < 2; ++k, half.refresh(exec, a.view())) {
        half.apply(exec, r.view(), w.view());
        auto const exact = to_vector(exec, z), rounded = to_vector(exec, w);
        double largest = 0;
        for (float const e : exact) largest = std::max(largest, double(std::abs(e)));
        for (std::size_t i = 0; i < exact.size(); ++i) CHECK(std::abs(exact[i] - rounded[i]) <= 1e-2 * largest);
        CHECK(exact != rounded);
    }
}

TEST_CASE_TEMPLATE("refined: limits, cancellation and bad input", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = generate<double>(host_executor{1}, "laplace2d", {.nx = 30});
    auto b = random_vector<double>(a.rows(), 1);
    CHECK(refine(exec, a, b, {.krylov = {.max_iterations = 0}}).result.reason == krylov_reason::max_iterations);
    auto const few = refine(exec, a, b, {.krylov = {.tolerance = 1e-12, .max_iterations = 7}}).result;
    CHECK(few.reason == krylov_reason::max_iterations);
    CHECK(few.iterations == 7);
    CHECK(few.relative_residual < 1);
    std::int64_t told = 0;
    auto const stop = [&](std::int64_t k, double) { return (told = k) < 25; };
    auto const [cancelled, x] = refine(exec, a, b, {.krylov = {.tolerance = 1e-15, .restart = 20, .progress = stop}});
    CHECK(cancelled.reason == krylov_reason::cancelled);
    CHECK(told == 25);
    CHECK(residual_of(a, b, x) == doctest::Approx(cancelled.relative_residual).epsilon(1e-6));
    // A tolerance below the precision of double, and zero: the solve ends, and the residual is not larger than
    // initially.
    for (double const tolerance : {0.0, 1e-30}) {
        auto const end = refine(exec, a, b, {.krylov = {.tolerance = tolerance}}).result;
        CHECK(end.reason == krylov_reason::stagnated);
        CHECK(end.relative_residual < 1e-12);
    }
    CHECK(refine(exec, a, std::vector<double>(b.size()), {}, b).x == std::vector<double>(b.size()));
    CHECK_THROWS_AS(refine(exec, a, b, {.solver = "sor"}), argument_error);
    CHECK_THROWS_AS(refine(exec, a, b, {.preconditioner = "amg"}), argument_error);
    CHECK_THROWS_AS(refine(exec, a, std::vector<double>(3), {}), dimension_error);
    auto guess = std::vector<double>(b.size());
    guess[5] = std::numeric_limits<double>::quiet_NaN();
    auto const [ended, unchanged] = refine(exec, a, b, {}, guess);
    CHECK(ended.reason == krylov_reason::not_finite);
    CHECK(ended.fault == "element 5 of the initial guess is not finite");
    CHECK(unchanged[4] == 0);
    b[7] = std::numeric_limits<double>::infinity();
    CHECK(refine(exec, a, b, {}).result.fault == "element 7 of the right-hand side b is not finite");
    auto dense = random_matrix(5, true, 1);
    dense(2, 2) = 1e60;
    CHECK_THROWS_AS(refine(exec, to_csr<double>(dense), std::vector<double>(5, 1.0), {}), matrix_error);
    for (double const small : {1e-50, 1e-300}) {
        auto rows = random_matrix(5, true, 1);
        for (int j = 0; j < 5; ++j) rows(3, j) *= small;
        CHECK_THROWS_WITH_AS(refine(exec, to_csr<double>(rows), std::vector<double>(5, 1.0), {}),
                             doctest::Contains("row 3 is so much smaller"), matrix_error);
    }
}

TEST_CASE_TEMPLATE("refined: a matrix of any magnitude", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const plain = generate<double>(host_executor{1}, "laplace2d", {.nx = 12});
    auto const b = random_vector<double>(plain.rows(), 1);
    refinement_options const options{.krylov = {.tolerance = 1e-12}};
    auto const expected = refine(exec, plain, b, options);
    REQUIRE(expected.result.converged);
    for (int const power : {-900, -200, -130, 100, 126, 200, 900}) {
        CAPTURE(power);
        auto a = host_executor{1}.copy(plain);
        for (std::int64_t k = 0; k < a.nonzeros(); ++k) a.values()[k] = std::ldexp(a.values()[k], power);
        auto const [result, x] = refine(exec, a, b, options);
        CHECK(result.converged);
        CHECK(result.iterations == expected.result.iterations);
        for (std::size_t i = 0; i < x.size(); ++i) CHECK(x[i] == std::ldexp(expected.x[i], -power));
    }
}
