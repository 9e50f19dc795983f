// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Element growth in segments of the chain solver: the tests after which a segment is eliminated by Householder
/// reflections instead of partial pivoting.
///
/// While the inner unknowns of a segment are eliminated, each row carries entries in the columns of y, the unknowns
/// before the segment. This equals the elimination of a two-point boundary value problem. With partial pivoting these
/// entries may grow exponentially with the length of the segment even if the matrix is well-conditioned (S. J. Wright,
/// SIAM J. Sci. Stat. Comput. 14 (1993), 231-238). LAPACK's gbsv has no such columns. Householder reflections bound the
/// growth (structured orthogonal factorization: S. J. Wright, ibid. 13 (1992), 742-764).
///
/// Error analysis: let G A = [S 0 R], where A holds the rows of a segment and G the row multipliers that produce the
/// condensed rows. Rounding errors in S and R are proportional to |G|. With pivoting, some rows of G contain an entry
/// 1, so |G| >= 1. For any q, |q A| >= |q| / |A^-1|; so if S and R did not grow, G did not grow either, up to the
/// condition number of A. Therefore the condensed rows are tested: if their largest entry exceeds max_growth(W) times
/// the largest entry of the matrix rows beneath them, the segment is eliminated again by Householder reflections, both
/// in the reduction and in the substitution. The reference size that is stored with a condensed segment is the size of
/// entries of the matrix, not of other condensed segments, so growth does not accumulate over the levels. (If rows are
/// scaled to 1 before every elimination, the reference size is 1 and growth is bounded level by level.)
///
/// The substitution eliminates the same rows with y moved to the right-hand sides. W rows remain unused; y and z
/// satisfy them up to G e, where e are the rounding errors of the right-hand sides and of the columns of y. If A has a
/// small singular value, |G| may be large although S and R are not: with alternate rows (-t, t, -.7) and (-t, -.7, -t),
/// t = 1e-4, the columns of y shrink to t in two steps and then double with every second pivot, to 3.3 after 32 rows,
/// where |G| is 6.6e4. G e is known: it is the residual of the unused rows, and all other rows of the segment are
/// satisfied. If it is more than rounding errors, the substitution is repeated by Householder reflections. These solve
/// the segment for given y and z by least squares, which distributes the residual over all rows: about |e| in each.
///
/// Householder reflections do not produce exact zeros. After them, a pivot of at most `rank_tolerance` epsilons times
/// the reference size counts as zero: the matrix is singular to within the allowed backward error, or its condition
/// number exceeds 10^13 (10^5 in single precision).
#pragma once

#include <cstdint>
#include <limits>

#include <coppice/core/lane/lane_access.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_window.hpp>

namespace coppice::inline v0_1::chain {

/// Maximum ratio of the entries of a condensed segment with W = `width` unknowns on either side to those of the matrix.
/// A GPU waits as long for one segment that is eliminated by Householder reflections as for all other segments, so few
/// segments should exceed the bound. Of 200 000 condensed segments of random matrices, one exceeds it for W <= 8, and
/// one in 300 for W = 16; the median ratio is 0.8 to 3.2. Boundary value problems with modes of many rates reach
/// backward errors of 8 epsilon for W <= 4 and of 30 epsilon for larger W; with a bound of 32 they would reach 58 for W
/// = 8 and 103 beyond. The bands (1, 1, 1e-4, 1, 1), W = 4, reach 31 epsilon with a bound of 16 and 1 epsilon with 8.
COPPICE_HD constexpr int max_growth(int width) { return width <= 4 ? 8 : 16; }
inline constexpr int rank_tolerance = 100;
/// Maximum residual of unused rows, in epsilons relative to the norm of the matrix rows of the segment (the largest row
/// sum of magnitudes) times its largest unknown; solutions of rpts have the same bound. Residuals have a long tail: of
/// 16 000 segments of random matrices one or two, of 4000 with blocks of 8 rows sixty exceed the bound relative to the
/// largest entry, but one in ten matrices, and one of the 4000, relative to the norm.
inline constexpr int max_residual = 32;

/// Whether a condensed segment with entries up to `largest` has grown relative to matrix entries up to `size`. An
/// overflow counts as growth, unless the matrix itself is so large that reflections would overflow, too.
template <class Real>
COPPICE_LANE bool exceeds_growth_bound(Real largest, Real size, int width) {
    Real const maximum = Real(max_growth(width)) * size;
    return !(largest <= maximum) && maximum <= std::numeric_limits<Real>::max();
}

/// Whether the residual of unused rows is more than rounding errors, for rows of the matrix with this norm and unknowns
/// up to `solution`; a lower bound of the norm finds more residuals too large. NaN is not.
template <class Real>
COPPICE_LANE bool exceeds_residual_bound(Real residual, Real norm, Real solution) {
    return residual * (Real(1) / std::numeric_limits<Real>::epsilon()) > Real(max_residual) * norm * solution;
}

/// Sizes of the largest rows of a segment: of single entries, and of the sums of the magnitudes of all entries of a
/// row.
template <class Real>
struct row_sizes {
    Real entry{0}, sum{0};

