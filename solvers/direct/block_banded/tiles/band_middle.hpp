// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Few rows in as many unknowns, solved by Gaussian elimination with partial pivoting: what both ends of a banded
/// matrix leave in its middle, or a matrix so small that it has nothing else.
#pragma once

#include <algorithm>

#include <coppice/solvers/direct/block_banded/elimination/chain_level.hpp>
#include <coppice/solvers/direct/block_banded/tiles/band_front.hpp>

namespace coppice::chain {

/// n rows, a row in each lane of columns that lie in memory; T is float or double. Pivot rows leave as their entries
/// are copied, so that no row moves and no branch depends on values. Rows beyond the lanes wait: the next one takes the
/// lane of the pivot row that leaves. It must not hold the unknown that is eliminated then, nor any before.
template <class T, int Lanes, int Most = Lanes>
struct few_rows {
    using column = front_column<T, Lanes>;
    static constexpr int most = Most;

    int n, reach, sides;
    alignas(64) T entry[most + most_sides][Lanes]; ///< [unknown][lane]; right-hand sides from column `most` on
    T later[Most - Lanes + 1][most + most_sides];  ///< [row that waits][unknown or right-hand side]
    T x[most_sides][most];                         ///< solutions

    /// Of `size` rows; a row holds unknowns up to `distance` apart.
    COPPICE_ALWAYS_INLINE few_rows(int size, int distance, int columns) : n(size), reach(distance), sides(columns) {
        for (int c = 0; c < n; ++c) put(entry[c], column(T(0)));
        for (int s = 0; s < sides; ++s) put(entry[most + s], column(T(0)));
        for (int r = Lanes; r < n; ++r)
            for (int c = 0; c < most + sides; ++c) later[r - Lanes][c] = T(0);
    }
    /// Entry of a row in column c; right-hand side s is that in column most + s.
    COPPICE_ALWAYS_INLINE T& at(int row, int c) {
        return Most == Lanes || row < Lanes ? entry[c][row] : later[row - Lanes][c];
    }
    COPPICE_ALWAYS_INLINE T& side(int row, int s) { return at(row, most + s); }

    /// Multiplies rows by powers of two that make them alike.
    COPPICE_ALWAYS_INLINE void equilibrate() {
        column largest(T(0));
        for (int c = 0; c < n; ++c) largest = larger(magnitude(get(entry[c])), largest);
        column const scale = scale_to_one(largest);
        for (int c = 0; c < n; ++c) put(entry[c], get(entry[c]) * scale);
        for (int s = 0; s < sides; ++s) put(entry[most + s], get(entry[most + s]) * scale);
        for (int r = Lanes; r < n; ++r) {
            T* const row = later[r - Lanes];
            T most_of_row(0);
            for (int c = 0; c < n; ++c) most_of_row = larger(magnitude(row[c]), most_of_row);
            T const scale_of_row = scale_to_one(most_of_row);
            for (int c = 0; c < most + sides; ++c) row[c] *= scale_of_row;
        }
    }
    /// Entries of at most `threshold` that are about to be eliminated count as zero. Calls zero_pivot(unknown).
    template <class Tell>
    COPPICE_ALWAYS_INLINE void solve(T threshold, Tell const& zero_pivot) {
        using keys = lane_keys<column>;
        using bits = typename keys::bits;
        using unit = typename keys::unit;
        constexpr int width = column::width, registers = Lanes / width;

        T upper[most][most], reciprocals[most]; // of pivot rows, in the order of elimination
        bits waiting[registers];                // lanes whose row has not been a pivot row: all bits
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
            bool const enters = Most > Lanes && Lanes + k < n;
            T const* const next = later[enters ? k : 0];
            typename column::mask here;
#pragma GCC unroll 8
            for (int r = 0; r < registers; ++r) {
                bits const other = at != keys::own_number() + unit(r * width);
                if constexpr (Most > Lanes) here.m[r] = ~other;
                if (!enters) waiting[r] &= other;
            }
            int const pivot = int(at[0]);
            T const value = threshold > 0 ? get_lane(current, pivot) : entry[k][pivot];
            if (value == T(0)) zero_pivot(k);
            T const reciprocal = reciprocals[k] = safe_reciprocal(value);
            column const factor = current * in_all_lanes<column>(reciprocal);
            // What is left of column c; its entry in the pivot row goes to `kept`.
            auto const leave = [&](int c, T& kept) COPPICE_INLINE_LAMBDA {
                if constexpr (picks) { // not through memory, which has only just been written
                    column const values = get(entry[c]), of_pivot = picked(values, at);
                    kept = get_lane(of_pivot, 0);
                    return values - factor * of_pivot;
                } else {
                    kept = entry[c][pivot];
                    return get(entry[c]) - factor * in_all_lanes<column>(kept);
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
                for (int s = most; s < most + sides; ++s) put(entry[s], enter(s, leave(s, x[s - most][k])));
            } else {
                if (k + 1 < end) put(entry[k + 1], current = leave(k + 1, upper[k][k + 1]));
                for (int c = k + 2; c < end; ++c) put(entry[c], leave(c, upper[k][c]));
                for (int s = most; s < most + sides; ++s) put(entry[s], leave(s, x[s - most][k]));
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
    static constexpr bool picks = COPPICE_HAS_LANE_PICK && Most > Lanes&& Lanes <= 2 * column::width;

    /// The entry of the lane whose number is in all elements of `at`, in all lanes.
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
        __builtin_memcpy(&value, __builtin_assume_aligned(from, alignof(column)), sizeof(column));
        return value;
    }
    COPPICE_ALWAYS_INLINE static void put(T* to, column const& value) {
        __builtin_memcpy(__builtin_assume_aligned(to, alignof(column)), &value, sizeof(column));
    }
};

} // namespace coppice::chain
