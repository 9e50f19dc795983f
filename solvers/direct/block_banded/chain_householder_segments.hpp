// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Segments of a tile that are eliminated again by Householder reflections, because their condensed rows have grown:
/// one warp for each, with all block rows staged in shared memory.
#pragma once

#include <cstdint>

#include <coppice/core/block.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_level.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_reflections.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_registers.hpp>
#include <coppice/solvers/direct/block_banded/tiles/chain_tile.hpp>

namespace coppice::inline v0_1::chain {

/// A team of `Lanes` lanes of a warp. If Lanes does not divide 32, the remaining lanes are idle: they repeat the work
/// of the last team and store nothing.
template <class Block, int Lanes>
struct tile_team {
    static constexpr int segments = warp_lanes / Lanes;

    Block const& block;
    int segment, lane;
    bool idle;

    COPPICE_LANE explicit tile_team(Block const& b)
        : block(b), segment(b.thread() / Lanes), lane(b.thread() % Lanes), idle(segment >= segments) {
        if (idle) segment = segments - 1;
    }
    /// Index of the lane in the team; Lanes or more for an idle lane.
    COPPICE_LANE int rank() const { return idle ? lane + Lanes : lane; }
    COPPICE_LANE int position() const { return lane; }
    COPPICE_LANE static constexpr int size() { return Lanes; }
    COPPICE_LANE void sync() const { block.sync(); }
    template <class T>
    COPPICE_LANE T from(T const& value, int lane_of_team) const {
        if constexpr (Lanes == 1)
            return value;
        else
            return block.from_lane(value, segment * Lanes + lane_of_team);
    }
};

/// A whole warp as one team.
template <class Block>
struct warp_team {
    Block const& block;
    COPPICE_LANE int rank() const { return block.thread(); }
    COPPICE_LANE static constexpr int size() { return warp_lanes; }
    COPPICE_LANE void sync() const { block.sync(); }
    template <class T>
    COPPICE_LANE T from(T const& value, int lane) const {
        return block.from_lane(value, lane);
    }
};

/// Whether one of the `lanes` lanes of segment q has its bit set in `ballot`.
COPPICE_LANE bool any_of_segment(unsigned ballot, int lanes, int q) {
    unsigned const each = lanes == warp_lanes ? ~0u : (1u << lanes) - 1;
    return (ballot >> q * lanes & each) != 0;
}

// Window (solvers/direct/DESIGN.md) in the registers of a warp, one column in each lane, eliminated by Householder
// reflections. Preferred for a single segment, since no step of the elimination passes through memory; lanes without a
// column are idle.

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

/// Stores the solution of a segment, by the lanes of a warp. The right-hand sides of the slots hold the last K unknowns
/// of y, followed by the inner unknowns. The second half of y, the first block of the segment, is part of the solution
/// (K may be less than its size); the first half of y belongs to the previous segment.
template <class T, class BlockRows, class Shape>
COPPICE_LANE void store_slots(BlockRows const& block_rows, segment_location const& at, slot_rows<T, Shape> const& from,
                              int thread) {
    Shape const& g = from.g;
    int const k = g.rows(), w = g.width(), in_y = w / 2 - k;
    solution_run<T> const to = block_rows.solution(at, g.block_rows, 0);
    for (int i = thread; i < to.rows; i += warp_lanes)
        to.at[i / k * to.stride + i % k] =
            i < in_y ? from.y(w / 2 + i, 0) : from.rhs((i - in_y) / k, (i - in_y) % k, 0);
}

/// Block rows of a segment that are staged in the slots of slot_rows; the Tile of lane_columns.
template <class T, class Shape>
struct staged_block_rows {
    slot_rows<T, Shape> from;
    bool conjugated_; ///< as in staged_block_row

    COPPICE_LANE T* block_row(int u) const { return &from.rhs(u, 0, 0); }
    COPPICE_LANE bool conjugated() const { return conjugated_; }
};

/// Eliminates segments by Householder reflections, one warp for each segment. The whole device may wait for one such
/// segment, a chain of dependent steps. Therefore all lanes stage its block rows first, each lane holds one column, and
/// the compiler knows every size.
template <class T, class BlockRows, int K, int W, class Block>
struct householder_segments {
    using real = real_lane_t<T>;
    using shape = block_row_shape<known_size<K, W>>;

    Block const& block;
    chain_level<T, BlockRows> const& s;
    shape const g;
    T* const memory; ///< elements() of it
    warp_team<Block> const team;

    COPPICE_LANE householder_segments(Block const& b, chain_level<T, BlockRows> const& of, T* elements)
        : block(b), s(of), g{{}, of.shape.block_rows, 1}, memory(elements), team{b} {}
    householder_segments(householder_segments const&) = delete; // members refer to each other

    /// Elements of memory: the slots and z.
    template <class Size>
    static std::int64_t elements(block_row_shape<Size> const& of) {
        return of.slot_elements() + W;
    }

