// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Few rows in as many unknowns, solved by Gaussian elimination with partial pivoting: what both ends of a banded
/// matrix leave in its middle, or a matrix so small that it has nothing else.
#pragma once

#include <algorithm>

#include <coppice/solvers/chain/chain_stage.hpp>
#include <coppice/solvers/tiles/band_front.hpp>

namespace coppice::chain {

/// n rows, a row in each lane of columns that lie in memory; T is float or double. Pivot rows leave as their entries
/// are copied, so that no row moves and no branch depends on values.
template <class T, int Lanes>
struct few_rows {
    using column = front_column<T, Lanes>;
    static constexpr int most = Lanes;

    int n, reach, sides;
    alignas(64) T entry[most + most_sides][most]; ///< [unknown][row]; right-hand sides from column `most` on
    alignas(64) T x[most_sides][most];            ///< solutions

    /// Of `size` rows; a row holds unknowns up to `distance` apart.
    COPPICE_ALWAYS_INLINE few_rows(int size, int distance, int columns) : n(size), reach(distance), sides(columns) {
        for (int c = 0; c < n; ++c) put(entry[c], column(T(0)));
        for (int s = 0; s < sides; ++s) put(side(s), column(T(0)));
    }
    COPPICE_ALWAYS_INLINE T* side(int s) { return entry[most + s]; }

    /// Multiplies rows by powers of two that make them alike.
    COPPICE_ALWAYS_INLINE void equilibrate() {
        column largest(T(0));
        for (int c = 0; c < n; ++c) largest = larger(magnitude(get(entry[c])), largest);
        column const scale = scale_to_one(largest);
        for (int c = 0; c < n; ++c) put(entry[c], get(entry[c]) * scale);
        for (int s = 0; s < sides; ++s) put(side(s), get(side(s)) * scale);
    }
    /// Entries of at most `threshold` that are about to be eliminated count as zero. Calls zero_pivot(unknown).
    template <class Tell>
    COPPICE_ALWAYS_INLINE void solve(T threshold, Tell const& zero_pivot) {
        using keys = lane_keys<column>;
        using bits = typename keys::bits;
        using unit = typename keys::unit;
        constexpr int width = column::width, registers = most / width;

        T upper[most][most], reciprocals[most]; // of pivot rows, in the order of elimination
        bits waiting[registers];                // rows that have not been a pivot row: all bits
#pragma GCC unroll 8
        for (int r = 0; r < registers; ++r) waiting[r] = keys::own_number() + unit(r * width) < unit(n);
        column current = get(entry[0]);
        for (int k = 0; k < n; ++k) {
            if (threshold > 0) current = select(magnitude(current) <= column(threshold), column(T(0)), current);
            bits best = keys::key(current, 0, 0) & waiting[0];
#pragma GCC unroll 8
            for (int r = 1; r < registers; ++r)
                best = keys::larger_key(best, keys::key(current, r, r * width) & waiting[r]);
            bits const at = ~keys::largest(best) & keys::number;
#pragma GCC unroll 8
            for (int r = 0; r < registers; ++r) waiting[r] &= at != keys::own_number() + unit(r * width);
            int const pivot = int(at[0]);
            T const value = threshold > 0 ? get_lane(current, pivot) : entry[k][pivot];
            if (value == T(0)) zero_pivot(k);
            T const reciprocal = reciprocals[k] = safe_reciprocal(value);
            column const factor = current * in_all_lanes<column>(reciprocal);
            auto const leave = [&](int c) {
                upper[k][c] = entry[c][pivot];
                column const left = get(entry[c]) - factor * in_all_lanes<column>(upper[k][c]);
                put(entry[c], left);
                return left;
            };
            int const end = std::min(n, k + 1 + reach);
            if (k + 1 < end) current = leave(k + 1);
            for (int c = k + 2; c < end; ++c) leave(c);
            for (int s = 0; s < sides; ++s) {
                x[s][k] = side(s)[pivot];
                put(side(s), get(side(s)) - factor * in_all_lanes<column>(x[s][k]));
            }
        }
        for (int s = 0; s < sides; ++s)
            for (int k = n - 1; k >= 0; --k) {
                T value = x[s][k];
                for (int c = std::min(n, k + 1 + reach) - 1; c > k; --c) value = value - upper[k][c] * x[s][c];
                x[s][k] = value * reciprocals[k];
            }
    }

private:
    COPPICE_ALWAYS_INLINE static column get(T const* from) {
        column value;
        __builtin_memcpy(&value, __builtin_assume_aligned(from, alignof(column)), sizeof(column));
        return value;
    }
    COPPICE_ALWAYS_INLINE static void put(T* to, column const& value) {
        __builtin_memcpy(__builtin_assume_aligned(to, alignof(column)), &value, sizeof(column));
    }
};

} // namespace coppice::chain
