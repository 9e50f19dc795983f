// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// RPTS, the recursive partitioned tridiagonal Schur complement algorithm: the work of one worker with the rows of one
/// partition (thesis sections 2.5 and 2.6, Algorithms 1 and 2).
///
/// A partition of M rows is coupled to its neighbours by its first and last unknown, the interface unknowns. The
/// reduction eliminates the M - 2 inner unknowns twice, downwards and upwards, and leaves two equations in interface
/// unknowns only. These form the coarse tridiagonal system, with 2 rows for each partition. The substitution computes
/// the inner unknowns from the solved interface unknowns.
///
/// T is a lane type: float or double in a CUDA thread, a pack (core/lane/pack.hpp) on a CPU core. All decisions on data
/// are selections, so that neither warps nor packs diverge. The thesis stores pivot locations as bits and later fetches
/// the pivot row by index. This code stores the chosen equation of column j in row slot j: the same number of stores as
/// Algorithm 2, but the slot does not depend on data. So the substitution has no bank conflicts, packs need no gather,
/// and M is not limited to 64. The reciprocal of each pivot is computed once and stored in the slot.
#pragma once

#include <limits>
#include <type_traits>

#include <coppice/core/config.hpp>
#include <coppice/core/lane/lane_math.hpp>
#include <coppice/solvers/direct/interface/pivoting.hpp>

namespace coppice::inline v0_1::rpts {

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

/// A length that is a compile-time constant: arrays of that many rows can stay in registers.
template <int Rows>
using fixed_length = std::integral_constant<int, Rows>;

/// Unroll factor of the loops over a partition on a GPU: full for a fixed length, so that all indices are constants.
template <class Length>
inline constexpr int rows_at_once = 4;
template <int Rows>
inline constexpr int rows_at_once<fixed_length<Rows>> = Rows;

/// Called in step j of a sweep for additional work. This one does nothing; on a CPU core fetch_ahead prefetches the
/// next tile.
struct no_extra_work {
    COPPICE_LANE void operator()(int) const {}
};

/// A row in an elimination. Scaled partial pivoting scales it so that its largest entry is about 1.
template <class T, class R = T>
struct equation {
    T lower, diagonal, upper;
    R rhs;
};
/// One row of the coarse system.
template <class T, class R = T>
using coarse_row = equation<T, R>;

/// The rows of a partition, owned by one worker. Row j is lower[j] x[j-1] + diagonal[j] x[j] + upper[j] x[j+1] =
/// rhs[j]. R is T, or a pack of right-hand sides (rhs_pack) with common pivot decisions.
template <class T, class R = T>
struct partition_rows {
    T* lower;
    T* diagonal;
    T* upper;
    R* rhs;

    /// The rows from row `first` on.
    COPPICE_LANE constexpr partition_rows from(int first) const {
        return {lower + first, diagonal + first, upper + first, rhs + first};
    }
    COPPICE_LANE void put(int i, equation<T, R> const& row) const {
        lower[i] = row.lower;
        diagonal[i] = row.diagonal;
        upper[i] = row.upper;
        rhs[i] = row.rhs;
    }
};

template <pivoting P, class T, class R>
COPPICE_LANE equation<T, R> scaled(T const& lower, T const& diagonal, T const& upper, R const& rhs) {
    if constexpr (P == pivoting::scaled_partial) {
        T const largest = larger(larger_magnitude(lower, diagonal), magnitude(upper));
        T const lift = subnormal_lift(largest), scale = near_inverse(lift * largest);
        return {scale * (lift * lower), scale * (lift * diagonal), scale * (lift * upper), scale * (lift * rhs)};
    } else {
        return {lower, diagonal, upper, rhs};
    }
}

template <pivoting P, class T, class R>
COPPICE_LANE equation<T, R> row_of(partition_rows<T, R> const& rows, int j) {
    return scaled<P>(rows.lower[j], rows.diagonal[j], rows.upper[j], rows.rhs[j]);
}

/// Whether coefficient `other` of one row is a better pivot than `entry` of another row; false if either is NaN.
template <pivoting P, class T>
COPPICE_LANE auto outdone(T const& entry, T const& other) {
    if constexpr (P == pivoting::none)
        return T(0) < T(0);
    else
        return magnitude(entry) < magnitude(other);
}

/// A threshold of zero as a compile-time constant: saves one comparison in the dependent chain of a step.
struct no_threshold {};
template <class T>
COPPICE_LANE T const& flushed(T const& entry, no_threshold) {
    return entry;
}

/// Diagonal entry of padding rows, next to rows with entries of at most `largest`: of similar size, since pivoting
/// compares rows, and a power of two, since some rows are multiplied by it.
template <class T>
COPPICE_LANE T padding_diagonal(T const& largest) {
    return largest > T(0) ? near_inverse(near_inverse(largest)) : T(1);
}

/// Values up to the threshold count as zero (apply_threshold of Algorithm 1); NaN stays.
template <class T>
COPPICE_LANE T flushed(T const& entry, T const& threshold) {
    return select(magnitude(entry) <= threshold, T(0), entry);
}

/// The linear combination p_factor p + q_factor q that eliminates an unknown from equations p and q.
///
/// There is one such combination up to scale. The choice of the pivot row affects only the scale (and what the
/// substitution stores). So no pivot is chosen here and nothing is divided, which halves the chain of dependent
/// instructions. The larger factor is near 1, as with a pivot. If neither row has the unknown, the result is q.
///
/// Factors between 1/2 and 1 in row after row would make the running equation small compared with the rows of the
/// matrix: its pivots would not be chosen, and it would be lost with the product of the factors. So a running equation
/// has a weight: its size divided by its size in an elimination with division. Pivots are compared as in that
/// elimination, and the factors keep weights near 1.
template <class T>
struct combination {
    T p_factor, q_factor, scale, weight, largest;

