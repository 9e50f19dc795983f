// SPDX-License-Identifier: BSD-3-Clause
// Krylov methods on complex systems, compared with LAPACK.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <random>
#include <vector>

#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>

#include "support/executors.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

using number = std::complex<double>;
using wide = std::complex<long double>;

enum class kind { definite, hermitian, general };

/// Row-major random matrices with entries of all phases. The diagonal is dominant: positive for definite ones, of both
/// signs for Hermitian ones, of any phase for general ones.
std::vector<number> random_matrix(int n, kind k, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> value(-1, 1);
    std::vector<number> a(std::size_t(n) * std::size_t(n));
    auto const at = [&](int i, int j) -> number& { return a[std::size_t(i) * std::size_t(n) + std::size_t(j)]; };
    for (int e = 0; e < 3 * n; ++e) {
        int const i = int(random() % unsigned(n)), j = int(random() % unsigned(n));
        if (i == j) continue;
        at(i, j) = {value(random), value(random)};
        if (k != kind::general) at(j, i) = std::conj(at(i, j));
    }
    for (int i = 0; i < n; ++i) {
        double sum = 0.1;
        for (int j = 0; j < n; ++j) sum += std::abs(at(i, j));
        if (k == kind::hermitian && i % 3 == 0) sum = -sum;
        at(i, i) = k == kind::general ? std::polar(sum, 0.9 * value(random)) : number(sum);
    }
    return a;
}

template <class T>
csr<T> to_csr(std::vector<number> const& a, int n) {
    host_executor const exec{1};
    std::vector<std::int32_t> offsets{0}, columns;
    std::vector<T> values;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j)
            if (auto const value = a[std::size_t(i) * std::size_t(n) + std::size_t(j)]; value != number(0)) {
                columns.push_back(j);
                values.push_back(T(value));
            }
        offsets.push_back(std::int32_t(columns.size()));
    }
    return {n, n, exec.copy(offsets), exec.copy(columns), exec.copy(values)};
}

std::vector<number> lapack_solve(std::vector<number> a, std::vector<number> b, int n) {
    std::vector<lapack_int> pivots(std::size_t(n), 0);
    LAPACKE_zgesv(LAPACK_ROW_MAJOR, n, 1, a.data(), n, pivots.data(), b.data(), 1);
    return b;
}

template <class T>
std::vector<T> random_vector(int n, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> value(-1, 1);
    std::vector<T> x;
    for (int i = 0; i < n; ++i) {
        double const re = value(random);
        x.push_back(T(number(re, value(random))));
    }
    return x;
}

/// |b - A x| / |b| in long double.
template <class T>
double residual_of(csr<T> const& a, std::vector<T> const& b, std::vector<T> const& x) {
    long double rr = 0, bb = 0;
    for (std::int32_t i = 0; i < a.rows(); ++i) {
        wide r = wide(b[std::size_t(i)]);
        for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            r -= wide(a.values()[k]) * wide(x[std::size_t(a.column_indices()[k])]);
        rr += std::norm(r);
        bb += std::norm(wide(b[std::size_t(i)]));
    }
    return double(std::sqrt(rr / bb));
}

template <class T, class U>
double distance(std::vector<T> const& x, std::vector<U> const& y) {
    double dd = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        dd += std::norm(number(x[i]) - number(y[i])), yy += std::norm(number(y[i]));
    return std::sqrt(dd / yy);
}

bool suits(std::string_view method, kind k) {
    if (method == "cg") return k == kind::definite;
    if (method == "minres") return k != kind::general;
    return true;
}

/// An operator other than csr_operator, which has only apply().
template <class T>
struct plain_operator {
    csr_view<T> a;
    std::int64_t size() const { return a.rows(); }
    template <class Executor>
    void apply(Executor const& exec, array_view<T const> x, array_view<T> y) const {
        spmv(exec, make_srcsr_plan(exec, a), a, x, y);
    }
};

