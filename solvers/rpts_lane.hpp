// SPDX-License-Identifier: BSD-3-Clause
/// \file RPTS, the recursive partitioned tridiagonal Schur complement algorithm: what one worker does with the rows of
/// one partition (thesis sections 2.5 and 2.6, Algorithms 1 and 2).
///
/// A partition of M rows couples to its neighbours through its first and last unknown. Reduction eliminates the M - 2
/// inner unknowns twice, downwards and upwards, and leaves two equations in interface unknowns only; these form the
/// coarse tridiagonal system of 2 rows a partition. Substitution takes the solved interface unknowns and recovers the
/// inner ones.
///
/// T is a lane type: float or double in a CUDA thread, a pack (core/pack.hpp) on a CPU core. All decisions on data are
/// selections, so that neither warps nor packs diverge. Where the thesis keeps pivot locations as bits and later
/// fetches the pivot row by index, this code stores the chosen equation of column j into row slot j: the same number
/// of stores as Algorithm 2 issues, but the slot does not depend on data, so that substitution is free of bank
/// conflicts too, packs need no gather, and M is not bound to 64 bits. The reciprocal of each pivot is computed once
/// and kept in the slot.
#pragma once

#include <type_traits>

#include "core/config.hpp"
#include "solvers/lane_math.hpp"
#include "solvers/pivoting.hpp"

/// Unrolls the loop that follows `n` times on a GPU.
#if defined(__CUDA_ARCH__)
#define COPPICE_RPTS_PRAGMA(text) _Pragma(#text)
#define COPPICE_RPTS_UNROLL(n) COPPICE_RPTS_PRAGMA(unroll(n))
#else
#define COPPICE_RPTS_UNROLL(n)
#endif

namespace coppice::rpts {

/// A length known to the compiler: rows of that many elements may lie in registers.
template <int Rows>
using fixed_length = std::integral_constant<int, Rows>;

/// Rows that a loop over a partition takes at once on a GPU: all of a fixed length, so that no index is left.
template <class Length>
inline constexpr int rows_at_once = 4;
template <int Rows>
inline constexpr int rows_at_once<fixed_length<Rows>> = Rows;

/// What a worker does beside the arithmetic of step j: nothing. A CPU core asks for the memory of its next tile.
struct no_side_work {
    COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(int) const {}
};

/// Row j of a partition reads lower[j] x[j-1] + diagonal[j] x[j] + upper[j] x[j+1] = rhs[j]; owned by one worker. R is
/// T, or several right-hand sides (side_pack) that share every decision on the matrix.
template <class T, class R = T>
struct partition_rows {
    T* lower;
    T* diagonal;
    T* upper;
    R* rhs;
};

/// One row of the coarse system.
template <class T, class R = T>
struct coarse_row {
    T lower, diagonal, upper;
    R rhs;
};

/// What scaled partial pivoting weighs a row's entries with: one over the largest magnitude in the row. A row keeps its
/// weight while multiples of others are added to it. Quotients do not overflow for rows of any uniform scale.
template <pivoting P, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T row_weight(T const& lower, T const& diagonal, T const& upper) {
    if constexpr (P == pivoting::scaled_partial)
        return safe_reciprocal(larger(magnitude(lower), larger(magnitude(diagonal), magnitude(upper))));
    else
        return T(0);
}

/// Whether coefficient `entry` of one row is at least as good a pivot as `other` of another row.
template <pivoting P, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE auto prefer(T const& entry, T const& weight, T const& other, T const& other_weight) {
    if constexpr (P == pivoting::none)
        return T(0) <= T(0);
    else if constexpr (P == pivoting::partial)
        return magnitude(other) <= magnitude(entry);
    else
        return magnitude(other) * other_weight <= magnitude(entry) * weight;
}

/// Stands for a threshold of zero, which changes nothing: one comparison less in the chain of every step.
struct no_threshold {};
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T const& flushed(T const& entry, no_threshold) {
    return entry;
}

/// Values up to the threshold count as zero (apply_threshold of Algorithm 1); NaN stays.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T flushed(T const& entry, T const& threshold) {
    return select(magnitude(entry) <= threshold, T(0), entry);
}

