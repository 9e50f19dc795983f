// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Window (solvers/direct/DESIGN.md) of scalar rows of a banded matrix: a single implementation for a SIMD lane of a
/// CPU core and for a thread of a GPU.
///
/// Row i of a segment has 2 N + 1 entries in columns i ... i + 2 N, counted from N columns before the first row of the
/// segment. The window holds 2 N rows and the entering row; one of them leaves as pivot row, and the entering row is
/// stored in its position. So no other row moves: instead of row exchanges there is one selection for each entry. The
/// first 2 N columns are those of y, the last 2 N those of z. The rows that remain at the end are the condensed rows of
/// the segment, S y + R z = d.
///
/// All loops are meant to be unrolled, and all values to stay in registers.
#pragma once

#include <coppice/solvers/direct/block_banded/elimination/chain_registers.hpp>

namespace coppice::inline v0_1::chain {

/// A row of a segment: its entries, lowest band first, and its right-hand side. A pivot row has the same layout:
/// reciprocal of the pivot, the entries after the pivot, right-hand side.
template <class T, int N>
struct band_row {
    T entry[2 * N + 1];
    T rhs;
};

/// Pivot search in a column: which of the `Width` rows, or the entering row after them, has the largest entry; of equal
/// ones the first. For packs `rows` is one mask for each row. It is a separate array, since an array inside of an
/// object costs registers (3 % of the time of a solve with two bands on each side).
template <class T, int Width, bool IsPack = (lane_count<T> > 1)>
struct front_pivot {
    using mask = decltype(real_lane_t<T>() <= real_lane_t<T>());
    using rows = mask[Width];

    /// Returns true if one of the window rows is the pivot row, false if the entering row is.
    static COPPICE_ALWAYS_INLINE mask find(T const (&column)[Width + 1], rows& here) {
        real_lane_t<T> best = magnitude(column[Width]);
        COPPICE_UNROLL_ALL
        for (int r = 0; r < Width; ++r) best = larger(magnitude(column[r]), best);
        here[0] = best <= magnitude(column[0]);
        mask any = here[0];
        COPPICE_UNROLL_ALL
        for (int r = 1; r < Width; ++r) {
            here[r] = without(best <= magnitude(column[r]), any);
            any = any || here[r];
        }
        return any;
    }
    /// Entry of the pivot row.
    static COPPICE_ALWAYS_INLINE T pick(T const (&column)[Width + 1], rows const& here) {
        T value = column[Width];
        COPPICE_UNROLL_ALL
        for (int r = 0; r < Width; ++r) value = select(here[r], column[r], value);
        return value;
    }
};
/// For a single thread: the row number, by which entries are selected (register_pivot).
template <class T, int Width>
struct front_pivot<T, Width, false> {
    using number = register_pivot<T, Width + 1>;
    struct rows {
        int row;
        COPPICE_LANE bool operator[](int r) const { return r == row; }
    };
    static COPPICE_LANE bool find(T const (&column)[Width + 1], rows& here) {
        here.row = number(column, 0, Width + 1).row;
        return here.row != Width;
    }
    static COPPICE_LANE T pick(T const (&column)[Width + 1], rows const& here) {
        return number(here.row).top(column, 0, Width + 1);
    }
};

/// Elimination options without threshold and scaling.
template <class T>
struct plain_elimination {
    static constexpr bool flush = false;
    real_lane_t<T> threshold{0};
};

/// Window rows, their `Left` columns of y (2 N or none) and their right-hand sides.
template <class T, int N, int Left>
struct band_front {
    static constexpr int width = 2 * N;
    using pivot = front_pivot<T, width>;

    T active[width][width];
    T left[width][Left > 0 ? Left : 1];
    T rhs[width];

    /// Stores the i-th of the first 2 N rows. If the columns of y are not kept, y is known and its terms are subtracted
    /// from the right-hand side.
    COPPICE_LANE void put(int i, band_row<T, N> const& row, T const* y) {
        rhs[i] = row.rhs;
        COPPICE_UNROLL_ALL
        for (int j = 0; j < width; ++j) active[i][j] = j <= i ? row.entry[width + j - i] : T(0);
        COPPICE_UNROLL_ALL
        for (int c = 0; c < width; ++c) {
            if (Left > 0)
                left[i][c] = c >= i ? row.entry[c - i] : T(0);
            else if (c >= i)
                rhs[i] = rhs[i] - row.entry[c - i] * y[c];
        }
    }

