// SPDX-License-Identifier: BSD-3-Clause
// QMR and TFQMR against their recurrences as printed in the textbooks, with dense matrices.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <random>
#include <string>
#include <vector>

#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>

#include "support/executors.hpp"
#include <coppice/algebra/convert.hpp>
#include <coppice/solvers/solve/solve_automatically.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

using number_t = std::complex<double>;
using vector_t = std::vector<number_t>;

/// A dense matrix with few nonzeros, row-major.
struct dense_complex {
    int n;
    vector_t a;
    vector_t times(vector_t const& x, bool adjoint = false) const {
        vector_t y(x.size());
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                number_t const value = a[std::size_t(i * n + j)];
                if (adjoint)
                    y[std::size_t(j)] += std::conj(value) * x[std::size_t(i)];
                else
                    y[std::size_t(i)] += value * x[std::size_t(j)];
            }
        return y;
    }
};
number_t dot_of(vector_t const& x, vector_t const& y) { // x^H y
    number_t sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += std::conj(x[i]) * y[i];
    return sum;
}
double norm_of(vector_t const& x) { return std::sqrt(dot_of(x, x).real()); }
/// a x + b y
vector_t combined(number_t a, vector_t const& x, number_t b, vector_t const& y) {
    vector_t z(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) z[i] = a * x[i] + b * y[i];
    return z;
}

/// Not symmetric, with a dominant diagonal; imaginary parts if `is_complex`.
dense_complex random_dense(int n, bool is_complex, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> value(-1, 1);
    dense_complex m{n, vector_t(std::size_t(n * n))};
    for (int e = 0; e < 5 * n; ++e) {
        auto& at = m.a[std::size_t(random() % unsigned(n)) * std::size_t(n) + std::size_t(random() % unsigned(n))];
        at = {value(random), is_complex ? value(random) : 0};
    }
    for (int i = 0; i < n; ++i) m.a[std::size_t(i * n + i)] = {4, is_complex ? value(random) : 0};
    return m;
}

/// |b - A x| / |b| after each two half steps of algorithm 7.8 of Saad, Iterative Methods for Sparse Linear Systems.
std::vector<double> tfqmr_by_book(dense_complex const& a, vector_t const& b, int iterations) {
    vector_t const zero(b.size());
    vector_t x = zero, w = b, u = b, d = zero, v = a.times(u), of_u = v;
    vector_t const shadow = b;
    double tau = norm_of(b), theta = 0;
    number_t alpha = 0, eta = 0, rho = dot_of(shadow, b);
    std::vector<double> residuals{1};
    for (int m = 0; m < 2 * iterations; ++m) {
        if (m % 2 == 0) alpha = rho / dot_of(shadow, v);
        vector_t const u_next = combined(1, u, -alpha, v);
        w = combined(1, w, -alpha, of_u);
        d = combined(1, u, theta * theta / alpha * eta, d);
        theta = norm_of(w) / tau;
        double const c = 1 / std::sqrt(1 + theta * theta);
        tau *= theta * c;
        eta = c * c * alpha;
        x = combined(1, x, eta, d);
        if (m % 2 == 0) {
            u = u_next;
            of_u = a.times(u);
            continue;
        }
        residuals.push_back(norm_of(combined(1, b, -1, a.times(x))) / norm_of(b));
        number_t const next = dot_of(shadow, w), beta = next / rho;
        rho = next;
        u = combined(1, w, beta, u);
        v = combined(beta, of_u, beta * beta, v);
        of_u = a.times(u);
        v = combined(1, v, 1, of_u);
    }
    return residuals;
}

