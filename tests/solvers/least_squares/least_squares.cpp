// SPDX-License-Identifier: BSD-3-Clause
// Least-squares solutions compared with LAPACK (gels, gelsd).
#include <coppice/least_squares.hpp>

#include <cmath>
#include <limits>
#include <random>

#include <lapacke.h>

#include "support/executors.hpp"
#include <coppice/algebra/convert.hpp>
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/solvers/iterative/vectors/power_scaling.hpp>
#include <coppice/solvers/precondition/sparse_direct/sparse_factors.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

struct problem {
    int rows, columns;
    std::vector<double> dense; ///< column-major
    std::vector<double> b;

    csr<double> matrix() const {
        coo<double> entries{rows, columns};
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j)
                if (double const v = dense[std::size_t(j * rows + i)]; v != 0) entries.add(i, j, v);
        return to_csr(host_executor{1}, std::move(entries));
    }
};

problem random_problem(int rows, int columns, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> value;
    problem p{rows, columns, std::vector<double>(std::size_t(rows * columns), 0.0), {}};
    for (int j = 0; j < columns; ++j) {
        for (int k = 0; k < 4; ++k) p.dense[std::size_t(j * rows + int(random() % unsigned(rows)))] = value(random);
        p.dense[std::size_t(j * rows + j % rows)] += 3 * (1 + j % 5);
    }
    for (int i = 0; i < rows; ++i) p.b.push_back(value(random));
    return p;
}

/// The solution with the smallest norm, by LAPACK's gelsd; with `damping` of the extended problem.
std::vector<double> reference(problem const& p, double damping = 0) {
    int const rows = p.rows + (damping > 0 ? p.columns : 0), longest = std::max(rows, p.columns);
    std::vector<double> a(std::size_t(rows * p.columns), 0.0), b(std::size_t(longest), 0.0);
    for (int j = 0; j < p.columns; ++j) {
        for (int i = 0; i < p.rows; ++i) a[std::size_t(j * rows + i)] = p.dense[std::size_t(j * p.rows + i)];
        if (damping > 0) a[std::size_t(j * rows + p.rows + j)] = damping;
    }
    std::copy(p.b.begin(), p.b.end(), b.begin());
    std::vector<double> singular(static_cast<std::size_t>(longest));
    lapack_int rank = 0;
    REQUIRE(LAPACKE_dgelsd(LAPACK_COL_MAJOR, rows, p.columns, 1, a.data(), rows, b.data(), longest, singular.data(),
                           1e-12, &rank) == 0);
    b.resize(std::size_t(p.columns));
    return b;
}

template <class Executor>
std::pair<least_squares_result, std::vector<double>> solved(Executor const& exec, problem const& p,
                                                            least_squares_options const& options) {
    auto const a = exec.copy(p.matrix());
    auto const b = exec.copy(p.b);
    auto x = exec.copy(std::vector<double>(std::size_t(p.columns), 0.0));
    auto result = solve_least_squares(exec, a.view(), array_view<double const>(b.view()), x.view(), options);
    return {std::move(result), to_vector(exec, x)};
}

double difference(std::vector<double> const& x, std::vector<double> const& y) {
    double sum = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]), size += y[i] * y[i];
    return std::sqrt(sum / size);
}

/// |b - A x| and |A^T (b - A x)| from the definition.
std::pair<double, double> norms(problem const& p, std::vector<double> const& x) {
    auto r = p.b;
    for (int j = 0; j < p.columns; ++j)
        for (int i = 0; i < p.rows; ++i) r[std::size_t(i)] -= p.dense[std::size_t(j * p.rows + i)] * x[std::size_t(j)];
    double rr = 0, nn = 0;
    for (double const v : r) rr += v * v;
    for (int j = 0; j < p.columns; ++j) {
        double sum = 0;
        for (int i = 0; i < p.rows; ++i) sum += p.dense[std::size_t(j * p.rows + i)] * r[std::size_t(i)];
        nn += sum * sum;
    }
    return {std::sqrt(rr), std::sqrt(nn)};
}

} // namespace

