// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Substitution in a partition of RPTS: what one worker, or one worker at either end, does with the rows of the
/// partition once the interface unknowns are known (thesis section 2.5, Algorithm 2; substitute_partition says what
/// differs).
#pragma once

#include <coppice/solvers/direct/tridiagonal/partition/rpts_lane.hpp>

namespace coppice::rpts {

/// The interface unknowns around a partition: x[-1], x[0], x[length-1], x[length].
template <class R>
struct interface_values {
    R before, first, last, after;
};

/// The two rows that are left of one half of a partition: `alone` has only the half's last unknown, `p` has that
/// unknown and the first unknown of the other half.
template <class T, class R = T>
struct half_rows {
    open_row<T, R> alone, p;
};

/// Solves one half of a partition, from its end (where one unknown is known) inwards: down where Step is 1, up where
/// Step is -1 and the bands trade places. The half has one row more than unknowns; at first the row too many, `alone`,
/// is row 0. It takes part in the choice of every pivot: the better one of `alone` and p is compared with the next row;
/// the other one, after x[j-1] is eliminated from it, has x[j] alone and is the next `alone`. Without pivoting `alone`
/// is left out, and so it is, as a row of zeros, where row 0 has a large share (outer_shares).
template <pivoting P, int Step, class T, class R = T>
struct half {
    T *near, *middle, *away; // bands seen in the direction of the half, at its row 0
    R* side;

