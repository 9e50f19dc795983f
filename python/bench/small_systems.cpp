// SPDX-License-Identifier: BSD-3-Clause
// The reference of small_systems.py: a loop of calls from C++.
#include <chrono>

#include <coppice/core/executor.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>

/// Returns the seconds per call for one system of n rows.
extern "C" double seconds_per_call(long n, double const* lower, double const* diagonal, double const* upper,
                                   double const* b, double* x, long calls) {
    using namespace coppice;
    using clock = std::chrono::steady_clock;
    host_executor const exec(0);
    tridiagonal_view<double> const a{n, lower, diagonal, upper};
    auto const solve = [&] {
        solve_bands(exec, band_matrix<double>(a), columns_view<double const>(b, n, 1), columns_view<double>(x, n, 1));
    };
    for (long k = 0; k < 100; ++k) solve();
    auto const start = clock::now();
    for (long k = 0; k < calls; ++k) solve();
    return std::chrono::duration<double>(clock::now() - start).count() / double(calls);
}
