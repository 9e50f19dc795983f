// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The Krylov methods together, and the front that takes one by name.
#pragma once

#include <array>
#include <complex>
#include <string>
#include <string_view>

#include <coppice/core/names.hpp>
#include <coppice/solvers/krylov/bicgstab.hpp>
#include <coppice/solvers/krylov/cg.hpp>
#include <coppice/solvers/krylov/gmres.hpp>
#include <coppice/solvers/krylov/idrs.hpp>
#include <coppice/solvers/krylov/minres.hpp>
#include <coppice/solvers/precondition/any_preconditioner.hpp>
#include <coppice/solvers/systems/any_operator.hpp>
#include <coppice/solvers/systems/csr_operator.hpp>

namespace coppice {

/// The names that solve() takes.
inline constexpr std::array<std::string_view, 6> krylov_names{"cg", "minres", "bicgstab", "idrs", "gmres", "fgmres"};

namespace detail {

/// Do the iterations of that method rest when a solve has ended (krylov_iteration::rests_at_the_end())?
constexpr bool iterations_rest(std::string_view method) { return method == "cg" || method == "bicgstab"; }

/// Solves A x = b with the method of that name; a and m may be of any type. Throws argument_error for an unknown name.
template <executor Executor, class T, class A, class M>
krylov_result solve_by_name(Executor const& exec, std::string_view method, A const& a, M const& m,
                            array_view<T const> b, array_view<T> x, krylov_options const& options) {
    if constexpr (requires { a.size(); }) require_size("length of the solution x", x.size(), a.size());
    require_solve_vectors(x.size(), b, x);
    if constexpr (requires { m.varies(); })
        if (m.varies() && method != "fgmres")
            throw argument_error("a preconditioner that is another one at every call needs fgmres, not " +
                                 std::string(method));
    if (method == "cg") return cg<Executor, T>(exec, x.size(), options).solve(a, m, b, x);
    if (method == "minres") return minres<Executor, T>(exec, x.size(), options).solve(a, m, b, x);
    if (method == "bicgstab") return bicgstab<Executor, T>(exec, x.size(), options).solve(a, m, b, x);
    if (method == "idrs") return idrs<Executor, T>(exec, x.size(), options).solve(a, m, b, x);
    if (method == "gmres") return gmres<Executor, T>(exec, x.size(), options).solve(a, m, b, x);
    if (method == "fgmres") return fgmres<Executor, T>(exec, x.size(), options).solve(a, m, b, x);
    throw_unknown_name("Krylov method", method, krylov_names);
}

} // namespace detail

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
    if constexpr (is_complex_number<T>) { // compiled once, for any_operator
        any_operator<Executor, T> const any(a.size(), detail::borrowed_operator<csr_operator<Executor, T>>{&a});
        return detail::solve_by_name<Executor, T>(exec, method, any, m, b, x, options);
    } else {
        return detail::solve_by_name(exec, method, a, m, b, x, options);
    }
}

#define COPPICE_KRYLOV_METHOD(EXTERN, EXECUTOR, T, ...)                                                                \
    EXTERN template class __VA_ARGS__;                                                                                 \
    EXTERN template krylov_result __VA_ARGS__::solve(                                                                  \
        csr_operator<EXECUTOR, T> const&, any_preconditioner<EXECUTOR, T> const&, array_view<T const>, array_view<T>);
#define COPPICE_KRYLOV(EXTERN, EXECUTOR, T)                                                                            \
    EXTERN template class csr_operator<EXECUTOR, T>;                                                                   \
    COPPICE_KRYLOV_METHOD(EXTERN, EXECUTOR, T, cg<EXECUTOR, T>)                                                        \
    COPPICE_KRYLOV_METHOD(EXTERN, EXECUTOR, T, minres<EXECUTOR, T>)                                                    \
    COPPICE_KRYLOV_METHOD(EXTERN, EXECUTOR, T, bicgstab<EXECUTOR, T>)                                                  \
    COPPICE_KRYLOV_METHOD(EXTERN, EXECUTOR, T, idrs<EXECUTOR, T>)                                                      \
    COPPICE_KRYLOV_METHOD(EXTERN, EXECUTOR, T, gmres<EXECUTOR, T>)                                                     \
    COPPICE_KRYLOV_METHOD(EXTERN, EXECUTOR, T, gmres<EXECUTOR, T, true>)                                               \
    EXTERN template krylov_result solve(EXECUTOR const&, std::string_view, csr_operator<EXECUTOR, T> const&,           \
                                        any_preconditioner<EXECUTOR, T> const&, array_view<T const>, array_view<T>,    \
                                        krylov_options const&);
#define COPPICE_KRYLOV_COMPLEX(EXTERN, EXECUTOR, R)                                                                    \
    EXTERN template class csr_operator<EXECUTOR, std::complex<R>>;                                                     \
    EXTERN template krylov_result solve(                                                                               \
        EXECUTOR const&, std::string_view, csr_operator<EXECUTOR, std::complex<R>> const&,                             \
        any_preconditioner<EXECUTOR, std::complex<R>> const&, array_view<std::complex<R> const>,                       \
        array_view<std::complex<R>>, krylov_options const&);
COPPICE_KRYLOV(extern, host_executor, float)
COPPICE_KRYLOV(extern, host_executor, double)
COPPICE_KRYLOV_COMPLEX(extern, host_executor, float)
COPPICE_KRYLOV_COMPLEX(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_KRYLOV(extern, cuda_executor, float)
COPPICE_KRYLOV(extern, cuda_executor, double)
COPPICE_KRYLOV_COMPLEX(extern, cuda_executor, float)
COPPICE_KRYLOV_COMPLEX(extern, cuda_executor, double)
#endif

} // namespace coppice
