// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The Krylov method of a name for operators and preconditioners of any type.
#pragma once

#include <concepts>
#include <string_view>

#include <coppice/solvers/krylov/krylov.hpp>
#include <coppice/solvers/systems/any_operator.hpp>

namespace coppice {
namespace detail {

/// The element type of a vector that solve() writes: of an array_view, or of what converts to one.
template <class X>
using solution_element_t = typename decltype(array_view(std::declval<X&>()))::value_type;

template <class A, class M>
inline constexpr bool is_compiled_v = false;
template <class Executor, class T>
inline constexpr bool is_compiled_v<csr_operator<Executor, T>, any_preconditioner<Executor, T>> = true;

} // namespace detail

/// solve() for any operator and preconditioner (concepts linear_operator, preconditioner_for) and for vectors that
/// convert to views. The methods are compiled where they are used, on CUDA by nvcc; for any_operator with
/// any_preconditioner the library has them.
template <executor Executor, class A, class M, class B, class X, class T = detail::solution_element_t<X>>
requires(!detail::is_compiled_v<A, M> && linear_operator<A, Executor, T> && preconditioner_for<M, Executor, T> &&
         std::convertible_to<B const&, array_view<T const>> && std::convertible_to<X&, array_view<T>>) krylov_result
    solve(Executor const& exec, std::string_view method, A const& a, M const& m, B const& b, X&& x,
          krylov_options const& options = {}) {
    return detail::solve_by_name<Executor, T>(exec, method, a, m, b, x, options);
}

#define COPPICE_KRYLOV_ANY(EXTERN, EXECUTOR, T)                                                                        \
    EXTERN template krylov_result detail::solve_by_name(                                                               \
        EXECUTOR const&, std::string_view, any_operator<EXECUTOR, T> const&, any_preconditioner<EXECUTOR, T> const&,   \
        array_view<T const>, array_view<T>, krylov_options const&);
#define COPPICE_KRYLOV_ANY_ALL(EXECUTOR)                                                                               \
    COPPICE_KRYLOV_ANY(extern, EXECUTOR, float)                                                                        \
    COPPICE_KRYLOV_ANY(extern, EXECUTOR, double)                                                                       \
    COPPICE_KRYLOV_ANY(extern, EXECUTOR, std::complex<float>)                                                          \
    COPPICE_KRYLOV_ANY(extern, EXECUTOR, std::complex<double>)
COPPICE_KRYLOV_ANY_ALL(host_executor)
#if defined(COPPICE_HAS_CUDA)
COPPICE_KRYLOV_ANY_ALL(cuda_executor)
#endif

} // namespace coppice
