// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The stopping test of the iterations of a round, evaluated on the device.
#pragma once

#include <cmath>
#include <cstdint>

#include <coppice/core/config.hpp>
#include <coppice/core/repeat.hpp>
#include <coppice/solvers/iterative/vectors/elements.hpp>

namespace coppice::inline v0_1::detail {

/// Reason why the iterations of a round ended.
enum class round_end {
    none,
    tolerance, ///< the residual of the recurrence meets the tolerance
    breakdown, ///< a divisor is zero
    /// A divisor consists of rounding errors only, so the step at which this happens depends on them; a new round from
    /// the true residual helps
    restart,
    cycle, ///< regular restart of the method (GMRES)
    not_finite,
    limit,     ///< maximum number of iterations reached
    slow,      ///< too many iterations would remain (max_remaining)
    cancelled, ///< cancelled by the caller
    pause,     ///< the history is full: the host fetches it and continues the round
};

/// Communication between a running solve and the host, in memory that both can access.
struct krylov_messages {
    std::int64_t iterations = 0; ///< completed iterations
    int cancel = 0;              ///< set by the host
};

COPPICE_HD inline bool is_finite(double value) { return value - value == 0; }

/// A dot product x^H y of vectors of T whose magnitude is at most this fraction of |x| |y| consists of rounding errors
/// only: its terms have relative errors of about epsilon_of<T>, and the sum of their squares is at most |x|^2 |y|^2.
/// Divisors are compared with this bound, so a breakdown depends neither on the order of summation nor on the scale of
/// the system.
template <class T>
inline constexpr double dot_noise = 8 * epsilon_of<T>;

/// A recursive residual below this bound is meaningless: no solution with 53-bit numbers reaches it, and in further
/// iterations squares would underflow.
inline constexpr double min_residual = 1e-25;

/// Counts and records the iterations of one round, and ends the round.
struct krylov_control {
    loop_switch loop{};
    round_end end = round_end::none;
    std::int64_t iterations = 0;     ///< number of iterations of the solve
    std::int64_t round_began_at = 0; ///< number of iterations before this round
    std::int64_t limit = 0;          ///< maximum number of iterations
    double b_norm = 1;
    double tolerance = 0;
    double max_remaining = 0;  ///< maximum number of remaining iterations; 0: no maximum
    double began_with = 0;     ///< relative residual at the start of the solve
    double smallest = 1e300;   ///< smallest relative residual of the recurrence in this round
    double* history = nullptr; ///< relative residuals of the iterations from history_begin on; null: not recorded
    std::int64_t history_begin = 0, history_capacity = 0;
    krylov_messages* messages = nullptr; ///< null without a progress callback

    int moves = 0;   ///< 1: x takes the step of this iteration
    int keeps = 0;   ///< 1: x is saved before the step
    double best = 0; ///< square of the smallest residual, recursive or true, of a saved x

    /// Ends the round after this iteration, unless it has ended already.
    COPPICE_HD void end_with(round_end why) {
        if (end != round_end::none && end != round_end::pause) return;
        end = why;
        loop.stop();
    }
    /// Whether the round had ended before this iteration. If so, the iteration must not change anything. Called at the
    /// begin of the decision of an iteration.
    COPPICE_HD bool is_over() const { return loop.on == 0; }
    /// An iteration after the end of the round: x neither moves nor is saved.
    COPPICE_HD void rest() { moves = keeps = 0; }
    /// Ends the round before x takes the step.
    COPPICE_HD void refuse(round_end why) {
        moves = keeps = 0;
        end_with(why);
    }
    /// Returns whether both values are finite; if not, ends the round.
    COPPICE_HD bool finite(double value, double other = 0) {
        if (is_finite(value) && is_finite(other)) return true;
        refuse(round_end::not_finite);
        return false;
    }
    /// Accepts the step of x from a residual with square `from` to one with square `to`: counts the iteration, and ends
    /// the round if a stopping criterion is met.
    COPPICE_HD void step(double from, double to) {
        moves = 1;
        keeps = from < to && from < best;
        if (keeps) best = from;
        count(to);
    }
    /// Counts an iteration with this recursive residual, and ends the round if a stopping criterion is met.
    COPPICE_HD void count(double residual_squared) {
        double const residual = std::sqrt(residual_squared) / b_norm;
        if (history) history[iterations - history_begin] = residual;
        ++iterations;
        round_end due = round_end::none;
        if (history && iterations - history_begin == history_capacity) due = round_end::pause;
        if (is_slow(residual)) due = round_end::slow;
        if (iterations >= limit) due = round_end::limit;
        if (residual <= tolerance || residual < min_residual) due = round_end::tolerance;
        if (!is_finite(residual)) due = round_end::not_finite;
        if (messages) due = exchange_with_host(due);
        if (due != round_end::none) end_with(due);
    }

private:
    /// Whether more than max_remaining iterations would remain at the mean convergence rate so far, computed from the
    /// smallest residual, because single residuals may be large.
    COPPICE_HD bool is_slow(double residual) {
        constexpr int interval = 8;
        if (max_remaining == 0) return false;
        if (residual < smallest) smallest = residual;
        if (iterations % interval != 0) return false;
        double const goal = tolerance > min_residual ? tolerance : min_residual;
        double const fallen = std::log(began_with / smallest), left = std::log(smallest / goal);
        return !(double(iterations) * left <= max_remaining * fallen);
    }
    COPPICE_HD round_end exchange_with_host(round_end due) const {
#if defined(__CUDA_ARCH__)
        constexpr int interval = 8; // a read of host memory takes as long as an operation on a small vector
        if (due == round_end::none && iterations % interval != 0) return due;
        __threadfence_system(); // the history must be visible first
#endif
        *static_cast<std::int64_t volatile*>(&messages->iterations) = iterations;
        bool const cancelled = *static_cast<int volatile*>(&messages->cancel) != 0;
        return cancelled ? round_end::cancelled : due;
    }
};

} // namespace coppice::inline v0_1::detail
