// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>

#include <initializer_list>
#include <limits>
#include <set>
#include <type_traits>

#include "solvers/dense.hpp"
#include "support/datasets.hpp"
#include "support/executors.hpp"
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>
#include <coppice/algebra/generate/generators.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

template <class T>
struct outcome {
    krylov_result result;
    std::vector<T> x;
};

/// A preconditioner that counts its calls on the host, so that it cannot be captured into a graph.
template <class M>
struct counted_calls {
    M const& held;
    int* calls;
    template <class Executor, class T>
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        ++*calls;
        held.apply(exec, r, z);
    }
};

bool needs_symmetry(std::string_view method) { return method == "cg" || method == "minres"; }
bool is_gmres(std::string_view method) { return method == "gmres" || method == "fgmres"; }

/// Sets up on `exec` and solves; an empty `guess` is zero.
template <class Executor, class T>
outcome<T> solve_on(Executor const& exec, std::string_view method, std::string_view preconditioner, csr<T> const& a,
                    std::vector<T> const& b, krylov_options const& options, std::vector<T> guess = {}) {
    auto const local = exec.copy(a);
    csr_operator<Executor, T> const op(exec, local.view());
    auto const m = make_preconditioner(exec, preconditioner, local.view());
    guess.resize(b.size());
    auto const rhs = exec.copy(b);
    auto x = exec.copy(guess);
    auto result = solve(exec, method, op, m, rhs.view(), x.view(), options);
    return {std::move(result), to_vector(exec, x)};
}

/// Whether the preconditioner is applicable to this matrix, and symmetric if the method requires it.
template <class T>
bool fits(std::string_view preconditioner, std::string_view method, csr<T> const& a) {
    preconditioner_row const& row = preconditioner_row_of(preconditioner);
    if ((method == "cg" || method == "minres") && !row.keeps_symmetry) return false;
    if (row.varies && method != "fgmres") return false;
    return !find_unmet_need(host_executor{1}, row.needs, a.view());
}

/// A preconditioner that works for some calls, then returns NaN in a single element.
struct breaks_down {
    int* calls;
    int sound;
    template <class Executor, class T>
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const {
        exec.copy_elements(r.data(), z.data(), r.size());
        T const bad = std::numeric_limits<T>::quiet_NaN();
        if ((*calls)++ >= sound) exec.copy_elements(&bad, z.data() + r.size() / 2, 1);
    }
};

template <class Solver, class A, class M, class Executor>
outcome<double> solve_with(Executor const& exec, A const& a, M const& m, std::vector<double> const& b,
                           std::vector<double> const& guess, krylov_options const& options) {
    auto const rhs = exec.copy(b);
    auto x = exec.copy(guess);
    Solver solver(exec, rhs.size(), options);
    auto result = solver.solve(a, m, rhs.view(), x.view());
    return {std::move(result), to_vector(exec, x)};
}

double distance(std::vector<double> const& x, std::vector<double> const& y) {
    double dd = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        dd += (x[i] - y[i]) * (x[i] - y[i]);
        yy += y[i] * y[i];
    }
    return std::sqrt(dd / yy);
}

dense of_rows(std::vector<std::vector<double>> const& rows) {
    dense m(int(rows.size()));
    for (int i = 0; i < m.n; ++i)
        for (int j = 0; j < m.n; ++j) m(i, j) = rows[std::size_t(i)][std::size_t(j)];
    return m;
}

} // namespace

TEST_CASE_TEMPLATE("every method with every preconditioner agrees with LAPACK", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const n : {1, 2, 3, 17, 130}) {
        for (bool const symmetric : {true, false}) {
            auto const m = random_matrix(n, symmetric, unsigned(n));
            auto const a = to_csr<double>(m);
            auto const b = random_vector<double>(n, 7);
            auto const expected = lapack_solve(m, b);
            for (auto const method : krylov_names) {
                if (needs_symmetry(method) && !symmetric) continue;
                for (auto const name : preconditioner_names) {
                    if (!fits(name, method, a)) continue;
                    CAPTURE(n);
                    CAPTURE(symmetric);
                    CAPTURE(method);
                    CAPTURE(name);
                    auto const [result, x] = solve_on(exec, method, name, a, b, {.tolerance = 1e-12});
                    CHECK(result.converged);
                    CHECK(result.reason == krylov_reason::converged);
                    CHECK(result.relative_residual <= 1e-12);
                    CHECK(residual_of(a, b, x) <= 1.01e-12);
                    CHECK(distance(x, expected) < 1e-9);
                    CHECK(result.residual_history.size() == std::size_t(result.iterations) + 1);
                    CHECK(result.residual_history.back() == result.relative_residual);
                }
            }
        }
    }
}

TEST_CASE_TEMPLATE("float solves to its precision and reports the true residual", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = generate<float>(host_executor{1}, "aniso2", {.nx = 80});
    auto const b = random_vector<float>(a.rows(), 3);
    for (auto const method : krylov_names) {
        CAPTURE(method);
        auto const [result, x] = solve_on(exec, method, "forest", a, b, {.tolerance = 1e-5});
        CHECK(result.converged);
        CHECK(residual_of(a, b, x) == doctest::Approx(result.relative_residual).epsilon(0.05));

        // A tolerance below the precision of float: the solve must end and report the true residual.
        auto const [limit, y] = solve_on(exec, method, "forest", a, b, {.tolerance = 1e-13});
        CHECK(!limit.converged);
        CHECK(limit.reason == krylov_reason::stagnated);
        CHECK(residual_of(a, b, y) < 1e-4);
    }
}

TEST_CASE_TEMPLATE("systems larger than a block of the dot products", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = generate<double>(host_executor{1}, "convection", {.nx = 83, .ny = 61});
    auto const b = random_vector<double>(a.rows(), 5);
    for (auto const method : {"bicgstab", "gmres"})
        for (auto const name : preconditioner_names) {
            if (!fits(name, method, a)) continue;
            CAPTURE(method);
            CAPTURE(name);
            auto const [result, x] = solve_on(exec, method, name, a, b, {.tolerance = 1e-8});
            CHECK(result.converged);
            CHECK(residual_of(a, b, x) == doctest::Approx(result.relative_residual).epsilon(1e-3));
        }
}

