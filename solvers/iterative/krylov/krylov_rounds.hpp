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
#include <coppice/solvers/iterative/vectors/first_not_finite.hpp>
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

/// Begins and ends a solve. If squares of b would overflow or underflow, b and x are multiplied by a power of two in
/// between, monitor.scale(); x is multiplied back at the end, also if an exception ends the solve.
template <executor Executor, class T>
class scaled_solve {
    using element = element_t<T>;
    using real = real_of_t<element>;

public:
    scaled_solve(Executor const& exec, dot_scratch& scratch, array_view<T const> b, array_view<T> x,
                 krylov_monitor& monitor)
        : exec_(exec), scratch_(scratch), b_(as_elements(b)), x_(as_elements(x)), monitor_(monitor) {
        require_solve_vectors(scratch.size, b, x);
    }
    scaled_solve(scaled_solve const&) = delete;
    scaled_solve& operator=(scaled_solve const&) = delete;
    ~scaled_solve() {
        try {
            scale_back_x();
        } catch (...) { // an error of a device that has failed before
        }
    }

    /// Returns false if the result is already known; b = 0 gives x = 0. Overwrites temporary[n].
    bool start(array_view<element> temporary) {
        double const bb = real_part(dots(exec_, scratch_, dot_pair(b_, b_))[0]);
        double const limit = std::ldexp(1.0, 2 * scaled_window<real>);
        if (bb >= 1 / limit && bb <= limit) return monitor_.start(bb, bb);

        std::string fault = std::isfinite(bb) ? "" : first_not_finite(exec_, b_, "the right-hand side b");
        if (!fault.empty()) {
            monitor_.set_fault(std::move(fault));
            return monitor_.start(std::numeric_limits<double>::quiet_NaN(), 1);
        }
        double const largest = largest_part(exec_, b_);
        if (largest == 0) {
            fill(exec_, x_, element(0));
            return monitor_.start(0, 0);
        }
        exponent_ = scaling_exponent<real>(largest, largest_part(exec_, array_view<element const>(x_)));
        if (exponent_ == 0) return monitor_.start(bb, largest);
        guess_ = copy_of(exec_, array_view<element const>(x_));
        element const scale(real(std::ldexp(1.0, exponent_)));
        for_each(exec_, x_.size(), scaled_copy<element>{scale, x_.data(), x_.data()});
        auto const sums =
            update_and_dot(exec_, scratch_, scaled_copy<element>{scale, b_.data(), temporary.data()},
                           dot_pair(array_view<element const>(temporary), array_view<element const>(temporary)));
        return monitor_.start(real_part(sums[0]), largest, exponent_);
    }

    /// Returns the result. If b was scaled, x is rounded (subnormal numbers, overflow) when it is multiplied back: its
    /// residual is computed again, and the initial guess is returned if its residual is smaller or if x is the guess.
    /// Overwrites temporary[n] and r[n].
    template <class A>
    krylov_result finish(A const& a, array_view<element> temporary, array_view<element> r) {
        if (exponent_ != 0) {
            auto const residual_of = [&](element const* x) {
                element const scale(real(monitor_.scale()));
                for_each(exec_, x_.size(), scaled_copy<element>{scale, x, temporary.data()});
                return true_residual<T>(exec_, scratch_, a, monitor_.scale(), b_, temporary, r);
            };
            scale_back_x();
            double const rounded = residual_of(x_.data()), of_guess = residual_of(guess_.data());
            bool const returns_guess = of_guess <= rounded || (std::isfinite(of_guess) && std::isnan(rounded));
            if (returns_guess) exec_.copy_elements(guess_.data(), x_.data(), x_.size());
            monitor_.end_scaled(returns_guess ? of_guess : rounded);
        }
        return monitor_.take();
    }

private:
    void scale_back_x() {
        if (exponent_ == 0) return;
        auto const back = real(std::ldexp(1.0, -std::exchange(exponent_, 0)));
        for_each(exec_, x_.size(), scale_back<element>{back, x_.data()});
    }

    Executor const& exec_;
    dot_scratch& scratch_;
    array_view<element const> b_;
    array_view<element> x_;
    krylov_monitor& monitor_;
    int exponent_ = 0;
    buffer<element> guess_{}; ///< the initial x of a scaled solve, which multiplying it back may not restore
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
