// SPDX-License-Identifier: BSD-3-Clause
#include "select.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace coppice::graphblas {
namespace {

constexpr index chunk = 1 << 15; ///< entries of a task

/// A pattern without offsets and indices, on the same rows.
pattern like(pattern const& a, index entries) {
    pattern to;
    to.rows = a.rows;
    to.columns = a.columns;
    to.hypersparse = a.hypersparse;
    to.list = copy_of(executor(), a.list);
    to.offsets = buffer<index>(executor(), a.stored_rows() + 1);
    to.indices = buffer<index>(executor(), entries);
    return to;
}

/// Copies the flagged entries of [first, last) to [next, stop), with the offsets of the rows that begin there.
template <class U>
void copy_flagged(pattern const& a, U const* x, std::uint8_t const* keep, index first, index last, index next,
                  index stop, pattern& to, U* z) {
    index row = std::lower_bound(a.offsets.begin(), a.offsets.end(), first) - a.offsets.begin();
    for (index k = first;;) {
        index const end = row <= a.stored_rows() ? std::min(last, a.offsets[row]) : last;
        for (; k < end && next < stop; ++k) { // without a branch: another entry may follow at the same position
            to.indices[next] = a.indices[k];
            z[next] = x[k];
            next += keep[k] != 0 ? 1 : 0;
        }
        k = end;
        if (k == last) return;
        to.offsets[row++] = next;
    }
}

} // namespace

contents selected(contents const& x, std::size_t size, std::uint8_t const* keep) {
    pattern const& a = *x.where;
    if (!has_word(size)) {
        auto const made = select(a, keep);
        return {made.where, gathered(*x.values, made.from, size)};
    }
    index const chunks = (a.entries() + chunk - 1) / chunk;
    std::vector<index> starts(std::size_t(chunks) + 1);
    for_ranges(a.entries(), chunk, [&](index first, index last) {
        unsigned count = 0;
        for (index k = first; k < last; ++k) count += keep[k] != 0;
        starts[std::size_t(first / chunk) + 1] = index(count);
    });
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    index const total = starts.back();
    if (total == a.entries()) return x;
    pattern to = like(a, total);
    auto values = make_values(total, size);
    with_word(size, [&]<class U>(U) {
        for_ranges(a.entries(), chunk, [&](index first, index last) {
            auto const at = std::size_t(first / chunk);
            copy_flagged(a, reinterpret_cast<U const*>(x.values->data()), keep, first, last, starts[at], starts[at + 1],
                         to, reinterpret_cast<U*>(values->data()));
        });
    });
    for (index row = a.stored_rows(); row >= 0 && a.offsets[row] == a.entries(); --row) to.offsets[row] = total;
    return {normalised(std::move(to)), std::move(values)};
}

buffer<std::uint8_t> admitted_flags(pattern const& t, mask_view const& mask) {
    buffer<std::uint8_t> keep(executor(), t.entries());
    auto const others = std::uint8_t(mask.complement ? 1 : 0), found = std::uint8_t(1 - others);
    index const block = std::max<index>(1, t.stored_rows() / std::max<index>(1, t.entries() / chunk));
    pattern const* const m = mask.where;
    for_ranges(t.stored_rows(), block, [&](index first, index last) {
        index const begin = t.offsets[first], end = t.offsets[last];
        if (begin == end) return;
        // Without a mask all entries are admitted, or none.
        std::fill(keep.data() + begin, keep.data() + end, m ? others : found);
        if (!m) return;
        auto row = m->hypersparse ? std::lower_bound(m->list.begin(), m->list.end(), t.row(first)) - m->list.begin()
                                  : t.row(first);
        for (list_search search(t); row < m->stored_rows() && m->row(row) <= t.row(last - 1); ++row)
            for (index e = m->offsets[row]; e < m->offsets[row + 1]; ++e) {
                if (mask.values && mask.values[e] == 0) continue;
                index const k = search.find(m->row(row), m->indices[e]);
                if (k >= 0) keep[k] = found;
            }
    });
    return keep;
}