template <class T, class Executor>
void solve_all(Executor const& exec, int n, kind k, double tolerance) {
    auto const dense = random_matrix(n, k, unsigned(n));
    auto const a = to_csr<T>(dense, n);
    auto const b = random_vector<T>(n, 7);
    auto const solution = lapack_solve(dense, {b.begin(), b.end()}, n);
    auto const local = exec.copy(a);
    auto const rhs = exec.copy(b);
    csr_operator<Executor, T> const op(exec, local.view());
    any_operator<Executor, T> const plain(plain_operator<T>{local.view()});
    for (auto const method : krylov_names)
        for (auto const name : complex_preconditioner_names) {
            // MINRES needs a positive definite preconditioner: not the diagonal or the inverse of an indefinite matrix.
            bool const inverts = name == "direct" || name == "multilevel"; // small systems
            bool const is_indefinite = (name == "jacobi" || inverts) && k != kind::definite;
            if (!suits(method, k) || (method == "minres" && is_indefinite)) continue;
            if (name == "ic0" && k == kind::general) continue; // is rejected
            if (!preconditioner_row_of(name).keeps_symmetry && (method == "cg" || method == "minres")) continue;
            CAPTURE(n);
            CAPTURE(int(k));
            CAPTURE(method);
            CAPTURE(name);
            auto const m = make_preconditioner(exec, name, local.view());
            auto x = exec.copy(std::vector<T>(b.size()));
            auto const result = solve(exec, method, op, m, rhs.view(), x.view(), {.tolerance = tolerance});
            CHECK(result.converged);
            CHECK(result.relative_residual <= tolerance);
            CHECK(residual_of(a, b, to_vector(exec, x)) <= 1.01 * tolerance + 1e-16);
            CHECK(distance(to_vector(exec, x), solution) < 1e3 * tolerance);
            // `direct` is applied by the host.
            CHECK(result.on_device == (test::expected<Executor>::loops_without_host && name != "direct"));
            auto y = exec.copy(std::vector<T>(b.size()));
            auto const again = solve(exec, method, plain, m, rhs.view(), y.view(), {.tolerance = tolerance});
            CHECK(again.converged);
            CHECK(distance(to_vector(exec, y), solution) < 1e3 * tolerance);
            // A Krylov space of dimension n contains the solution.
            if (method == "gmres") CHECK(result.iterations <= std::max(n, 1));
        }
}

} // namespace

TEST_CASE_TEMPLATE("complex systems: every method agrees with LAPACK", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (kind const k : {kind::definite, kind::hermitian, kind::general}) {
        for (int const n : {1, 2, 17, 25}) solve_all<std::complex<double>>(exec, n, k, 1e-12);
        solve_all<std::complex<float>>(exec, 25, k, 1e-5);
    }
}

namespace {

/// A x = 2^k b for many k: the bits of k = 0, times 2^k.
template <class T, class Executor>
void check_scales(Executor const& exec, int smallest, int largest, int step, double tolerance) {
    using real = typename T::value_type;
    int const n = 40;
    auto const a = to_csr<T>(random_matrix(n, kind::definite, 3), n);
    auto const b = random_vector<T>(n, 6);
    auto const times = [](std::vector<T> v, int k) {
        for (T& e : v) e = T(std::ldexp(real(e.real()), k), std::ldexp(real(e.imag()), k));
        return v;
    };
    auto const local = exec.copy(a);
    csr_operator<Executor, T> const op(exec, local.view());
    for (auto const method : krylov_names)
        for (auto const name : {"none", "jacobi"}) {
            auto const m = make_preconditioner(exec, name, local.view());
            auto const solve_for = [&](std::vector<T> const& values, krylov_result& result) {
                auto const rhs = exec.copy(values);
                auto x = exec.copy(std::vector<T>(values.size()));
                result = solve(exec, method, op, m, rhs.view(), x.view(), {.tolerance = tolerance});
                return to_vector(exec, x);
            };
            krylov_result plain, far;
            auto const x = solve_for(b, plain);
            CHECK(plain.converged);
            for (int k = smallest; k <= largest; k += step) {
                CAPTURE(method);
                CAPTURE(name);
                CAPTURE(k);
                auto const y = solve_for(times(b, k), far);
                CHECK(far.converged);
                CHECK(far.relative_residual == plain.relative_residual);
                CHECK(y == times(x, k));
                CHECK(residual_of(a, times(b, k), y) <= 1.1 * tolerance);
            }
        }
}

} // namespace

TEST_CASE_TEMPLATE("complex systems: a right-hand side of any magnitude", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    check_scales<std::complex<double>>(exec, -960, 1015, 79, 1e-10);
    check_scales<std::complex<float>>(exec, -100, 120, 22, 1e-5);
}

TEST_CASE_TEMPLATE("complex systems: larger than a block of the dot products, same bits every time", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    // A one-dimensional Helmholtz-like problem: -u'' - k^2 (1 + i/2) u.
    auto const exec = Fixture::exec();
    int const n = 5000;
    std::vector<std::int32_t> offsets{0}, columns;
    std::vector<number> values;
    for (int i = 0; i < n; ++i) {
        for (int const j : {i - 1, i, i + 1})
            if (j >= 0 && j < n) {
                columns.push_back(j);
                values.push_back(j == i ? number(2.2, 0.9) : number(-1, j > i ? 0.2 : -0.1));
            }
        offsets.push_back(std::int32_t(columns.size()));
    }
    host_executor const host{1};
    csr<number> const a{n, n, host.copy(offsets), host.copy(columns), host.copy(values)};
    auto const local = exec.copy(a);
    csr_operator const op(exec, local);
    auto const m = make_preconditioner(exec, "jacobi", local.view());
    auto const b = random_vector<number>(n, 3);
    auto const rhs = exec.copy(b);
    for (auto const method : {"bicgstab", "idrs", "gmres", "fgmres"}) {
        CAPTURE(method);
        std::vector<number> first;
        for (int run = 0; run < 2; ++run) {
            auto x = exec.copy(std::vector<number>(b.size()));
            auto const result = solve(exec, method, op, m, rhs.view(), x.view(), {.tolerance = 1e-10});
            CHECK(result.converged);
            CHECK(result.iterations < 200);
            if (run == 0) first = to_vector(exec, x);
            CHECK(to_vector(exec, x) == first);
        }
        CHECK(residual_of(a, b, first) <= 1.01e-10);
    }
}

