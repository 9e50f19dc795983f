// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A window (words.md) of scalar rows of a banded matrix, one text for a SIMD lane of a CPU core and for a thread of a
/// GPU.
///
/// Row i of a stretch has its 2 N + 1 entries in columns i ... i + 2 N, counted from N columns before the first row of
/// the stretch. So the window is 2 N rows and the row that joins them, and one of them leaves as pivot row. The joining
/// row takes the place of the pivot row, so no other row moves: a selection for each entry, whether its row was the
/// pivot row, is all that is left of the exchanges. The first 2 N columns are y, the last 2 N are z, and what remains
/// is the link of the stretch, S y + R z = d.
///
/// Everything here is meant to be unrolled and to stay in registers.
#pragma once

#include <coppice/solvers/direct/block_banded/elimination/chain_registers.hpp>

namespace coppice::chain {

/// A row of a stretch: its entries from the lowest band up, its right-hand side. Pivot rows take their place:
/// reciprocal of the pivot, the entries behind it, right-hand side.
template <class T, int N>
struct band_row {
    T entry[2 * N + 1];
    T rhs;
};

/// Which of the `Width` rows of a column has the largest entry, or whether the row that joins, behind them, has; of
/// equal ones the first. In packs `rows` is a mask for each row: an array of its own, as one in an object costs the
/// compiler registers (3 % of a solve with two bands on a side).
template <class T, int Width, bool IsPack = (lane_count<T> > 1)>
struct front_pivot {
    using mask = decltype(real_lane_t<T>() <= real_lane_t<T>());
    using rows = mask[Width];

    /// Returns whether one of the rows is the pivot row, not the row that joins.
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
    /// The entry of the pivot row.
    static COPPICE_ALWAYS_INLINE T pick(T const (&column)[Width + 1], rows const& here) {
        T value = column[Width];
        COPPICE_UNROLL_ALL
        for (int r = 0; r < Width; ++r) value = select(here[r], column[r], value);
        return value;
    }
};
/// In a thread the number of the row, by which entries are selected (register_pivot).
template <class T, int Width>
struct front_pivot<T, Width, false> {
    using number = register_pivot<T, Width + 1>;
    struct rows {
        int row;
        COPPICE_HD COPPICE_ALWAYS_INLINE bool operator[](int r) const { return r == row; }
    };
    static COPPICE_HD COPPICE_ALWAYS_INLINE bool find(T const (&column)[Width + 1], rows& here) {
        here.row = number(column, 0, Width + 1).row;
        return here.row != Width;
    }
    static COPPICE_HD COPPICE_ALWAYS_INLINE T pick(T const (&column)[Width + 1], rows const& here) {
        return number(here.row).top(column, 0, Width + 1);
    }
};

/// An elimination that takes entries as they are.
template <class T>
struct plain_elimination {
    static constexpr bool flush = false;
    real_lane_t<T> threshold{0};
};

/// Rows under elimination, their `Left` columns of y (2 N or none) and right-hand sides.
template <class T, int N, int Left>
struct band_front {
    static constexpr int width = 2 * N;
    using pivot = front_pivot<T, width>;

    T active[width][width];
    T left[width][Left > 0 ? Left : 1];
    T rhs[width];

