// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A window (words.md) in registers, one column of the W + K rows in each lane of a team: the fewest dependent steps
/// for a stretch, for links where there are too few stretches to fill a GPU. The columns of the unknowns form a ring:
/// the lane whose column has been eliminated takes the next column that enters the window, so that no column moves from
/// one lane to another. All that lanes exchange is the column in which the pivot is looked for.
#pragma once

#include <coppice/solvers/chain/window/chain_registers.hpp>

namespace coppice::chain {

/// Lanes: the ring, the columns of y, the right-hand side.
template <int K, int W, bool Left>
inline constexpr int ring_columns = K + W + (Left ? W : 0) + 1;

/// A model of elimination_window, for one right-hand side. `Tile` is as for register_stacks.
template <class T, int K, int W, bool Left, class Team, class Tile>
struct ring_stacks {
    using real = real_lane_t<T>;
    static constexpr int rows = W + K, ring = rows, last = ring_columns<K, W, Left> - 1;

    Team const& team;
    Tile const& tile;
    T const* y; ///< [W], known without Left; null with it
    elimination<real> const& how;
    int column;     ///< of this lane: those of the unknowns come first, then y, then the right-hand side
    int turned = 0; ///< the lane of the first unknown
    T held[rows];

    COPPICE_HD COPPICE_ALWAYS_INLINE ring_stacks(Team const& t, Tile const& from, T const* known,
                                                 elimination<real> const& e)
        : team(t), tile(from), y(known), how(e), column(t.rank()) {}

    COPPICE_HD COPPICE_ALWAYS_INLINE void load_first(int u) {
        auto const from = take_unit<K, W>(team, tile, u, how);
        int const shift = u * K, at = column < ring ? column + W - shift : column - ring - shift;
        bool const here = column < last && at >= 0 && at < ring;
        COPPICE_UNROLL
        for (int r = 0; r < K; ++r) {
            T const side = Left ? from.side(r) : side_without_known<K, W>(from, u, r, y);
            T const entry = from.entry(r, here ? at : 0);
            held[shift + r] = here ? entry : column == last ? side : T(0);
        }
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE void load(int u) {
        tile.arrive(u);
        auto const from = take_unit<K, W>(team, tile, u, how);
        bool const unknown = column < ring;
        COPPICE_UNROLL
        for (int r = 0; r < K; ++r) {
            T const side = from.side(r), entry = from.entry(r, unknown ? column : 0);
            held[W + r] = unknown ? entry : column == last ? side : T(0);
        }
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) held[r] = unknown && column >= W ? T(0) : held[r]; // has just entered
    }
    template <class Tell>
    COPPICE_HD COPPICE_ALWAYS_INLINE void eliminate(Tell const& tell) {
        zero_pivots zeros;
        COPPICE_UNROLL
        for (int k = 0; k < K; ++k) {
            int const lane = turned + k < ring ? turned + k : turned + k - ring;
            key_column<T, rows> const key(k, how, [&](int r) { return team.from(held[r], lane); });
            column_removal<T, register_pivot<T, rows>, rows> const of(key.row, k, rows);
            zeros.note(k, of.top);
            eliminate_in(held, of.pivot, of.factor, k, rows, rows, static_cast<T*>(nullptr));
            held[k] = column == k ? of.reciprocal : held[k];
        }
        if (team.rank() == 0) zeros.tell(tell);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE void advance() {
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) held[r] = held[K + r];
        if (column < ring) column += column < K ? W : -K;
        turned = turned + K < ring ? turned + K : turned + K - ring;
    }
    /// memory_stacks::for_each for the column of this lane.
    template <class Take>
    COPPICE_HD COPPICE_ALWAYS_INLINE void for_each(int count, Take const& take) const {
        if (column > last) return;
        COPPICE_UNROLL
        for (int r = 0; r < count; ++r) take(r, column, held[r]);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE real largest_left() const {
        bool const of_link = column < W || (column >= ring && column < last);
        largest_bits<T> largest;
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) largest.look_at(held[r], of_link);
        return largest.value();
    }
};

} // namespace coppice::chain
