// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Access to the rows of every matrix that the chain solver takes, by one type: scalar, block or banded; cyclic or not;
/// one system or a batch; plain, transposed or conjugate-transposed.
///
/// A matrix is treated as block tridiagonal with blocks of n rows. A banded matrix gets blocks of n = max(kl, ku) rows
/// but keeps its storage by bands (thesis section 2.6.11). Entry (r, c) of block row i is the matrix entry in scalar
/// row i n + r and scalar column (i - 1) n + c, 0 <= c < 3 n. For fixed (r, c) the address of this entry is affine in
/// i: a strided pointer.
#pragma once

#include <cstdint>
#include <limits>

#include <coppice/core/lane/lane_access.hpp>
#include <coppice/solvers/direct/interface/matrix_operation.hpp>

namespace coppice::inline v0_1::chain {

/// Entry (r, c) of all block rows: that of block row i is base[(i + shift) * stride]. If base is null, the entry is
/// zero in all block rows.
template <class T>
struct strided_pointer {
    T const* base;
    std::int64_t stride;
    std::int64_t shift;
};

/// One system of a batch: block row j of its `rows` block rows has index base + j stride in the storage.
struct system_location {
    std::int64_t system, base, stride, rows;
};

/// Magnitudes of the nonzero entries of padding rows, which fill a segment after the end of its system: `last` for the
/// rows that pass on the last block of unknowns, `after` for the rows that pass on the block after it.
struct padding_sizes {
    double last = 1, after = 1;
    COPPICE_LANE padding_sizes divided_by(double divisor) const { return {last / divisor, after / divisor}; }
};

/// Layout of the systems of a batch in the storage.
struct batch_shape {
    std::int64_t systems = 1;
    std::int64_t rows = 0;                 ///< block rows of a system; if there are offsets, of the largest system
    std::int64_t const* offsets = nullptr; ///< system s is block rows [offsets[s], offsets[s + 1])
    bool interleaved = false;              ///< block row j of system s has index j systems + s
    std::int64_t total = 0;                ///< block rows of all systems

    COPPICE_LANE system_location system(std::int64_t s) const {
        if (offsets) return {s, offsets[s], 1, offsets[s + 1] - offsets[s]};
        if (interleaved) return {s, s, systems, rows};
        return {s, s * rows, 1, rows};
    }
    /// System of the i-th block row, counted over all systems.
    COPPICE_LANE std::int64_t system_of(std::int64_t i) const {
        if (systems == 1) return 0;
        if (!offsets) return i / rows;
        std::int64_t low = 0, high = systems; // offsets[low] <= i < offsets[high]
        while (high - low > 1) {
            std::int64_t const middle = low + (high - low) / 2;
            (offsets[middle] <= i ? low : high) = middle;
        }
        return low;
    }
    COPPICE_LANE std::int64_t first_row(std::int64_t s) const { return offsets ? offsets[s] : s * rows; }
};

/// A block tridiagonal matrix, or a batch of such.
template <class T>
struct matrix_rows {
    batch_shape batch;
    std::int64_t scalar_rows =
        0; ///< of all systems; for a banded matrix its number of rows, which need not be a multiple of n
    int n = 1;
    int lower_bands = -1, upper_bands = -1; ///< of a banded matrix; -1 for a block matrix
    T const *lower = nullptr, *diagonal = nullptr,
            *upper = nullptr; ///< blocks; `diagonal` also points to the bands of a banded matrix
    bool cyclic = false;
    bool in_segments = false; ///< blocks are not to be eliminated like bands (band_ends_host.hpp)
    matrix_operation op = matrix_operation::none;

    COPPICE_LANE bool banded() const { return lower_bands >= 0; }

    /// Strided pointer to entry (r, c) of all block rows. `block` is n, which the compiler may know.
    COPPICE_LANE strided_pointer<T> entry_pointer(int block, int r, int c) const {
        bool const transposed = op != matrix_operation::none;
        if (banded()) {
            int const k = c - block - r; // column minus row
            int const band = (transposed ? -k : k) + lower_bands;
            if (band < 0 || band > lower_bands + upper_bands) return {nullptr, 0, 0};
            return {diagonal + band * scalar_rows + (transposed ? r + k : r), block, 0};
        }
        int const block_column = c / block, q = c - block_column * block;
        if (!transposed) {
            T const* const band = block_column == 0 ? lower : block_column == 1 ? diagonal : upper;
            return {band + r + q * block, block * block, 0};
        }
        T const* const band = block_column == 0 ? upper : block_column == 1 ? diagonal : lower;
        return {band + q + r * block, block * block, block_column - 1};
    }