    /// Puts the i-th of the first 2 N rows; where y is not carried along it is known and goes to the right-hand side.
    COPPICE_HD COPPICE_ALWAYS_INLINE void put(int i, band_row<T, N> const& row, T const* y) {
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

    /// Takes `row` in and eliminates the first column, (1) to (4); returns what was eliminated with.
    template <class How, class Tell>
    COPPICE_HD COPPICE_ALWAYS_INLINE band_row<T, N> eliminate(band_row<T, N> const& row, How const& how,
                                                              Tell const& zero_pivot) {
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
        if constexpr (lane_count<T> != 1) tell_of_zero(top, 0, zero_pivot);
        band_row<T, N> kept;
        kept.entry[0] = safe_reciprocal(top);
        T factor[width];
        COPPICE_UNROLL_ALL
        for (int r = 0; r < width; ++r) factor[r] = -(select(here[r], column[width], column[r]) * kept.entry[0]);
        COPPICE_UNROLL_ALL
        for (int j = 1; j < width; ++j) {
            COPPICE_UNROLL_ALL
            for (int r = 0; r < width; ++r) column[r] = active[r][j];
            column[width] = row.entry[j];
            kept.entry[j] = pivot::pick(column, here);
            COPPICE_UNROLL_ALL
            for (int r = 0; r < width; ++r)
                active[r][j - 1] = select(here[r], column[width], column[r]) + factor[r] * kept.entry[j];
        }
        // None but the row that joins reaches that far.
        kept.entry[width] = select(of_front, T(0), row.entry[width]);
        COPPICE_UNROLL_ALL
        for (int r = 0; r < width; ++r)
            active[r][width - 1] = select(here[r], row.entry[width], T(0)) + factor[r] * kept.entry[width];
        COPPICE_UNROLL_ALL
        for (int c = 0; c < Left; ++c) {
            COPPICE_UNROLL_ALL
            for (int r = 0; r < width; ++r) column[r] = left[r][c];
            column[width] = T(0); // the row that joins is behind y
            T const value = pivot::pick(column, here);
            COPPICE_UNROLL_ALL
            for (int r = 0; r < width; ++r) left[r][c] = select(here[r], T(0), left[r][c]) + factor[r] * value;
        }
        COPPICE_UNROLL_ALL
        for (int r = 0; r < width; ++r) column[r] = rhs[r];
        column[width] = row.rhs;
        kept.rhs = pivot::pick(column, here);
        COPPICE_UNROLL_ALL
        for (int r = 0; r < width; ++r) rhs[r] = select(here[r], row.rhs, rhs[r]) + factor[r] * kept.rhs;
        if constexpr (lane_count<T> == 1) tell_of_zero(top, 0, zero_pivot); // a branch that nothing has to wait for
        return kept;
    }
};

/// The rows of a stretch that is staged in a Tile (chain_registers.hpp), one by one in a thread: a model of
/// elimination_window, for one right-hand side.
template <class T, int N, bool Left, class Team, class Tile>
struct band_rows_window {
    using real = real_lane_t<T>;
    static constexpr int width = 2 * N;

    Team const& team;
    Tile const& tile;
    T const* y; ///< [W], known without Left; null with it
    elimination<real> const& how;
    band_front<T, N, Left ? width : 0> front;
    band_row<T, N> row;   ///< the row that joins, and then the pivot row
    largest_bits<T> seen; ///< largest entry of the rows; with Left

    COPPICE_HD COPPICE_ALWAYS_INLINE band_rows_window(Team const& t, Tile const& from, T const* known,
                                                      elimination<real> const& e)
        : team(t), tile(from), y(known), how(e) {}

    COPPICE_HD COPPICE_ALWAYS_INLINE void load_first(int u) {
        take(u);
        front.put(u, row, y);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE void load(int u) {
        tile.arrive(u);
        take(u);
    }
    template <class Tell>
    COPPICE_HD COPPICE_ALWAYS_INLINE void eliminate(Tell const& tell) {
        row = front.eliminate(row, how, tell);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE static void advance() {} // rows stay where they are
    /// memory_stacks::for_each: the pivot row, or the rows of the link.
    template <class Take>
    COPPICE_HD COPPICE_ALWAYS_INLINE void for_each(int count, Take const& take) const {
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
    COPPICE_HD COPPICE_ALWAYS_INLINE real largest_seen() const { return seen.value(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE real largest_left() const {
        largest_bits<T> largest;
        COPPICE_UNROLL_ALL
        for (int j = 0; j < width; ++j) {
            COPPICE_UNROLL_ALL
            for (int r = 0; r < width; ++r) {
                largest.look_at(front.active[r][j]);
                largest.look_at(front.left[r][j]);
            }
        }
        return largest.value();
    }

private:
    COPPICE_HD COPPICE_ALWAYS_INLINE void take(int u) {
        auto const from = take_unit<1, width>(team, tile, u, how);
        row.rhs = from.side(0);
        COPPICE_UNROLL_ALL
        for (int j = 0; j <= width; ++j) {
            row.entry[j] = from.entry(0, j);
            if (Left) seen.look_at(row.entry[j]);
        }
    }
};

} // namespace coppice::chain
