// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Builds a CSR matrix from rows that are counted and written independently. Host only.
#pragma once

#include <cstdint>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1::detail {

/// `rows.count(i)` returns the number of nonzeros of row i, `rows.fill(i, columns, values)` writes them. Rows run in
/// parallel, without other storage.
template <class T, class Rows>
csr<T> assemble_rows(host_executor const& exec, std::int64_t row_count, std::int64_t column_count, Rows const& rows) {
    auto const n = checked_cast<std::int32_t>(row_count, "number of rows");
    auto const m = checked_cast<std::int32_t>(column_count, "number of columns");
    buffer<std::int32_t> offsets(exec, row_count + 1);
    std::int64_t const nonzeros = exclusive_scan(
        exec, row_count, [&](std::int64_t i) { return rows.count(i); },
        [&](std::int64_t i, std::int64_t start) { offsets[i] = static_cast<std::int32_t>(start); }, std::int64_t{0});
    offsets[row_count] = checked_cast<std::int32_t>(nonzeros, "number of nonzeros");

    buffer<std::int32_t> columns(exec, nonzeros);
    buffer<T> values(exec, nonzeros);
    for_each(exec, row_count,
             [&](std::int64_t i) { rows.fill(i, columns.data() + offsets[i], values.data() + offsets[i]); });
    return {n, m, std::move(offsets), std::move(columns), std::move(values)};
}

} // namespace coppice::inline v0_1::detail
