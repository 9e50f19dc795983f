// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Band matrices and batches of them, as views of arrays.
#pragma once

#include <optional>

#include <coppice/solvers/direct/factored/band_factor.hpp>

#include "arrays.hpp"

namespace coppice::python {

/// `systems` systems of `length` (block) rows each, stored consecutively; Python code has checked the sizes.
/// Tridiagonal: block 1. Blocks: column-major. Banded: lower_bands >= 0 and `diagonal` holds [systems, bands, length].
struct bands {
    std::optional<input_array> lower;
    input_array diagonal;
    std::optional<input_array> upper;
    std::int64_t systems = 1;
    std::int64_t length = 0;
    int block = 1;
    int lower_bands = -1, upper_bands = -1;

    bool banded() const { return lower_bands >= 0; }
    std::int64_t rows() const { return length * block; } ///< of one system
};

/// Argument of one call of solve_bands: all systems, or one banded system of a batch.
template <class T>
struct band_batch {
    band_matrix<T> matrix;
    std::int64_t first = 0; ///< index of the first system
};

/// Divides a batch into calls: all systems in one call, except banded ones, which the library solves one by one.
template <class T>
std::vector<band_batch<T>> batches_of(bands const& a) {
    T const* const diagonal = elements<T>(a.diagonal).data();
    if (!a.banded()) {
        T const *const lower = elements<T>(*a.lower).data(), *const upper = elements<T>(*a.upper).data();
        block_tridiagonal_view<T> const all{a.systems * a.length, a.block, lower, diagonal, upper};
        band_matrix<T> const one = a.block == 1
                                       ? band_matrix<T>(tridiagonal_view<T>{all.length, lower, diagonal, upper})
                                       : band_matrix<T>(all);
        return {{band_matrix<T>::batch(one, a.systems), 0}};
    }
    std::vector<band_batch<T>> batches;
    std::int64_t const size = (a.lower_bands + a.upper_bands + 1) * a.length;
    for (std::int64_t s = 0; s < a.systems; ++s)
        batches.push_back(
            {band_matrix<T>(banded_view<T>{a.length, a.lower_bands, a.upper_bands, diagonal + s * size}), s});
    return batches;
}

/// Returns the columns of a call within right-hand sides or solutions of shape [columns, systems, rows].
template <class T>
columns_view<T> columns_of(bands const& a, band_batch<std::remove_const_t<T>> const& batch, T* all,
                           std::int64_t columns) {
    return {all + batch.first * a.rows(), batch.matrix.size, columns, a.systems * a.rows()};
}

} // namespace coppice::python
