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

/// The larger magnitude of the parts of an element.
template <class E>
struct magnitude_of_element {
    E const* x;
    COPPICE_HD double operator()(std::int64_t i) const { return larger_part(x[i]); }

private:
    template <class R>
    COPPICE_HD static double larger_part(R value) {
        return double(value < 0 ? -value : value);
    }
    template <class R>
    COPPICE_HD static double larger_part(complex_pair<R> const& value) {
        return maximum{}(larger_part(value.re), larger_part(value.im));
    }
};

/// Checks the vectors of a solve: both of length `n`, without overlap.
template <class T>
void require_solve_vectors(std::int64_t n, array_view<T const> b, array_view<T> x) {
    require_size("length of the right-hand side b", b, n);
    require_size("length of the solution x", x, n);
    require_apart(range_of("right-hand side b", b), range_of("solution x", x));
}

/// How many elements begin with element i of n, if that is not finite, else none.
template <class E>
struct rest_if_not_finite {
    E const* x;
    std::int64_t n;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const { return is_finite_element(x[i]) ? 0 : n - i; }

private:
    template <class R>
    COPPICE_HD static bool is_finite_element(R value) {
        return is_finite(double(value));
    }
    template <class R>
    COPPICE_HD static bool is_finite_element(complex_pair<R> const& value) {
        return is_finite(double(value.re)) && is_finite(double(value.im));
    }
};

/// "element 17 of WHAT is not finite", counted from 0; empty where all are.
template <executor Executor, class E>
std::string first_not_finite(Executor const& exec, array_view<E const> x, char const* what) {
    std::int64_t const n = x.size();
    std::int64_t const at = n - reduce(exec, n, std::int64_t(0), rest_if_not_finite<E>{x.data(), n}, maximum{});
    return at < n ? "element " + std::to_string(at) + " of " + what + " is not finite" : std::string();
}

/// Begins a solve; false when the result is known already. b = 0 gives x = 0.
template <executor Executor, class T>
bool start_solve(Executor const& exec, dot_scratch& scratch, array_view<T const> b, array_view<T> x,
                 krylov_monitor& monitor) {
    require_solve_vectors(scratch.size, b, x);
    auto const e = as_elements(b);
    using element = element_t<T>;
    double const bb = real_part(dots(exec, scratch, dot_pair(e, e))[0]);
    // Only a square that underflows needs the second look: is b = 0, or too small to square?
    double const largest =
        bb > 1e-300 ? bb : reduce(exec, e.size(), 0.0, magnitude_of_element<element>{e.data()}, maximum{});
    if (largest == 0) fill(exec, as_elements(x), element(0));
    if (!std::isfinite(bb)) monitor.blame(first_not_finite(exec, e, "the right-hand side b"));
    return monitor.start(bb, largest);
}

/// The square of |b - A x|, with r = b - A x; NaN where x is not finite, although A may not read all of it. `T`: the
/// numbers of the operator, of which `E` are the elements.
template <class T, executor Executor, class E, class A>
double true_residual(Executor const& exec, dot_scratch& scratch, A const& a, array_view<E const> b, array_view<E> x,
                     array_view<E> r) {
    a.apply(exec, as_numbers<T const>(array_view<E const>(x)), as_numbers<T>(r));
    auto const sums =
        update_and_dot(exec, scratch, residual_update<E>{b.data(), r.data()}, dot_pair(r, r), dot_pair(x, x));
    if (std::isfinite(real_part(sums[1]))) return real_part(sums[0]);
    // Squares beyond the range of double are no harm in themselves.
    bool const finite = first_not_finite(exec, array_view<E const>(x), "x").empty();
    return finite ? real_part(sums[0]) : std::numeric_limits<double>::quiet_NaN();
}

/// The best x that a solve has met, so that it never ends with a worse one. x is kept by the passes of a method, where
/// its krylov_control says so, on the word of the recurrence; and here at the beginning of each round by its true
/// residual, in a place of its own: recurrences of singular systems may promise what no x holds.
template <executor Executor, class T>
class best_solution {
public:
    best_solution(Executor const& exec, std::int64_t n) : x_(exec, n), sure_(exec, n) {}

    /// A new solve.
    void begin() { residual_ = sure_residual_ = std::numeric_limits<double>::infinity(); }
    element_t<T>* data() { return elements(x_).data(); }

    /// Opens a round: puts the best x, by its true residual, in the place of x, and b - A x in r. Returns its square.
    template <class A, class E>
    double open(Executor const& exec, dot_scratch& scratch, A const& a, array_view<E const> b, array_view<E> x,
                array_view<E> r, krylov_monitor& monitor) {
        double rr = true_residual<T>(exec, scratch, a, b, x, r);
        if (!std::isfinite(rr) && std::isfinite(residual_)) monitor.x_is_spoilt();
        if (!std::isfinite(rr) && !std::isfinite(residual_))
            monitor.blame(first_not_finite(exec, array_view<E const>(x), "the starting guess"));
        if (is_better(residual_, rr)) {
            double const kept = true_residual<T>(exec, scratch, a, b, elements(x_), r);
            bool const better = is_better(kept, rr);
            if (better) exec.copy_elements(data(), x.data(), x.size());
            rr = better ? kept : true_residual<T>(exec, scratch, a, b, x, r);
        }
        if (is_better(sure_residual_, rr)) {
            exec.copy_elements(elements(sure_).data(), x.data(), x.size());
            rr = true_residual<T>(exec, scratch, a, b, x, r);
        } else if (rr < sure_residual_) {
            exec.copy_elements(x.data(), elements(sure_).data(), x.size());
            sure_residual_ = rr;
        }
        exec.copy_elements(x.data(), data(), x.size());
        residual_ = rr;
        return rr;
    }
    double residual() const { return residual_; }
    /// After a round, in which another x may have been kept.
    void close(krylov_control const& round) { residual_ = round.best; }

private:
    /// Of squares of residuals.
    static bool is_better(double a, double b) { return a < b || (std::isfinite(a) && std::isnan(b)); }
    static array_view<element_t<T>> elements(buffer<T>& x) { return as_elements(x.view()); }

    buffer<T> x_, sure_;
    double residual_ = std::numeric_limits<double>::infinity(); ///< the square; of the recurrence, or the true one
    double sure_residual_ = std::numeric_limits<double>::infinity();
};

} // namespace coppice::detail
