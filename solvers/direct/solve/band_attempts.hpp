// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The attempts of solve_bands: their order, which one follows on which outcome, and the check of their accuracy.
#pragma once

#include <limits>

#include <coppice/core/parallel.hpp>
#include <coppice/solvers/direct/error/band_error.hpp>
#include <coppice/solvers/direct/solve/band_rows.hpp>
#include <coppice/solvers/direct/solve/launchers.hpp>

namespace coppice::inline v0_1::chain {

/// Kinds of attempts, in the order in which they follow each other.
enum class attempt { rpts, chain, refined_by_chain };

/// The attempts of a call: all from `first` to `last`; the later ones apply to the systems that need them.
struct attempt_plan {
    attempt first, last;

    /// Number of an attempt in reports, from 1; 0 if the call does not include it.
    int number(attempt a) const { return first <= a && a <= last ? int(a) - int(first) + 1 : 0; }
    /// Whether the call includes it as a later attempt.
    bool follows(attempt a) const { return number(a) > 1; }
};

/// The attempts of a call. There are later ones only if a report is requested and the method is automatic; the last one
/// is omitted if refinements are requested. `watched`: without a report, the chain solver follows for solutions that
/// are not finite or wrong.
inline attempt_plan plan_attempts(bool starts_with_rpts, bool reported, bool watched, band_options const& o) {
    attempt const first = starts_with_rpts ? attempt::rpts : attempt::chain;
    if (watched) return {first, attempt::chain};
    if (!reported || o.method != band_method::automatic) return {first, first};
    return {first, o.refinements > 0 ? attempt::chain : attempt::refined_by_chain};
}

template <class T>
double error_bound(band_options const& o) {
    using real = real_lane_t<lane_of_t<T>>;
    return o.error_bound > 0 ? o.error_bound : 50 * double(std::numeric_limits<real>::epsilon());
}

/// Without a report: maximum backward error of an uncertain solution by RPTS that is accepted; see
/// column_error::normwise().
template <class T>
inline constexpr double accepted_error = 32.0 * double(std::numeric_limits<real_lane_t<T>>::epsilon());

/// RPTS does not report vanishing pivots. If |A| |x| / |d| is at least this bound, a pivot may have vanished. In double
/// the matrix is then singular to working precision. In float many systems have such large solutions, so the bound is
/// squared.
template <class T>
inline constexpr double untrusted_growth = 1 / double(std::numeric_limits<T>::epsilon()) /
                                           (sizeof(T) == sizeof(float) ? double(std::numeric_limits<T>::epsilon())
                                                                       : 1.0);

/// Inaccurate solutions get the next attempt; after rpts, also those that are not finite or too large to be trusted,
/// and those with zero unknowns, which it only tests for columns without a pivot.
template <class T>
accuracy_rule accuracy_rule_of(attempt a, attempt_plan const& plan, double bound) {
    int const next = plan.number(attempt(int(a) + 1)), after_rpts = a == attempt::rpts ? next : 0;
    return {.bound = bound,
            .growth = a == attempt::rpts ? untrusted_growth<real_lane_t<lane_of_t<T>>> : 0,
            .if_inaccurate = next,
            .if_doubtful = after_rpts,
            .if_zero_unknown = after_rpts,
            .eliminated = a == attempt::chain};
}

/// Ends an attempt: measures its errors, checks them, and writes the report.
COPPICE_NO_EXEC_CHECK
template <class T, class Executor>
COPPICE_HD void check_accuracy(Executor const& exec, residual_rows<T> const& rows, error_memory const& memory,
                               solve_report* report, attempt_scope const& scope, accuracy_rule const& about) {
    matrix_rows<T> const& a = rows.a;
    measure_job<T> const job{rows, memory.errors, memory.columns, scope, {a, memory.uneven}};
    check_system const checking{memory, report, scope, about, a.batch, a.n, a.scalar_rows};
    if (!measure(exec, job, checking)) for_each(exec, memory.systems, checking);
}

} // namespace coppice::inline v0_1::chain