TEST_CASE_TEMPLATE("GMRES reduces the residual in every iteration, restarts included", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = generate<double>(host_executor{1}, "convection", {.nx = 40});
    auto const b = random_vector<double>(a.rows(), 5);
    for (int const restart : {1, 5, 30, 200}) {
        auto const [result, x] = solve_on(exec, "gmres", "jacobi", a, b, {.tolerance = 1e-8, .restart = restart});
        CHECK(result.converged);
        auto const& h = result.residual_history;
        CHECK(h.front() == doctest::Approx(1.0));
        for (std::size_t i = 1; i < h.size(); ++i) CHECK(h[i] <= h[i - 1] * (1 + 1e-9));
    }
    // Without restarts it ends in at most n steps, which requires a basis that stays orthogonal.
    auto const m = random_matrix(90, false, 11);
    auto hard = m;
    for (int i = 0; i < hard.n; ++i) hard(i, i) -= 0.9 * (hard(i, i) - 0.05);
    auto const rhs = random_vector<double>(90, 2);
    auto const [full, y] =
        solve_on(exec, "gmres", "none", to_csr<double>(hard), rhs, {.tolerance = 1e-12, .restart = 90});
    CHECK(full.converged);
    CHECK(full.iterations <= 90);
    CHECK(distance(y, lapack_solve(hard, rhs)) < 1e-8);
}

TEST_CASE_TEMPLATE("IDR(s) ends after n + n/s products, for any s", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    int const n = 56;
    auto const m = random_matrix(n, false, 11);
    auto const b = random_vector<double>(n, 2);
    auto const expected = lapack_solve(m, b);
    for (int s = 1; s <= krylov_options::max_shadow_space; ++s) {
        CAPTURE(s);
        auto const [result, x] =
            solve_on(exec, "idrs", "none", to_csr<double>(m), b, {.tolerance = 1e-11, .shadow_space = s});
        CHECK(result.converged);
        CHECK(result.iterations <= n + n / s + 4);
        CHECK(distance(x, expected) < 1e-8);
    }
    // On a larger grid, for which no method takes as many as n steps, IDR(s) needs at most as many products as
    // BiCGStab, which needs two per iteration.
    auto const a = generate<double>(host_executor{1}, "convection", {.nx = 60});
    auto const rhs = random_vector<double>(a.rows(), 5);
    auto const idr = solve_on(exec, "idrs", "jacobi", a, rhs, {.tolerance = 1e-8}).result;
    auto const bi = solve_on(exec, "bicgstab", "jacobi", a, rhs, {.tolerance = 1e-8}).result;
    CHECK(idr.converged);
    CHECK(idr.iterations <= 2 * bi.iterations);
}

TEST_CASE_TEMPLATE("starting guess, zero right-hand side, no rows", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const m = random_matrix(40, true, 1);
    auto const a = to_csr<double>(m);
    auto const b = random_vector<double>(40, 1);
    auto const exact = lapack_solve(m, b);
    for (auto const method : krylov_names) {
        CAPTURE(method);
        auto const [unchanged, x] = solve_on(exec, method, "jacobi", a, b, {.tolerance = 1e-10}, exact);
        CHECK(unchanged.iterations == 0);
        CHECK(unchanged.converged);
        CHECK(x == exact);
        CHECK(unchanged.residual_history.size() == 1);

        auto const cold = solve_on(exec, method, "jacobi", a, b, {.tolerance = 1e-10});
        auto near = exact;
        near[3] += 1e-8;
        auto const warm = solve_on(exec, method, "jacobi", a, b, {.tolerance = 1e-10}, near);
        CHECK(warm.result.converged);
        CHECK(warm.result.iterations < cold.result.iterations);

        auto const [zero, y] = solve_on(exec, method, "jacobi", a, std::vector<double>(40), {}, exact);
        CHECK(zero.reason == krylov_reason::zero_rhs);
        CHECK(zero.converged);
        CHECK(zero.relative_residual == 0);
        CHECK(y == std::vector<double>(40));

        auto const none = solve_on(exec, method, "forest", to_csr<double>(dense(0)), std::vector<double>{}, {});
        CHECK(none.result.converged);

        // The squares underflow, but b is not zero: x = 0 would be wrong.
        std::vector<double> const small(40, 1e-170);
        auto const tiny = solve_on(exec, method, "none", a, small, {.tolerance = 1e-8});
        CHECK(tiny.result.converged);
        CHECK(residual_of(a, small, tiny.x) < 1.1e-8);
    }
}

namespace {

/// Solves A x = 2^k b for many k over the range of T: the bits of k = 0, times 2^k.
template <class Executor, class T>
void check_scales(Executor const& exec, int smallest, int largest, int step, double tolerance) {
    auto const a = generate<T>(host_executor{1}, "laplace2d", {.nx = 8});
    auto const b = random_vector<T>(64, 6), guess = random_vector<T>(64, 7);
    auto const times = [](std::vector<T> v, int k) {
        for (T& e : v) e = std::ldexp(e, k);
        return v;
    };
    for (auto const method : krylov_names)
        for (auto const preconditioner : {"none", "jacobi", "forest"}) {
            krylov_options const options{.tolerance = tolerance, .absolute_tolerance = 0};
            auto const plain = solve_on(exec, method, preconditioner, a, b, options, guess);
            CHECK(plain.result.converged);
            for (int k = smallest; k <= largest; k += step) {
                CAPTURE(method);
                CAPTURE(preconditioner);
                CAPTURE(k);
                auto const far = solve_on(exec, method, preconditioner, a, times(b, k), options, times(guess, k));
                CHECK(far.result.converged);
                CHECK(far.result.relative_residual == plain.result.relative_residual);
                CHECK(far.result.residual_history == plain.result.residual_history);
                CHECK(far.x == times(plain.x, k));
                CHECK(residual_of(a, times(b, k), far.x) <= 1.1 * tolerance);
            }
        }
}

} // namespace

TEST_CASE_TEMPLATE("Krylov methods: a right-hand side of any magnitude", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    check_scales<std::remove_const_t<decltype(exec)>, double>(exec, -960, 1015, 79, 1e-10);
    check_scales<std::remove_const_t<decltype(exec)>, float>(exec, -100, 120, 22, 1e-5);
}