TEST_CASE_TEMPLATE("least squares: tall, square and wide problems as LAPACK", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const method : {"lsmr", "lsqr"})
        for (auto const preconditioner : {"none", "jacobi", "ic0", "multilevel", "direct"})
            for (auto const& [rows, columns] : {std::pair{80, 30}, std::pair{40, 40}}) {
                std::string const with = preconditioner;
                if (with == "direct" && !has_sparse_direct()) continue;
                auto const p = random_problem(rows, columns, unsigned(rows));
                auto const [result, x] =
                    solved(exec, p, {.method = method, .preconditioner = with, .tolerance = 1e-11});
                CAPTURE(method);
                CAPTURE(with);
                CHECK(result.converged);
                CHECK(difference(x, reference(p)) <= 1e-7);
                auto const [residual, normal] = norms(p, x);
                CHECK(result.residual_norm == doctest::Approx(residual).epsilon(1e-6));
                CHECK(std::abs(result.normal_norm - normal) <= 1e-9);
                CHECK(result.residual_history.size() == std::size_t(result.iterations) + 1);
            }
    for (auto const method : {"lsmr", "lsqr"}) { // of all solutions the one with the smallest norm
        auto const wide = random_problem(30, 80, 5);
        auto const [result, x] = solved(exec, wide, {.method = method, .preconditioner = "none", .tolerance = 1e-12});
        CHECK(result.converged);
        CHECK(result.reason == least_squares_reason::residual);
        CHECK(difference(x, reference(wide)) <= 1e-8);
        auto deficient = random_problem(60, 20, 6); // two equal columns
        for (int i = 0; i < 60; ++i)
            deficient.dense[std::size_t(7 * 60 + i)] = deficient.dense[std::size_t(3 * 60 + i)];
        auto const [found, y] =
            solved(exec, deficient, {.method = method, .preconditioner = "none", .tolerance = 1e-11});
        CHECK(found.converged);
        CHECK(found.reason == least_squares_reason::normal);
        CHECK(difference(y, reference(deficient)) <= 1e-7);
        auto const damped = random_problem(50, 50, 8);
        for (auto const preconditioner : {"none", "jacobi"}) {
            auto const [of_damped, z] = solved(
                exec, damped, {.method = method, .preconditioner = preconditioner, .damping = 0.7, .tolerance = 1e-11});
            CHECK(of_damped.converged);
            CHECK(difference(z, reference(damped, 0.7)) <= 1e-7);
        }
    }
}

TEST_CASE_TEMPLATE("least squares: preconditioners of damped and of singular problems", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const wide = random_problem(13, 20, 3);
    for (auto const method : {"lsmr", "lsqr"})
        for (double const damping : {0.1, 3.0})
            for (auto const preconditioner : {"direct", "ic0", "multilevel"}) {
                if (preconditioner == std::string("direct") && !has_sparse_direct()) continue;
                CAPTURE(method);
                CAPTURE(damping);
                CAPTURE(preconditioner);
                auto const [found, x] = solved(exec, wide,
                                               {.method = method,
                                                .preconditioner = preconditioner,
                                                .damping = damping,
                                                .tolerance = 1e-11,
                                                .max_iterations = 200});
                CHECK(found.converged);
                CHECK(difference(x, reference(wide, damping)) <= 1e-8);
                if (preconditioner == std::string("direct")) CHECK(found.iterations <= 4); // M is exact
            }
    // Without damping A^T A is singular, and M is exact up to rounding: no NaN.
    for (unsigned seed = 1; seed < 20; ++seed) try {
            auto const p = random_problem(13, 20, seed);
            auto const [found, x] = solved(exec, p, {.preconditioner = "direct", .max_iterations = 200});
            CHECK(found.reason != least_squares_reason::not_finite);
            CHECK(found.residual_norm <= 1.01 * found.b_norm);
        } catch (matrix_error const&) {
        } // the singularity was found
}

