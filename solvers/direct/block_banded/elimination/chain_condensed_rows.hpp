// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Condensed segments of the chain solver: the output of a level, and the block rows of the next one. After its
/// solution they hold the unknowns around the segments of the level before.
#pragma once

#include <cstdint>

#include <coppice/solvers/direct/block_banded/elimination/chain_growth.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_level_sizes.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_window.hpp>

namespace coppice::inline v0_1::chain {

/// The condensed segments of one depth, in the workspace, as block rows of the next level. During back substitution the
/// unknowns before a condensed segment overwrite its right-hand sides.
template <class T>
struct condensed_rows {
    using real = real_lane_t<T>;
    static constexpr bool of_matrix = false;

    T* matrix = nullptr;   ///< [segment][2 W][W], column-major
    T* rhs = nullptr;      ///< [segment][right-hand side][W]
    real* sizes = nullptr; ///< [segment], an encoded growth_reference each
    int depth = 0;         ///< at least 1
    int width = 0;         ///< W
    int rhs_count = 0;
    matrix_rows<T> a;      ///< the matrix
    std::int64_t span = 0; ///< number of its block rows in each condensed segment
    std::int64_t* singular = nullptr;

    template <class Lane, class Team, class Shape, int Lanes>
    COPPICE_LANE void load(Team const& team, Shape const&, padded_locations<Lanes> const& at, int u,
                           stack_view<Lane> const& to) const {
        load_together<Lane>(
            team, width, 2 * width + rhs_count,
            [&](int r, int c) -> Lane& { return to(width + r, c < 2 * width ? c : to.left + c); },
            [&](int r, int c, Lane& target) {
                for (int l = 0; l < Lanes; ++l)
                    set_lane(target, l,
                             c < 2 * width ? entry_of(at.lane[l], u, r, c, at.padding[l])
                                           : rhs_of(at.lane[l], u, r, c - 2 * width));
            });
    }
    template <class Lane, class Team, class Shape, int Lanes>
    COPPICE_LANE void load_rhs(Team const& team, Shape const&, segment_locations<Lanes> const& at, int u,
                               stack_view<Lane> const& to, int row, int column) const {
        for (int i = team.rank(); i < width * rhs_count; i += team.size()) {
            int const r = i / rhs_count, rhs_index = i - r * rhs_count;
            for (int l = 0; l < Lanes; ++l)
                set_lane(to(row + r, column + rhs_index), l, rhs_of(at.lane[l], u, r, rhs_index));
        }
    }
    COPPICE_LANE growth_reference<real> size_of(std::int64_t segment) const {
        return growth_reference<real>(sizes[segment]);
    }
    /// Merged growth reference of the condensed segments that form the segment `at`: `block_rows` of them, or fewer at
    /// the end of the system.
    COPPICE_LANE growth_reference<real> known(segment_location const& at, int block_rows) const {
        std::int64_t const left = at.block_rows.rows - at.begin;
        int const here = left < block_rows ? int(left) : block_rows;
        growth_reference<real> all(sizes[at.block_rows.base + at.begin]);
        for (int u = 1; u < here; ++u) all = all.with(size_of(at.block_rows.base + at.begin + u));
        return all;
    }
    template <class Team>
    COPPICE_LANE static row_sizes<real> largest_rows(Team const&, segment_location const&, int) {
        return {};
    }
    COPPICE_LANE T entry(std::int64_t segment, int r, int c) const {
        return c < 2 * width ? matrix[(segment * 2 * width + c) * width + r] : rhs_at(segment, r, c - 2 * width);
    }
    COPPICE_LANE T& rhs_at(std::int64_t segment, int r, int rhs_index) const {
        return rhs[(segment * rhs_count + rhs_index) * width + r];
    }
    /// One right-hand side or entry of block row u of a segment. Padding rows after the last condensed segment of a
    /// system state z = y.
    COPPICE_LANE T rhs_of(segment_location const& at, int u, int r, int rhs_index) const {
        std::int64_t const j = at.begin + u;
        return j < at.block_rows.rows ? rhs_at(at.block_rows.base + j, r, rhs_index) : T(0);
    }
    COPPICE_LANE T entry_of(segment_location const& at, int u, int r, int c, padding_sizes const& padding) const {
        std::int64_t const j = at.begin + u;
        if (j < at.block_rows.rows) return entry(at.block_rows.base + j, r, c);
        // The last block of unknowns comes first if an odd number of blocks precedes it.
        bool const first = r < width / 2, even = a.batch.system(at.block_rows.system).rows % 2 == 0;
        double const size = first == even ? padding.last : padding.after;
        return a.sized(c == r ? -size : c == width + r ? size : 0);
    }
    COPPICE_LANE padding_sizes padding(segment_location const& at) const {
        return a.padding(a.batch.system(at.block_rows.system));
    }
    template <class Lane, int Lanes>
    COPPICE_HD void store(segment_locations<Lanes> const& at, int u, int r, int rhs_index, Lane const& value) const {
        for (int l = 0; l < Lanes; ++l) {
            system_location const& s = at.lane[l].block_rows;
            std::int64_t const j = at.lane[l].begin + u;
            if (at.lane[l].segment >= 0 && j < s.rows) rhs_at(s.base + j, r, rhs_index) = get_lane(value, l);
        }
    }
    /// Whether one of the segments was condensed by Householder reflections.
    template <int Lanes>
    COPPICE_LANE bool any_by_householder(segment_locations<Lanes> const& at) const {
        bool any = false;
        for (int l = 0; l < Lanes; ++l) any = any || (at.lane[l].segment >= 0 && sizes[at.lane[l].segment] < 0);
        return any;
    }
    /// All columns of the segments that were condensed by Householder reflections.
    template <int Lanes>
    COPPICE_LANE flagged_columns<Lanes> by_householder(segment_locations<Lanes> const& at) const {
        flagged_columns<Lanes> flags;
        for (int l = 0; l < Lanes; ++l)
            if (at.lane[l].segment >= 0 && sizes[at.lane[l].segment] < 0) flags.of_lane[l] = ~0u;
        return flags;
    }
    /// Stores column c of row r of the condensed segments.
    template <class Lane, int Lanes>
    COPPICE_HD void take(segment_locations<Lanes> const& at, int r, int c, Lane const& value) const {
        for (int l = 0; l < Lanes; ++l) {
            std::int64_t const segment = at.lane[l].segment;
            if (segment < 0) continue;
            if (c < 2 * width)
                matrix[(segment * 2 * width + c) * width + r] = get_lane(value, l);
            else
                rhs_at(segment, r, c - 2 * width) = get_lane(value, l);
        }
    }
    /// Unknown k before the segments (left) or after them (right), after these condensed segments are solved.
    template <class Lane, int Lanes>
    COPPICE_HD void left(segment_locations<Lanes> const& at, int k, int rhs_index, Lane& to) const {
        for (int l = 0; l < Lanes; ++l)
            set_lane(to, l, 0 > at.lane[l].segment ? T(0) : rhs_at(at.lane[l].segment, k, rhs_index));
    }
    template <class Lane, int Lanes>
    COPPICE_HD void right(segment_locations<Lanes> const& at, int k, int rhs_index, Lane& to) const {
        for (int l = 0; l < Lanes; ++l) {
            segment_location const& location = at.lane[l];
            int const w = width, there = location.exchanged ? (k + w / 2) % w : k;
            set_lane(to, l, location.segment < 0 ? T(0) : rhs_at(location.next, there, rhs_index));
        }
    }
    COPPICE_LANE std::int64_t row_of(segment_location const& location, int u, int k) const {
        return row_before(location.begin + u, k, location.block_rows.system);
    }
    /// Scalar row, within the system, of unknown k of the unknowns before condensed segment j.
    COPPICE_LANE std::int64_t row_before(std::int64_t j, int k, std::int64_t system) const {
        system_location const rows = a.batch.system(system);
        std::int64_t block = j * span + (k < a.n ? -1 : 0);
        if (block < 0) block = rows.rows - 1;
        return a.has_row(rows, block, k % a.n) ? block * a.n + k % a.n : -1;
    }
};

} // namespace coppice::inline v0_1::chain