TEST_CASE_TEMPLATE("complex systems: incomplete factors without fill are the factors of tridiagonal matrices", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    int const n = 300;
    for (bool const hermitian : {false, true}) {
        CAPTURE(hermitian);
        auto const line = [&](double scale) {
            std::vector<std::int32_t> offsets{0}, columns;
            std::vector<number> values;
            for (int i = 0; i < n; ++i) {
                for (int j = std::max(0, i - 1); j < std::min(n, i + 2); ++j) {
                    number const coupling(-1, 0.05 * double(std::min(i, j) % 7));
                    columns.push_back(j);
                    values.push_back(scale * (j == i      ? number(2.6, hermitian ? 0 : 0.7)
                                              : j > i     ? coupling
                                              : hermitian ? std::conj(coupling)
                                                          : number(-0.9, -0.2)));
                }
                offsets.push_back(std::int32_t(columns.size()));
            }
            host_executor const host{1};
            return csr<number>{n, n, host.copy(offsets), host.copy(columns), host.copy(values)};
        };
        auto const a = line(1), twice = line(2);
        auto const local = exec.copy(a), local_twice = exec.copy(twice);
        auto const r = random_vector<number>(n, 5);
        auto const right = exec.copy(r);
        auto z = exec.copy(std::vector<number>(r.size()));
        for (auto const* const name :
             {"ilu0,factor-scheme=exact,solve-scheme=exact", "ic0,factor-scheme=exact,solve-scheme=exact",
              "ilu0,factor-scheme=sweeps,factor-sweeps=300,solve-scheme=sweeps,solve-sweeps=300"}) {
            CAPTURE(name);
            if (name[1] == 'c' && !hermitian) {
                CHECK_THROWS_WITH_AS(make_preconditioner(exec, name, local.view()), doctest::Contains("Hermitian"),
                                     matrix_error);
                continue;
            }
            auto m = make_preconditioner(exec, name, local.view());
            m.apply(exec, array_view<number const>(right.view()), z.view());
            CHECK(residual_of(a, r, to_vector(exec, z)) < 1e-13);
            m.refresh(exec, local_twice.view());
            m.apply(exec, array_view<number const>(right.view()), z.view());
            CHECK(residual_of(twice, r, to_vector(exec, z)) < 1e-13);
            CHECK(m.report().findings.front().value == 0); // no shift
        }
        // Decaying inverses: a larger pattern gives a better approximation.
        double before = 1;
        for (auto const* const name : {"isai,power=1,factor-scheme=exact", "isai,power=4,factor-scheme=exact"}) {
            auto const m = make_preconditioner(exec, name, local.view());
            m.apply(exec, array_view<number const>(right.view()), z.view());
            double const left = residual_of(a, r, to_vector(exec, z));
            CHECK(left < 0.7 * before);
            before = left;
        }
        CHECK_THROWS_WITH_AS(make_preconditioner(exec, "isai,storage=half", local.view()),
                             doctest::Contains("storage=half"), argument_error);
    }
}

TEST_CASE_TEMPLATE("complex systems: methods that are not available, and values that are not finite", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = exec.copy(to_csr<number>(random_matrix(6, kind::general, 1), 6));
    CHECK_THROWS_WITH_AS(
        make_preconditioner(exec, "forest", a.view()),
        "preconditioner \"forest\" is for real matrices; for complex ones there are: none, jacobi, ilu0, ic0, "
        "isai, ilut, iluk, direct, multilevel",
        argument_error);
    CHECK_THROWS_AS(make_preconditioner(exec, "amg", a.view()), argument_error);
    csr_operator const op(exec, a);
    auto const m = make_preconditioner(exec, "none", a.view());
    auto b = random_vector<number>(6, 2);
    b[4] = {0, std::numeric_limits<double>::quiet_NaN()};
    auto const bad = exec.copy(b), zero = exec.copy(std::vector<number>(6));
    for (auto const method : krylov_names) {
        CAPTURE(method);
        auto x = exec.copy(std::vector<number>(6, number(1, 2)));
        auto result = solve(exec, method, op, m, bad.view(), x.view());
        CHECK(result.reason == krylov_reason::not_finite);
        CHECK(result.fault == "element 4 of the right-hand side b is not finite");
        CHECK(to_vector(exec, x) == std::vector<number>(6, number(1, 2)));
        result = solve(exec, method, op, m, zero.view(), x.view());
        CHECK(result.reason == krylov_reason::zero_rhs);
        CHECK(to_vector(exec, x) == std::vector<number>(6));
    }
}
