// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Several shifted systems (A + sigma_j I) x_j = b by one Krylov space.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <coppice/core/executor.hpp>
#include <coppice/core/number_text.hpp>
#include <coppice/solvers/iterative/operators/csr_operator.hpp>
#include <coppice/solvers/iterative/vectors/power_scaling.hpp>
#include <coppice/solvers/iterative/vectors/vector_operations.hpp>

namespace coppice::inline v0_1 {

struct shifted_options {
    double tolerance = 1e-8; ///< of |b - (A + sigma_j I) x_j| / |b|, true residuals, for every j
    std::int64_t max_iterations = 10000;
    /// Called on the host after each iteration with the residual of the smallest shift. If it returns false, the solve
    /// ends.
    std::function<bool(std::int64_t, double)> progress = {};
};

struct shifted_result {
    bool converged = false;
    std::int64_t iterations = 0;
    std::vector<double> relative_residuals{}; ///< true residual of each system
};

namespace detail {

/// x_j = x_j + alpha_j p_j; p_j = zeta_j r + beta_j p_j
template <class T>
struct shifted_step {
    T const* r;
    T alpha, zeta, beta;
    T *p, *x;
    COPPICE_HD void operator()(std::int64_t i) const {
        x[i] += alpha * p[i];
        p[i] = zeta * r[i] + beta * p[i];
    }
};
/// r = b - r - sigma x, with r = A x on entry
template <class T>
struct shifted_residual {
    T const *b, *x;
    T sigma;
    T* r;
    COPPICE_HD void operator()(std::int64_t i) const { r[i] = b[i] - r[i] - sigma * x[i]; }
};

/// The scalars of one shifted system: its residual is zeta r, with r of the system of the smallest shift.
struct shifted_scalars {
    double shift = 0; ///< relative to the smallest one
    double zeta = 1, zeta_before = 1;
    double alpha = 0, beta = 0;
    bool rests = false; ///< accurate enough: its vectors are no longer updated
};

} // namespace detail

/// Solves (A + sigma_j I) x_j = b for several shifts with the products with A of the system with the smallest shift
/// (B. Jegerlehner, hep-lat/9612014, 1996). A + sigma_j I are symmetric positive definite. x[n shifts]: the solutions
/// one after the other; the initial guess is zero, since the residuals of all systems must be parallel. Takes 2 vectors
/// for each shift and 3 more; one product with A and an update of 2 vectors for each shift that has not converged.
/// There is no preconditioner: it would not keep the shifts. b may have any magnitude. An x_j that is worse than zero,
/// as for matrices that are not positive definite or if it leaves the range, is zero.
///
/// Throws argument_error for options out of range, shifts that are not finite, and dimension_error for vectors of the
/// wrong length. Waits in every iteration.
template <executor Executor, class T>
shifted_result solve_shifted(Executor const& exec, csr_operator<Executor, T> const& a,
                             std::vector<double> const& shifts, array_view<T const> b, array_view<T> x,
                             shifted_options const& options = {});

template <executor Executor, class T>
shifted_result solve_shifted(Executor const& exec, csr_operator<Executor, T> const& a,
                             std::vector<double> const& shifts, array_view<T const> b, array_view<T> x,
                             shifted_options const& options) {
    std::int64_t const n = a.size();
    require_size("right-hand side b", b, n);
    require_size("solutions x", x, n * std::int64_t(shifts.size()));
    if (!(options.tolerance >= 0))
        throw argument_error("tolerance is " + coppice::detail::number_text(options.tolerance) + ", expected >= 0");
    if (options.max_iterations < 0)
        throw argument_error("max_iterations is " + std::to_string(options.max_iterations) + ", expected >= 0");
    for (double const shift : shifts)
        if (!std::isfinite(shift)) throw argument_error("shifts are not finite, expected finite numbers");
    fill(exec, x, T(0));
    shifted_result result;
    result.relative_residuals.assign(shifts.size(), 0.0);
    result.converged = true;
    if (shifts.empty() || n == 0) return result;

    double const smallest = *std::min_element(shifts.begin(), shifts.end());
    std::vector<detail::shifted_scalars> systems;
    systems.reserve(shifts.size());
    for (double const shift : shifts) systems.push_back({.shift = shift - smallest});
    dot_scratch scratch(exec, n);
    buffer<T> r(exec, n), p(exec, n), q(exec, n), directions(exec, x.size());
    auto const at = [&](auto& of, std::size_t j) { return of.data() + std::int64_t(j) * n; };
    // b = 2^exponent b' and x = 2^exponent x': squares of b' stay in range
    constexpr double limit = 1e100;
    int const exponent = detail::even_exponent(detail::largest_part(exec, b), limit);
    detail::scaled_array<Executor, T> const right(exec, b, exponent);
    T const* const scaled_b = right.view().data();
    exec.copy_elements(scaled_b, r.data(), n);
    exec.copy_elements(scaled_b, p.data(), n);
    for (std::size_t j = 0; j < systems.size(); ++j) exec.copy_elements(scaled_b, at(directions, j), n);
    double rr = dots(exec, scratch, dot_pair<T>{r.view(), r.view()})[0];
    double const b_norm = std::sqrt(rr);
    double alpha_before = 1, beta_before = 0;
    bool goes_on = rr > 0 && std::isfinite(rr);
    while (goes_on && result.iterations < options.max_iterations) {
        a.apply(exec, array_view<T const>(p.view()), q.view());
        for_each(exec, n, axpy<T>{T(smallest), p.data(), q.data()});
        double const pq = dots(exec, scratch, dot_pair<T>{p.view(), q.view()})[0];
        if (!(pq > 0) || !std::isfinite(pq)) break; // not positive definite
        double const alpha = rr / pq;
        for (auto& s : systems) { // equations (2.42) to (2.44) there, with steps of the opposite sign
            if (s.rests) continue;
            double const divisor =
                alpha * beta_before * (s.zeta_before - s.zeta) + s.zeta_before * alpha_before * (1 + s.shift * alpha);
            double const next = s.zeta * s.zeta_before * alpha_before / divisor;
            s.alpha = alpha * next / s.zeta;
            s.zeta_before = std::exchange(s.zeta, next);
        }
        double const rr_next =
            update_and_dot(exec, scratch, axpy<T>{T(-alpha), q.data(), r.data()}, dot_pair<T>{r.view(), r.view()})[0];
        double const beta = rr_next / rr;
        goes_on = false;
        for (std::size_t j = 0; j < systems.size(); ++j) {
            auto& s = systems[j];
            if (s.rests) continue;
            double const ratio = s.zeta / s.zeta_before;
            s.beta = beta * ratio * ratio;
            for_each(exec, n,
                     detail::shifted_step<T>{r.data(), T(s.alpha), T(s.zeta), T(s.beta), at(directions, j), at(x, j)});
            s.rests = !(std::abs(s.zeta) * std::sqrt(rr_next) > options.tolerance * b_norm / 4);
            goes_on = goes_on || !s.rests;
        }
        for_each(exec, n, xpby<T>{r.data(), T(beta), p.data()});
        alpha_before = alpha;
        beta_before = beta;
        rr = rr_next;
        ++result.iterations;
        if (options.progress && !options.progress(result.iterations, std::sqrt(rr) / b_norm)) break;
    }
    for (std::size_t j = 0; j < systems.size(); ++j) {
        T* const of_x = at(x, j);
        detail::scale_by_power(exec, of_x, n, exponent);
        exec.copy_elements(of_x, p.data(), n);
        detail::scale_by_power(exec, p.data(), n, -exponent); // x' of the rounded x
        a.apply(exec, array_view<T const>(p.view()), q.view());
        double const left =
            update_and_dot(exec, scratch, detail::shifted_residual<T>{scaled_b, p.data(), T(shifts[j]), q.data()},
                           dot_pair<T>{q.view(), q.view()})[0];
        double relative = b_norm == 0 ? 0 : std::sqrt(left) / b_norm;
        if (!(relative <= 1)) { // not positive definite, or an x that leaves the range: the guess is better
            fill(exec, array_view<T>(of_x, n), T(0));
            relative = std::isfinite(b_norm) ? 1 : b_norm;
        }
        result.relative_residuals[j] = relative;
        result.converged = result.converged && relative <= options.tolerance;
    }
    return result;
}

#define COPPICE_SHIFTED(EXTERN, EXECUTOR, T)                                                                           \
    EXTERN template shifted_result solve_shifted(EXECUTOR const&, csr_operator<EXECUTOR, T> const&,                    \
                                                 std::vector<double> const&, array_view<T const>, array_view<T>,       \
                                                 shifted_options const&);
COPPICE_SHIFTED(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_SHIFTED(extern, cuda_executor, double)
#endif

} // namespace coppice::inline v0_1
