// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The tries of solve_bands: which there are, which follows on which outcome, and how each is judged.
#pragma once

#include <array>
#include <limits>

#include <coppice/core/parallel.hpp>
#include <coppice/solvers/direct/error/band_error.hpp>
#include <coppice/solvers/direct/solve/band_rows.hpp>
#include <coppice/solvers/direct/solve/launchers.hpp>

namespace coppice::chain {

/// What a try does, in the order in which tries may follow each other.
enum class attempt { rpts, chain, refined_by_chain, none };

/// What a system goes on to after a try, by its outcome.
struct follow_ups {
    attempt if_inaccurate; ///< only the backward error is beyond the bound
    attempt if_doubtful;   ///< not finite, or too large to be trusted
    attempt if_hollow;     ///< only examined for columns without a pivot (judgement::if_hollow)
};
inline constexpr std::array<follow_ups, most_tries> follow_ups_of{{
    // inaccurate              doubtful        hollow
    {attempt::chain, attempt::chain, attempt::chain},          // after rpts
    {attempt::refined_by_chain, attempt::none, attempt::none}, // after chain
    {attempt::none, attempt::none, attempt::none},             // after refined_by_chain
}};

/// The tries of a call: all from `first` to `last`, the later ones for the systems that wait for them.
struct try_plan {
    attempt first, last;

    /// As reports count it, from 1; 0 if the call does not have it.
    int number(attempt a) const { return first <= a && a <= last ? int(a) - int(first) + 1 : 0; }
    /// Whether the call has it as one of the later ones.
    bool follows(attempt a) const { return number(a) > 1; }
};

/// Others than the first only where somebody looks at the result and leaves the choice of a method to us; the last
/// gives way to refinements that were asked for. `watched`: only the chain follows, for what is not finite.
inline try_plan plan_tries(bool starts_with_rpts, bool reported, bool watched, band_options const& o) {
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

/// Rpts says nothing of pivots; a solution this large beside its right-hand side may stand for one that vanished. In
/// double the matrix is singular to working precision then; in float so many large systems are that they are trusted
/// to its square.
template <class T>
inline constexpr double untrusted_growth = 1 / double(std::numeric_limits<T>::epsilon()) /
                                           (sizeof(T) == sizeof(float) ? double(std::numeric_limits<T>::epsilon())
                                                                       : 1.0);

template <class T>
judgement judgement_of(attempt a, try_plan const& plan, double bound) {
    follow_ups const& next = follow_ups_of[std::size_t(a)];
    return {.bound = bound,
            .growth = a == attempt::rpts ? untrusted_growth<real_lane_t<lane_of_t<T>>> : 0,
            .if_inaccurate = plan.number(next.if_inaccurate),
            .if_doubtful = plan.number(next.if_doubtful),
            .if_hollow = plan.number(next.if_hollow),
            .eliminated = a == attempt::chain};
}

/// A finished try: measured, judged, written to the report.
COPPICE_NO_EXEC_CHECK
template <class T, class Executor>
COPPICE_HD void judge(Executor const& exec, residual_rows<T> const& rows, verdict_memory const& memory,
                      solve_report* report, try_scope const& scope, judgement const& about) {
    matrix_rows<T> const& a = rows.a;
    measure_job<T> const job{rows, memory.parts, memory.columns, scope, {a, memory.uneven}};
    judge_system const judging{memory, report, scope, about, a.batch, a.n, a.scalar_rows};
    if (!measure(exec, job, judging)) for_each(exec, memory.systems, judging);
}

} // namespace coppice::chain
