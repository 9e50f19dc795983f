// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Levels of the chain solver. The input of a level is block rows: those of the matrix or the condensed segments of the
/// previous level. A level splits them into segments, eliminates the inner unknowns of every segment and produces one
/// condensed segment for each (solvers/direct/DESIGN.md). This header reads block rows, writes condensed segments, and
/// solves the last condensed segment of a system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <coppice/core/device_predicate.hpp>
#include <coppice/core/lane/lane_atomics.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_lane.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_level_sizes.hpp>

namespace coppice::inline v0_1::chain {

inline constexpr int max_levels = 17; ///< 32 * 16^15 > 2^63
inline constexpr int max_rhs = 8;     ///< right-hand sides that are solved together
inline constexpr std::int64_t no_row = std::numeric_limits<std::int64_t>::max();

/// Key that orders the rows without a pivot for lower_to: first by elimination step, then by row, so that the first row
/// of the earliest step is reported. In a later step a row may lack a pivot only because an earlier singular row took
/// its pivot row. Step 0 eliminates rows of the matrix, later steps condensed segments.
COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t met_at(int step, std::int64_t row) {
    return std::int64_t(step) << 56 | row;
}
/// The row in a key of met_at; no_row for no_row.
COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t row_met(std::int64_t met) {
    return met == no_row ? no_row : met & ((std::int64_t(1) << 56) - 1);
}

/// Base class of the observers that do not record pivots.
struct no_record {
    static constexpr bool recording = false;
    template <class Pivot, class T>
    COPPICE_HD COPPICE_ALWAYS_INLINE void record(int, Pivot const&, T const*) const {}
};

/// An observer that ignores everything.
struct silent_observer : no_record {
    COPPICE_HD COPPICE_ALWAYS_INLINE silent_observer at(int) const { return {}; }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool needed() const { return false; }
    COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(int, int) const {}
};

/// An observer that stores, for each system, the first unknown without a pivot.
template <class BlockRows, int Lanes>
struct pivot_observer : no_record {
    BlockRows const& block_rows;
    segment_locations<Lanes> const& locations;
    int u = 0;

    COPPICE_HD COPPICE_ALWAYS_INLINE pivot_observer at(int block_row) const {
        return {{}, block_rows, locations, block_row};
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool needed() const { return block_rows.singular != nullptr; }
    COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(int k, int l) const {
        segment_location const& location = locations.lane[l];
        if (location.segment < 0) return;
        std::int64_t const row = block_rows.row_of(location, u, k);
        if (row >= 0) lower_to(block_rows.singular + location.block_rows.system, met_at(block_rows.depth, row));
    }
};

/// Block rows [first, last) of a segment.
struct block_row_range {
    int first, last;

    /// The block rows [first, min(here, block_rows)) of a segment; an empty range if there is no such segment.
    COPPICE_HD COPPICE_ALWAYS_INLINE static block_row_range inside(segment_location const& at, int first,
                                                                   std::int64_t here, int block_rows) {
        int const last = at.segment < 0 ? 0 : here < block_rows ? int(here) : block_rows;
        return {first, last > first ? last : first};
    }
};

/// Storage of the solution of one segment for one right-hand side: the K values of block row u start at at[u stride];
/// `rows` values in all.
template <class T>
struct solution_run {
    T* at;
    std::int64_t stride;
    int rows;
};

/// Block rows of the matrix with their right-hand sides, as input of the finest level.
template <class T>
struct matrix_block_rows {
    static constexpr int depth = 0;
    static constexpr bool of_matrix = true;

    matrix_rows<T> a;
    T const* d;
    T* x;
    std::int64_t d_leading, x_leading;
    int rhs_count;
    std::int64_t* singular; ///< met_at() for each system, initially no_row; or null

