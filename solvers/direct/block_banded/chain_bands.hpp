// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rows of a banded matrix one by one, as units of tiles.
///
/// As blocks of n = max(kl, ku) rows, a stretch of a banded matrix is eliminated n columns at a time from a window of
/// W + n rows, many of whose entries lie outside the bands. With scalar rows as units (K = 1, W = 2 n) one row enters,
/// one column is eliminated from W + 1 rows, and all entries of a unit lie inside the bands. Stretches, links, y and z
/// are those of blocks. The window is that of the host (window/chain_front.hpp).
#pragma once

#include <coppice/solvers/direct/block_banded/elimination/chain_level.hpp>

namespace coppice::chain {

/// Scalar rows of one banded system with one right-hand side, a model of stretch_units. Stretches are counted in block
/// rows, units in scalar rows.
template <class T>
struct band_row_units {
    static constexpr int depth = 0;
    static constexpr bool of_rows = true;

    row_units<T> of;
    std::int64_t* singular; ///< as in row_units

    COPPICE_HD COPPICE_ALWAYS_INLINE explicit band_row_units(row_units<T> const& rows)
        : of(rows), singular(rows.singular) {}

    COPPICE_HD COPPICE_ALWAYS_INLINE T side_of(stretch_place const& at, int u, int, int side) const {
        return of.side_of(at, u / of.a.n, u % of.a.n, side);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE T entry_of(stretch_place const& at, int u, int, int c,
                                                filling_sizes const& filling) const {
        return of.entry_of(at, u / of.a.n, u % of.a.n, u % of.a.n + c, filling);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE static link_size<real_lane_t<T>> known(stretch_place const&, int) {
        return {0, false};
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool fills(stretch_place const& at, int to) const {
        return of.fills(at, (to + of.a.n - 1) / of.a.n);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE filling_sizes filling(stretch_place const& at) const { return of.filling(at); }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool conjugated() const { return of.conjugated(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t first_of(stretch_place const& at) const { return at.begin * of.a.n; }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t origin(stretch_place const& at) const { return first_of(at); }
    COPPICE_HD COPPICE_ALWAYS_INLINE int plain_begin() const { return of.plain_begin() * of.a.n; }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t plain_end(stretch_place const& at) const {
        return of.plain_end(at) * of.a.n;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE unit_range plain(stretch_place const& at, int units) const {
        return unit_range::inside(at, at.begin == 0 ? plain_begin() : 0, plain_end(at) - first_of(at), units);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr std::int64_t stride() { return 1; }
    template <class Shape>
    static constexpr int most_units = Shape::width() / 2 << log_stretch_rows;
    template <class Shape, class Run>
    COPPICE_HD COPPICE_ALWAYS_INLINE void for_each_run(Shape const& g, Run const& run) const {
        constexpr std::integral_constant<int, 1> row{};
        matrix_rows<T> const& a = of.a;
        int const n = g.width() / 2;
        // Transposed, band k is band -k from row k on.
        bool const turned = a.op != matrix_operation::none;
        std::int64_t const apart = turned ? 1 - a.scalar_rows : a.scalar_rows;
        std::int64_t at = a.lower_bands * a.scalar_rows - n * apart;
        COPPICE_NO_UNROLL
        for (int i = 0; i <= 2 * n + 1; ++i) {               // one loop: the body is long
            int const k = i - 1 - n, band = turned ? -k : k; // column minus row
            bool const stored = -a.lower_bands <= band && band <= a.upper_bands;
            run(i == 0 ? of.d : stored ? a.diagonal + at : nullptr, 1, row, i, 1);
            if (i > 0) at += apart;
        }
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE solution_run<T> solution(stretch_place const& at, int units, int side) const {
        solution_run<T> run = of.solution(at, units / of.a.n, side);
        run.stride = 1;
        return run;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t row_of(stretch_place const& place, int u, int) const {
        std::int64_t const row = first_of(place) + u - of.a.n;
        return row >= 0 && row < of.a.scalar_rows ? row : -1;
    }
};

/// The finest stage of a banded matrix row by row.
template <class T>
stage<T, band_row_units<T>> row_by_row(stage<T, row_units<T>> const& s) {
    int const n = s.units.a.n;
    return {band_row_units<T>(s.units),
            s.links,
            s.all,
            {{1, 2 * n}, s.shape.units * n, s.shape.sides},
            s.how,
            s.stretches,
            s.gate};
}

} // namespace coppice::chain
