// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Elimination of a banded system from both ends on the host: Gaussian elimination with partial pivoting, with the
/// unknowns in the order first, last, second, last but one, ..., and those in the middle at the end. A block
/// tridiagonal matrix with blocks of n rows has 2 n - 1 bands on either side.
///
/// Each end takes in its rows one by one (tiles/band_front.hpp) until both ends meet; then lower + upper rows with as
/// many unknowns remain. No columns of boundary unknowns are carried along, so element growth is that of LAPACK's gbsv,
/// and the method has a third of the work of segments. Parallelism is limited to two threads.
///
/// Pivot rows are saved for back substitution, which needs as much memory as the matrix. If that exceeds a limit, only
/// the front before every 512th step is saved, and back substitution recomputes the pivot rows of 512 steps at a time.
///
/// The result does not depend on the number of threads. Small systems have one end only (tiles/band_small.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <coppice/algebra/band_storage.hpp>
#include <coppice/core/host/isa.hpp>
#include <coppice/core/lane/complex_lane.hpp>
#include <coppice/core/workspace_layout.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_level.hpp>

namespace coppice::inline v0_1 {
namespace chain {

/// A system with bands or blocks that one call on the host eliminates. An aggregate of numbers and pointers, since the
/// kernels are compiled for several instruction sets and share no function with others.
template <class T>
struct band_system {
    matrix_rows<T> a{};
    std::int64_t block_stride = 1; ///< of a matrix with blocks: index of block row j in the storage, divided by j
    T const* d = nullptr;
    T* x = nullptr;
    std::int64_t d_leading = 0, x_leading = 0;
    int rhs_count = 1;
    std::int64_t* singular = nullptr; ///< as in matrix_block_rows
    elimination<real_lane_t<T>> how{};
    real_lane_t<T>* memory = nullptr;

    int lower = 1, upper = 1; ///< bands of op(A) on either side
};

/// A banded system and the layout of its elimination; T is float or double. `lower` and `upper` are at least 1.
template <class T>
struct band_ends : band_system<T> {
    static constexpr int tile_rows = 32;           ///< rows that an end copies at a time
    static constexpr std::int64_t max_small = 128; ///< maximum number of rows of a matrix that passes one front

    /// [2]: for each end the first unknown without a pivot, counted from that end; no_row if there is none
    std::int64_t* met = nullptr;

    int lanes = 4, width = 4;   ///< maximum number of rows of a front, and its columns
    bool small = false;         ///< all rows pass one front
    std::int64_t split = 0;     ///< rows of the first end; the second end has the others
    std::int64_t steps[2] = {}; ///< unknowns that each end eliminates; the first end may have one more than the second
    std::int64_t block_steps = 512; ///< steps between saved fronts; all steps if all pivot rows are saved
    std::int64_t blocks = 1;

