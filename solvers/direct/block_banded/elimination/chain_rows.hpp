// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The rows of every matrix that the chain solver takes, as one type: scalar, block and banded, cyclic, a batch
/// of systems, plain, transposed or conjugate-transposed.
///
/// A matrix counts as block tridiagonal with blocks of n rows; a banded matrix gets blocks of n = max(kl, ku) rows
/// without ever being stored so (thesis section 2.6.11). Entry (r, c) of block row i stands in scalar row i n + r and
/// scalar column (i - 1) n + c, 0 <= c < 3 n. For fixed (r, c) the address of this entry is affine in i: a strand.
#pragma once

#include <cstdint>
#include <limits>

#include <coppice/core/lane/lane_access.hpp>
#include <coppice/solvers/direct/interface/matrix_operation.hpp>

namespace coppice::chain {

/// Entry (r, c) of all block rows: of block row i, base[(i + shift) * stride]; zero in all of them where base is null.
template <class T>
struct strand {
    T const* base;
    std::int64_t stride;
    std::int64_t shift;
};

/// One system of a batch: block row j of its `rows` block rows lies at index base + j stride of the storage.
struct system_place {
    std::int64_t system, base, stride, rows;
};

/// Sizes of the entries of rows that fill up a stretch behind the end of its system: of the rows that pass on the last
/// block of unknowns, and of the rows that pass on the block behind it.
struct filling_sizes {
    double last = 1, behind = 1;
};

/// How the systems of a batch lie in the storage.
struct batch_shape {
    std::int64_t systems = 1;
    std::int64_t rows = 0;                 ///< block rows of a system; of the largest where offsets tell the sizes
    std::int64_t const* offsets = nullptr; ///< system s is block rows [offsets[s], offsets[s + 1])
    bool interleaved = false;              ///< block row j of system s lies at j systems + s
    std::int64_t total = 0;                ///< block rows altogether

    COPPICE_HD COPPICE_ALWAYS_INLINE system_place system(std::int64_t s) const {
        if (offsets) return {s, offsets[s], 1, offsets[s + 1] - offsets[s]};
        if (interleaved) return {s, s, systems, rows};
        return {s, s * rows, 1, rows};
    }
    /// The system of the i-th block row, counted through all systems.
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t system_of(std::int64_t i) const {
        if (systems == 1) return 0;
        if (!offsets) return i / rows;
        std::int64_t low = 0, high = systems; // offsets[low] <= i < offsets[high]
        while (high - low > 1) {
            std::int64_t const middle = low + (high - low) / 2;
            (offsets[middle] <= i ? low : high) = middle;
        }
        return low;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t first_row(std::int64_t s) const {
        return offsets ? offsets[s] : s * rows;
    }
};

/// A block tridiagonal matrix, or a batch of such.
template <class T>
struct matrix_rows {
    batch_shape batch;
    std::int64_t scalar_rows = 0; ///< of all systems; of a banded matrix its rows, whose last block need not be full
    int n = 1;
    int lower_bands = -1, upper_bands = -1;                          ///< of a banded matrix; -1 for blocks
    T const *lower = nullptr, *diagonal = nullptr, *upper = nullptr; ///< blocks; `diagonal` also the bands
    bool cyclic = false;
    matrix_operation op = matrix_operation::none;

    COPPICE_HD COPPICE_ALWAYS_INLINE bool banded() const { return lower_bands >= 0; }

    /// `block` is n, perhaps known to the compiler.
    COPPICE_HD COPPICE_ALWAYS_INLINE strand<T> strand_of(int block, int r, int c) const {
        bool const turned = op != matrix_operation::none;
        if (banded()) {
            int const k = c - block - r; // column minus row
            int const band = (turned ? -k : k) + lower_bands;
            if (band < 0 || band > lower_bands + upper_bands) return {nullptr, 0, 0};
            return {diagonal + band * scalar_rows + (turned ? r + k : r), block, 0};
        }
        int const part = c / block, q = c - part * block;
        if (!turned) {
            T const* const band = part == 0 ? lower : part == 1 ? diagonal : upper;
            return {band + r + q * block, block * block, 0};
        }
        T const* const band = part == 0 ? upper : part == 1 ? diagonal : lower;
        return {band + q + r * block, block * block, part - 1};
    }

