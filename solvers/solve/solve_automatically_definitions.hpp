// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definition of solve_automatically(), for the sources of the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <coppice/core/host/interruption.hpp>
#include <coppice/core/stopwatch.hpp>
#include <coppice/solvers/precondition/interface/matrix_checks.hpp>
#include <coppice/solvers/solve/solve_automatically.hpp>

namespace coppice::inline v0_1 {

namespace detail {

/// Of the iterations of a solve: how many an attempt gets in the first pass over the choices.
inline std::int64_t first_limit(std::int64_t n) {
    return std::max<std::int64_t>(1000, 4 * std::int64_t(std::sqrt(double(n))));
}

/// Adds what an attempt found to the whole, and takes its history.
void append_attempt(automatic_result& whole, solver_attempt attempt);

/// Whether this choice may converge with more iterations.
inline bool may_go_on(solver_attempt const& attempt) {
    return attempt.refusal.empty() && attempt.result.reason == krylov_reason::max_iterations;
}

/// Iterations that are reserved for the direct solver: refinement of a solution with some correct digits.
inline constexpr std::int64_t direct_iterations = 20;
inline bool is_direct(solver_choice const& choice) { return choice.preconditioner.starts_with("direct"); }

template <executor Executor, class T>
solver_attempt attempt_solve(Executor const& exec, csr_operator<Executor, T> const& a, solver_choice const& choice,
                             option_values const& given, krylov_options const& options, array_view<T const> b,
                             array_view<T> x) {
    solver_attempt attempt{.choice = choice};
    stopwatch watch(exec);
    auto const m = make_chosen_preconditioner(exec, choice, given, a.matrix());
    attempt.setup = m.report();
    attempt.setup_seconds = watch.lap();
    interruption::scope const by_progress_alone(nullptr); // which keeps the best x
    attempt.result = solve(exec, choice.solver, a, m, b, x, options);
    attempt.solve_seconds = watch.lap();
    return attempt;
}

} // namespace detail

template <executor Executor, class T>
automatic_result detail::solve_by_compiled_choices(Executor const& exec, csr_operator<Executor, T> const& a,
                                                   array_view<T const> b, array_view<T> x,
                                                   automatic_options const& options) {
    detail::require_solve_vectors(a.size(), b, x);
    krylov_monitor const checked(options.krylov); // throws for options out of range
    automatic_result whole;
    if (options.solver == automatic_name || options.preconditioner == automatic_name) {
        detail::stopwatch watch(exec);
        whole.traits = traits_of(exec, a.matrix());
        if (!whole.traits.finite) {
            if constexpr (is_complex_number<T>)
                throw matrix_error("the matrix has an entry that is not finite");
            else
                detail::require_finite(exec, a.matrix());
        }
        whole.traits_seconds = watch.lap();
    }
    auto choices = solver_choices(whole.traits, a.size(), std::is_same_v<Executor, host_executor>, options.solver,
                                  options.preconditioner);
    bool const alone = choices.size() == 1;
    std::exception_ptr refusal;
    bool made = false;
    std::int64_t left = options.krylov.max_iterations;
    for (std::int64_t limit = detail::first_limit(a.size()); !choices.empty(); limit *= 4) {
        std::vector<solver_choice> hopeful;
        bool const ends_direct = !alone && detail::is_direct(choices.back());
        for (solver_choice const& choice : choices) {
            // The direct solver at the end needs few iterations, but some.
            bool const reserves = ends_direct && !detail::is_direct(choice) &&
                                  options.krylov.max_iterations > 2 * detail::direct_iterations;
            std::int64_t const available = left - (reserves ? detail::direct_iterations : 0);
            if (reserves && available <= 0) continue;
            krylov_options krylov = options.krylov;
            krylov.max_iterations = alone ? left : std::min(limit, available);
            if (choice.iterations > 0 && !alone) krylov.max_iterations = std::min(choice.iterations, available);
            if (choice.max_remaining > 0 && !alone) krylov.max_remaining = choice.max_remaining;
            krylov.restart = std::clamp(choice.restart, krylov.restart, std::max(krylov.restart, 1000));
            if (krylov.progress)
                krylov.progress = [&, before = options.krylov.max_iterations - left](std::int64_t k, double residual) {
                    return options.krylov.progress(before + k, residual);
                };
            solver_attempt attempt{.choice = choice};
            try {
                attempt = detail::attempt_solve(exec, a, choice, options.preconditioner_options, krylov, b, x);
                made = true;
            } catch (matrix_error const& error) { // not suited: on to the next
                attempt.refusal = error.what();
                if (!refusal) refusal = std::current_exception();
            }
            bool const goes_on = detail::may_go_on(attempt) && (choice.iterations == 0 || alone);
            bool const ends = attempt.refusal.empty() &&
                              (attempt.result.converged || attempt.result.reason == krylov_reason::cancelled);
            left -= attempt.result.iterations;
            detail::append_attempt(whole, std::move(attempt));
            if (ends || (made && left <= 0)) return whole;
            if (goes_on) hopeful.push_back(choice);
        }
        if (!made) std::rethrow_exception(refusal);
        choices = std::move(hopeful);
    }
    return whole;
}

} // namespace coppice::inline v0_1
