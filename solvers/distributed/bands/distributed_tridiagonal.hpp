// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Real tridiagonal systems with one right-hand side whose rows lie in parts on several executors.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <coppice/solvers/distributed/bands/distributed_bands.hpp>
#include <coppice/solvers/distributed/bands/reduced_ranks.hpp>

namespace coppice {

/// Solves A x = d whose rows lie in parts, one behind the other: called by every part with its own rows. a.lower[0]
/// couples to the last row of the parts before, a.upper[n - 1] to the first one behind; where there is none they are
/// ignored, unless options.cyclic says that they close a ring. A part may have no rows. `x` must not overlap `d`.
///
/// First by RPTS in parts (reduced_parts.hpp), with a step of refinement where the backward error of the whole is
/// beyond the bound; where that is not enough, and where RPTS does not do what the options ask for, by
/// solve_bands_part, whose elimination pivots over more rows. Every part returns the same report; of tries, 1 and 2 are
/// by RPTS. It has no componentwise error after RPTS (NaN), and no condition number.
///
/// Waits. Memory beside the system: at most 8 % of it, 2 elements a row where a step of refinement is taken, and what
/// solve_bands_part needs where it comes to that. The bits depend on the parts, not on timing. Errors as of
/// solve_bands_part.
template <class T, executor Executor, communicator Messages>
solve_report solve_tridiagonal_part(Executor const& exec, Messages const& others, tridiagonal_view<T> a,
                                    array_view<std::type_identity_t<T> const> d, array_view<std::type_identity_t<T>> x,
                                    band_options const& options = {}) {
    static_assert(std::is_floating_point_v<T>, "for complex systems there is solve_bands_part");
    require_size("right-hand side of solve_tridiagonal_part", d, a.size());
    require_size("solution of solve_tridiagonal_part", x, a.size());
    band_matrix<T> const bands(a);
    columns_view<T const> const side(d);
    columns_view<T> const solution(x);
    using reduced = reduced_tridiagonal_part<T, Executor, Messages>;
    std::int32_t tries = 0;
    distributed::agree<T>(exec, others, bands, side, solution, options);
    if (reduced::takes(exec, options)) {
        constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
        double const bound =
            options.error_bound > 0 ? options.error_bound : 50 * double(std::numeric_limits<T>::epsilon());
        reduced part(exec, others, a, options);
        bool singular = part.solve(d, x);
        solve_report report{part.backward_error(d, x), nothing, -1, solve_status::ok, 1, 0};
        for (int step = 0; step < options.refinements; ++step) {
            part.refine(d, x);
            report.backward_error = part.backward_error(d, x);
        }
        if (options.refinements == 0 && !singular && std::isfinite(report.backward_error) &&
            report.backward_error > bound) {
            singular = part.refine(d, x);
            report.backward_error = part.backward_error(d, x);
            report.tries = 2;
        }
        if (!singular && !part.sums_vanish() && report.backward_error <= bound) return report;
        if ((singular && part.crosses_whole()) || (part.sums_vanish() && std::isfinite(report.backward_error))) {
            report.status = solve_status::singular;
            return report;
        }
        tries = report.tries;
    }
    solve_report report = solve_bands_part(exec, others, bands, side, solution, options);
    report.tries += tries;
    return report;
}

#define COPPICE_TRIDIAGONAL_PART(EXTERN, EXECUTOR, T)                                                                  \
    EXTERN template solve_report solve_tridiagonal_part(EXECUTOR const&, part_messages const&, tridiagonal_view<T>,    \
                                                        array_view<T const>, array_view<T>, band_options const&);
COPPICE_TRIDIAGONAL_PART(extern, host_executor, float)
COPPICE_TRIDIAGONAL_PART(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_TRIDIAGONAL_PART(extern, cuda_executor, float)
COPPICE_TRIDIAGONAL_PART(extern, cuda_executor, double)
#endif

} // namespace coppice
