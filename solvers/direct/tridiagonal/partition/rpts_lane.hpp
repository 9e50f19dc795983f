// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// RPTS, the recursive partitioned tridiagonal Schur complement algorithm: what one worker does with the rows of
/// one partition (thesis sections 2.5 and 2.6, Algorithms 1 and 2).
///
/// A partition of M rows couples to its neighbours through its first and last unknown. Reduction eliminates the M - 2
/// inner unknowns twice, downwards and upwards, and leaves two equations in interface unknowns only; these form the
/// coarse tridiagonal system of 2 rows a partition. Substitution takes the solved interface unknowns and recovers the
/// inner ones.
///
/// T is a lane type: float or double in a CUDA thread, a pack (core/lane/pack.hpp) on a CPU core. All decisions on data
/// are selections, so that neither warps nor packs diverge. Where the thesis keeps pivot locations as bits and later
/// fetches the pivot row by index, this code stores the chosen equation of column j into row slot j: the same number
/// of stores as Algorithm 2 issues, but the slot does not depend on data, so that substitution is free of bank
/// conflicts too, packs need no gather, and M is not bound to 64 bits. The reciprocal of each pivot is computed once
/// and kept in the slot.
#pragma once

#include <limits>
#include <type_traits>

#include <coppice/core/config.hpp>
#include <coppice/core/lane/lane_math.hpp>
#include <coppice/solvers/direct/interface/pivoting.hpp>

namespace coppice::rpts {

/// Calls `use` with the pivoting as a compile-time constant.
template <class Use>
void with_pivoting(pivoting pivot, Use const& use) {
    switch (pivot) {
    case pivoting::none:
        return use(std::integral_constant<pivoting, pivoting::none>{});
    case pivoting::partial:
        return use(std::integral_constant<pivoting, pivoting::partial>{});
    case pivoting::scaled_partial:
        return use(std::integral_constant<pivoting, pivoting::scaled_partial>{});
    }
}

/// A length known to the compiler: rows of that many elements may lie in registers.
template <int Rows>
using fixed_length = std::integral_constant<int, Rows>;

/// Rows that a loop over a partition takes at once on a GPU: all of a fixed length, so that no index is left.
template <class Length>
inline constexpr int rows_at_once = 4;
template <int Rows>
inline constexpr int rows_at_once<fixed_length<Rows>> = Rows;

/// Called in step j of a sweep for work besides its arithmetic: this one does nothing; on a CPU core another one asks
/// for the memory of the next tile.
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

    /// The rows from row `first` on.
    COPPICE_HD COPPICE_ALWAYS_INLINE constexpr partition_rows from(int first) const {
        return {lower + first, diagonal + first, upper + first, rhs + first};
    }
};

/// One row of the coarse system.
template <class T, class R = T>
struct coarse_row {
    T lower, diagonal, upper;
    R rhs;
};

/// A row as it enters an elimination: scaled partial pivoting scales rows to equal size, since it compares them.
template <class T, class R>
struct equation {
    T lower, diagonal, upper;
    R rhs;
};
template <pivoting P, class T, class R>
COPPICE_HD COPPICE_ALWAYS_INLINE equation<T, R> scaled(T const& lower, T const& diagonal, T const& upper,
                                                       R const& rhs) {
    if constexpr (P == pivoting::scaled_partial) {
        T const scale = near_inverse(larger(larger_magnitude(lower, diagonal), magnitude(upper)));
        return {scale * lower, scale * diagonal, scale * upper, scale * rhs};
    } else {
        return {lower, diagonal, upper, rhs};
    }
}

/// Whether coefficient `other` of one row is a better pivot than `entry` of another row; false where either is NaN.
template <pivoting P, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE auto outdone(T const& entry, T const& other) {
    if constexpr (P == pivoting::none)
        return T(0) < T(0);
    else
        return magnitude(entry) < magnitude(other);
}

/// A threshold of zero, known to the compiler: one comparison less in the chain of dependent instructions of a step.
struct no_threshold {};
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T const& flushed(T const& entry, no_threshold) {
    return entry;
}

/// The diagonal of rows that fill up a partition beside rows with entries of at most `largest`: about as large, for
/// pivoting compares rows, and a power of two, for some rows are multiplied by it.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T filling(T const& largest) {
    return largest > T(0) ? near_inverse(near_inverse(largest)) : T(1);
}

/// Values up to the threshold count as zero (apply_threshold of Algorithm 1); NaN stays.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T flushed(T const& entry, T const& threshold) {
    return select(magnitude(entry) <= threshold, T(0), entry);
}

