// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Segments of a tridiagonal system: the condensed rows of neighbouring rows after elimination of their inner unknowns,
/// and the merge of two segments.
///
/// RPTS keeps coarse systems tridiagonal: one of the two equations of a partition has no unknown after the partition,
/// the other none before it. The equations of a segment may have both. So pivots can be chosen from all rows that have
/// the unknown, as in the structured elimination of S. J. Wright (SIAM J. Sci. Stat. Comput. 13, 1992). Merging two
/// segments eliminates the two unknowns of the separator between them. Each elimination takes the better of two pivots;
/// independent eliminations run in parallel: three dependent steps, compared with four in a sweep over a partition of
/// four rows.
///
/// Equations are not scaled individually, even with scaled pivoting: an equation that is small after cancellation has
/// lost digits, and scaling would make it look like a good pivot (random bands in float, 2^20 rows: largest forward
/// error 0.6 instead of 3e-4).
#pragma once

#include <limits>

#include <coppice/core/lane/lane_math.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_substitution.hpp>

namespace coppice::inline v0_1::rpts {

/// before x[-1] + first x[0] + last x[l] + after x[l+1] = rhs for a segment with the unknowns 0 .. l.
template <class T>
struct end_equation {
    T before, first, last, after, rhs;
};

/// The two condensed rows of a segment. Without pivoting, upper.after = 0 and lower.before = 0.
template <class T>
struct segment {
    end_equation<T> upper, lower;
};

/// The segment of two rows, multiplied by `scale`: neighbouring rows of the matrix, or the coarse rows of a partition.
template <class T>
COPPICE_LANE segment<T> segment_of(auto const& first, auto const& last, T const& scale) {
    return {{scale * first.lower, scale * first.diagonal, scale * first.upper, T(0), scale * first.rhs},
            {T(0), scale * last.lower, scale * last.diagonal, scale * last.upper, scale * last.rhs}};
}

/// The identity of merge(), a segment without rows: its first unknown equals the unknown after it, its last unknown the
/// unknown before it.
template <class T>
COPPICE_LANE segment<T> identity_segment() {
    return {{T(0), T(1), T(0), T(-1), T(0)}, {T(-1), T(0), T(1), T(0), T(0)}};
}

/// Separator rows: the equations that determine the two unknowns between merged segments. First `right`, the first
/// unknown of the right segment, then `left`, the last unknown of the left segment. The coefficient of each in its own
/// equation is 1 / reciprocal.
template <class T>
struct alignas(16) separator_rows {
    T right_reciprocal;
    end_equation<T> right;
    T left_reciprocal, left_right; ///< left_right: coefficient of `right` in the equation of `left`
    end_equation<T> left;
};

namespace separator_elimination {

/// An equation of one of the two segments: `left` and `right` are the coefficients of the separator unknowns, `end`
/// that of the unknown at the other end of the segment, `outer` that of the unknown beyond that end.
template <class T>
struct separator_row {
    T left, right, end, outer, rhs;
};

/// An entry that may become a pivot: 0 if it is not a normal number. No power of two scales such an entry to 1, so both
/// factors of the combination would be small, for example 1e-11, and with them the resulting equation, which then would
/// not be chosen as pivot row. The couplings between the ends of segments become so small if solutions decay: each
/// level of merges squares them.
template <class T>
COPPICE_LANE T pivot_entry(T const& entry, no_threshold) {
    return select(magnitude(entry) < T(std::numeric_limits<typename lane_traits<T>::value_type>::min()), T(0), entry);
}
template <class T>
COPPICE_LANE T pivot_entry(T const& entry, T const& threshold) {
    return flushed(pivot_entry(entry, no_threshold{}), threshold);
}

/// The two equations of a segment after `left` is eliminated from `rest`.
template <class T>
struct split_rows {
    separator_row<T> pivot, rest;
};
template <pivoting P, class T>
COPPICE_LANE split_rows<T> split(separator_row<T> p, separator_row<T> q, auto const& threshold) {
    p.left = pivot_entry(p.left, threshold), q.left = pivot_entry(q.left, threshold);
    combination<T> const c(p.left, q.left);
    auto const swap = outdone<P>(p.left, q.left);
    return {{select(swap, q.left, p.left), select(swap, q.right, p.right), select(swap, q.end, p.end),
             select(swap, q.outer, p.outer), select(swap, q.rhs, p.rhs)},
            {T(0), c.pivot_of(p.right, q.right), c.of(p.end, q.end), c.of(p.outer, q.outer), c.of(p.rhs, q.rhs)}};
}

/// An equation that contains `right` but not `left`.
template <class T>
struct right_equation {
    T right;
    end_equation<T> around;
};

/// Linear combination c of two equations of the same segment.
template <class T>
COPPICE_LANE end_equation<T> combined(combination<T> const& c, end_equation<T> const& p, end_equation<T> const& q) {
    return {c.of(p.before, q.before), c.of(p.first, q.first), c.of(p.last, q.last), c.of(p.after, q.after),
            c.of(p.rhs, q.rhs)};
}
template <class T>
COPPICE_LANE end_equation<T> either(auto const& second, end_equation<T> const& p, end_equation<T> const& q) {
    return {select(second, q.before, p.before), select(second, q.first, p.first), select(second, q.last, p.last),
            select(second, q.after, p.after), select(second, q.rhs, p.rhs)};
}
/// Linear combination c of equation p of the left segment and q of the right segment.
template <class T>
COPPICE_LANE end_equation<T> combined(combination<T> const& c, separator_row<T> const& p, separator_row<T> const& q) {
    return {c.p_factor * p.outer, c.p_factor * p.end, c.q_factor * q.end, c.q_factor * q.outer, c.of(p.rhs, q.rhs)};
}
template <class T>
COPPICE_LANE end_equation<T> either(auto const& second, separator_row<T> const& p, separator_row<T> const& q) {
    return {select(second, T(0), p.outer), select(second, T(0), p.end), select(second, q.end, T(0)),
            select(second, q.outer, T(0)), select(second, q.rhs, p.rhs)};
}

} // namespace separator_elimination

/// Merges two neighbouring segments; `saved` gets the separator rows.
template <pivoting P, class T>
COPPICE_LANE segment<T> merge(segment<T> const& l, segment<T> const& r, auto const& threshold,
                              separator_rows<T>& saved) {
    using separator_elimination::either, separator_elimination::combined;
    using row = separator_elimination::separator_row<T>;
    auto const of_left = [](end_equation<T> const& e) -> row { return {e.last, e.after, e.first, e.before, e.rhs}; };
    auto const of_right = [](end_equation<T> const& e) -> row { return {e.before, e.first, e.last, e.after, e.rhs}; };
    // Without pivoting the pivot rows are fixed: the lower row of the left segment for `left`, the upper row of the
    // right segment for `right`.
    auto const a = separator_elimination::split<P>(of_left(l.lower), of_left(l.upper), threshold);
    auto const b = separator_elimination::split<P>(of_right(r.upper), of_right(r.lower), threshold);

    auto const from_right = outdone<P>(a.pivot.left, b.pivot.left);
    combination<T> const c(a.pivot.left, b.pivot.left);
    saved.left_reciprocal = c.template reciprocal_of_pivot<P>(from_right, a.pivot.left);
    saved.left_right = select(from_right, b.pivot.right, a.pivot.right);
    saved.left = either(from_right, a.pivot, b.pivot);
    separator_elimination::right_equation<T> const q{flushed(c.pivot_of(a.pivot.right, b.pivot.right), threshold),
                                                     combined(c, a.pivot, b.pivot)};

    T const a_entry = flushed(a.rest.right, threshold), b_entry = flushed(b.rest.right, threshold);
    if constexpr (P == pivoting::none) {
        combination<T> const up(q.right, a_entry), down(q.right, b_entry);
        saved.right_reciprocal = safe_reciprocal(q.right);
        saved.right = q.around;
        end_equation<T> const above{a.rest.outer, a.rest.end, T(0), T(0), a.rest.rhs},
            below{T(0), T(0), b.rest.end, b.rest.outer, b.rest.rhs};
        return {combined(up, q.around, above), combined(down, q.around, below)};
    } else {
        auto const of_b = outdone<P>(a_entry, b_entry);
        combination<T> const first(a_entry, b_entry);
        separator_elimination::right_equation<T> const p{select(of_b, b_entry, a_entry), either(of_b, a.rest, b.rest)};
        auto const of_q = outdone<P>(p.right, q.right);
        combination<T> const second(p.right, q.right);
        saved.right_reciprocal = second.template reciprocal_of_pivot<P>(of_q, p.right);
        saved.right = either(of_q, p.around, q.around);
        return {combined(first, a.rest, b.rest), combined(second, p.around, q.around)};
    }
}

/// The values of the two separator unknowns.
template <class T>
struct separator_values {
    T left, right;
};
template <class T>
COPPICE_LANE T residual_of(end_equation<T> const& e, interface_values<T> const& x) {
    return e.rhs - e.before * x.before - e.first * x.first - (e.last * x.last + e.after * x.after);
}
template <class T>
COPPICE_LANE separator_values<T> solve_separator(separator_rows<T> const& j, interface_values<T> const& x) {
    T const right = j.right_reciprocal * residual_of(j.right, x);
    return {j.left_reciprocal * (residual_of(j.left, x) - j.left_right * right), right};
}

/// The unknowns around each of two merged segments.
template <class T>
struct values_of_segments {
    interface_values<T> left, right;
};
template <class T>
COPPICE_LANE values_of_segments<T> substitute_separator(separator_rows<T> const& j, interface_values<T> const& x) {
    auto const met = solve_separator(j, x);
    return {{x.before, x.first, met.left, met.right}, {met.left, met.right, x.last, x.after}};
}

/// The unknowns at the ends of a segment that is a whole system. In a cyclic system they are also the unknowns beyond
/// the other ends.
template <pivoting P, bool Cyclic = false, class T>
COPPICE_LANE interface_values<T> solve_whole(segment<T> const& s, auto const& threshold) {
    auto const row = [](end_equation<T> const& e) -> separator_elimination::separator_row<T> {
        if constexpr (Cyclic) return {e.first + e.after, e.last + e.before, T(0), T(0), e.rhs};
        return {e.first, e.last, T(0), T(0), e.rhs};
    };
    auto const [pivot, rest] = separator_elimination::split<P>(row(s.upper), row(s.lower), threshold);
    T const last = safe_reciprocal(flushed(rest.right, threshold)) * rest.rhs;
    T const first = safe_reciprocal(pivot.left) * (pivot.rhs - pivot.right * last);
    return {Cyclic ? last : T(0), first, last, Cyclic ? first : T(0)};
}

} // namespace coppice::inline v0_1::rpts
