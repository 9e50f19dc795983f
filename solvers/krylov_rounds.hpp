// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The beginning and the rounds' ends of every Krylov method: argument checks, |b|, the true residual.
#pragma once

#include <string>

#include <coppice/solvers/krylov_monitor.hpp>
#include <coppice/solvers/vector_operations.hpp>

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
    if (n > 0 && b.data() < x.data() + n && x.data() < b.data() + n)
        throw argument_error("right-hand side b and solution x overlap");
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

/// r = b - A x; returns the square of its norm.
template <executor Executor, class T, class A>
double true_residual(Executor const& exec, dot_scratch& scratch, A const& a, array_view<T const> b, array_view<T> x,
                     array_view<T> r) {
    a.apply(exec, array_view<T const>(x), r);
    auto const [rr] = update_and_dot(exec, scratch, residual_update<T>{b.data(), r.data()}, dot_pair(r, r));
    return rr;
}

} // namespace coppice::detail
