// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Coordinate storage on the host, the intermediate format of readers and generators.
#pragma once

#include <cstdint>
#include <vector>

#include <coppice/core/error.hpp>

namespace coppice::inline v0_1 {

/// Replaces an operator for duplicates: duplicates are an error.
struct no_duplicates {};

/// Triplets (row, column, value) in any order, 0-based. Duplicates are allowed; to_csr() sums their values, or folds
/// them by an operator. Host memory only.
template <class T, class I = std::int32_t>
struct coo {
    using value_type = T;
    using index_type = I;

    I rows = 0;
    I columns = 0;
    std::vector<I> row_indices{};
    std::vector<I> column_indices{};
    std::vector<T> values{};

    std::int64_t entries() const { return static_cast<std::int64_t>(values.size()); }
    void add(I row, I column, T value) {
        row_indices.push_back(row);
        column_indices.push_back(column);
        values.push_back(value);
    }
};

} // namespace coppice::inline v0_1
