// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The stopping test of the iterations of a round, evaluated in the memory of the vectors.
#pragma once

#include <cmath>
#include <cstdint>

#include <coppice/core/config.hpp>
#include <coppice/core/repeat.hpp>
#include <coppice/solvers/iterative/vectors/elements.hpp>

namespace coppice::inline v0_1::detail {

/// Why the iterations of a round ended.
enum class round_end {
    none,
    tolerance, ///< the recurrence claims that the tolerance is met
    breakdown, ///< a divisor is zero
    restart,   ///< a divisor consists of rounding errors only, so the step at which this happens depends on them; a
               ///< round from the true residual helps
    cycle,     ///< the method's own restart, with nothing wrong (GMRES)
    not_finite,
    limit,     ///< of iterations
    slow,      ///< the tolerance is farther away than it may be
    cancelled, ///< by the caller
    pause,     ///< the history is full: it is to be fetched, and the round goes on
};

/// Communication between a running solve and the host, in memory that both can access.
struct krylov_mail {
    std::int64_t iterations = 0; ///< done
    int cancel = 0;              ///< set by the host
};

COPPICE_HD inline bool is_finite(double value) { return value - value == 0; }

/// A dot product x^H y of vectors of T that is at most this fraction of |x| |y| consists of rounding errors only: its
/// terms have relative errors of about the unit of T, and the sum of their squares is at most |x|^2 |y|^2. Divisors are
/// compared with this bound, so that a breakdown depends neither on the order of a sum nor on the scale of the system.
template <class T>
inline constexpr double dot_noise = 8 * unit_of<T>;

/// A recursive residual below this bound is meaningless: no solution with 53-bit numbers reaches it, and continuing
/// would let squares underflow.
inline constexpr double least_residual = 1e-25;

/// The iterations of one round: counted, recorded and ended here.
struct krylov_control {
    loop_switch loop{};
    round_end end = round_end::none;
    std::int64_t iterations = 0;     ///< of the solve
    std::int64_t round_began_at = 0; ///< iterations
    std::int64_t limit = 0;          ///< of iterations
    double b_norm = 1;
    double tolerance = 0;
    double most_remaining = 0; ///< iterations that the tolerance may be away; 0: any number
    double began_with = 0;     ///< relative residual at the start of the solve
    double smallest = 1e300;   ///< of the round: by the recurrence, relative
    double* history = nullptr; ///< relative residuals of the iterations from history_begin on; null for none
    std::int64_t history_begin = 0, history_room = 0;
    krylov_mail* mail = nullptr; ///< null where nobody watches

    int moves = 0;   ///< x takes the step that was found
    int keeps = 0;   ///< x is to be kept before it does
    double best = 0; ///< square of the least residual of an x that is kept, by the recurrence or true

    /// Ends the round after this iteration, unless it has ended.
    COPPICE_HD void end_with(round_end why) {
        if (end != round_end::none && end != round_end::pause) return;
        end = why;
        loop.stop();
    }
    /// Whether the round ended before this iteration, which then must not change anything. Called before the iteration
    /// decides.
    COPPICE_HD bool is_over() const { return loop.on == 0; }
    /// An iteration after the end.
    COPPICE_HD void rest() { moves = keeps = 0; }
    /// Ends it before x has moved.
    COPPICE_HD void refuse(round_end why) {
        moves = keeps = 0;
        end_with(why);
    }
    /// Whether these values are finite and nonzero as required; otherwise ends the round.
    COPPICE_HD bool finite(double value, double other = 0) {
        if (is_finite(value) && is_finite(other)) return true;
        refuse(round_end::not_finite);
        return false;
    }
    /// x moves on from a residual of this square to another: counts the iteration, and ends the round where that is
    /// due.
    COPPICE_HD void step(double from, double to) {
        moves = 1;
        keeps = from < to && from < best;
        if (keeps) best = from;
        count(to);
    }
    /// Counts an iteration that led to this recursive residual, and ends the round where that is due.
    COPPICE_HD void count(double residual_squared) {
        double const residual = std::sqrt(residual_squared) / b_norm;
        if (history) history[iterations - history_begin] = residual;
        ++iterations;
        round_end due = round_end::none;
        if (history && iterations - history_begin == history_room) due = round_end::pause;
        if (is_slow(residual)) due = round_end::slow;
        if (iterations >= limit) due = round_end::limit;
        if (residual <= tolerance || residual < least_residual) due = round_end::tolerance;
        if (!is_finite(residual)) due = round_end::not_finite;
        if (mail) due = tell(due);
        if (due != round_end::none) end_with(due);
    }

private:
    /// Whether too many iterations would remain at the mean convergence rate so far, by the smallest residual: single
    /// ones may be large.
    COPPICE_HD bool is_slow(double residual) {
        constexpr int interval = 8;
        if (most_remaining == 0) return false;
        if (residual < smallest) smallest = residual;
        if (iterations % interval != 0) return false;
        double const goal = tolerance > least_residual ? tolerance : least_residual;
        double const fallen = std::log(began_with / smallest), left = std::log(smallest / goal);
        return !(double(iterations) * left <= most_remaining * fallen);
    }
    COPPICE_HD round_end tell(round_end due) const {
#if defined(__CUDA_ARCH__)
        constexpr int interval = 8; // a look at the host's memory takes as long as a small vector
        if (due == round_end::none && iterations % interval != 0) return due;
        __threadfence_system(); // the history first
#endif
        *static_cast<std::int64_t volatile*>(&mail->iterations) = iterations;
        bool const cancelled = *static_cast<int volatile*>(&mail->cancel) != 0;
        return cancelled ? round_end::cancelled : due;
    }
};

} // namespace coppice::inline v0_1::detail