namespace {

/// Solves 2^k A x = b: products exceed the scaling window of b, and squares of A exceed the range of T. minres
/// multiplies Lanczos vectors of the magnitude of A, so the squares of its matrices must be in the range.
template <class T, class Executor>
void check_scaled_matrix(Executor const& exec, std::initializer_list<int> exponents, double tolerance) {
    auto const plain = generate<T>(host_executor{1}, "laplace2d", {.nx = 8});
    auto const b = random_vector<T>(64, 6);
    for (int const k : exponents) {
        auto a = host_executor{1}.copy(plain);
        for (std::int64_t i = 0; i < a.nonzeros(); ++i) a.values().data()[i] = std::ldexp(a.values().data()[i], k);
        for (auto const method : krylov_names)
            for (auto const preconditioner : {"none", "jacobi", "forest"}) {
                if (method == "minres" && std::abs(k) > std::numeric_limits<T>::max_exponent / 4) continue;
                CAPTURE(k);
                CAPTURE(method);
                CAPTURE(preconditioner);
                auto const end = solve_on(exec, method, preconditioner, a, b, {.tolerance = tolerance});
                CHECK(end.result.converged);
                CHECK(residual_of(a, b, end.x) <= 1.1 * tolerance);
            }
    }
}

} // namespace

TEST_CASE_TEMPLATE("Krylov methods: a matrix whose squares exceed the range", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    check_scaled_matrix<float>(exec, {-80, -70, -63, -31, 31, 63, 70, 80}, 1e-5);
    check_scaled_matrix<double>(exec, {-480, -300, -100, 100, 300, 480}, 1e-10);
}

TEST_CASE_TEMPLATE("Krylov methods: rounding does not decide how a solve ends", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::normal_distribution<double> value;
    for (int const n : {200, 400}) // far from converging within the limit, so that the count would depend on rounding
        for (unsigned seed = 1; seed <= 4; ++seed) {
            std::mt19937 random(seed);
            dense m(n); // ill-conditioned: random bands, rows of very different sizes
            for (int i = 0; i < n; ++i) {
                double const size = std::pow(10, value(random));
                for (int const j : {i - 7, i - 1, i, i + 1, i + 7})
                    if (j >= 0 && j < n) m(i, j) = size * value(random);
            }
            auto const a = to_csr<double>(m);
            auto const b = random_vector<double>(n, seed);
            for (auto const method : {"bicgstab", "gmres"}) {
                CAPTURE(n);
                CAPTURE(seed);
                CAPTURE(method);
                std::set<krylov_reason> reasons;
                // Perturbs b by rounding errors, as another order of summation would perturb the dot products: the
                // reason why the solve ends must not change.
                for (unsigned k = 0; k < 6; ++k) {
                    std::mt19937 bits(k);
                    auto other = b;
                    for (double& e : other) e *= 1 + (int(bits() % 3) - 1) * 2.2e-16;
                    reasons.insert(solve_on(exec, method, "none", a, other,
                                            {.tolerance = 1e-8, .max_iterations = 500, .record_history = false})
                                       .result.reason);
                }
                CHECK(reasons.size() == 1);
            }
        }
}

TEST_CASE_TEMPLATE("Krylov methods: a residual of 1e-7 is not reported as 0", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = generate<double>(host_executor{1}, "laplace2d", {.nx = 8});
    for (double const size : {1e-160, 2e-154, 1e-150, 1e-146, 1e-106, 1e106, 1e150, 1e154, 1e200})
        for (auto const method : krylov_names) {
            CAPTURE(size);
            CAPTURE(method);
            auto b = random_vector<double>(64, 3);
            for (double& e : b) e *= size;
            auto const end = solve_on(exec, method, "none", a, b, {.tolerance = 1e-12});
            CHECK(end.result.converged);
            CHECK(end.result.relative_residual > 0);
            CHECK(residual_of(a, b, end.x) == doctest::Approx(end.result.relative_residual).epsilon(0.5));
        }
}

TEST_CASE_TEMPLATE("Krylov methods: the ends of the range", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = generate<double>(host_executor{1}, "laplace2d", {.nx = 8});
    for (auto const method : krylov_names) {
        CAPTURE(method);
        // The solution is a small multiple of the least subnormal number: the returned residual is that of the rounded
        // solution.
        auto const low = solve_on(exec, method, "none", a, std::vector<double>(64, 0x1p-1074), {.tolerance = 1e-10});
        CHECK(low.result.reason == krylov_reason::stagnated);
        CHECK(residual_of(a, std::vector<double>(64, 0x1p-1074), low.x) ==
              doctest::Approx(low.result.relative_residual).epsilon(1e-3));
        // The solution overflows: all 64 elements of b are 2^1023, and x is up to 4 times as large.
        auto const high = solve_on(exec, method, "none", a, std::vector<double>(64, 0x1p1023), {.tolerance = 1e-10});
        CHECK(!high.result.converged);
        for (double const e : high.x) CHECK(std::isfinite(e));
        // The absolute tolerance refers to the unscaled system.
        std::vector<double> const small(64, 1e-200);
        auto const loose = solve_on(exec, method, "none", a, small, {.tolerance = 0, .absolute_tolerance = 1e-203});
        CHECK(loose.result.converged);
        CHECK(residual_of(a, small, loose.x) <= 1.25e-4); // |b| = 8e-200
        CHECK(loose.result.iterations > 0);
    }
}

