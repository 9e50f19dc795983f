// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rows at the cuts between parts, few beside those of a part, and what is made of them on the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <coppice/core/parallel.hpp>
#include <coppice/csr.hpp>
#include <coppice/solvers/distributed/halo.hpp>

namespace coppice::distributed {

/// An entry K of a level's matrix between a row of a part and a column of another.
template <class T>
struct coupling_entry {
    std::int32_t row, column; ///< of the part, over all parts
    T value;
    friend bool operator<(coupling_entry const& a, coupling_entry const& b) {
        return a.row != b.row ? a.row < b.row : a.column < b.column;
    }
};

/// Some rows of a matrix.
template <class T>
struct listed_rows {
    std::vector<std::int32_t> offsets{0}; ///< [rows + 1], where the entries of a row begin
    std::vector<std::int32_t> columns{};
    std::vector<T> values{};

    std::size_t rows() const { return offsets.size() - 1; }
    std::size_t begin(std::size_t row) const { return std::size_t(offsets[row]); }
    std::size_t end(std::size_t row) const { return std::size_t(offsets[row + 1]); }
    void add(std::int32_t column, T value) {
        columns.push_back(column);
        values.push_back(value);
    }
    void end_row() { offsets.push_back(std::int32_t(columns.size())); }
};

struct count_listed {
    std::int32_t const *offsets, *rows;
    std::int32_t* lengths;
    COPPICE_HD void operator()(std::int64_t i) const { lengths[i] = offsets[rows[i] + 1] - offsets[rows[i]]; }
};
template <class T>
struct copy_listed {
    csr_view<T> a;
    std::int32_t const *rows, *offsets;
    std::int32_t* columns;
    T* values;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int32_t to = offsets[i];
        for (std::int32_t k = a.offsets[rows[i]]; k < a.offsets[rows[i] + 1]; ++k, ++to) {
            columns[to] = a.indices[k];
            values[to] = a.coefficients[k];
        }
    }
};

/// rows[i] of `a`, from the executor's memory.
template <executor Executor, class T>
listed_rows<T> list_rows(Executor const& exec, csr_view<T> a, buffer<std::int32_t> const& rows) {
    listed_rows<T> listed;
    if (rows.size() == 0) return listed;
    buffer<std::int32_t> lengths(exec, rows.size());
    for_each(exec, rows.size(), count_listed{a.offsets, rows.data(), lengths.data()});
    for (std::int32_t const length : to_vector(exec, lengths)) listed.offsets.push_back(listed.offsets.back() + length);
    auto const offsets = exec.copy(listed.offsets);
    buffer<std::int32_t> columns(exec, listed.offsets.back());
    buffer<T> values(exec, listed.offsets.back());
    for_each(exec, rows.size(), copy_listed<T>{a, rows.data(), offsets.data(), columns.data(), values.data()});
    listed.columns = to_vector(exec, columns);
    listed.values = to_vector(exec, values);
    return listed;
}

/// a b; columns of `a` are rows of `b`. Columns of the result stand in the order in which they are met. Memory is taken
/// by the caller's thread alone: where many threads give pages back, all wait for each of them.
template <class T>
listed_rows<T> multiply(host_executor const& exec, listed_rows<T> const& a, listed_rows<T> const& b,
                        std::size_t columns) {
    std::size_t const rows = a.rows();
    std::vector<std::int32_t> room(rows + 1, 0), length(rows, 0);
    for (std::size_t i = 0; i < rows; ++i) {
        room[i + 1] = room[i];
        for (std::size_t k = a.begin(i); k < a.end(i); ++k)
            room[i + 1] += std::int32_t(b.end(std::size_t(a.columns[k])) - b.begin(std::size_t(a.columns[k])));
    }
    std::vector<std::int32_t> to;
    to.resize(std::size_t(room[rows]));
    std::vector<T> sums(to.size());
    auto const block = std::int64_t(rows) / exec.threads() + 1;
    std::vector<std::int32_t> places(columns * std::size_t(exec.threads()), -1); // of columns in the row at hand
    detail::for_each_block(exec, std::int64_t(rows), block, [&](std::int64_t p, std::int64_t first, std::int64_t last) {
        std::int32_t* const place = places.data() + std::size_t(p) * columns;
        for (auto i = std::size_t(first); i < std::size_t(last); ++i) {
            std::int32_t next = room[i];
            for (std::size_t k = a.begin(i); k < a.end(i); ++k) {
                auto const j = std::size_t(a.columns[k]);
                for (std::size_t l = b.begin(j); l < b.end(j); ++l) {
                    std::int32_t& at = place[std::size_t(b.columns[l])];
                    if (at < room[i]) {
                        at = next++;
                        to[std::size_t(at)] = b.columns[l];
                        sums[std::size_t(at)] = T(0);
                    }
                    sums[std::size_t(at)] += a.values[k] * b.values[l];
                }
            }
            length[i] = next - room[i];
        }
    });
    listed_rows<T> c;
    c.offsets.resize(rows + 1);
    for (std::size_t i = 0; i < rows; ++i) c.offsets[i + 1] = c.offsets[i] + length[i];
    c.columns.resize(std::size_t(c.offsets[rows]));
    c.values.resize(c.columns.size());
    detail::for_each_block(exec, std::int64_t(rows), block, [&](std::int64_t, std::int64_t first, std::int64_t last) {
        for (auto i = std::size_t(first); i < std::size_t(last); ++i) {
            std::copy_n(to.begin() + room[i], length[i], c.columns.begin() + c.offsets[i]);
            std::copy_n(sums.begin() + room[i], length[i], c.values.begin() + c.offsets[i]);
        }
    });
    return c;
}

