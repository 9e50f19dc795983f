// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Window (solvers/direct/DESIGN.md) in the registers of a warp, one column in each lane, eliminated by Householder
/// reflections. Preferred for a single segment, since no step of the elimination passes through memory; lanes without a
/// column are idle.
#pragma once

#include <coppice/core/block.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_reflections.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_registers.hpp>

namespace coppice::inline v0_1::chain {

/// A model of elimination_window. Lane j holds column j: first W + K columns of unknowns, then, if Left, W columns of
/// y, then the right-hand side. Pivot rows contain the pivots, not their reciprocals, for which the next column would
/// wait. Team: a warp that exchanges registers; Tile: as for register_stacks, with all block rows prepared for
/// elimination. A pivot of at most `tolerance` counts as zero.
template <class T, int K, int W, bool Left, class Team, class Tile>
struct lane_columns {
    using real = real_lane_t<T>;
    static constexpr int rows = W + K, unknowns = W + K, of_rhs = unknowns + (Left ? W : 0);
    static_assert(of_rhs < warp_lanes);

    Team const& team;
    Tile const& tile;
    T const* y; ///< [W], known if not Left; else null
    real tolerance;
    T own[rows]; ///< column of this lane; zeros if it has none

    COPPICE_LANE lane_columns(Team const& t, Tile const& from, T const* known, real zero)
        : team(t), tile(from), y(known), tolerance(zero) {
        COPPICE_UNROLL
        for (int r = 0; r < rows; ++r) own[r] = T(0);
    }

    /// Loads block row u < W / K, which has entries in columns of y, into rows [u K, u K + K).
    COPPICE_LANE void load_first(int u) {
        staged_block_row<T, K> const from{tile.block_row(u), tile.conjugated()};
        int const j = team.rank(), column = (j < unknowns ? W + j : j - unknowns) - u * K; // of the block row
        bool const has_entry = j < of_rhs && 0 <= column && column < unknowns;
        COPPICE_UNROLL
        for (int r = 0; r < K; ++r) {
            T& value = own[u * K + r];
            if (has_entry) value = from.entry(r, column);
            if (j == of_rhs) value = Left ? from.rhs(r) : rhs_without_known<K, W>(from, u, r, y);
        }
    }
    COPPICE_LANE void load(int u) {
        staged_block_row<T, K> const from{tile.block_row(u), tile.conjugated()};
        int const j = team.rank();
        COPPICE_UNROLL
        for (int r = 0; r < K; ++r) own[W + r] = j < unknowns ? from.entry(r, j) : j == of_rhs ? from.rhs(r) : T(0);
        team.sync(); // saved pivot rows replace block rows that all lanes have read
    }
    template <class Observer>
    COPPICE_LANE void eliminate(Observer const& observer) {
        householder_column<T> eliminated[K];
        COPPICE_UNROLL
        for (int k = 0; k < K; ++k) {
            T v[rows];
            COPPICE_UNROLL
            for (int r = k; r < rows; ++r) v[r] = team.from(own[r], k);
            householder<T> const of(v, k, rows);
            COPPICE_UNROLL
            for (int r = k + 1; r < rows; ++r) v[r] = of.v(v[r]);
            apply_householder(
                own, of.weight, [&v](int r) -> T const& { return v[r]; }, k, rows);
            own[k] = select(team.rank() == k, of.top, own[k]);
            eliminated[k] = {of.weight, magnitude(of.top)};
        }
        report_householder(team, eliminated, K, tolerance, observer);
    }
    COPPICE_LANE void advance() {
        int const j = team.rank(), from = j < W ? j + K : j;
        bool const enters = W <= j && j < unknowns;
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) own[r] = select(enters, T(0), team.from(own[K + r], from));
    }
    /// As memory_stacks::for_each, for the column of this lane.
    template <class Take>
    COPPICE_LANE void for_each(int count, Take const& take) const {
        COPPICE_UNROLL
        for (int r = 0; r < rows; ++r)
            if (r < count && team.rank() <= of_rhs) take(r, team.rank(), own[r]);
    }
};

} // namespace coppice::inline v0_1::chain
