// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Conversion of triplets in any order to compressed rows by a stable two-level counting sort; used by to_csr() and the
/// readers.
///
/// Rows are grouped into at most 1024 buckets of consecutive rows. One pass scatters all triplets to their buckets, in
/// input order. Then each bucket, small enough for the cache of a core, is counted by row, sorted by column, and
/// duplicates are combined. Every step is stable, so duplicates are combined in input order for any number of threads
/// and buckets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1::detail {

template <class T, class I>
struct triplet {
    I row;
    I column;
    T value;
};

/// Bucket b consists of the rows [b << shift, (b + 1) << shift).
struct row_buckets {
    int shift = 0;
    std::int64_t count = 1;
    std::int64_t rows = 0;

    row_buckets(std::int64_t row_count, std::int64_t entries) : rows(row_count) {
        // Enough buckets that one fits in the cache, but few enough that the scatter keeps one cache line for each.
        std::int64_t const target = std::clamp<std::int64_t>(std::max(entries >> 14, rows >> 16), 1, 1024);
        while (((std::max<std::int64_t>(rows, 1) - 1) >> shift) >= target) ++shift;
        count = ((std::max<std::int64_t>(rows, 1) - 1) >> shift) + 1;
    }
    std::int64_t of(std::int64_t row) const { return row >> shift; }
    std::int64_t first_row(std::int64_t bucket) const { return std::min(rows, bucket << shift); }
};

/// Summary of a block of the input: number of triplets, and whether they are strictly sorted.
template <class I>
struct block_summary {
    std::int64_t emitted = 0;
    bool sorted = true;
    I first_row = 0, first_column = 0;
    I last_row = -1, last_column = -1;

    void append(I row, I column) {
        if (emitted == 0) {
            first_row = row;
            first_column = column;
        } else {
            sorted = sorted && (row > last_row || (row == last_row && column > last_column));
        }
        last_row = row;
        last_column = column;
        ++emitted;
    }
};

/// Whether the concatenation of the blocks has strictly increasing (row, column) pairs.
template <class I>
bool strictly_sorted(std::vector<block_summary<I>> const& blocks) {
    I row = -1;
    I column = -1;
    for (auto const& b : blocks) {
        if (b.emitted == 0) continue;
        if (!b.sorted || b.first_row < row || (b.first_row == row && b.first_column <= column)) return false;
        row = b.last_row;
        column = b.last_column;
    }
    return true;
}

/// Combines duplicates by summation.
struct sum_duplicates {
    template <class T>
    bool operator()(T& value, T const& next) const {
        value += next;
        return true;
    }
};

/// Processes one bucket: sorts its triplets by (row, column), stable, combines duplicates, leaves the result at the
/// front of `entries` and the number of triplets of each row in row_lengths[rows of the bucket]. Returns the number of
/// remaining triplets.
template <class T, class I, class Combine>
std::int64_t order_bucket(host_executor const& exec, array_view<triplet<T, I>> entries, std::int64_t first_row,
                          array_view<I> row_lengths, Combine const& combine) {
    struct item {
        I column;
        T value;
    };
    std::int64_t const rows = row_lengths.size();
    std::vector<std::int64_t> start(static_cast<std::size_t>(rows) + 1, 0);
    for (auto const& e : entries) ++start[static_cast<std::size_t>(e.row - first_row) + 1];
    for (std::size_t r = 1; r < start.size(); ++r) start[r] += start[r - 1];

    buffer<item> items(exec, entries.size());
    for (auto const& e : entries) items[start[static_cast<std::size_t>(e.row - first_row)]++] = item{e.column, e.value};

    // start[r] is now the end of row r.
    std::int64_t stored = 0;
    item* row_begin = items.data();
    auto const by_column = [](item const& a, item const& b) { return a.column < b.column; };
    for (std::int64_t r = 0; r < rows; ++r) {
        item* const row_end = items.data() + start[static_cast<std::size_t>(r)];
        if (!std::is_sorted(row_begin, row_end, by_column)) std::stable_sort(row_begin, row_end, by_column);
        std::int64_t const row_start = stored;
        for (item const* e = row_begin; e != row_end; ++e) {
            bool const again = stored > row_start && entries[stored - 1].column == e->column;
            if (!again || !combine(entries[stored - 1].value, e->value))
                entries[stored++] = {static_cast<I>(first_row + r), e->column, e->value};
        }
        row_lengths[r] = static_cast<I>(stored - row_start);
        row_begin = row_end;
    }
    return stored;
}

/// Converts the triplets of `source` to CSR: rows sorted by column, duplicates combined in input order, zeros kept.
///
/// `combine(value, next)` combines the next entry at the same position into `value` and returns true, or returns false
/// to store it as a separate entry.
///
/// `source.emit_items(first, last, emit)` calls emit(row, column, value) any number of times for each of its items
/// [first, last), in order, and with the same result for each call; all indices are in range. `source.release()` is
/// called when the triplets are no longer needed. Time O(items + rows); memory for one copy of the triplets in addition
/// to the result. Throws overflow_error if the nonzeros do not fit an I.
template <class T, class I, class Source, class Combine = sum_duplicates>
class compressor {
public:
    compressor(host_executor const& exec, I rows, I columns, std::int64_t items, Source& source, Combine combine = {})
        : exec_(exec), rows_(rows), columns_(columns), items_(items), source_(source), combine_(combine),
          buckets_(rows, items), block_(std::max<std::int64_t>(1 << 15, (items + 255) / 256)),
          blocks_((items + block_ - 1) / block_) {}

