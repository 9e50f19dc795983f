// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The entries K of a level's matrix between rows of a part and columns of others, on the host, and those of the next
/// level, R K P: a layer of rows at the cuts, few beside those of the part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <coppice/core/parallel.hpp>
#include <coppice/csr.hpp>
#include <coppice/solvers/distributed/halo.hpp>

namespace coppice::distributed {

template <class T>
struct coupling_entry {
    std::int32_t row, column; ///< of the part, over all parts
    T value;
    friend bool operator<(coupling_entry const& a, coupling_entry const& b) {
        return a.row != b.row ? a.row < b.row : a.column < b.column;
    }
};

/// Entries in the order of rows and columns, those of the same place added.
template <class T>
void add_up(std::vector<coupling_entry<T>>& entries) {
    if (!std::is_sorted(entries.begin(), entries.end())) std::stable_sort(entries.begin(), entries.end());
    std::size_t kept = 0;
    for (std::size_t k = 0; k < entries.size(); ++k) {
        bool const again =
            kept > 0 && entries[kept - 1].row == entries[k].row && entries[kept - 1].column == entries[k].column;
        if (again)
            entries[kept - 1].value += entries[k].value;
        else
            entries[kept++] = entries[k];
    }
    entries.resize(kept);
}

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

/// a b; columns of `a` are rows of `b`. Columns of the result stand in the order in which they are met.
template <class T>
listed_rows<T> multiply(listed_rows<T> const& a, listed_rows<T> const& b, std::int32_t columns) {
    listed_rows<T> c;
    c.offsets.reserve(a.offsets.size());
    c.columns.reserve(2 * a.columns.size());
    c.values.reserve(2 * a.columns.size());
    std::vector<std::int32_t> place(std::size_t(columns), -1); // of a column in the row at hand
    for (std::size_t i = 0; i < a.rows(); ++i) {
        std::size_t const first = c.columns.size();
        for (std::size_t k = a.begin(i); k < a.end(i); ++k) {
            auto const j = std::size_t(a.columns[k]);
            for (std::size_t l = b.begin(j); l < b.end(j); ++l) {
                std::int32_t& at = place[std::size_t(b.columns[l])];
                if (at < std::int32_t(first)) {
                    at = std::int32_t(c.columns.size());
                    c.add(b.columns[l], T(0));
                }
                c.values[std::size_t(at)] += a.values[k] * b.values[l];
            }
        }
        c.end_row();
    }
    return c;
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

/// R K P. `k` has the rows at the cuts, with places among the columns that the part needs; `r` the rows of R^T at the
/// former, with `count` columns in all, `p` the rows of P at the latter, with columns counted over all parts.
template <class T>
std::vector<coupling_entry<T>> coupling_below(listed_rows<T> const& k, listed_rows<T> const& r, std::int32_t count,
                                              listed_rows<T> p) {
    column_places const places(p.columns);
    for (std::int32_t& c : p.columns) c = places(c);
    auto const few = std::int32_t(places.distinct.size());
    auto const below = multiply(transpose(r, count), multiply(k, p, few), few);
    std::vector<coupling_entry<T>> entries;
    entries.reserve(below.columns.size());
    for (std::size_t i = 0; i < below.rows(); ++i) {
        auto const first = std::ptrdiff_t(entries.size());
        for (std::size_t l = below.begin(i); l < below.end(i); ++l)
            entries.push_back({std::int32_t(i), places.distinct[std::size_t(below.columns[l])], below.values[l]});
        std::sort(entries.begin() + first, entries.end());
    }
    return entries;
}

} // namespace coppice::distributed