    COPPICE_LANE combination(T const& p_entry, T const& q_entry) : combination(p_entry, q_entry, T(1)) {}
    COPPICE_LANE combination(T const& p_entry, T const& q_entry, T const& p_weight, T const& q_weight = T(1)) {
        largest = larger_magnitude(q_entry * p_weight, p_entry * q_weight);
        auto const none = largest <= T(0);
        scale = rough_inverse(largest);
        p_factor = -(q_entry * scale);
        q_factor = select(none, T(1), p_entry * scale);
        weight = rough_inverse_is_exact<T> ? T(1) : select(none, T(1), largest * scale);
    }
    template <class V>
    COPPICE_LANE V of(V const& p, V const& q) const {
        return multiply_add(p_factor, p, q_factor * q);
    }
    /// Combines entries that may become a pivot: 0 if the result is at most the rounding error of its terms, or not a
    /// normal number (pivot_entry() of rpts_segment.hpp). Two equal equations differ by rounding errors, since they
    /// were multiplied by different factors before.
    COPPICE_LANE T pivot_of(T const& p, T const& q) const {
        using real = typename lane_traits<T>::value_type;
        constexpr real few = 4 * std::numeric_limits<real>::epsilon();
        T const of_q = q_factor * q, value = multiply_add(p_factor, p, of_q);
        T const smallest(std::numeric_limits<real>::min());
        return select(magnitude(value) < multiply_add(T(few), magnitude(of_q), smallest), T(0),
                      value); // keeps infinity
    }
    /// 1 over the entry of the pivot row, which is p unless `swap`. Huge if both entries are zero, so that a zero pivot
    /// with a zero right-hand side gives 0 and with any other a visible value (the epsilon-tilde of Algorithm 1).
    template <pivoting P, class Mask>
    COPPICE_LANE T reciprocal_of_pivot(Mask const& swap, T const& p_entry) const {
        if constexpr (P == pivoting::none)
            return safe_reciprocal(p_entry);
        else
            return scale * plain_reciprocal(select(swap, -p_factor, q_factor));
    }
};

/// The running equation of one elimination sweep, far x[0] + entry x[j] + next x[j+1] = rhs (s_p of Algorithm 1), which
/// begins with the second row of the sweep. Rows are given as seen in its direction: upwards, lower and upper entry are
/// exchanged.
template <pivoting P, class T, class R = T>
struct running_equation {
    T far, entry, next;
    R rhs;
    T weight{1};     ///< of the equation (see combination)
    T multiplier{1}; ///< of the last row (see min_multiplier); the largest multiplier of all rows is near 1
    T min_pivot{std::numeric_limits<typename lane_traits<T>::value_type>::max()}; ///< smallest pivot times its weight

