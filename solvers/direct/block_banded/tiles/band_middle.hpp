// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Gaussian elimination with partial pivoting for a small dense system: the rows that both ends of a banded matrix
/// leave in its middle, or a matrix that is small enough as a whole.
#pragma once

#include <algorithm>

#include <coppice/solvers/direct/block_banded/elimination/chain_window.hpp>
#include <coppice/solvers/direct/block_banded/tiles/band_front.hpp>

namespace coppice::inline v0_1::chain {

/// n rows, each in one lane of columns that are stored in memory; T is float or double. Pivot rows are copied out, so
/// that no row moves and no branch depends on values. If there are more rows than lanes, the further rows wait: the
/// next one takes the lane of the pivot row that has left. It must not contain the unknown that is eliminated at that
/// step, nor any earlier one.
template <class T, int Lanes, int Max = Lanes>
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): columns begin at cache lines
struct few_rows {
    using column = front_column<T, Lanes>;
    static constexpr int maximum = Max;

    int n, reach, rhs_count;
    alignas(64) T entry[maximum + max_rhs][Lanes]; ///< [unknown][lane]; right-hand sides from column `maximum` on
    T later[Max - Lanes + 1][maximum + max_rhs];   ///< [waiting row][unknown or right-hand side]
    T x[max_rhs][maximum];                         ///< solutions

    /// `size` rows; the unknowns of a row are at most `distance` apart.
    COPPICE_ALWAYS_INLINE few_rows(int size, int distance, int columns) : n(size), reach(distance), rhs_count(columns) {
        for (int c = 0; c < n; ++c) put(entry[c], column(T(0)));
        for (int s = 0; s < rhs_count; ++s) put(entry[maximum + s], column(T(0)));
        for (int r = Lanes; r < n; ++r)
            for (int c = 0; c < maximum + rhs_count; ++c) later[r - Lanes][c] = T(0);
    }
    /// Element of a row: for c < n its coefficient of unknown c, for c = maximum + s its element of right-hand side s.
    COPPICE_ALWAYS_INLINE T& at(int row, int c) {
        return Max == Lanes || row < Lanes ? entry[c][row] : later[row - Lanes][c];
    }
    COPPICE_ALWAYS_INLINE T& rhs(int row, int s) { return at(row, maximum + s); }