    // Offsets of the arrays in the memory of each of the two ends, in elements; the arrays start at multiples of 64
    // bytes. The saved fronts are at offset 0.
    std::int64_t front_pitch = 0, saved_rows = 0;
    std::int64_t tile = 0, entries = 0, values = 0, known_after = 0, end_elements = 0;
};

/// Bands of op(A) below and above the diagonal.
template <class T>
int bands_below(matrix_rows<T> const& a) {
    if (!a.banded()) return 2 * a.n - 1;
    return a.op != matrix_operation::none ? a.upper_bands : a.lower_bands;
}
template <class T>
int bands_above(matrix_rows<T> const& a) {
    if (!a.banded()) return 2 * a.n - 1;
    return a.op != matrix_operation::none ? a.lower_bands : a.upper_bands;
}

/// Whether all rows pass one front, from first to last: for few rows the ends and their middle take longer.
template <class T>
bool passes_one_front(matrix_rows<T> const& a) {
    return a.scalar_rows <= band_ends<T>::max_small;
}

/// Blocks of the matrices that may be eliminated like bands.
inline constexpr int min_block_of_ends = 2, max_block_of_ends = 8;

/// Limit of the memory for saved pivot rows, in bytes: 3.7 million rows of 17 bands in double.
inline constexpr std::int64_t max_saved_bytes = std::int64_t(1) << 29;

/// Layout for a matrix. The caller sets the pointers to right-hand sides and memory.
template <class T>
band_ends<T> ends_of(matrix_rows<T> const& a, int rhs_count, std::int64_t max_saved = max_saved_bytes) {
    band_ends<T> e;
    e.a = a;
    e.rhs_count = rhs_count;
    e.lower = std::max(1, bands_below(a));
    e.upper = std::max(1, bands_above(a));
    std::int64_t const rows = a.scalar_rows;
    e.small = passes_one_front(a);
    int bands = e.lower + e.upper;
    if (e.small) { // its first rows are in the lanes before the first step, and no row has more than `rows` entries
        e.lower = std::min<int>(e.lower, std::max<int>(1, int(rows) - 1));
        bands = std::min<int>(bands, int(rows));
    }
    if (e.small ? bands <= 8 && e.lower <= 4 : std::max(e.lower, e.upper) <= 4) {
        e.lanes = 4, e.width = bands <= 4 ? 4 : 8;
    } else if (e.small ? bands <= 16 && e.lower <= 8 : std::max(e.lower, e.upper) <= 8) {
        e.lanes = 8, e.width = bands <= 8 && e.small ? 8 : bands <= 10 ? 10 : (bands + 1) / 2 * 2;
    } else {
        e.lanes = 16, e.width = 30;
    }
    if (e.small) return e;
    e.split = (rows + e.lower - e.upper + 1) / 2;
    e.steps[0] = e.split - e.lower;
    e.steps[1] = rows - e.split - e.upper;
    // For any number of right-hand sides the same, so that fewer never need more memory.
    if (rows * (e.width + 1 + max_rhs) <= max_saved / std::int64_t(sizeof(T)))
        e.block_steps = std::max(e.block_steps, e.steps[1]);
    e.blocks = std::max<std::int64_t>(1, (e.steps[1] + e.block_steps - 1) / e.block_steps);
    e.saved_rows = std::min(e.block_steps, e.steps[1]) + 1;
    auto const rounded_up = align_elements<T>;
    e.front_pitch = rounded_up(std::int64_t(e.width + rhs_count) * e.lanes);
    e.tile = (e.blocks + 1) * e.front_pitch;
    e.entries = e.tile +
                std::int64_t(2 * (e.width + 1 + rhs_count)) * e.tile_rows; // one tile is copied while the other is used
    e.values = e.entries + rounded_up(e.saved_rows * (e.width + 1));
    e.known_after = e.values + rounded_up(e.saved_rows * rhs_count);
    e.end_elements = e.known_after + rounded_up(std::int64_t(e.width) * rhs_count);
    return e;
}

// Complex systems are eliminated from the first row to the last, with the pivots and the element growth of LAPACK's
// gbsv. Real and imaginary parts are in separate arrays, and a row is updated a register of columns at a time. Rows do
// not move while `tile` unknowns are eliminated: a shifted row would be loaded from the parts of two stores, for which
// a core waits until both are in the cache.

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
    // The size suffices for the transposed matrix, too: a condition estimate solves systems of both in one workspace.
    std::int64_t const under_elimination = 2 * (std::max(e.lower, e.upper) + e.tile);
    e.elements = rounded_up(a.scalar_rows * (2 * e.saved + 4)) + 2 * rhs_count * e.vector + under_elimination * e.row;
    return e;
}

/// Default for launchers without such a kernel, which use segments.
template <class Executor, class T>
bool from_both_ends(Executor const&, matrix_rows<T> const&) {
    return false;
}
} // namespace chain

// A solve has three steps: band_ends_pass<true>() eliminates the rows of an end, band_ends_middle() solves for the
// unknowns in the middle, and band_ends_pass<false>() is the back substitution of an end. `end` is 0 or 1; 2 means both
// ends in one call. band_ends_small() executes all steps of a small system.
COPPICE_ISA_DECLARE(template <bool Left, class T> void band_ends_pass(chain::band_ends<T> const& e, int end);
                    template <class T> void band_ends_middle(chain::band_ends<T> const& e);
                    template <class T> void band_ends_small(chain::band_ends<T> const& e);
                    template <class R> void solve_band_rows(chain::band_rows<R> const& e);)

} // namespace coppice::inline v0_1
