// SPDX-License-Identifier: BSD-3-Clause
#include "region.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace coppice::graphblas {

void row_changes::close(index row) {
    rows.push_back(row);
    removed_offsets.push_back(index(removed.size()));
    added_offsets.push_back(index(added_columns.size()));
}

namespace {

/// Writes the entries of a result in order.
class entry_copy {
public:
    entry_copy(contents const& old, std::size_t size, std::byte const* added, pattern& to, std::byte* values)
        : old_(*old.where), old_values_(old.values->data()), size_(size), added_(added), to_(to), values_(values) {}
    /// Entries [first, last) of the old matrix.
    void keep(index first, index last) {
        if (first == last) return;
        std::copy_n(old_.indices.data() + first, last - first, to_.indices.data() + next_);
        std::memcpy(at(values_, next_, size_), at(old_values_, first, size_), std::size_t(last - first) * size_);
        next_ += last - first;
    }
    void add(index column, index from) {
        to_.indices[next_] = column;
        std::memcpy(at(values_, next_, size_), at(added_, from, size_), size_);
        ++next_;
    }
    /// Row `k` of the changes.
    void change(row_changes const& changes, std::size_t k) {
        index const row = changes.rows[k], end = old_.offsets[row + 1];
        index const* removed = changes.removed.data() + changes.removed_offsets[k];
        index const* const removed_end = changes.removed.data() + changes.removed_offsets[k + 1];
        index p = old_.offsets[row];
        auto const keep_to = [&](index stop) { // without the removed entries
            for (; removed != removed_end && *removed < stop; ++removed) {
                keep(p, *removed);
                p = *removed + 1;
            }
            keep(p, std::max(p, stop));
            p = std::max(p, stop);
        };
        for (index a = changes.added_offsets[k]; a < changes.added_offsets[k + 1]; ++a) {
            index const column = changes.added_columns[std::size_t(a)];
            keep_to(std::lower_bound(old_.indices.data() + p, old_.indices.data() + end, column) - old_.indices.data());
            add(column, changes.added_from[std::size_t(a)]);
        }
        keep_to(end);
    }
    void start_at(index entry) { next_ = entry; }

private:
    pattern const& old_;
    std::byte const* old_values_;
    std::size_t size_;
    std::byte const* added_;
    pattern& to_;
    std::byte* values_;
    index next_ = 0;
};

} // namespace

contents spliced(contents const& old, std::size_t size, row_changes const& changes, std::byte const* values) {
    pattern const& a = *old.where;
    auto const count = changes.rows.size();
    pattern to;
    to.rows = a.rows;
    to.columns = a.columns;
    to.offsets = buffer<index>(executor(), a.rows + 1);
    index growth = 0, row = 0;
    for (std::size_t k = 0; k <= count; ++k) {
        index const last = k < count ? changes.rows[k] : a.rows;
        for (; row <= last; ++row) to.offsets[row] = a.offsets[row] + growth;
        if (k == count) break;
        growth += changes.added_offsets[k + 1] - changes.added_offsets[k] -
                  (changes.removed_offsets[k + 1] - changes.removed_offsets[k]);
    }
    index const total = a.entries() + growth;
    to.indices = buffer<index>(executor(), total);
    auto made = make_values(total, size);
    index const block = std::max<index>(1, a.rows / std::max<index>(1, total >> 15));
    for_ranges(a.rows, block, [&](index first, index last) {
        entry_copy copy(old, size, values, to, made->data());
        copy.start_at(to.offsets[first]);
        auto k = std::size_t(std::lower_bound(changes.rows.begin(), changes.rows.end(), first) - changes.rows.begin());
        index begin = first;
        for (; k < count && changes.rows[k] < last; ++k) {
            copy.keep(a.offsets[begin], a.offsets[changes.rows[k]]);
            copy.change(changes, k);
            begin = changes.rows[k] + 1;
        }
        copy.keep(a.offsets[begin], a.offsets[last]);
    });
    return {normalised(std::move(to)), std::move(made)};
}