    /// Entry (r, c) of block row j of a system, for any j of its stretches. Rows behind the last one of the system read
    /// x[j + 1] = x[j - 1]: they pass two blocks of unknowns on to the end of the stretch, so that z of a stretch that
    /// is not full means the same unknowns as z of a full one. `sizes` are the sizes of the entries of such rows.
    COPPICE_HD COPPICE_ALWAYS_INLINE T entry(system_place const& s, std::int64_t j, int r, int c,
                                             filling_sizes const& sizes = {}) const {
        if (j >= s.rows) {
            double const size = (j - s.rows) % 2 == 0 ? sizes.last : sizes.behind;
            return sized(c == r ? -size : c == 2 * n + r ? size : 0);
        }
        if (banded()) {
            std::int64_t const row = j * n + r, column = (j - 1) * n + c;
            if (row >= scalar_rows) return sized(row == column ? sizes.last : 0);
            if (column < 0 || column >= scalar_rows) return T(0);
        }
        if (!cyclic && ((c < n && j == 0) || (c >= 2 * n && j == s.rows - 1))) return T(0);
        strand<T> const of = strand_of(n, r, c);
        if (!of.base) return T(0);
        std::int64_t at = j + of.shift; // round the corner where the matrix is cyclic
        at += at < 0 ? s.rows : at >= s.rows ? -s.rows : 0;
        T const value = of.base[(s.base + at * s.stride) * of.stride];
        return op == matrix_operation::conjugate_transposed ? conjugate(value) : value;
    }
    /// The sizes of rows behind the last of a system: powers of two that follow the entries in the columns of the last
    /// block of unknowns and, behind it, of the first. So a matrix times a power of two is eliminated alike, and no row
    /// is larger than those of the matrix, which growth is told by.
    COPPICE_HD COPPICE_ALWAYS_INLINE filling_sizes filling(system_place const& s) const {
        double last = 0, behind = 0; // entries of the last block of unknowns, and of that behind it
        for (int r = 0; r < n && has_row(s, s.rows - 1, r); ++r)
            for (int c = 0; c < n; ++c) {
                last = larger(largest_part(entry(s, s.rows - 1, r, n + c)), last);
                behind = larger(largest_part(entry(s, s.rows - 1, r, 2 * n + c)), behind);
            }
        for (int i = 0; i < n * n && s.rows > 1; ++i)
            last = larger(largest_part(entry(s, s.rows - 2, i % n, 2 * n + i / n)), last);
        // What is passed through behind them comes round as the first block of unknowns.
        for (int i = 0; i < n * n && !cyclic; ++i) behind = larger(largest_part(entry(s, 0, i % n, n + i / n)), behind);
        for (int i = 0; i < n * n && s.rows > 1 && !cyclic; ++i)
            behind = larger(largest_part(entry(s, 1, i % n, i / n)), behind);
        return {size_of(last > 0 ? last : behind), size_of(behind > 0 ? behind : last)};
    }
    /// Whether block row j of a system may be read through its strands alone.
    COPPICE_HD COPPICE_ALWAYS_INLINE bool plain(system_place const& s, std::int64_t j) const {
        return j > 0 && j < s.rows - 2 && op != matrix_operation::conjugate_transposed;
    }
    /// Whether scalar row r of block row j is one of the matrix.
    COPPICE_HD COPPICE_ALWAYS_INLINE bool has_row(system_place const& s, std::int64_t j, int r) const {
        return j < s.rows && (!banded() || j * n + r < scalar_rows);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE static T sized(double value) {
        return T(typename lane_traits<real_lane_t<T>>::value_type(value));
    }

private:
    COPPICE_HD COPPICE_ALWAYS_INLINE static double size_of(double most) {
        using real = typename lane_traits<real_lane_t<T>>::value_type;
        constexpr double limit = sizeof(real) == 4 ? 0x1p126 : 0x1p1022; // and its reciprocal is normal
        if (!(most > 0 && most <= double(std::numeric_limits<real>::max()))) return 1;
        double const size = 1 / scale_to_one(larger(most, 0x1p-1022));
        return size < limit ? size : limit;
    }
    template <class R>
    COPPICE_HD COPPICE_ALWAYS_INLINE static double largest_part(R const& a) {
        return double(magnitude(a));
    }
    template <class R>
    COPPICE_HD COPPICE_ALWAYS_INLINE static double largest_part(complex_lane<R> const& a) {
        return double(larger(magnitude(a.re), magnitude(a.im)));
    }
};

} // namespace coppice::chain
