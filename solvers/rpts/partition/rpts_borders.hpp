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

#include <coppice/solvers/rpts/partition/rpts_halves.hpp>

namespace coppice::rpts {

/// The moves that are tried, one after the other: 0, 1, -1, 2, -2, 8, -8, ..., 26, -26. Positive moves give rows to the
/// first partition of a pair. A row or two more or less help where all inner rows together are nearly singular; where a
/// few rows in the middle are, as happens somewhere among many random rows, the border has to come near them.
inline constexpr int border_moves = 13;
COPPICE_HD constexpr int border_move(int k) {
    int const step = k < 5 ? (k + 1) / 2 : 6 * ((k - 1) / 2) - 4;
    return (k & 1) != 0 ? step : -step;
}

/// A pair of 2 M rows as one partition that leaves its first row alone (`above`), its last (`below`), or both.
///
/// The four coarse rows of the pair are, in the unknowns a, b of its first two rows and y, z of its last two:
///
///     both alone     a: row 0            b: upwards           y: downwards         z: row 2 M - 1
///     above alone    a: row 0            a + b: their sum     b: upwards           z: downwards
///     below alone    a: upwards          y: downwards         y + z: their sum     z: row 2 M - 1
///
/// With one row alone there are three unknowns for four places; the sum between the two neighbours keeps the coarse
/// system tridiagonal.
struct whole_pair {
    bool above, below;

    COPPICE_HD COPPICE_ALWAYS_INLINE constexpr int first() const { return above ? 1 : 0; }
    COPPICE_HD COPPICE_ALWAYS_INLINE constexpr int length(int pair_rows) const { return pair_rows - above - below; }
    /// Which of the four coarse rows is that of the upward sweep; that of the downward sweep is the next.
    COPPICE_HD COPPICE_ALWAYS_INLINE constexpr int upward_row() const { return above ? (below ? 1 : 2) : 0; }
    /// What is around the partition, where `first` and `second` are around the partitions of the pair.
    template <class R>
    COPPICE_HD COPPICE_ALWAYS_INLINE interface_values<R> around(interface_values<R> const& first,
                                                                interface_values<R> const& second) const {
        bool const both = above && below;
        return {above ? first.first : first.before,
                both    ? first.last
                : above ? second.first
                        : first.first,
                both    ? second.first
                : below ? first.last
                        : second.last,
                below ? second.last : second.after};
    }
};

/// How a pair is cut: by one of the moves of its border, or not at all. Cuts are tried by their numbers; those of whole
/// pairs come before the longer moves, for where one pair needs such a cut, all of them may.
struct pair_cut {
    int number = 0;

    static constexpr int first_whole = 3, numbers = border_moves + 3;
    COPPICE_HD COPPICE_ALWAYS_INLINE constexpr bool is_whole() const {
        return number >= first_whole && number < first_whole + 3;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE constexpr int move() const {
        return border_move(number < first_whole ? number : number - 3);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE constexpr whole_pair whole() const {
        return {number != first_whole + 2, number != first_whole + 1};
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

/// share_of_last over rows [first, first + length) of a pair, downwards or upwards; place(i) is where row i of the pair
/// stands.
template <pivoting P, class T, class R, class Place>
COPPICE_HD COPPICE_ALWAYS_INLINE T share_in_pair(partition_rows<T, R> const& rows, int first, int length,
                                                 bool downwards, T const& threshold, Place const& place) {
    return share_of_last<P, T>(length, threshold, [&](int j) COPPICE_INLINE_LAMBDA {
        int const i = place(downwards ? first + j : first + length - 1 - j);
        return scaled<P>(downwards ? rows.lower[i] : rows.upper[i], rows.diagonal[i],
                         downwards ? rows.upper[i] : rows.lower[i], T(0));
    });
}

/// Coarse row k of a whole pair of `pair_rows` rows, all but the last of which stand one behind the other; the last
/// stands at `last`. `share` gets that of the last row of a sweep.
template <pivoting P, class T, class R>
COPPICE_HD COPPICE_ALWAYS_INLINE coarse_row<T, R> row_of_whole(partition_rows<T, R> const& rows, int pair_rows,
                                                               int last, whole_pair const& pair, int k,
                                                               T const& threshold, T& share) {
    bool const both = pair.above && pair.below;
    int const from = pair.first(), length = pair.length(pair_rows), upwards = pair.upward_row();
    partition_rows<T, R> const inner{rows.lower + from, rows.diagonal + from, rows.upper + from, rows.rhs + from};
    if (k == upwards) {
        auto c = reduce_upwards<P>(inner, length, threshold, &share);
        if (!both && pair.above) c.diagonal -= c.lower; // a is (a + b) - b
        return c;
    }
    if (k == upwards + 1) {
        auto c = reduce_downwards<P>(inner, length, threshold, &share);
        if (!both && pair.below) c.diagonal -= c.upper;
        return c;
    }
    share = T(1);
    int const alone = pair.above && k < 2 ? 0 : last;
    auto const row = scaled<P>(rows.lower[alone], rows.diagonal[alone], rows.upper[alone], rows.rhs[alone]);
    if (k == 1 || k == 2) {
        T const size = filling(larger(larger_magnitude(row.lower, row.diagonal), magnitude(row.upper)));
        return {size, -size, size, R(T(0))};
    }
    T const beside = both ? T(0) : k == 0 ? row.upper : row.lower;
    return {row.lower, row.diagonal - beside, row.upper, row.rhs};
}

} // namespace coppice::rpts