    COPPICE_HD COPPICE_ALWAYS_INLINE half(partition_rows<T, R> const& rows, int length) {
        int const start = Step > 0 ? 0 : length - 1;
        near = (Step > 0 ? rows.lower : rows.upper) + start;
        middle = rows.diagonal + start;
        away = (Step > 0 ? rows.upper : rows.lower) + start;
        side = rows.rhs + start;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE equation<T, R> row(int j) const {
        return scaled<P>(near[j * Step], middle[j * Step], away[j * Step], side[j * Step]);
    }
    /// Rows 0 and 1, where x[-1] and x[0] are known; `share` is that of row 0.
    COPPICE_HD COPPICE_ALWAYS_INLINE half_rows<T, R> begin(R const& before, R const& first, T const& share) const {
        auto const zeroth = row(0), second = row(1);
        auto const counts = share < T(least_outer_share);
        return {{select(counts, zeroth.upper, T(0)), T(0),
                 select(counts, zeroth.rhs - zeroth.diagonal * first - zeroth.lower * before, R(T(0)))},
                {second.diagonal, second.upper, second.rhs - second.lower * first}};
    }
    /// Eliminates x[j-1] with row j. The equation that determines x[j-1] from x[j] and x[j+1] stays in slot j-1.
    COPPICE_HD COPPICE_ALWAYS_INLINE void eliminate(int j, half_rows<T, R>& left, auto const& threshold) const {
        auto& [alone, p] = left;
        p.entry = flushed(p.entry, threshold);
        if constexpr (P != pivoting::none) {
            alone.entry = flushed(alone.entry, threshold);
            auto const change = outdone<P>(p.entry * alone.weight, alone.entry * p.weight);
            combination<T> const c(alone.entry, p.entry, alone.weight, p.weight);
            open_row<T, R> const next{c.q_factor * p.next, T(0), c.of(alone.rhs, p.rhs), c.weight};
            p = {select(change, alone.entry, p.entry), select(change, T(0), p.next), select(change, alone.rhs, p.rhs),
                 select(change, alone.weight, p.weight)};
            alone = next;
        }
        auto const q = row(j);
        T const q_entry = flushed(q.lower, threshold);
        T const weight = P == pivoting::none ? T(1) : p.weight;
        auto const swap = outdone<P>(p.entry, q_entry * weight);
        combination<T> const c(p.entry, q_entry, weight);
        int const slot = (j - 1) * Step;
        near[slot] = c.template reciprocal_of_pivot<P>(swap, p.entry);
        middle[slot] = select(swap, q.diagonal, p.next);
        away[slot] = select(swap, q.upper, T(0));
        side[slot] = select(swap, q.rhs, p.rhs);
        p = {c.of(p.next, q.diagonal), c.q_factor * q.upper, c.of(p.rhs, q.rhs), c.weight};
    }
    /// Computes the unknown of slot j from the two unknowns behind it, and makes it the first of these two.
    COPPICE_HD COPPICE_ALWAYS_INLINE void substitute(int j, R& x1, R& x2) const {
        int const at = j * Step;
        R const x = solve_slot(near[at], middle[at], away[at], side[at], x1, x2);
        side[at] = x;
        x2 = x1;
        x1 = x;
    }
};

/// The last unknowns of both halves.
template <class R>
struct middle_values {
    R down, up;
};

/// Solves the rows that are left of both halves: four rows in two unknowns, of which pivoting takes the best two.
template <pivoting P, class T, class R>
COPPICE_HD COPPICE_ALWAYS_INLINE middle_values<R> solve_middle(half_rows<T, R> const& down, half_rows<T, R> const& up,
                                                               auto const& threshold) {
    open_row<T, R> p{flushed(down.p.entry, threshold), down.p.next, down.p.rhs};
    T entry(0); // of a row that has only the unknown of `up`
    R rhs = up.p.rhs;
    if constexpr (P != pivoting::none) {
        T const alone = flushed(down.alone.entry, threshold);
        auto const change = outdone<P>(p.entry, alone);
        combination<T> const c(alone, p.entry);
        entry = c.q_factor * p.next;
        rhs = c.of(down.alone.rhs, p.rhs);
        p = {select(change, alone, p.entry), select(change, T(0), p.next), select(change, down.alone.rhs, p.rhs)};
        auto const lesser = outdone<P>(up.alone.entry, entry);
        entry = select(lesser, entry, up.alone.entry);
        rhs = select(lesser, rhs, up.alone.rhs);
    }
    T const q_entry = flushed(up.p.next, threshold);
    auto const swap = outdone<P>(p.entry, q_entry);
    combination<T> const c(p.entry, q_entry);
    T const last = c.of(p.next, up.p.entry);
    auto const worse = outdone<P>(last, entry);
    R const x = safe_reciprocal(select(worse, entry, last)) * select(worse, rhs, c.of(p.rhs, up.p.rhs));
    T const reciprocal = c.template reciprocal_of_pivot<P>(swap, p.entry);
    return {reciprocal * (select(swap, up.p.rhs, p.rhs) - select(swap, up.p.entry, p.next) * x), x};
}

/// Calls step(j) for j = 2 .. length / 2 - 1, the inner rows of half a partition. A fixed length is unrolled here: the
/// device compiler unrolls so much too late to keep rows in registers.
template <class Step>
COPPICE_HD COPPICE_ALWAYS_INLINE void for_inner_rows(int length, Step const& step) {
    for (int j = 2; j < length / 2; ++j) step(j);
}
template <int From, int To, class Step>
COPPICE_HD COPPICE_ALWAYS_INLINE void unrolled(Step const& step) {
    if constexpr (From < To) {
        step(From);
        unrolled<From + 1, To>(step);
    }
}
template <int Rows, class Step>
COPPICE_HD COPPICE_ALWAYS_INLINE void for_inner_rows(fixed_length<Rows>, Step const& step) {
    unrolled<2, Rows / 2>(step);
}

/// Solves a partition of `length` >= 4 rows whose interface unknowns are known; rhs becomes the solution, the bands
/// are used up.
///
/// The `length` - 2 inner unknowns stand in all `length` rows. Algorithm 2 eliminates with the inner rows and looks at
/// the two outer ones at its ends only (lines 26-30, 38-42); then the first row holds no better than the forward error
/// of the inner system allows, which costs many digits of backward error where that system is ill-conditioned
/// (Table 4, matrices 12, 14, 15). Here an outer row with a small share takes part in the pivoting from the first
/// column on, so that no row has a large residual as long as the interface unknowns satisfy the coarse system. Both
/// ends are worked on at once, towards the middle and back: two chains of half the length.
template <pivoting P, class T, class R, class SideWork = no_side_work>
COPPICE_HD COPPICE_ALWAYS_INLINE void substitute_partition(partition_rows<T, R> const& rows, auto length,
                                                           interface_values<R> const& x, auto const& threshold,
                                                           outer_shares<T> const& shares, SideWork beside = {}) {
    int const lower = length / 2, upper = length - lower; // rows of the halves
    half<P, 1, T, R> const down(rows, length);
    half<P, -1, T, R> const up(rows, length);
    auto from_top = down.begin(x.before, x.first, shares.first), from_bottom = up.begin(x.after, x.last, shares.last);
    for_inner_rows(length, [&](int j) COPPICE_INLINE_LAMBDA {
        beside(2 * j - 2);
        beside(2 * j - 1);
        down.eliminate(j, from_top, threshold);
        up.eliminate(j, from_bottom, threshold);
    });
    if (upper > lower) down.eliminate(lower, from_top, threshold);
    auto const middle = solve_middle<P>(from_top, from_bottom, threshold);
    R x1 = middle.down, x2 = middle.up, y1 = middle.up, y2 = middle.down;
    beside(length - 2);
    beside(length - 1);
    rows.rhs[upper - 1] = middle.down;
    rows.rhs[upper] = middle.up;
    if (upper > lower) down.substitute(lower - 1, x1, x2);
    for_inner_rows(length, [&](int j) COPPICE_INLINE_LAMBDA {
        down.substitute(lower - j, x1, x2);
        up.substitute(lower - j, y1, y2);
    });
    rows.rhs[0] = x.first;
    rows.rhs[length - 1] = x.last;
}

} // namespace coppice::rpts