/// How equations p and q are combined to remove an unknown: p_factor p + q_factor q.
///
/// Which of them is the pivot row matters only for the scale of the result (and for what substitution keeps): there is
/// one combination without the unknown. So no pivot is chosen here and nothing divided, which leaves a chain of
/// dependent instructions half as long; the larger factor is near one, as with a pivot. Where neither row has the
/// unknown, q stays.
///
/// Near one is not one: with factors between a half and one, row after row, a running equation would fade beside the
/// rows of the matrix, its pivots be passed over, and what it says be lost as the product of the factors. So a running
/// equation has a weight, its size beside that which it has in an elimination that divides: pivots are compared as they
/// would be there, and the factors are such that weights stay near one.
template <class T>
struct combination {
    T p_factor, q_factor, scale, weight, largest;

    COPPICE_HD COPPICE_ALWAYS_INLINE combination(T const& p_entry, T const& q_entry)
        : combination(p_entry, q_entry, T(1)) {}
    COPPICE_HD COPPICE_ALWAYS_INLINE combination(T const& p_entry, T const& q_entry, T const& p_weight,
                                                 T const& q_weight = T(1)) {
        largest = larger_magnitude(q_entry * p_weight, p_entry * q_weight);
        auto const none = largest <= T(0);
        scale = rough_inverse(largest);
        p_factor = -(q_entry * scale);
        q_factor = select(none, T(1), p_entry * scale);
        weight = rough_is_exact<T> ? T(1) : select(none, T(1), largest * scale);
    }
    template <class V>
    COPPICE_HD COPPICE_ALWAYS_INLINE V of(V const& p, V const& q) const {
        return multiply_add(p_factor, p, q_factor * q);
    }
    /// Combines entries that may become a pivot: 0 where the result is no larger than the rounding errors of its terms.
    /// Two rows that are the same equation were multiplied by different factors before, and differ by rounding errors.
    COPPICE_HD COPPICE_ALWAYS_INLINE T pivot_of(T const& p, T const& q) const {
        using real = typename lane_traits<T>::value_type;
        constexpr real few = 4 * std::numeric_limits<real>::epsilon();
        T const of_q = q_factor * q, value = multiply_add(p_factor, p, of_q);
        return select(magnitude(value) < few * magnitude(of_q), T(0), value); // infinities stay
    }
    /// 1 over the entry of the pivot row, p unless `swap`. Huge where both are zero, so that a zero pivot under a zero
    /// right-hand side gives 0 and under any other a visible value (the epsilon-tilde of Algorithm 1).
    template <pivoting P, class Mask>
    COPPICE_HD COPPICE_ALWAYS_INLINE T reciprocal_of_pivot(Mask const& swap, T const& p_entry) const {
        if constexpr (P == pivoting::none)
            return safe_reciprocal(p_entry);
        else
            return scale * plain_reciprocal(select(swap, -p_factor, q_factor));
    }
};

/// The running equation of one elimination sweep, far x[0] + entry x[j] + next x[j+1] = rhs (s_p of Algorithm 1).
/// Step is +1 downwards and -1 upwards, where the bands trade places and rows count from the other end.
template <pivoting P, int Step, class T, class R = T>
struct sweep {
    T const *near, *middle, *away; // bands seen in the direction of the sweep, at its row 0
    R const* side;
    T far, entry, next;
    R rhs;
    T weight;      ///< of the running equation (combination)
    T share;       ///< of the last row in the combination (least_share), where the largest share of any row is near 1
    T least_pivot; ///< magnitude, by weight

