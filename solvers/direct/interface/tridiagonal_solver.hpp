// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Direct solution of one tridiagonal system; include/coppice/tridiagonal.hpp has the contract.
#pragma once

#include <cstddef>
#include <cstdint>

#include <coppice/algebra/tridiagonal.hpp>
#include <coppice/solvers/direct/interface/pivoting.hpp>

namespace coppice::inline v0_1 {

/// Solves A x = d; see <coppice/tridiagonal.hpp>. Instantiated for float and double on both executors.
template <class T, executor Executor>
void solve_tridiagonal(Executor const& exec, tridiagonal_view<T> a, array_view<std::type_identity_t<T> const> d,
                       array_view<std::type_identity_t<T>> x, array_view<std::byte> workspace,
                       tridiagonal_options options = {});

/// Overload with workspace from the pool of `exec`.
template <class T, executor Executor>
void solve_tridiagonal(Executor const& exec, tridiagonal_view<T> a, array_view<std::type_identity_t<T> const> d,
                       array_view<std::type_identity_t<T>> x, tridiagonal_options options = {});

} // namespace coppice::inline v0_1
