// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Begin and end of the rounds of every Krylov method: argument checks, |b|, the true residual.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <coppice/core/memory_range.hpp>
#include <coppice/solvers/iterative/krylov/krylov_monitor.hpp>
#include <coppice/solvers/iterative/vectors/largest_part.hpp>
#include <coppice/solvers/iterative/vectors/vector_operations.hpp>

namespace coppice::inline v0_1::detail {

/// Checks the vectors of a solve: length `n`, no overlap.
template <class T>
void require_solve_vectors(std::int64_t n, array_view<T const> b, array_view<T> x) {
    require_size("length of the right-hand side b", b, n);
    require_size("length of the solution x", x, n);
    require_no_overlap(range_of("right-hand side b", b), range_of("solution x", x));
}

/// Returns n - i if element i is not finite, else 0. The maximum over i gives the first such element.
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

/// Returns "element 17 of WHAT is not finite", counted from 0; empty if all elements are finite.
template <executor Executor, class E>
std::string first_not_finite(Executor const& exec, array_view<E const> x, char const* what) {
    std::int64_t const n = x.size();
    std::int64_t const at = n - reduce(exec, n, std::int64_t(0), rest_if_not_finite<E>{x.data(), n}, maximum{});
    return at < n ? "element " + std::to_string(at) + " of " + what + " is not finite" : std::string();
}

/// Squares of residuals and the scalars of the methods stay far from the ends of the range of R if the largest element
/// of b is between 2^-w and 2^w; w is scaled_window.
template <class R>
inline constexpr int scaled_window = std::numeric_limits<R>::max_exponent / 16 * (sizeof(R) == sizeof(float) ? 4 : 1);
/// Returns e such that the largest element of 2^e b is in this window, and 2^e, 2^-e and 2^e x0 are in the range of R,
/// with initial guess x0. A system outside of the window and its multiples by powers of two give the same scaled
/// system.
template <class R>
int scaling_exponent(double b_largest, double x_largest) {
    constexpr int window = scaled_window<R>, max_exponent = std::numeric_limits<R>::max_exponent - 2;
    int const of_b = std::ilogb(b_largest);
    int exponent = of_b < -window ? -window - of_b : of_b > window ? window - of_b : 0;
    if (x_largest > 0 && std::isfinite(x_largest))
        exponent = std::min(exponent, std::max(0, max_exponent - 2 * window - std::ilogb(x_largest)));
    return std::clamp(exponent, -max_exponent, max_exponent);
}

/// x = scale x; a result that overflows becomes the largest number.
template <class E>
struct scale_back {
    real_of_t<E> scale;
    E* x;
    COPPICE_HD void operator()(std::int64_t i) const { x[i] = scaled(x[i]); }

private:
    template <class R>
    COPPICE_HD R scaled(R value) const {
        constexpr R largest = std::numeric_limits<R>::max();
        R const back = scale * value;
        return !is_finite(double(value)) || is_finite(double(back)) ? back : value < 0 ? -largest : largest;
    }
    template <class R>
    COPPICE_HD complex_pair<R> scaled(complex_pair<R> const& value) const {
        return {scaled(value.re), scaled(value.im)};
    }
};

/// Begins a solve. Returns false if the result is already known; b = 0 gives x = 0. If squares of b would overflow or
/// underflow, x is scaled by monitor.scale(); a scaled_solution must scale it back. Overwrites temporary[n].
template <executor Executor, class T>
bool start_solve(Executor const& exec, dot_scratch& scratch, array_view<T const> b, array_view<T> x,
                 array_view<element_t<T>> temporary, krylov_monitor& monitor) {
    require_solve_vectors(scratch.size, b, x);
    using element = element_t<T>;
    using real = real_of_t<element>;
    auto const e = as_elements(b);
    auto const guess = as_elements(x);
    double const bb = real_part(dots(exec, scratch, dot_pair(e, e))[0]);
    double const limit = std::ldexp(1.0, 2 * scaled_window<real>);
    if (bb >= 1 / limit && bb <= limit) return monitor.start(bb, bb);

    std::string fault = std::isfinite(bb) ? "" : first_not_finite(exec, e, "the right-hand side b");
    if (!fault.empty()) {
        monitor.set_fault(std::move(fault));
        return monitor.start(std::numeric_limits<double>::quiet_NaN(), 1);
    }
    double const largest = largest_part(exec, e);
    if (largest == 0) {
        fill(exec, guess, element(0));
        return monitor.start(0, 0);
    }
    int const exponent = scaling_exponent<real>(largest, largest_part(exec, array_view<element const>(guess)));
    if (exponent == 0) return monitor.start(bb, largest);
    element const scale(real(std::ldexp(1.0, exponent)));
    for_each(exec, e.size(), scaled_copy<element>{scale, guess.data(), guess.data()});
    auto const sums =
        update_and_dot(exec, scratch, scaled_copy<element>{scale, e.data(), temporary.data()},
                       dot_pair(array_view<element const>(temporary), array_view<element const>(temporary)));
    return monitor.start(real_part(sums[0]), largest, exponent);
}

/// Computes r = s b - A x and returns |r|^2; NaN if x is not finite, even if A does not read these elements. `T`: value
/// type of the operator; `E`: type of its elements.
template <class T, executor Executor, class E, class A>
double true_residual(Executor const& exec, dot_scratch& scratch, A const& a, double s, array_view<E const> b,
                     array_view<E> x, array_view<E> r) {
    a.apply(exec, as_numbers<T const>(array_view<E const>(x)), as_numbers<T>(r));
    auto const sums = update_and_dot(exec, scratch, residual_update<E>{b.data(), real_of_t<E>(s), r.data()},
                                     dot_pair(r, r), dot_pair(x, x));
    if (std::isfinite(real_part(sums[1]))) return real_part(sums[0]);
    // r|^2 beyond the range of double is no error if x is finite.
    bool const finite = first_not_finite(exec, array_view<E const>(x), "x").empty();
    return finite ? real_part(sums[0]) : std::numeric_limits<double>::quiet_NaN();
}

/// Scales x back at the end of a solve that start_solve() has scaled, also if an exception ends the solve.
template <executor Executor, class E>
class scaled_solution {
public:
    scaled_solution(Executor const& exec, array_view<E> x, krylov_monitor& monitor)
        : exec_(exec), x_(x), monitor_(monitor), exponent_(monitor.exponent()) {}
    scaled_solution(scaled_solution const&) = delete;
    scaled_solution& operator=(scaled_solution const&) = delete;
    ~scaled_solution() {
        try {
            scale_back_x();
        } catch (...) { // an error of a device that has failed before
        }
    }

