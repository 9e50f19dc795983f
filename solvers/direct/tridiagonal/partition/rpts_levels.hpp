// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The levels of the recursion of RPTS: sizes of the systems, from the finest to the one that is solved directly, and
/// their memory.
///
/// A single function computes the layout of the workspace, for its size and for its use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <coppice/core/config.hpp>
#include <coppice/core/lane/lane_atomics.hpp>
#include <coppice/core/workspace_layout.hpp>
#include <coppice/solvers/direct/interface/pivoting.hpp>

namespace coppice::inline v0_1::rpts {

/// A batch of tridiagonal systems with equal numbers of right-hand sides, and the memory of the solutions. Row i of
/// system k has index k stride + i pitch, or offsets[k] + i; column c of the right-hand sides is c rhs_leading further.
/// lower[0] and upper[size - 1] of each system may hold any value. rhs and x may be the same memory.
template <class T>
struct system_view {
    std::int64_t size;
    T const *lower, *diagonal, *upper, *rhs;
    T* x;
    std::int64_t systems = 1, columns = 1;
    std::int64_t stride = 0; ///< if there are offsets, the rows of all systems
    std::int64_t rhs_leading = 0, x_leading = 0;
    /// Null if all have `size` rows; otherwise `size` is an upper bound, and the first row of each system and the
    /// number of rows are in memory of the executor.
    std::int64_t const* offsets = nullptr;
    /// Distance of two consecutive rows in elements. If it is not 1, systems are interleaved: pitch = systems, stride =
    /// 1. CUDA solves them on chip only.
    std::int64_t pitch = 1;
    /// For one system with one right-hand side: null, or row i has rhs[order[i]] and x[target[i]] (thesis section
    /// 5.2.4: permutations fused into loads and stores).
    std::int32_t const *order = nullptr, *target = nullptr;
    /// For a system with an order: matrix and order are already complete, so that kernels may read them before the
    /// preceding kernel, which writes the right-hand side, has ended.
    bool ready = false;
    /// lower[0] couples the first row of each system to its last row, and upper[size - 1] the last row to the first:
    /// systems of equal size, at least 3 rows, not interleaved, solved by separate kernels, on CUDA only.
    bool cyclic = false;
    /// One system with one right-hand side that is a segment of a longer system (rpts_ranks.hpp): lower[0] couples its
    /// first row to *before and upper[size - 1] its last row to *after. These values are read by the substitution. Null
    /// if there is no such row. Consists of whole pairs of partitions. CUDA uses the kernels of cyclic systems for it.
    bool is_segment = false;
    T const *before = nullptr, *after = nullptr;
    /// Null, or where 1 is written if an element of x is not finite, in memory of the executor; by the host only at the
    /// end of solve_tridiagonal_batch. The caller sets it to 0 before. The check takes almost no time.
    int* not_finite = nullptr;
    /// Null, or for each system where 1 is written if x may be finite and wrong, because the reduction with pivoting
    /// found a zero pivot (host) or no good split of two neighbouring partitions. The caller sets them to 0 before. On
    /// CUDA for systems of equal size, with not_finite: 1 is then also written to *not_finite. Takes no time.
    int* uncertain = nullptr;

    COPPICE_HD std::int64_t source_of(std::int64_t row) const { return order ? order[row] : row; }
    COPPICE_HD std::int64_t target_of(std::int64_t row) const { return target ? target[row] : row; }
    COPPICE_HD std::int64_t pairs() const { return systems * columns; }
    bool interleaved() const { return pitch != 1; }
    /// One system with its right-hand sides from column c on.
    COPPICE_HD system_view at(std::int64_t system, std::int64_t c) const {
        std::int64_t const row = offsets ? offsets[system] : system * stride;
        return {offsets ? offsets[system + 1] - row : size,
                lower + row,
                diagonal + row,
                upper + row,
                rhs + row + c * rhs_leading,
                x + row + c * x_leading,
                1,
                columns - c,
                0,
                rhs_leading,
                x_leading,
                nullptr,
                1,
                order,
                target,
                ready,
                cyclic,
                is_segment,
                before,
                after,
                not_finite,
                uncertain ? uncertain + system : nullptr};
    }
    /// One system with one right-hand side; the columns of a system have consecutive numbers.
    COPPICE_HD system_view pair(std::int64_t i) const { return at(i / columns, i % columns); }
};

/// Checks the elements of x that a thread stores.
template <class T>
struct finite_check {
    int* flag; ///< may be null
    bool failed = false;

    COPPICE_LANE void see(T const& value) {
        failed |= !((value < T(0) ? -value : value) <= std::numeric_limits<T>::max());
    }
    COPPICE_LANE void finish() const {
        if (failed && flag) raise_flag(flag);
    }
};

/// Coarse systems in the workspace: the reduction writes their rows; the solution replaces the right-hand side.
template <class T>
struct coarse_view {
    T *lower, *diagonal, *upper, *rhs;
    std::int64_t stride = 0, leading = 0;