/// How equations p and q are combined to remove an unknown: p_factor p + q_factor q.
template <class T>
struct combination {
    decltype(T() <= T()) keep; // p is the pivot row
    T reciprocal;              // of the pivot
    T p_factor, q_factor;
};

/// Removes an unknown whose coefficient is `p_entry` in the running equation and `q_entry` in the next row
/// (Algorithm 1, lines 28-35).
template <pivoting P, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE combination<T> combine(T const& p_entry, T const& p_weight, T const& q_entry,
                                                        T const& q_weight) {
    auto const keep = prefer<P>(p_entry, p_weight, q_entry, q_weight);
    if constexpr (P == pivoting::none) {
        T const reciprocal = safe_reciprocal(p_entry);
        return {keep, reciprocal, -q_entry * reciprocal, T(1)};
    } else {
        T const reciprocal = safe_reciprocal(select(keep, p_entry, q_entry));
        T const factor = -select(keep, q_entry, p_entry) * reciprocal;
        return {keep, reciprocal, select(keep, factor, T(1)), select(keep, T(1), factor)};
    }
}

/// The running equation of one elimination sweep, far x[0] + entry x[j] + next x[j+1] = rhs (s_p of Algorithm 1).
/// Step is +1 downwards and -1 upwards, where the bands trade places and rows count from the other end.
template <pivoting P, int Step, class T, class R = T>
struct sweep {
    T const *near, *middle, *away; // bands seen in the direction of the sweep, at its row 0
    R const* side;
    T far, entry, next, weight;
    R rhs;

    COPPICE_HD COPPICE_ALWAYS_INLINE sweep(partition_rows<T, R> const& rows, int length) {
        int const start = Step > 0 ? 0 : length - 1;
        near = (Step > 0 ? rows.lower : rows.upper) + start;
        middle = rows.diagonal + start;
        away = (Step > 0 ? rows.upper : rows.lower) + start;
        side = rows.rhs + start;
        far = near[Step], entry = middle[Step], next = away[Step], rhs = side[Step];
        weight = row_weight<P>(far, entry, next);
    }
    /// Removes x[j-1] with the help of row j.
    COPPICE_HD COPPICE_ALWAYS_INLINE void eliminate(int j, auto const& threshold) {
        T const q_entry = near[j * Step], q_middle = middle[j * Step], q_away = away[j * Step];
        T const q_weight = row_weight<P>(q_entry, q_middle, q_away);
        auto const c = combine<P>(flushed(entry, threshold), weight, flushed(q_entry, threshold), q_weight);
        far = c.p_factor * far;
        entry = c.p_factor * next + c.q_factor * q_middle;
        next = c.q_factor * q_away;
        rhs = c.p_factor * rhs + c.q_factor * side[j * Step];
        weight = select(c.keep, q_weight, weight);
    }
};

/// The coarse row of a partition's last unknown: couples it to the partition's first and to the unknown behind it.
template <pivoting P, class T, class R>
COPPICE_HD COPPICE_ALWAYS_INLINE coarse_row<T, R> reduce_downwards(partition_rows<T, R> const& rows, auto length,
                                                                auto const& threshold) {
    sweep<P, 1, T, R> down(rows, length);
    COPPICE_RPTS_UNROLL(rows_at_once<decltype(length)>)
    for (int j = 2; j < length; ++j) down.eliminate(j, threshold);
    return {down.far, down.entry, down.next, down.rhs};
}

/// The coarse row of a partition's first unknown.
template <pivoting P, class T, class R>
COPPICE_HD COPPICE_ALWAYS_INLINE coarse_row<T, R> reduce_upwards(partition_rows<T, R> const& rows, auto length,
                                                              auto const& threshold) {
    sweep<P, -1, T, R> up(rows, length);
    COPPICE_RPTS_UNROLL(rows_at_once<decltype(length)>)
    for (int j = 2; j < length; ++j) up.eliminate(j, threshold);
    return {up.next, up.entry, up.far, up.rhs};
}

