// SPDX-License-Identifier: BSD-3-Clause
// The examples of docs/guide/time_steps.md; regions between the markers are in the page word for word.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <coppice/csr.hpp>
#include <coppice/generators.hpp>
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>

namespace {

// [begin]
/// u' = -A u + f by the implicit Euler method: (I + dt A) u_new = u + dt f. The step size may change in every step.
template <class Executor>
class implicit_euler {
public:
    implicit_euler(Executor const& exec, coppice::csr_view<double> a, double dt)
        : exec_(exec), a_(a), system_(coppice::copy_of(exec, a)), rhs_(exec, a.rows()), op_(exec, system_.view()),
          m_(make(dt)), cg_(exec, a.rows(), {.tolerance = 1e-10}) {}

    /// One step; u is the old state on entry and the new one afterwards.
    coppice::krylov_result step(coppice::array_view<double const> f, coppice::array_view<double> u, double dt) {
        if (dt != dt_) { // new values on the same pattern
            write_values(dt);
            m_.refresh(exec_, system_.view());
        }
        coppice::for_each(exec_, u.size(), [=, b = rhs_.view()](std::int64_t i) { b[i] = u[i] + dt * f[i]; });
        return cg_.solve(op_, m_, rhs_.view(), u); // the old state is the starting guess
    }

private:
    coppice::any_preconditioner<Executor, double> make(double dt) {
        write_values(dt);
        return coppice::make_preconditioner(exec_, "multilevel", system_.view());
    }
    /// system = I + dt A. The rows of A contain their diagonal entry.
    void write_values(double dt) {
        dt_ = dt;
        coppice::for_each(exec_, a_.rows(), [=, a = a_, to = system_.values().data()](std::int64_t i) {
            for (auto k = a.row_begin(i); k < a.row_end(i); ++k)
                to[k] = (a.indices[k] == i ? 1 : 0) + dt * a.coefficients[k];
        });
    }

    Executor exec_;
    coppice::csr_view<double> a_;
    coppice::csr<double> system_;
    coppice::buffer<double> rhs_;
    coppice::csr_operator<Executor, double> op_; // sees new values in the same arrays
    double dt_ = 0;
    coppice::any_preconditioner<Executor, double> m_;
    coppice::cg<Executor, double> cg_; // allocates its vectors once
};
// [end]

// [begin]
/// Solves F(u) = A u + u^3 - f = 0 by Newton's method; J(u) = A + diag(3 u^2) has the pattern of A.
coppice::krylov_result newton(coppice::host_executor const& exec, coppice::csr_view<double> a,
                              std::vector<double> const& f, std::vector<double>& u, int max_steps = 50) {
    auto jacobian = coppice::copy_of(exec, a);
    auto const n = std::size_t(a.rows());
    std::vector<double> residual(n), correction(n);
    coppice::csr_operator const op(exec, jacobian.view()), linear(exec, a);
    auto m = coppice::make_preconditioner(exec, "multilevel", a); // the structure; the values follow in each step
    coppice::krylov_result last;
    for (int step = 0; step < max_steps; ++step) {
        linear.apply(exec, u, residual);
        for (std::size_t i = 0; i < n; ++i) residual[i] = f[i] - residual[i] - u[i] * u[i] * u[i];
        double const norm = std::sqrt(coppice::dot(exec, residual, residual));
        if (norm <= 1e-10 * std::sqrt(coppice::dot(exec, f, f))) break;
        for (std::size_t i = 0; i < n; ++i)
            for (auto k = a.row_begin(i); k < a.row_end(i); ++k)
                jacobian.values()[k] = a.coefficients[k] + (std::size_t(a.indices[k]) == i ? 3 * u[i] * u[i] : 0);
        m.refresh(exec, jacobian.view());
        std::fill(correction.begin(), correction.end(), 0.0);
        // Early steps need few digits: the tolerance follows the residual (inexact Newton).
        double const tolerance = std::min(1e-2, std::max(norm, 1e-12));
        last = coppice::solve(exec, "cg", op, m, residual, correction, {.tolerance = tolerance});
        if (!last.converged) break; // the caller reads the reason
        for (std::size_t i = 0; i < n; ++i) u[i] += correction[i];
    }
    return last;
}
// [end]

} // namespace

TEST_CASE("time steps: an eigenvector decays by the factor of the implicit Euler method") {
    coppice::host_executor const exec(2);
    int const n = 40;
    auto const a = coppice::laplace2d<double>(exec, n, n);
    // The smoothest eigenvector of the 5-point stencil, with its eigenvalue 8 sin^2(pi / (2 (n + 1))).
    auto const wave = [&](int i) { return std::sin(std::numbers::pi * (i + 1) / (n + 1)); };
    std::vector<double> u(std::size_t(n) * n), f(u.size(), 0.0);
    for (int i = 0; i < n * n; ++i) u[std::size_t(i)] = wave(i % n) * wave(i / n);
    auto const start = u;
    double const lambda = 8 * std::pow(std::sin(std::numbers::pi / (2 * (n + 1))), 2);
    implicit_euler heat(exec, a.view(), 1.0);
    double factor = 1;
    for (double const dt : {1.0, 1.0, 2.0, 8.0, 8.0, 1.0}) {
        REQUIRE(heat.step(f, u, dt).converged);
        factor /= 1 + dt * lambda;
    }
    for (std::size_t i = 0; i < u.size(); ++i) CHECK(u[i] == doctest::Approx(factor * start[i]).epsilon(1e-7));
}

TEST_CASE("newton: finds the solution that was put in") {
    coppice::host_executor const exec(2);
    auto const a = coppice::laplace2d<double>(exec, 30, 30);
    std::vector<double> exact(900), f(900), u(900, 0.0);
    for (std::size_t i = 0; i < 900; ++i) exact[i] = 1 + std::sin(0.1 * double(i));
    coppice::csr_operator(exec, a.view()).apply(exec, exact, f);
    for (std::size_t i = 0; i < 900; ++i) f[i] += exact[i] * exact[i] * exact[i];
    CHECK(newton(exec, a.view(), f, u).converged);
    for (std::size_t i = 0; i < 900; ++i) CHECK(u[i] == doctest::Approx(exact[i]).epsilon(1e-6));
}