TEST_CASE_TEMPLATE("Krylov methods: x that leaves the range is not worse than the guess", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const norm_of_residual = [](csr<double> const& a, std::vector<double> const& b, std::vector<double> const& x) {
        long double sum = 0;
        for (std::int64_t i = 0; i < a.rows(); ++i) {
            long double r = b[std::size_t(i)];
            for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
                r -= (long double)(a.values()[k]) * x[std::size_t(a.column_indices()[k])];
            sum += r * r;
        }
        return std::sqrt(sum);
    };
    // Rows of different scales: elements of the solution overflow, or become subnormal.
    std::int64_t const n = 24;
    dense m(n);
    std::mt19937 random(4);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            if (i == j || random() % 3 == 0) m(i, j) = std::ldexp(double(random() % 64) - 31.5, (i * 5) % 17 - 12);
    auto const a = to_csr<double>(m);
    for (int const power : {-1014, 1014, 1020})
        for (int const of_guess : {0, 1, 40}) // below b; 0: zero
            for (auto const method : krylov_names) {
                CAPTURE(power);
                CAPTURE(of_guess);
                CAPTURE(method);
                auto b = random_vector<double>(n, 3), guess = random_vector<double>(n, 5);
                for (double& e : b) e = std::ldexp(e, power);
                for (double& e : guess) e = of_guess == 0 ? 0 : std::ldexp(e, power - of_guess);
                auto const there = exec.copy(a);
                auto const right = exec.copy(b);
                auto x = exec.copy(guess);
                auto const result = solve(exec, method, csr_operator(exec, there.view()),
                                          make_preconditioner(exec, "none", there.view()), right.view(), x.view(),
                                          {.tolerance = 1e-10, .max_iterations = 60});
                auto const at_end = to_vector(exec, x);
                auto const before = norm_of_residual(a, b, guess), after = norm_of_residual(a, b, at_end);
                long double const size = norm_of_residual(a, b, std::vector<double>(std::size_t(n), 0.0));
                CHECK(after <= before);
                CHECK(result.relative_residual == doctest::Approx(double(after / size)).epsilon(1e-6));
                if (after == before) CHECK(at_end == guess);
            }
}

TEST_CASE_TEMPLATE("Krylov methods: after an exception of an operator x has its original scale", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    struct failing {
        int* left;
        std::int64_t n;
        std::int64_t size() const { return n; }
        void apply(std::remove_const_t<decltype(exec)> const& on, array_view<double const> x,
                   array_view<double> y) const {
            if ((*left)-- == 0) throw std::runtime_error("no product");
            on.copy_elements(x.data(), y.data(), x.size());
        }
    };
    int left = 0;
    std::vector<double> const guess(5, 3e-250);
    auto const b = exec.copy(std::vector<double>(5, 1e-250));
    auto x = exec.copy(guess);
    auto const local = exec.copy(to_csr<double>(random_matrix(5, true, 1)));
    auto const m = make_preconditioner(exec, "none", local.view());
    any_operator<std::remove_const_t<decltype(exec)>, double> const op(failing{&left, 5});
    CHECK_THROWS_AS(solve(exec, "cg", op, m, b.view(), x.view(), {}), std::runtime_error);
    CHECK(to_vector(exec, x) == guess);
}

TEST_CASE_TEMPLATE("limit of iterations, cancellation, no history", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = generate<double>(host_executor{1}, "laplace2d", {.nx = 50});
    auto const b = random_vector<double>(a.rows(), 1);
    for (auto const method : krylov_names) {
        CAPTURE(method);
        auto const [limited, x] = solve_on(exec, method, "none", a, b, {.max_iterations = 7, .restart = 4});
        CHECK(limited.reason == krylov_reason::max_iterations);
        CHECK(!limited.converged);
        CHECK(limited.iterations == 7);
        CHECK(residual_of(a, b, x) == doctest::Approx(limited.relative_residual).epsilon(1e-6));

        auto const [none, y] = solve_on(exec, method, "none", a, b, {.max_iterations = 0});
        CHECK(none.reason == krylov_reason::max_iterations);
        CHECK(none.iterations == 0);
        CHECK(none.relative_residual == doctest::Approx(1));

        std::int64_t calls = 0;
        // A device iterates until it reads that the host has cancelled, which may be after many iterations.
        krylov_options options{.tolerance = 0, .record_history = false};
        options.progress = [&](std::int64_t iteration, double residual) {
            CHECK(iteration == ++calls);
            CHECK(residual > 0);
            return iteration < 5;
        };
        auto const [cancelled, z] = solve_on(exec, method, "none", a, b, options);
        CHECK(cancelled.reason == krylov_reason::cancelled);
        CHECK(calls == 5);
        CHECK(cancelled.residual_history.empty());
        CHECK(residual_of(a, b, z) == doctest::Approx(cancelled.relative_residual).epsilon(1e-6));
    }
}

TEST_CASE_TEMPLATE("iterations need no host", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const a = generate<double>(host_executor{1}, "laplace2d", {.nx = 50, .ny = 47});
    auto const b = random_vector<double>(int(a.rows()), 1);
    for (auto const method : krylov_names)
        for (auto const name : preconditioner_names) {
            if (!fits(name, method, a)) continue;
            CAPTURE(method);
            CAPTURE(name);
            auto const whole = solve_on(exec, method, name, a, b, {.tolerance = 1e-9});
            CHECK(whole.result.converged);
            auto const copy = exec.copy(a);
            bool const same_work = make_preconditioner(exec, name, copy.view()).replayable();
            CHECK(whole.result.on_device == (same_work && test::expected<Executor>::loops_without_host));
            CHECK(whole.result.residual_history.size() == std::size_t(whole.result.iterations) + 1);
            // With a progress callback and without a history, the steps are the same.
            std::vector<double> told;
            krylov_options options{.tolerance = 1e-9, .record_history = false};
            options.progress = [&](std::int64_t iteration, double residual) {
                CHECK(iteration == std::int64_t(told.size()) + 1);
                told.push_back(residual);
                return true;
            };
            auto const watched = solve_on(exec, method, name, a, b, options);
            CHECK(watched.x == whole.x);
            CHECK(watched.result.iterations == whole.result.iterations);
            REQUIRE(told.size() + 1 == whole.result.residual_history.size());
            for (std::size_t i = 0; i + 1 < told.size(); ++i) // at the end of a cycle: the true residual
                CHECK(told[i] == doctest::Approx(whole.result.residual_history[i + 1]).epsilon(1e-4));
            // The host must call this operator and preconditioner in every iteration. The solution is bitwise equal to
            // that of the first solve.
            auto const local = exec.copy(a);
            csr_operator<Executor, double> const op(exec, local.view());
            auto const m = make_preconditioner(exec, name, local.view());
            int calls = 0;
            counted_calls<std::remove_const_t<decltype(m)>> const counted{m, &calls};
            auto const rhs = exec.copy(b);
            auto x = exec.copy(std::vector<double>(b.size()));
            auto const by = [&]<class Solver>(std::type_identity<Solver>) {
                return Solver(exec, a.rows(), {.tolerance = 1e-9}).solve(op, counted, rhs.view(), x.view());
            };
            auto const result = method == "cg"         ? by(std::type_identity<cg<Executor, double>>{})
                                : method == "minres"   ? by(std::type_identity<minres<Executor, double>>{})
                                : method == "bicgstab" ? by(std::type_identity<bicgstab<Executor, double>>{})
                                : method == "tfqmr"    ? by(std::type_identity<tfqmr<Executor, double>>{})
                                : method == "idrs"     ? by(std::type_identity<idrs<Executor, double>>{})
                                : method == "gmres"    ? by(std::type_identity<gmres<Executor, double>>{})
                                                       : by(std::type_identity<fgmres<Executor, double>>{});
            CHECK(!result.on_device);
            CHECK(calls >= result.iterations);
            CHECK(result.iterations == whole.result.iterations);
            if (name != "none") CHECK(to_vector(exec, x) == whole.x); // "none": z is r itself; here it is a copy
        }
}

