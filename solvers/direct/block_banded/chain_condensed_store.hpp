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

/// Back substitution through separator rows. Lane r < W of a team has row r of the columns of y and of the triangle,
/// lane W + r has row r of the columns of z.
template <class T, int W, class Team>
struct separator_rows {
    Team const& team;

    /// The values of separator rows in this lane.
    struct lane_values {
        T entry[W], upper[W], rhs;
    };
    COPPICE_LANE lane_values load(condensed_store<T, W> const& separators, std::int64_t i, bool active) const {
        lane_values p{};
        if (!active || team.rank() >= 2 * W) return p;
        T const* const from = separators.column(i, of_z() ? W : 0) + row();
        COPPICE_UNROLL
        for (int c = 0; c < W; ++c) p.entry[c] = from[c * W];
        if (of_z()) return p;
        // For c < row() this reads another entry of the triangle; the value computed from it is not used.
        T const* const triangle = separators.upper + i * separators.triangle + row();
        COPPICE_UNROLL
        for (int c = 0; c < W; ++c) p.upper[c] = triangle[c * (c + 1) / 2];
        p.rhs = separators.rhs_of(i)[row()];
        return p;
    }
    /// Computes m; `known` is y in the lanes of y and z in the lanes of z. Every lane gets all of m; in the lanes of y
    /// the return value is the unknown of the row of the lane.
    COPPICE_LANE T solve(lane_values const& p, T const (&known)[W], T (&m)[W]) const {
        T sum(0), own(0);
        COPPICE_UNROLL
        for (int c = W - 1; c >= 0; --c) sum = sum + p.entry[c] * known[c];
        T value = p.rhs - sum - team.from(sum, W + row());
        COPPICE_UNROLL
        for (int k = W - 1; k >= 0; --k) {
            T const solved = value * p.upper[k];
            own = select(row() == k, solved, own);
            m[k] = team.from(solved, k);
            value = value - p.upper[k] * m[k];
        }
        return own;
    }
    COPPICE_LANE int row() const { return int(unsigned(team.rank()) % W); }
    COPPICE_LANE bool of_y() const { return team.rank() < W; }
    COPPICE_LANE bool of_z() const { return !of_y() && team.rank() < 2 * W; }
};

} // namespace coppice::inline v0_1::chain
