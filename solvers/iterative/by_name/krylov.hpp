// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// All Krylov methods, and solve(), which selects one by name.
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <coppice/core/names.hpp>
#include <coppice/solvers/iterative/by_name/any_operator.hpp>
#include <coppice/solvers/iterative/krylov/bicgstab.hpp>
#include <coppice/solvers/iterative/krylov/cg.hpp>
#include <coppice/solvers/iterative/krylov/gmres.hpp>
#include <coppice/solvers/iterative/krylov/idrs.hpp>
#include <coppice/solvers/iterative/krylov/minres.hpp>
#include <coppice/solvers/iterative/krylov/tfqmr.hpp>
#include <coppice/solvers/iterative/operators/csr_operator.hpp>
#include <coppice/solvers/precondition/interface/any_preconditioner.hpp>
#include <coppice/solvers/precondition/interface/compiled_types.hpp>

namespace coppice::inline v0_1 {

/// Names of the methods that solve() accepts.
inline constexpr std::array<std::string_view, 7> krylov_names{"cg",   "minres", "bicgstab", "tfqmr",
                                                              "idrs", "gmres",  "fgmres"};

namespace detail {

/// Returns whether further iterations of the method have no effect after the solve has ended
/// (krylov_iteration::rests_at_the_end()).
constexpr bool iterations_rest(std::string_view method) { return method == "cg" || method == "bicgstab"; }

/// Operator and preconditioner for A::value_type, and vectors of this type.
template <class Executor, class A, class M, class B, class X>
concept system_of_known_numbers =
    linear_operator<A, Executor, typename A::value_type> && preconditioner_for<M, Executor, typename A::value_type> &&
    std::convertible_to<B const&, array_view<typename A::value_type const>> &&
    std::convertible_to<X&, array_view<typename A::value_type>>;

/// Element type of the vector that solve() writes: an array_view, or an object that converts to one.
template <class X>
using solution_element_t = typename decltype(array_view(std::declval<X&>()))::value_type;

} // namespace detail

/// Solves A x = b by the method of that name: allocates its workspace, solves, frees the workspace. x[n] holds the
/// initial guess on entry. Accepts any operator and preconditioner (concepts linear_operator, preconditioner_for). The
/// methods are compiled at the place of the call, for CUDA by nvcc; for csr_operator and any_operator with
/// any_preconditioner the library contains them compiled. Throws argument_error for an unknown name and lists the known
/// names. To solve several times, create a solver object (for instance cg) once instead.
template <executor Executor, class A, class M, class T = typename A::value_type>
requires linear_operator<A, Executor, T> && preconditioner_for<M, Executor, T>
    krylov_result solve(Executor const& exec, std::string_view method, A const& a, M const& m,
                        std::type_identity_t<array_view<T const>> b, std::type_identity_t<array_view<T>> x,
                        krylov_options const& options = {});

/// solve() for an operator without value_type: the element type is that of x.
template <executor Executor, class A, class M, class B, class X, class T = detail::solution_element_t<X>>
requires(!detail::system_of_known_numbers<Executor, A, M, B, X> && linear_operator<A, Executor, T> &&
         preconditioner_for<M, Executor, T> && std::convertible_to<B const&, array_view<T const>> &&
         std::convertible_to<X&, array_view<T>>) krylov_result
    solve(Executor const& exec, std::string_view method, A const& a, M const& m, B const& b, X&& x,
          krylov_options const& options = {}) {
    return solve<Executor, A, M, T>(exec, method, a, m, b, x, options);
}

template <executor Executor, class A, class M, class T>
requires linear_operator<A, Executor, T> && preconditioner_for<M, Executor, T>
    krylov_result solve(Executor const& exec, std::string_view method, A const& a, M const& m,
                        std::type_identity_t<array_view<T const>> b, std::type_identity_t<array_view<T>> x,
                        krylov_options const& options) {
    static_assert(detail::is_compiled_value<T>, "solve: the numbers are float, double or std::complex of these");
    constexpr bool is_usual =
        std::is_same_v<A, csr_operator<Executor, T>> && std::is_same_v<M, any_preconditioner<Executor, T>>;
    if constexpr (!detail::is_compiled_value<T>) {
        return {};
    } else if constexpr (is_complex_number<T> && is_usual) { // compiled once, for any_operator
        any_operator<Executor, T> const any(a.size(), detail::borrowed_operator<A>{&a});
        return solve(exec, method, any, m, b, x, options);
    } else {
        if constexpr (requires { a.size(); }) require_size("length of the solution x", x, a.size());
        detail::require_solve_vectors(x.size(), b, x);
        if constexpr (requires { m.varies(); })
            if (m.varies() && method != "fgmres")
                throw argument_error("a preconditioner that changes from call to call needs fgmres, not " +
                                     std::string(method));
        if (method == "cg") return cg<Executor, T>(exec, x.size(), options).solve(a, m, b, x);
        if (method == "minres") return minres<Executor, T>(exec, x.size(), options).solve(a, m, b, x);
        if (method == "bicgstab") return bicgstab<Executor, T>(exec, x.size(), options).solve(a, m, b, x);
        if (method == "tfqmr") return tfqmr<Executor, T>(exec, x.size(), options).solve(a, m, b, x);
        if (method == "idrs") return idrs<Executor, T>(exec, x.size(), options).solve(a, m, b, x);
        if (method == "gmres") return gmres<Executor, T>(exec, x.size(), options).solve(a, m, b, x);
        if (method == "fgmres") return fgmres<Executor, T>(exec, x.size(), options).solve(a, m, b, x);
        detail::throw_unknown_name("Krylov method", method, krylov_names);
    }
}

#define COPPICE_KRYLOV_METHOD(EXTERN, EXECUTOR, T, ...)                                                                \
    EXTERN template class __VA_ARGS__;                                                                                 \
    EXTERN template krylov_result __VA_ARGS__::solve(                                                                  \
        csr_operator<EXECUTOR, T> const&, any_preconditioner<EXECUTOR, T> const&, array_view<T const>, array_view<T>);
#define COPPICE_KRYLOV_NAMED(EXTERN, EXECUTOR, T, ...)                                                                 \
    EXTERN template krylov_result solve(EXECUTOR const&, std::string_view, __VA_ARGS__ const&,                         \
                                        any_preconditioner<EXECUTOR, T> const&, array_view<T const>, array_view<T>,    \
                                        krylov_options const&);
#define COPPICE_KRYLOV(EXTERN, EXECUTOR, T)                                                                            \
    EXTERN template class csr_operator<EXECUTOR, T>;                                                                   \
    COPPICE_KRYLOV_METHOD(EXTERN, EXECUTOR, T, cg<EXECUTOR, T>)                                                        \
    COPPICE_KRYLOV_METHOD(EXTERN, EXECUTOR, T, minres<EXECUTOR, T>)                                                    \
    COPPICE_KRYLOV_METHOD(EXTERN, EXECUTOR, T, bicgstab<EXECUTOR, T>)                                                  \
    COPPICE_KRYLOV_METHOD(EXTERN, EXECUTOR, T, tfqmr<EXECUTOR, T>)                                                     \
    COPPICE_KRYLOV_METHOD(EXTERN, EXECUTOR, T, idrs<EXECUTOR, T>)                                                      \
    COPPICE_KRYLOV_METHOD(EXTERN, EXECUTOR, T, gmres<EXECUTOR, T>)                                                     \
    COPPICE_KRYLOV_METHOD(EXTERN, EXECUTOR, T, gmres<EXECUTOR, T, true>)                                               \
    COPPICE_KRYLOV_NAMED(EXTERN, EXECUTOR, T, csr_operator<EXECUTOR, T>)
#define COPPICE_KRYLOV_ANY(EXTERN, EXECUTOR, T) COPPICE_KRYLOV_NAMED(EXTERN, EXECUTOR, T, any_operator<EXECUTOR, T>)
#define COPPICE_KRYLOV_COMPLEX(EXTERN, EXECUTOR, T)                                                                    \
    EXTERN template class csr_operator<EXECUTOR, T>;                                                                   \
    COPPICE_KRYLOV_ANY(EXTERN, EXECUTOR, T)                                                                            \
    COPPICE_KRYLOV_NAMED(EXTERN, EXECUTOR, T, csr_operator<EXECUTOR, T>)
#define COPPICE_KRYLOV_OF(EXECUTOR)                                                                                    \
    COPPICE_KRYLOV(extern, EXECUTOR, float)                                                                            \
    COPPICE_KRYLOV(extern, EXECUTOR, double)                                                                           \
    COPPICE_KRYLOV_ANY(extern, EXECUTOR, float)                                                                        \
    COPPICE_KRYLOV_ANY(extern, EXECUTOR, double)                                                                       \
    COPPICE_KRYLOV_COMPLEX(extern, EXECUTOR, std::complex<float>)                                                      \
    COPPICE_KRYLOV_COMPLEX(extern, EXECUTOR, std::complex<double>)
COPPICE_KRYLOV_OF(host_executor)
#if defined(COPPICE_HAS_CUDA)
COPPICE_KRYLOV_OF(cuda_executor)
#endif

} // namespace coppice::inline v0_1