TEST_CASE_TEMPLATE("least squares: limits, guesses and bad input", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const p = random_problem(80, 30, 1);
    auto const few = solved(exec, p, {.tolerance = 1e-12, .max_iterations = 3});
    CHECK(few.first.reason == least_squares_reason::max_iterations);
    CHECK(few.first.iterations == 3);
    CHECK_FALSE(few.first.converged);
    CHECK(norms(p, few.second).second <= norms(p, std::vector<double>(30, 0.0)).second);
    auto const impossible = solved(exec, p, {.tolerance = 0});
    CHECK_FALSE(impossible.first.converged);
    CHECK(difference(impossible.second, reference(p)) <= 1e-10);
    auto const stopped =
        solved(exec, p, {.tolerance = 1e-12, .progress = [](std::int64_t k, double) { return k < 2; }});
    CHECK(stopped.first.reason == least_squares_reason::cancelled);
    CHECK(stopped.first.iterations == 2);
    auto zero = p;
    zero.b.assign(80, 0.0);
    auto const none = solved(exec, zero, {});
    CHECK(none.first.converged);
    CHECK(none.second == std::vector<double>(30, 0.0));

    auto const a = exec.copy(p.matrix());
    auto const b = exec.copy(p.b);
    auto guess = exec.copy(reference(p));
    auto const at_once =
        solve_least_squares(exec, a.view(), array_view<double const>(b.view()), guess.view(), {.tolerance = 1e-8});
    CHECK(at_once.converged);
    CHECK(at_once.iterations == 0);
    auto poisoned = p;
    poisoned.b[3] = std::numeric_limits<double>::quiet_NaN();
    CHECK(solved(exec, poisoned, {}).first.reason == least_squares_reason::not_finite);
    poisoned = p;
    for (double& v : poisoned.dense)
        if (v != 0) v = std::numeric_limits<double>::infinity();
    CHECK_THROWS_AS(solved(exec, poisoned, {}), matrix_error);
    CHECK_THROWS_WITH_AS(solved(exec, p, {.method = "cgls"}), doctest::Contains("expected \"lsmr\" or \"lsqr\""),
                         argument_error);
    CHECK_THROWS_AS(solved(exec, p, {.preconditioner = "amg"}), argument_error);
    CHECK_THROWS_WITH_AS(solved(exec, p, {.preconditioner = "isai"}), doctest::Contains("not symmetric"),
                         argument_error);
    CHECK_THROWS_WITH_AS(solved(exec, p, {.preconditioner = "alt-o"}), doctest::Contains("not symmetric"),
                         argument_error);
    for (std::string const preconditioner : {"none", "jacobi", "ic0"})
        CHECK_THROWS_WITH_AS(
            solved(exec, p, {.preconditioner = preconditioner, .preconditioner_options = {{"atol", 1.0}}}),
            doctest::Contains(("preconditioner \"" + preconditioner + "\" has no option \"atol\"").c_str()),
            argument_error);
    CHECK_THROWS_AS(solved(exec, p, {.damping = -1}), argument_error);
    CHECK_THROWS_AS(solved(exec, p, {.damping = std::numeric_limits<double>::infinity()}), argument_error);
    CHECK_THROWS_WITH_AS(solved(exec, p, {.tolerance = -1e-9}), doctest::Contains("tolerance is -1e-09"),
                         argument_error);
    CHECK_THROWS_WITH_AS(solved(exec, p, {.max_iterations = -1}), doctest::Contains("max_iterations is -1"),
                         argument_error);
    auto shorter = p;
    shorter.b.pop_back();
    CHECK_THROWS_AS(solved(exec, shorter, {}), dimension_error);
}

namespace {

/// [scale 0 0; 0 2 scale 0; 0 0 3 scale; scale 0 0] x = size (1, 2, 3, 5): x = size / scale (3, 1, 1).
template <class T, class Executor>
void check_scales(Executor const& exec, T scale, T size, std::string const& method) {
    CAPTURE(double(scale));
    CAPTURE(double(size));
    CAPTURE(method);
    coo<T> entries{4, 3};
    for (int i = 0; i < 3; ++i) entries.add(i, i, scale * T(1 + i));
    entries.add(3, 0, scale);
    auto const a = exec.copy(to_csr(host_executor{1}, std::move(entries)));
    auto const b = exec.copy(std::vector<T>{size, 2 * size, 3 * size, 5 * size});
    auto x = exec.copy(std::vector<T>{0, size / scale, 0});
    auto const result = solve_least_squares(exec, a.view(), array_view<T const>(b.view()), x.view(),
                                            {.method = method, .tolerance = 1e-6});
    auto const found = to_vector(exec, x);
    CHECK(result.converged);
    CHECK(result.reason == least_squares_reason::normal);
    CHECK(result.iterations > 0);
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(double(found[i]) / (double(size) / double(scale)) == doctest::Approx(i == 0 ? 3 : 1).epsilon(1e-5));
    CHECK(result.residual_norm / double(size) == doctest::Approx(std::sqrt(8.0)).epsilon(1e-5));
    CHECK(result.b_norm / double(size) == doctest::Approx(std::sqrt(39.0)).epsilon(1e-5));
}

} // namespace

TEST_CASE_TEMPLATE("least squares: squares of elements that leave the range", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::string const method : {"lsmr", "lsqr"}) {
        for (double const scale : {1.0, 1e150, 1e200, 1e-150, 1e-200})
            for (double const size : {1.0, 1e-100, 1e100})
                if (std::abs(std::log10(size / scale)) < 290) check_scales<double>(exec, scale, size, method);
        check_scales<double>(exec, 1, 1e200, method);
        check_scales<double>(exec, 1, 1e-200, method);
        for (float const scale : {1.0f, 1e15f, 1e25f, 1e-15f, 1e-25f}) check_scales<float>(exec, scale, 1, method);
    }
    auto const of_one = [&]<class T>(T element, T right, T guess) {
        coo<T> entry{1, 1};
        entry.add(0, 0, element);
        auto const a = exec.copy(to_csr(host_executor{1}, std::move(entry)));
        auto const b = exec.copy(std::vector<T>{right});
        auto x = exec.copy(std::vector<T>{guess});
        auto result = solve_least_squares(exec, a.view(), array_view<T const>(b.view()), x.view(), {});
        return std::pair(std::move(result), to_vector(exec, x)[0]);
    };
    for (auto const& [element, right] : {std::pair{1e-200, 1e200}, std::pair{1e200, 1e-200}}) {
        CAPTURE(element);
        auto const result = of_one(element, right, 0.0).first; // x is no number of the type
        CHECK(result.reason == least_squares_reason::not_finite);
        CHECK_FALSE(result.converged);
    }
    // A guess that is much larger than the solution is no reason to fail, and never becomes worse.
    auto const [large, x] = of_one(1.0, 1e-160, 1.0);
    CHECK(large.reason != least_squares_reason::not_finite);
    CHECK(std::abs(x) <= 1e-15);
    auto const [large_float, y] = of_one(1.0f, 1e-30f, 100.0f);
    CHECK(large_float.reason != least_squares_reason::not_finite);
    CHECK(std::abs(y) <= 1e-4f);
}

