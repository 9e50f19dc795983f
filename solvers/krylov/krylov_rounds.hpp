// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The beginning and the rounds' ends of every Krylov method: argument checks, |b|, the true residual.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include <coppice/core/memory_range.hpp>
#include <coppice/solvers/krylov/krylov_monitor.hpp>
#include <coppice/solvers/vectors/vector_operations.hpp>

namespace coppice::detail {

template <class T>
struct magnitude_of_element {
    T const* x;
    COPPICE_HD double operator()(std::int64_t i) const {
        double const value = x[i];
        return value < 0 ? -value : value;
    }
};

/// Checks the vectors of a solve: both of length `n`, without overlap.
template <class T>
void require_solve_vectors(std::int64_t n, array_view<T const> b, array_view<T> x) {
    require_size("length of the right-hand side b", b.size(), n);
    require_size("length of the solution x", x.size(), n);
    require_apart(range_of("right-hand side b", b), range_of("solution x", x));
}

/// Begins a solve; false when the result is known already. b = 0 gives x = 0.
template <executor Executor, class T>
bool start_solve(Executor const& exec, dot_scratch& scratch, array_view<T const> b, array_view<T> x,
                 krylov_monitor& monitor) {
    require_solve_vectors(scratch.size, b, x);
    auto const [bb] = dots(exec, scratch, dot_pair(b, b));
    // Only a square that underflows needs the second look: is b = 0, or too small to square?
    double const largest = bb > 1e-300 ? bb : reduce(exec, b.size(), 0.0, magnitude_of_element<T>{b.data()}, maximum{});
    if (largest == 0) fill(exec, x, T(0));
    return monitor.start(bb, largest);
}

/// The square of |b - A x|, with r = b - A x; NaN where x is not finite, although A may not read all of it.
template <executor Executor, class T, class A>
double true_residual(Executor const& exec, dot_scratch& scratch, A const& a, array_view<T const> b, array_view<T> x,
                     array_view<T> r) {
    a.apply(exec, array_view<T const>(x), r);
    auto const [rr, xx] =
        update_and_dot(exec, scratch, residual_update<T>{b.data(), r.data()}, dot_pair(r, r), dot_pair(x, x));
    if (std::isfinite(xx)) return rr;
    // Squares beyond the range of double are no harm in themselves.
    double const largest = reduce(exec, x.size(), 0.0, magnitude_of_element<T>{x.data()}, maximum{});
    return std::isfinite(largest) ? rr : std::numeric_limits<double>::quiet_NaN();
}

/// The best x that a solve has met, so that it never ends with a worse one. x is kept by the passes of a method, where
/// its krylov_control says so, and here at the beginning of each round.
template <executor Executor, class T>
class best_solution {
public:
    best_solution(Executor const& exec, std::int64_t n) : x_(exec, n) {}

    /// A new solve.
    void begin() { residual_ = std::numeric_limits<double>::infinity(); }
    T* data() { return x_.data(); }

    /// Opens a round: puts the best x, by its true residual, in the place of x, and b - A x in r. Returns its square.
    template <class A>
    double open(Executor const& exec, dot_scratch& scratch, A const& a, array_view<T const> b, array_view<T> x,
                array_view<T> r, krylov_monitor& monitor) {
        double rr = true_residual(exec, scratch, a, b, x, r);
        if (!std::isfinite(rr) && std::isfinite(residual_)) monitor.x_is_spoilt();
        if (residual_ < rr || (std::isnan(rr) && std::isfinite(residual_))) {
            double const kept = true_residual(exec, scratch, a, b, x_.view(), r);
            bool const better = kept < rr || !std::isfinite(rr);
            if (better) exec.copy_elements(x_.data(), x.data(), x.size());
            rr = better ? kept : true_residual(exec, scratch, a, b, x, r);
        }
        exec.copy_elements(x.data(), x_.data(), x.size());
        residual_ = rr;
        return rr;
    }
    double residual() const { return residual_; }
    /// After a round, in which another x may have been kept.
    void close(krylov_control const& round) { residual_ = round.best; }

private:
    buffer<T> x_;
    double residual_ = std::numeric_limits<double>::infinity(); ///< the square; of the recurrence, or the true one
};

} // namespace coppice::detail
