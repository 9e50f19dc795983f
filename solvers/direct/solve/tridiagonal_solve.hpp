// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// solve_tridiagonal, built from the parts of solve_bands. Included by the sources that instantiate it.
#pragma once

#include <type_traits>

#include <coppice/solvers/direct/interface/tridiagonal_solver.hpp>
#include <coppice/solvers/direct/solve/band_solve.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_checks.hpp>

namespace coppice::inline v0_1 {

namespace chain {

inline band_options options_of(tridiagonal_options const& options) {
    return {.pivot = options.pivot, .threshold = options.threshold};
}

} // namespace chain

template <class T, executor Executor>
void solve_tridiagonal(Executor const& exec, tridiagonal_view<T> a, array_view<std::type_identity_t<T> const> d,
                       array_view<std::type_identity_t<T>> x, array_view<std::byte> workspace,
                       tridiagonal_options options) {
    if constexpr (std::is_same_v<Executor, host_executor>) {
        rpts::check_arguments<T>(a, d, x, workspace, options);
        if (a.size() > 0)
            chain::solve_by_rpts_checked<T>(exec, band_matrix<T>(a), {d}, {x}, chain::options_of(options), workspace);
    } else {
        solve_tridiagonal_by_rpts(exec, a, d, x, workspace, options);
    }
}

template <class T, executor Executor>
void solve_tridiagonal(Executor const& exec, tridiagonal_view<T> a, array_view<std::type_identity_t<T> const> d,
                       array_view<std::type_identity_t<T>> x, tridiagonal_options options) {
    std::int64_t const n = std::max<std::int64_t>(a.size(), 0);
    if constexpr (std::is_same_v<Executor, host_executor>) {
        buffer<std::byte> workspace(exec, tridiagonal_workspace<T>(n));
        solve_tridiagonal(exec, a, d, x, workspace.view(), options);
    } else {
        rpts::check_options(options);
        band_options const how = chain::options_of(options);
        buffer<std::byte> workspace(exec, n > 0 ? bands_workspace(exec, band_matrix<T>(a), 1, how) : 0);
        rpts::check_arguments<T>(a, d, x, workspace.view(), options);
        solve_bands(exec, band_matrix<T>(a), {d}, {x}, workspace.view(), how);
    }
}

#define COPPICE_TRIDIAGONAL(T, prefix, Executor)                                                                       \
    prefix void solve_tridiagonal(Executor const&, tridiagonal_view<T>, array_view<T const>, array_view<T>,            \
                                  array_view<std::byte>, tridiagonal_options);                                         \
    prefix void solve_tridiagonal(Executor const&, tridiagonal_view<T>, array_view<T const>, array_view<T>,            \
                                  tridiagonal_options);

} // namespace coppice::inline v0_1
