// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A window (words.md) in registers: L lanes share a stretch, L divides K, and lane `rank` holds the columns j with
/// j mod L = rank. A column that moves left by K stays with its lane, and every index is known to the compiler. Best
/// where there are many stretches, since the lanes repeat little of each other's work.
///
/// One right-hand side, which all lanes of a stretch hold. The Team is a team of lanes that exchange registers
/// (chain_roles.hpp). The Tile has the units: all lanes call `arrive(u)` before they read unit u; `unit(u)` is the
/// address of its right-hand sides [K] and, behind them, its columns [column][K]; `conjugated()` says whether these
/// columns stand for their conjugates.
#pragma once

#include <coppice/solvers/direct/block_banded/elimination/chain_lane.hpp>

namespace coppice::chain {

/// Makes a unit, [side][K] and [column][K], ready for elimination in its place: sets small entries to zero, scales
/// rows.
template <int K, int W, class T, class Team>
COPPICE_HD inline void prepare_unit(Team const& team, T* unit, elimination<real_lane_t<T>> const& how) {
    stack_view<T> const rows{unit + K, K, K + W, 0};
    if (how.flush) flush_rows(team, rows, 0, K, K + W, how.threshold);
    if (how.equilibrate) {
        for (int r = team.rank(); r < K; r += team.size()) unit[r] = scaled(unit[r], scale_of(rows, r, K + W));
        team.sync();
        equilibrate_rows(team, rows, 0, K, K + W);
    }
}

/// A staged unit.
template <class T, int K>
struct staged_unit {
    T const* at;
    bool conjugated; ///< whether complex entries stand for their conjugates
    COPPICE_HD COPPICE_ALWAYS_INLINE T entry(int r, int c) const {
        T const& value = at[(1 + c) * K + r];
        if constexpr (is_complex_lane<T>)
            return select(conjugated, conjugate(value), value);
        else
            return value;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE T side(int r) const { return at[r]; }
};

/// Unit u of a tile, ready for elimination.
template <int K, int W, class Team, class Tile, class Real>
COPPICE_HD COPPICE_ALWAYS_INLINE auto take_unit(Team const& team, Tile const& tile, int u,
                                                elimination<Real> const& how) {
    auto* const at = tile.unit(u);
    if (how.flush || how.equilibrate) prepare_unit<K, W>(team, at, how);
    return staged_unit<std::decay_t<decltype(*at)>, K>{at, tile.conjugated()};
}

/// The right-hand side of row r of unit u < W / K where y, [W], is known.
template <int K, int W, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T side_without_known(staged_unit<T, K> const& unit, int u, int r, T const* y) {
    T value = unit.side(r);
    COPPICE_UNROLL
    for (int c = 0; c < W - u * K && c < W + K; ++c) value = value - unit.entry(r, c) * y[c + u * K];
    return value;
}

/// The entries of column k from row k on, among which the elimination looks for its pivot.
template <class T, int Rows>
struct key_column {
    T row[Rows];

    /// `value(r)` gives row r.
    template <class Value>
    COPPICE_HD COPPICE_ALWAYS_INLINE key_column(int k, elimination<real_lane_t<T>> const& how, Value const& value) {
        COPPICE_UNROLL
        for (int r = k; r < Rows; ++r) row[r] = value(r);
        if (!how.flush) return;
        COPPICE_UNROLL
        for (int r = k; r < Rows; ++r) row[r] = select(magnitude(row[r]) <= how.threshold, T(0), row[r]);
    }
};

/// The columns of a unit in which no pivot was found. The teller is called at the end of the unit: a branch for each
/// column would delay the columns behind it.
struct zero_pivots {
    unsigned found = 0;