/// Rows `some` of `a`, whose rows have these names, both rising; those that it does not have are empty.
template <class T>
listed_rows<T> rows_of(listed_rows<T> const& a, std::vector<std::int32_t> const& names,
                       std::vector<std::int32_t> const& some) {
    listed_rows<T> listed;
    for (std::int32_t const row : some) {
        auto const at = std::lower_bound(names.begin(), names.end(), row);
        if (at != names.end() && *at == row) {
            auto const i = std::size_t(at - names.begin());
            for (std::size_t k = a.begin(i); k < a.end(i); ++k) listed.add(a.columns[k], a.values[k]);
        }
        listed.end_row();
    }
    return listed;
}
/// The rows of `a`, and behind each the same of `b`.
template <class T>
listed_rows<T> side_by_side(listed_rows<T> const& a, listed_rows<T> const& b) {
    listed_rows<T> both;
    both.offsets.reserve(a.offsets.size());
    both.columns.reserve(a.columns.size() + b.columns.size());
    both.values.reserve(a.columns.size() + b.columns.size());
    for (std::size_t i = 0; i < a.rows(); ++i) {
        for (auto const* const from : {&a, &b})
            for (std::size_t k = from->begin(i); k < from->end(i); ++k) both.add(from->columns[k], from->values[k]);
        both.end_row();
    }
    return both;
}

/// The transpose of some rows with `columns` columns.
template <class T>
listed_rows<T> transpose(listed_rows<T> const& a, std::int32_t columns) {
    listed_rows<T> t;
    t.offsets.assign(std::size_t(columns) + 1, 0);
    for (std::int32_t const c : a.columns) ++t.offsets[std::size_t(c) + 1];
    for (std::size_t c = 1; c < t.offsets.size(); ++c) t.offsets[c] += t.offsets[c - 1];
    t.columns.resize(a.columns.size());
    t.values.resize(a.values.size());
    auto next = t.offsets;
    for (std::size_t i = 0; i < a.rows(); ++i)
        for (std::size_t k = a.begin(i); k < a.end(i); ++k) {
            auto const at = std::size_t(next[std::size_t(a.columns[k])]++);
            t.columns[at] = std::int32_t(i);
            t.values[at] = a.values[k];
        }
    return t;
}

/// The transpose of some rows, but for those of its rows that are empty; `names` of the others.
template <class T>
struct turned_rows {
    std::vector<std::int32_t> names{};
    listed_rows<T> rows{};

    explicit turned_rows(listed_rows<T> a) {
        column_places const places(a.columns);
        for (std::int32_t& c : a.columns) c = places(c);
        names = places.distinct;
        rows = transpose(a, std::int32_t(names.size()));
    }
};

/// Entries in the order of rows and columns, those of the same place added in the order in which they are given.
template <class T>
std::vector<coupling_entry<T>> add_up(host_executor const& exec, std::vector<coupling_entry<T>> const& entries) {
    std::vector<std::int32_t> names;
    names.reserve(entries.size());
    for (auto const& e : entries) names.push_back(e.row);
    column_places const places(names);
    std::size_t const rows = places.distinct.size();
    std::vector<std::size_t> begin(rows + 1, 0), length(rows, 0);
    for (std::int32_t& name : names) ++begin[std::size_t(name = places(name)) + 1];
    for (std::size_t r = 1; r <= rows; ++r) begin[r] += begin[r - 1];
    std::vector<coupling_entry<T>> sums(entries.size());
    auto next = begin;
    for (std::size_t k = 0; k < entries.size(); ++k) sums[next[std::size_t(names[k])]++] = entries[k];
    auto const block = std::int64_t(rows) / (4 * exec.threads()) + 1;
    detail::for_each_block(exec, std::int64_t(rows), block, [&](std::int64_t, std::int64_t first, std::int64_t last) {
        for (auto r = std::size_t(first); r < std::size_t(last); ++r) {
            auto const from = sums.begin() + std::ptrdiff_t(begin[r]),
                       end = sums.begin() + std::ptrdiff_t(begin[r + 1]);
            if (!std::is_sorted(from, end)) std::stable_sort(from, end);
            auto to = from;
            for (auto e = from; e != end; ++e)
                if (to != from && (to - 1)->column == e->column)
                    (to - 1)->value += e->value;
                else
                    *to++ = *e;
            length[r] = std::size_t(to - from);
        }
    });
    std::size_t kept = 0;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t k = 0; k < length[r]; ++k) sums[kept++] = sums[begin[r] + k];
    sums.resize(kept);
    return sums;
}

} // namespace coppice::distributed
