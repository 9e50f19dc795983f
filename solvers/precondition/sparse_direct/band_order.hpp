// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Orders of the rows of a sparse matrix with a small bandwidth.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <coppice/algebra/csr.hpp>

namespace coppice::inline v0_1::detail {

/// Offsets and columns of a square matrix in host memory.
struct pattern_view {
    std::int32_t rows;
    std::int32_t const *offsets, *indices;

    template <class S>
    pattern_view(csr_view<S> a) : rows(a.rows()), offsets(a.offsets), indices(a.indices) {}
    std::int32_t nonzeros() const { return rows > 0 ? offsets[rows] : 0; }
};

/// A matrix whose nonzeros are within bands: (P A P^T)(position[i], position[j]) = a_ij.
struct band_order {
    std::vector<std::int32_t> position{}; ///< of each row; empty: as they are
    int lower = 0, upper = 0;             ///< bands on either side of the diagonal
};

/// Returns the given order of the rows if it has at most `bands` bands on either side, else a reverse Cuthill-McKee
/// order (of the pattern of A + A^T, from vertices of least degree after two breadth-first searches) if that has;
/// otherwise nothing. Sequential. Ends early for meshes of two and more dimensions: of a matrix with b bands, at most
/// 2 b r + 1 vertices are within distance r of a vertex. Reads the pattern only, in host memory.
std::optional<band_order> find_band_order(pattern_view a, int bands);

} // namespace coppice::inline v0_1::detail