    COPPICE_LANE explicit running_equation(equation<T, R> const& p)
        : far(p.lower), entry(p.diagonal), next(p.upper), rhs(p.rhs) {}
    /// Eliminates x[j-1] with row j; returns the combination.
    COPPICE_LANE combination<T> eliminate(equation<T, R> const& q, auto const& threshold) {
        combination<T> c(flushed(entry, threshold), flushed(q.lower, threshold), weight);
        if constexpr (P != pivoting::none) weight = c.weight;
        far = c.p_factor * far;
        entry = c.of(next, q.diagonal);
        next = c.q_factor * q.upper;
        rhs = c.of(rhs, q.rhs);
        multiplier = c.q_factor;
        min_pivot = select(c.largest < min_pivot, c.largest, min_pivot);
        return c;
    }
    /// The coarse row after the last row of the sweep.
    COPPICE_LANE coarse_row<T, R> coarse(bool downwards) const {
        if (downwards) return {far, entry, next, rhs};
        return {next, entry, far, rhs};
    }
};

/// Directions of sweeps: the distance of consecutive rows. An int with these values is a direction that is known at run
/// time only: threads of both directions then execute the same instructions.
using downward_step = std::integral_constant<int, 1>;
using upward_step = std::integral_constant<int, -1>;

/// The rows of a partition in the direction of a sweep, counted from the end at which it starts.
template <pivoting P, class Step, class T, class R = T>
struct rows_of_sweep {
    Step step;
    T *near, *middle, *away;
    R* rhs_rows;

