// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Moves nonzeros on the host: transpose and sorting of rows. Parallel, stable, the same for any thread count.
#pragma once

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include <coppice/algebra/row_access.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::detail {

/// Nonzeros grouped by ranges of 2^shift columns, in their old order inside a range.
template <class T, class I, class O>
struct column_groups {
    int shift = 0;
    std::vector<O> start; ///< start[groups + 1]
    buffer<I> columns;
    buffer<I> rows;
    buffer<T> values;
};

/// Stretches of the nonzeros, at most `most`, each long enough to be worth its counters.
inline std::int64_t stretch_length(std::int64_t nonzeros, std::int64_t most) {
    return std::max<std::int64_t>(std::int64_t{1} << 16, (nonzeros + most - 1) / most);
}

/// The first of two counting passes: stable partition by column range. Every stretch of the nonzeros counts its share
/// of every group, a scan over (group, stretch) gives each stretch its own places, so writers never meet.
template <class T, class I, class O>
column_groups<T, I, O> group_by_column(host_executor const& exec, csr_view<T, I, O> a) {
    constexpr std::int64_t most_groups = 512, most_stretches = 256;
    column_groups<T, I, O> to;
    while ((std::int64_t(a.columns()) - 1) >> to.shift >= most_groups) ++to.shift;
    std::int64_t const groups = a.columns() > 0 ? ((std::int64_t(a.columns()) - 1) >> to.shift) + 1 : 0;
    std::int64_t const nonzeros = a.nonzeros(), length = stretch_length(nonzeros, most_stretches);
    std::int64_t const stretches = (nonzeros + length - 1) / length;

    std::vector<O> place(static_cast<std::size_t>(groups * stretches), O(0));
    for_each_block(exec, nonzeros, length, [&](std::int64_t s, std::int64_t first, std::int64_t last) {
        O* const count = place.data() + s * groups;
        for (std::int64_t k = first; k < last; ++k) ++count[a.indices[k] >> to.shift];
    });
    to.start.assign(static_cast<std::size_t>(groups) + 1, O(0));
    O sum = 0;
    for (std::int64_t g = 0; g < groups; ++g) {
        to.start[static_cast<std::size_t>(g)] = sum;
        for (std::int64_t s = 0; s < stretches; ++s)
            sum += std::exchange(place[static_cast<std::size_t>(s * groups + g)], sum);
    }
    to.start[static_cast<std::size_t>(groups)] = sum;

    to.columns = buffer<I>(exec, nonzeros);
    to.rows = buffer<I>(exec, nonzeros);
    to.values = buffer<T>(exec, nonzeros);
    for_each_block(exec, nonzeros, length, [&](std::int64_t s, std::int64_t first, std::int64_t last) {
        O* const next = place.data() + s * groups;
        // The row of `first`: the last one that begins at or before it and is not empty.
        std::int64_t row = std::upper_bound(a.offsets, a.offsets + a.rows() + 1, static_cast<O>(first)) - a.offsets - 1;
        for (std::int64_t k = first; k < last; ++k) {
            while (std::int64_t(a.row_end(row)) <= k) ++row;
            O const at = next[a.indices[k] >> to.shift]++;
            to.columns[at] = a.indices[k];
            to.rows[at] = static_cast<I>(row);
            to.values[at] = a.coefficients[k];
        }
    });
    return to;
}

/// Transpose by counting columns, one thread: for what fits its cache.
template <class T, class I, class O>
csr<T, I, O> transpose_in_cache(host_executor const& exec, csr_view<T, I, O> a) {
    buffer<O> offsets(exec, std::int64_t(a.columns()) + 1);
    std::fill(offsets.begin(), offsets.end(), O(0));
    O* const next = offsets.data() + 1; // counts, then starts of columns, then their ends
    for (O k = 0; k < a.nonzeros(); ++k) ++next[a.indices[k]];
    O sum = 0;
    for (I c = 0; c < a.columns(); ++c) sum += std::exchange(next[c], sum);
    buffer<I> rows(exec, a.nonzeros());
    buffer<T> values(exec, a.nonzeros());
    for (I i = 0; i < a.rows(); ++i)
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) {
            O const at = next[a.indices[k]]++;
            rows[at] = i;
            values[at] = a.coefficients[k];
        }
    return {a.columns(), a.rows(), std::move(offsets), std::move(rows), std::move(values)};
}

