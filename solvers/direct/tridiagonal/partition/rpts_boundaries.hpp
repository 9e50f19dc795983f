// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Borders between partitions of RPTS that are moved, where a partition as it stands would lose digits.
///
/// The inner rows of a partition may be nearly singular by themselves although the whole matrix is well-conditioned.
/// Then both coarse rows say the same (see least_share), and no solution of the coarse system makes up for it: of the
/// Toeplitz matrix (1, 2 cos(5 pi / 31), 1), every partition of 32 rows is singular inside, and the solution is wrong
/// in all digits. With a row more or less the inner matrix is another one. So partitions stand in pairs that share
/// their rows, and where one of a pair is nearly singular inside, the border between them is moved.
/// The coarse system keeps its shape; the substitution reads how far borders have moved.
///
/// Without pivoting borders stay. The rows of a cyclic system behind its last pair are rows of the coarse system.
#pragma once

#include <cstdint>

#include <coppice/solvers/direct/tridiagonal/partition/rpts_substitution.hpp>

namespace coppice::rpts {

/// The moves that are tried, one after the other: 0, 1, -1, 2, -2, 8, -8, ..., 26, -26. Positive moves give rows to the
/// first partition of a pair. A row or two more or less help where all inner rows together are nearly singular; where a
/// few rows in the middle are, as happens somewhere among many random rows, the border has to come near them.
inline constexpr int border_moves = 13;
COPPICE_HD constexpr int border_move(int k) {
    int const step = k < 5 ? (k + 1) / 2 : 6 * ((k - 1) / 2) - 4;
    return (k & 1) != 0 ? step : -step;
}

/// A partition of a pair that is cut: which rows of the pair it has, and where it stands among the four coarse unknowns
/// of the pair, 0 to 3, and those beside the pair, -1 and 4.
struct pair_part {
    int first, length; ///< its rows
    int coarse;        ///< the unknowns at its ends are `coarse` and `coarse` + 1, and so are the rows of its sweeps
    int before, after; ///< the unknowns around it

    COPPICE_HD COPPICE_ALWAYS_INLINE constexpr int end() const { return first + length; }
    /// Whether there is a coarse unknown between `before`, or `after`, and the partition: the sum of these two.
    COPPICE_HD COPPICE_ALWAYS_INLINE constexpr bool sum_before() const { return before < coarse - 1; }
    COPPICE_HD COPPICE_ALWAYS_INLINE constexpr bool sum_behind() const { return after > coarse + 2; }
    /// The unknowns around the partition; at(i) is coarse unknown i of the pair.
    template <class At>
    COPPICE_HD COPPICE_ALWAYS_INLINE auto around(At const& at) const -> interface_values<decltype(at(0))> {
        return {at(before), at(coarse), at(coarse + 1), at(after)};
    }
};

/// How a pair of 2 M rows is cut: by one of the moves of its border into two partitions, or not at all: then it is one
/// partition that leaves the first row of the pair alone (above), the last (below), or both.
///
/// The four coarse rows are, in the unknowns a, b of the first two rows of the pair and y, z of its last two, and c, d
/// at the border:
///
///     a border       a: upwards          c: downwards         d: upwards           z: downwards
///     both alone     a: row 0            b: upwards           y: downwards         z: row 2 M - 1
///     above alone    a: row 0            a + b: their sum     b: upwards           z: downwards
///     below alone    a: upwards          y: downwards         y + z: their sum     z: row 2 M - 1
///
/// With one row alone there are three unknowns for four places; the sum between the two neighbours keeps the coarse
/// system tridiagonal. Whatever the cut, the first coarse unknown is that of the first row and the last that of the
/// last.
///
/// Cuts are tried by their numbers; those without a border come before the longer moves, for where one pair needs such
/// a cut, all of them may.
struct pair_cut {
    int number = 0;

    static constexpr int first_whole = 3, numbers = border_moves + 3;
    /// How many partitions the pair has: 1 or 2.
    COPPICE_HD COPPICE_ALWAYS_INLINE constexpr int parts() const {
        return number >= first_whole && number < first_whole + 3 ? 1 : 2;
    }
    /// Partition k of the pair, k = 0 or 1; where there is but one, both are that one.
    COPPICE_HD COPPICE_ALWAYS_INLINE constexpr pair_part part(int k, int pair_rows) const {
        if (parts() == 1) {
            bool const above = number != first_whole + 2, below = number != first_whole + 1;
            return {above, pair_rows - above - below, above ? 2 - below : 0, above ? 0 : -1, below ? 3 : 4};
        }
        int const border = pair_rows / 2 + border_move(number < first_whole ? number : number - 3);
        if (k == 0) return {0, border, 0, -1, 2};
        return {border, pair_rows - border, 2, 1, 4};
    }
};

/// What the reduction leaves for the substitution of a pair of partitions, in a byte: the number of its cut, and which
/// of the rows that sweeps ended with have a small share (outer_shares): bit k for the sweep that made coarse row k of
/// the pair.
struct pair_note {
    std::uint8_t bits = 0;

