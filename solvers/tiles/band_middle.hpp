// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Few rows in as many unknowns, solved by Gaussian elimination with partial pivoting: what both ends of a banded
/// matrix leave in its middle, or a matrix so small that it has nothing else.
#pragma once

#include <coppice/solvers/chain/chain_stage.hpp>

namespace coppice::chain {

/// n rows, of which unknown k is in rows up to k + below; T is float or double.
template <class T>
struct few_rows {
    static constexpr int most = 16;

    int n, below, sides;
    alignas(64) T rows[most][most + most_sides]; ///< right-hand sides, then solutions, from column `most` on

    COPPICE_ALWAYS_INLINE few_rows(int size, int reach, int columns) : n(size), below(reach), sides(columns) {
        for (int r = 0; r < n; ++r)
            for (int c = 0; c < most; ++c) rows[r][c] = T(0);
    }
    /// Multiplies rows by powers of two that make them alike.
    COPPICE_ALWAYS_INLINE void equilibrate() {
        for (int r = 0; r < n; ++r) {
            T largest(0);
            for (int c = 0; c < n; ++c) largest = larger(magnitude(rows[r][c]), largest);
            T const scale = scale_to_one(largest);
            for (int c = 0; c < most + sides; ++c) rows[r][c] *= scale;
        }
    }
    /// Entries of at most `threshold` that are about to be eliminated count as zero. Calls zero_pivot(unknown).
    template <class Tell>
    COPPICE_ALWAYS_INLINE void solve(T threshold, Tell const& zero_pivot) {
        for (int k = 0; k < n; ++k) {
            int const last = k + below < n ? k + below : n - 1;
            int best = k;
            for (int r = k; r <= last; ++r) {
                if (magnitude(rows[r][k]) <= threshold) rows[r][k] = T(0);
                if (magnitude(rows[best][k]) < magnitude(rows[r][k])) best = r;
            }
            if (best != k) exchange(rows[best], rows[k]);
            if (rows[k][k] == T(0)) zero_pivot(k);
            T const reciprocal = safe_reciprocal(rows[k][k]);
            for (int r = k + 1; r <= last; ++r) {
                T const factor = rows[r][k] * reciprocal;
                for (int c = 0; c < most; ++c) // what stands before column k does not matter any more
                    rows[r][c] = rows[r][c] - factor * rows[k][c];
                for (int c = most; c < most + sides; ++c) rows[r][c] = rows[r][c] - factor * rows[k][c];
            }
            rows[k][k] = reciprocal;
        }
        for (int s = most; s < most + sides; ++s)
            for (int k = n - 1; k >= 0; --k) {
                T value = rows[k][s];
                for (int c = n - 1; c > k; --c) value = value - rows[k][c] * rows[c][s];
                rows[k][s] = value * rows[k][k];
            }
    }

private:
    COPPICE_ALWAYS_INLINE static void exchange(T (&a)[most + most_sides], T (&b)[most + most_sides]) {
        for (int c = 0; c < most + most_sides; ++c) {
            T const value = a[c];
            a[c] = b[c];
            b[c] = value;
        }
    }
};

} // namespace coppice::chain
