// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Segments of a tile that are eliminated again by Householder reflections, because their condensed rows have grown:
/// one warp for each, with all block rows staged in shared memory.
#pragma once

#include <cstdint>

#include <coppice/solvers/direct/block_banded/chain_warp_teams.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_level.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_registers.hpp>
#include <coppice/solvers/direct/block_banded/tiles/chain_tile.hpp>

namespace coppice::inline v0_1::chain {

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

/// Block rows of a segment that are staged in the slots of slot_rows; memory_stacks loads block rows from here.
template <class T, int K, int W>
struct staged_block_rows {
    slot_rows<T, block_row_shape<known_size<K, W>>> from;
    bool conjugated; ///< as in staged_block_row

    template <class Team, class Shape>
    COPPICE_LANE void load(Team const& team, Shape const&, padded_locations<1> const&, int u,
                           stack_view<T> const& to) const {
        staged_block_row<T, K> const block_row{&from.rhs(u, 0, 0), conjugated};
        for (int i = team.rank(); i < K * (W + K + 1); i += team.size()) {
            int const c = i / K, r = i - c * K;
            if (c < W + K)
                to(W + r, c) = block_row.entry(r, c);
            else
                to(W + r, c + to.left) = block_row.rhs(r);
        }
    }
};

/// Eliminates segments by Householder reflections, one warp for each segment. The whole device may wait for one such
/// segment, a chain of dependent steps. Therefore all lanes stage its block rows first, and the compiler knows every
/// size.
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

    /// Elements of memory for two stacks and the slots.
    template <class Size>
    static std::int64_t elements(block_row_shape<Size> const& of) {
        return stack_elements(of) + of.slot_elements() + W;
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
        real const largest = largest_of_team(team, of_condensed.value(), memory);
        growth_reference<real> size = s.size_before(location, largest_of_rows(location, block_rows));
        size.by_householder = size.by_householder || exceeds_growth_bound(largest, size.size, W);
        if (team.rank() == 0) s.condensed.sizes[location.segment] = size.encoded();
        if (!size.by_householder) return;
        real tolerance = size.tolerance();
        if (s.how.flush) tolerance = larger(tolerance, s.how.threshold);
        householder_stacks stacks(
            memory_stacks(team, block_rows, g, at, memory, W, static_cast<T const*>(nullptr), s.how), tolerance);
        reduce_segment(stacks, g, at, s.condensed, pivot_observer<BlockRows, 1>{{}, s.block_rows, at});
        team.sync();
    }
    /// Solves segment p, which was condensed by Householder reflections.
    COPPICE_LANE void substitute(std::int64_t p) const {
        padded_locations<1> const at(s.all, s.block_rows, p);
        auto const block_rows = stage_block_rows(at);
        slot_rows<T, shape> const& slots = block_rows.from;
        segment_boundary<T> const boundary{s.condensed};
        take_left(team, g, at, slots, boundary);
        householder_stacks stacks(
            memory_stacks(team, block_rows, g, at, memory, 0, static_cast<T const*>(slots.known()), s.how), real(0));
        substitute_segment(team, stacks, g, at, slots, boundary, silent_observer{});
        store_slots(s.block_rows, at.lane[0], slots, team.rank());
        team.sync();
    }

private:
    /// Elements of two stacks; at least one value for each lane fits into them.
    template <class Size>
    COPPICE_LANE static constexpr std::int64_t stack_elements(block_row_shape<Size> const& of) {
        std::int64_t const stacks = 2 * aligned_elements<T>(of.pitch() * of.reduce_columns());
        return stacks < warp_lanes ? warp_lanes : stacks;
    }
    COPPICE_LANE staged_block_rows<T, K, W> stage_block_rows(padded_locations<1> const& at) const {
        slot_rows<T, shape> const slots{memory + stack_elements(g), g};
        load_entrywise(s.block_rows, staged_segment{0, 0, 0, at}, g, 0, g.block_rows, slots.at, team.rank(),
                       s.block_rows.a.padding_margin());
        team.sync();
        return {slots, s.block_rows.conjugated()};
    }
    /// Largest entry of the block rows that are rows of the matrix, not padding rows.
    COPPICE_LANE real largest_of_rows(segment_location const& location,
                                      staged_block_rows<T, K, W> const& block_rows) const {
        int const rows = s.block_rows.solution(location, g.block_rows, 0).rows;
        real largest(0);
        for (int i = team.rank(); i < rows; i += warp_lanes) {
            COPPICE_UNROLL
            for (int c = 0; c < W + K; ++c)
                largest = larger(largest, magnitude(block_rows.from.entry(i / K, i % K, c)));
        }
        return largest_of_team(team, largest, memory);
    }
};

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
