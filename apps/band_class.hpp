// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Classification of sparse matrices for the direct solvers, and conversion to the storage of the class.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <coppice/algebra/band_storage.hpp>
#include <coppice/algebra/csr.hpp>

namespace coppice::app {

/// The class with the lowest cost that contains all entries of a matrix.
struct band_class {
    enum kind_type { none, banded, blocks } kind = none;
    int block = 0;            ///< rows of a block
    bool cyclic = false;      ///< first and last block row are coupled
    int lower = 0, upper = 0; ///< bands

    std::string name() const {
        if (kind == blocks && block == 1) return cyclic ? "cyclic tridiagonal" : "tridiagonal";
        if (kind == blocks) return cyclic ? "cyclic block tridiagonal" : "block tridiagonal";
        return "banded";
    }
};

/// Whether all entries are in adjacent blocks of n rows; if `cyclic`, first and last block are adjacent too.
template <class T>
bool fits_blocks(csr<T> const& a, int n, bool cyclic) {
    std::int64_t const count = a.rows() / n;
    if (a.rows() % n != 0) return false;
    for (std::int64_t i = 0; i < a.rows(); ++i)
        for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k) {
            std::int64_t const distance = std::abs(a.column_indices()[k] / n - i / n);
            if (distance > 1 && !(cyclic && distance == count - 1)) return false;
        }
    return true;
}

/// Determines the class of a square matrix in host memory with the given bandwidths; `block` = 0 tests all sizes.
template <class T>
band_class classify(csr<T> const& a, std::int64_t lower, std::int64_t upper, int block) {
    std::int64_t const reach = std::max({lower, upper, std::int64_t(1)});
    for (int n = block > 0 ? block : 1; n <= (block > 0 ? block : largest_block); ++n) {
        // Blocks are preferred if they are not larger than the bandwidth: they need no conversion.
        if (n == 1 || reach != n || block > 0)
            if (fits_blocks(a, n, false)) return {band_class::blocks, n, false, 0, 0};
        if (reach == n && block == 0) return {band_class::banded, n, false, int(lower), int(upper)};
        if (fits_blocks(a, n, true)) return {band_class::blocks, n, true, 0, 0};
    }
    return {};
}

/// Converts to block storage; missing entries are zero.
template <class T>
block_tridiagonal<T> to_blocks(host_executor const& host, csr<T> const& a, band_class const& c) {
    int const n = c.block;
    std::int64_t const count = a.rows() / n;
    block_tridiagonal<T> m(host, count, n);
    for (auto* const band : {&m.lower, &m.diagonal, &m.upper}) std::fill(band->begin(), band->end(), T(0));
    for (std::int64_t i = 0; i < a.rows(); ++i)
        for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k) {
            std::int64_t const j = a.column_indices()[k], row = i / n, column = j / n;
            auto& band = column == row                                                      ? m.diagonal
                         : column == row - 1 || (column != row + 1 && row == 0 && c.cyclic) ? m.lower
                                                                                            : m.upper;
            band[row * n * n + i % n + j % n * n] += a.values()[k];
        }
    return m;
}

/// Converts to band storage.
template <class T>
banded<T> to_bands(host_executor const& host, csr<T> const& a, band_class const& c) {
    banded<T> m(host, a.rows(), c.lower, c.upper);
    std::fill(m.bands.begin(), m.bands.end(), T(0));
    for (std::int64_t i = 0; i < a.rows(); ++i)
        for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            m.bands[(a.column_indices()[k] - i + c.lower) * a.rows() + i] += a.values()[k];
    return m;
}

} // namespace coppice::app