    /// Takes `row` in and eliminates the first column by (1) to (4); returns the pivot row.
    template <class How, class Observer>
    COPPICE_LANE band_row<T, N> eliminate(band_row<T, N> const& row, How const& how, Observer const& zero_pivot) {
        T column[width + 1];
        COPPICE_UNROLL_ALL
        for (int r = 0; r < width; ++r) column[r] = active[r][0];
        column[width] = row.entry[0];
        if (how.flush) {
            COPPICE_UNROLL_ALL
            for (T& entry : column) entry = select(magnitude(entry) <= how.threshold, T(0), entry);
        }
        typename pivot::rows here;
        auto const of_front = pivot::find(column, here);
        T const top = pivot::pick(column, here);
        if constexpr (lane_count<T> != 1) report_zero_pivot(top, 0, zero_pivot);
        band_row<T, N> saved;
        saved.entry[0] = safe_reciprocal(top);
        T factor[width];
        COPPICE_UNROLL_ALL
        for (int r = 0; r < width; ++r) factor[r] = -(select(here[r], column[width], column[r]) * saved.entry[0]);
        COPPICE_UNROLL_ALL
        for (int j = 1; j < width; ++j) {
            COPPICE_UNROLL_ALL
            for (int r = 0; r < width; ++r) column[r] = active[r][j];
            column[width] = row.entry[j];
            saved.entry[j] = pivot::pick(column, here);
            COPPICE_UNROLL_ALL
            for (int r = 0; r < width; ++r)
                active[r][j - 1] = select(here[r], column[width], column[r]) + factor[r] * saved.entry[j];
        }
        // Only the entering row has an entry in this column.
        saved.entry[width] = select(of_front, T(0), row.entry[width]);
        COPPICE_UNROLL_ALL
        for (int r = 0; r < width; ++r)
            active[r][width - 1] = select(here[r], row.entry[width], T(0)) + factor[r] * saved.entry[width];
        COPPICE_UNROLL_ALL
        for (int c = 0; c < Left; ++c) {
            COPPICE_UNROLL_ALL
            for (int r = 0; r < width; ++r) column[r] = left[r][c];
            column[width] = T(0); // the entering row has no entries in y
            T const value = pivot::pick(column, here);
            COPPICE_UNROLL_ALL
            for (int r = 0; r < width; ++r) left[r][c] = select(here[r], T(0), left[r][c]) + factor[r] * value;
        }
        COPPICE_UNROLL_ALL
        for (int r = 0; r < width; ++r) column[r] = rhs[r];
        column[width] = row.rhs;
        saved.rhs = pivot::pick(column, here);
        COPPICE_UNROLL_ALL
        for (int r = 0; r < width; ++r) rhs[r] = select(here[r], row.rhs, rhs[r]) + factor[r] * saved.rhs;
        if constexpr (lane_count<T> == 1)
            report_zero_pivot(top, 0, zero_pivot); // placed last, so that nothing waits for this branch
        return saved;
    }
    /// Largest residual of the remaining rows for given z, if y is known.
    COPPICE_LANE real_lane_t<T> largest_residual(T const* z) const {
        real_lane_t<T> largest(0);
        COPPICE_UNROLL_ALL
        for (int r = 0; r < width; ++r) {
            T value = rhs[r];
            COPPICE_UNROLL_ALL
            for (int j = 0; j < width; ++j) value = value - active[r][j] * z[j];
            largest = larger(magnitude(value), largest);
        }
        return largest;
    }
};

/// Window of the rows of a segment that is staged in a Tile (chain_registers.hpp), one row at a time in one thread, for
/// one right-hand side. A model of elimination_window.
template <class T, int N, bool Left, class Team, class Tile>
struct scalar_band_window {
    using real = real_lane_t<T>;
    static constexpr int width = 2 * N;

    Team const& team;
    Tile const& tile;
    T const* y; ///< [W], known if not Left; else null
    elimination<real> const& how;
    band_front<T, N, Left ? width : 0> front;
    band_row<T, N> row;   ///< the entering row, then the pivot row
    largest_bits<T> seen; ///< largest entry of the rows; only if Left

    COPPICE_LANE scalar_band_window(Team const& t, Tile const& from, T const* known, elimination<real> const& e)
        : team(t), tile(from), y(known), how(e) {}

    COPPICE_LANE void load_first(int u) {
        take(u);
        front.put(u, row, y);
    }
    COPPICE_LANE void load(int u) {
        tile.arrive(u);
        take(u);
    }
    template <class Observer>
    COPPICE_LANE void eliminate(Observer const& observer) {
        row = front.eliminate(row, how, observer);
    }
    COPPICE_LANE static void advance() {} // the other rows stay in their positions
    /// As memory_stacks::for_each: the pivot row, or the condensed rows.
    template <class Take>
    COPPICE_LANE void for_each(int count, Take const& take) const {
        constexpr int active = width + 1;
        if (count == 1) {
            COPPICE_UNROLL_ALL
            for (int j = 0; j < active; ++j) take(0, j, row.entry[j]);
            return take(0, active, row.rhs);
        }
        COPPICE_UNROLL_ALL
        for (int r = 0; r < width; ++r) {
            COPPICE_UNROLL_ALL
            for (int j = 0; j < width; ++j) take(r, j, front.active[r][j]);
            COPPICE_UNROLL_ALL
            for (int c = 0; c < width; ++c)
                if (Left) take(r, active + c, front.left[r][c]);
            take(r, Left ? active + width : active, front.rhs[r]);
        }
    }
    /// As register_stacks::largest_residual.
    COPPICE_LANE real largest_residual(T const* z) const { return front.largest_residual(z); }
    COPPICE_LANE real largest_seen() const { return seen.value(); }
    COPPICE_LANE real largest_left() const {
        largest_bits<T> largest;
        COPPICE_UNROLL_ALL
        for (int j = 0; j < width; ++j) {
            COPPICE_UNROLL_ALL
            for (int r = 0; r < width; ++r) {
                largest.include(front.active[r][j]);
                largest.include(front.left[r][j]);
            }
        }
        return largest.value();
    }

private:
    COPPICE_LANE void take(int u) {
        auto const from = take_block_row<1, width>(team, tile, u, how);
        row.rhs = from.rhs(0);
        COPPICE_UNROLL_ALL
        for (int j = 0; j <= width; ++j) {
            row.entry[j] = from.entry(0, j);
            if (Left) seen.include(row.entry[j]);
        }
    }
};

} // namespace coppice::inline v0_1::chain
