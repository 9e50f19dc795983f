// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Mixed precision: Krylov steps in float, residuals and solution in double.
#pragma once

#include <string>
#include <type_traits>

#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/iterative/by_name/krylov.hpp>
#include <coppice/solvers/precondition/interface/compiled_types.hpp>

namespace coppice::inline v0_1 {

struct refinement_options {
    std::string solver = "gmres";          ///< method of the inner solves
    std::string preconditioner = "forest"; ///< computed from the matrix in float; with or without options
    option_values preconditioner_options{};
    /// Tolerances apply to the residual in double, iteration limits to the sum of all inner solves. An inner solve of
    /// gmres and fgmres takes at most `restart` iterations; one of another method reduces the residual by up to four
    /// digits.
    krylov_options krylov{.restart = 20};
};

struct refined_result {
    krylov_result result{};        ///< of the whole solve; restarts: number of refinements
    preconditioner_report setup{}; ///< report of the preconditioner
    double setup_seconds = 0, solve_seconds = 0;
};

/// Solves A x = b by iterative refinement (thesis section 5.3.2; Göddeke, Strzodka and Turek 2007): solves A d = b - A
/// x in float with a preconditioner in float ("isai,storage=half": in half), and adds d to x in double; b - A x is also
/// computed in double. x[n] holds the initial guess on entry; the result is never worse. The solve ends with reason
/// `stagnated` if a correction does not reduce the residual: the matrix is too ill-conditioned for float.
///
/// Inner solves take half the memory traffic of a solve in double; the values of A are copied to float, multiplied by a
/// power of two if the largest one is outside of 2^-64 to 2^64. Throws the exceptions of solve() and
/// make_preconditioner(), and matrix_error for values that are not finite or a row that is then too small for float.
template <executor Executor>
requires detail::is_compiled_executor<Executor>
    refined_result solve_refined(Executor const& exec, csr_operator<Executor, double> const& a,
                                 std::type_identity_t<array_view<double const>> b,
                                 std::type_identity_t<array_view<double>> x, refinement_options const& options = {});

#define COPPICE_SOLVE_REFINED(EXTERN, EXECUTOR)                                                                        \
    EXTERN template refined_result solve_refined(EXECUTOR const&, csr_operator<EXECUTOR, double> const&,               \
                                                 array_view<double const>, array_view<double>,                         \
                                                 refinement_options const&);
COPPICE_SOLVE_REFINED(extern, host_executor)
#if defined(COPPICE_HAS_CUDA)
COPPICE_SOLVE_REFINED(extern, cuda_executor)
#endif

} // namespace coppice::inline v0_1
