// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Window (solvers/direct/DESIGN.md) in registers: L lanes share a segment, L divides K, and lane `rank` holds the
/// columns j with j mod L = rank. A column that moves left by K stays in its lane, and the compiler knows every index.
/// Preferred if there are many segments, since the lanes repeat little work.
///
/// One right-hand side, which all lanes of a segment hold. The Team is an exchanging_team (chain_concepts.hpp). The
/// Tile provides the block rows: all lanes call `arrive(u)` before they read block row u; `block_row(u)` returns the
/// address of its right-hand sides [K], followed by its columns [column][K]; `conjugated()` returns whether the stored
/// entries must be conjugated.
#pragma once

#include <coppice/solvers/direct/block_banded/elimination/chain_lane.hpp>

namespace coppice::inline v0_1::chain {

/// Prepares a block row, [right-hand side][K] and [column][K], for elimination in place: sets small entries to zero and
/// scales rows.
template <int K, int W, class T, class Team>
COPPICE_HD inline void prepare_block_row(Team const& team, T* block_row, elimination<real_lane_t<T>> const& how) {
    stack_view<T> const rows{block_row + K, K, K + W, 0};
    if (how.flush) flush_rows(team, rows, 0, K, K + W, how.threshold);
    if (how.equilibrate) {
        for (int r = team.rank(); r < K; r += team.size()) block_row[r] = scale_of(rows, r, K + W).of(block_row[r]);
        team.sync();
        equilibrate_rows(team, rows, 0, K, K + W);
    }
}

/// A block row that is staged in a tile.
template <class T, int K>
struct staged_block_row {
    T const* at;
    bool conjugated; ///< whether complex entries must be conjugated
    COPPICE_LANE T entry(int r, int c) const {
        T const& value = at[(1 + c) * K + r];
        if constexpr (is_complex_lane<T>)
            return select(conjugated, conjugate(value), value);
        else
            return value;
    }
    COPPICE_LANE T rhs(int r) const { return at[r]; }
};

/// Block row u of a tile, prepared for elimination.
template <int K, int W, class Team, class Tile, class Real>
COPPICE_LANE auto take_block_row(Team const& team, Tile const& tile, int u, elimination<Real> const& how) {
    auto* const at = tile.block_row(u);
    if (how.flush || how.equilibrate) prepare_block_row<K, W>(team, at, how);
    return staged_block_row<std::decay_t<decltype(*at)>, K>{at, tile.conjugated()};
}

/// Right-hand side of row r of block row u < W / K, less the terms of the known y, [W].
template <int K, int W, class T>
COPPICE_LANE T rhs_without_known(staged_block_row<T, K> const& block_row, int u, int r, T const* y) {
    T value = block_row.rhs(r);
    COPPICE_UNROLL
    for (int c = 0; c < W - u * K && c < W + K; ++c) value = value - block_row.entry(r, c) * y[c + u * K];
    return value;
}

/// The entries of column k from row k on, among which the pivot is searched.
template <class T, int Rows>
struct key_column {
    T row[Rows];

    /// `value(r)` returns row r.
    template <class Value>
    COPPICE_LANE key_column(int k, elimination<real_lane_t<T>> const& how, Value const& value) {
        COPPICE_UNROLL
        for (int r = k; r < Rows; ++r) row[r] = value(r);
        if (!how.flush) return;
        COPPICE_UNROLL
        for (int r = k; r < Rows; ++r) row[r] = select(magnitude(row[r]) <= how.threshold, T(0), row[r]);
    }
};

/// Set of the columns of a block row without a pivot. The observer is called after all columns of the block row: a
/// branch for each column would delay the following columns.
struct zero_pivots {
    unsigned found = 0;

    /// A pivot of at most the tolerance counts as zero.
    template <class T>
    COPPICE_LANE void record(int k, T const& pivot, real_lane_t<T> tolerance = 0) {
        found |= unsigned(magnitude(pivot) <= tolerance) << k;
    }
    template <class Observer>
    COPPICE_LANE void report(Observer const& zero_pivot) const {
        if (found == 0 || !zero_pivot.needed()) return;
        for (int k = 0; found >> k != 0; ++k)
            if ((found >> k & 1) != 0) zero_pivot(k, 0);
    }
};

/// A model of elimination_window. `Left`: with the columns of y, as in the reduction.
template <class T, int K, int W, int L, bool Left, class Team, class Tile>
struct register_stacks {
    static_assert(K % L == 0 && W % K == 0);
    using real = real_lane_t<T>;
    static constexpr int rows = W + K, columns = rows / L, wide = W / L, step = K / L;
    using removal = column_removal<T, register_pivot<T, rows>, rows>;

    Team const& team;
    Tile const& tile;
    T const* y; ///< [W], known if not Left; else null
    elimination<real> const& how;
    T active[columns][rows], left[wide][rows], rhs[rows];
    largest_bits<T> seen; ///< largest entry of the block rows in the columns of this lane; only if Left

    COPPICE_LANE register_stacks(Team const& t, Tile const& from, T const* known, elimination<real> const& e)
        : team(t), tile(from), y(known), how(e) {}

