// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Transpose on the host. Parallel and stable; the result does not depend on the number of threads.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1::detail {

/// Calls use(row, k) for the nonzeros k of [first, last), in order.
template <class T, class I, class O, class Use>
void for_each_nonzero(csr_view<T, I, O> a, std::int64_t first, std::int64_t last, Use const& use) {
    // Row of `first`: the last non-empty row that starts at or before it.
    std::int64_t row = std::upper_bound(a.offsets, a.offsets + a.rows() + 1, static_cast<O>(first)) - a.offsets - 1;
    for (std::int64_t k = first; k < last; ++row)
        for (std::int64_t const end = std::min(std::int64_t(a.row_end(row)), last); k < end; ++k) use(row, k);
}

/// Nonzeros grouped by ranges of 2^shift columns, in their old order within a range.
template <class T, class I, class O>
struct column_groups {
    int shift = 0;
    std::vector<O> start; ///< start[groups + 1]
    buffer<I> columns;
    buffer<I> rows;
    buffer<T> values;
};

/// Length of the chunks of the nonzeros: at most `max_chunks` chunks, each long enough in comparison with its counters.
inline std::int64_t chunk_length(std::int64_t nonzeros, std::int64_t max_chunks) {
    return std::max<std::int64_t>(std::int64_t{1} << 16, (nonzeros + max_chunks - 1) / max_chunks);
}

/// First of two counting passes: stable partition by column range. Every chunk of the nonzeros counts its nonzeros of
/// each group; a scan over (group, chunk) computes disjoint output ranges.
template <class T, class I, class O>
column_groups<T, I, O> group_by_column(host_executor const& exec, csr_view<T, I, O> a) {
    constexpr std::int64_t max_groups = 512, max_chunks = 256;
    column_groups<T, I, O> to;
    while ((std::int64_t(a.columns()) - 1) >> to.shift >= max_groups) ++to.shift;
    std::int64_t const groups = a.columns() > 0 ? ((std::int64_t(a.columns()) - 1) >> to.shift) + 1 : 0;
    std::int64_t const nonzeros = a.nonzeros(), length = chunk_length(nonzeros, max_chunks);
    std::int64_t const chunks = (nonzeros + length - 1) / length;

    std::vector<O> position(static_cast<std::size_t>(groups * chunks), O(0));
    for_each_block(exec, nonzeros, length, [&](std::int64_t s, std::int64_t first, std::int64_t last) {
        O* const count = position.data() + s * groups;
        for (std::int64_t k = first; k < last; ++k) ++count[a.indices[k] >> to.shift];
    });
    to.start.assign(static_cast<std::size_t>(groups) + 1, O(0));
    O sum = 0;
    for (std::int64_t g = 0; g < groups; ++g) {
        to.start[static_cast<std::size_t>(g)] = sum;
        for (std::int64_t s = 0; s < chunks; ++s)
            sum += std::exchange(position[static_cast<std::size_t>(s * groups + g)], sum);
    }
    to.start[static_cast<std::size_t>(groups)] = sum;

    to.columns = buffer<I>(exec, nonzeros);
    to.rows = buffer<I>(exec, nonzeros);
    to.values = buffer<T>(exec, nonzeros);
    for_each_block(exec, nonzeros, length, [&](std::int64_t s, std::int64_t first, std::int64_t last) {
        O* const next = position.data() + s * groups;
        for_each_nonzero(a, first, last, [&](std::int64_t row, std::int64_t k) {
            O const at = next[a.indices[k] >> to.shift]++;
            to.columns[at] = a.indices[k];
            to.rows[at] = static_cast<I>(row);
            to.values[at] = a.coefficients[k];
        });
    });
    return to;
}

/// Transpose by counting columns, single-threaded, for matrices that fit in the cache.
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

/// Columns of a chunk of the nonzeros for the one-pass transpose: from the first to the last column, the number of
/// nonzeros, later the next output position.
template <class O>
struct column_counts {
    std::int64_t first = 0;
    std::vector<O> of_column{};

    std::int64_t last() const { return first + static_cast<std::int64_t>(of_column.size()); }
    /// Calls act(column, count) for the columns that are also in [from, to).
    template <class Act>
    void each(std::int64_t from, std::int64_t to, Act const& act) {
        for (std::int64_t c = std::max(from, first), end = std::min(to, last()); c < end; ++c)
            act(c, of_column[static_cast<std::size_t>(c - first)]);
    }
};

