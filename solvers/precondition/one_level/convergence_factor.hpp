// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Convergence factor of the stationary iteration with a preconditioner.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <coppice/algebra/random.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/solvers/iterative/operators/csr_operator.hpp>
#include <coppice/solvers/iterative/vectors/vector_operations.hpp>

namespace coppice::inline v0_1 {
namespace detail {

template <class T>
struct random_error {
    random_stream random;
    T* e;
    COPPICE_HD void operator()(std::int64_t i) const {
        e[i] = static_cast<T>(random.uniform(static_cast<std::uint64_t>(i), -1.0, 1.0));
    }
};
/// e = scale (e - z)
template <class T>
struct step_of_error {
    T scale;
    T const* z;
    T* e;
    COPPICE_HD void operator()(std::int64_t i) const { e[i] = scale * (e[i] - z[i]); }
};

} // namespace detail

/// Estimates the factor by which the error of x <- x + M^-1 (b - A x) decreases per step, from a random error: the
/// geometric mean of |e_k| / |e_k-1| over the second half of `steps`, which tends to the spectral radius of I - M^-1 A.
/// The iteration converges if the factor is below 1; a factor of 0.1 gains one digit per step. The result is the same
/// on every run.
///
/// Returns 0 if an error vanishes or there are no rows, infinity if the error overflows. Real matrices. Throws
/// argument_error for fewer than two steps, dimension_error if A is not square. Synchronises in every step.
template <executor Executor, class T, class I, class M>
double convergence_factor(Executor const& exec, csr_view<T, I> a, M const& m, int steps = 30, std::uint64_t seed = 1) {
    if (steps < 2) throw argument_error("convergence_factor: " + std::to_string(steps) + " steps, expected at least 2");
    csr_operator<Executor, T, I> const product(exec, a);
    std::int64_t const n = a.rows();
    if (n == 0) return 0;
    buffer<T> e(exec, n), ae(exec, n), z(exec, n);
    dot_scratch scratch(exec, n);
    for_each(exec, n, detail::random_error<T>{random_stream(seed, 0), e.data()});
    dot_pair<T> const square{e.view(), e.view()};
    auto const scale_of = [](double norm) { return static_cast<T>(std::exp2(-std::ilogb(norm))); };
    double norm = std::sqrt(dots(exec, scratch, square)[0]), logarithms = 0;
    int const counted = steps / 2;
    for (int k = 0; k < steps; ++k) {
        if (norm == 0) return 0;
        if (!std::isfinite(norm)) return std::numeric_limits<double>::infinity();
        // Scaling by a power of two, which is exact, prevents overflow and underflow of the error.
        T const scale = scale_of(norm);
        product.apply(exec, e.view(), ae.view());
        m.apply(exec, array_view<T const>(ae.view()), z.view());
        double const next =
            std::sqrt(update_and_dot(exec, scratch, detail::step_of_error<T>{scale, z.data(), e.data()}, square)[0]);
        if (k >= steps - counted) logarithms += std::log(next / (norm * double(scale)));
        norm = next;
    }
    return std::exp(logarithms / counted);
}

} // namespace coppice::inline v0_1