    template <class Entries>
    COPPICE_LANE void include(int count, Entries const& magnitude_of) {
        Real row(0);
        for (int c = 0; c < count; ++c) {
            Real const size = magnitude_of(c);
            entry = larger(entry, size);
            row = row + size;
        }
        sum = larger(sum, row);
    }
};

/// Largest magnitude of the entries; NaN if one of them is not finite.
template <class T>
class largest_magnitude {
public:
    using real = real_lane_t<T>;
    COPPICE_LANE void include(T const& entry) {
        real const size = magnitude(entry);
        largest_ = larger(largest_, size);
        zero_ = zero_ + size * real(0); // NaN also for an infinity
    }
    COPPICE_LANE real value() const { return largest_ + zero_; }

private:
    real largest_{0}, zero_{0};
};

/// largest_magnitude of plain scalars, compared by their leading bits; cheaper on a GPU.
template <class T>
class largest_bits {
public:
    using real = real_lane_t<T>;
    COPPICE_LANE void include(T const& entry, bool counts = true) {
        bits_ = counts ? larger_of(bits_, magnitude(entry)) : bits_;
    }
    /// Includes the maximum that another lane has found.
    COPPICE_LANE void with(largest_bits const& other, bool counts = true) {
        bits_ = counts && bits_ < other.bits_ ? other.bits_ : bits_;
    }
    COPPICE_LANE real value() const {
        real value;
        from_leading_bits(bits_, value);
        return value;
    }

private:
    COPPICE_LANE static std::int32_t larger_of(std::int32_t bits, real size) {
#if defined(__CUDA_ARCH__)
        if constexpr (sizeof(real) == 4) // one instruction; none is needed for the sign
            return __float_as_int(larger_magnitude(__int_as_float(bits), size));
#endif
        std::int32_t const other = leading_bits(size);
        return bits < other ? other : bits;
    }

    std::int32_t bits_ = 0;
};

/// Reference of the growth test for a condensed segment: the size of the entries of the matrix rows beneath it, and
/// whether any of them was eliminated by Householder reflections.
template <class Real>
struct growth_reference {
    Real size;
    bool by_householder;

    /// Converts from and to the number that is stored with a condensed segment: the size, negative if Householder
    /// reflections were used.
    COPPICE_LANE explicit growth_reference(Real encoded)
        : size(magnitude(encoded)), by_householder(encoded < Real(0)) {}
    COPPICE_LANE growth_reference(Real s, bool r) : size(s), by_householder(r) {}
    COPPICE_LANE Real encoded() const { return by_householder ? -size : size; }

    /// Reference for the merge of two condensed segments.
    COPPICE_LANE growth_reference with(growth_reference const& other) const {
        return {larger(size, other.size), by_householder || other.by_householder};
    }
    /// A pivot of at most this magnitude counts as zero.
    COPPICE_LANE Real tolerance() const { return rank_tolerance * std::numeric_limits<Real>::epsilon() * size; }
};

/// Largest value over the lanes of a team, an exchanging_team; NaN if one of them is not finite. Also a barrier.
template <class Real, class Team>
COPPICE_LANE Real largest_of_team(Team const& team, Real value) {
    if (team.size() == 1) return value;
    team.sync();
    largest_magnitude<Real> all;
    all.include(value);
    combine_lanes(team, [&](int lane) { all.include(team.from(all.value(), lane)); });
    return all.value();
}

} // namespace coppice::inline v0_1::chain
