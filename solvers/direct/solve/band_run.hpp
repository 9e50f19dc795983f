// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// One call of solve_bands, from the first attempt to the report.
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

namespace coppice::inline v0_1::chain {

/// Estimates the condition numbers of all systems; returns their array in the workspace.
template <class T, class Executor>
double const* condition_of(Executor const& exec, matrix_rows<T> const& a, band_options const& o, std::byte* space,
                           workspace_plan const& plan) {
    auto const memory = plan.condition_in<T>(space);
    compute_condition(
        exec, a, memory, [&](matrix_rows<T> const& rows, T* vectors, std::int64_t* singular, int const* predicate) {
            matrix_block_rows<T> const block_rows{rows, vectors, vectors, a.scalar_rows, a.scalar_rows, 0, singular};
            solve_by_chain(exec, block_rows, condition_starts, elimination_of<T>(o), plan.chain_in(space), predicate);
        });
    return memory.condition;
}

/// One call of solve_bands: solves, checks the result, starts further attempts for inaccurate systems, refines, and
/// reports. Which attempts are needed is known on the device only, so each has a device predicate that an earlier
/// attempt sets. Does not wait.
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
    columns_view<lane const> rhs{reinterpret_cast<lane const*>(d.pointer), d.rows, d.columns, d.leading};
    columns_view<lane> solution{reinterpret_cast<lane*>(x.pointer), x.rows, x.columns, x.leading};
    residual_rows<lane> rows{a, solution.pointer, rhs.pointer, x.leading, d.leading};
    error_memory memory = plan.errors_in(space, matrix.systems, x.columns);
    double bound = error_bound<T>(o);
    bool watched = watches_rpts(exec, matrix, o, reported());
    attempt_plan attempts = plan_attempts(starts_with_rpts(exec, matrix, o, reported()), reported(), watched, o);
    later_attempts<lane> later{rows,
                               reinterpret_cast<lane*>(space + plan.residual),
                               elimination_of<lane>(o),
                               plan.chain_in(space),
                               memory,
                               report.data(),
                               later_attempt_of(attempt::chain),
                               later_attempt_of(attempt::refined_by_chain),
                               in_place() ? saved_rhs() : rows.d,
                               in_place() ? x.rows : d.leading,
                               may_be_uncertain(exec, matrix, o.cyclic) && watched};

    bool reported() const { return !report.empty(); }
    bool in_place() const { return x.pointer == d.pointer; }

    void run() const {
        if (reported() || watched) {
            clear_errors<lane> const clear{memory, {a, memory.uneven}, reported(), reported() || later.checks};
            for_each(exec, clear.items(), clear);
        }
        if (watched)
            for (std::int64_t c = 0; in_place() && c < x.columns; ++c) // not covered: devices only
                exec.copy_elements(d.pointer + c * d.leading, reinterpret_cast<T*>(saved_rhs()) + c * x.rows, x.rows);
        first_attempt();
        if (later.any()) queue_attempts(exec, later);
        refine_as_asked();
        if (reported() && o.condition)
            for_each(exec, matrix.systems, report_condition{condition_of(exec, a, o, space, plan), report.data()});
    }

private:
    void solve_rpts(array_view<std::byte> workspace) const {
        if constexpr (std::is_same_v<Executor, host_executor>)
            if (!reported()) return solve_by_rpts_checked(exec, matrix, d, x, o, workspace);
        solve_by_rpts(exec, matrix, d, x, o, workspace, watched ? later.not_finite() : nullptr, later.uncertain());
    }
    /// Memory for a copy of d if x is d; the chain solver then works in place.
    lane* saved_rhs() const { return reinterpret_cast<lane*>(space + plan.residual); }
    /// Solves all systems into x.
    void first_attempt() const {
        if (attempts.first == attempt::rpts)
            solve_rpts({space + plan.condensed, plan.condensed_bytes});
        else
            solve_by_chain(exec,
                           matrix_block_rows<lane>{a, rows.d, solution.pointer, d.leading, x.leading, 0,
                                                   reported() ? memory.singular : nullptr},
                           x.columns, later.how, later.space, nullptr);
        if (reported())
            check_accuracy(exec, rows, memory, report.data(), {.number = 1},
                           accuracy_rule_of<T>(attempts.first, attempts, bound));
    }
    /// Applies o.refinements steps of refinement to all systems.
    void refine_as_asked() const {
        for (int k = 0; k < o.refinements; ++k) {
            later.correct(exec, {});
            for_each(exec, later.items(), later.adding());
        }
        if (reported() && o.refinements > 0)
            check_accuracy(exec, rows, memory, report.data(), {},
                           {.bound = bound, .numbered = false, .eliminated = false});
    }

    later_attempt later_attempt_of(attempt kind) const {
        return {attempts.follows(kind), memory.waiting_for(attempts.number(kind)),
                accuracy_rule_of<T>(kind, attempts, bound)};
    }
};

} // namespace coppice::inline v0_1::chain
