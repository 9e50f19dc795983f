// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Scalar rows of a banded matrix as block rows of tiles.
///
/// With blocks of n = max(kl, ku) rows, a segment of a banded matrix is eliminated n columns at a time from a window of
/// W + n rows, many of whose entries are outside of the bands. With scalar rows instead (K = 1, W = 2 n) one row
/// enters, one column is eliminated from W + 1 rows, and all entries of a row are inside of the bands. Segments,
/// condensed segments, y and z are the same as with blocks. The window is that of the host
/// (elimination/chain_front.hpp).
#pragma once

#include <coppice/solvers/direct/block_banded/elimination/chain_level.hpp>

namespace coppice::inline v0_1::chain {

/// Scalar rows of one banded system with one right-hand side; a model of segment_rows. Segments are counted in blocks
/// of n rows, block rows of a segment in scalar rows.
template <class T>
struct scalar_band_rows : matrix_block_rows<T> {
    using blocks = matrix_block_rows<T>;
    using blocks::a, blocks::d;

    COPPICE_LANE explicit scalar_band_rows(blocks const& rows) : blocks(rows) {}

    COPPICE_LANE T rhs_of(segment_location const& at, int u, int, int rhs_index) const {
        return blocks::rhs_of(at, u / a.n, u % a.n, rhs_index);
    }
    COPPICE_LANE T entry_of(segment_location const& at, int u, int, int c, padding_sizes const& padding) const {
        return blocks::entry_of(at, u / a.n, u % a.n, u % a.n + c, padding);
    }
    COPPICE_LANE bool needs_padding(segment_location const& at, int to) const {
        return blocks::needs_padding(at, (to + a.n - 1) / a.n);
    }
    COPPICE_LANE std::int64_t first_of(segment_location const& at) const { return at.begin * a.n; }
    COPPICE_LANE std::int64_t origin(segment_location const& at) const { return first_of(at); }
    COPPICE_LANE int plain_begin() const { return blocks::plain_begin() * a.n; }
    COPPICE_LANE std::int64_t plain_end(segment_location const& at) const { return blocks::plain_end(at) * a.n; }
    COPPICE_LANE block_row_range plain(segment_location const& at, int block_rows) const {
        return block_row_range::inside(at, at.begin == 0 ? plain_begin() : 0, plain_end(at) - first_of(at), block_rows);
    }
    COPPICE_LANE static constexpr std::int64_t stride() { return 1; }
    template <class Shape>
    static constexpr int max_block_rows = Shape::width() / 2 << log_segment_rows;
    template <class Shape, class Run>
    COPPICE_LANE void for_each_run(Shape const& g, Run const& run) const {
        constexpr std::integral_constant<int, 1> row{};
        int const n = g.width() / 2;
        // In the transposed matrix, band k is band -k of the stored matrix, from row k on.
        bool const transposed = a.op != matrix_operation::none;
        std::int64_t const stride_of_bands = transposed ? 1 - a.scalar_rows : a.scalar_rows;
        std::int64_t at = a.lower_bands * a.scalar_rows - n * stride_of_bands;
        COPPICE_NO_UNROLL
        for (int i = 0; i <= 2 * n + 1; ++i) {                   // a single loop, since its body is long
            int const k = i - 1 - n, band = transposed ? -k : k; // column minus row
            bool const stored = -a.lower_bands <= band && band <= a.upper_bands;
            run(i == 0 ? d : stored ? a.diagonal + at : nullptr, 1, row, i, 1);
            if (i > 0) at += stride_of_bands;
        }
    }
    COPPICE_LANE solution_run<T> solution(segment_location const& at, int block_rows, int rhs_index) const {
        solution_run<T> run = blocks::solution(at, block_rows / a.n, rhs_index);
        run.stride = 1;
        return run;
    }
    template <class Team>
    COPPICE_HD row_sizes<real_lane_t<T>> largest_rows(Team const& team, segment_location const& at, int rows) const {
        return blocks::largest_rows(team, at, rows / a.n);
    }
    COPPICE_LANE std::int64_t row_of(segment_location const& location, int u, int) const {
        std::int64_t const row = first_of(location) + u - a.n;
        return row >= 0 && row < a.scalar_rows ? row : -1;
    }
};

/// The finest level of a banded matrix, in scalar rows.
template <class T>
chain_level<T, scalar_band_rows<T>> row_by_row(chain_level<T, matrix_block_rows<T>> const& s) {
    int const n = s.block_rows.a.n;
    return {scalar_band_rows<T>(s.block_rows),
            s.condensed,
            s.all,
            {{1, 2 * n}, s.shape.block_rows * n, s.shape.rhs_count},
            s.how,
            s.segments,
            s.predicate};
}

} // namespace coppice::inline v0_1::chain