TEST_CASE_TEMPLATE("a long solve keeps its whole history", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::vector<std::int32_t> offsets{0}, columns;
    std::vector<double> values;
    for (std::int32_t i = 0; i < 2500; ++i) { // -1 2 -1
        for (std::int32_t j = std::max(i - 1, 0); j <= std::min(i + 1, 2499); ++j) {
            columns.push_back(j);
            values.push_back(i == j ? 2 : -1);
        }
        offsets.push_back(std::int32_t(columns.size()));
    }
    host_executor const host{1};
    csr<double> const a(2500, 2500, host.copy(offsets), host.copy(columns), host.copy(values));
    auto const b = random_vector<double>(2500, 1);
    for (std::string_view const method : {"cg", "gmres"}) {
        CAPTURE(method);
        std::int64_t calls = 0;
        krylov_options options{.tolerance = 1e-8, .max_iterations = 2300, .restart = 20};
        options.progress = [&](std::int64_t iteration, double) { return iteration == ++calls; };
        auto const [result, x] = solve_on(exec, method, "none", a, b, options);
        CHECK(result.iterations == 2300); // longer than the buffer that the host fetches
        CHECK(calls == 2300);
        auto const& h = result.residual_history;
        REQUIRE(h.size() == 2301);
        for (double const residual : h) REQUIRE(residual > 0);
        if (method == "gmres")
            for (std::size_t i = 1; i < h.size(); ++i) REQUIRE(h[i] <= h[i - 1] * (1 + 1e-9));
    }
}

TEST_CASE_TEMPLATE("MINRES solves indefinite systems, in as many steps as there are eigenvalues", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto m = random_matrix(120, true, 4);
    for (int i = 0; i < 120; ++i) m(i, i) -= i % 3 == 0 ? 4.0 : 0.0; // indefinite
    auto const b = random_vector<double>(120, 1);
    for (auto const name : {"none", "jacobi"}) {
        CAPTURE(name);
        auto const a = to_csr<double>(m);
        auto const [result, x] = solve_on(exec, "minres", "none", a, b, {.tolerance = 1e-11});
        CHECK(result.converged);
        CHECK(distance(x, lapack_solve(m, b)) < 1e-8);
        for (std::size_t i = 1; i < result.residual_history.size(); ++i) // without a preconditioner it is monotone
            CHECK(result.residual_history[i] <= result.residual_history[i - 1] * (1 + 1e-6));
    }
    dense few(60); // eigenvalues -2, 1, 3
    for (int i = 0; i < 60; ++i) few(i, i) = i % 3 == 0 ? -2 : i % 3 == 1 ? 1 : 3;
    auto const [three, y] = solve_on(exec, "minres", "none", to_csr<double>(few), random_vector<double>(60, 2), {});
    CHECK(three.converged);
    CHECK(three.iterations == 3);
}

TEST_CASE_TEMPLATE("FGMRES allows a preconditioner that changes", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const a = exec.copy(generate<double>(host_executor{1}, "convection", {.nx = 30}));
    csr_operator<Executor, double> const op(exec, a.view());
    struct changing {
        csr_operator<Executor, double> const& a;
        mutable int calls = 0;
        void apply(Executor const& e, array_view<double const> r, array_view<double> z) const {
            fill(e, z, 0.0);
            gmres<Executor, double> few(e, r.size(), {.tolerance = 0, .max_iterations = 2 + calls++ % 3});
            few.solve(a, identity_preconditioner{}, r, z);
        }
    };
    auto const b = random_vector<double>(int(a.rows()), 1);
    auto const plain = solve_with<gmres<Executor, double>>(exec, op, identity_preconditioner{}, b,
                                                           std::vector<double>(b.size()), {.tolerance = 1e-9});
    auto const flexible = solve_with<fgmres<Executor, double>>(exec, op, changing{op}, b, std::vector<double>(b.size()),
                                                               {.tolerance = 1e-9});
    CHECK(flexible.result.converged);
    CHECK(2 * flexible.result.iterations < plain.result.iterations);
    auto const host = host_executor{1}.copy(a);
    CHECK(residual_of(host, b, flexible.x) <= 1.01e-9);
}

TEST_CASE_TEMPLATE("a solve that is too slow is ended", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = generate<double>(host_executor{1}, "convection", {.nx = 60});
    auto const symmetric = generate<double>(host_executor{1}, "laplace2d", {.nx = 60});
    auto const b = random_vector<double>(int(a.rows()), 1);
    for (auto const method : krylov_names) {
        CAPTURE(method);
        auto const& of = method == "cg" || method == "minres" ? symmetric : a;
        krylov_options options{.tolerance = 1e-8, .restart = 1000};
        auto const whole = solve_on(exec, method, "jacobi", of, b, options).result;
        REQUIRE(whole.converged);
        REQUIRE(whole.iterations > 24);
        // The remaining iterations would exceed any limit.
        options.max_remaining = 1;
        auto const slow = solve_on(exec, method, "jacobi", of, b, options).result;
        CHECK_FALSE(slow.converged);
        CHECK(slow.reason == krylov_reason::slow);
        CHECK(slow.iterations == 8);
        CHECK(slow.residual_history.size() == 9);
        CHECK(slow.relative_residual <= 1.01);
        // A larger limit than needed changes nothing.
        options.max_remaining = 100 * whole.iterations;
        auto const patient = solve_on(exec, method, "jacobi", of, b, options).result;
        CHECK(patient.converged);
        CHECK(patient.residual_history == whole.residual_history);
    }
    CHECK_THROWS_AS(solve_on(exec, "cg", "none", a, b, {.max_remaining = -1}), argument_error);
}

