// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Condensed segments in memory while neighbouring ones are merged, and the teams of lanes that merge them.
#pragma once

#include <bit>
#include <cstdint>

#include <coppice/core/block.hpp>
#include <coppice/core/lane/lane_access.hpp>

namespace coppice::inline v0_1::chain {

/// Lanes of a team. Each lane has two columns, since most of the time of a merge goes into the pivot search, which all
/// lanes repeat.
template <int W>
inline constexpr int merge_lanes = int(std::bit_ceil(unsigned(2 * W)));

/// W rows of a column, aligned for loads of 16 bytes.
template <class T, int W>
struct alignas(W * sizeof(T) % 16 == 0 ? 16 : 8) condensed_column {
    T row[W];
};

/// Condensed segments in memory. A merge overwrites its right condensed segment with its separator rows: the columns of
/// y and z replace S' and R'. The triangle of the separator rows, their columns of m, has separate memory.
template <class T, int W>
struct condensed_store {
    static constexpr int triangle = W * (W + 1) / 2;
    static constexpr int elements = 2 * W * W + W + triangle + 1; ///< for one condensed segment
    using real = real_lane_t<T>;

    T* matrix;   ///< [segment][2 W][W], column-major
    T* rhs;      ///< [segment][W]
    T* upper;    ///< [segment][triangle], column-major, with reciprocals on the diagonal
    real* sizes; ///< [segment], as in condensed_rows

    /// A store of `segments` condensed segments in `memory`.
    static COPPICE_HD condensed_store in(T* memory, int segments) {
        return {memory, memory + segments * 2 * W * W, memory + segments * (2 * W + 1) * W,
                reinterpret_cast<real*>(memory + segments * (elements - 1))};
    }
    COPPICE_LANE condensed_store from(std::int64_t segment) const {
        return {matrix + segment * 2 * W * W, rhs + segment * W, upper + segment * triangle, sizes + segment};
    }
    COPPICE_LANE T* column(std::int64_t segment, int c) const { return matrix + (segment * 2 * W + c) * W; }
    COPPICE_LANE T* rhs_of(std::int64_t segment) const { return rhs + segment * W; }
};

/// A team of `Lanes` lanes of a warp; a block has several teams.
template <class Block, int Lanes>
struct merge_team {
    Block const& block;
    int number, lane,
        first; ///< index of the team, of this lane in the team, and of the first lane of the team in its warp

    COPPICE_LANE explicit merge_team(Block const& b)
        : block(b), number(int(unsigned(b.thread()) / Lanes)), lane(b.thread() & (Lanes - 1)),
          first(b.thread() & (warp_lanes - 1) & ~(Lanes - 1)) {}
    static constexpr int in_warp = warp_lanes / Lanes;

    COPPICE_LANE int rank() const { return lane; }
    /// Whether one of the lanes has its bit set in a ballot.
    COPPICE_LANE bool any_of(unsigned ballot) const { return (ballot >> first & (~0u >> (warp_lanes - Lanes))) != 0; }
    template <class T>
    COPPICE_LANE T from(T const& value, int lane_of_team) const {
        return block.from_lane(value, first + lane_of_team);
    }
};

} // namespace coppice::inline v0_1::chain
