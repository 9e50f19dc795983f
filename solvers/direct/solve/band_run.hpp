// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// One call of solve_bands from the first try to the report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <coppice/core/parallel.hpp>
#include <coppice/solvers/direct/error/band_condition.hpp>
#include <coppice/solvers/direct/error/band_error.hpp>
#include <coppice/solvers/direct/solve/band_attempts.hpp>
#include <coppice/solvers/direct/solve/by_chain.hpp>
#include <coppice/solvers/direct/solve/by_rpts.hpp>
#include <coppice/solvers/direct/solve/fallback_attempts.hpp>
#include <coppice/solvers/direct/solve/rpts_checked.hpp>

namespace coppice::chain {

/// Estimates the condition numbers of all systems in the workspace; returns where they stand.
template <class T, class Executor>
double const* condition_of(Executor const& exec, matrix_rows<T> const& a, band_options const& o, std::byte* space,
                           workspace_plan const& plan) {
    condition_memory<T> const memory{reinterpret_cast<T*>(space + plan.vectors),
                                     reinterpret_cast<climb_state*>(space + plan.climbs),
                                     reinterpret_cast<double*>(space + plan.norms),
                                     reinterpret_cast<double*>(space + plan.conditions),
                                     reinterpret_cast<std::int64_t*>(space + plan.singular_of_condition),
                                     reinterpret_cast<int*>(space + plan.climbing)};
    climb_condition(exec, a, memory,
                    [&](matrix_rows<T> const& rows, T* vectors, std::int64_t* singular, int const* gate) {
                        row_units<T> const units{rows, vectors, vectors, a.scalar_rows, a.scalar_rows, 0, singular};
                        solve_by_chain(exec, units, condition_starts, elimination_of<T>(o), plan.chain_in(space), gate);
                    });
    return memory.condition;
}

/// One call of solve_bands: solves, looks at the result, tries again where it is bad, refines, and reports. Which tries
/// follow is known to the device alone, so each has a gate that an earlier one opens. Nothing here waits.
template <class T, class Executor>
struct solve_run {
    using lane = lane_of_t<T>;

    Executor const& exec;
    band_matrix<T> const& matrix;
    columns_view<T const> d;
    columns_view<T> x;
    band_options const& o;
    std::byte* space;
    workspace_plan const& plan;
    array_view<solve_report> report;

    matrix_rows<lane> a = rows_of(matrix, o);
    columns_view<lane const> sides{reinterpret_cast<lane const*>(d.pointer), d.rows, d.columns, d.leading};
    columns_view<lane> solution{reinterpret_cast<lane*>(x.pointer), x.rows, x.columns, x.leading};
    residual_rows<lane> rows{a, solution.pointer, sides.pointer, x.leading, d.leading};
    verdict_memory memory{reinterpret_cast<error_parts*>(space + plan.parts),
                          reinterpret_cast<bool*>(space + plan.inaccurate),
                          reinterpret_cast<std::int64_t*>(space + plan.singular),
                          reinterpret_cast<int*>(space + plan.next),
                          reinterpret_cast<int*>(space + plan.uneven),
                          reinterpret_cast<int*>(space + plan.flags),
                          matrix.systems,
                          x.columns};
    double bound = error_bound<T>(o);
    bool watched = watches_rpts(exec, matrix, o, reported());
    try_plan tries = plan_tries(starts_with_rpts(exec, matrix, o, reported()), reported(), watched, o);
    later_tries<lane> later{rows,
                            reinterpret_cast<lane*>(space + plan.residual),
                            elimination_of<lane>(o),
                            plan.chain_in(space),
                            memory,
                            report.data(),
                            later_try_of(attempt::chain),
                            later_try_of(attempt::refined_by_chain),
                            in_place() ? later_side() : rows.d,
                            in_place() ? x.rows : d.leading};

    bool reported() const { return !report.empty(); }
    bool in_place() const { return x.pointer == d.pointer; }

    void run() const {
        if (reported()) {
            clear_verdicts<lane> const clear{memory, {a, memory.uneven}};
            for_each(exec, clear.items(), clear);
        } else if (watched) {
            clear_waiting const clear{memory};
            for_each(exec, clear.items(), clear);
            for (std::int64_t c = 0; in_place() && c < x.columns; ++c)
                exec.copy_elements(d.pointer + c * d.leading, reinterpret_cast<T*>(later_side()) + c * x.rows, x.rows);
        }
        first_try();
        if (watched) later.look(exec);
        if (later.any()) queue_tries(exec, later);
        refine_as_asked();
        if (reported() && o.condition)
            for_each(exec, matrix.systems, report_condition{condition_of(exec, a, o, space, plan), report.data()});
    }

private:
    void solve_rpts(array_view<std::byte> workspace) const {
        if constexpr (std::is_same_v<Executor, host_executor>)
            if (!reported()) return solve_by_rpts_checked(exec, matrix, d, x, o, workspace);
        solve_by_rpts(exec, matrix, d, x, o, workspace);
    }
    /// Room for d where x is d; the chain solves it in place.
    lane* later_side() const { return reinterpret_cast<lane*>(space + plan.residual); }
    /// Of all systems, into x.
    void first_try() const {
        if (tries.first == attempt::rpts)
            solve_rpts({space + plan.links, plan.links_bytes});
        else
            solve_by_chain(exec,
                           row_units<lane>{a, rows.d, solution.pointer, d.leading, x.leading, 0,
                                           reported() ? memory.singular : nullptr},
                           x.columns, later.how, later.space, nullptr);
        if (reported())
            judge(exec, rows, memory, report.data(), {.number = 1}, judgement_of<T>(tries.first, tries, bound));
    }
    /// o.refinements steps for all systems.
    void refine_as_asked() const {
        for (int k = 0; k < o.refinements; ++k) {
            later.correct(exec, {});
            for_each(exec, later.items(), later.adding());
        }
        if (reported() && o.refinements > 0)
            judge(exec, rows, memory, report.data(), {}, {.bound = bound, .numbered = false, .eliminated = false});
    }

    later_try later_try_of(attempt a_try) const {
        return {tries.follows(a_try), memory.waiting_for(tries.number(a_try)), judgement_of<T>(a_try, tries, bound)};
    }
};

} // namespace coppice::chain
