// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Partitioning of a matrix into segments, level by level.
#pragma once

#include <cstdint>

#include <coppice/solvers/direct/solve/launchers.hpp>

namespace coppice::inline v0_1::chain {

COPPICE_HD inline block_row_shape<any_size> rows_shape(levels const& l, int n, int rhs_count) {
    return {{n, 2 * n}, l.length(), rhs_count};
}
inline block_row_shape<any_size> condensed_shape(int n, int rhs_count) {
    return {{2 * n, 2 * n}, condensed_segment_length, rhs_count};
}

/// Levels with shorter segments for short systems.
inline levels levels_of(batch_shape const& batch, int max_log_length = log_segment_rows) {
    int log_length = 2;
    while (log_length < max_log_length && (std::int64_t(1) << log_length) < batch.rows) ++log_length;
    return {batch, log_length};
}
/// Levels with shorter segments if the matrix has few rows in total and condensed rows are merged in one kernel:
/// elimination in a segment is a chain of dependent steps. Not for systems that the chain solver rarely solves: shorter
/// segments need more memory.
template <class T, class Executor>
levels levels_of(Executor const& exec, matrix_rows<T> const& a) {
    constexpr std::int64_t few = 1 << 19; // block rows; measured on an H200
    bool const shorter = merges_in_one_kernel(exec, a) && (a.n > 1 || a.cyclic) && a.batch.total <= few;
    return levels_of(a.batch, shorter ? log_segment_rows - 1 : log_segment_rows);
}

/// Calls use(depth of the condensed rows, number of segments, block rows of a segment, offset in elements) for every
/// level; returns the elements of all condensed rows.
template <class Use>
std::int64_t for_each_level(levels const& l, int n, int rhs_count, Use use) {
    std::int64_t offset = 0, span = l.length();
    for (int depth = 1;; ++depth, span *= condensed_segment_length) {
        std::int64_t const condensed = l.total(depth);
        use(depth, condensed, span, offset);
        offset += (condensed * (2 * n * (4 * n + rhs_count) + 1) + 15) / 16 * 16; // a multiple of 64 bytes
        if (l.count(l.batch.rows, depth) <= 1) return offset;
    }
}

/// Returns the number of elements of all condensed rows, for the method that is used: one kernel, or one per level.
template <class T, class Executor>
std::int64_t condensed_elements(Executor const& exec, matrix_rows<T> const& a, int rhs_count) {
    if (merges_in_one_kernel(exec, a)) return tree_elements(exec, levels_of(exec, a), a);
    return for_each_level(levels_of(a.batch), a.n, rhs_count, [](auto...) {});
}

} // namespace coppice::inline v0_1::chain