    /// Loads block row u < W / K, which has entries in columns of y, into rows [u K, u K + K).
    COPPICE_LANE void load_first(int u) {
        auto const from = take_block_row<K, W>(team, tile, u, how);
        COPPICE_UNROLL
        for (int r = 0; r < K; ++r) {
            COPPICE_UNROLL
            for (int g = 0; g < columns; ++g) {
                int const at = g + wide - u * step; // column of the block row
                active[g][u * K + r] = at < columns ? from.entry(r, column(at)) : T(0);
                if (Left) seen.include(active[g][u * K + r]);
            }
            COPPICE_UNROLL
            for (int g = 0; g < wide; ++g) {
                if (!Left) continue;
                left[g][u * K + r] = g >= u * step ? from.entry(r, column(g - u * step)) : T(0);
                seen.include(left[g][u * K + r]);
            }
            rhs[u * K + r] = Left ? from.rhs(r) : rhs_without_known<K, W>(from, u, r, y);
        }
    }
    COPPICE_LANE void load(int u) {
        if (!Left && L > 1) team.sync(); // save_slots overwrites rows that other lanes have read
        tile.arrive(u);
        auto const from = take_block_row<K, W>(team, tile, u, how);
        COPPICE_UNROLL
        for (int r = 0; r < K; ++r) {
            COPPICE_UNROLL
            for (int g = 0; g < columns; ++g) {
                active[g][W + r] = from.entry(r, column(g));
                if (Left) seen.include(active[g][W + r]);
            }
            COPPICE_UNROLL
            for (int g = 0; g < wide; ++g) left[g][W + r] = T(0);
            rhs[W + r] = from.rhs(r);
        }
        COPPICE_UNROLL
        for (int g = wide; g < columns; ++g) {
            COPPICE_UNROLL
            for (int r = 0; r < W; ++r) active[g][r] = T(0);
        }
    }
    template <class Observer>
    COPPICE_LANE void eliminate(Observer const& observer) {
        zero_pivots zeros;
        COPPICE_UNROLL
        for (int k = 0; k < K; ++k) {
            key_column<T, rows> const key(k, how, [&](int r) { return team.from(active[k / L][r], k % L); });
            removal const of(key.row, k, rows);
            zeros.record(k, of.top);
            // Entries below the pivots of the first k columns are not read again, so they are not computed.
            COPPICE_UNROLL
            for (int g = (k + 1) / L; g < columns; ++g) remove(of, k, active[g]);
            if (team.rank() == k % L) active[k / L][k] = of.reciprocal;
            COPPICE_UNROLL
            for (int g = 0; g < wide; ++g)
                if (Left) remove(of, k, left[g]);
            remove(of, k, rhs);
        }
        if (team.rank() == 0) zeros.report(observer);
    }
    COPPICE_LANE void advance() {
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
    /// As memory_stacks::for_each, for the columns of this lane.
    template <class Take>
    COPPICE_LANE void for_each(int count, Take const& take) const {
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

    /// Largest residual of the W remaining rows for given z, if y is known. All lanes of the segment must call it
    /// together; all get the same value.
    COPPICE_LANE real largest_residual(T const* z) const {
        real largest(0);
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) {
            T terms(0);
            COPPICE_UNROLL
            for (int g = 0; g < wide; ++g) terms = terms + active[g][r] * z[column(g)];
            T value = rhs[r];
            COPPICE_UNROLL
            for (int l = 0; l < L; ++l) value = value - team.from(terms, l);
            largest = larger(magnitude(value), largest);
        }
        return largest;
    }
    /// Largest magnitude in the block rows. All lanes of the segment must call it together; all get the same value.
    COPPICE_LANE real largest_seen() const {
        largest_bits<T> all = seen;
        COPPICE_UNROLL
        for (int l = 0; l < L && L > 1; ++l) all.with(team.from(seen, l));
        return all.value();
    }
    /// Largest magnitude of the condensed rows in the columns of this lane.
    COPPICE_LANE real largest_left() const {
        largest_bits<T> largest;
        COPPICE_UNROLL
        for (int g = 0; g < wide; ++g) {
            COPPICE_UNROLL
            for (int r = 0; r < W; ++r) {
                largest.include(active[g][r]);
                largest.include(left[g][r]);
            }
        }
        return largest.value();
    }

private:
    COPPICE_LANE int column(int group) const { return L == 1 ? group : group * L + team.position(); }
    COPPICE_LANE static void remove(removal const& of, int k, T (&column)[rows]) {
        eliminate_in(column, of.pivot, of.factor, k, rows, rows, static_cast<T*>(nullptr));
    }
};

/// Back substitution through the slots from the last group to the first, for one right-hand side, by one lane, which
/// holds the unknowns that are still needed in registers. z, [W], are the unknowns after the last group. The solution
/// overwrites the right-hand sides; those of slot 0 receive the last K unknowns of y.
template <int K, int W, class T, class Shape>
COPPICE_LANE void substitute_in_registers(Shape const& g, slot_rows<T, Shape> const& slots, T const* z) {
    COPPICE_UNROLL
    for (int r = 0; r < K; ++r) slots.rhs(0, r, 0) = slots.y(W - K + r, 0);
    T known[W + K]; // unknowns of the current group and the W unknowns after it
    COPPICE_UNROLL
    for (int c = 0; c < W; ++c) slots.rhs(g.inner() + 1 + c / K, c % K, 0) = known[K + c] = z[c];
    COPPICE_NO_UNROLL
    for (int inner = g.inner() - 1; inner >= 0; --inner) {
        COPPICE_UNROLL
        for (int r = 0; r < K; ++r) {
            T value = slots.rhs(inner + 1, r, 0);
            COPPICE_UNROLL
            for (int c = K; c < K + W; ++c) value = value - slots.entry(inner, r, c) * known[c];
            known[r] = value;
        }
        COPPICE_UNROLL
        for (int r = K - 1; r >= 0; --r) {
            COPPICE_UNROLL
            for (int c = r + 1; c < K; ++c) known[r] = known[r] - slots.entry(inner, r, c) * known[c];
            known[r] = known[r] * slots.entry(inner, r, r);
            slots.rhs(inner + 1, r, 0) = known[r];
        }
        COPPICE_UNROLL
        for (int c = W - 1; c >= 0; --c) known[K + c] = known[c];
    }
}

} // namespace coppice::inline v0_1::chain
