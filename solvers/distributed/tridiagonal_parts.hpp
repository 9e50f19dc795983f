// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Real tridiagonal systems with one right-hand side whose rows lie in parts on several executors.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/solvers/distributed/band_parts.hpp>

namespace coppice {

/// Solves A x = d whose rows lie in parts, one behind the other: called by every part with its own rows. a.lower[0]
/// couples to the last row of the parts before, a.upper[n - 1] to the first one behind; where there is none they are
/// ignored, unless options.cyclic says that they close a ring. A part may have no rows. `x` must not overlap `d`.
///
/// The report, its exchanges, memory and errors are those of solve_bands_part for one right-hand side; where all rows
/// lie in one part, those of solve_bands.
template <class T, executor Executor, communicator Messages>
solve_report solve_tridiagonal_part(Executor const& exec, Messages const& others, tridiagonal_view<T> a,
                                    array_view<std::type_identity_t<T> const> d, array_view<std::type_identity_t<T>> x,
                                    band_options const& options = {}) {
    static_assert(std::is_floating_point_v<T>, "for complex systems there is solve_bands_part");
    require_size("right-hand side of solve_tridiagonal_part", d.size(), a.size());
    require_size("solution of solve_tridiagonal_part", x.size(), a.size());
    return solve_bands_part(exec, others, band_matrix<T>(a), columns_view<T const>(d), columns_view<T>(x), options);
}

} // namespace coppice
