// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Moves partition boundaries of RPTS if the current partitions would lose digits.
///
/// The inner rows of a partition may be nearly singular although the whole matrix is well-conditioned. Then both coarse
/// rows of the partition are nearly linearly dependent (see min_multiplier) and the coarse system cannot recover the
/// lost digits. Example: with the Toeplitz matrix (1, 2 cos(5 pi / 31), 1) the inner rows of every partition of 32 rows
/// are singular, and all digits of the solution are wrong. The inner matrix of a partition with one row more or less is
/// regular. Therefore partitions form pairs with a fixed number of rows: if one partition of a pair is nearly singular
/// inside, the boundary between them is shifted. The shape of the coarse system does not change. The reduction stores
/// the shift for the substitution.
///
/// Without pivoting, boundaries are fixed. The rows of a cyclic system after its last pair are rows of the coarse
/// system.
#pragma once

#include <cstdint>

#include <coppice/solvers/direct/tridiagonal/partition/rpts_substitution.hpp>

namespace coppice::inline v0_1::rpts {

/// Shifts in the order in which they are tried: 0, 1, -1, 2, -2, 8, -8, ..., 26, -26. Positive shifts give rows to the
/// first partition of a pair. Shifts by one or two rows help if all inner rows together are nearly singular. Long
/// shifts help if a few rows in the middle are nearly singular, as happens among many random rows: the boundary has to
/// be near them.
inline constexpr int boundary_shifts = 13;
COPPICE_HD constexpr int boundary_shift(int k) {
    int const step = k < 5 ? (k + 1) / 2 : 6 * ((k - 1) / 2) - 4;
    return (k & 1) != 0 ? step : -step;
}

/// A partition of a split pair: its rows, and the numbers of its unknowns among the coarse unknowns of the pair. These
/// are 0 to 3; -1 and 4 are the neighbours of the pair.
struct pair_partition {
    int first, length; ///< its rows within the pair
    /// Coarse numbers of its end unknowns are `coarse` and `coarse` + 1; its two sweeps make the coarse rows of these
    /// numbers
    int coarse;
    int before, after; ///< coarse numbers of the unknowns around it

    COPPICE_LANE constexpr int end() const { return first + length; }
    /// Whether coarse unknown `before` + 1 (or `after` - 1) is not an end of the partition, but the sum of its two
    /// neighbours.
    COPPICE_LANE constexpr bool sum_before() const { return before < coarse - 1; }
    COPPICE_LANE constexpr bool sum_after() const { return after > coarse + 2; }
    /// The unknowns around the partition; at(i) returns coarse unknown i of the pair.
    template <class At>
    COPPICE_LANE auto around(At const& at) const -> interface_values<decltype(at(0))> {
        return {at(before), at(coarse), at(coarse + 1), at(after)};
    }
};

/// How the 2 M rows of a pair are split: into two partitions at one of the shifted boundaries, or into one partition
/// and single rows: the first row of the pair (above), the last row (below), or both.
///
/// Let a, b be the unknowns of the first two rows of the pair, y, z those of its last two, and c, d those at the
/// boundary. The four coarse rows are (upwards, downwards: the result of that sweep):
///
///     a boundary     a: upwards          c: downwards         d: upwards           z: downwards
///     both single    a: row 0            b: upwards           y: downwards         z: row 2 M - 1
///     above single   a: row 0            a + b: their sum     b: upwards           z: downwards
///     below single   a: upwards          y: downwards         y + z: their sum     z: row 2 M - 1
///
/// With one single row there are three unknowns for four coarse rows; the sum of two neighbours as fourth unknown keeps
/// the coarse system tridiagonal. In all cases the first coarse unknown is that of the first row and the last one that
/// of the last row.
///
/// Splits are tried in the order of their numbers. Those without a boundary precede the long shifts: if one pair needs
/// such a split, often all pairs do.
struct pair_split {
    int number = 0;

    static constexpr int first_whole = 3, numbers = boundary_shifts + 3;
    /// Number of partitions of the pair: 1 or 2.
    COPPICE_LANE constexpr int partitions() const { return number >= first_whole && number < first_whole + 3 ? 1 : 2; }
    /// Partition k of the pair, k = 0 or 1; the same partition for both if there is only one.
    COPPICE_LANE constexpr pair_partition partition(int k, int pair_rows) const {
        if (partitions() == 1) {
            bool const above = number != first_whole + 2, below = number != first_whole + 1;
            return {above, pair_rows - above - below, above ? 2 - below : 0, above ? 0 : -1, below ? 3 : 4};
        }
        int const boundary = pair_rows / 2 + boundary_shift(number < first_whole ? number : number - 3);
        if (k == 0) return {0, boundary, 0, -1, 2};
        return {boundary, pair_rows - boundary, 2, 1, 4};
    }
};

/// Result of the reduction for the substitution of a pair, in one byte: the number of its split, and which boundary
/// rows have a small multiplier (boundary_multipliers): bit k for the sweep that made coarse row k of the pair.
struct pair_record {
    std::uint8_t bits = 0;

