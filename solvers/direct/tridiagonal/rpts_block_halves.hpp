// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Back substitution of a partition in shared memory by two threads, one for each half.
#pragma once

#include <coppice/solvers/direct/tridiagonal/partition/rpts_boundaries.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_block_tile.hpp>

namespace coppice::inline v0_1::rpts {

/// Stores the two remaining equations of a half of `count` rows in shared memory for the thread of the other half, in
/// elements that hold no pivot row: the last row of the half and the right-hand side of its first row.
template <pivoting P, class Step, class T, class R>
COPPICE_HD inline void leave_rows(half<P, Step, T, R> const& h, int count, half_rows<T, R> const& left) {
    int const last = (count - 1) * h.step;
    h.near[last] = left.p.entry;
    h.middle[last] = left.p.next;
    h.away[last] = left.alone.entry;
    h.rhs_rows[last] = left.p.rhs;
    h.rhs_rows[0] = left.alone.rhs;
}
template <pivoting P, class Step, class T, class R>
COPPICE_HD inline half_rows<T, R> remaining_rows(half<P, Step, T, R> const& h, int count) {
    int const last = (count - 1) * h.step;
    return {{h.away[last], T(0), h.rhs_rows[0]}, {h.near[last], h.middle[last], h.rhs_rows[last]}};
}

/// Solves a partition of at least 4 rows in shared memory by two threads of different warps, one for each half; the
/// first has the row in the middle of an odd number. Nothing is done for `length` = 0. Contains barriers of the block.
///
/// Both warps execute the same instructions, in loops that are hardly unrolled: a kernel executes most of its code a
/// few times, so that reading instructions takes as long as executing them.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class R, class Block>
COPPICE_HD inline void substitute_lane(Block const& block, partition_rows<T, R> const& rows, auto length,
                                       interface_values<R> const& x, boundary_multipliers<T> const& multipliers,
                                       auto const& threshold) {
    int const below = length / 2, above = length - below; // rows of the halves
    bool const works = length > 0;
    bool const from_above = block.thread() < tile_partitions;
    int const count = from_above ? above : below;
    half<P, int, T, R> const mine(rows, length, from_above ? 1 : -1);
    if (works) {
        auto left = mine.begin(select(from_above, x.before, x.after), select(from_above, x.first, x.last),
                               from_above ? multipliers.first : multipliers.last);
        COPPICE_UNROLL_BY(2)
        for (int j = 2; j < count; ++j) mine.eliminate(j, left, threshold);
        leave_rows(mine, count, left);
    }
    block.sync();
    middle_values<R> middle{};
    if (works)
        middle = solve_middle<P>(remaining_rows(half<P, downward_step, T, R>(rows, length), above),
                                 remaining_rows(half<P, upward_step, T, R>(rows, length), below), threshold);
    block.sync(); // both threads have read the remaining equations
    if (!works) return;
    rows.rhs[from_above ? 0 : length - 1] = select(from_above, x.first, x.last);
    R x1 = select(from_above, middle.down, middle.up), x2 = select(from_above, middle.up, middle.down);
    rows.rhs[from_above ? above - 1 : above] = x1;
    COPPICE_UNROLL_BY(4)
    for (int j = count - 2; j > 0; --j) mine.substitute(j, x1, x2);
}

} // namespace coppice::inline v0_1::rpts
