// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Elimination of a window of the chain solver in memory by Householder reflections, which replaces partial pivoting in
/// segments whose entries grow (chain_growth.hpp).
#pragma once

#include <coppice/core/lane/lane_access.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_window.hpp>

namespace coppice::inline v0_1::chain {

// Householder reflections, which eliminate rows if partial pivoting lets their entries grow: code of one lane, for
// real and complex scalars and packs of them.
//
// H = 1 - weight v v^H with v_k = 1 maps rows [k, rows) of a column to (top, 0 ... 0). Row k then has the form of a
// pivot row, (2) in solvers/direct/DESIGN.md, so the substitution does not depend on which elimination was used.

COPPICE_LANE float square_root(float a) { return __builtin_sqrtf(a); }
COPPICE_LANE double square_root(double a) { return __builtin_sqrt(a); }
template <class Pack>
requires requires { typename Pack::bits; }
COPPICE_ALWAYS_INLINE Pack square_root(Pack a) {
    for (int l = 0; l < lane_count<Pack>; ++l) set_lane(a, l, square_root(get_lane(a, l)));
    return a;
}

template <class R>
COPPICE_LANE R square_of(R const& a) {
    return a * a;
}
template <class R>
COPPICE_LANE R square_of(complex_lane<R> const& a) {
    return a.re * a.re + a.im * a.im;
}
template <class R>
COPPICE_LANE R conjugate_of(R const& a) {
    return a;
}
template <class R>
COPPICE_LANE complex_lane<R> conjugate_of(complex_lane<R> const& a) {
    return {a.re, -a.im};
}

/// a / |a| (the sign of a real number), and |a| in `length`; returns 1 if a is 0.
template <class R>
COPPICE_LANE R direction_of(R const& a, R& length) {
    length = magnitude(a);
    return select(a < R(0), R(-1), R(1));
}
template <class R>
COPPICE_LANE complex_lane<R> direction_of(complex_lane<R> const& a, R& length) {
    R const scale = near_inverse(magnitude(a)); // squares of a itself may underflow
    complex_lane<R> const near_one = scaled(a, scale);
    R const near_length = square_root(square_of(near_one));
    length = near_length * near_inverse(scale);
    auto const none = near_length <= R(0);
    R const inverse = reciprocal(select(none, R(1), near_length));
    return {select(none, R(1), near_one.re * inverse), select(none, R(0), near_one.im * inverse)};
}

/// The reflection of rows [k, rows) of a column. No square overflows, and the column times a power of two gives the
/// same v and weight. For a column of zeros the weight is 0 and the reflection is the identity.
template <class T>
struct householder {
    using real = real_lane_t<T>;

    T top;       ///< new value of row k
    real weight; ///< 1 <= weight <= 2
    T to_v;      ///< v_r = column[r] * scale * to_v for r > k; |v_r| <= 1
    real scale;

    COPPICE_LANE householder(T const* column, int k, int rows) {
        real largest = magnitude(column[k]);
        COPPICE_UNROLL
        for (int r = k + 1; r < rows; ++r) largest = larger(largest, magnitude(column[r]));
        scale = near_inverse(largest);
        real sum(0);
        COPPICE_UNROLL
        for (int r = k; r < rows; ++r) sum = sum + square_of(scaled(column[r], scale));
        real const length = square_root(sum);
        T const first = scaled(column[k], scale);
        real of_first;
        T const direction = direction_of(first, of_first);
        auto const none = length <= real(0);
        top = scaled(-scaled(direction, length), near_inverse(scale));
        weight = select(none, real(0), real(1) + of_first * reciprocal(select(none, real(1), length)));
        // first + direction * length: the sum does not cancel.
        to_v = safe_reciprocal(select(none, direction, first + scaled(direction, length)));
    }
    /// v_r, computed from the entry in row r > k of the column.
    COPPICE_LANE T v(T const& entry) const { return scaled(entry, scale) * to_v; }
};

/// Applies a reflection, given by its weight and v(r) for r > k, to rows [k, rows) of a column.
template <class T, class V>
COPPICE_LANE void apply_householder(T* column, real_lane_t<T> const& weight, V const& v, int k, int rows) {
    T sum = column[k];
    COPPICE_UNROLL
    for (int r = k + 1; r < rows; ++r) sum = sum + conjugate_of(v(r)) * column[r];
    sum = scaled(sum, weight);
    column[k] = column[k] - sum;
    COPPICE_UNROLL
    for (int r = k + 1; r < rows; ++r) column[r] = column[r] - v(r) * sum;
}

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