TEST_CASE_TEMPLATE("an absolute tolerance", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = generate<double>(host_executor{1}, "laplace2d", {.nx = 30});
    auto b = random_vector<double>(int(a.rows()), 1);
    for (double& value : b) value *= 1e-3;
    double norm = 0;
    for (double const value : b) norm += value * value;
    norm = std::sqrt(norm);
    for (auto const method : krylov_names) {
        CAPTURE(method);
        auto const [result, x] = solve_on(exec, method, "none", a, b, {.tolerance = 0, .absolute_tolerance = 1e-6});
        CHECK(result.converged);
        CHECK(result.relative_residual * norm <= 1e-6);
        CHECK(result.relative_residual * norm > 1e-9); // and ends soon after
        auto const [none, y] = solve_on(exec, method, "none", a, b, {.absolute_tolerance = 1});
        CHECK(none.converged);
        CHECK(none.iterations == 0);
    }
    CHECK_THROWS_WITH_AS(solve_on(exec, "cg", "none", a, b, {.absolute_tolerance = -1e-9}),
                         "absolute_tolerance is -1e-09, expected a number >= 0", argument_error);
}

TEST_CASE_TEMPLATE("breakdowns have a reason", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const reason = [&](std::string_view method, dense const& m, std::vector<double> const& b,
                            krylov_options const& options = {}) {
        return solve_on(exec, method, "none", to_csr<double>(m), b, options).result.reason;
    };
    auto const skew = of_rows({{0, 1}, {-1, 0}});
    CHECK(reason("cg", skew, {1, 0}) == krylov_reason::breakdown);
    CHECK(reason("bicgstab", skew, {1, 0}) == krylov_reason::breakdown);
    CHECK(reason("tfqmr", skew, {1, 0}) == krylov_reason::breakdown);
    CHECK(reason("gmres", skew, {1, 0}) == krylov_reason::converged);
    CHECK(reason("minres", of_rows({{0, 1}, {1, 0}}), {1, 0}) == krylov_reason::converged);
    CHECK(reason("minres", of_rows({{1, 0}, {0, -1}}), {1, 1}) == krylov_reason::converged);
    CHECK(reason("cg", of_rows({{1, 0}, {0, -1}}), {1, 1}) == krylov_reason::breakdown);  // (p, A p) = 0
    CHECK(reason("cg", of_rows({{-1, 0}, {0, -2}}), {1, 1}) == krylov_reason::breakdown); // negative definite

    // Inconsistent: the residual cannot be smaller than the component of b outside the range.
    auto const singular = of_rows({{1, -1, 0}, {-1, 2, -1}, {0, -1, 1}});
    for (auto const method : krylov_names) {
        CAPTURE(method);
        auto const [impossible, x] =
            solve_on(exec, method, "none", to_csr<double>(singular), {1.0, 2.0, 0.5}, {.max_iterations = 500});
        CHECK(!impossible.converged);
        CHECK(impossible.relative_residual > 0.1);
        CHECK(reason(method, singular, {1, 0, -1}) == krylov_reason::converged); // in the range: a solution exists
        CHECK(reason(method, dense(3), {1, 0, -1}) == krylov_reason::breakdown); // A = 0
    }
    // A cyclic shift: GMRES(2) does not reduce the residual in any cycle.
    auto const shift = of_rows({{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}});
    CHECK(reason("gmres", shift, {1, 0, 0, 0}, {.restart = 2}) == krylov_reason::stagnated);
    CHECK(reason("gmres", shift, {1, 0, 0, 0}, {.restart = 4}) == krylov_reason::converged);
}

TEST_CASE_TEMPLATE("NaN and infinity end a solve and keep the guess", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const m = random_matrix(30, true, 4);
    auto const good = random_vector<double>(30, 2);
    auto const guess = random_vector<double>(30, 3);
    for (double const bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        for (auto const method : krylov_names) {
            CAPTURE(method);
            auto b = good;
            b[17] = bad;
            auto const [in_b, x] = solve_on(exec, method, "none", to_csr<double>(m), b, {}, guess);
            CHECK(in_b.reason == krylov_reason::not_finite);
            CHECK(in_b.iterations == 0);
            CHECK(x == guess);

            auto poisoned = m;
            poisoned(11, 11) = bad;
            auto const [in_a, y] = solve_on(exec, method, "none", to_csr<double>(poisoned), good, {}, guess);
            CHECK(in_a.reason == krylov_reason::not_finite);
            CHECK(in_a.iterations == 0);
            CHECK(y == guess);
            // Only the preconditioner is invalid: it is refreshed from a matrix with a NaN.
            auto const a = exec.copy(to_csr<double>(m));
            auto const broken = exec.copy(to_csr<double>(poisoned));
            csr_operator<std::remove_const_t<decltype(exec)>, double> const op(exec, a.view());
            auto p = make_preconditioner(exec, "jacobi", a.view());
            p.refresh(exec, broken.view());
            auto const rhs = exec.copy(good);
            auto z = exec.copy(guess);
            auto const in_m = solve(exec, method, op, p, rhs.view(), z.view());
            if (bad != bad) { // 1 / infinity is a finite preconditioner
                CHECK(in_m.reason == krylov_reason::not_finite);
                CHECK(std::isfinite(in_m.relative_residual));
                CHECK(to_vector(exec, z) == guess);
            }
        }
    }
}

