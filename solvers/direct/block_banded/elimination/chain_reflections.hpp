// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Elimination of a window of the chain solver in memory by Householder reflections, which replaces partial pivoting in
/// segments whose entries grow (chain_growth.hpp).
#pragma once

#include <coppice/solvers/direct/block_banded/elimination/chain_householder.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_window.hpp>

namespace coppice::inline v0_1::chain {

/// Values that a recording observer receives for a column that was eliminated by a Householder reflection.
template <class T>
struct householder_column {
    real_lane_t<T> weight; ///< of the reflection
    real_lane_t<T> size;   ///< magnitude of the pivot
};

/// Applies the reflection of column k to the columns after it; column k keeps v below its pivot.
template <class T, class Team>
COPPICE_LANE householder_column<T> householder_step(Team const& team, stack_view<T> const& s, int k, int rows) {
    T* const key = s.column(k);
    householder<T> const of(key, k, rows);
    team.sync();
    for (int r = k + 1 + team.rank(); r < rows; r += team.size()) key[r] = of.v(key[r]);
    if (team.rank() == 0) key[k] = safe_reciprocal(of.top);
    team.sync();
    for (int j = k + 1 + team.rank(); j < s.columns; j += team.size())
        apply_householder(
            s.column(j), of.weight, [key](int r) -> T const& { return key[r]; }, k, rows);
    team.sync();
    return {of.weight, magnitude(of.top)};
}
/// Moves the remaining rows to `next`, up and to the left by `count`.
template <class T, class Team>
COPPICE_LANE void move_left_rows(Team const& team, stack_view<T> const& s, int count, int rows, int active,
                                 stack_view<T> const& next) {
    int const left = rows - count;
    for (int i = team.rank(); i < left * (s.columns - count); i += team.size()) {
        int const j = count + i / left, r = i % left;
        next(r, j < active ? j - count : j) = s(count + r, j);
    }
    team.sync();
}
/// As eliminate_columns, but by Householder reflections, which bound element growth: the first `count` columns keep v
/// below the diagonal, and `eliminated` receives what report_householder passes on. Reflections are rare, so one
/// function that is not inlined serves all kernels; the same holds for load_block_row_out_of_line.
template <class T, class Team>
[[gnu::noinline]] COPPICE_HD void eliminate_by_householder(Team const& team, stack_view<T> const& s, int count,
                                                           int rows, int active, stack_view<T> const& next,
                                                           householder_column<T>* eliminated) {
    for (int k = 0; k < count; ++k) eliminated[k] = householder_step(team, s, k, rows);
    move_left_rows(team, s, count, rows, active, next);
}
/// Calls the observer for `count` columns that were eliminated by reflections, by one lane of a team. A pivot of at
/// most `tolerance` counts as zero.
template <class T, class Team, class Observer>
COPPICE_LANE void report_householder(Team const& team, householder_column<T> const* eliminated, int count,
                                     real_lane_t<T> const& tolerance, Observer const& zero_pivot) {
    if (team.rank() != 0) return;
    for (int k = 0; k < count; ++k) {
        if (zero_pivot.needed())
            for (int l = 0; l < lane_count<T>; ++l)
                if (get_lane(eliminated[k].size, l) <= get_lane(tolerance, l)) zero_pivot(k, l);
        zero_pivot.record(k, eliminated[k], static_cast<T const*>(nullptr));
    }
}

} // namespace coppice::inline v0_1::chain
