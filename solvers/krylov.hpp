// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The Krylov methods together, and the front that takes one by name.
#pragma once

#include <array>
#include <string_view>

#include <coppice/solvers/any_preconditioner.hpp>
#include <coppice/solvers/bicgstab.hpp>
#include <coppice/solvers/cg.hpp>
#include <coppice/solvers/csr_operator.hpp>
#include <coppice/solvers/gmres.hpp>
#include <coppice/solvers/names.hpp>

namespace coppice {

/// The names that solve() takes.
inline constexpr std::array<std::string_view, 3> krylov_names{"cg", "bicgstab", "gmres"};

/// Solves A x = b with the method of that name: sets up its workspace, solves, frees it. x[n] holds the starting guess
/// on entry. Throws argument_error for an unknown name, listing the known ones. To solve again and again, keep a
/// solver object instead.
template <executor Executor, class T>
krylov_result solve(Executor const& exec, std::string_view method, csr_operator<Executor, T> const& a,
                    any_preconditioner<Executor, T> const& m, std::type_identity_t<array_view<T const>> b,
                    std::type_identity_t<array_view<T>> x, krylov_options const& options = {});

template <executor Executor, class T>
krylov_result solve(Executor const& exec, std::string_view method, csr_operator<Executor, T> const& a,
                    any_preconditioner<Executor, T> const& m, std::type_identity_t<array_view<T const>> b,
                    std::type_identity_t<array_view<T>> x, krylov_options const& options) {
    detail::require_solve_vectors(a.size(), b, x);
    if (method == krylov_names[0]) return cg<Executor, T>(exec, a.size(), options).solve(a, m, b, x);
    if (method == krylov_names[1]) return bicgstab<Executor, T>(exec, a.size(), options).solve(a, m, b, x);
    if (method == krylov_names[2]) return gmres<Executor, T>(exec, a.size(), options).solve(a, m, b, x);
    detail::throw_unknown_name("Krylov method", method, krylov_names);
}

#define COPPICE_KRYLOV_METHOD(EXTERN, METHOD, EXECUTOR, T)                                                             \
    EXTERN template class METHOD<EXECUTOR, T>;                                                                         \
    EXTERN template krylov_result METHOD<EXECUTOR, T>::solve(                                                          \
        csr_operator<EXECUTOR, T> const&, any_preconditioner<EXECUTOR, T> const&, array_view<T const>, array_view<T>);
#define COPPICE_KRYLOV(EXTERN, EXECUTOR, T)                                                                            \
    COPPICE_KRYLOV_METHOD(EXTERN, cg, EXECUTOR, T)                                                                     \
    COPPICE_KRYLOV_METHOD(EXTERN, bicgstab, EXECUTOR, T)                                                               \
    COPPICE_KRYLOV_METHOD(EXTERN, gmres, EXECUTOR, T)                                                                  \
    EXTERN template krylov_result solve(EXECUTOR const&, std::string_view, csr_operator<EXECUTOR, T> const&,           \
                                        any_preconditioner<EXECUTOR, T> const&, array_view<T const>, array_view<T>,    \
                                        krylov_options const&);
COPPICE_KRYLOV(extern, host_executor, float)
COPPICE_KRYLOV(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_KRYLOV(extern, cuda_executor, float)
COPPICE_KRYLOV(extern, cuda_executor, double)
#endif

} // namespace coppice
