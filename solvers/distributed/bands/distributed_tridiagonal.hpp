// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Distributed real tridiagonal systems with one right-hand side.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <coppice/solvers/distributed/bands/distributed_bands.hpp>
#include <coppice/solvers/distributed/bands/reduced_ranks.hpp>

namespace coppice::inline v0_1 {

/// Solves A x = d for a tridiagonal matrix that is distributed by contiguous blocks of rows. Collective: every rank
/// passes its own rows. a.lower[0] couples with the last row of the ranks before, a.upper[n - 1] with the first row of
/// the ranks after; at the ends of the whole matrix they are ignored, unless options.cyclic is set. A rank may have no
/// rows. `x` must not overlap `d`.
///
/// Method: distributed RPTS (Recursive Partitioned Tridiagonal Schur complement, reduced_ranks.hpp), with one step of
/// refinement if the backward error of the whole system exceeds the bound. If that does not suffice, or if RPTS does
/// not support the options, solve_bands_distributed, whose pivoting covers more rows. Every rank returns the same
/// report; attempts 1 and 2 are RPTS. After RPTS the report has no componentwise error (NaN) and no condition number.
///
/// Synchronises. Additional memory: at most 8 % of the system, 2 elements per row if a step of refinement is taken, and
/// that of solve_bands_distributed if it is used. The bits of the result depend on the distribution of the rows, not on
/// timing. Errors as for solve_bands_distributed.
template <class T, executor Executor, communicator Messages>
solve_report solve_tridiagonal_distributed(Executor const& exec, Messages const& comm, tridiagonal_view<T> a,
                                           array_view<std::type_identity_t<T> const> d,
                                           array_view<std::type_identity_t<T>> x, band_options const& options = {}) {
    static_assert(std::is_floating_point_v<T>, "for complex systems there is solve_bands_distributed");
    require_size("right-hand side of solve_tridiagonal_distributed", d, a.size());
    require_size("solution of solve_tridiagonal_distributed", x, a.size());
    band_matrix<T> const bands(a);
    columns_view<T const> const rhs(d);
    columns_view<T> const solution(x);
    using reduced = distributed_rpts<T, Executor, Messages>;
    std::int32_t attempts = 0;
    distributed::agree<T>(exec, comm, bands, rhs, solution, options);
    if (reduced::takes(exec, options)) {
        constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
        double const bound =
            options.error_bound > 0 ? options.error_bound : 50 * double(std::numeric_limits<T>::epsilon());
        reduced own(exec, comm, a, options);
        bool singular = own.solve(d, x);
        solve_report report{own.backward_error(d, x), nothing, -1, solve_status::ok, 1, 0};
        for (int step = 0; step < options.refinements; ++step) {
            own.refine(d, x);
            report.backward_error = own.backward_error(d, x);
        }
        if (options.refinements == 0 && !singular && std::isfinite(report.backward_error) &&
            report.backward_error > bound) {
            singular = own.refine(d, x);
            report.backward_error = own.backward_error(d, x);
            report.tries = 2;
        }
        if (!singular && !own.sums_vanish() && report.backward_error <= bound) return report;
        if ((singular && own.crosses_whole()) || (own.sums_vanish() && std::isfinite(report.backward_error))) {
            report.status = solve_status::singular;
            return report;
        }
        attempts = report.tries;
    }
    solve_report report = solve_bands_distributed(exec, comm, bands, rhs, solution, options);
    report.tries += attempts;
    return report;
}

#define COPPICE_DISTRIBUTED_TRIDIAGONAL(EXTERN, EXECUTOR, T)                                                           \
    EXTERN template solve_report solve_tridiagonal_distributed(EXECUTOR const&, rank_communicator const&,              \
                                                               tridiagonal_view<T>, array_view<T const>,               \
                                                               array_view<T>, band_options const&);
COPPICE_DISTRIBUTED_TRIDIAGONAL(extern, host_executor, float)
COPPICE_DISTRIBUTED_TRIDIAGONAL(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_DISTRIBUTED_TRIDIAGONAL(extern, cuda_executor, float)
COPPICE_DISTRIBUTED_TRIDIAGONAL(extern, cuda_executor, double)
#endif

} // namespace coppice::inline v0_1