    /// A pivot up to the tolerance counts as no pivot.
    template <class T>
    COPPICE_HD COPPICE_ALWAYS_INLINE void note(int k, T const& pivot, real_lane_t<T> tolerance = 0) {
        found |= unsigned(magnitude(pivot) <= tolerance) << k;
    }
    template <class Tell>
    COPPICE_HD COPPICE_ALWAYS_INLINE void tell(Tell const& zero_pivot) const {
        if (found == 0 || !zero_pivot.wanted()) return;
        for (int k = 0; found >> k != 0; ++k)
            if ((found >> k & 1) != 0) zero_pivot(k, 0);
    }
};

/// A model of elimination_window. `Left`: with the columns of y, in the reduction.
template <class T, int K, int W, int L, bool Left, class Team, class Tile>
struct register_stacks {
    static_assert(K % L == 0 && W % K == 0);
    using real = real_lane_t<T>;
    static constexpr int rows = W + K, columns = rows / L, wide = W / L, step = K / L;
    using removal = column_removal<T, register_pivot<T, rows>, rows>;

    Team const& team;
    Tile const& tile;
    T const* y; ///< [W], known without Left; null with it
    elimination<real> const& how;
    T active[columns][rows], left[wide][rows], rhs[rows];
    largest_bits<T> seen; ///< largest entry of the units in the columns of this lane; with Left

    COPPICE_HD COPPICE_ALWAYS_INLINE register_stacks(Team const& t, Tile const& from, T const* known,
                                                     elimination<real> const& e)
        : team(t), tile(from), y(known), how(e) {}

