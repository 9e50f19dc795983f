// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Elimination of complex systems with bands or blocks from the first row to the last on one core of the host, with
/// the pivots and the element growth of LAPACK's gbsv. Pivot rows are saved for back substitution.
///
/// Real and imaginary parts are in separate arrays, and a row is updated a register of columns at a time. Rows do not
/// move while `tile` unknowns are eliminated: a shifted row would be loaded from the parts of two stores, for which a
/// core waits until both are in the cache.
#pragma once

#include <algorithm>
#include <cstdint>

#include <coppice/core/host/isa.hpp>
#include <coppice/core/lane/complex_lane.hpp>
#include <coppice/solvers/direct/block_banded/tiles/band_ends.hpp>

namespace coppice::inline v0_1 {
namespace chain {

/// A complex system and the layout of its elimination.
template <class R>
struct band_rows : band_system<complex_lane<R>> {
    static constexpr int tile = 16; ///< unknowns that are eliminated before the rows move
    static constexpr int group = 8; ///< elements that arrays are rounded up to: maximum number of lanes

    // Sizes in elements of R.
    int saved = 0;           ///< real, or imaginary, parts of a pivot row from the second entry after the pivot on
    int half = 0, row = 0;   ///< real parts of a row under elimination; all of it, with its right-hand sides
    std::int64_t vector = 0; ///< real parts of a solution, followed by zeros
    std::int64_t elements = 0;
};

/// Layout for a system. The caller sets the pointers.
template <class R>
band_rows<R> band_rows_of(matrix_rows<complex_lane<R>> const& a, int rhs_count) {
    auto const rounded_up = [](std::int64_t n) { return align_elements<R>(n); };
    band_rows<R> e;
    constexpr int group = e.group;
    e.a = a;
    e.rhs_count = rhs_count;
    e.lower = bands_below(a);
    e.upper = bands_above(a);
    int const bands = e.lower + e.upper;
    e.saved = bands > 1 ? (bands - 1 + group - 1) / group * group : 0;
    e.half = int(rounded_up(e.tile + 2 + e.saved + group));
    e.row = int(rounded_up(2 * e.half + 2 * rhs_count));
    e.vector = rounded_up(a.scalar_rows + e.saved + 2);
    // As much for the transposed matrix: a condition estimate solves systems of both in one workspace.
    std::int64_t const under_elimination = 2 * (std::max(e.lower, e.upper) + e.tile);
    e.elements = rounded_up(a.scalar_rows * (2 * e.saved + 4)) + 2 * rhs_count * e.vector + under_elimination * e.row;
    return e;
}

} // namespace chain

COPPICE_ISA_DECLARE(template <class R> void solve_band_rows(chain::band_rows<R> const& e);)

} // namespace coppice::inline v0_1
