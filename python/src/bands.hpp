// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Band matrices and batches of them, made of arrays.
#pragma once

#include <optional>

#include <coppice/solvers/direct/factored/band_factor.hpp>

#include "arrays.hpp"

namespace coppice::python {

/// `systems` systems of `length` (block) rows each, one behind the other; the Python side has checked the sizes.
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

/// What a call of solve_bands takes: all systems, or one of a batch of banded ones.
template <class T>
struct band_part {
    band_matrix<T> matrix;
    std::int64_t first = 0; ///< system
};

/// The calls that a batch takes: the library solves banded matrices one by one.
template <class T>
std::vector<band_part<T>> parts_of(bands const& a) {
    T const* const diagonal = elements<T>(a.diagonal).data();
    if (!a.banded()) {
        T const *const lower = elements<T>(*a.lower).data(), *const upper = elements<T>(*a.upper).data();
        block_tridiagonal_view<T> const all{a.systems * a.length, a.block, lower, diagonal, upper};
        band_matrix<T> const one = a.block == 1
                                       ? band_matrix<T>(tridiagonal_view<T>{all.length, lower, diagonal, upper})
                                       : band_matrix<T>(all);
        return {{band_matrix<T>::batch(one, a.systems), 0}};
    }
    std::vector<band_part<T>> parts;
    std::int64_t const size = (a.lower_bands + a.upper_bands + 1) * a.length;
    for (std::int64_t s = 0; s < a.systems; ++s)
        parts.push_back(
            {band_matrix<T>(banded_view<T>{a.length, a.lower_bands, a.upper_bands, diagonal + s * size}), s});
    return parts;
}

/// The columns of a part within right-hand sides or solutions of [columns, systems, rows].
template <class T>
columns_view<T> columns_of(bands const& a, band_part<std::remove_const_t<T>> const& part, T* all,
                           std::int64_t columns) {
    return {all + part.first * a.rows(), part.matrix.size, columns, a.systems * a.rows()};
}

} // namespace coppice::python
