// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Automatic choice of a solver from properties of the matrix, with fallbacks if it does not converge.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/iterative/by_name/krylov.hpp>
#include <coppice/solvers/iterative/krylov/bicg.hpp>
#include <coppice/solvers/precondition/interface/compiled_types.hpp>
#include <coppice/solvers/solve/matrix_traits.hpp>

namespace coppice::inline v0_1 {

/// Name of a method or preconditioner that requests the automatic choice.
inline constexpr std::string_view automatic_name = "auto";
/// Name of a method: a sparse factorisation, the preconditioner "direct", with a Krylov method that refines and checks.
inline constexpr std::string_view direct_name = "direct";

struct automatic_options {
    std::string solver{automatic_name};         ///< "auto", "direct" or the name of a Krylov method
    std::string preconditioner{automatic_name}; ///< "auto" or a preconditioner of the registry, with or without options
    /// Of the preconditioner; for "auto" each one takes the options that it has. An option that none has is an error.
    option_values preconditioner_options{};
    krylov_options krylov{}; ///< limits apply to the sum of all attempts
    /// For the preconditioner "multilevel", in host memory: near-null-space vectors, n elements one after the other,
    /// for example of rigid_body_modes(); and the unknowns per point.
    std::vector<double> near_null_space{};
    std::vector<double> near_null_space_imaginary{}; ///< for complex matrices: their imaginary parts; empty: zeros
    int unknowns_per_point = 1;
    /// Of a singular real matrix, in host memory: vectors that span its null space, n elements one after the other. The
    /// solution has no components along them. b must be in the range of A: orthogonal to them if A is symmetric.
    std::vector<double> null_space{};
};

/// A Krylov method and a preconditioner.
struct solver_choice {
    std::string solver{};
    std::string preconditioner{}; ///< with or without options
    int restart = 0;              ///< minimum restart of GMRES
    /// Maximum number of iterations, without a second attempt, if other choices follow; 0: default.
    std::int64_t iterations = 0;
    /// If other choices follow: ends the attempt if, at the convergence rate so far, more iterations than this remain;
    /// 0: never.
    std::int64_t max_remaining = 0;
};

/// Returns the solvers to try for a matrix of `n` rows, in this order. `on_host`: sequential triangular solves are
/// fast. A name other than "auto" is used as given; if both are given, there is one choice. The solver "direct" is
/// gmres with the preconditioner "direct"; throws argument_error if another preconditioner is given with it.
/// `has_near_null_space`: for complex matrices, "multilevel" precedes the other iterations.
std::vector<solver_choice> solver_choices(matrix_traits const& traits, std::int64_t n, bool on_host,
                                          std::string_view solver = automatic_name,
                                          std::string_view preconditioner = automatic_name,
                                          bool has_near_null_space = false);

/// One attempt to solve the system with a choice.
struct solver_attempt {
    solver_choice choice{};
    std::string refusal{};           ///< error message if the preconditioner could not be made, otherwise empty
    bool exceeds_operations = false; ///< refused because the direct solver would exceed its limit of operations
    preconditioner_report setup{};   ///< report of the preconditioner
    double setup_seconds = 0, solve_seconds = 0;
    krylov_result result{}; ///< result of this attempt, without its history, which is in automatic_result::result
};

struct automatic_result {
    /// Result of all attempts: sums of iterations and restarts, the residual of the returned x, the concatenated
    /// history, and the reason of the last attempt.
    krylov_result result{};
    matrix_traits traits{};    ///< computed only if a choice depends on it
    double traits_seconds = 0; ///< time to compute the traits
    std::vector<solver_attempt> attempts{};