    /// Returns the result. If scaling back rounds x (subnormal numbers, overflow), its residual changes and is computed
    /// again, with 2^e x in temporary[n] and the residual in r[n].
    template <class T, class A>
    krylov_result finish(dot_scratch& scratch, A const& a, array_view<E const> b, array_view<E> temporary,
                         array_view<E> r) {
        if (exponent_ != 0) {
            E const scale(real_of_t<E>(monitor_.scale()));
            scale_back_x();
            for_each(exec_, x_.size(), scaled_copy<E>{scale, x_.data(), temporary.data()});
            monitor_.end_scaled(true_residual<T>(exec_, scratch, a, monitor_.scale(), b, temporary, r));
        }
        return monitor_.take();
    }

private:
    void scale_back_x() {
        if (exponent_ == 0) return;
        auto const back = real_of_t<E>(std::ldexp(1.0, -std::exchange(exponent_, 0)));
        for_each(exec_, x_.size(), scale_back<E>{back, x_.data()});
    }

    Executor const& exec_;
    array_view<E> x_;
    krylov_monitor& monitor_;
    int exponent_;
};

/// The best iterate of a solve, so that the result is never worse than an earlier iterate. The passes of a method save
/// x if krylov_control requests it, based on the recurrence; at the beginning of each round x is also saved in a second
/// vector by its true residual, because recurrences of singular systems may be wrong.
template <executor Executor, class T>
class best_solution {
public:
    best_solution(Executor const& exec, std::int64_t n) : x_(exec, n), sure_(exec, n) {}

    /// Begins a new solve.
    void begin() { residual_ = sure_residual_ = std::numeric_limits<double>::infinity(); }
    element_t<T>* data() { return elements(x_).data(); }
    /// n elements that are unused before begin() and after the last open().
    array_view<element_t<T>> temporary() { return elements(x_); }

    /// Opens a round: copies the best x, by its true residual, to x, and b - A x to r. Returns the square of the
    /// residual.
    template <class A, class E>
    double open(Executor const& exec, dot_scratch& scratch, A const& a, array_view<E const> b, array_view<E> x,
                array_view<E> r, krylov_monitor& monitor) {
        double rr = true_residual<T>(exec, scratch, a, monitor.scale(), b, x, r);
        if (!std::isfinite(rr) && std::isfinite(residual_)) monitor.end_not_finite();
        if (!std::isfinite(rr) && !std::isfinite(residual_))
            monitor.set_fault(first_not_finite(exec, array_view<E const>(x), "the initial guess"));
        if (is_better(residual_, rr)) {
            double const saved = true_residual<T>(exec, scratch, a, monitor.scale(), b, elements(x_), r);
            bool const better = is_better(saved, rr);
            if (better) exec.copy_elements(data(), x.data(), x.size());
            rr = better ? saved : true_residual<T>(exec, scratch, a, monitor.scale(), b, x, r);
        }
        if (is_better(sure_residual_, rr)) {
            exec.copy_elements(elements(sure_).data(), x.data(), x.size());
            rr = true_residual<T>(exec, scratch, a, monitor.scale(), b, x, r);
        } else if (rr < sure_residual_) {
            exec.copy_elements(x.data(), elements(sure_).data(), x.size());
            sure_residual_ = rr;
        }
        exec.copy_elements(x.data(), data(), x.size());
        residual_ = rr;
        return rr;
    }
    double residual() const { return residual_; }
    /// Takes the residual of the saved x after a round.
    void close(krylov_control const& round) { residual_ = round.best; }

private:
    /// Compares squares of residuals.
    static bool is_better(double a, double b) { return a < b || (std::isfinite(a) && std::isnan(b)); }
    static array_view<element_t<T>> elements(buffer<T>& x) { return as_elements(x.view()); }

    buffer<T> x_, sure_;
    /// Square of the residual of the saved x: recursive or true.
    double residual_ = std::numeric_limits<double>::infinity();
    double sure_residual_ = std::numeric_limits<double>::infinity();
};

} // namespace coppice::inline v0_1::detail
