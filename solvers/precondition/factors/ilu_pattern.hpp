// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What an incomplete factorisation knows of the pattern alone; made on the host, once for a matrix.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace coppice::detail {

/// Rows of a triangle: offsets[n + 1], columns sorted in each row, and where each entry stands in the whole pattern.
struct triangle_pattern {
    std::vector<std::int32_t> offsets{}, columns{}, places{};
};

/// Rows in levels: those of level l, [offsets[l], offsets[l + 1]) of `rows`, depend on rows of earlier levels only.
struct row_levels {
    std::vector<std::int32_t> rows{}, offsets{};
};

/// The pattern of A with every diagonal entry, columns sorted.
struct ilu_pattern {
    std::vector<std::int32_t> offsets{}, columns{};
    std::vector<std::int32_t> sources{};  ///< which nonzero of A each one is, -1 for a diagonal entry that A lacks
    std::vector<std::int32_t> row_of{};   ///< row of each nonzero
    std::vector<std::int32_t> diagonal{}; ///< [n] place of the diagonal entry
    std::int32_t missing = 0;             ///< diagonal entries that A lacks

    std::int32_t rows() const { return std::int32_t(diagonal.size()); }
};

/// Throws matrix_error where a row holds a column twice.
ilu_pattern make_ilu_pattern(std::span<std::int32_t const> offsets, std::span<std::int32_t const> columns);

/// The entries left of the diagonal, or right of it.
triangle_pattern strict_triangle(ilu_pattern const& pattern, bool lower);

/// Levels of the solution with a strict triangle: rows in rising order for a lower one, falling for an upper one.
row_levels levels_of(triangle_pattern const& triangle, bool lower);

/// Pattern of |T|^power for a strict triangle with a unit diagonal, the diagonal included, columns sorted. Throws
/// overflow_error where it outgrows 32-bit offsets.
triangle_pattern triangle_power(triangle_pattern const& triangle, int power);

} // namespace coppice::detail
