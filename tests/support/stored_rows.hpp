// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Square matrices given row by row.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/algebra/csr.hpp>

namespace coppice::test {

using row_lists = std::vector<std::vector<std::pair<int, double>>>; ///< columns and values in storage order

inline csr<double> from_rows(row_lists const& rows) {
    host_executor const host{1};
    std::vector<std::int32_t> offsets{0}, columns;
    std::vector<double> values;
    for (auto const& row : rows) {
        for (auto const& [column, value] : row) {
            columns.push_back(column);
            values.push_back(value);
        }
        offsets.push_back(std::int32_t(columns.size()));
    }
    auto const n = std::int32_t(rows.size());
    return {n, n, host.copy(offsets), host.copy(columns), host.copy(values)};
}

} // namespace coppice::test