    template <class Lane, class Team, class Shape, int Lanes>
    COPPICE_HD COPPICE_ALWAYS_INLINE void load(Team const& team, Shape const& g, padded_locations<Lanes> const& at,
                                               int u, stack_view<Lane> const& to) const {
        int const n = g.rows();
        bool const plain = at.inner && a.op != matrix_operation::conjugate_transposed;
        // Column by column, in the order of the storage.
        for (int i = team.rank(); i < n * 3 * n; i += team.size()) {
            int const c = i / n, r = i - c * n;
            if (plain)
                load_strided(at, a.entry_pointer(n, r, c), u, g.block_rows, to(2 * n + r, c));
            else
                for (int l = 0; l < Lanes; ++l)
                    set_lane(to(2 * n + r, c), l, entry_of(at.lane[l], u, r, c, at.padding[l]));
        }
        load_rhs(team, g, at, u, to, 2 * n, 3 * n + to.left);
    }
    /// Loads the right-hand sides of block row u into rows from `row` and columns from `column` on.
    template <class Lane, class Team, class Shape, int Lanes>
    COPPICE_HD COPPICE_ALWAYS_INLINE void load_rhs(Team const& team, Shape const& g, segment_locations<Lanes> const& at,
                                                   int u, stack_view<Lane> const& to, int row, int column) const {
        int const n = g.rows();
        for (int i = team.rank(); i < n * rhs_count; i += team.size()) {
            int const rhs_index = i / n, r = i - rhs_index * n;
            Lane& target = to(row + r, column + rhs_index);
            if (at.inner)
                load_strided(at, strided_pointer<T>{d + r + rhs_index * d_leading, n, 0}, u, g.block_rows, target);
            else
                load_rhs_entry(at, u, r, rhs_index, target);
        }
    }
    /// For packs: the segments of neighbouring lanes start `distance` block rows apart.
    template <class Lane, int Lanes>
    COPPICE_HD COPPICE_ALWAYS_INLINE void load_strided(segment_locations<Lanes> const& at, strided_pointer<T> const& s,
                                                       int u, int distance, Lane& to) const {
        if (!s.base) {
            to = Lane(0);
            return;
        }
        system_location const& location = at.lane[0].block_rows;
        std::int64_t const stride = location.stride * s.stride, step = stride * distance;
        T const* const from = s.base + location.base * s.stride + (at.lane[0].begin + u + s.shift) * stride;
        for (int l = 0; l < Lanes; ++l) set_lane(to, l, from[l * step]);
    }
    template <class Lane, int Lanes>
    COPPICE_HD COPPICE_ALWAYS_INLINE void load_rhs_entry(segment_locations<Lanes> const& at, int u, int r,
                                                         int rhs_index, Lane& to) const {
        for (int l = 0; l < Lanes; ++l) set_lane(to, l, rhs_of(at.lane[l], u, r, rhs_index));
    }
    /// One right-hand side or entry of block row u of a segment.
    COPPICE_HD COPPICE_ALWAYS_INLINE T rhs_of(segment_location const& at, int u, int r, int rhs_index) const {
        std::int64_t const j = at.begin + u;
        if (!a.has_row(at.block_rows, j, r)) return T(0);
        return d[(at.block_rows.base + j * at.block_rows.stride) * a.n + r + rhs_index * d_leading];
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE T entry_of(segment_location const& at, int u, int r, int c,
                                                padding_sizes const& padding) const {
        return a.entry(at.block_rows, at.begin + u, r, c, padding);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE padding_sizes padding(segment_location const& at) const {
        return a.padding(at.block_rows);
    }
    /// Whether block rows of a segment before `to` are after the last row of the system. Only these need padding rows,
    /// whose magnitudes are expensive to compute on a GPU.
    COPPICE_HD COPPICE_ALWAYS_INLINE bool needs_padding(segment_location const& at, int to) const {
        std::int64_t const end = at.begin + to, rows = at.block_rows.rows;
        return end > rows || (end == rows && a.banded() && rows * a.n > a.scalar_rows);
    }
    /// Growth reference of a segment, if it is known before its rows are read: not for rows of the matrix, whose
    /// largest entry largest_entry() computes by the lanes of a team together.
    COPPICE_HD COPPICE_ALWAYS_INLINE static growth_reference<real_lane_t<T>> known(segment_location const&, int) {
        return {0, false};
    }
    template <class Team>
    COPPICE_HD real_lane_t<T> largest_entry(Team const& team, segment_location const& at, int block_rows) const {
        real_lane_t<T> largest(0);
        for (int i = team.rank(); i < block_rows * a.n; i += team.size()) {
            int const u = i / a.n, r = i - u * a.n;
            if (!a.has_row(at.block_rows, at.begin + u, r)) continue;
            for (int c = 0; c < 3 * a.n; ++c) largest = larger(largest, magnitude(entry_of(at, u, r, c, {})));
        }
        return largest;
    }
    /// Whether tiles are staged without the conjugation that the operation requires; their reader then conjugates.
    COPPICE_HD COPPICE_ALWAYS_INLINE bool conjugated() const {
        return is_complex_lane<T> && a.op == matrix_operation::conjugate_transposed;
    }
    /// The block rows of a segment that can be copied by for_each_run: those that are matrix_rows::plain.
    COPPICE_HD COPPICE_ALWAYS_INLINE block_row_range plain(segment_location const& at, int block_rows) const {
        return block_row_range::inside(at, at.begin == 0 ? plain_begin() : 0, plain_end(at) - at.begin, block_rows);
    }
    /// Index of the first block row of a segment: in its system, and in the storage.
    COPPICE_HD COPPICE_ALWAYS_INLINE static std::int64_t first_of(segment_location const& at) { return at.begin; }
    COPPICE_HD COPPICE_ALWAYS_INLINE static std::int64_t origin(segment_location const& at) {
        return at.block_rows.base + at.begin * at.block_rows.stride;
    }
    /// Range of the block rows of a system that can be copied.
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr int plain_begin() { return 1; }
    COPPICE_HD COPPICE_ALWAYS_INLINE static std::int64_t plain_end(segment_location const& at) {
        return at.block_rows.rows - 2;
    }
    /// Distance of consecutive block rows of a segment in the storage, in block rows; not 1 if systems are interleaved.
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t stride() const { return a.batch.interleaved ? a.batch.systems : 1; }
    /// Maximum number of block rows in a segment.
    template <class Shape>
    static constexpr int max_block_rows = 1 << log_segment_rows;
    /// Calls run(from, pitch, length, first, step) for each contiguous run: element e, 0 <= e < length, of block row i
    /// is from[i pitch + e] in the storage and first + e step in the staged block row, [right-hand side][K] followed by
    /// [column][K]. If conjugated(), the staged entry is the conjugate. Not for banded matrices, which chain_bands.hpp
    /// reads row by row.
    template <class Shape, class Run>
    COPPICE_HD COPPICE_ALWAYS_INLINE void for_each_run(Shape const& g, Run const& run) const {
        constexpr int n = Shape::rows();
        constexpr std::integral_constant<int, n> row{};
        int const after = g.rhs_count * n;
        COPPICE_NO_UNROLL
        for (int rhs_index = 0; rhs_index < g.rhs_count; ++rhs_index)
            run(d + rhs_index * d_leading, n, row, rhs_index * n, 1);
        // Row r of a block of the transposed matrix is column r of a block of a neighbouring block row.
        if (a.op != matrix_operation::none) {
            COPPICE_NO_UNROLL
            for (int i = 0; i < 3 * n; ++i) {
                int const block_column = i / n, r = i - block_column * n;
                T const* const band = block_column == 0 ? a.upper : block_column == 1 ? a.diagonal : a.lower;
                run(band + (block_column - 1) * stride() * n * n + r * n, n * n, row, after + block_column * n * n + r,
                    n);
            }
            return;
        }
        COPPICE_NO_UNROLL
        for (int i = 0; i < 3; ++i)
            run(i == 0   ? a.lower
                : i == 1 ? a.diagonal
                         : a.upper,
                n * n, std::integral_constant<int, n * n>(), after + i * n * n, 1);
    }
    template <class Lane, int Lanes>
    COPPICE_HD void store(segment_locations<Lanes> const& at, int u, int r, int rhs_index, Lane const& value) const {
        for (int l = 0; l < Lanes; ++l) {
            system_location const& s = at.lane[l].block_rows;
            std::int64_t const j = at.lane[l].begin + u;
            if (at.lane[l].segment >= 0 && a.has_row(s, j, r))
                x[(s.base + j * s.stride) * a.n + r + rhs_index * x_leading] = get_lane(value, l);
        }
    }
    /// Storage of the solution of a segment.
    COPPICE_HD COPPICE_ALWAYS_INLINE solution_run<T> solution(segment_location const& at, int block_rows,
                                                              int rhs_index) const {
        std::int64_t const end = a.banded() ? a.scalar_rows : at.block_rows.rows * a.n, rows = end - at.begin * a.n;
        std::int64_t const all = std::int64_t(block_rows) * a.n, here = at.segment < 0 ? 0 : rows < all ? rows : all;
        T* const to = x + (at.block_rows.base + at.begin * at.block_rows.stride) * a.n + rhs_index * x_leading;
        return {to, at.block_rows.stride * a.n, int(here)};
    }
    /// Scalar row, within the system, of the k-th unknown that block row u eliminates; -1 for a padding row.
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t row_of(segment_location const& location, int u, int k) const {
        std::int64_t const j = location.begin + u - 1;
        return a.has_row(location.block_rows, j, k) ? j * a.n + k : -1;
    }
};

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
    COPPICE_HD COPPICE_ALWAYS_INLINE void load(Team const& team, Shape const&, padded_locations<Lanes> const& at, int u,
                                               stack_view<Lane> const& to) const {
        int const all = 2 * width + rhs_count;
        for (int i = team.rank(); i < width * all; i += team.size()) {
            int const r = i / all, c = i - r * all;
            Lane& target = to(width + r, c < 2 * width ? c : to.left + c);
            for (int l = 0; l < Lanes; ++l)
                set_lane(target, l,
                         c < 2 * width ? entry_of(at.lane[l], u, r, c, at.padding[l])
                                       : rhs_of(at.lane[l], u, r, c - 2 * width));
        }
    }
    template <class Lane, class Team, class Shape, int Lanes>
    COPPICE_HD COPPICE_ALWAYS_INLINE void load_rhs(Team const& team, Shape const&, segment_locations<Lanes> const& at,
                                                   int u, stack_view<Lane> const& to, int row, int column) const {
        for (int i = team.rank(); i < width * rhs_count; i += team.size()) {
            int const r = i / rhs_count, rhs_index = i - r * rhs_count;
            for (int l = 0; l < Lanes; ++l)
                set_lane(to(row + r, column + rhs_index), l, rhs_of(at.lane[l], u, r, rhs_index));
        }
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE growth_reference<real> size_of(std::int64_t segment) const {
        return growth_reference<real>(sizes[segment]);
    }
    /// Merged growth reference of the condensed segments that form the segment `at`: `block_rows` of them, or fewer at
    /// the end of the system.
    COPPICE_HD COPPICE_ALWAYS_INLINE growth_reference<real> known(segment_location const& at, int block_rows) const {
        std::int64_t const left = at.block_rows.rows - at.begin;
        int const here = left < block_rows ? int(left) : block_rows;
        growth_reference<real> all(sizes[at.block_rows.base + at.begin]);
        for (int u = 1; u < here; ++u) all = all.with(size_of(at.block_rows.base + at.begin + u));
        return all;
    }
    template <class Team>
    COPPICE_HD COPPICE_ALWAYS_INLINE static real largest_entry(Team const&, segment_location const&, int) {
        return 0;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE T entry(std::int64_t segment, int r, int c) const {
        return c < 2 * width ? matrix[(segment * 2 * width + c) * width + r] : rhs_at(segment, r, c - 2 * width);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE T& rhs_at(std::int64_t segment, int r, int rhs_index) const {
        return rhs[(segment * rhs_count + rhs_index) * width + r];
    }
    /// One right-hand side or entry of block row u of a segment. Padding rows after the last condensed segment of a
    /// system state z = y.
    COPPICE_HD COPPICE_ALWAYS_INLINE T rhs_of(segment_location const& at, int u, int r, int rhs_index) const {
        std::int64_t const j = at.begin + u;
        return j < at.block_rows.rows ? rhs_at(at.block_rows.base + j, r, rhs_index) : T(0);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE T entry_of(segment_location const& at, int u, int r, int c,
                                                padding_sizes const& padding) const {
        std::int64_t const j = at.begin + u;
        if (j < at.block_rows.rows) return entry(at.block_rows.base + j, r, c);
        // The last block of unknowns comes first if an odd number of blocks precedes it.
        bool const first = r < width / 2, even = a.batch.system(at.block_rows.system).rows % 2 == 0;
        double const size = first == even ? padding.last : padding.after;
        return a.sized(c == r ? -size : c == width + r ? size : 0);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE padding_sizes padding(segment_location const& at) const {
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
    COPPICE_HD COPPICE_ALWAYS_INLINE bool any_by_householder(segment_locations<Lanes> const& at) const {
        bool any = false;
        for (int l = 0; l < Lanes; ++l) any = any || (at.lane[l].segment >= 0 && sizes[at.lane[l].segment] < 0);
        return any;
    }
    /// Deactivates the segments that were not condensed by Householder reflections, or only those that were; returns
    /// whether any stays active.
    template <int Lanes>
    COPPICE_HD COPPICE_ALWAYS_INLINE bool leave(segment_locations<Lanes>& at, bool by_householder) const {
        bool any = false;
        for (segment_location& location : at.lane) {
            if (location.segment >= 0 && (sizes[location.segment] < 0) != by_householder) location.segment = -1;
            any = any || location.segment >= 0;
        }
        return any;
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
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t row_of(segment_location const& location, int u, int k) const {
        return row_before(location.begin + u, k, location.block_rows.system);
    }
    /// Scalar row, within the system, of unknown k of the unknowns before condensed segment j.
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t row_before(std::int64_t j, int k, std::int64_t system) const {
        system_location const rows = a.batch.system(system);
        std::int64_t block = j * span + (k < a.n ? -1 : 0);
        if (block < 0) block = rows.rows - 1;
        return a.has_row(rows, block, k % a.n) ? block * a.n + k % a.n : -1;
    }
};

/// The unknowns before and after a segment, read from the solved condensed segments of the next depth.
template <class T>
struct segment_boundary {
    condensed_rows<T> const& condensed;

    /// Unknown k before a segment (left) or after it (right).
    template <class Lane, int Lanes>
    COPPICE_HD void left(segment_locations<Lanes> const& at, int k, int rhs_index, Lane& to) const {
        for (int l = 0; l < Lanes; ++l)
            set_lane(to, l, 0 > at.lane[l].segment ? T(0) : condensed.rhs_at(at.lane[l].segment, k, rhs_index));
    }
    template <class Lane, int Lanes>
    COPPICE_HD void right(segment_locations<Lanes> const& at, int k, int rhs_index, Lane& to) const {
        for (int l = 0; l < Lanes; ++l) {
            segment_location const& location = at.lane[l];
            int const w = condensed.width, there = location.exchanged ? (k + w / 2) % w : k;
            set_lane(to, l, location.segment < 0 ? T(0) : condensed.rhs_at(location.next, there, rhs_index));
        }
    }
};

/// Converts the options of an elimination to a lane type.
template <class Lane, class Real>
COPPICE_HD COPPICE_ALWAYS_INLINE auto broadcast(elimination<Real> const& how) {
    using real = real_lane_t<Lane>;
    return elimination<real>{real(how.threshold), how.flush, how.equilibrate};
}

/// Arguments of one level: block rows as input, condensed segments as output.
template <class T, class BlockRows>
struct chain_level {
    using value_type = T;
    using real = real_lane_t<T>;

    BlockRows block_rows;
    condensed_rows<T> condensed;
    levels all;
    block_row_shape<any_size> shape;
    elimination<real_lane_t<T>> how;
    std::int64_t segments;
    int const* predicate; ///< device predicate: if not null and *predicate is 0, the level does nothing

    COPPICE_HD COPPICE_ALWAYS_INLINE bool open() const { return is_enabled(predicate); }

    template <class Lane, class Team, class Shape>
    COPPICE_HD void reduce(Team const& team, Shape const& g, std::int64_t p, Lane* memory) const {
        padded_locations<lane_count<Lane>> const at(all, block_rows, p);
        pivot_observer<BlockRows, lane_count<Lane>> const observer{{}, block_rows, at};
        auto const lane_how = broadcast<Lane>(how);
        memory_stacks stacks(team, block_rows, g, at, memory, g.width(), static_cast<Lane const*>(nullptr), lane_how);
        reduce_segment(stacks, g, at, condensed, observer);
        auto const observed = growth_in(team, at, largest_of_team(team, stacks.size, stacks.next.at),
                                        largest_of_team(team, stacks.largest_left(), stacks.next.at));
        if (team.any(observed.some)) reduce_again(team, at, observed, memory);
        team.sync();
    }
    template <class Lane, class Team, class Shape>
    COPPICE_HD void substitute(Team const& team, Shape const& g, std::int64_t p, Lane* memory) const {
        padded_locations<lane_count<Lane>> at(all, block_rows, p);
        if (team.any(condensed.any_by_householder(at))) {
            substitute_again(team, at, memory);
            if (!team.any(condensed.leave(at, false))) return;
        }
        auto const lane_how = broadcast<Lane>(how);
        substitute_with<Lane>(team, g, at, memory, [&](Lane const* known) {
            return memory_stacks(team, block_rows, g, at, memory, 0, known, lane_how);
        });
    }

    /// Data of the growth test for the segments of a pack, after their reduction.
    template <class Real>
    struct growth {
        /// Largest entries: of the first block rows, if these are rows of the matrix; of the condensed segments.
        Real size, largest;
        bool some; ///< whether any segment must be tested again
    };
    /// Stores the growth references of the condensed segments.
    template <class Team, int Lanes, class Real>
    COPPICE_HD COPPICE_ALWAYS_INLINE growth<Real> growth_in(Team const& team, segment_locations<Lanes> const& at,
                                                            Real const& first, Real const& largest) const {
        bool some = false;
        for (int l = 0; l < Lanes; ++l) {
            if (0 > at.lane[l].segment) continue;
            auto const size = size_before(at.lane[l], get_lane(first, l));
            some =
                some || size.by_householder || exceeds_growth_bound(get_lane(largest, l), size.size, condensed.width);
            if (team.rank() == 0) condensed.sizes[at.lane[l].segment] = size.encoded();
        }
        return {first, largest, some};
    }
    /// Growth reference of a segment before the test, from its condensed segments or from the size of its rows.
    COPPICE_HD COPPICE_ALWAYS_INLINE growth_reference<real> size_before(segment_location const& at,
                                                                        real const& of_matrix) const {
        growth_reference<real> known = block_rows.known(at, shape.block_rows);
        if (how.equilibrate)
            known.size = 1;
        else if (BlockRows::of_matrix)
            known.size = of_matrix;
        return known;
    }

    /// Keeps in `at` only the segments that must be eliminated again by Householder reflections: those whose condensed
    /// rows have grown, and those with a condensed segment beneath them that came from reflections (only then does the
    /// size of a pivot decide whether it counts as zero). Returns whether any segment is left in this team or in the
    /// teams that run in lockstep with it; `memory` belongs to this team.
    template <class Team, int Lanes, class Real>
    COPPICE_HD bool again(Team const& team, segment_locations<Lanes>& at, growth<Real> const& seen, Real& tolerance,
                          void* memory) const {
        bool some = false;
        for (int l = 0; l < Lanes; ++l) {
            segment_location& location = at.lane[l];
            real const largest = get_lane(seen.largest, l);
            auto size = size_before(location, get_lane(seen.size, l));
            bool const due = location.segment >= 0 &&
                             (size.by_householder || exceeds_growth_bound(largest, size.size, condensed.width));
            if (BlockRows::of_matrix && !how.equilibrate &&
                (due || Lanes == 1)) // a team takes part in the reductions of others
                size.size =
                    larger(size.size,
                           largest_of_team(team, block_rows.largest_entry(team, location, shape.block_rows), memory));
            size.by_householder =
                due && (size.by_householder || exceeds_growth_bound(largest, size.size, condensed.width));
            set_lane(tolerance, l, size.tolerance());
            if (due && team.rank() == 0) condensed.sizes[location.segment] = size.encoded();
            if (!size.by_householder) location.segment = -1;
            some = some || size.by_householder;
        }
        if (how.flush) tolerance = larger(tolerance, Real(how.threshold));
        return team.any(some);
    }
    template <class Lane, class Team, int Lanes>
    [[gnu::noinline]] COPPICE_HD void reduce_again(Team const& team, padded_locations<Lanes> at,
                                                   growth<real_lane_t<Lane>> const& seen, Lane* memory) const {
        real_lane_t<Lane> tolerance;
        if (!again(team, at, seen, tolerance, memory)) return;
        auto const lane_how = broadcast<Lane>(how);
        householder_stacks stacks(memory_stacks(team, block_rows, shape, at, memory, shape.width(),
                                                static_cast<Lane const*>(nullptr), lane_how),
                                  tolerance);
        reduce_segment(stacks, shape, at, condensed, pivot_observer<BlockRows, Lanes>{{}, block_rows, at});
    }
    /// Substitutes only in the segments that were condensed by Householder reflections.
    template <class Lane, class Team, int Lanes>
    [[gnu::noinline]] COPPICE_HD void substitute_again(Team const& team, padded_locations<Lanes> at,
                                                       Lane* memory) const {
        condensed.leave(at, true);
        auto const lane_how = broadcast<Lane>(how);
        substitute_with<Lane>(team, shape, at, memory, [&](Lane const* known) {
            return householder_stacks(memory_stacks(team, block_rows, shape, at, memory, 0, known, lane_how),
                                      real_lane_t<Lane>(0));
        });
    }

private:
    template <class Lane, class Team, class Shape, int Lanes, class Stacks>
    COPPICE_HD COPPICE_ALWAYS_INLINE void substitute_with(Team const& team, Shape const& g,
                                                          padded_locations<Lanes> const& at, Lane* memory,
                                                          Stacks const& stacks_for) const {
        slot_rows<Lane, Shape> const slots{memory + 2ll * g.pitch() * g.substitute_columns(), g};
        segment_boundary<T> const boundary{condensed};
        take_left(team, g, at, slots, boundary);
        auto stacks = stacks_for(slots.known());
        substitute_segment(team, stacks, g, at, slots, boundary, silent_observer{});
        int const each = g.rows() * g.rhs_count;
        for (int i = team.rank(); i < g.block_rows * each; i += team.size()) {
            int const u = i / each, rest = i - u * each, rhs_index = rest / g.rows(), r = rest - rhs_index * g.rows();
            block_rows.store(at, u, r, rhs_index, slots.rhs(u, r, rhs_index));
        }
        team.sync();
    }
};

/// The final Schur complement: solves the last condensed segment of each system, a dense system of 2 n equations in
/// which y and z are the same unknowns. Each system needs elements() of memory.
template <class T>
struct final_complement {
    using value_type = T;
    using real = real_lane_t<T>;

    condensed_rows<T> condensed;
    levels all;
    elimination<real_lane_t<T>> how;
    int const* predicate;

    COPPICE_HD COPPICE_ALWAYS_INLINE bool open() const { return is_enabled(predicate); }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t elements() const {
        return std::int64_t(condensed.width | 1) * (condensed.width + condensed.rhs_count);
    }

    struct unknown_observer : no_record {
        condensed_rows<T> const& condensed;
        std::int64_t system;
        COPPICE_HD COPPICE_ALWAYS_INLINE unknown_observer(condensed_rows<T> const& l, std::int64_t s)
            : condensed(l), system(s) {}
        COPPICE_HD COPPICE_ALWAYS_INLINE bool needed() const { return condensed.singular != nullptr && system >= 0; }
        COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(int k, int) const {
            if (std::int64_t const row = condensed.row_before(0, k, system); row >= 0)
                lower_to(condensed.singular + system, met_at(condensed.depth + (k < condensed.a.n ? 0 : 1), row));
        }
    };

    /// Loads S + R of the last condensed segment of a system and its right-hand sides; the identity for a system
    /// without rows.
    template <class Team>
    COPPICE_HD void load(Team const& team, std::int64_t s, stack_view<T> const& m) const {
        std::int64_t const rows = s < all.batch.systems ? all.batch.system(s).rows : 0;
        int const w = condensed.width;
        std::int64_t const segment = rows == 0 ? 0 : all.first(s, condensed.depth);
        for (int i = team.rank(); i < w * m.columns; i += team.size()) {
            int const c = i / w, r = i - c * w, after = rows % 2 == 1 ? (c + w / 2) % w : c;
            m(r, c) = rows == 0 ? condensed.a.sized(c == r ? 1 : 0)
                      : c >= w  ? condensed.entry(segment, r, c + w)
                                : condensed.entry(segment, r, c) + condensed.entry(segment, r, w + after);
        }
    }
    template <class Team>
    COPPICE_HD void solve(Team const& team, std::int64_t s, T* memory) const {
        std::int64_t const rows = s < all.batch.systems ? all.batch.system(s).rows : 0;
        int const w = condensed.width, columns = w + condensed.rhs_count;
        // A team without a system takes part with an identity matrix, so that its lanes reach the same barriers.
        bool const idle = rows == 0;
        std::int64_t const segment = idle ? 0 : all.first(s, condensed.depth);
        stack_view<T> const m{memory, w | 1, columns, 0};
        eliminate(team, s, m, unknown_observer{condensed, idle ? -1 : s});
        for (int rhs_index = idle ? condensed.rhs_count : team.rank(); rhs_index < condensed.rhs_count;
             rhs_index += team.size()) {
            solve_triangle(
                w, [&](int r, int c) -> T const& { return m(r, c); }, [&](int r) -> T& { return m(r, w + rhs_index); });
            for (int r = 0; r < w; ++r) condensed.rhs_at(segment, r, rhs_index) = m(r, w + rhs_index);
        }
    }
    /// Eliminates S + R in `m`; by Householder reflections if a segment of the system was eliminated by these or if
    /// rows of S + R grow.
    template <class Team, class Observer>
    COPPICE_HD COPPICE_ALWAYS_INLINE void eliminate(Team const& team, std::int64_t s, stack_view<T> const& m,
                                                    Observer const& observer) const {
        bool const idle = s >= all.batch.systems || all.batch.system(s).rows == 0;
        auto const size = idle ? growth_reference<real>(0, false) : condensed.size_of(all.first(s, condensed.depth));
        prepare(team, s, m);
        eliminate_columns(team, m, condensed.width, condensed.width, condensed.width, m, how, observer);
        if (bool const again =
                size.by_householder || (!idle && exceeds_growth_bound(largest_above(m), size.size, condensed.width));
            team.any(again))
            eliminate_again(team, s, m, size, again, observer);
    }

private:
    template <class Team>
    COPPICE_HD COPPICE_ALWAYS_INLINE void prepare(Team const& team, std::int64_t s, stack_view<T> const& m) const {
        load(team, s, m);
        team.sync();
        if (how.equilibrate) equilibrate_rows(team, m, 0, condensed.width, condensed.width);
    }
    /// Largest entry above the diagonal of the pivot rows. A pivot is at least as large as the entries after it, or
    /// irrelevant.
    COPPICE_HD COPPICE_ALWAYS_INLINE real largest_above(stack_view<T> const& m) const {
        largest_magnitude<T> largest;
        for (int c = 1; c < condensed.width; ++c)
            for (int r = 0; r < c; ++r) largest.include(m(r, c));
        return largest.value();
    }
    /// `again`: whether this team repeats its elimination; other teams of its warp may take part for their own.
    template <class Team, class Observer>
    [[gnu::noinline]] COPPICE_HD void eliminate_again(Team const& team, std::int64_t s, stack_view<T> const& m,
                                                      growth_reference<real> const& size, bool again,
                                                      Observer const& observer) const {
        masked_team<Team> const workers{team, again};
        real tolerance = size.tolerance();
        if (how.flush) tolerance = larger(tolerance, how.threshold);
        team.sync(); // all lanes have read
        prepare(workers, s, m);
        householder_column<T> eliminated[max_block_row_size];
        eliminate_by_householder(workers, m, condensed.width, condensed.width, condensed.width, m, eliminated);
        report_householder(workers, eliminated, condensed.width, tolerance, observer);
    }
};

} // namespace coppice::inline v0_1::chain