/// Both coarse rows at once, for workers that profit from two independent chains.
template <pivoting P, class T, class R, class SideWork = no_side_work>
COPPICE_HD COPPICE_ALWAYS_INLINE void reduce_both(partition_rows<T, R> const& rows, auto length, auto const& threshold,
                                                  coarse_row<T, R>& first, coarse_row<T, R>& last, SideWork beside = {}) {
    sweep<P, 1, T, R> down(rows, length);
    sweep<P, -1, T, R> up(rows, length);
    COPPICE_RPTS_UNROLL(rows_at_once<decltype(length)>)
    for (int j = 2; j < length; ++j) {
        beside(j);
        down.eliminate(j, threshold);
        up.eliminate(j, threshold);
    }
    first = {up.next, up.entry, up.far, up.rhs};
    last = {down.far, down.entry, down.next, down.rhs};
}

/// entry x[j] + next x[j+1] = rhs: a row from which all unknowns before x[j] are removed.
template <class T, class R = T>
struct open_row {
    T entry, next;
    R rhs;
    T weight;
};

/// Leaves the equation that determines x[j] from x[j+1] and x[j+2] in slot j.
template <class T, class R>
COPPICE_HD COPPICE_ALWAYS_INLINE void store_slot(partition_rows<T, R> const& rows, int j, T const& reciprocal,
                                                 T const& next, T const& after, R const& rhs) {
    rows.lower[j] = reciprocal;
    rows.diagonal[j] = next;
    rows.upper[j] = after;
    rows.rhs[j] = rhs;
}

/// Eliminates downwards through rows [from, to) of a square system, unknown j-1 with the help of row j
/// (Algorithm 2, lines 4-23); returns what is left of the last row.
template <pivoting P, int AtOnce, class T, class R, class SideWork = no_side_work>
COPPICE_HD COPPICE_ALWAYS_INLINE open_row<T, R> eliminate_rows(partition_rows<T, R> const& rows, int from, int to,
                                                               open_row<T, R> p, auto const& threshold,
                                                            SideWork beside = {}) {
    COPPICE_RPTS_UNROLL(AtOnce)
    for (int j = from; j < to; ++j) {
        beside(j);
        T const q_entry = rows.lower[j], q_middle = rows.diagonal[j], q_away = rows.upper[j];
        R const q_rhs = rows.rhs[j];
        T const q_weight = row_weight<P>(q_entry, q_middle, q_away);
        auto const c = combine<P>(flushed(p.entry, threshold), p.weight, flushed(q_entry, threshold), q_weight);
        store_slot(rows, j - 1, c.reciprocal, select(c.keep, p.next, q_middle), select(c.keep, T(0), q_away),
                   select(c.keep, p.rhs, q_rhs));
        p = {c.p_factor * p.next + c.q_factor * q_middle, c.q_factor * q_away, c.p_factor * p.rhs + c.q_factor * q_rhs,
             select(c.keep, q_weight, p.weight)};
    }
    return p;
}

/// The same with two open rows, for a system with two rows more than unknowns: the pivot is the best of three rows.
template <pivoting P, int AtOnce, class T, class R, class SideWork>
COPPICE_HD COPPICE_ALWAYS_INLINE void eliminate_surplus_rows(partition_rows<T, R> const& rows, int from, int to,
                                                             open_row<T, R> u, open_row<T, R> v, auto const& threshold,
                                                             SideWork beside) {
    COPPICE_RPTS_UNROLL(AtOnce)
    for (int j = from; j < to; ++j) {
        beside(j);
        T const q_entry = rows.lower[j], q_middle = rows.diagonal[j], q_away = rows.upper[j];
        R const q_rhs = rows.rhs[j];
        T const q_weight = row_weight<P>(q_entry, q_middle, q_away);
        u.entry = flushed(u.entry, threshold);
        v.entry = flushed(v.entry, threshold);
        auto const first = prefer<P>(u.entry, u.weight, v.entry, v.weight);
        open_row<T, R> const p{select(first, u.entry, v.entry), select(first, u.next, v.next), select(first, u.rhs, v.rhs),
                            select(first, u.weight, v.weight)};
        open_row<T, R> const z{select(first, v.entry, u.entry), select(first, v.next, u.next), select(first, v.rhs, u.rhs),
                            select(first, v.weight, u.weight)};
        auto const c = combine<P>(p.entry, p.weight, flushed(q_entry, threshold), q_weight);
        T const next = select(c.keep, p.next, q_middle), after = select(c.keep, T(0), q_away);
        R const rhs = select(c.keep, p.rhs, q_rhs);
        T const z_factor = -z.entry * c.reciprocal;
        store_slot(rows, j - 1, c.reciprocal, next, after, rhs);
        u = {z.next + z_factor * next, z_factor * after, z.rhs + z_factor * rhs, z.weight};
        v = {c.p_factor * p.next + c.q_factor * q_middle, c.q_factor * q_away, c.p_factor * p.rhs + c.q_factor * q_rhs,
             select(c.keep, q_weight, p.weight)};
    }
}