/// Returns the columns of all chunks; empty if one of them has more columns than fit in the cache, or if all together
/// have more than half as many columns as there are nonzeros.
template <class T, class I, class O>
std::vector<column_counts<O>> narrow_chunks(host_executor const& exec, csr_view<T, I, O> a, std::int64_t length) {
    constexpr std::int64_t max_columns = std::int64_t{1} << 16;
    std::int64_t const nonzeros = a.nonzeros();
    std::vector<std::pair<I, I>> reach(static_cast<std::size_t>((nonzeros + length - 1) / length));
    for_each_block(exec, nonzeros, length, [&](std::int64_t s, std::int64_t first, std::int64_t last) {
        I low = a.indices[first], high = low;
        for (std::int64_t k = first; k < last; ++k) {
            low = std::min(low, a.indices[k]);
            high = std::max(high, a.indices[k]);
        }
        reach[static_cast<std::size_t>(s)] = {low, high};
    });
    std::int64_t widest = 0, together = 0;
    for (auto const& [low, high] : reach) {
        widest = std::max(widest, std::int64_t(high) - low + 1);
        together += std::int64_t(high) - low + 1;
    }
    if (widest > max_columns || 2 * together > nonzeros) return {};
    std::vector<column_counts<O>> chunks(reach.size());
    for_each_block(exec, nonzeros, length, [&](std::int64_t s, std::int64_t first, std::int64_t last) {
        auto const [low, high] = reach[static_cast<std::size_t>(s)];
        column_counts<O> mine{low, std::vector<O>(static_cast<std::size_t>(high - low) + 1, O(0))};
        for (std::int64_t k = first; k < last; ++k) ++mine.of_column[static_cast<std::size_t>(a.indices[k] - low)];
        chunks[static_cast<std::size_t>(s)] = std::move(mine);
    });
    return chunks;
}

/// Transpose by one counting pass: every chunk of `length` nonzeros writes to its own range of every column.
template <class T, class I, class O>
csr<T, I, O> transpose_chunks(host_executor const& exec, csr_view<T, I, O> a, std::int64_t length,
                              std::vector<column_counts<O>> chunks) {
    std::int64_t const columns = a.columns();
    buffer<O> offsets(exec, columns + 1);
    O* const start = offsets.data();
    for_each_block(exec, columns, host_block, [&](std::int64_t, std::int64_t first, std::int64_t last) {
        std::fill(start + first, start + last, O(0));
        for (auto& s : chunks) s.each(first, last, [&](std::int64_t c, O count) { start[c] += count; });
    });
    start[columns] = exclusive_scan(
        exec, columns, [&](std::int64_t c) { return start[c]; }, [&](std::int64_t c, O at) { start[c] = at; }, O(0));
    for_each_block(exec, columns, host_block, [&](std::int64_t, std::int64_t first, std::int64_t last) {
        std::vector<O> next(start + first, start + last);
        for (auto& s : chunks)
            s.each(first, last, [&](std::int64_t c, O& count) {
                O& at = next[static_cast<std::size_t>(c - first)];
                at += std::exchange(count, at);
            });
    });
    buffer<I> rows(exec, a.nonzeros());
    buffer<T> values(exec, a.nonzeros());
    for_each_block(exec, a.nonzeros(), length, [&](std::int64_t s, std::int64_t first, std::int64_t last) {
        auto& mine = chunks[static_cast<std::size_t>(s)];
        O* const next = mine.of_column.data();
        for_each_nonzero(a, first, last, [&](std::int64_t row, std::int64_t k) {
            O const at = next[a.indices[k] - mine.first]++;
            rows[at] = static_cast<I>(row);
            values[at] = a.coefficients[k];
        });
    });
    return {a.columns(), a.rows(), std::move(offsets), std::move(rows), std::move(values)};
}

/// Transpose by two counting passes, both of which work in the cache: grouping by column range, then sorting each group
/// by column.
template <class T, class I, class O>
csr<T, I, O> transpose_groups(host_executor const& exec, csr_view<T, I, O> a) {
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
        std::vector<O> position(static_cast<std::size_t>(width), O(0));
        for (O k = first; k < last; ++k) ++position[static_cast<std::size_t>(grouped.columns[k] - first_column)];
        O sum = first;
        for (std::int64_t c = 0; c < width; ++c) {
            sum += std::exchange(position[static_cast<std::size_t>(c)], sum);
            offsets[first_column + c + 1] = sum;
        }
        std::vector<I> const rows(grouped.rows.data() + first, grouped.rows.data() + last);
        std::vector<T> const values(grouped.values.data() + first, grouped.values.data() + last);
        for (O k = first; k < last; ++k) {
            O const at = position[static_cast<std::size_t>(grouped.columns[k] - first_column)]++;
            grouped.rows[at] = rows[static_cast<std::size_t>(k - first)];
            grouped.values[at] = values[static_cast<std::size_t>(k - first)];
        }
    });
    return {a.columns(), a.rows(), std::move(offsets), std::move(grouped.rows), std::move(grouped.values)};
}

/// Computes the transpose. Uses one pass if chunks of the rows contain few columns each, as in banded matrices and
/// matrices with few columns. O(nnz + rows + columns) time; needs one counter per nonzero, or one more index per
/// nonzero and, per thread, a copy of one group.
template <class T, class I, class O>
csr<T, I, O> transpose_nonzeros(host_executor const& exec, csr_view<T, I, O> a) {
    constexpr std::int64_t few = std::int64_t{1} << 16;
    std::int64_t const nonzeros = a.nonzeros();
    if (nonzeros + a.rows() + a.columns() <= few) return transpose_in_cache(exec, a);
    std::int64_t const length = chunk_length(nonzeros, 4096);
    if (auto narrow = narrow_chunks(exec, a, length); !narrow.empty())
        return transpose_chunks(exec, a, length, std::move(narrow));
    return transpose_groups(exec, a);
}

} // namespace coppice::inline v0_1::detail