    /// The last attempt whose preconditioner could be made; it always exists.
    solver_attempt const& last() const;
    double setup_seconds() const; ///< of all attempts and of the traits
    double solve_seconds() const;
};

namespace detail {
/// Tries solvers in this order, each from the best x so far, until one converges or is cancelled, or there were
/// `max_iterations` iterations in all. attempt(choice, limit) makes at most `limit` iterations. Several solvers get few
/// iterations at first; if none converges, those that need more are tried again with four times as many.
automatic_result try_choices(std::vector<solver_choice> choices, std::int64_t n, std::int64_t max_iterations,
                             std::function<solver_attempt(solver_choice const&, std::int64_t)> const& attempt);

template <executor Executor, class T>
automatic_result solve_by_compiled_choices(Executor const& exec, csr_operator<Executor, T> const& a,
                                           array_view<T const> b, array_view<T> x, automatic_options const& options);
} // namespace detail

/// Solves A x = b. x[n] holds the initial guess on entry; the result is never worse. Each solver of solver_choices()
/// continues from the best x so far, with a limited number of iterations. If none converges, those that reduced the
/// residual are tried again with four times the limit. The choices depend on residuals, never on time, so results are
/// the same on every run.
///
/// Throws argument_error for options out of range or unknown names, for a null space together with the direct solver or
/// of vectors with A v != 0, also if near-null-space vectors are given and the
/// preconditioner is neither "auto" nor "multilevel", dimension_error for vectors of the wrong length,
/// and matrix_error if no preconditioner can be made, or if one is to be chosen for a matrix with a NaN.
template <executor Executor, class T, class I, class O>
automatic_result solve_automatically(Executor const& exec, csr_operator<Executor, T, I, O> const& a,
                                     std::type_identity_t<array_view<T const>> b, std::type_identity_t<array_view<T>> x,
                                     automatic_options const& options = {}) {
    if constexpr (detail::require_compiled_solvers<Executor, T, I, O>())
        return detail::solve_by_compiled_choices(exec, a, b, x, options);
    else
        return {};
}

/// Solves A x = b with default options; returns only the result: solve(exec, a, b, x).
template <executor Executor, class T, class I, class O>
krylov_result solve(Executor const& exec, csr_operator<Executor, T, I, O> const& a,
                    std::type_identity_t<array_view<T const>> b, std::type_identity_t<array_view<T>> x,
                    krylov_options const& options = {}) {
    return solve_automatically(exec, a, b, x, {.krylov = options}).result;
}

namespace detail {

/// The preconditioner of a choice with those of the given options that it has.
inline named_choice named_with(solver_choice const& choice, option_values const& given) {
    auto named = parse_choice(choice.preconditioner);
    option_values const known = known_options(preconditioner_row_of(named.name).options, given);
    for (auto const& [key, value] : known.entries()) named.options.set(key, value);
    return named;
}
/// Makes the preconditioner of a choice with those of the given options that it has.
template <executor Executor, class T>
any_preconditioner<Executor, T> make_chosen_preconditioner(Executor const& exec, solver_choice const& choice,
                                                           option_values const& given, csr_view<T> a) {
    auto const named = named_with(choice, given);
    return make_preconditioner(exec, named.name, a, named.options);
}

} // namespace detail

#define COPPICE_SOLVE_AUTOMATICALLY(EXTERN, EXECUTOR, T)                                                               \
    EXTERN template matrix_traits traits_of(EXECUTOR const&, csr_view<T>);                                             \
    EXTERN template automatic_result detail::solve_by_compiled_choices(                                                \
        EXECUTOR const&, csr_operator<EXECUTOR, T> const&, array_view<T const>, array_view<T>,                         \
        automatic_options const&);
COPPICE_SOLVE_AUTOMATICALLY(extern, host_executor, float)
COPPICE_SOLVE_AUTOMATICALLY(extern, host_executor, double)
COPPICE_SOLVE_AUTOMATICALLY(extern, host_executor, std::complex<float>)
COPPICE_SOLVE_AUTOMATICALLY(extern, host_executor, std::complex<double>)
#if defined(COPPICE_HAS_CUDA)
COPPICE_SOLVE_AUTOMATICALLY(extern, cuda_executor, float)
COPPICE_SOLVE_AUTOMATICALLY(extern, cuda_executor, double)
COPPICE_SOLVE_AUTOMATICALLY(extern, cuda_executor, std::complex<float>)
COPPICE_SOLVE_AUTOMATICALLY(extern, cuda_executor, std::complex<double>)
#endif

} // namespace coppice::inline v0_1