namespace {

/// The changes that replace the entries of C(rows, columns): those of `before`, at entries `from` of C, by `after`.
row_changes changes_of(gathered_entries const& before, pattern const& after, index_list rows, index_list columns) {
    std::vector<index> order;
    bool const columns_ascend = ascends(columns);
    pattern const& b = *before.where;
    index const count = rows.indices ? rows.count : b.rows;
    order.resize(std::size_t(count));
    std::iota(order.begin(), order.end(), index{0});
    if (!ascends(rows))
        std::sort(order.begin(), order.end(), [&](index p, index q) { return rows.indices[p] < rows.indices[q]; });
    auto const entries_of_row = [](pattern const& of, index row) {
        index stored = row;
        if (of.hypersparse) {
            stored = std::lower_bound(of.list.begin(), of.list.end(), row) - of.list.begin();
            if (stored == of.list.size() || of.list[stored] != row) return std::pair{index{0}, index{0}};
        }
        return std::pair{of.offsets[stored], of.offsets[stored + 1]};
    };
    row_changes to;
    std::vector<std::pair<index, index>> added;
    for (index const row : order) {
        auto const [first, last] = entries_of_row(b, row);
        auto const [begin, end] = entries_of_row(after, row);
        if (first == last && begin == end) continue;
        for (index k = first; k < last; ++k) to.removed.push_back(before.from[k]);
        added.clear();
        for (index k = begin; k < end; ++k)
            added.emplace_back(columns.indices ? columns.indices[after.indices[k]] : after.indices[k], k);
        if (!columns_ascend) {
            std::sort(to.removed.begin() + to.removed_offsets.back(), to.removed.end());
            std::sort(added.begin(), added.end());
        }
        for (auto const& [column, from] : added) {
            to.added_columns.push_back(column);
            to.added_from.push_back(from);
        }
        to.close(rows.indices ? rows.indices[row] : row);
    }
    return to;
}

/// Whether two patterns of the same shape have the same entries.
bool have_same_entries(pattern const& a, pattern const& b) {
    auto const equal = [](buffer<index> const& x, buffer<index> const& y) {
        return std::equal(x.begin(), x.end(), y.begin(), y.end());
    };
    return a.hypersparse == b.hypersparse && equal(a.list, b.list) && equal(a.offsets, b.offsets) &&
           equal(a.indices, b.indices);
}

/// Changes values of entries; the entries stay the same ones.
void change_values(table& t, gathered_entries const& at_entries, std::byte const* values) {
    std::scoped_lock const lock(t.guard);
    auto& stored_values = t.data.list.values;
    if (stored_values.use_count() > 1) stored_values = std::make_shared<bytes>(copy_of(executor(), *stored_values));
    t.data.dense = {};
    t.transposed = {};
    t.device = {};
    scatter(const_cast<std::byte*>(stored_values->data()), values, at_entries.from.data(), at_entries.from.size(),
            t.type->size);
}

/// Whether the lists select so few positions that a copy of the others is faster than a merge with all.
bool is_small(pattern const& c, index_list rows, index_list columns) {
    return (rows.indices && rows.count <= c.rows / 8) || (columns.indices && columns.count <= c.columns / 8);
}

} // namespace

bool update_region(table& c, index_list rows, index_list columns, region_update const& update, operand values,
                   GrB_BinaryOp accum, bool vector) {
    contents old = entries_of(c);
    if (!is_small(*old.where, rows, columns) || !is_distinct(rows, old.where->rows) ||
        !is_distinct(columns, old.where->columns))
        return false;
    auto const before = extract(*old.where, rows, columns);
    auto const made = update(*before.where);
    auto const old_values = gathered(*old.values, before.from, c.type->size);
    auto const now =
        combine(*made.where, made.from.data(), {c.type, old_values->data()}, values, accum, c.type, vector);
    if (have_same_entries(*before.where, *made.where)) {
        old = {}; // so that the table is the only owner of its values
        change_values(c, before, now->data());
        return true;
    }
    if (old.where->hypersparse) return false;
    set_entries(c, spliced(old, c.type->size, changes_of(before, *made.where, rows, columns), now->data()));
    return true;
}

} // namespace coppice::graphblas
