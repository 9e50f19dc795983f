// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// bicg and qmr for matrices and for type-erased operators, compiled in the library.
#pragma once

#include <complex>

#include <coppice/solvers/iterative/by_name/krylov.hpp>
#include <coppice/solvers/iterative/krylov/bicg.hpp>
#include <coppice/solvers/iterative/operators/transposed_matrix.hpp>

namespace coppice::inline v0_1 {

/// Solves A x = b by one of transposing_names. x[n] holds the initial guess on entry and the best iterate on return.
/// Throws argument_error for another name, and if the preconditioner has no transpose.
template <executor Executor, class T>
krylov_result solve_with_transposes(Executor const& exec, std::string_view method, csr_operator<Executor, T> const& a,
                                    any_preconditioner<Executor, T> const& m, array_view<T const> b, array_view<T> x,
                                    krylov_options const& options) {
    transposable_csr<Executor, T> const both(a);
    if (method == "bicg") return bicg<Executor, T>(exec, a.size(), options).solve(both, m, b, x);
    if (method == "qmr") return qmr<Executor, T>(exec, a.size(), options).solve(both, m, b, x);
    detail::throw_unknown_name("Krylov method", method, transposing_names);
}

/// The same for an operator of another class: `a` computes y = A x by apply() and y = A^T x by apply_transpose().
template <executor Executor, class A, class M, class T>
requires transposable_operator<A, Executor, T> && transposable_operator<M, Executor, T>
    krylov_result solve_with_transposes(Executor const& exec, std::string_view method, A const& a, M const& m,
                                        array_view<T const> b, array_view<T> x, krylov_options const& options) {
    if (method == "bicg") return bicg<Executor, T>(exec, x.size(), options).solve(a, m, b, x);
    if (method == "qmr") return qmr<Executor, T>(exec, x.size(), options).solve(a, m, b, x);
    detail::throw_unknown_name("Krylov method", method, transposing_names);
}

#define COPPICE_BICG_FOR(EXTERN, EXECUTOR, T, ...)                                                                     \
    EXTERN template krylov_result solve_with_transposes(EXECUTOR const&, std::string_view, __VA_ARGS__ const&,         \
                                                        any_preconditioner<EXECUTOR, T> const&, array_view<T const>,   \
                                                        array_view<T>, krylov_options const&);
#define COPPICE_BICG(EXTERN, EXECUTOR, T)                                                                              \
    COPPICE_BICG_FOR(EXTERN, EXECUTOR, T, csr_operator<EXECUTOR, T>)                                                   \
    COPPICE_BICG_FOR(EXTERN, EXECUTOR, T, any_preconditioner<EXECUTOR, T>)
#define COPPICE_BICG_OF(EXECUTOR)                                                                                      \
    COPPICE_BICG(extern, EXECUTOR, float)                                                                              \
    COPPICE_BICG(extern, EXECUTOR, double)                                                                             \
    COPPICE_BICG(extern, EXECUTOR, std::complex<float>)                                                                \
    COPPICE_BICG(extern, EXECUTOR, std::complex<double>)
COPPICE_BICG_OF(host_executor)
#if defined(COPPICE_HAS_CUDA)
COPPICE_BICG_OF(cuda_executor)
#endif

} // namespace coppice::inline v0_1