    /// Repeats the growth test for segment p, whose condensed segment was flagged, and eliminates it by Householder
    /// reflections if it has grown.
    COPPICE_LANE void reduce(std::int64_t p) const {
        padded_locations<1> const at(s.all, s.block_rows, p);
        segment_location const& location = at.lane[0];
        auto const block_rows = stage_block_rows(at);
        largest_magnitude<T> of_condensed;
        for (int i = team.rank(); i < 2 * W * W; i += warp_lanes)
            of_condensed.include(s.condensed.entry(location.segment, i % W, i / W));
        real const largest = largest_of_team(team, of_condensed.value());
        growth_reference<real> size = s.size_before(location, largest_of_rows(location, block_rows));
        size.by_householder = size.by_householder || exceeds_growth_bound(largest, size.size, W);
        if (team.rank() == 0) s.condensed.sizes[location.segment] = size.encoded();
        if (!size.by_householder) return;
        real tolerance = size.tolerance();
        if (s.how.flush) tolerance = larger(tolerance, s.how.threshold);
        prepare(block_rows);
        columns<true> window(team, block_rows, nullptr, tolerance);
        reduce_segment(window, g, at, s.condensed, pivot_observer<BlockRows, 1>{{}, s.block_rows, at});
        team.sync();
    }
    /// Solves segment p, which was condensed by Householder reflections.
    COPPICE_LANE void substitute(std::int64_t p) const {
        padded_locations<1> const at(s.all, s.block_rows, p);
        auto const block_rows = stage_block_rows(at);
        slot_rows<T, shape> const& slots = block_rows.from;
        T* const y = slots.known();
        T* const z = y + W;
        if (int const i = team.rank(); i < W) s.condensed.left(at, i, 0, y[i]), s.condensed.right(at, i, 0, z[i]);
        team.sync();
        prepare(block_rows);
        columns<false> window(team, block_rows, y, real(0));
        walk(window, g, save_slots<T, shape>{slots}, silent_observer{});
        team.sync();
        for (int i = team.rank(); i < g.inner() * K; i += warp_lanes) {
            T& pivot = slots.entry(i / K, i % K, i % K);
            pivot = safe_reciprocal(pivot);
        }
        team.sync();
        if (team.rank() == 0) substitute_in_registers<K, W>(g, slots, z);
        team.sync();
        store_slots(s.block_rows, at.lane[0], slots, team.rank());
        team.sync();
    }

private:
    template <bool Left>
    using columns = lane_columns<T, K, W, Left, warp_team<Block>, staged_block_rows<T, shape>>;

    COPPICE_LANE staged_block_rows<T, shape> stage_block_rows(padded_locations<1> const& at) const {
        slot_rows<T, shape> const slots{memory, g};
        load_entrywise(s.block_rows, staged_segment{0, 0, 0, at}, g, 0, g.block_rows, slots.at, team.rank(),
                       s.block_rows.a.padding_margin());
        team.sync();
        return {slots, s.block_rows.conjugated()};
    }
    /// Prepares all block rows for elimination.
    COPPICE_LANE void prepare(staged_block_rows<T, shape> const& block_rows) const {
        if (!s.how.flush && !s.how.equilibrate) return;
        COPPICE_NO_UNROLL
        for (int u = 0; u < g.block_rows; ++u) prepare_block_row<K, W>(team, block_rows.block_row(u), s.how);
    }
    /// Largest entry of the block rows that are rows of the matrix, not padding rows.
    COPPICE_LANE real largest_of_rows(segment_location const& location,
                                      staged_block_rows<T, shape> const& block_rows) const {
        int const rows = s.block_rows.solution(location, g.block_rows, 0).rows;
        real largest(0);
        for (int i = team.rank(); i < rows; i += warp_lanes) {
            COPPICE_UNROLL
            for (int c = 0; c < W + K; ++c)
                largest = larger(largest, magnitude(block_rows.from.entry(i / K, i % K, c)));
        }
        return largest_of_team(team, largest);
    }
};

/// Of the segments of a tile that have a lane in `doubtful`, returns those lanes whose residual of unused rows exceeds
/// the bound for the norm of the rows of the matrix, which all lanes read together. `residual` and `solution` are those
/// of the lanes in `doubtful`; `Lanes` lanes for each segment. Rarely called, and therefore not inlined.
template <int Lanes, class T, class BlockRows, class Block>
[[gnu::noinline]] COPPICE_HD unsigned confirm_violated(Block const& block, chain_level<T, BlockRows> const& s,
                                                       staged_segment const* locations, unsigned doubtful,
                                                       real_lane_t<T> residual, real_lane_t<T> solution) {
    warp_team<Block> const team{block};
    unsigned violated = 0;
    COPPICE_NO_UNROLL
    for (int q = 0; q < warp_lanes / Lanes; ++q) {
        if (!any_of_segment(doubtful, Lanes, q)) continue;
        real_lane_t<T> norm(1); // of rows scaled to 1
        if (!s.how.equilibrate) {
            norm = s.block_rows.largest_rows(team, locations[q].at.lane[0], s.shape.block_rows).sum;
            for (int d = warp_lanes / 2; d > 0; d /= 2) norm = larger(team.from(norm, team.rank() ^ d), norm);
        }
        violated |= block.ballot(team.rank() == q * Lanes && exceeds_residual_bound(residual, norm, solution));
    }
    return violated;
}

/// Eliminates by Householder reflections, one after the other, the segments of a tile that have a lane in `flagged`;
/// `lanes` lanes for each segment, from segment `first` on. In a reduction these are the segments whose condensed rows
/// have grown. In a substitution the tile has already stored the solution of all other segments; the flagged segments
/// read d again, and x may be d. A call that is not inlined, so that the tile keeps its registers.
template <bool Left, int K, int W, class T, class BlockRows, class Block>
[[gnu::noinline]] COPPICE_HD void eliminate_flagged(Block const& block, chain_level<T, BlockRows> const& s,
                                                    std::int64_t first, unsigned flagged, int lanes, T* memory) {
    block.sync(); // all lanes have read from memory
    householder_segments<T, BlockRows, K, W, Block> const again(block, s, memory);
    COPPICE_NO_UNROLL
    for (int q = 0; q < warp_lanes / lanes; ++q) {
        if (!any_of_segment(flagged, lanes, q)) continue;
        if constexpr (Left)
            again.reduce(first + q);
        else
            again.substitute(first + q);
    }
}

} // namespace coppice::inline v0_1::chain