    COPPICE_LANE rows_of_sweep(partition_rows<T, R> const& rows, int length, Step direction = {}) : step(direction) {
        int const start = step > 0 ? 0 : length - 1;
        near = (step > 0 ? rows.lower : rows.upper) + start;
        middle = rows.diagonal + start;
        away = (step > 0 ? rows.upper : rows.lower) + start;
        rhs_rows = rows.rhs + start;
    }
    COPPICE_LANE equation<T, R> row(int j) const {
        int const at = j * step;
        return scaled<P>(near[at], middle[at], away[at], rhs_rows[at]);
    }
};

/// A sweep ends with a linear combination of the rows that it has passed; the multiplier of a row is its factor in that
/// combination. If the inner rows of a partition are nearly singular, a linear combination of inner rows nearly
/// vanishes. Then both sweeps end near it, and both coarse rows are nearly the same equation. Their difference is lost
/// to cancellation, by the factor (largest multiplier) / (multiplier of the boundary row), in the better of the two
/// sweeps. Below this bound (a backward error of 64 epsilon) partitions are reduced in another way: see
/// rpts_boundaries.hpp and rpts_on_chip.hpp. Of partitions of random rows, 3 in 10 000 are below it.
///
/// Coarse rows are satisfied up to one epsilon, on two levels up to twelve: with repeating rows the bound 1/128 leaves
/// errors of up to 1320 epsilon. The host tries a larger one first; of partitions of random rows, 10 in 10 000 are
/// below it. On a GPU a tile with such a partition ends 7 to 12 us later than the others.
inline constexpr double min_multiplier = 1.0 / 128;
inline constexpr double min_multiplier_host = 1.0 / 48;
/// Partitions whose sweeps report a smaller multiplier are checked exactly on the host: in a sweep the largest
/// multiplier is only near 1 (0.75 to 1.5). A GPU compares with min_multiplier directly (rpts_block_pairs.hpp,
/// rpts_on_chip.hpp).
inline constexpr double watched_multiplier = 1.5 * min_multiplier_host;
/// A boundary row with a smaller multiplier takes part in the elimination of the inner unknowns; see
/// boundary_multipliers.
inline constexpr double min_boundary_multiplier = 1.0 / 8;

/// The multipliers of the two boundary rows of a partition, each in the sweep that ends with it.
///
/// The inner unknowns occur in two rows more than their number, so two rows are not pivot rows. The error of the
/// interface unknowns in a coarse equation appears as residual of these two rows, divided by their multipliers. So the
/// boundary rows are left out of the elimination if their multipliers are large. If they took part, the two remaining
/// rows could be in the middle, where multipliers decrease exponentially if solutions grow or decay from row to row. A
/// boundary row with a small multiplier takes part.
template <class T>
struct boundary_multipliers {
    T first{0}, last{0};
    COPPICE_LANE T larger_one() const { return larger(first, last); }
    /// Whether a boundary row takes part in the elimination of the inner unknowns.
    COPPICE_LANE auto any_small() const {
        return first < T(min_boundary_multiplier) || last < T(min_boundary_multiplier);
    }
};

/// The coarse row of the unknown at which a sweep in direction `step` ends: downwards the last unknown of a partition,
/// coupled to its first unknown and to the unknown after it; upwards the first unknown. `multiplier`, if not null, gets
/// the multiplier of the last row of the sweep.
template <pivoting P, class Step, class T, class R>
COPPICE_LANE coarse_row<T, R> reduce_towards(Step step, partition_rows<T, R> const& rows, auto length,
                                             auto const& threshold, T* multiplier = nullptr) {
    rows_of_sweep<P, Step, T, R> const mine(rows, length, step);
    running_equation<P, T, R> all(mine.row(1));
    COPPICE_UNROLL_BY(rows_at_once<decltype(length)>)
    for (int j = 2; j < length; ++j) all.eliminate(mine.row(j), threshold);
    if (multiplier) *multiplier = magnitude(all.multiplier);
    return all.coarse(step > 0);
}

/// Both coarse rows in one loop, for workers that benefit from two independent chains of instructions. `multipliers`,
/// if not null, gets those of the two boundary rows; `min_pivot`, if not null, gets the smallest magnitude of a pivot
/// in both sweeps: 0 if some unknown occurs in neither of two rows, so that the substitution may divide by zero.
template <pivoting P, class T, class R, class ExtraWork = no_extra_work>
COPPICE_LANE void reduce_both(partition_rows<T, R> const& rows, auto length, auto const& threshold,
                              coarse_row<T, R>& first, coarse_row<T, R>& last, ExtraWork extra = {},
                              boundary_multipliers<T>* multipliers = nullptr, T* min_pivot = nullptr) {
    rows_of_sweep<P, downward_step, T, R> const rows_down(rows, length);
    rows_of_sweep<P, upward_step, T, R> const rows_up(rows, length);
    running_equation<P, T, R> down(rows_down.row(1)), up(rows_up.row(1));
    COPPICE_UNROLL_BY(rows_at_once<decltype(length)>)
    for (int j = 2; j < length; ++j) {
        extra(j);
        down.eliminate(rows_down.row(j), threshold);
        up.eliminate(rows_up.row(j), threshold);
    }
    if (multipliers) *multipliers = {magnitude(up.multiplier), magnitude(down.multiplier)};
    if (min_pivot) *min_pivot = select(up.min_pivot < down.min_pivot, up.min_pivot, down.min_pivot);
    first = up.coarse(false);
    last = down.coarse(true);
}

/// entry x[j] + next x[j+1] = rhs: a row from which all unknowns before x[j] are eliminated.
template <class T, class R = T>
struct open_row {
    T entry, next;
    R rhs;
    T weight{1}; ///< see combination
};

/// Eliminates an unknown from row q and the running row p (Algorithm 2, lines 4-23): the better pivot row of the two is
/// stored in `slot`, which then determines the unknown from the two after it; the result is their linear combination.
/// The threshold has been applied to p.entry.
template <pivoting P, class T, class R>
COPPICE_LANE open_row<T, R> eliminate_row(partition_rows<T, R> const& slots, int slot, equation<T, R> const& q,
                                          open_row<T, R> const& p, auto const& threshold) {
    T const q_entry = flushed(q.lower, threshold);
    T const weight = P == pivoting::none ? T(1) : p.weight;
    auto const swap = outdone<P>(p.entry, q_entry * weight);
    combination<T> const c(p.entry, q_entry, weight);
    slots.put(slot, {c.template reciprocal_of_pivot<P>(swap, p.entry), select(swap, q.diagonal, p.next),
                     select(swap, q.upper, T(0)), select(swap, q.rhs, p.rhs)});
    return {c.of(p.next, q.diagonal), c.q_factor * q.upper, c.of(p.rhs, q.rhs), c.weight};
}

/// Computes the unknown of a slot from the two unknowns after it.
template <class T, class R>
COPPICE_LANE R solve_slot(T const& reciprocal, T const& next, T const& after, R const& rhs, R const& x1, R const& x2) {
    return reciprocal * (rhs - next * x1 - after * x2);
}
/// The same, and shifts these: x2 = x1, x1 = the unknown.
template <class T>
COPPICE_ALWAYS_INLINE T solve_slot(partition_rows<T> const& slots, int slot, T& x1, T& x2) {
    T const x = solve_slot(slots.lower[slot], slots.diagonal[slot], slots.upper[slot], slots.rhs[slot], x1, x2);
    x2 = x1;
    x1 = x;
    return x;
}

/// Solves a whole system of `length` >= 1 rows, row_at(j), from the first row to the last; the entries outside the
/// matrix are zero. The solution is in slots.rhs.
template <pivoting P, class T>
COPPICE_ALWAYS_INLINE void solve_downwards(partition_rows<T> const& slots, int length, auto const& row_at,
                                           auto const& threshold) {
    auto const first = row_at(0);
    open_row<T> p{first.diagonal, first.upper, first.rhs};
    for (int j = 1; j < length; ++j) {
        p.entry = flushed(p.entry, threshold);
        p = eliminate_row<P>(slots, j - 1, row_at(j), p, threshold);
    }
    T x1 = p.rhs * safe_reciprocal(p.entry), x2(T(0));
    slots.rhs[length - 1] = x1;
    for (int j = length - 2; j >= 0; --j) slots.rhs[j] = solve_slot(slots, j, x1, x2);
}

} // namespace coppice::inline v0_1::rpts