namespace {

/// Entries [from, to) of a row, without [skip, skip_end).
struct row_range {
    index from, to, skip, skip_end;
    index count() const { return to - from - (skip_end - skip); }
};

/// First entry of [first, last) at or after a column.
index first_at(pattern const& a, index first, index last, index column) {
    if (last - first > 64)
        return std::lower_bound(a.indices.data() + first, a.indices.data() + last, column) - a.indices.data();
    index before = 0; // short rows are counted, which is vectorised
    for (index k = first; k < last; ++k) before += a.indices[k] < column ? 1 : 0;
    return first + before;
}

/// Returns the ranges of all rows that `range_of(stored row)` selects.
template <class Range>
contents copied_ranges(contents const& x, std::size_t size, Range const& range_of) {
    pattern const& a = *x.where;
    index const rows = a.stored_rows();
    buffer<row_range> ranges(executor(), rows);
    pattern to = like(a, 0);
    for_ranges(rows, chunk / 8, [&](index first, index last) {
        for (index r = first; r < last; ++r) ranges[r] = range_of(r);
    });
    to.offsets[0] = 0;
    for (index r = 0; r < rows; ++r) to.offsets[r + 1] = to.offsets[r] + ranges[r].count();
    index const total = to.offsets[rows];
    if (total == a.entries()) return x;
    to.indices = buffer<index>(executor(), total);
    auto values = make_values(total, size);
    auto const copy = [&](index at, index first, index last) {
        if (first == last) return;
        std::copy_n(a.indices.data() + first, last - first, to.indices.data() + at);
        std::memcpy(values->data() + std::size_t(at) * size, x.values->data() + std::size_t(first) * size,
                    std::size_t(last - first) * size);
    };
    for_ranges(rows, std::max<index>(1, rows / std::max<index>(1, total / chunk)), [&](index first, index last) {
        index at = to.offsets[first], from = 0, end = 0; // a run of entries that is copied when it ends
        auto const add = [&](index begin, index stop) {
            if (begin == stop) return;
            if (begin != end) {
                copy(at, from, end);
                at += end - from;
                from = begin;
            }
            end = stop;
        };
        for (index r = first; r < last; ++r) {
            add(ranges[r].from, ranges[r].skip);
            add(ranges[r].skip_end, ranges[r].to);
        }
        copy(at, from, end);
    });
    return {normalised(std::move(to)), std::move(values)};
}

/// Columns [first, last) of a row, or all others.
struct column_range {
    index first, last;
    bool others;
};
/// The columns that a condition selects in row i; one of rows alone is not a case.
column_range selected_columns(GrB_IndexUnaryOp op, index i, std::int64_t s) {
    constexpr index all = std::numeric_limits<index>::max();
    index diagonal = 0;
    if (__builtin_add_overflow(i, s, &diagonal)) diagonal = all;
    index const after = diagonal == all ? all : diagonal + 1, after_s = s == all ? all : s + 1;
    if (op == GrB_TRIL) return {0, after, false};
    if (op == GrB_TRIU) return {diagonal, all, false};
    if (op == GrB_DIAG) return {diagonal, after, false};
    if (op == GrB_OFFDIAG) return {diagonal, after, true};
    if (op == GrB_COLLE) return {0, after_s, false};
    return {after_s, all, false}; // GrB_COLGT
}

/// Returns entries [first, last).
contents entry_range(contents const& x, std::size_t size, index first, index last) {
    pattern const& a = *x.where;
    if (last - first == a.entries()) return x;
    pattern to = like(a, last - first);
    for (index r = 0; r <= a.stored_rows(); ++r) to.offsets[r] = std::clamp(a.offsets[r], first, last) - first;
    std::copy_n(a.indices.begin() + first, last - first, to.indices.begin());
    auto values = make_values(last - first, size);
    if (first < last) std::memcpy(values->data(), at(x.values->data(), first, size), std::size_t(last - first) * size);
    return {normalised(std::move(to)), std::move(values)};
}

} // namespace

contents selected_ranges(contents const& x, std::size_t size, GrB_IndexUnaryOp op, std::int64_t s) {
    pattern const& a = *x.where;
    if (op == GrB_ROWLE || op == GrB_ROWGT) { // consecutive rows
        index const end = s < 0 ? 0 : s >= a.rows ? a.rows : s + 1;
        index const stored = a.hypersparse ? std::lower_bound(a.list.begin(), a.list.end(), end) - a.list.begin() : end;
        index const split = a.offsets[stored];
        return op == GrB_ROWLE ? entry_range(x, size, 0, split) : entry_range(x, size, split, a.entries());
    }
    return copied_ranges(x, size, [&](index r) -> row_range {
        column_range const columns = selected_columns(op, a.row(r), s);
        index const begin = a.offsets[r], end = a.offsets[r + 1];
        index const first = columns.first <= 0 ? begin : first_at(a, begin, end, columns.first);
        index const last = columns.last >= a.columns ? end : std::max(first, first_at(a, begin, end, columns.last));
        if (columns.others) return {begin, end, first, last};
        return {first, last, last, last};
    });
}

contents resized(contents const& x, std::size_t size, index rows, index columns) {
    pattern const& a = *x.where;
    if (columns >= a.columns && rows < a.rows && !a.hypersparse) {
        index const last = a.offsets[rows];
        pattern to;
        to.rows = rows;
        to.columns = columns;
        to.offsets = copy_of(executor(), a.offsets.view().slice(0, rows + 1));
        to.indices = copy_of(executor(), a.indices.view().slice(0, last));
        auto values = make_values(last, size);
        if (last > 0) std::memcpy(values->data(), x.values->data(), std::size_t(last) * size);
        return {normalised(std::move(to)), std::move(values)};
    }
    contents const selection =
        columns >= a.columns && rows >= a.rows ? x : copied_ranges(x, size, [&](index r) -> row_range {
            index const begin = a.offsets[r], end = a.row(r) < rows ? a.offsets[r + 1] : begin;
            index const last = columns >= a.columns ? end : first_at(a, begin, end, columns);
            return {begin, last, last, last};
        });
    pattern const& from = *selection.where;
    pattern to;
    to.rows = rows;
    to.columns = columns;
    to.indices = copy_of(executor(), from.indices);
    std::vector<index> list, offsets;
    bool const lists = from.hypersparse || rows > from.rows + 4 * from.entries(); // memory depends on the entries
    for (index r = 0; lists && r < from.stored_rows(); ++r)
        if (from.offsets[r] < from.offsets[r + 1]) {
            list.push_back(from.row(r));
            offsets.push_back(from.offsets[r]);
        }
    if (lists) {
        offsets.push_back(from.entries());
        to.hypersparse = true;
        to.list = copy_of(executor(), array_view<index const>(list));
        to.offsets = copy_of(executor(), array_view<index const>(offsets));
        return {normalised(std::move(to)), selection.values};
    }
    index const common = std::min(rows, from.rows); // rows that no longer exist have no entries
    to.offsets = buffer<index>(executor(), rows + 1);
    std::copy_n(from.offsets.begin(), common + 1, to.offsets.begin());
    std::fill(to.offsets.begin() + common + 1, to.offsets.end(), from.entries());
    return {normalised(std::move(to)), selection.values};
}

} // namespace coppice::graphblas