    /// Puts unit u < W / K, which reaches into y, into rows [u K, u K + K).
    COPPICE_HD COPPICE_ALWAYS_INLINE void load_first(int u) {
        auto const from = take_unit<K, W>(team, tile, u, how);
        COPPICE_UNROLL
        for (int r = 0; r < K; ++r) {
            COPPICE_UNROLL
            for (int g = 0; g < columns; ++g) {
                int const at = g + wide - u * step; // column of the unit
                active[g][u * K + r] = at < columns ? from.entry(r, column(at)) : T(0);
                if (Left) seen.look_at(active[g][u * K + r]);
            }
            COPPICE_UNROLL
            for (int g = 0; g < wide; ++g) {
                if (!Left) continue;
                left[g][u * K + r] = g >= u * step ? from.entry(r, column(g - u * step)) : T(0);
                seen.look_at(left[g][u * K + r]);
            }
            rhs[u * K + r] = Left ? from.side(r) : side_without_known<K, W>(from, u, r, y);
        }
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE void load(int u) {
        tile.arrive(u);
        auto const from = take_unit<K, W>(team, tile, u, how);
        COPPICE_UNROLL
        for (int r = 0; r < K; ++r) {
            COPPICE_UNROLL
            for (int g = 0; g < columns; ++g) {
                active[g][W + r] = from.entry(r, column(g));
                if (Left) seen.look_at(active[g][W + r]);
            }
            COPPICE_UNROLL
            for (int g = 0; g < wide; ++g) left[g][W + r] = T(0);
            rhs[W + r] = from.side(r);
        }
        COPPICE_UNROLL
        for (int g = wide; g < columns; ++g) {
            COPPICE_UNROLL
            for (int r = 0; r < W; ++r) active[g][r] = T(0);
        }
    }
    template <class Tell>
    COPPICE_HD COPPICE_ALWAYS_INLINE void eliminate(Tell const& tell) {
        zero_pivots zeros;
        COPPICE_UNROLL
        for (int k = 0; k < K; ++k) {
            key_column<T, rows> const key(k, how, [&](int r) { return team.from(active[k / L][r], k % L); });
            removal const of(key.row, k, rows);
            zeros.note(k, of.top);
            // Entries below the pivots of columns up to k are not read again, so they are not computed.
            COPPICE_UNROLL
            for (int g = (k + 1) / L; g < columns; ++g) remove(of, k, active[g]);
            if (team.rank() == k % L) active[k / L][k] = of.reciprocal;
            COPPICE_UNROLL
            for (int g = 0; g < wide; ++g)
                if (Left) remove(of, k, left[g]);
            remove(of, k, rhs);
        }
        if (team.rank() == 0) zeros.tell(tell);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE void advance() {
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) {
            COPPICE_UNROLL
            for (int g = 0; g < wide; ++g) {
                active[g][r] = active[g + step][K + r];
                left[g][r] = left[g][K + r];
            }
            rhs[r] = rhs[K + r];
        }
    }
    /// memory_stacks::for_each for the columns of this lane.
    template <class Take>
    COPPICE_HD COPPICE_ALWAYS_INLINE void for_each(int count, Take const& take) const {
        if (team.rank() >= L) return;
        COPPICE_UNROLL
        for (int r = 0; r < count; ++r) {
            COPPICE_UNROLL
            for (int g = 0; g < columns; ++g) take(r, column(g), active[g][r]);
            COPPICE_UNROLL
            for (int g = 0; g < wide; ++g)
                if (Left) take(r, rows + column(g), left[g][r]);
            if (team.rank() == 0) take(r, Left ? rows + W : rows, rhs[r]);
        }
    }

    /// The largest magnitude in the units. All lanes of the stretch call it together and get the same.
    COPPICE_HD COPPICE_ALWAYS_INLINE real largest_seen() const {
        largest_bits<T> all = seen;
        COPPICE_UNROLL
        for (int l = 0; l < L && L > 1; ++l) all.with(team.from(seen, l));
        return all.value();
    }
    /// The largest magnitude of the link that is left, in the columns of this lane.
    COPPICE_HD COPPICE_ALWAYS_INLINE real largest_left() const {
        largest_bits<T> largest;
        COPPICE_UNROLL
        for (int g = 0; g < wide; ++g) {
            COPPICE_UNROLL
            for (int r = 0; r < W; ++r) {
                largest.look_at(active[g][r]);
                largest.look_at(left[g][r]);
            }
        }
        return largest.value();
    }

private:
    COPPICE_HD COPPICE_ALWAYS_INLINE int column(int group) const { return L == 1 ? group : group * L + team.place(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE static void remove(removal const& of, int k, T (&column)[rows]) {
        eliminate_in(column, of.pivot, of.factor, k, rows, rows, static_cast<T*>(nullptr));
    }
};

/// Solves slot rows from the last group upwards, for one right-hand side, by one lane, which keeps the unknowns that it
/// still needs in registers. z, [W], are the unknowns behind the last group. Right-hand sides become the solution.
template <int K, int W, class T, class Shape>
COPPICE_HD COPPICE_ALWAYS_INLINE void substitute_in_registers(Shape const& g, slot_rows<T, Shape> const& slots,
                                                              T const* z) {
    T known[W + K]; // the group in hand and the W unknowns behind it
    COPPICE_UNROLL
    for (int c = 0; c < W; ++c) slots.side(g.inner() + 1 + c / K, c % K, 0) = known[K + c] = z[c];
    COPPICE_NO_UNROLL
    for (int inner = g.inner() - 1; inner >= 0; --inner) {
        COPPICE_UNROLL
        for (int r = 0; r < K; ++r) {
            T value = slots.side(inner + 1, r, 0);
            COPPICE_UNROLL
            for (int c = K; c < K + W; ++c) value = value - slots.entry(inner, r, c) * known[c];
            known[r] = value;
        }
        COPPICE_UNROLL
        for (int r = K - 1; r >= 0; --r) {
            COPPICE_UNROLL
            for (int c = r + 1; c < K; ++c) known[r] = known[r] - slots.entry(inner, r, c) * known[c];
            known[r] = known[r] * slots.entry(inner, r, r);
            slots.side(inner + 1, r, 0) = known[r];
        }
        COPPICE_UNROLL
        for (int c = W - 1; c >= 0; --c) known[K + c] = known[c];
    }
}

} // namespace coppice::chain