/// |b - A x| / |b| after each iteration of QMR without preconditioner: Barrett et al., Templates, figure 2.8, with
/// conjugates for complex numbers.
std::vector<double> qmr_by_book(dense_complex const& a, vector_t const& b, int iterations) {
    vector_t const zero(b.size());
    vector_t x = zero, v_next = b, w_next = b, p = zero, q = zero, d = zero;
    double rho = norm_of(v_next), xi = norm_of(w_next), gamma = 1, theta = 0;
    number_t eta = -1, epsilon = 1;
    std::vector<double> residuals{1};
    for (int i = 0; i < iterations; ++i) {
        vector_t const v = combined(1 / rho, v_next, 0, zero), w = combined(1 / xi, w_next, 0, zero);
        number_t const delta = dot_of(w, v);
        p = i == 0 ? v : combined(1, v, -xi * delta / epsilon, p);
        q = i == 0 ? w : combined(1, w, -rho * std::conj(delta / epsilon), q);
        vector_t const of_p = a.times(p);
        epsilon = dot_of(q, of_p);
        number_t const beta = epsilon / delta;
        v_next = combined(1, of_p, -beta, v);
        w_next = combined(1, a.times(q, true), -std::conj(beta), w);
        double const rho_before = rho, gamma_before = gamma, theta_before = theta;
        rho = norm_of(v_next);
        xi = norm_of(w_next);
        theta = rho / (gamma_before * std::abs(beta));
        gamma = 1 / std::sqrt(1 + theta * theta);
        eta *= -(rho_before / beta) * (gamma / gamma_before) * (gamma / gamma_before);
        d = combined(eta, p, theta_before * gamma * theta_before * gamma, d);
        x = combined(1, x, 1, d);
        residuals.push_back(norm_of(combined(1, b, -1, a.times(x))) / norm_of(b));
    }
    return residuals;
}

template <class T, class Executor>
krylov_result solve_dense(Executor const& exec, dense_complex const& m, vector_t const& b, char const* method,
                          char const* preconditioner, krylov_options const& krylov) {
    coo<T> entries{m.n, m.n};
    std::vector<T> right;
    auto const as_number = [](number_t const& value) {
        if constexpr (is_complex_number<T>)
            return value;
        else
            return value.real();
    };
    for (int i = 0; i < m.n; ++i) {
        right.push_back(as_number(b[std::size_t(i)]));
        for (int j = 0; j < m.n; ++j)
            if (m.a[std::size_t(i * m.n + j)] != 0.0) entries.add(i, j, as_number(m.a[std::size_t(i * m.n + j)]));
    }
    auto const a = exec.copy(to_csr(host_executor{1}, std::move(entries)));
    auto const rhs = exec.copy(right);
    auto x = exec.copy(std::vector<T>(right.size()));
    auto const found = solve_automatically(exec, csr_operator(exec, a), rhs.view(), x.view(),
                                           {.solver = method, .preconditioner = preconditioner, .krylov = krylov});
    auto const got = to_vector(exec, x);
    vector_t const solution(got.begin(), got.end());
    CHECK(norm_of(combined(1, b, -1, m.times(solution))) / norm_of(b) ==
          doctest::Approx(found.result.relative_residual).epsilon(1e-3));
    return found.result;
}

} // namespace

TEST_CASE_TEMPLATE("QMR and TFQMR have the residuals of the recurrences in the textbooks", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (bool const is_complex : {false, true})
        for (bool const transposes : {false, true}) {
            CAPTURE(is_complex);
            CAPTURE(transposes);
            int const n = 60, iterations = 12;
            auto const m = random_dense(n, is_complex, 7);
            vector_t b(std::size_t(n), 1);
            for (int i = 0; i < n; ++i) b[std::size_t(i)] = {std::sin(i + 1.0), is_complex ? std::cos(2.0 * i) : 0};
            auto const expected = (transposes ? qmr_by_book : tfqmr_by_book)(m, b, iterations);
            char const* const method = transposes ? "qmr" : "tfqmr";
            krylov_options const options{.tolerance = 0, .max_iterations = iterations};
            auto const found = is_complex ? solve_dense<number_t>(exec, m, b, method, "none", options)
                                          : solve_dense<double>(exec, m, b, method, "none", options);
            REQUIRE(found.residual_history.size() == expected.size());
            CHECK(expected.back() < 1e-3);
            for (std::size_t k = 0; k < expected.size(); ++k)
                CHECK(std::abs(found.residual_history[k] - expected[k]) <= 1e-6 * expected[k] + 1e-13);
            // To the end, also with a preconditioner.
            for (char const* const preconditioner : {"none", "jacobi", "ilu0"}) {
                krylov_options const whole{.tolerance = 1e-11};
                auto const end = is_complex ? solve_dense<number_t>(exec, m, b, method, preconditioner, whole)
                                            : solve_dense<double>(exec, m, b, method, preconditioner, whole);
                CHECK(end.converged);
                CHECK(end.iterations < 50);
            }
        }
}
