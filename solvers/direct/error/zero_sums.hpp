// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Matrices that are singular because their rows or their columns sum to zero: the Laplacian of a path or a ring whose
/// ends are free (Neumann conditions), the rates of a Markov chain. Elimination in LAPACK's order ends in a zero there;
/// in any other order it may end in rounding, and a right-hand side in the range then leaves no large solution either.
#pragma once

#include <cstdint>

#include <coppice/core/lane/lane_atomics.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_rows.hpp>
#include <coppice/solvers/direct/error/error_rows.hpp>

namespace coppice::chain {

/// Which sums of a system are not zero. With all rows op(A) 1 = 0, with all columns 1^T op(A) = 0. Sums are formed in
/// double, in the order of the columns: what is zero there differs from zero by rounding of the entries at most.
template <class T>
struct zero_sums {
    static constexpr int directions = 2; ///< rows, columns

    matrix_rows<T> a;
    int* uneven; ///< [system][direction]: whether a sum is known not to be zero

    /// The first sums of system s, which tell of nearly all matrices that they are none of these.
    COPPICE_HD void begin(std::int64_t s) const {
        system_place const place = a.batch.system(s);
        uneven[directions * s] = place.rows == 0 || !vanishes(row_sum(place, 0, 0));
        uneven[directions * s + 1] = place.rows == 0 || !vanishes(column_sum(place, 0, 0));
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool open(std::int64_t s) const {
        return !is_raised(uneven + directions * s) || !is_raised(uneven + directions * s + 1);
    }
    /// The sums of scalar row and column r of block row j; open(s).
    COPPICE_HD COPPICE_ALWAYS_INLINE void look(system_place const& s, std::int64_t j, int r) const {
        if (!a.has_row(s, j, r)) return;
        int* const of = uneven + directions * s.system;
        if (!is_raised(of) && !vanishes(row_sum(s, j, r))) raise_flag(of);
        if (!is_raised(of + 1) && !vanishes(column_sum(s, j, r))) raise_flag(of + 1);
    }

private:
    using wide = decltype(widened(T()));

    COPPICE_HD COPPICE_ALWAYS_INLINE static bool vanishes(wide const& sum) { return magnitude(sum) == 0; }
    COPPICE_HD COPPICE_ALWAYS_INLINE wide row_sum(system_place const& s, std::int64_t j, int r) const {
        wide sum(0);
        for (int c = 0; c < 3 * a.n; ++c) sum = sum + widened(a.entry(s, j, r, c));
        return sum;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE wide column_sum(system_place const& s, std::int64_t j, int r) const {
        wide sum(0);
        for (int part = 2; part >= 0; --part) { // of the entries of a row, that with column block j
            std::int64_t row = j + 1 - part;
            if (!a.cyclic && (row < 0 || row >= s.rows)) continue;
            row += row < 0 ? s.rows : row >= s.rows ? -s.rows : 0;
            for (int q = 0; q < a.n; ++q)
                if (a.has_row(s, row, q)) sum = sum + widened(a.entry(s, row, q, part * a.n + r));
        }
        return sum;
    }
};

} // namespace coppice::chain
