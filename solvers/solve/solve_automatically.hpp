// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Automatic choice of a solver from properties of the matrix, with fallbacks if it does not converge.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/iterative/by_name/krylov.hpp>
#include <coppice/solvers/precondition/interface/compiled_types.hpp>
#include <coppice/solvers/solve/matrix_traits.hpp>

namespace coppice::inline v0_1 {

/// Used as the name of a method or preconditioner: choose automatically.
inline constexpr std::string_view automatic_name = "auto";

struct automatic_options {
    std::string solver{automatic_name};         ///< or a Krylov method, which is kept
    std::string preconditioner{automatic_name}; ///< or one of the catalogue, which is kept; with options or without
    option_values preconditioner_options{};     ///< each preconditioner takes those that it knows
    krylov_options krylov{};                    ///< limits are those of all attempts together
};

/// A Krylov method and a preconditioner.
struct solver_choice {
    std::string solver{};
    std::string preconditioner{}; ///< with options or without
    int restart = 0;              ///< of GMRES: at least
    std::int64_t iterations = 0;  ///< beside other choices at most, and no second try; 0: as many as each has
    /// Beside other choices, given up where at the pace so far more iterations are left; 0: never.
    std::int64_t most_remaining = 0;
};

/// Returns the solvers to try, in this order, for a matrix of `n` rows. `on_host`: sequential triangular solves are
/// fast. A name other than "auto" is fixed; if both are fixed there is one choice.
std::vector<solver_choice> solver_choices(matrix_traits const& traits, std::int64_t n, bool on_host,
                                          std::string_view solver = automatic_name,
                                          std::string_view preconditioner = automatic_name);

/// One attempt with a choice.
struct solver_attempt {
    solver_choice choice{};
    std::string refusal{};         ///< why the preconditioner could not be made; empty where it was
    preconditioner_report setup{}; ///< of the preconditioner
    double setup_seconds = 0, solve_seconds = 0;
    krylov_result result{}; ///< of this attempt alone; its history stands in that of the whole
};

struct automatic_result {
    /// Of all attempts together: sums of iterations and restarts, the residual of the returned x, the history from
    /// first to last, the reason of the last one.
    krylov_result result{};
    matrix_traits traits{};  ///< looked at where something is to be chosen
    double look_seconds = 0; ///< that took so long
    std::vector<solver_attempt> attempts{};

    /// The last attempt whose preconditioner could be made: there is one.
    solver_attempt const& last() const;
    double setup_seconds() const; ///< of all attempts, and the look
    double solve_seconds() const;
};

namespace detail {
template <executor Executor, class T>
automatic_result solve_by_compiled_choices(Executor const& exec, csr_operator<Executor, T> const& a,
                                           array_view<T const> b, array_view<T> x, automatic_options const& options);
} // namespace detail

/// Solves A x = b. x[n] holds the initial guess on entry; the result is never worse. Each of solver_choices() continues
/// from the best x so far, with a limited number of iterations; if none converges, those that made progress are tried
/// again with four times the limit. The choices depend on residuals, never on time: the same bits in every run.
///
/// Throws argument_error for options out of range or unknown names, dimension_error for vectors of the wrong length,
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

/// The same for someone who wants x and has no wishes: solve(exec, a, b, x).
template <executor Executor, class T, class I, class O>
krylov_result solve(Executor const& exec, csr_operator<Executor, T, I, O> const& a,
                    std::type_identity_t<array_view<T const>> b, std::type_identity_t<array_view<T>> x,
                    krylov_options const& options = {}) {
    return solve_automatically(exec, a, b, x, {.krylov = options}).result;
}

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