TEST_CASE_TEMPLATE("the best x is returned if the preconditioner fails", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    auto m = random_matrix(60, true, 4);
    auto const guess = random_vector<double>(60, 3);
    for (bool const empty_column : {false, true}) { // A does not read the element that becomes NaN
        if (empty_column)
            for (int i = 0; i < 60; ++i) m(i, 30) = m(30, i) = 0;
        auto const host = to_csr<double>(m);
        auto b = random_vector<double>(60, 2);
        if (empty_column) b[30] = 0;
        auto const local = exec.copy(host);
        csr_operator<Executor, double> const op(exec, local.view());
        double const start = residual_of(host, b, guess);
        for (int const sound : {0, 1, 2, 5}) {
            CAPTURE(empty_column);
            CAPTURE(sound);
            krylov_options const options{.tolerance = 1e-14, .restart = 4};
            int calls = 0;
            auto const check = [&](outcome<double> const& end) {
                calls = 0;
                CHECK(!end.result.converged);
                CHECK(end.result.reason == krylov_reason::not_finite);
                for (double const value : end.x) REQUIRE(std::isfinite(value));
                CHECK(residual_of(host, b, end.x) <= start * (1 + 1e-12));
                CHECK(residual_of(host, b, end.x) == doctest::Approx(end.result.relative_residual).epsilon(1e-3));
            };
            breaks_down const p{&calls, sound};
            check(solve_with<cg<Executor, double>>(exec, op, p, b, guess, options));
            check(solve_with<bicgstab<Executor, double>>(exec, op, p, b, guess, options));
            check(solve_with<tfqmr<Executor, double>>(exec, op, p, b, guess, options));
            check(solve_with<idrs<Executor, double>>(exec, op, p, b, guess, options));
            check(solve_with<gmres<Executor, double>>(exec, op, p, b, guess, options));
            check(solve_with<fgmres<Executor, double>>(exec, op, p, b, guess, options));
            check(solve_with<minres<Executor, double>>(exec, op, p, b, guess, options));
        }
    }
}

TEST_CASE_TEMPLATE("no solve ends with a larger residual than initially or than in any iteration", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host{1};
    std::vector<std::pair<std::string, csr<double>>> all;
    for (auto const name : {"real/rajat01", "real/bcsstm22", "graph/karate", "graph/chesapeake", "graph/polbooks",
                            "graph/minnesota", "graph/can_1072", "real/nnc1374", "real/qh882", "banded/olm1000"})
        if (auto const file = dataset(std::string(name) + ".mtx.gz"))
            all.emplace_back(name, read_matrix_market<double>(host, *file));
    dense zero_diagonal(101); // a path, which is singular, and a separate cycle
    for (int i = 1; i < 50; ++i) zero_diagonal(i, i - 1) = zero_diagonal(i - 1, i) = 1;
    for (int i = 50; i < 101; ++i) zero_diagonal(i, i < 100 ? i + 1 : 50) = 1;
    all.emplace_back("zero diagonal", to_csr<double>(zero_diagonal));
    for (auto const& [matrix, a] : all) {
        auto const b = random_vector<double>(int(a.rows()), 5);
        for (auto const method : krylov_names)
            for (auto const name : {"none", "tridiagonal", "forest"}) {
                auto const& case_matrix = matrix;
                CAPTURE(case_matrix);
                CAPTURE(method);
                CAPTURE(name);
                auto const [result, x] = solve_on(exec, method, name, a, b, {.max_iterations = 150});
                for (double const value : x) REQUIRE(std::isfinite(value));
                double const residual = residual_of(a, b, x);
                CHECK(residual <= 1 + 1e-12); // from x = 0
                CHECK(residual == doctest::Approx(result.relative_residual).epsilon(0.01));
                CHECK(result.reason != krylov_reason::not_finite);
                if (is_gmres(method)) continue; // within a cycle x is not formed
                double smallest = 1;
                for (double const r : result.residual_history)
                    if (r > 1e-3) smallest = std::min(smallest, r); // smaller ones may deviate from the true residual
                CHECK(residual <= 1.05 * smallest);
            }
    }
}

TEST_CASE_TEMPLATE("small systems for which the recurrence residual deviates from the true one", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    dense laplacian(2); // singular, and b is not in its range
    laplacian(0, 0) = laplacian(1, 1) = 1;
    laplacian(0, 1) = laplacian(1, 0) = -1;
    dense empty_row(3);
    empty_row(0, 0) = 9.6049670862378633;
    empty_row(0, 1) = empty_row(1, 0) = -9.4873152511348007;
    empty_row(1, 1) = 10.57666906445592;
    dense turning(3);
    turning(0, 1) = 0.9011666245962825;
    turning(1, 2) = 0.025170583893774766;
    turning(2, 0) = 1.4446120936385565;
    std::vector<std::pair<csr<double>, std::vector<double>>> all;
    all.emplace_back(to_csr<double>(laplacian), std::vector<double>{1, 0.5});
    all.emplace_back(to_csr<double>(empty_row),
                     std::vector<double>{-0.59271783905908959, 0.20303204499288019, -0.25175712866029787});
    all.emplace_back(to_csr<double>(turning),
                     std::vector<double>{-0.6466497812258849, 0.49759274926674224, 0.70733974063519733});
    for (auto const& [a, b] : all)
        for (auto const method : krylov_names)
            for (auto const name : {"none", "tridiagonal", "forest", "ilu0"})
                for (int const limit : {1, 2, 3, 4, 20, 50}) {
                    auto const rows = a.rows();
                    CAPTURE(rows);
                    CAPTURE(method);
                    CAPTURE(name);
                    CAPTURE(limit);
                    auto const [result, x] =
                        solve_on(exec, method, name, a, b, {.tolerance = 1e-12, .max_iterations = limit});
                    for (double const value : x) CHECK(std::isfinite(value));
                    CHECK(residual_of(a, b, x) <= 1 + 1e-12); // from x = 0
                    CHECK(result.relative_residual <= 1 + 1e-12);
                }
}

TEST_CASE_TEMPLATE("tolerances below the precision, no iterations, restart > n, NaN that is reported", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = to_csr<double>(random_matrix(60, true, 8));
    auto const b = random_vector<double>(60, 5), guess = random_vector<double>(60, 6);
    for (auto const method : krylov_names) {
        CAPTURE(method);
        for (double const tolerance : {0.0, 1e-30}) { // the solve ends at the attainable accuracy
            auto const [result, x] = solve_on(exec, method, "jacobi", a, b, {.tolerance = tolerance}, guess);
            CHECK(result.reason != krylov_reason::not_finite);
            CHECK(result.iterations < 10000);
            CHECK(residual_of(a, b, x) < 1e-13);
            CHECK(residual_of(a, b, x) == doctest::Approx(result.relative_residual).epsilon(0.5));
        }
        auto const [none, unchanged] = solve_on(exec, method, "jacobi", a, b, {.max_iterations = 0}, guess);
        CHECK(none.reason == krylov_reason::max_iterations);
        CHECK(none.iterations == 0);
        CHECK(unchanged == guess);
        auto const [all, y] = solve_on(exec, method, "none", a, b, {.tolerance = 1e-10, .restart = 1000});
        CHECK(all.converged);
        CHECK(residual_of(a, b, y) <= 1.01e-10);
        auto bad = b;
        bad[41] = std::numeric_limits<double>::quiet_NaN();
        CHECK(solve_on(exec, method, "none", a, bad, {}).result.fault ==
              "element 41 of the right-hand side b is not finite");
        bad = guess;
        bad[7] = std::numeric_limits<double>::infinity();
        CHECK(solve_on(exec, method, "none", a, b, {}, bad).result.fault ==
              "element 7 of the initial guess is not finite");
    }
}