/// Solves slots [first, last] upwards into rhs, given the two unknowns behind slot `last`.
template <int AtOnce, class T, class R>
COPPICE_HD COPPICE_ALWAYS_INLINE void substitute_upwards(partition_rows<T, R> const& rows, int first, int last, R x1,
                                                         R x2) {
    COPPICE_RPTS_UNROLL(AtOnce)
    for (int j = last; j >= first; --j) {
        R const x = rows.lower[j] * (rows.rhs[j] - rows.diagonal[j] * x1 - rows.upper[j] * x2);
        rows.rhs[j] = x;
        x2 = x1;
        x1 = x;
    }
}

/// The interface unknowns around a partition: x[-1], x[0], x[length-1], x[length].
template <class R>
struct interface_values {
    R before, first, last, after;
};

/// Solves a partition of `length` >= 4 rows whose interface unknowns are known; rhs becomes the solution, the bands
/// are used up.
///
/// The `length` - 2 inner unknowns stand in all `length` rows. Algorithm 2 eliminates with the inner rows and looks at
/// the two outer ones at its ends only (lines 26-30, 38-42); then the first row holds no better than the forward error
/// of the inner system allows, which costs many digits of backward error where that system is ill-conditioned
/// (Table 4, matrices 12, 14, 15). Here all rows take part in the pivoting from the first column on, so that none has
/// a large residual as long as the interface unknowns satisfy the coarse system.
template <pivoting P, class T, class R, class SideWork = no_side_work>
COPPICE_HD COPPICE_ALWAYS_INLINE void substitute_partition(partition_rows<T, R> const& rows, auto length,
                                                           interface_values<R> const& x, auto const& threshold,
                                                           SideWork beside = {}) {
    constexpr int at_once = rows_at_once<decltype(length)>;
    int const end = length - 1;
    open_row<T, R> const second{rows.diagonal[1], rows.upper[1], rows.rhs[1] - rows.lower[1] * x.first,
                             row_weight<P>(rows.lower[1], rows.diagonal[1], rows.upper[1])};
    if constexpr (P == pivoting::none) {
        open_row<T, R> const p = eliminate_rows<P, at_once>(rows, 2, end, second, threshold, beside);
        store_slot(rows, end - 1, safe_reciprocal(p.entry), p.next, T(0), p.rhs);
    } else {
        open_row<T, R> const first{rows.upper[0], T(0),
                                rows.rhs[0] - rows.diagonal[0] * x.first - rows.lower[0] * x.before,
                                row_weight<P>(rows.lower[0], rows.diagonal[0], rows.upper[0])};
        rows.rhs[end] = rows.rhs[end] - rows.upper[end] * x.after;
        rows.upper[end] = T(0);
        eliminate_surplus_rows<P, at_once>(rows, 2, length, first, second, threshold, beside);
    }
    substitute_upwards<at_once>(rows, 1, end - 1, x.last, R(0));
    rows.rhs[0] = x.first;
    rows.rhs[end] = x.last;
}

/// Solves a whole system of `length` >= 1 rows, lower[0] and upper[length-1] zero; rhs becomes the solution.
template <pivoting P, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE void solve_directly(partition_rows<T> const& rows, auto length,
                                                     auto const& threshold) {
    constexpr int at_once = rows_at_once<decltype(length)>;
    open_row<T> const p = eliminate_rows<P, at_once>(
        rows, 1, length,
        open_row<T>{rows.diagonal[0], rows.upper[0], rows.rhs[0],
                    row_weight<P>(T(0), rows.diagonal[0], rows.upper[0])},
        threshold);
    T const x = p.rhs * safe_reciprocal(p.entry);
    rows.rhs[length - 1] = x;
    substitute_upwards<at_once>(rows, 0, length - 2, x, T(0));
}

} // namespace coppice::rpts