    COPPICE_HD coarse_view at(std::int64_t system, std::int64_t c) const {
        std::int64_t const row = system * stride;
        return {lower + row, diagonal + row, upper + row, rhs + row + c * leading, 0, leading};
    }
    /// For one right-hand side.
    COPPICE_HD void put(std::int64_t i, auto const& row) const {
        lower[i] = row.lower;
        diagonal[i] = row.diagonal;
        upper[i] = row.upper;
        rhs[i] = row.rhs;
    }
};

/// `size` rows of each of these coarse systems, as the fine systems of the next level, which have the columns,
/// couplings and flags of those of `fine`.
template <class T>
system_view<T> next_systems(system_view<T> fine, coarse_view<T> const& coarse, std::int64_t size) {
    fine.size = size, fine.stride = coarse.stride, fine.rhs_leading = fine.x_leading = coarse.leading;
    fine.lower = coarse.lower, fine.diagonal = coarse.diagonal, fine.upper = coarse.upper;
    fine.rhs = fine.x = coarse.rhs;
    fine.order = fine.target = nullptr, fine.ready = false;
    return fine;
}

/// One level: fine systems with `partitions` partitions each, and their coarse systems of coarse_rows() rows.
template <class T>
struct level {
    system_view<T> fine;
    coarse_view<T> coarse;
    std::int64_t partitions;
    T threshold;
    /// A pair_record (rpts_boundaries.hpp) for each pair of partitions 2 k and 2 k + 1 of each system: written by the
    /// reduction, read by the substitution.
    std::int8_t* pair_records = nullptr;

    COPPICE_HD std::int64_t pairs() const { return partitions / 2; }
    COPPICE_HD level at(std::int64_t system, std::int64_t c) const {
        return {fine.at(system, c), coarse.at(system, c), partitions, threshold, pair_records + system * pairs()};
    }
};

/// A level whose coarse systems, with `band` elements for each band of a system, and pair records are at `memory`.
template <class T>
level<T> level_in(T* memory, system_view<T> const& fine, std::int64_t partitions, std::int64_t band, T threshold) {
    std::int64_t const all = fine.systems * band;
    coarse_view<T> const coarse{memory, memory + all, memory + 2 * all, memory + 3 * all, band, all};
    return {fine, coarse, partitions, threshold, reinterpret_cast<std::int8_t*>(coarse.rhs + fine.columns * all)};
}

/// Step of a level: fine rows -> coarse rows, or coarse solution -> fine solution.
enum class level_step { reduce, substitute };

/// Pivoting of level k. Scaled pivoting scales only the given rows, of level 0: a coarse row is small because digits
/// cancelled, and must stay small.
inline pivoting pivot_of_level(pivoting pivot, int k) {
    return k > 0 && pivot == pivoting::scaled_partial ? pivoting::partial : pivot;
}

// These two determine the upper bound of the workspace.
inline constexpr int min_partition = 32;        ///< smallest M of a reduction on any backend
inline constexpr std::int64_t direct_rows = 64; ///< rows that every backend solves without a reduction
inline constexpr int max_levels = 16;           ///< 64 (32 / 2)^16 > 2^63

/// Systems of at most this many rows are not reduced by tiles on a GPU.
inline constexpr std::int64_t max_untiled_rows = 1024;

/// Number of partitions of a system: whole pairs (rpts_boundaries.hpp), the last one padded with rows x = 0. A cyclic
/// system is not padded, since padding rows would break the cycle, and a partition without a pair could not be changed
/// if it is nearly singular inside: the rows after the last whole pair are copied to the coarse system.
inline std::int64_t partitions_of(std::int64_t size, int partition, bool cyclic = false) {
    if (cyclic) return size / (2 * partition) * 2;
    std::int64_t const needed = (size + partition - 1) / partition;
    return needed + (needed & 1);
}
COPPICE_HD inline std::int64_t coarse_rows(std::int64_t size, std::int64_t partitions, int partition, bool cyclic) {
    return 2 * partitions + (cyclic ? size - partitions * partition : 0);
}

/// Elements that the pair records of a level occupy after its coarse systems.
template <class T>
std::int64_t elements_of_pair_records(std::int64_t partitions, std::int64_t systems) {
    std::int64_t const bytes = partitions / 2 * systems, each = sizeof(T);
    return align_elements<T>((bytes + each - 1) / each);
}

/// Calls use(fine size, partitions, offset in elements, elements of a coarse band) for every level of `systems` systems
/// with `columns` right-hand sides, in partitions of `partition` rows, until is_last(rows); returns the elements of all
/// coarse systems together.
template <class T, class IsLast, class Use>
std::int64_t for_each_level(std::int64_t size, std::int64_t systems, std::int64_t columns, int partition, bool cyclic,
                            IsLast const& is_last, Use use) {
    std::int64_t offset = 0;
    while (!is_last(size)) {
        std::int64_t const partitions = partitions_of(size, partition, cyclic);
        std::int64_t const coarse = coarse_rows(size, partitions, partition, cyclic);
        std::int64_t const band = align_elements<T>(coarse);
        use(size, partitions, offset, band);
        offset += (3 + columns) * systems * band + elements_of_pair_records<T>(partitions, systems);
        size = coarse;
    }
    return offset;
}

} // namespace coppice::inline v0_1::rpts
