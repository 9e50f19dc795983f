// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Substitution in a partition of RPTS: the work of one worker, or of one worker at each end, after the interface
/// unknowns are known (thesis section 2.5, Algorithm 2; substitute_partition documents the differences).
#pragma once

#include <coppice/solvers/direct/tridiagonal/partition/rpts_lane.hpp>

namespace coppice::inline v0_1::rpts {

/// The interface unknowns around a partition: x[-1], x[0], x[length-1], x[length].
template <class R>
struct interface_values {
    R before, first, last, after;
};

/// The two equations that remain of one half of a partition: `alone` contains only the last unknown of the half, `p`
/// also the first unknown of the other half.
template <class T, class R = T>
struct half_rows {
    open_row<T, R> alone, p;
};

/// Elimination in one half of a partition, from its end, where one unknown is known, to the middle. The half has one
/// equation more than unknowns. The extra equation `alone` is row 0 at first and takes part in every pivot choice: the
/// better pivot of `alone` and p is compared with the next row; x[j-1] is eliminated from the other one, which then
/// contains x[j] only and is the next `alone`. It is a row of zeros if the multiplier of row 0 is large
/// (boundary_multipliers). Without pivoting, and if `Boundary` is false, it is not used.
template <pivoting P, class Step, class T, class R = T, bool Boundary = P != pivoting::none>
struct half : rows_of_sweep<P, Step, T, R> {
    using base = rows_of_sweep<P, Step, T, R>;
    using base::base, base::step, base::near, base::middle, base::away, base::rhs_rows, base::row;

    /// Rows 0 and 1 with known x[-1] and x[0]; `multiplier` is that of row 0.
    COPPICE_LANE half_rows<T, R> begin(R const& before, R const& first, T const& multiplier) const {
        auto const zeroth = row(0), second = row(1);
        auto const counts = multiplier < T(min_boundary_multiplier);
        return {{select(counts, zeroth.upper, T(0)), T(0),
                 select(counts, zeroth.rhs - zeroth.diagonal * first - zeroth.lower * before, R(T(0)))},
                {second.diagonal, second.upper, second.rhs - second.lower * first}};
    }
    /// Eliminates x[j-1] with row j. Slot j-1 gets the equation that determines x[j-1] from x[j] and x[j+1].
    COPPICE_LANE void eliminate(int j, half_rows<T, R>& left, auto const& threshold) const {
        auto& [alone, p] = left;
        p.entry = flushed(p.entry, threshold);
        if constexpr (Boundary) {
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
        int const slot = (j - 1) * step;
        near[slot] = c.template reciprocal_of_pivot<P>(swap, p.entry);
        middle[slot] = select(swap, q.diagonal, p.next);
        away[slot] = select(swap, q.upper, T(0));
        rhs_rows[slot] = select(swap, q.rhs, p.rhs);
        p = {c.of(p.next, q.diagonal), c.q_factor * q.upper, c.of(p.rhs, q.rhs), c.weight};
    }
    /// Computes the unknown of slot j from the two unknowns after it, and shifts these: x2 = x1, x1 = x[j].
    COPPICE_LANE void substitute(int j, R& x1, R& x2) const {
        int const at = j * step;
        R const x = solve_slot(near[at], middle[at], away[at], rhs_rows[at], x1, x2);
        rhs_rows[at] = x;
        x2 = x1;
        x1 = x;
    }
};

/// The last unknowns of both halves.
template <class R>
struct middle_values {
    R down, up;
};

/// Solves the remaining equations of both halves: four equations in two unknowns, of which pivoting selects two.
template <pivoting P, bool Boundary = P != pivoting::none, class T, class R>
COPPICE_LANE middle_values<R> solve_middle(half_rows<T, R> const& down, half_rows<T, R> const& up,
                                           auto const& threshold) {
    open_row<T, R> p{flushed(down.p.entry, threshold), down.p.next, down.p.rhs};
    T entry(0); // of an equation that contains only the unknown of `up`
    R rhs = up.p.rhs;
    if constexpr (Boundary) {
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

/// Calls step(j) for j = 2 .. length / 2 - 1, the inner rows of half a partition. A fixed length is unrolled here by
/// recursion: the unrolling of the device compiler comes too late to keep the rows in registers.
template <class Step>
COPPICE_LANE void for_inner_rows(int length, Step const& step) {
    for (int j = 2; j < length / 2; ++j) step(j);
}
template <int From, int To, class Step>
COPPICE_LANE void unrolled(Step const& step) {
    if constexpr (From < To) {
        step(From);
        unrolled<From + 1, To>(step);
    }
}
template <int Rows, class Step>
COPPICE_LANE void for_inner_rows(fixed_length<Rows>, Step const& step) {
    unrolled<2, Rows / 2>(step);
}

/// Solves a partition of `length` >= 4 rows with known interface unknowns; the solution replaces rhs, the bands are
/// overwritten.
///
/// The `length` - 2 inner unknowns occur in all `length` rows. Algorithm 2 eliminates with the inner rows and uses the
/// two boundary rows only at its ends (lines 26-30, 38-42). Then the residual of the first row is as large as the
/// forward error of the inner system, which costs many digits of backward error if that system is ill-conditioned
/// (Table 4, matrices 12, 14, 15). Here a boundary row with a small multiplier takes part in the pivoting from the
/// first column on. So no row has a large residual if the interface unknowns satisfy the coarse system. Both halves are
/// eliminated simultaneously, towards the middle and back: two dependent chains of half the length. `Boundary` may be
/// false if both multipliers are large, which halves the number of instructions.
template <pivoting P, bool Boundary = P != pivoting::none, class T, class R, class ExtraWork = no_extra_work>
COPPICE_LANE void substitute_partition(partition_rows<T, R> const& rows, auto length, interface_values<R> const& x,
                                       auto const& threshold, boundary_multipliers<T> const& multipliers,
                                       ExtraWork extra = {}) {
    int const lower = length / 2, upper = length - lower; // rows of the halves
    half<P, downward_step, T, R, Boundary> const down(rows, length);
    half<P, upward_step, T, R, Boundary> const up(rows, length);
    auto from_top = down.begin(x.before, x.first, multipliers.first),
         from_bottom = up.begin(x.after, x.last, multipliers.last);
    for_inner_rows(length, [&](int j) COPPICE_INLINE_LAMBDA {
        extra(2 * j - 2);
        extra(2 * j - 1);
        down.eliminate(j, from_top, threshold);
        up.eliminate(j, from_bottom, threshold);
    });
    if (upper > lower) down.eliminate(lower, from_top, threshold);
    auto const middle = solve_middle<P, Boundary>(from_top, from_bottom, threshold);
    R x1 = middle.down, x2 = middle.up, y1 = middle.up, y2 = middle.down;
    extra(length - 2);
    extra(length - 1);
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

} // namespace coppice::inline v0_1::rpts