    /// Entry (r, c) of block row j of a system, for any j in its segments. Rows after the last row of the system are
    /// padding rows, which state x[j + 1] = x[j - 1]. They pass two blocks of unknowns on to the end of the segment, so
    /// that z of a padded segment denotes the same unknowns as z of a full one. `sizes` are the magnitudes of their
    /// entries.
    COPPICE_LANE T entry(system_location const& s, std::int64_t j, int r, int c,
                         padding_sizes const& sizes = {}) const {
        if (j >= s.rows) {
            double const size = (j - s.rows) % 2 == 0 ? sizes.last : sizes.after;
            return sized(c == r ? -size : c == 2 * n + r ? size : 0);
        }
        if (banded()) {
            std::int64_t const row = j * n + r, column = (j - 1) * n + c;
            if (row >= scalar_rows) return sized(row == column ? sizes.last : 0);
            if (column < 0 || column >= scalar_rows) return T(0);
        }
        if (!cyclic && ((c < n && j == 0) || (c >= 2 * n && j == s.rows - 1))) return T(0);
        strided_pointer<T> const of = entry_pointer(n, r, c);
        if (!of.base) return T(0);
        std::int64_t at = j + of.shift; // wraps around if the matrix is cyclic
        at += at < 0 ? s.rows : at >= s.rows ? -s.rows : 0;
        T const value = of.base[(s.base + at * s.stride) * of.stride];
        return op == matrix_operation::conjugate_transposed ? conjugate(value) : value;
    }
    /// Magnitudes of the entries of padding rows: powers of two near the largest entries in the columns of the last
    /// block of unknowns and of the block after it, the first one. So a matrix times a power of two is eliminated with
    /// the same pivots, and no padding row is larger than the rows of the matrix, on which the growth test relies.
    ///
    /// In a cyclic matrix these unknowns are also y, with large coefficients in rows 0 and 1 perhaps, and small ones
    /// here. If a row of the matrix became the pivot row of such a copy, the copy could differ from y by its error
    /// divided by the small coefficient. Therefore these entries count too, and padding rows are `cyclic_margin` times
    /// as large: they become the pivot rows even after element growth, and none of them remains in a condensed row.
    COPPICE_LANE padding_sizes padding(system_location const& s) const {
        double last = 0, after = 0; // largest entries of the last block of unknowns and of the block after it
        for (int r = 0; r < n && has_row(s, s.rows - 1, r); ++r)
            for (int c = 0; c < n; ++c) {
                last = larger(largest_component(entry(s, s.rows - 1, r, n + c)), last);
                after = larger(largest_component(entry(s, s.rows - 1, r, 2 * n + c)), after);
            }
        for (int i = 0; i < n * n && s.rows > 1; ++i)
            last = larger(largest_component(entry(s, s.rows - 2, i % n, 2 * n + i / n)), last);
        // The block of unknowns after the last one is the first one.
        for (int i = 0; i < n * n; ++i) {
            last = larger(largest_component(entry(s, 0, i % n, i / n)), last); // 0 unless cyclic
            after = larger(largest_component(entry(s, 0, i % n, n + i / n)), after);
            if (s.rows > 1) after = larger(largest_component(entry(s, 1, i % n, i / n)), after);
        }
        double const margin = padding_margin();
        return {size_of(last > 0 ? last : after, margin), size_of(after > 0 ? after : last, margin)};
    }
    /// The factor by which padding() enlarges padding rows: more than 1 for cyclic matrices. If a segment is eliminated
    /// by Householder reflections, its padding rows are divided by this factor again. Reflections mix rows, so that
    /// each of the larger padding rows would add rounding errors of its size to a row of the matrix.
    COPPICE_LANE double padding_margin() const { return cyclic ? cyclic_margin : 1; }
    /// Whether scalar row r of block row j is a row of the matrix, not a padding row.
    COPPICE_LANE bool has_row(system_location const& s, std::int64_t j, int r) const {
        return j < s.rows && (!banded() || j * n + r < scalar_rows);
    }
    COPPICE_LANE static T sized(double value) { return T(typename lane_traits<real_lane_t<T>>::value_type(value)); }

private:
    static constexpr double cyclic_margin = 16; ///< at least max_growth()

    COPPICE_LANE static double size_of(double maximum, double margin) {
        using real = typename lane_traits<real_lane_t<T>>::value_type;
        constexpr double limit = sizeof(real) == 4 ? 0x1p126 : 0x1p1022; // chosen so that its reciprocal is normal
        if (!(maximum > 0 && maximum <= double(std::numeric_limits<real>::max()))) return 1;
        double const size = margin / scale_to_one(larger(maximum, 0x1p-1022));
        return size < limit ? size : limit;
    }
    template <class R>
    COPPICE_LANE static double largest_component(R const& a) {
        return double(magnitude(a));
    }
    template <class R>
    COPPICE_LANE static double largest_component(complex_lane<R> const& a) {
        return double(larger(magnitude(a.re), magnitude(a.im)));
    }
};

} // namespace coppice::inline v0_1::chain
