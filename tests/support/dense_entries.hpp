// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A sparse matrix as a dense array, to compare it with an expected one.
#pragma once

#include <cstddef>
#include <vector>

#include <coppice/algebra/csr.hpp>

namespace coppice::test {

/// The entries of a small matrix, row by row; those of the same position are added.
template <class T>
std::vector<T> dense_entries(csr<T> const& a) {
    std::vector<T> all(std::size_t(a.rows()) * std::size_t(a.columns()));
    for (int i = 0; i < a.rows(); ++i)
        for (int k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            all[std::size_t(i * a.columns() + a.column_indices()[k])] += a.values()[k];
    return all;
}

} // namespace coppice::test