    COPPICE_LANE pair_record(int split_number, unsigned small)
        : bits(std::uint8_t(unsigned(split_number) << 4 | small)) {}
    COPPICE_LANE explicit pair_record(std::int8_t stored) : bits(std::uint8_t(stored)) {}
    COPPICE_LANE std::int8_t stored() const { return std::int8_t(bits); }
    COPPICE_LANE pair_split split() const { return {bits >> 4}; }
    /// Multipliers 0 (small) or 1 (large) of the partition whose upward sweep made coarse row `first`.
    template <class T>
    COPPICE_LANE boundary_multipliers<T> multipliers(int first) const {
        unsigned const small = unsigned(bits) >> first;
        return {T((small & 1) == 0), T((small & 2) == 0)};
    }
};
template <class T>
COPPICE_LANE unsigned small_multipliers(boundary_multipliers<T> const& multipliers, int first) {
    return (unsigned(multipliers.first < T(min_boundary_multiplier)) |
            unsigned(multipliers.last < T(min_boundary_multiplier)) << 1)
           << first;
}

/// Transforms the coarse rows of a partition to the unknowns of its pair: next to a sum, a = (a + b) - b.
template <class T, class R>
COPPICE_LANE coarse_row<T, R> upward_row(pair_partition const& piece, coarse_row<T, R> row) {
    if (piece.sum_before()) row.diagonal -= row.lower;
    return row;
}
template <class T, class R>
COPPICE_LANE coarse_row<T, R> downward_row(pair_partition const& piece, coarse_row<T, R> row) {
    if (piece.sum_after()) row.diagonal -= row.upper;
    return row;
}

/// Coarse row k of a pair if it belongs to a single row or to a sum of two unknowns; offset(i) is the offset of row i
/// of the pair.
template <pivoting P, class T, class R, class Offset>
COPPICE_LANE coarse_row<T, R> single_row(partition_rows<T, R> const& rows, pair_partition const& piece, int k,
                                         Offset const& offset) {
    auto const alone = row_of<P>(rows, offset(k < piece.coarse ? 0 : piece.end()));
    if (k == 1 || k == 2) {
        T const size = padding_diagonal(larger(larger_magnitude(alone.lower, alone.diagonal), magnitude(alone.upper)));
        return {size, -size, size, R(T(0))};
    }
    T const neighbour = piece.sum_before() ? alone.upper : piece.sum_after() ? alone.lower : T(0);
    return {alone.lower, alone.diagonal - neighbour, alone.upper, alone.rhs};
}

/// Result of a sweep through a partition of a pair.
template <class T, class R = T>
struct pair_sweep {
    coarse_row<T, R> row; ///< coarse row `coarse` of the pair after an upward sweep, `coarse` + 1 after a downward one
    T multiplier;         ///< of the last row
    T relative;           ///< `multiplier` divided by the largest multiplier of any row (min_multiplier)
};

/// A sweep through a partition of a pair, downwards or upwards; offset(i) is the offset of row i of the pair. The
/// arithmetic is that of the reduction: if entries cancel, another order of operations would assess a different
/// equation.
template <pivoting P, class T, class R, class Offset>
class sweep_of_pair {
public:
    COPPICE_LANE sweep_of_pair(partition_rows<T, R> const& rows, pair_partition const& piece, bool downwards,
                               Offset const& offset)
        : rows_(rows), piece_(piece), downwards_(downwards), offset_(offset), all_(row(1)) {}
    /// Passes row j, j = 2, 3, ... in the direction of the sweep. Entries up to `threshold` count as zero.
    COPPICE_LANE void pass(int j, T const& threshold) {
        auto const c = all_.eliminate(row(j), threshold);
        largest_ = larger(magnitude(c.q_factor), largest_ * magnitude(c.p_factor));
    }
    COPPICE_LANE pair_sweep<T, R> result() const {
        T const multiplier = magnitude(all_.multiplier);
        auto const coarse = all_.coarse(downwards_);
        return {downwards_ ? downward_row(piece_, coarse) : upward_row(piece_, coarse), multiplier,
                multiplier / largest_};
    }

private:
    COPPICE_LANE equation<T, R> row(int j) const {
        int const i = offset_(downwards_ ? piece_.first + j : piece_.end() - 1 - j);
        return scaled<P>(downwards_ ? rows_.lower[i] : rows_.upper[i], rows_.diagonal[i],
                         downwards_ ? rows_.upper[i] : rows_.lower[i], rows_.rhs[i]);
    }
    partition_rows<T, R> const& rows_;
    pair_partition const& piece_;
    bool downwards_;
    Offset const& offset_;
    running_equation<P, T, R> all_;
    T largest_{1};
};

/// One sweep.
template <pivoting P, class T, class R, class Offset>
COPPICE_LANE pair_sweep<T, R> sweep_in_pair(partition_rows<T, R> const& rows, pair_partition const& piece,
                                            bool downwards, T const& threshold, Offset const& offset) {
    sweep_of_pair<P, T, R, Offset> all(rows, piece, downwards, offset);
    COPPICE_UNROLL_BY(4)
    for (int j = 2; j < piece.length; ++j) all.pass(j, threshold);
    return all.result();
}
/// Both sweeps in one loop: two dependent chains overlap.
template <class T, class R = T>
struct pair_sweeps {
    pair_sweep<T, R> up, down;
};
template <pivoting P, class T, class R, class Offset>
COPPICE_LANE pair_sweeps<T, R> both_sweeps_in_pair(partition_rows<T, R> const& rows, pair_partition const& piece,
                                                   T const& threshold, Offset const& offset) {
    sweep_of_pair<P, T, R, Offset> up(rows, piece, false, offset), down(rows, piece, true, offset);
    for (int j = 2; j < piece.length; ++j) {
        up.pass(j, threshold);
        down.pass(j, threshold);
    }
    return {up.result(), down.result()};
}

} // namespace coppice::inline v0_1::rpts
