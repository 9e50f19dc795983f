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

/// What the reduction leaves for the substitution of a pair of partitions, in a byte: the number of the move of its
/// border, and which of the four outer rows have a small share (outer_shares); bit 2 k is for the first row of
/// partition k of the pair, the bit above for its last row.
struct pair_note {
    std::uint8_t bits = 0;

    COPPICE_HD COPPICE_ALWAYS_INLINE pair_note(int move_number, unsigned small)
        : bits(std::uint8_t(unsigned(move_number) << 4 | small)) {}
    COPPICE_HD COPPICE_ALWAYS_INLINE explicit pair_note(std::int8_t stored) : bits(std::uint8_t(stored)) {}
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int8_t stored() const { return std::int8_t(bits); }
    COPPICE_HD COPPICE_ALWAYS_INLINE int move() const { return border_move(bits >> 4); }
    /// Shares that stand for those of partition 0 or 1: 0 or 1.
    template <class T>
    COPPICE_HD COPPICE_ALWAYS_INLINE outer_shares<T> shares(int partition) const {
        unsigned const small = unsigned(bits) >> 2 * partition;
        return {T((small & 1) == 0), T((small & 2) == 0)};
    }
};
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE unsigned small_shares(outer_shares<T> const& shares, int partition) {
    return (unsigned(shares.first < T(least_outer_share)) | unsigned(shares.last < T(least_outer_share)) << 1)
           << 2 * partition;
}

/// The share of the last row in a sweep over `length` rows (least_share), where the largest share of any row is 1.
/// row(j), j from 0 in the direction of the sweep, is {near, middle, away}; entries up to `threshold` count as zero.
template <pivoting P, class T, class Row>
COPPICE_HD COPPICE_ALWAYS_INLINE T share_of_last(int length, T const& threshold, Row const& row) {
    auto const p = row(1);
    T entry = p.diagonal, next = p.upper, share(1), largest(1);
    for (int j = 2; j < length; ++j) {
        auto const q = row(j);
        combination<T> const c(flushed(entry, threshold), flushed(q.lower, threshold));
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

} // namespace coppice::rpts