    /// Scales rows by powers of two so that their largest entries are about 1.
    COPPICE_ALWAYS_INLINE void equilibrate() {
        column largest(T(0));
        for (int c = 0; c < n; ++c) largest = larger(magnitude(get(entry[c])), largest);
        column const scale = scale_to_one(largest);
        for (int c = 0; c < n; ++c) put(entry[c], get(entry[c]) * scale);
        for (int s = 0; s < rhs_count; ++s) put(entry[maximum + s], get(entry[maximum + s]) * scale);
        for (int r = Lanes; r < n; ++r) {
            T* const row = later[r - Lanes];
            T max_of_row(0);
            for (int c = 0; c < n; ++c) max_of_row = larger(magnitude(row[c]), max_of_row);
            T const scale_of_row = scale_to_one(max_of_row);
            for (int c = 0; c < maximum + rhs_count; ++c) row[c] *= scale_of_row;
        }
    }
    /// Solves the system. At the elimination of a column, its entries of at most `threshold` count as zero. Calls
    /// zero_pivot(unknown) for a column without a pivot.
    template <class Observer>
    COPPICE_ALWAYS_INLINE void solve(T threshold, Observer const& zero_pivot) {
        using integer = typename keys::integer;
        constexpr int width = column::width;

        T upper[maximum][maximum], reciprocals[maximum]; // pivot rows, in the order of elimination
        bits waiting[registers];                         // all bits set in lanes whose row has not been a pivot row
#pragma GCC unroll 8
        for (int r = 0; r < registers; ++r) waiting[r] = keys::own_number() + integer(r * width) < integer(n);
        column current = get(entry[0]);
        for (int k = 0; k < n; ++k) {
            if (threshold > 0) current = select(magnitude(current) <= column(threshold), column(T(0)), current);
            bits const at = pivot_lane(current, waiting);
            bool const enters = Max > Lanes && Lanes + k < n;
            T const* const next = later[enters ? k : 0];
            typename column::mask here;
#pragma GCC unroll 8
            for (int r = 0; r < registers; ++r) {
                bits const other = at != keys::own_number() + integer(r * width);
                if constexpr (Max > Lanes) here.m[r] = ~other;
                if (!enters) waiting[r] &= other;
            }
            int const pivot = int(at[0]);
            T const value = threshold > 0 ? get_lane(current, pivot) : entry[k][pivot];
            if (value == T(0)) zero_pivot(k);
            T const reciprocal = reciprocals[k] = safe_reciprocal(value);
            column const factor = current * in_all_lanes<column>(reciprocal);
            // Returns column c after the elimination; its entry in the pivot row is stored in `saved`.
            auto const leave = [&](int c, T& saved) COPPICE_INLINE_LAMBDA {
                if constexpr (picks) { // not through memory, which has just been written
                    column const values = get(entry[c]), of_pivot = picked(values, at);
                    saved = get_lane(of_pivot, 0);
                    return values - factor * of_pivot;
                } else {
                    saved = entry[c][pivot];
                    return get(entry[c]) - factor * in_all_lanes<column>(saved);
                }
            };
            auto const enter = [&](int c, column const& values) COPPICE_INLINE_LAMBDA {
                return select(here, in_all_lanes<column>(next[c]), values);
            };
            int const end = std::min(n, k + 1 + reach);
            if (enters) {
                if (k + 1 < end) put(entry[k + 1], current = enter(k + 1, leave(k + 1, upper[k][k + 1])));
                for (int c = k + 2; c < end; ++c) put(entry[c], enter(c, leave(c, upper[k][c])));
                for (int c = end; c < n; ++c) put(entry[c], enter(c, get(entry[c])));
                for (int s = maximum; s < maximum + rhs_count; ++s)
                    put(entry[s], enter(s, leave(s, x[s - maximum][k])));
            } else {
                if (k + 1 < end) put(entry[k + 1], current = leave(k + 1, upper[k][k + 1]));
                for (int c = k + 2; c < end; ++c) put(entry[c], leave(c, upper[k][c]));
                for (int s = maximum; s < maximum + rhs_count; ++s) put(entry[s], leave(s, x[s - maximum][k]));
            }
        }
        substitute(upper, reciprocals);
    }

private:
    using keys = lane_keys<column>;
    using bits = typename keys::bits;
    static constexpr int registers = Lanes / column::width;
    static constexpr bool picks = COPPICE_HAS_LANE_PICK && Max > Lanes&& Lanes <= 2 * column::width;

    /// The lane of the pivot row of a column, in all elements: of the lanes in `waiting`, that of the largest entry.
    COPPICE_ALWAYS_INLINE static bits pivot_lane(column const& values, bits const (&waiting)[registers]) {
        bits best = keys::key(values, 0, 0) & waiting[0];
#pragma GCC unroll 8
        for (int r = 1; r < registers; ++r)
            best = keys::larger_key(best, keys::key(values, r, r * column::width) & waiting[r]);
        return ~keys::largest(best) & keys::number;
    }
    /// Back substitution through the pivot rows.
    COPPICE_ALWAYS_INLINE void substitute(T const (&upper)[maximum][maximum], T const (&reciprocals)[maximum]) {
        for (int s = 0; s < rhs_count; ++s)
            for (int k = n - 1; k >= 0; --k) {
                T value = x[s][k];
                for (int c = std::min(n, k + 1 + reach) - 1; c > k; --c) value = value - upper[k][c] * x[s][c];
                x[s][k] = value * reciprocals[k];
            }
    }
    /// The entry of the lane whose index is in all elements of `at`, in all lanes.
    COPPICE_ALWAYS_INLINE static column picked(column const& values, typename column::bits const& at) {
        column all;
        if constexpr (Lanes == column::width)
            all.v[0] = __builtin_shuffle(values.v[0], at);
        else
            all.v[0] = __builtin_shuffle(values.v[0], values.v[1], at);
#pragma GCC unroll 8
        for (int r = 1; r < Lanes / column::width; ++r) all.v[r] = all.v[0];
        return all;
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
