// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Block rows of the matrix with their right-hand sides and solution: the input of the finest level of the chain
/// solver.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/solvers/direct/block_banded/elimination/chain_growth.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_level_sizes.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_window.hpp>

namespace coppice::inline v0_1::chain {

/// Block rows [first, last) of a segment.
struct block_row_range {
    int first, last;

    /// The block rows [first, min(here, block_rows)) of a segment; an empty range if there is no such segment.
    COPPICE_LANE static block_row_range inside(segment_location const& at, int first, std::int64_t here,
                                               int block_rows) {
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
    COPPICE_LANE void load(Team const& team, Shape const& g, padded_locations<Lanes> const& at, int u,
                           stack_view<Lane> const& to) const {
        int const n = g.rows();
        bool const plain = at.inner && a.op != matrix_operation::conjugate_transposed;
        // Column by column, in the order of the storage.
        load_together<Lane>(
            team, n, 3 * n, [&](int r, int c) -> Lane& { return to(2 * n + r, c); },
            [&](int r, int c, Lane& target) {
                if (plain)
                    load_strided(at, a.entry_pointer(n, r, c), u, g.block_rows, target);
                else
                    for (int l = 0; l < Lanes; ++l) set_lane(target, l, entry_of(at.lane[l], u, r, c, at.padding[l]));
            });
        load_rhs(team, g, at, u, to, 2 * n, 3 * n + to.left);
    }
    /// Loads the right-hand sides of block row u into rows from `row` and columns from `column` on.
    template <class Lane, class Team, class Shape, int Lanes>
    COPPICE_LANE void load_rhs(Team const& team, Shape const& g, segment_locations<Lanes> const& at, int u,
                               stack_view<Lane> const& to, int row, int column) const {
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
    COPPICE_LANE void load_strided(segment_locations<Lanes> const& at, strided_pointer<T> const& s, int u, int distance,
                                   Lane& to) const {
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
    COPPICE_LANE void load_rhs_entry(segment_locations<Lanes> const& at, int u, int r, int rhs_index, Lane& to) const {
        for (int l = 0; l < Lanes; ++l) set_lane(to, l, rhs_of(at.lane[l], u, r, rhs_index));
    }
    /// One right-hand side or entry of block row u of a segment.
    COPPICE_LANE T rhs_of(segment_location const& at, int u, int r, int rhs_index) const {
        std::int64_t const j = at.begin + u;
        if (!a.has_row(at.block_rows, j, r)) return T(0);
        return d[(at.block_rows.base + j * at.block_rows.stride) * a.n + r + rhs_index * d_leading];
    }
    COPPICE_LANE T entry_of(segment_location const& at, int u, int r, int c, padding_sizes const& padding) const {
        return a.entry(at.block_rows, at.begin + u, r, c, padding);
    }
    COPPICE_LANE padding_sizes padding(segment_location const& at) const { return a.padding(at.block_rows); }
    /// Whether block rows of a segment before `to` are after the last row of the system. Only these need padding rows,
    /// whose magnitudes are expensive to compute on a GPU.
    COPPICE_LANE bool needs_padding(segment_location const& at, int to) const {
        std::int64_t const end = at.begin + to, rows = at.block_rows.rows;
        return end > rows || (end == rows && a.banded() && rows * a.n > a.scalar_rows);
    }
    /// Growth reference of a segment, if it is known before its rows are read: not for rows of the matrix, whose
    /// largest entry largest_rows() computes by the lanes of a team together.
    COPPICE_LANE static growth_reference<real_lane_t<T>> known(segment_location const&, int) { return {0, false}; }
    /// The sizes of the rows of a segment that this lane of the team reads, padding rows excluded.
    template <class Team>
    COPPICE_HD row_sizes<real_lane_t<T>> largest_rows(Team const& team, segment_location const& at,
                                                      int block_rows) const {
        row_sizes<real_lane_t<T>> largest;
        for (int i = team.rank(); i < block_rows * a.n; i += team.size()) {
            int const u = i / a.n, r = i - u * a.n;
            if (a.has_row(at.block_rows, at.begin + u, r))
                largest.include(3 * a.n, [&](int c) { return magnitude(entry_of(at, u, r, c, {})); });
        }
        return largest;
    }
    /// Whether tiles are staged without the conjugation that the operation requires; their reader then conjugates.
    COPPICE_LANE bool conjugated() const {
        return is_complex_lane<T> && a.op == matrix_operation::conjugate_transposed;
    }
    /// The block rows of a segment that can be copied by for_each_run: those that strided pointers
    /// alone read, not the boundary rows.
    COPPICE_LANE block_row_range plain(segment_location const& at, int block_rows) const {
        return block_row_range::inside(at, at.begin == 0 ? plain_begin() : 0, plain_end(at) - at.begin, block_rows);
    }
    /// Index of the first block row of a segment: in its system, and in the storage.
    COPPICE_LANE static std::int64_t first_of(segment_location const& at) { return at.begin; }
    COPPICE_LANE static std::int64_t origin(segment_location const& at) {
        return at.block_rows.base + at.begin * at.block_rows.stride;
    }
    /// Range of the block rows of a system that can be copied.
    COPPICE_LANE static constexpr int plain_begin() { return 1; }
    COPPICE_LANE static std::int64_t plain_end(segment_location const& at) { return at.block_rows.rows - 2; }
    /// Distance of consecutive block rows of a segment in the storage, in block rows; not 1 if systems are interleaved.
    COPPICE_LANE std::int64_t stride() const { return a.batch.interleaved ? a.batch.systems : 1; }
    /// Maximum number of block rows in a segment.
    template <class Shape>
    static constexpr int max_block_rows = 1 << log_segment_rows;
    /// Calls run(from, pitch, length, first, step) for each contiguous run: element e, 0 <= e < length, of block row i
    /// is from[i pitch + e] in the storage and first + e step in the staged block row, [right-hand side][K] followed by
    /// [column][K]. If conjugated(), the staged entry is the conjugate. Not for banded matrices, which scalar_band_rows
    /// reads row by row.
    template <class Shape, class Run>
    COPPICE_LANE void for_each_run(Shape const& g, Run const& run) const {
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
    COPPICE_LANE solution_run<T> solution(segment_location const& at, int block_rows, int rhs_index) const {
        std::int64_t const end = a.banded() ? a.scalar_rows : at.block_rows.rows * a.n, rows = end - at.begin * a.n;
        std::int64_t const all = std::int64_t(block_rows) * a.n, here = at.segment < 0 ? 0 : rows < all ? rows : all;
        T* const to = x + (at.block_rows.base + at.begin * at.block_rows.stride) * a.n + rhs_index * x_leading;
        return {to, at.block_rows.stride * a.n, int(here)};
    }
    /// Scalar row, within the system, of the k-th unknown that block row u eliminates; -1 for a padding row.
    COPPICE_LANE std::int64_t row_of(segment_location const& location, int u, int k) const {
        std::int64_t const j = location.begin + u - 1;
        return a.has_row(location.block_rows, j, k) ? j * a.n + k : -1;
    }
};

} // namespace coppice::inline v0_1::chain
