// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Gaussian elimination with partial pivoting for the small dense system that both ends of a banded matrix leave in its
/// middle.
#pragma once

#include <coppice/solvers/direct/block_banded/elimination/chain_window.hpp>
#include <coppice/solvers/direct/block_banded/tiles/band_front.hpp>

namespace coppice::inline v0_1::chain {

/// n rows, each in one lane of columns that are stored in memory; T is float or double. Pivot rows are copied out, so
/// that no row moves and no branch depends on values.
template <class T, int Lanes>
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): columns begin at cache lines
struct few_rows {
    using column = front_column<T, Lanes>;

    int n, rhs_count;
    alignas(64) T entry[Lanes + max_rhs][Lanes]; ///< [unknown][lane]; right-hand sides from column `Lanes` on
    T x[max_rhs][Lanes];                         ///< solutions

    COPPICE_ALWAYS_INLINE few_rows(int size, int columns) : n(size), rhs_count(columns) {
        for (int c = 0; c < n; ++c) put(entry[c], column(T(0)));
        for (int s = 0; s < rhs_count; ++s) put(entry[Lanes + s], column(T(0)));
    }
    COPPICE_ALWAYS_INLINE T& rhs(int row, int s) { return entry[Lanes + s][row]; }

    /// Solves the system. At the elimination of a column, its entries of at most `threshold` count as zero. Calls
    /// zero_pivot(unknown) for a column without a pivot.
    template <class Observer>
    COPPICE_ALWAYS_INLINE void solve(T threshold, Observer const& zero_pivot) {
        using integer = typename keys::integer;
        constexpr int width = column::width;

        T upper[Lanes][Lanes], reciprocals[Lanes]; // pivot rows, in the order of elimination
        bits waiting[registers];                   // all bits set in lanes whose row has not been a pivot row
#pragma GCC unroll 8
        for (int r = 0; r < registers; ++r) waiting[r] = keys::own_number() + integer(r * width) < integer(n);
        column current = get(entry[0]);
        for (int k = 0; k < n; ++k) {
            if (threshold > 0) current = select(magnitude(current) <= column(threshold), column(T(0)), current);
            bits const at = pivot_lane(current, waiting);
#pragma GCC unroll 8
            for (int r = 0; r < registers; ++r) waiting[r] &= at != keys::own_number() + integer(r * width);
            int const pivot = int(at[0]);
            T const value = threshold > 0 ? get_lane(current, pivot) : entry[k][pivot];
            if (value == T(0)) zero_pivot(k);
            T const reciprocal = reciprocals[k] = safe_reciprocal(value);
            column const factor = current * in_all_lanes<column>(reciprocal);
            // Returns column c after the elimination; its entry in the pivot row is stored in `saved`.
            auto const leave = [&](int c, T& saved) COPPICE_INLINE_LAMBDA {
                saved = entry[c][pivot];
                return get(entry[c]) - factor * in_all_lanes<column>(saved);
            };
            if (k + 1 < n) put(entry[k + 1], current = leave(k + 1, upper[k][k + 1]));
            for (int c = k + 2; c < n; ++c) put(entry[c], leave(c, upper[k][c]));
            for (int s = Lanes; s < Lanes + rhs_count; ++s) put(entry[s], leave(s, x[s - Lanes][k]));
        }
        substitute(upper, reciprocals);
    }

private:
    using keys = lane_keys<column>;
    using bits = typename keys::bits;
    static constexpr int registers = Lanes / column::width;

    /// The lane of the pivot row of a column, in all elements: of the lanes in `waiting`, that of the largest entry.
    COPPICE_ALWAYS_INLINE static bits pivot_lane(column const& values, bits const (&waiting)[registers]) {
        bits best = keys::key(values, 0, 0) & waiting[0];
#pragma GCC unroll 8
        for (int r = 1; r < registers; ++r)
            best = keys::larger_key(best, keys::key(values, r, r * column::width) & waiting[r]);
        return ~keys::largest(best) & keys::number;
    }
    /// Back substitution through the pivot rows.
    COPPICE_ALWAYS_INLINE void substitute(T const (&upper)[Lanes][Lanes], T const (&reciprocals)[Lanes]) {
        for (int s = 0; s < rhs_count; ++s)
            for (int k = n - 1; k >= 0; --k) {
                T value = x[s][k];
                for (int c = n - 1; c > k; --c) value = value - upper[k][c] * x[s][c];
                x[s][k] = value * reciprocals[k];
            }
    }
    COPPICE_ALWAYS_INLINE static column get(T const* from) {
        column value;
        __builtin_memcpy(value.v, __builtin_assume_aligned(from, alignof(column)), sizeof(column));
        return value;
    }
    COPPICE_ALWAYS_INLINE static void put(T* to, column const& value) {
        __builtin_memcpy(__builtin_assume_aligned(to, alignof(column)), &value, sizeof(column));
    }
};

} // namespace coppice::inline v0_1::chain