TEST_CASE_TEMPLATE("least squares: x that leaves the range is not worse than the guess", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const scaled = [&](int power) {
        auto a = exec.copy(generate<double>(host_executor{1}, "laplace2d", {.nx = 3}));
        detail::scale_by_power(exec, a.values().data(), a.nonzeros(), power);
        return a;
    };
    auto const a = scaled(-600), large = scaled(600);
    for (auto const method : {"lsmr", "lsqr"})
        for (bool const zero : {false, true}) {
            CAPTURE(method);
            CAPTURE(zero);
            std::vector<double> guess(9, zero ? 0 : 0x1p1000);
            auto const high = exec.copy(std::vector<double>(9, 0x1p900)); // x is about 2^1499
            auto x = exec.copy(guess);
            auto const result = solve_least_squares(exec, a.view(), array_view<double const>(high.view()), x.view(),
                                                    {.method = method});
            CHECK_FALSE(result.converged);
            CHECK(to_vector(exec, x) == guess);
            CHECK(result.residual_norm == doctest::Approx(3 * 0x1p900));
            // x underflows to 0, which is better than the guess
            auto const low = exec.copy(std::vector<double>(9, 0x1p-1000));
            auto y = exec.copy(std::vector<double>(9, 1.0));
            solve_least_squares(exec, large.view(), array_view<double const>(low.view()), y.view(), {.method = method});
            CHECK(to_vector(exec, y) == std::vector<double>(9, 0.0));
        }
}

TEST_CASE_TEMPLATE("least squares: without rows, columns or entries, and one step", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    problem const no_rows{0, 3, {}, {}}, no_columns{2, 0, {}, {3, 4}}, no_entries{2, 1, {0, 0}, {3, 4}};
    auto const [free, x] = solved(exec, no_rows, {});
    CHECK(free.reason == least_squares_reason::residual);
    CHECK(free.converged);
    CHECK(x == std::vector<double>(3, 0.0));
    for (auto const& p : {no_columns, no_entries}) {
        auto const result = solved(exec, p, {}).first;
        CHECK(result.reason == least_squares_reason::normal);
        CHECK(result.converged);
        CHECK(result.residual_norm == doctest::Approx(5));
        CHECK(result.b_norm == doctest::Approx(5));
        CHECK(result.residual_history == std::vector<double>{1});
    }
    for (double const size : {1e-200, 1e200}) {
        auto const result = solved(exec, problem{2, 0, {}, {3 * size, 4 * size}}, {}).first;
        CHECK(result.reason == least_squares_reason::normal);
        CHECK(result.residual_norm / size == doctest::Approx(5));
    }
    problem poisoned = no_columns;
    poisoned.b[0] = std::numeric_limits<double>::quiet_NaN();
    CHECK(solved(exec, poisoned, {}).first.reason == least_squares_reason::not_finite);

    problem const identity{2, 2, {1, 0, 0, 1}, {3, 4}};
    problem const empty_column{3, 2, {1, 2, 2, 0, 0, 0}, {9, 0, 0}}; // the column norm 0 in jacobi
    for (auto const method : {"lsmr", "lsqr"}) {
        auto const [one, y] = solved(exec, identity, {.method = method});
        CHECK(one.converged);
        CHECK(one.iterations == 1);
        CHECK(difference(y, {3, 4}) <= 1e-15);
        auto const [other, z] = solved(exec, empty_column, {.method = method});
        CHECK(other.converged);
        CHECK(difference(z, {1, 0}) <= 1e-14);
    }
}

TEST_CASE("least squares: names of reasons") {
    CHECK(to_string(least_squares_reason::residual) == "residual");
    CHECK(to_string(least_squares_reason::normal) == "normal");
    CHECK(to_string(least_squares_reason::max_iterations) == "max_iterations");
    CHECK(to_string(least_squares_reason::stagnated) == "stagnated");
    CHECK(to_string(least_squares_reason::not_finite) == "not_finite");
    CHECK(to_string(least_squares_reason::cancelled) == "cancelled");
    CHECK(to_string(least_squares_reason(99)) == "unknown");
}