    COPPICE_HD COPPICE_ALWAYS_INLINE sweep(partition_rows<T, R> const& rows, int length) {
        int const start = Step > 0 ? 0 : length - 1;
        near = (Step > 0 ? rows.lower : rows.upper) + start;
        middle = rows.diagonal + start;
        away = (Step > 0 ? rows.upper : rows.lower) + start;
        side = rows.rhs + start;
        auto const p = row(1);
        far = p.lower, entry = p.diagonal, next = p.upper, rhs = p.rhs;
        weight = share = T(1);
        least_pivot = T(std::numeric_limits<typename lane_traits<T>::value_type>::max());
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE equation<T, R> row(int j) const {
        return scaled<P>(near[j * Step], middle[j * Step], away[j * Step], side[j * Step]);
    }
    /// Eliminates x[j-1] from the running equation with row j.
    COPPICE_HD COPPICE_ALWAYS_INLINE void eliminate(int j, auto const& threshold) {
        auto const q = row(j);
        combination<T> const c(flushed(entry, threshold), flushed(q.lower, threshold), weight);
        if constexpr (P != pivoting::none) weight = c.weight;
        far = c.p_factor * far;
        entry = c.of(next, q.diagonal);
        next = c.q_factor * q.upper;
        rhs = c.of(rhs, q.rhs);
        share = c.q_factor;
        least_pivot = select(c.largest < least_pivot, c.largest, least_pivot);
    }
};

/// A sweep ends in a combination of the rows that it went through; the share of a row is its factor in that
/// combination. Where the inner rows of a partition are nearly singular by themselves, some combination of inner rows
/// alone nearly vanishes, and both sweeps end near it: in the same equation twice. What the two equations differ by is
/// then lost to cancellation, by the factor (largest share) / (share of the outer row), for the better one of the two
/// sweeps. Below this share (a backward error of 64 epsilons) partitions are changed: see rpts_borders.hpp and
/// rpts_resident.hpp. Of random rows, 3 of 10 000 partitions have less.
inline constexpr double least_share = 1.0 / 128;
/// Partitions whose sweeps report a smaller share are looked at more closely: a sweep knows the largest share only to
/// be near 1.
inline constexpr double watched_share = 1.0 / 32;
/// Where its share is smaller, an outer row takes part in the elimination of the inner unknowns; see outer_shares.
inline constexpr double least_outer_share = 1.0 / 8;

/// The shares of the outer rows of a partition, each in the sweep that ends with it.
///
/// The inner unknowns stand in two rows more than there are of them, and two rows are not used for a pivot. What the
/// interface unknowns lack in a coarse equation is left in these two, over their shares in it. So the outer rows stay
/// out where their shares are large; with them in, the rows left out may be some in the middle, whose shares fall
/// exponentially where solutions grow or decay from row to row. An outer row with a small share takes part instead.
template <class T>
struct outer_shares {
    T first{0}, last{0};
    COPPICE_HD COPPICE_ALWAYS_INLINE T larger_one() const { return larger(first, last); }
};

/// The coarse row of a partition's last unknown: couples it to the partition's first and to the unknown behind it.
/// `share`, if not null, gets the share of the last row.
template <pivoting P, class T, class R>
COPPICE_HD COPPICE_ALWAYS_INLINE coarse_row<T, R> reduce_downwards(partition_rows<T, R> const& rows, auto length,
                                                                   auto const& threshold, T* share = nullptr) {
    sweep<P, 1, T, R> down(rows, length);
    COPPICE_UNROLL_BY(rows_at_once<decltype(length)>)
    for (int j = 2; j < length; ++j) down.eliminate(j, threshold);
    if (share) *share = magnitude(down.share);
    return {down.far, down.entry, down.next, down.rhs};
}

/// The coarse row of a partition's first unknown.
template <pivoting P, class T, class R>
COPPICE_HD COPPICE_ALWAYS_INLINE coarse_row<T, R> reduce_upwards(partition_rows<T, R> const& rows, auto length,
                                                                 auto const& threshold, T* share = nullptr) {
    sweep<P, -1, T, R> up(rows, length);
    COPPICE_UNROLL_BY(rows_at_once<decltype(length)>)
    for (int j = 2; j < length; ++j) up.eliminate(j, threshold);
    if (share) *share = magnitude(up.share);
    return {up.next, up.entry, up.far, up.rhs};
}

/// Both coarse rows at once, for workers that profit from two independent chains of instructions. `shares`, if not
/// null, gets those of the two outer rows, `least_pivot` the magnitude of the least pivot of both sweeps: 0 if some
/// unknown was in neither of two rows, so that the substitution may divide by zero.
template <pivoting P, class T, class R, class SideWork = no_side_work>
COPPICE_HD COPPICE_ALWAYS_INLINE void reduce_both(partition_rows<T, R> const& rows, auto length, auto const& threshold,
                                                  coarse_row<T, R>& first, coarse_row<T, R>& last, SideWork beside = {},
                                                  outer_shares<T>* shares = nullptr, T* least_pivot = nullptr) {
    sweep<P, 1, T, R> down(rows, length);
    sweep<P, -1, T, R> up(rows, length);
    COPPICE_UNROLL_BY(rows_at_once<decltype(length)>)
    for (int j = 2; j < length; ++j) {
        beside(j);
        down.eliminate(j, threshold);
        up.eliminate(j, threshold);
    }
    if (shares) *shares = {magnitude(up.share), magnitude(down.share)};
    if (least_pivot) *least_pivot = select(up.least_pivot < down.least_pivot, up.least_pivot, down.least_pivot);
    first = {up.next, up.entry, up.far, up.rhs};
    last = {down.far, down.entry, down.next, down.rhs};
}

/// entry x[j] + next x[j+1] = rhs: a row from which all unknowns before x[j] are eliminated.
template <class T, class R = T>
struct open_row {
    T entry, next;
    R rhs;
    T weight{1}; ///< as of a combination
};

template <pivoting P, class T, class R>
COPPICE_HD COPPICE_ALWAYS_INLINE equation<T, R> row_of(partition_rows<T, R> const& rows, int j) {
    return scaled<P>(rows.lower[j], rows.diagonal[j], rows.upper[j], rows.rhs[j]);
}

/// Leaves the equation that determines x[j] from x[j+1] and x[j+2] in slot j.
template <class T, class R>
COPPICE_HD COPPICE_ALWAYS_INLINE void store_slot(partition_rows<T, R> const& rows, int j, T const& reciprocal,
                                                 T const& next, T const& after, R const& rhs) {
    rows.lower[j] = reciprocal;
    rows.diagonal[j] = next;
    rows.upper[j] = after;
    rows.rhs[j] = rhs;
}

/// Eliminates x[j-1] from row j and the row above (Algorithm 2, lines 4-23): the better pivot row of the two stays in
/// slot j-1, the combination of both is the result.
template <pivoting P, class T, class R>
COPPICE_HD COPPICE_ALWAYS_INLINE open_row<T, R> eliminate_row(partition_rows<T, R> const& rows, int j,
                                                              equation<T, R> const& q, open_row<T, R> const& p,
                                                              auto const& threshold) {
    T const p_entry = flushed(p.entry, threshold), q_entry = flushed(q.lower, threshold);
    T const weight = P == pivoting::none ? T(1) : p.weight;
    auto const swap = outdone<P>(p_entry, q_entry * weight);
    combination<T> const c(p_entry, q_entry, weight);
    store_slot(rows, j - 1, c.template reciprocal_of_pivot<P>(swap, p_entry), select(swap, q.diagonal, p.next),
               select(swap, q.upper, T(0)), select(swap, q.rhs, p.rhs));
    return {c.of(p.next, q.diagonal), c.q_factor * q.upper, c.of(p.rhs, q.rhs), c.weight};
}

/// Eliminates downwards through rows [from, to) of a square system, unknown j-1 in row j; returns what is left of the
/// last row.
template <pivoting P, int AtOnce, class T, class R, class SideWork = no_side_work>
COPPICE_HD COPPICE_ALWAYS_INLINE open_row<T, R> eliminate_rows(partition_rows<T, R> const& rows, int from, int to,
                                                               open_row<T, R> p, auto const& threshold,
                                                               SideWork beside = {}) {
    COPPICE_UNROLL_BY(AtOnce)
    for (int j = from; j < to; ++j) {
        beside(j);
        p = eliminate_row<P>(rows, j, row_of<P>(rows, j), p, threshold);
    }
    return p;
}

/// Computes the unknown of a slot from the two unknowns behind it.
template <class T, class R>
COPPICE_HD COPPICE_ALWAYS_INLINE R solve_slot(T const& reciprocal, T const& next, T const& after, R const& rhs,
                                              R const& x1, R const& x2) {
    return reciprocal * (rhs - next * x1 - after * x2);
}

/// Solves slots [first, last] upwards into rhs, given the two unknowns behind slot `last`.
template <int AtOnce, class T, class R>
COPPICE_HD COPPICE_ALWAYS_INLINE void substitute_upwards(partition_rows<T, R> const& rows, int first, int last, R x1,
                                                         R x2) {
    COPPICE_UNROLL_BY(AtOnce)
    for (int j = last; j >= first; --j) {
        R const x = solve_slot(rows.lower[j], rows.diagonal[j], rows.upper[j], rows.rhs[j], x1, x2);
        rows.rhs[j] = x;
        x2 = x1;
        x1 = x;
    }
}

/// Solves a whole system of `length` >= 1 rows, lower[0] and upper[length-1] zero; rhs becomes the solution.
template <pivoting P, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE void solve_directly(partition_rows<T> const& rows, auto length,
                                                     auto const& threshold) {
    [[maybe_unused]] constexpr int at_once = rows_at_once<decltype(length)>;
    auto const first = row_of<P>(rows, 0);
    open_row<T> const p =
        eliminate_rows<P, at_once>(rows, 1, length, open_row<T>{first.diagonal, first.upper, first.rhs}, threshold);
    T const x = p.rhs * safe_reciprocal(p.entry);
    rows.rhs[length - 1] = x;
    substitute_upwards<at_once>(rows, 0, length - 2, x, T(0));
}

} // namespace coppice::rpts
