// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// One call of solve_bands from the first try to the report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <coppice/core/parallel.hpp>
#include <coppice/solvers/direct/solve/band_tries.hpp>
#include <coppice/solvers/direct/solve/by_chain.hpp>
#include <coppice/solvers/direct/solve/by_rpts.hpp>
#include <coppice/solvers/judge/band_condition.hpp>
#include <coppice/solvers/judge/band_error.hpp>

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
                        columns_view<T> const x(vectors, a.scalar_rows, condition_starts);
                        solve_by_chain(exec, rows, columns_view<T const>(x), x, o, space, plan, singular, gate);
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
    columns_view<lane> correction{reinterpret_cast<lane*>(space + plan.residual), a.scalar_rows, x.columns};
    add_correction<lane> correct{solution.pointer, correction.pointer, a.scalar_rows, x.leading};
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
    std::int64_t items = a.scalar_rows * x.columns;
    try_plan tries = plan_tries(starts_with_rpts(exec, matrix, o, reported()), reported(), o);

    bool reported() const { return !report.empty(); }

    void run() const {
        if (reported()) {
            clear_verdicts<lane> const clear{memory, {a, memory.uneven}};
            for_each(exec, clear.items(), clear);
        }
        first_try();
        if constexpr (std::is_floating_point_v<T>) // complex systems begin with the chain
            if (tries.follows(attempt::chain)) retry_by_chain();
        if (tries.follows(attempt::refined_by_chain)) refine_by_chain();
        refine_as_asked();
        if (reported() && o.condition)
            for_each(exec, matrix.systems, report_condition{condition_of(exec, a, o, space, plan), report.data()});
    }

private:
    /// Of all systems, into x.
    void first_try() const {
        if (tries.first == attempt::rpts)
            solve_by_rpts(exec, matrix, d, x, o, {space + plan.links, plan.links_bytes});
        else
            solve_by_chain(exec, a, sides, solution, o, space, plan, reported() ? memory.singular : nullptr, nullptr);
        if (reported()) judge_try(tries.first, {.number = 1});
    }
    /// The systems that wait for it are solved again, for the first time by the chain; the others keep their bits.
    void retry_by_chain() const {
        try_scope const scope = scope_of(attempt::chain);
        if (stays_closed(exec, scope.gate)) return;
        solve_by_chain(exec, a, sides, correction, o, space, plan, memory.singular, scope.gate);
        for_all_rows(take_answer<lane>{a, solution.pointer, correction.pointer, x.leading, scope});
        judge_try(attempt::chain, scope);
    }
    /// x += A^-1 (d - A x) for the columns that wait for it: against the growth of entries in a stretch, which reaches
    /// far where roots of its recurrence meet on the unit circle (matrix 17 of Table 6).
    void refine_by_chain() const {
        try_scope const scope = scope_of(attempt::refined_by_chain);
        if (stays_closed(exec, scope.gate)) return;
        for_all_rows(residual_to<lane>{rows, correction.pointer, scope});
        correct_by_chain(scope.gate);
        for_all_rows(correct_inaccurate<lane>{a, correct, memory, scope});
        judge_try(attempt::refined_by_chain, scope);
    }
    /// o.refinements steps for all systems.
    void refine_as_asked() const {
        for (int k = 0; k < o.refinements; ++k) {
            for_all_rows(residual_to<lane>{rows, correction.pointer, {}});
            correct_by_chain(nullptr);
            for_each(exec, items, correct);
        }
        if (reported() && o.refinements > 0)
            judge(exec, rows, memory, report.data(), {}, {.bound = bound, .numbered = false, .eliminated = false});
    }

    void correct_by_chain(int const* gate) const {
        solve_by_chain(exec, a, columns_view<lane const>(correction), correction, o, space, plan, nullptr, gate);
    }
    void judge_try(attempt a_try, try_scope const& scope) const {
        judge(exec, rows, memory, report.data(), scope, judgement_of<T>(a_try, tries, bound));
    }
    try_scope scope_of(attempt a_try) const { return memory.waiting_for(tries.number(a_try)); }
    template <class Work>
    void for_all_rows(Work const& work) const {
        std::int64_t const workers = workers_for(items);
        for_each(exec, workers, strided_work<Work>{work, items, workers});
    }
};

} // namespace coppice::chain
