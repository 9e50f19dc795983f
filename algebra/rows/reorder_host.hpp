// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sorting of rows on the host. Parallel and stable; the result does not depend on the number of threads.
#pragma once

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/rows/lane_sort.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1::detail {

/// Sorts one row by column, stable; by insertion if it is short.
template <class T, class I>
void sort_row(I* columns, T* values, std::int64_t length) {
    constexpr std::int64_t short_row = 32;
    if (std::is_sorted(columns, columns + length)) return;
    if (length <= short_row) return sort_by_insertion(length, columns, values);
    std::vector<std::pair<I, T>> entries;
    entries.reserve(static_cast<std::size_t>(length));
    for (std::int64_t k = 0; k < length; ++k) entries.emplace_back(columns[k], values[k]);
    std::stable_sort(entries.begin(), entries.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
    for (std::size_t k = 0; k < entries.size(); ++k) std::tie(columns[k], values[k]) = entries[k];
}

/// Sorts the columns of each row; equal columns keep their order.
template <class T, class I, class O>
csr<T, I, O> sort_rows(host_executor const& exec, I rows, I columns, buffer<O> offsets, buffer<I> indices,
                       buffer<T> values) {
    for_each(exec, rows, [&](std::int64_t i) {
        sort_row(indices.data() + offsets[i], values.data() + offsets[i], offsets[i + 1] - offsets[i]);
    });
    return {rows, columns, std::move(offsets), std::move(indices), std::move(values)};
}

} // namespace coppice::inline v0_1::detail
