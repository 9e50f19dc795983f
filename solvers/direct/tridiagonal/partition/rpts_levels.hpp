// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The stages of RPTS: sizes of the systems, from the finest to the one solved directly, and where they lie.
///
/// One function lays the workspace out for both sizing and carving.
#pragma once

#include <cstddef>
#include <cstdint>

#include <coppice/core/config.hpp>
#include <coppice/core/workspace_layout.hpp>

namespace coppice::rpts {

/// A batch of tridiagonal systems, each with the same number of right-hand sides, and the place of the solutions. Row i
/// of system k stands at index k stride + i, or offsets[k] + i, in column c of the right-hand sides c rhs_leading
/// further. lower[0] and upper[size - 1] of each system may hold anything; rhs and x may be the same memory.
template <class T>
struct system_view {
    std::int64_t size;
    T const *lower, *diagonal, *upper, *rhs;
    T* x;
    std::int64_t systems = 1, columns = 1;
    std::int64_t stride = 0;
    std::int64_t rhs_leading = 0, x_leading = 0;
    std::int64_t const* offsets = nullptr; ///< null where all have `size` rows; else `size` is that of the largest
    /// Elements from one row to the next. Where it is not 1, systems are interleaved and are solved on chip only.
    std::int64_t pitch = 1;
    /// Of one system with one right-hand side: null, or row i has rhs[order[i]] or x[target[i]] (thesis section 5.2.4:
    /// permutations fused into loads and stores).
    std::int32_t const *order = nullptr, *target = nullptr;
    /// Of a system with an order: the host has waited since matrix and order were written, so that they are read before
    /// the right-hand side is there.
    bool settled = false;
    /// lower[0] couples the first row of each system to its last one and upper[size - 1] the last to the first: systems
    /// of equal size of at least 3 rows, none interleaved, solved by kernels of their own, on CUDA.
    bool cyclic = false;
    /// One system with one right-hand side that is a stretch of a longer one (rpts_parts.hpp): lower[0] couples its
    /// first row to *before and upper[size - 1] its last one to *behind, which are known when unknowns are substituted;
    /// null where there is nothing. Whole pairs of partitions. CUDA has the kernels of cyclic systems for it.
    bool stretch = false;
    T const *before = nullptr, *behind = nullptr;

    /// Do the couplings beyond the first and the last row of the part of a longer system count?
    COPPICE_HD bool couples_before() const { return before != nullptr; }
    COPPICE_HD bool couples_behind() const { return behind != nullptr; }
    COPPICE_HD std::int64_t place_of(std::int64_t row) const { return order ? order[row] : row; }
    COPPICE_HD std::int64_t target_of(std::int64_t row) const { return target ? target[row] : row; }
    COPPICE_HD std::int64_t pairs() const { return systems * columns; }
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
                settled,
                cyclic,
                stretch,
                before,
                behind};
    }
    /// One system with one right-hand side; the columns of a system are neighbours.
    COPPICE_HD system_view pair(std::int64_t i) const { return at(i / columns, i % columns); }
};

/// Coarse systems in the workspace: their rows are written by the reduction; the solution replaces the right-hand side.
template <class T>
struct coarse_view {
    T *lower, *diagonal, *upper, *rhs;
    std::int64_t stride = 0, leading = 0;

    COPPICE_HD coarse_view at(std::int64_t system, std::int64_t c) const {
        std::int64_t const row = system * stride;
        return {lower + row, diagonal + row, upper + row, rhs + row + c * leading, 0, leading};
    }
};

/// One stage: fine systems of `partitions` partitions and their coarse systems of coarse_rows() rows.
template <class T>
struct stage {
    system_view<T> fine;
    coarse_view<T> coarse;
    std::int64_t partitions;
    T threshold;
    /// Of partitions 2 k and 2 k + 1 of each system a pair_note (rpts_borders.hpp): written by the reduction, read by
    /// the substitution.
    std::int8_t* borders = nullptr;

    COPPICE_HD std::int64_t pairs() const { return partitions / 2; }
    COPPICE_HD stage at(std::int64_t system, std::int64_t c) const {
        return {fine.at(system, c), coarse.at(system, c), partitions, threshold, borders + system * pairs()};
    }
};

/// What is done with a stage: fine rows -> coarse rows, or coarse solution -> fine solution.
enum class stage_step { reduce, substitute };

// These two bound the workspace.
inline constexpr int least_partition = 32;     ///< smallest M of a reduction on any backend
inline constexpr std::int64_t least_last = 64; ///< rows that every backend solves without a reduction
inline constexpr int most_stages = 16;         ///< 64 (32 / 2)^16 > 2^63

/// Partitions of a system: whole pairs (rpts_borders.hpp), of which the last one is filled up with rows x = 0. In a
/// cyclic system such rows would open the ring, and a partition without a partner could not be changed where it is
/// nearly singular inside: the rows behind the last whole pair are copied into the coarse system.
inline std::int64_t partitions_of(std::int64_t size, int partition, bool cyclic = false) {
    if (cyclic) return size / (2 * partition) * 2;
    std::int64_t const needed = (size + partition - 1) / partition;
    return needed + (needed & 1);
}
COPPICE_HD inline std::int64_t coarse_rows(std::int64_t size, std::int64_t partitions, int partition, bool cyclic) {
    return 2 * partitions + (cyclic ? size - partitions * partition : 0);
}

/// Elements that the borders of a stage take behind its coarse systems.
template <class T>
std::int64_t elements_of_borders(std::int64_t partitions, std::int64_t systems) {
    std::int64_t const bytes = partitions / 2 * systems, each = sizeof(T);
    return elements_in_workspace_units<T>((bytes + each - 1) / each);
}

/// Calls visit(fine size, partitions, offset in elements, elements of a coarse band) for every stage of `systems`
/// systems with `columns` right-hand sides, in partitions of `partition` rows, until is_last(rows); returns the
/// elements of all coarse systems together.
template <class T, class IsLast, class Visit>
std::int64_t for_each_stage(std::int64_t size, std::int64_t systems, std::int64_t columns, int partition, bool cyclic,
                            IsLast const& is_last, Visit visit) {
    std::int64_t offset = 0;
    while (!is_last(size)) {
        std::int64_t const partitions = partitions_of(size, partition, cyclic);
        std::int64_t const coarse = coarse_rows(size, partitions, partition, cyclic);
        std::int64_t const band = elements_in_workspace_units<T>(coarse);
        visit(size, partitions, offset, band);
        offset += (3 + columns) * systems * band + elements_of_borders<T>(partitions, systems);
        size = coarse;
    }
    return offset;
}

} // namespace coppice::rpts