    COPPICE_HD COPPICE_ALWAYS_INLINE pair_note(int cut_number, unsigned small)
        : bits(std::uint8_t(unsigned(cut_number) << 4 | small)) {}
    COPPICE_HD COPPICE_ALWAYS_INLINE explicit pair_note(std::int8_t stored) : bits(std::uint8_t(stored)) {}
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int8_t stored() const { return std::int8_t(bits); }
    COPPICE_HD COPPICE_ALWAYS_INLINE pair_cut cut() const { return {bits >> 4}; }
    /// Shares that stand for those of the partition whose upward sweep made coarse row `first`: 0 or 1.
    template <class T>
    COPPICE_HD COPPICE_ALWAYS_INLINE outer_shares<T> shares(int first) const {
        unsigned const small = unsigned(bits) >> first;
        return {T((small & 1) == 0), T((small & 2) == 0)};
    }
};
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE unsigned small_shares(outer_shares<T> const& shares, int first) {
    return (unsigned(shares.first < T(least_outer_share)) | unsigned(shares.last < T(least_outer_share)) << 1) << first;
}

/// The share of the last row in a sweep over `length` rows (least_share), where the largest share of any row is 1.
/// row(j), j from 0 in the direction of the sweep, is {near, middle, away}; entries up to `threshold` count as zero.
/// Step by step the same arithmetic as in a sweep: where entries cancel, another one would judge another equation.
template <pivoting P, class T, class Row>
COPPICE_HD COPPICE_ALWAYS_INLINE T share_of_last(int length, T const& threshold, Row const& row) {
    auto const p = row(1);
    T entry = p.diagonal, next = p.upper, weight(1), share(1), largest(1);
    for (int j = 2; j < length; ++j) {
        auto const q = row(j);
        combination<T> const c(flushed(entry, threshold), flushed(q.lower, threshold), weight);
        if constexpr (P != pivoting::none) weight = c.weight;
        entry = c.of(next, q.diagonal);
        next = c.q_factor * q.upper;
        share = magnitude(c.q_factor);
        largest = larger(share, largest * magnitude(c.p_factor));
    }
    return share / largest;
}

/// share_of_last in a partition of a pair, downwards or upwards; place(i) is where row i of the pair stands.
template <pivoting P, class T, class R, class Place>
COPPICE_HD COPPICE_ALWAYS_INLINE T share_in_pair(partition_rows<T, R> const& rows, pair_part const& part,
                                                 bool downwards, T const& threshold, Place const& place) {
    return share_of_last<P, T>(part.length, threshold, [&](int j) COPPICE_INLINE_LAMBDA {
        int const i = place(downwards ? part.first + j : part.end() - 1 - j);
        return scaled<P>(downwards ? rows.lower[i] : rows.upper[i], rows.diagonal[i],
                         downwards ? rows.upper[i] : rows.lower[i], T(0));
    });
}

/// The coarse rows that the sweeps through a partition have left, in the unknowns of its pair: beside a sum, a is
/// (a + b) - b.
template <class T, class R>
COPPICE_HD COPPICE_ALWAYS_INLINE coarse_row<T, R> upward_row(pair_part const& part, coarse_row<T, R> row) {
    if (part.sum_before()) row.diagonal -= row.lower;
    return row;
}
template <class T, class R>
COPPICE_HD COPPICE_ALWAYS_INLINE coarse_row<T, R> downward_row(pair_part const& part, coarse_row<T, R> row) {
    if (part.sum_behind()) row.diagonal -= row.upper;
    return row;
}

/// Coarse row k of a pair where it is that of a row beside its only partition, or of the sum of the unknowns there;
/// place(i) is where row i of the pair stands.
template <pivoting P, class T, class R, class Place>
COPPICE_HD COPPICE_ALWAYS_INLINE coarse_row<T, R> row_alone(partition_rows<T, R> const& rows, pair_part const& part,
                                                            int k, Place const& place) {
    auto const alone = row_of<P>(rows, place(k < part.coarse ? 0 : part.end()));
    if (k == 1 || k == 2) {
        T const size = filling(larger(larger_magnitude(alone.lower, alone.diagonal), magnitude(alone.upper)));
        return {size, -size, size, R(T(0))};
    }
    T const beside = part.sum_before() ? alone.upper : part.sum_behind() ? alone.lower : T(0);
    return {alone.lower, alone.diagonal - beside, alone.upper, alone.rhs};
}

/// Coarse row k of a pair, where `part` is its partition k / 2; place(i) is where row i of the pair stands, the rows of
/// the partition one behind the other. `share` gets that of the last row of a sweep.
template <pivoting P, class T, class R, class Place>
COPPICE_HD COPPICE_ALWAYS_INLINE coarse_row<T, R> row_of_pair(partition_rows<T, R> const& rows, pair_part const& part,
                                                              int k, T const& threshold, Place const& place, T& share) {
    auto const inner = rows.from(place(part.first));
    if (k == part.coarse) return upward_row(part, reduce_upwards<P>(inner, part.length, threshold, &share));
    if (k == part.coarse + 1) return downward_row(part, reduce_downwards<P>(inner, part.length, threshold, &share));
    share = T(1);
    return row_alone<P>(rows, part, k, place);
}

} // namespace coppice::rpts
