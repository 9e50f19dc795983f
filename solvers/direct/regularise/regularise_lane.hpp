// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What one worker does when tridiagonal_mender looks for singular pieces and mends them.
#pragma once

#include <limits>

#include <coppice/algebra/random.hpp>
#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/algebra/tridiagonal.hpp>
#include <coppice/core/lane/lane_math.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::detail {

/// What a look at the rows of a system finds. Two whole words: no padding, which a device would copy without having
/// written it.
struct system_health {
    double largest; ///< magnitude of an entry; NaN where there is one
    /// 1: every diagonal entry outweighs the rest of its row, by more than rounding can take away
    std::int64_t dominant;
};
struct worse_health {
    COPPICE_HD system_health operator()(system_health const& a, system_health const& b) const {
        return {maximum{}(a.largest, b.largest), a.dominant & b.dominant};
    }
};
template <class T>
struct health_of_row {
    static constexpr double margin = 1 + 0x1p-20;

    tridiagonal_view<T> a;
    COPPICE_HD system_health operator()(std::int64_t i) const {
        double const lower = i > 0 ? double(magnitude(a.lower[i])) : 0.0;
        double const upper = i + 1 < a.size() ? double(magnitude(a.upper[i])) : 0.0;
        double const middle = magnitude(a.diagonal[i]);
        maximum const larger_or_nan;
        return {larger_or_nan(larger_or_nan(lower, upper), middle), middle > 0 && middle >= margin * (lower + upper)};
    }
};
template <class T>
struct largest_entry_of_row {
    tridiagonal_view<T> a;
    COPPICE_HD double operator()(std::int64_t i) const {
        maximum const larger_or_nan;
        double const beside = larger_or_nan(i > 0 ? double(magnitude(a.lower[i])) : 0.0,
                                            i + 1 < a.size() ? double(magnitude(a.upper[i])) : 0.0);
        return larger_or_nan(beside, double(magnitude(a.diagonal[i])));
    }
};

/// A system that is solved to see what comes out: the matrix near one, and a random right-hand side, as large as the
/// rows are, so small that a pivot of zero gives a large result, not an infinite one that would reach other paths.
template <class T>
struct tridiagonal_probe {
    static constexpr int exponents = std::numeric_limits<T>::max_exponent;
    static constexpr double shrink = exponents > 128 ? 0x1p-500 : 0x1p-60; ///< of the right-hand side

    tridiagonal_view<T> a;
    double scale;        ///< a power of two
    double cancellation; ///< share of its terms that a row may cancel to; 0 allows any
    T *lower, *diagonal, *upper, *rhs, *solution;

    /// Fills row i. Corners are left out, so that rows outside do not matter.
    COPPICE_HD void operator()(std::int64_t i) const {
        lower[i] = i > 0 ? T(scale * double(a.lower[i])) : T(0);
        diagonal[i] = T(scale * double(a.diagonal[i]));
        upper[i] = i + 1 < a.size() ? T(scale * double(a.upper[i])) : T(0);
        random_stream const random(0, 7);
        rhs[i] = side(i, random.bits(std::uint64_t(i)) & 1);
    }
    /// The right-hand side of row i.
    COPPICE_HD T side(std::int64_t i, bool negative) const {
        double const size = scale * largest_entry_of_row<T>{a}(i);
        random_stream const random(0, 7);
        double const draw = random.uniform(std::uint64_t(i), 0.5, 1.0);
        return T(shrink * (size > shrink ? size : shrink) * (negative ? -draw : draw));
    }
    /// Does row i show that the matrix is nearly singular? Its terms cancel to working precision, whatever the scale of
    /// rows and unknowns is, or its unknown is beyond all bounds, as where no pivot holds it.
    COPPICE_HD bool breaks(std::int64_t i) const {
        if (i < 0 || i >= a.size()) return false;
        double const here = magnitude(solution[i]);
        double terms = double(magnitude(diagonal[i])) * here;
        if (i > 0) terms += term(lower[i], solution[i - 1]);
        if (i + 1 < a.size()) terms += term(upper[i], solution[i + 1]);
        double const right = magnitude(rhs[i]);
        return !(cancellation * terms <= right && here <= 1);
    }
    /// Zero where nothing couples: another piece may have no finite solution.
    COPPICE_HD static double term(T coefficient, T x) {
        return coefficient == T(0) ? 0.0 : double(magnitude(coefficient)) * double(magnitude(x));
    }
};

/// The pieces of a system: stretches of rows that no coupling joins with the rest. A piece is mended as a whole, where
/// any of its rows breaks: which of them do is a matter of rounding, whether any does is not.
template <class T>
struct begins_piece {
    tridiagonal_view<T> a;
    COPPICE_HD bool operator()(std::int64_t i) const {
        return i == 0 || (a.lower[i] == T(0) && a.upper[i - 1] == T(0));
    }
};
template <class T>
struct store_piece {
    begins_piece<T> begins;
    std::int32_t* piece;
    COPPICE_HD void operator()(std::int64_t i, std::int64_t before) const {
        piece[i] = std::int32_t(before + (begins(i) ? 1 : 0) - 1);
    }
};
struct store_piece_start {
    std::int32_t* starts;
    COPPICE_HD void operator()(std::int64_t p, std::int64_t i) const { starts[p] = std::int32_t(i); }
};
/// Marks the rows that break, beside those marked before, and counts both.
template <class T>
struct mark_broken {
    tridiagonal_probe<T> probe;
    bool first;
    std::uint8_t* broken;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const {
        broken[i] = probe.breaks(i) || (!first && broken[i]) ? 1 : 0;
        return broken[i];
    }
};
/// The next right-hand side has the signs of the solution to the last one. A random one can be nearly orthogonal to
/// what a singular piece amplifies; this one, along what it has amplified, is not where the piece is near to symmetric
/// (the step of Hager's estimate of a condition, 1984).
template <class T>
struct turn_side {
    tridiagonal_probe<T> probe;
    COPPICE_HD void operator()(std::int64_t i) const { probe.rhs[i] = probe.side(i, probe.solution[i] < T(0)); }
};
/// Whether piece p has at most `longest` rows and one of them breaks.
COPPICE_HD inline bool piece_breaks(std::int32_t const* starts, std::int32_t const* broken_before, std::int64_t p,
                                    std::int32_t longest) {
    std::int32_t const first = starts[p], end = starts[p + 1];
    return end - first <= longest && broken_before[end] > broken_before[first];
}

