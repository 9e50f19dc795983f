// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Growth in stretches of the chain solver: when a stretch is eliminated by reflections instead of by pivoting.
///
/// While the inner unknowns of a stretch are eliminated, rows carry what they know of y, the unknowns before it, along.
/// That is the elimination of a two-point boundary value problem, and with partial pivoting these columns may grow
/// exponentially with the length of the stretch though the matrix is well-conditioned (S. J. Wright, SIAM J. Sci. Stat.
/// Comput. 14 (1993), 231-238); in a matrix kept whole they would not be there. Reflections do not let them grow
/// (structured orthogonal factorization: S. J. Wright, ibid. 13 (1992), 742-764).
///
/// With G A = [S 0 R], where A are the rows of a stretch and G the multiples of them that make up the rows that are
/// left, rounding errors arrive there times |G|. Pivoting leaves some rows of G with an entry 1, so |G| is at least 1;
/// for any q, |q A| >= |q| / |A^-1|, so entries of S and R that did not grow say that G did not, up to the condition of
/// the matrix. So the link is looked at: where it is larger than most_growth(W) times the entries of the matrix that it
/// stands for, the stretch is eliminated again by reflections, both in the reduction and in the substitution, where
/// pivoting would not satisfy the rows that y and z make redundant. Every link keeps the size of the entries of the
/// matrix, not of the links, under it: growth does not add up over the stages. (Where rows are scaled to 1 before every
/// elimination, their size is 1 and growth is bounded stage by stage.)
///
/// Reflections find no exact zeros. Where they were used, a pivot up to `rank_tolerance` epsilons of the size counts as
/// none: the matrix is singular to within the backward error that a solution is allowed, or has a condition number
/// beyond 10^13 (10^5 in single precision).
#pragma once

#include <cstdint>
#include <limits>

#include <coppice/core/lane/lane_access.hpp>

namespace coppice::chain {

/// How often larger than the matrix a link of W = `width` unknowns on either side may be. A GPU waits for one stretch
/// that is eliminated by reflections as long as for all other stretches, so few stretches should be: of 200 000 links
/// of random matrices, one is larger than this with W up to 8, one in 300 with W = 16; the median is 0.8 to 3.2 times
/// the matrix. Boundary value problems with modes of many rates reach backward errors of 8 epsilon where W is up to 4
/// and of 30 beyond; if 32 were allowed, 58 where W is 8 and 103 beyond. Bands of (1, 1, 1e-4, 1, 1), W = 4, reach 31
/// epsilon if 16 were allowed, and 1 with 8.
COPPICE_HD constexpr int most_growth(int width) { return width <= 4 ? 8 : 16; }
inline constexpr int rank_tolerance = 100;

/// Whether a link with entries up to `largest` has grown beside a matrix of entries up to `size`. An overflow counts as
/// growth, but not where the matrix itself is so large that reflections would overflow, too.
template <class Real>
COPPICE_HD COPPICE_ALWAYS_INLINE bool has_grown(Real largest, Real size, int width) {
    Real const most = Real(most_growth(width)) * size;
    return !(largest <= most) && most <= std::numeric_limits<Real>::max();
}

/// The largest magnitude of entries; NaN where one of them is not finite.
template <class T>
class largest_magnitude {
public:
    using real = real_lane_t<T>;
    COPPICE_HD COPPICE_ALWAYS_INLINE void look_at(T const& entry) {
        real const size = magnitude(entry);
        largest_ = larger(largest_, size);
        zero_ = zero_ + size * real(0); // NaN from an infinity, too
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE real value() const { return largest_ + zero_; }

private:
    real largest_{0}, zero_{0};
};

/// largest_magnitude of plain scalars by their leading bits, which costs a GPU less.
template <class T>
class largest_bits {
public:
    using real = real_lane_t<T>;
    COPPICE_HD COPPICE_ALWAYS_INLINE void look_at(T const& entry, bool counts = true) {
        bits_ = counts ? larger_of(bits_, magnitude(entry)) : bits_;
    }
    /// Takes in what another lane has looked at.
    COPPICE_HD COPPICE_ALWAYS_INLINE void with(largest_bits const& other, bool counts = true) {
        bits_ = counts && bits_ < other.bits_ ? other.bits_ : bits_;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE real value() const {
        real value;
        from_leading_bits(bits_, value);
        return value;
    }

private:
    COPPICE_HD COPPICE_ALWAYS_INLINE static std::int32_t larger_of(std::int32_t bits, real size) {
#if defined(__CUDA_ARCH__)
        if constexpr (sizeof(real) == 4) // one instruction, without one for the sign
            return __float_as_int(larger_magnitude(__int_as_float(bits), size));
#endif
        std::int32_t const other = leading_bits(size);
        return bits < other ? other : bits;
    }

    std::int32_t bits_ = 0;
};

/// What a link knows of the matrix under it: the size of its entries, and whether anything was reflected.
template <class Real>
struct link_size {
    Real size;
    bool reflected;

    /// From and to one number, the mark that is stored with a link: minus the size where anything was reflected.
    COPPICE_HD COPPICE_ALWAYS_INLINE explicit link_size(Real mark) : size(magnitude(mark)), reflected(mark < Real(0)) {}
    COPPICE_HD COPPICE_ALWAYS_INLINE link_size(Real s, bool r) : size(s), reflected(r) {}
    COPPICE_HD COPPICE_ALWAYS_INLINE Real mark() const { return reflected ? -size : size; }

    /// Of two links that become one.
    COPPICE_HD COPPICE_ALWAYS_INLINE link_size with(link_size const& other) const {
        return {larger(size, other.size), reflected || other.reflected};
    }
    /// A pivot up to this size counts as no pivot.
    COPPICE_HD COPPICE_ALWAYS_INLINE Real tolerance() const {
        return rank_tolerance * std::numeric_limits<Real>::epsilon() * size;
    }
};

/// The largest of the values of the lanes of a team; `memory` has room for one value of each lane.
template <class Real, class Team>
COPPICE_HD COPPICE_ALWAYS_INLINE Real largest_of_team(Team const& team, Real value, void* memory) {
    if (team.size() == 1) return value;
    auto* const scratch = static_cast<Real*>(memory);
    team.sync();
    scratch[team.rank()] = value;
    team.sync();
    largest_magnitude<Real> all;
    for (int i = 0; i < team.size(); ++i) all.look_at(scratch[i]);
    team.sync();
    return all.value();
}

} // namespace coppice::chain
