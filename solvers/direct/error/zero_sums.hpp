// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Finds matrices that are singular because all rows or all columns sum to zero: Laplacians of a path or cycle with
/// Neumann conditions, rates of a Markov chain. Elimination in the order of LAPACK ends with a zero pivot for them. In
/// any other order it may end with a rounding error, and if the right-hand side is in the range, the solution is not
/// large either.
#pragma once

#include <cstdint>

#include <coppice/core/lane/lane_atomics.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_rows.hpp>
#include <coppice/solvers/direct/error/error_rows.hpp>

namespace coppice::inline v0_1::chain {

/// Which sums of a system are not zero. If all row sums are zero, op(A) 1 = 0; if all column sums are zero, 1^T op(A) =
/// 0. Sums are computed in double, in the order of the columns; a computed sum of zero means that the exact sum is at
/// most the rounding error of the entries.
template <class T>
struct zero_sums {
    static constexpr int directions = 2; ///< rows, columns

    matrix_rows<T> a;
    int* uneven; ///< [system][direction]: whether a nonzero sum was found

    /// Checks the first row and column sum of system s, which excludes nearly all matrices.
    COPPICE_HD void begin(std::int64_t s) const {
        system_location const location = a.batch.system(s);
        uneven[directions * s] = location.rows == 0 || !vanishes(row_sum(location, 0, 0));
        uneven[directions * s + 1] = location.rows == 0 || !vanishes(column_sum(location, 0, 0));
    }
    COPPICE_LANE bool open(std::int64_t s) const {
        return !is_raised(uneven + directions * s) || !is_raised(uneven + directions * s + 1);
    }
    /// Checks the sums of scalar row and column r of block row j, if open(s).
    COPPICE_LANE void check(system_location const& s, std::int64_t j, int r) const {
        if (!a.has_row(s, j, r)) return;
        int* const of = uneven + directions * s.system;
        if (!is_raised(of) && !vanishes(row_sum(s, j, r))) raise_flag(of);
        if (!is_raised(of + 1) && !vanishes(column_sum(s, j, r))) raise_flag(of + 1);
    }

private:
    using wide = decltype(widened(T()));

    COPPICE_LANE static bool vanishes(wide const& sum) { return magnitude(sum) == 0; }
    COPPICE_LANE wide row_sum(system_location const& s, std::int64_t j, int r) const {
        wide sum(0);
        for (int c = 0; c < 3 * a.n; ++c) sum = sum + widened(a.entry(s, j, r, c));
        return sum;
    }
    COPPICE_LANE wide column_sum(system_location const& s, std::int64_t j, int r) const {
        wide sum(0);
        for (int band = 2; band >= 0; --band) { // the entry of the row in column block j
            std::int64_t row = j + 1 - band;
            if (!a.cyclic && (row < 0 || row >= s.rows)) continue;
            row += row < 0 ? s.rows : row >= s.rows ? -s.rows : 0;
            for (int q = 0; q < a.n; ++q)
                if (a.has_row(s, row, q)) sum = sum + widened(a.entry(s, row, q, band * a.n + r));
        }
        return sum;
    }
};

} // namespace coppice::inline v0_1::chain