/// Looks again, on its own, at a piece that breaks: beside a singular piece others break too where a solver takes its
/// pivots from all rows of a system. By elimination with partial pivoting, one worker a piece; for pieces that are not
/// long.
template <class T>
struct examine_piece {
    static constexpr std::int32_t longest = 1024; ///< rows

    tridiagonal_probe<T> probe;
    std::int32_t const *starts, *broken_before;
    std::uint8_t* broken;

    /// Whether piece p is one of those.
    COPPICE_HD bool suspected(std::int64_t p) const { return piece_breaks(starts, broken_before, p, longest); }
    COPPICE_HD void operator()(std::int64_t p) const {
        if (!suspected(p)) return;
        std::int64_t const first = starts[p], end = starts[p + 1];
        bool breaks = false;
        for (int side = 0; side < 2; ++side) {
            for (std::int64_t i = first; i < end; ++i) {
                bool const negative = probe.solution[i] < T(0);
                probe(i);
                if (side > 0) probe.rhs[i] = probe.side(i, negative);
            }
            solve(first, end);
            for (std::int64_t i = first; i < end; ++i) {
                T const right = probe.rhs[i];
                probe(i); // the bands are used up
                probe.rhs[i] = right;
            }
            for (std::int64_t i = first; i < end; ++i) breaks = breaks || probe.breaks(i);
        }
        for (std::int64_t i = first; i < end; ++i) broken[i] = breaks ? 1 : 0;
    }

private:
    /// As LAPACK's gtsv; uses up the bands. A pivot of zero counts as the smallest normal number.
    COPPICE_HD void solve(std::int64_t first, std::int64_t end) const {
        T *const lower = probe.lower, *const diagonal = probe.diagonal, *const upper = probe.upper,
                 *const x = probe.solution;
        for (std::int64_t i = first; i < end; ++i) x[i] = probe.rhs[i];
        for (std::int64_t i = first; i + 1 < end; ++i) { // lower[i] becomes the second entry above the diagonal
            T const below = lower[i + 1];
            lower[i] = T(0);
            if (magnitude(below) > magnitude(diagonal[i])) {
                T const factor = diagonal[i] / below, middle = diagonal[i + 1], side = x[i];
                lower[i] = upper[i + 1];
                diagonal[i] = below;
                diagonal[i + 1] = upper[i] - factor * middle;
                upper[i + 1] = -factor * lower[i];
                upper[i] = middle;
                x[i] = x[i + 1];
                x[i + 1] = side - factor * x[i];
            } else {
                T const factor = below * safe_reciprocal(diagonal[i]);
                diagonal[i + 1] -= factor * upper[i];
                x[i + 1] -= factor * x[i];
            }
        }
        for (std::int64_t i = end - 1; i >= first; --i) {
            T value = x[i];
            if (i + 1 < end) value -= upper[i] * x[i + 1];
            if (i + 2 < end) value -= lower[i] * x[i + 2];
            x[i] = value * safe_reciprocal(diagonal[i]);
        }
    }
};
/// Whether there is a piece that has been looked at so and breaks.
template <class T>
struct breaks_alone {
    examine_piece<T> pieces;
    COPPICE_HD std::int64_t operator()(std::int64_t p) const { return pieces.suspected(p) ? 1 : 0; }
};
struct store_broken {
    std::int32_t* before;
    COPPICE_HD void operator()(std::int64_t i, std::int64_t count) const { before[i] = std::int32_t(count); }
};
/// Whether the piece of row i is mended.
struct mended_pieces {
    std::int32_t const *piece, *starts, *broken_before;
    std::int32_t longest; ///< rows of a piece that is mended
    COPPICE_HD bool operator()(std::int64_t i) const { return piece_breaks(starts, broken_before, piece[i], longest); }
};
struct count_mended {
    mended_pieces mends;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const { return mends(i) ? 1 : 0; }
};

/// Makes the diagonal entry of a row that is to be mended a little larger than the entries beside it.
template <class T>
struct strengthen_pivot {
    tridiagonal_probe<T> probe;
    mended_pieces mends;
    double unit; ///< about the largest entry; the pivot of a row without any
    T* diagonal; ///< of the system itself
    COPPICE_HD void operator()(std::int64_t i) const {
        if (!mends(i)) return;
        double const old = diagonal[i];
        double const beside = (i > 0 ? double(magnitude(probe.a.lower[i])) : 0.0) +
                              (i + 1 < probe.a.size() ? double(magnitude(probe.a.upper[i])) : 0.0);
        double size = old < 0 ? -old : old;
        size = size > beside ? size : beside;
        size = size > unit * probe.shrink ? (1 + 0x1p-6) * size : unit;
        diagonal[i] = T(old < 0 ? -size : size);
    }
};

} // namespace coppice::detail
