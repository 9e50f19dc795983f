// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Teams of the lanes of a warp that share the segments of a tile of the chain solver.
#pragma once

#include <coppice/core/block.hpp>

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

} // namespace coppice::inline v0_1::chain
