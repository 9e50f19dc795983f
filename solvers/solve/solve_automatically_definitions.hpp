// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definition of solve_automatically(), for the sources of the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <coppice/core/host/interruption.hpp>
#include <coppice/core/stopwatch.hpp>
#include <coppice/solvers/iterative/by_name/bicg.hpp>
#include <coppice/solvers/precondition/interface/matrix_checks.hpp>
#include <coppice/solvers/precondition/sparse_direct/sparse_direct.hpp>
#include <coppice/solvers/solve/null_space.hpp>
#include <coppice/solvers/solve/solve_automatically.hpp>

namespace coppice::inline v0_1 {

namespace detail {

/// Maximum number of iterations of an attempt in the first pass over the choices.
inline std::int64_t first_limit(std::int64_t n) {
    return std::max<std::int64_t>(1000, 4 * std::int64_t(std::sqrt(double(n))));
}

/// Adds the result of an attempt to the result of all attempts, and moves its history there.
void append_attempt(automatic_result& whole, solver_attempt attempt);

/// Throws argument_error for an unknown method, and for an option that the preconditioner does not have; for the
/// automatic choice, that none has.
void require_known_names(automatic_options const& options);

/// Whether this choice may converge with more iterations.
inline bool may_go_on(solver_attempt const& attempt) {
    return attempt.refusal.empty() && attempt.result.reason == krylov_reason::max_iterations;
}

/// Iterations that are reserved for the direct solver: refinement of a solution with some correct digits.
inline constexpr std::int64_t direct_iterations = 20;
inline bool is_direct(solver_choice const& choice) { return choice.preconditioner.starts_with("direct"); }
/// Without a limit of operations; memory remains limited.
inline solver_choice last_direct() { return {"gmres", std::string(direct_name)}; }
/// Whether the last attempt with the direct solver was refused because of its number of operations.
inline bool exceeded_operations(std::vector<solver_attempt> const& attempts) {
    auto const last =
        std::find_if(attempts.rbegin(), attempts.rend(), [](auto const& a) { return is_direct(a.choice); });
    return last != attempts.rend() && last->exceeds_operations;
}

template <class T>
void require_near_null_space(automatic_options const& options, std::int64_t n) {
    std::int64_t const given = std::int64_t(options.near_null_space.size());
    std::int64_t const imaginary = std::int64_t(options.near_null_space_imaginary.size());
    if (imaginary > 0 && !is_complex_number<T>)
        throw argument_error("near-null-space vectors of a real matrix are real");
    if (imaginary > 0 && imaginary != given)
        throw dimension_error("near-null-space vectors with " + std::to_string(given) + " real and " +
                              std::to_string(imaginary) + " imaginary parts");
    if (given == 0) return;
    if (n == 0 || given % n != 0)
        throw dimension_error("near-null-space vectors with " + std::to_string(given) + " elements for a matrix of " +
                              std::to_string(n) + " rows");
    if (options.solver == direct_name ||
        (options.preconditioner != automatic_name && parse_choice(options.preconditioner).name != "multilevel"))
        throw argument_error("near-null-space vectors are for the preconditioners \"multilevel\" and \"auto\", got \"" +
                             (options.solver == direct_name ? options.solver : options.preconditioner) + "\"");
}

/// The near-null-space vectors as numbers of type T.
template <class T>
std::vector<T> near_null_space_of(automatic_options const& options) {
    std::vector<T> vectors(options.near_null_space.begin(), options.near_null_space.end());
    if constexpr (is_complex_number<T>)
        for (std::size_t k = 0; k < options.near_null_space_imaginary.size(); ++k)
            vectors[k].imag(typename T::value_type(options.near_null_space_imaginary[k]));
    return vectors;
}

/// The preconditioner of an attempt; attempts with the direct solver share the orders that they have computed.
template <executor Executor, class T>
any_preconditioner<Executor, T> make_attempted(Executor const& exec, solver_choice const& choice,
                                               automatic_options const& all, csr_view<T> a,
                                               std::shared_ptr<known_orders> const& orders) {
    option_values const& given = all.preconditioner_options;
    if (!all.near_null_space.empty() && parse_choice(choice.preconditioner).name == "multilevel") {
        auto const named = named_with(choice, given);
        auto const vectors = exec.copy(near_null_space_of<T>(all));
        near_null_space<T> const near{all.unknowns_per_point, int(vectors.size() / a.rows()), vectors.view()};
        auto made = make_preconditioner(exec, named.name, a, named.options, near);
        exec.synchronize(); // before the vectors are freed
        return made;
    }
    if constexpr (!is_complex_number<T>) {
        if (is_direct(choice) && has_sparse_direct()) {
            auto const named = named_with(choice, given);
            chosen_options const chosen("preconditioner \"direct\"", sparse_direct_entry::row.options, named.options);
            auto options = sparse_direct_entry::read(chosen);
            options.orders = orders;
            stopwatch watch(exec);
            sparse_direct<Executor, T> made(exec, a, options);
            return {std::move(made), preconditioner_report{named.name, watch.lap(), chosen.all(), {}}};
        }
    }
    return make_chosen_preconditioner(exec, choice, given, a);
}

template <class T>
void require_null_space(automatic_options const& options, std::int64_t n) {
    std::int64_t const given = std::int64_t(options.null_space.size());
    if (given == 0) return;
    if (is_complex_number<T>) throw argument_error("null_space is for real matrices");
    if (n == 0 || given % n != 0)
        throw dimension_error("null_space with " + std::to_string(given) + " elements for a matrix of " +
                              std::to_string(n) + " rows");
    if (options.solver == direct_name || parse_choice(options.preconditioner).name == direct_name)
        throw argument_error(
            "null_space: a matrix with a null space is singular and has no factorisation for \"direct\"; "
            "use an iterative method, for example cg with multilevel");
    if (is_transposing(options.solver))
        throw argument_error("null_space is not available with the method " + options.solver +
                             "; use another one, for example gmres");
}

/// The null space of a solve; empty if none is given.
template <executor Executor, class T>
auto given_null_space(Executor const& exec, csr_operator<Executor, T> const& a, automatic_options const& options) {
    if constexpr (is_complex_number<T>) {
        return nullptr;
    } else {
        std::unique_ptr<null_space<Executor, T>> space;
        if (!options.null_space.empty()) space = std::make_unique<null_space<Executor, T>>(exec, a, options.null_space);
        return space;
    }
}

/// Solves by a method of solver_choices().
template <executor Executor, class T, class Space>
krylov_result solve_by_method(Executor const& exec, std::string const& method, csr_operator<Executor, T> const& a,
                              any_preconditioner<Executor, T> const& m, Space const& space, array_view<T const> b,
                              array_view<T> x, krylov_options const& options) {
    if (is_transposing(method)) return solve_with_transposes(exec, method, a, m, b, x, options);
    if constexpr (!is_complex_number<T>)
        if (space) {
            bool const symmetric = method == "cg" || method == "minres";
            projected_preconditioner<Executor, T> projected(exec, m, *space, symmetric);
            any_preconditioner<Executor, T> const with(std::move(projected), m.report());
            auto result = solve(exec, method, a, with, b, x, options);
            space->project(exec, x); // the components of the initial guess
            return result;
        }
    return solve(exec, method, a, m, b, x, options);
}

template <executor Executor, class T, class Space>
solver_attempt attempt_solve(Executor const& exec, csr_operator<Executor, T> const& a, solver_choice const& choice,
                             automatic_options const& all, krylov_options const& options, array_view<T const> b,
                             array_view<T> x, std::shared_ptr<known_orders> const& orders, Space const& space) {
    solver_attempt attempt{.choice = choice};
    stopwatch watch(exec);
    auto const m = make_attempted(exec, choice, all, a.matrix(), orders);
    attempt.setup = m.report();
    attempt.setup_seconds = watch.lap();
    interruption::scope const by_progress_alone(nullptr); // which keeps the best x
    attempt.result = solve_by_method(exec, choice.solver, a, m, space, b, x, options);
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
    require_known_names(options);
    require_near_null_space<T>(options, a.size());
    require_null_space<T>(options, a.size());
    automatic_result whole;
    bool const chooses = options.solver == automatic_name || options.preconditioner == automatic_name;
    if (chooses && options.solver != direct_name) {
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
                                  options.preconditioner, !options.near_null_space.empty());
    auto const space = detail::given_null_space(exec, a, options);
    if (!options.null_space.empty()) std::erase_if(choices, detail::is_direct); // it would be singular
    bool const alone = choices.size() == 1;
    auto const orders = make_known_orders();
    std::exception_ptr refusal;
    bool made = false;
    std::int64_t left = options.krylov.max_iterations;
    // Tries a solver choice with at most `iterations` iterations; returns whether the solve has ended.
    auto const ends_with = [&](solver_choice const& choice, std::int64_t iterations) {
        krylov_options krylov = options.krylov;
        krylov.max_iterations = iterations;
        if (choice.max_remaining > 0 && !alone) krylov.max_remaining = choice.max_remaining;
        krylov.restart = std::clamp(choice.restart, krylov.restart, std::max(krylov.restart, 1000));
        if (krylov.progress)
            krylov.progress = [&, before = options.krylov.max_iterations - left](std::int64_t k, double residual) {
                return options.krylov.progress(before + k, residual);
            };
        solver_attempt attempt{.choice = choice};
        try {
            attempt = detail::attempt_solve(exec, a, choice, options, krylov, b, x, orders, space);
            made = true;
        } catch (matrix_error const& error) { // not suited: on to the next
            attempt.refusal = error.what();
            attempt.exceeds_operations = dynamic_cast<operations_error const*>(&error) != nullptr;
            if (!refusal) refusal = std::current_exception();
        }
        left -= attempt.result.iterations;
        bool const ends =
            attempt.refusal.empty() && (attempt.result.converged || attempt.result.reason == krylov_reason::cancelled);
        detail::append_attempt(whole, std::move(attempt));
        return ends || (made && left <= 0);
    };
    // The direct solver at the end needs few iterations, but some.
    bool const ends_direct = !alone && !choices.empty() && detail::is_direct(choices.back());
    bool const reserves = ends_direct && options.krylov.max_iterations > 2 * detail::direct_iterations;
    for (std::int64_t limit = detail::first_limit(a.size()); !choices.empty(); limit *= 4) {
        std::vector<solver_choice> hopeful;
        for (solver_choice const& choice : choices) {
            std::int64_t const available =
                left - (reserves && !detail::is_direct(choice) ? detail::direct_iterations : 0);
            if (reserves && available <= 0) continue;
            std::int64_t const own_limit = choice.iterations > 0 ? choice.iterations : limit;
            if (ends_with(choice, alone ? left : std::min(own_limit, available))) return whole;
            if (detail::may_go_on(whole.attempts.back()) && (choice.iterations == 0 || alone))
                hopeful.push_back(choice);
        }
        if (!made && !ends_direct) std::rethrow_exception(refusal);
        choices = std::move(hopeful);
    }
    // Nothing has converged: the direct solver without a limit of its operations, if it was refused for one.
    if (ends_direct && left > 0 && detail::exceeded_operations(whole.attempts)) ends_with(detail::last_direct(), left);
    if (!made) std::rethrow_exception(refusal);
    return whole;
}

} // namespace coppice::inline v0_1