TEST_CASE_TEMPLATE("bad arguments are rejected", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = to_csr<double>(random_matrix(5, true, 4));
    std::vector<double> const b(5, 1.0);
    for (auto const method : krylov_names) {
        CHECK_THROWS_AS(solve_on(exec, method, "none", a, b, {.tolerance = -1}), argument_error);
        CHECK_THROWS_AS(solve_on(exec, method, "none", a, b, {.tolerance = std::nan("")}), argument_error);
        CHECK_THROWS_AS(solve_on(exec, method, "none", a, b, {.max_iterations = -1}), argument_error);
        CHECK_THROWS_AS(solve_on(exec, method, "none", a, b, {.restart = 0}), argument_error);
        CHECK_THROWS_AS(solve_on(exec, method, "none", a, b, {.shadow_space = 0}), argument_error);
        CHECK_THROWS_AS(solve_on(exec, method, "none", a, b, {.shadow_space = 9}), argument_error);
        CHECK_THROWS_AS(solve_on(exec, method, "none", a, std::vector<double>(4, 1.0), {}), dimension_error);
    }
    CHECK_THROWS_WITH_AS(solve_on(exec, "sor", "none", a, b, {}),
                         "unknown Krylov method \"sor\", expected one of: cg, minres, bicgstab, tfqmr, idrs, "
                         "gmres, fgmres",
                         argument_error);
    auto const local = exec.copy(a);
    auto const m = make_preconditioner(exec, "none", local.view());
    csr_operator<std::remove_const_t<decltype(exec)>, double> const op(exec, local.view());
    auto x = exec.copy(std::vector<double>(9, 1.0));
    CHECK_THROWS_AS(solve(exec, "cg", op, m, x.view().slice(0, 5), x.view().slice(4, 5)), argument_error);
    CHECK_THROWS_AS(solve(exec, "cg", op, m, x.view().slice(0, 5), x.view().slice(5, 4)), dimension_error);
    CHECK_THROWS_AS((csr_operator<std::remove_const_t<decltype(exec)>, double>(
                        exec, csr_view<double>{2, 3, 0, local.row_offsets().data(), nullptr, nullptr})),
                    dimension_error);
}

TEST_CASE_TEMPLATE("a solver object is reused, and every run has the same bits", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const a = exec.copy(generate<double>(host_executor{1}, "aniso1", {.nx = 90}));
    csr_operator<Executor, double> const op(exec, a.view());
    auto const m = make_preconditioner(exec, "jacobi", a.view());
    auto const b = exec.copy(random_vector<double>(a.rows(), 1));
    bicgstab<Executor, double> solver(exec, a.rows());
    std::vector<double> first;
    for (int run = 0; run < 3; ++run) {
        auto x = exec.copy(std::vector<double>(std::size_t(a.rows())));
        auto const result = solver.solve(op, m, b.view(), x.view());
        CHECK(result.converged);
        if (run == 0) first = to_vector(exec, x);
        CHECK(to_vector(exec, x) == first);
    }
}

#if !defined(COPPICE_TEST_CUDA)

TEST_CASE("one and two threads give the same bits") {
    auto const a = generate<double>(host_executor{1}, "aniso2", {.nx = 101, .ny = 97});
    auto const b = random_vector<double>(a.rows(), 9);
    for (auto const method : krylov_names)
        for (auto const name : preconditioner_names) {
            // Every method with one preconditioner, every preconditioner with one method.
            if (std::string_view(name) != "forest" && std::string_view(method) != "fgmres") continue;
            CAPTURE(method);
            CAPTURE(name);
            auto const one = solve_on(host_executor{1}, method, name, a, b, {});
            auto const two = solve_on(host_executor{2}, method, name, a, b, {});
            CHECK(one.x == two.x);
            CHECK(one.result.residual_history == two.result.residual_history);
        }
}

namespace {
/// An operator need not be a matrix.
struct second_difference {
    void apply(host_executor const&, array_view<double const> x, array_view<double> y) const {
        for (std::int64_t i = 0; i < x.size(); ++i)
            y[i] = 2 * x[i] - (i > 0 ? x[i - 1] : 0) - (i + 1 < x.size() ? x[i + 1] : 0);
    }
};
} // namespace

TEST_CASE("user-defined operators and preconditioners") {
    host_executor const exec;
    std::vector<double> const b(50, 1.0);
    std::vector<double> x(50);
    cg<host_executor, double> solver(exec, 50, {.tolerance = 1e-12});
    auto const result = solver.solve(second_difference{}, identity_preconditioner{},
                                     array_view<double const>{b.data(), 50}, array_view<double>{x.data(), 50});
    CHECK(result.converged);
    for (int i = 0; i < 50; ++i) CHECK(x[std::size_t(i)] == doctest::Approx((i + 1) * (50 - i) / 2.0));
}

#endif

TEST_CASE("krylov: names of reasons") {
    CHECK(to_string(krylov_reason::converged) == "converged");
    CHECK(to_string(krylov_reason::zero_rhs) == "zero_rhs");
    CHECK(to_string(krylov_reason::max_iterations) == "max_iterations");
    CHECK(to_string(krylov_reason::slow) == "slow");
    CHECK(to_string(krylov_reason::breakdown) == "breakdown");
    CHECK(to_string(krylov_reason::stagnated) == "stagnated");
    CHECK(to_string(krylov_reason::not_finite) == "not_finite");
    CHECK(to_string(krylov_reason::cancelled) == "cancelled");
    CHECK(to_string(krylov_reason(99)) == "unknown");
}
