// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A banded system eliminated from both ends at once, on the host: Gaussian elimination with partial pivoting,
/// its unknowns in the order first, last, second, last but one, ..., those in the middle at the end.
///
/// Each end takes its rows in one by one (solvers/direct/block_banded/tiles/band_front.hpp) until both meet; the lower
/// + upper rows that are left then have as many unknowns. No unknown is carried along, so entries grow as they do in
/// LAPACK's gbsv and there is a third of the work of stretches. The price: no more than two threads find work.
///
/// Pivot rows are kept for the way back, which takes as much memory as the matrix. Where that is too much, the front is
/// kept before every 512th step instead, and the pivot rows of 512 steps at a time are made again.
///
/// What depends on the number of threads is which of them works at which end, and no bit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <coppice/algebra/band_storage.hpp>
#include <coppice/core/host/isa.hpp>
#include <coppice/core/workspace_layout.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_level.hpp>

namespace coppice {
namespace chain {

/// One banded system and how its elimination is laid out; T is float or double. Plain numbers: the kernels are compiled
/// for several instruction sets and share no function with others.
template <class T>
struct band_ends {
    static constexpr int tile_rows = 32;           ///< that an end copies at a time
    static constexpr std::int64_t most_small = 28; ///< rows of a matrix that is its own middle

    matrix_rows<T> a{};
    T const* d = nullptr;
    T* x = nullptr;
    std::int64_t d_leading = 0, x_leading = 0;
    int sides = 1;
    std::int64_t* singular = nullptr; ///< as in row_units
    elimination<T> how{};
    T* memory = nullptr;
    std::int64_t* met = nullptr; ///< [2]: the first unknown, counted from there, of which an end found no pivot; no_row

    int lower = 1, upper = 1;       ///< bands of op(A) on either side, at least one
    int lanes = 4, width = 4;       ///< rows of a front at most, its columns
    bool small = false;             ///< too small for ends
    std::int64_t split = 0;         ///< rows that the first end takes in; the second takes the others
    std::int64_t steps[2] = {};     ///< unknowns that an end eliminates; the first perhaps one more than the second
    std::int64_t block_steps = 512; ///< between fronts that are kept; all where all pivot rows are
    std::int64_t blocks = 1;

    // Memory of an end, in elements; all parts begin at multiples of 64 bytes. Fronts come first.
    std::int64_t front_pitch = 0, kept_rows = 0;
    std::int64_t tile = 0, entries = 0, values = 0, behind = 0, end_elements = 0;
};

/// Whether a banded matrix is its own middle: ends that have hardly begun cost more than they save, the wider the
/// bands.
template <class T>
bool is_own_middle(matrix_rows<T> const& a) {
    std::int64_t const most = a.n > 4 ? band_ends<T>::most_small : a.n > 2 ? 20 : 16;
    return a.scalar_rows <= most;
}

/// What pivot rows that are kept may take, in bytes: 3.7 million rows of 17 bands in double.
inline constexpr std::int64_t most_kept_bytes = std::int64_t(1) << 29;

/// The layout for a matrix; the pointers to sides and memory are still to come.
template <class T>
band_ends<T> ends_of(matrix_rows<T> const& a, int sides, std::int64_t most_kept = most_kept_bytes) {
    bool const turned = a.op != matrix_operation::none;
    band_ends<T> e;
    e.a = a;
    e.sides = sides;
    e.lower = std::max(1, turned ? a.upper_bands : a.lower_bands);
    e.upper = std::max(1, turned ? a.lower_bands : a.upper_bands);
    int const bands = e.lower + e.upper;
    e.lanes = std::max(e.lower, e.upper) <= 4 ? 4 : 8;
    e.width = e.lanes == 4 ? (bands <= 4 ? 4 : 8) : bands <= 10 ? 10 : (bands + 1) / 2 * 2;
    std::int64_t const rows = a.scalar_rows;
    e.small = is_own_middle(a);
    if (e.small) return e;
    e.split = (rows + e.lower - e.upper + 1) / 2;
    e.steps[0] = e.split - e.lower;
    e.steps[1] = rows - e.split - e.upper;
    if (rows * (e.width + 1 + sides) <= most_kept / std::int64_t(sizeof(T)))
        e.block_steps = std::max(e.block_steps, e.steps[1]);
    e.blocks = std::max<std::int64_t>(1, (e.steps[1] + e.block_steps - 1) / e.block_steps);
    e.kept_rows = std::min(e.block_steps, e.steps[1]) + 1;
    auto const in_units = elements_in_workspace_units<T>;
    e.front_pitch = in_units(std::int64_t(e.width + sides) * e.lanes);
    e.tile = (e.blocks + 1) * e.front_pitch;
    e.entries = e.tile + std::int64_t(2 * (e.width + 1 + sides)) * e.tile_rows; // one is copied while one is used
    e.values = e.entries + in_units(e.kept_rows * (e.width + 1));
    e.behind = e.values + in_units(e.kept_rows * sides);
    e.end_elements = e.behind + in_units(std::int64_t(e.width) * sides);
    return e;
}

/// Launchers that have no kernel for it go through stretches.
template <class Executor, class T>
bool from_both_ends(Executor const&, matrix_rows<T> const&) {
    return false;
}
template <class Executor, class T>
void solve_from_ends(Executor const&, row_units<T> const&, elimination<real_lane_t<T>> const&, std::byte*, int const*) {
}
/// Bytes that such a solve needs.
template <class T>
std::int64_t ends_bytes(matrix_rows<T> const& a, int sides, std::int64_t most_kept = most_kept_bytes) {
    if constexpr (std::is_floating_point_v<T>)
        return 2 * ends_of(a, sides, most_kept).end_elements * std::int64_t(sizeof(T));
    else
        return 0;
}

} // namespace chain

// The steps of both ends (`end` is 2) or of one of them: all rows in; then, for one call, the unknowns in the middle;
// then the others. Or all of a small system.
COPPICE_ISA_DECLARE(template <class T> void band_ends_reduce(chain::band_ends<T> const& e, int end);
                    template <class T> void band_ends_close(chain::band_ends<T> const& e);
                    template <class T> void band_ends_substitute(chain::band_ends<T> const& e, int end);
                    template <class T> void band_ends_small(chain::band_ends<T> const& e);)

} // namespace coppice
