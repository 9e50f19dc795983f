// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Back substitution of a partition in shared memory by two threads, one for each half.
#pragma once

#include <coppice/solvers/direct/tridiagonal/partition/rpts_boundaries.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_block_tile.hpp>

namespace coppice::inline v0_1::rpts {

/// Stores the two remaining equations of a half in shared memory for the thread of the other half, in elements that
/// hold no pivot row: the last row of the half and the right-hand side of its first row.
template <pivoting P, int Step, class T, class R>
COPPICE_HD inline void leave_rows(half<P, Step, T, R> const& h, half_rows<T, R> const& left) {
    constexpr int last = (block_partition / 2 - 1) * Step;
    h.near[last] = left.p.entry;
    h.middle[last] = left.p.next;
    h.away[last] = left.alone.entry;
    h.rhs_rows[last] = left.p.rhs;
    h.rhs_rows[0] = left.alone.rhs;
}
template <pivoting P, int Step, class T, class R>
COPPICE_HD inline half_rows<T, R> remaining_rows(half<P, Step, T, R> const& h) {
    constexpr int last = (block_partition / 2 - 1) * Step;
    return {{h.away[last], T(0), h.rhs_rows[0]}, {h.near[last], h.middle[last], h.rhs_rows[last]}};
}

template <pivoting P, int Step, class T, class R>
COPPICE_HD inline void eliminate_half(partition_rows<T, R> const& rows, R const& before, R const& first,
                                      T const& multiplier, auto const& threshold) {
    half<P, Step, T, R> const h(rows, block_partition);
    auto left = h.begin(before, first, multiplier);
    COPPICE_UNROLL_BY(7)
    for (int j = 2; j < block_partition / 2; ++j) h.eliminate(j, left, threshold);
    leave_rows(h, left);
}
template <pivoting P, int Step, class T, class R>
COPPICE_HD inline void substitute_half(partition_rows<T, R> const& rows, R x1, R x2) {
    half<P, Step, T, R> const h(rows, block_partition);
    COPPICE_UNROLL_BY(7)
    for (int j = block_partition / 2 - 2; j > 0; --j) h.substitute(j, x1, x2);
}

/// Solves a partition of fewer rows than block_partition in one thread.
template <pivoting P, class T, class R>
COPPICE_HD inline void substitute_short(partition_rows<T, R> const& rows, int length, interface_values<R> const& x,
                                        boundary_multipliers<T> const& multipliers, auto const& threshold) {
    if (length > 2) return substitute_partition<P>(rows, length, x, threshold, multipliers);
    if (length > 0) rows.rhs[0] = x.first, rows.rhs[1] = x.last;
}

/// Solves a partition in shared memory by two threads of different warps, one for each half.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class R, class Block>
COPPICE_HD inline void substitute_lane(Block const& block, partition_rows<T, R> const& rows, auto length,
                                       interface_values<R> const& x, boundary_multipliers<T> const& multipliers,
                                       auto const& threshold) {
    constexpr int end = block_partition - 1, above = block_partition / 2 - 1;
    bool const from_above = block.thread() < tile_partitions, is_short = length != block_partition;
    if (!is_short) { // one thread solves a shorter partition, below
        if (from_above)
            eliminate_half<P, 1>(rows, x.before, x.first, multipliers.first, threshold);
        else
            eliminate_half<P, -1>(rows, x.after, x.last, multipliers.last, threshold);
    }
    block.sync();
    middle_values<R> middle{};
    if (!is_short)
        middle = solve_middle<P>(remaining_rows(half<P, 1, T, R>(rows, block_partition)),
                                 remaining_rows(half<P, -1, T, R>(rows, block_partition)), threshold);
    block.sync(); // both threads have read the remaining equations
    if (is_short) {
        if (from_above) substitute_short<P>(rows, length, x, multipliers, threshold);
        return;
    }
    rows.rhs[from_above ? 0 : end] = select(from_above, x.first, x.last);
    rows.rhs[from_above ? above : above + 1] = select(from_above, middle.down, middle.up);
    if (from_above)
        substitute_half<P, 1>(rows, middle.down, middle.up);
    else
        substitute_half<P, -1>(rows, middle.up, middle.down);
}

} // namespace coppice::inline v0_1::rpts