    csr<T, I> run() {
        count();
        return strictly_sorted(summary_) ? copy_sorted() : sort();
    }

private:
    // Counts the triplets of each (bucket, block), bucket-major, and summarises each block.
    void count() {
        summary_.resize(static_cast<std::size_t>(blocks_));
        start_.assign(static_cast<std::size_t>(buckets_.count * blocks_ + 1), 0);
        for_each_block(exec_, items_, block_, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
            block_summary<I> summary;
            std::vector<std::int64_t> histogram(static_cast<std::size_t>(buckets_.count), 0);
            source_.emit_items(first, last, [&](I row, I column, T const&) {
                summary.append(row, column);
                ++histogram[static_cast<std::size_t>(buckets_.of(row))];
            });
            for (std::int64_t k = 0; k < buckets_.count; ++k) start_[slot(k, b) + 1] = histogram[std::size_t(k)];
            summary_[static_cast<std::size_t>(b)] = summary;
        });
        for (std::size_t s = 1; s < start_.size(); ++s) start_[s] += start_[s - 1];
    }

    // Nothing to sort: entry k goes to position k.
    csr<T, I> copy_sorted() {
        std::int64_t const nonzeros = start_.back();
        auto out = allocate(nonzeros);
        std::vector<std::int64_t> base(summary_.size() + 1, 0);
        std::vector<I> previous_row(summary_.size() + 1, I(-1));
        for (std::size_t b = 0; b < summary_.size(); ++b) {
            base[b + 1] = base[b] + summary_[b].emitted;
            previous_row[b + 1] = summary_[b].emitted > 0 ? summary_[b].last_row : previous_row[b];
        }
        for_each_block(exec_, items_, block_, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
            std::int64_t position = base[static_cast<std::size_t>(b)];
            std::int64_t row_before = previous_row[static_cast<std::size_t>(b)];
            source_.emit_items(first, last, [&](I row, I column, T const& value) {
                for (; row_before < row; ++row_before) out.offsets[row_before + 1] = static_cast<I>(position);
                out.columns[position] = column;
                out.values[position] = value;
                ++position;
            });
        });
        for (std::int64_t r = previous_row.back(); r < rows_; ++r) out.offsets[r + 1] = static_cast<I>(nonzeros);
        source_.release();
        return std::move(out).take(rows_, columns_);
    }

    csr<T, I> sort() {
        buffer<triplet<T, I>> entries = scatter();
        source_.release();
        buffer<I> lengths(exec_, rows_);
        std::vector<std::int64_t> stored(static_cast<std::size_t>(buckets_.count) + 1, 0);
        for_each_block(exec_, buckets_.count, 1, [&](std::int64_t k, std::int64_t, std::int64_t) {
            std::int64_t const row = buckets_.first_row(k);
            stored[static_cast<std::size_t>(k) + 1] = order_bucket(
                exec_, bucket(entries, k), row, lengths.view().slice(row, buckets_.first_row(k + 1) - row), combine_);
        });
        for (std::size_t k = 1; k < stored.size(); ++k) stored[k] += stored[k - 1];

        auto out = allocate(stored.back());
        for_each_block(exec_, buckets_.count, 1, [&](std::int64_t k, std::int64_t, std::int64_t) {
            std::int64_t position = stored[static_cast<std::size_t>(k)];
            for (std::int64_t r = buckets_.first_row(k); r < buckets_.first_row(k + 1); ++r) {
                out.offsets[r] = static_cast<I>(position);
                position += lengths[r];
            }
            auto const* from = entries.data() + start_[slot(k, 0)];
            for (position = stored[std::size_t(k)]; position < stored[std::size_t(k) + 1]; ++position, ++from) {
                out.columns[position] = from->column;
                out.values[position] = from->value;
            }
        });
        out.offsets[rows_] = static_cast<I>(stored.back());
        return std::move(out).take(rows_, columns_);
    }

    // Returns all triplets grouped by bucket, in input order within each bucket.
    buffer<triplet<T, I>> scatter() {
        buffer<triplet<T, I>> entries(exec_, start_.back());
        for_each_block(exec_, items_, block_, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
            std::vector<triplet<T, I>*> cursor(static_cast<std::size_t>(buckets_.count));
            for (std::int64_t k = 0; k < buckets_.count; ++k)
                cursor[static_cast<std::size_t>(k)] = entries.data() + start_[slot(k, b)];
            source_.emit_items(first, last, [&](I row, I column, T const& value) {
                *cursor[static_cast<std::size_t>(buckets_.of(row))]++ = {row, column, value};
            });
        });
        return entries;
    }

    struct arrays {
        buffer<I> offsets;
        buffer<I> columns;
        buffer<T> values;
        csr<T, I> take(I rows, I column_count) && {
            return {rows, column_count, std::move(offsets), std::move(columns), std::move(values)};
        }
    };
    arrays allocate(std::int64_t nonzeros) const {
        checked_cast<I>(nonzeros, "number of nonzeros");
        arrays out{{exec_, std::int64_t(rows_) + 1}, {exec_, nonzeros}, {exec_, nonzeros}};
        out.offsets[0] = 0;
        return out;
    }
    std::size_t slot(std::int64_t bucket, std::int64_t block) const {
        return static_cast<std::size_t>(bucket * blocks_ + block);
    }
    array_view<triplet<T, I>> bucket(buffer<triplet<T, I>>& entries, std::int64_t k) const {
        return entries.view().slice(start_[slot(k, 0)], start_[slot(k + 1, 0)] - start_[slot(k, 0)]);
    }

    host_executor const& exec_;
    I rows_;
    I columns_;
    std::int64_t items_;
    Source& source_;
    Combine combine_;
    row_buckets buckets_;
    std::int64_t block_;
    std::int64_t blocks_;
    std::vector<block_summary<I>> summary_{};
    std::vector<std::int64_t> start_{};
};

} // namespace coppice::inline v0_1::detail