/// Transpose by two counting passes, both of which work in cache: group by column range, then sort every group by
/// column. O(nnz + rows + columns); needs one more index per nonzero and, per thread, a copy of one group.
template <class T, class I, class O>
csr<T, I, O> transpose_nonzeros(host_executor const& exec, csr_view<T, I, O> a) {
    constexpr std::int64_t few = std::int64_t{1} << 16;
    if (std::int64_t(a.nonzeros()) + a.rows() + a.columns() <= few) return transpose_in_cache(exec, a);
    auto grouped = group_by_column(exec, a);
    std::int64_t const columns = a.columns();
    buffer<O> offsets(exec, columns + 1);
    offsets[0] = 0;
    auto const groups = static_cast<std::int64_t>(grouped.start.size()) - 1;
    for_each_block(exec, groups, 1, [&](std::int64_t g, std::int64_t, std::int64_t) {
        std::int64_t const first_column = g << grouped.shift;
        std::int64_t const width = std::min(columns - first_column, std::int64_t{1} << grouped.shift);
        O const first = grouped.start[static_cast<std::size_t>(g)],
                last = grouped.start[static_cast<std::size_t>(g) + 1];
        std::vector<O> place(static_cast<std::size_t>(width), O(0));
        for (O k = first; k < last; ++k) ++place[static_cast<std::size_t>(grouped.columns[k] - first_column)];
        O sum = first;
        for (std::int64_t c = 0; c < width; ++c) {
            sum += std::exchange(place[static_cast<std::size_t>(c)], sum);
            offsets[first_column + c + 1] = sum;
        }
        std::vector<I> const rows(grouped.rows.data() + first, grouped.rows.data() + last);
        std::vector<T> const values(grouped.values.data() + first, grouped.values.data() + last);
        for (O k = first; k < last; ++k) {
            O const at = place[static_cast<std::size_t>(grouped.columns[k] - first_column)]++;
            grouped.rows[at] = rows[static_cast<std::size_t>(k - first)];
            grouped.values[at] = values[static_cast<std::size_t>(k - first)];
        }
    });
    return {a.columns(), a.rows(), std::move(offsets), std::move(grouped.rows), std::move(grouped.values)};
}

/// Sorts one row by column, stable: by insertion where it is short.
template <class T, class I>
void sort_row(I* columns, T* values, std::int64_t length) {
    constexpr std::int64_t short_row = 32;
    if (std::is_sorted(columns, columns + length)) return;
    if (length <= short_row) {
        for (std::int64_t k = 1; k < length; ++k) {
            I const column = columns[k];
            T const value = values[k];
            std::int64_t to = k;
            for (; to > 0 && columns[to - 1] > column; --to) {
                columns[to] = columns[to - 1];
                values[to] = values[to - 1];
            }
            columns[to] = column;
            values[to] = value;
        }
        return;
    }
    std::vector<std::pair<I, T>> entries(static_cast<std::size_t>(length));
    for (std::size_t k = 0; k < entries.size(); ++k) entries[k] = {columns[k], values[k]};
    std::stable_sort(entries.begin(), entries.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
    for (std::size_t k = 0; k < entries.size(); ++k) std::tie(columns[k], values[k]) = entries[k];
}

/// The same matrix with the columns of each row sorted, equal ones in their old order.
template <class T, class I, class O>
csr<T, I, O> sort_rows(host_executor const& exec, I rows, I columns, buffer<O> offsets, buffer<I> indices,
                       buffer<T> values) {
    for_each(exec, rows, [&](std::int64_t i) {
        sort_row(indices.data() + offsets[i], values.data() + offsets[i], offsets[i + 1] - offsets[i]);
    });
    return {rows, columns, std::move(offsets), std::move(indices), std::move(values)};
}

} // namespace coppice::detail
