// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rows at the cuts between parts, few beside those of a part, and what is made of them on the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <coppice/algebra/row_blocks_host.hpp>
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

/// Work on rows of the host in blocks, of a size that the result does not depend on.
inline std::int64_t rows_in_block(host_executor const& exec, std::size_t rows) {
    return std::max<std::int64_t>(32, std::int64_t(rows) / (4 * exec.threads()) + 1);
}
/// The rows that make_row(i, to) writes, i in [0, rows); make_block() makes a make_row for each worker.
template <class T, class MakeBlock>
listed_rows<T> make_rows(host_executor const& exec, std::size_t rows, MakeBlock const& make_block) {
    std::int64_t const block = rows_in_block(exec, rows);
    std::vector<listed_rows<T>> parts((rows + std::size_t(block) - 1) / std::size_t(block));
    detail::for_each_block(exec, std::int64_t(rows), block, [&](std::int64_t p, std::int64_t first, std::int64_t last) {
        auto make_row = make_block();
        for (std::int64_t i = first; i < last; ++i) {
            make_row(std::size_t(i), parts[std::size_t(p)]);
            parts[std::size_t(p)].end_row();
        }
    });
    auto const starts = detail::starts_of_parts(parts, [](auto const& part) { return part.columns.size(); });
    listed_rows<T> all;
    all.offsets.resize(rows + 1);
    all.columns.resize(std::size_t(starts.back()));
    all.values.resize(std::size_t(starts.back()));
    detail::for_each_block(exec, std::int64_t(rows), block, [&](std::int64_t p, std::int64_t first, std::int64_t last) {
        auto const& part = parts[std::size_t(p)];
        std::int64_t const start = starts[std::size_t(p)];
        std::copy(part.columns.begin(), part.columns.end(), all.columns.begin() + start);
        std::copy(part.values.begin(), part.values.end(), all.values.begin() + start);
        for (std::int64_t i = first; i < last; ++i)
            all.offsets[std::size_t(i) + 1] = std::int32_t(start) + part.offsets[std::size_t(i - first) + 1];
    });
    return all;
}

/// a b; columns of `a` are rows of `b`. Columns of the result stand in the order in which they are met.
template <class T>
listed_rows<T> multiply(host_executor const& exec, listed_rows<T> const& a, listed_rows<T> const& b,
                        std::size_t columns) {
    return make_rows<T>(exec, a.rows(), [&] {
        return [&, place = std::vector<std::int32_t>(columns, -1)](std::size_t i, listed_rows<T>& c) mutable {
            std::size_t const first = c.columns.size(); // `place`: of a column in the row at hand
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
        };
    });
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
    std::vector<std::size_t> begin(rows + 1, 0);
    for (std::int32_t& name : names) ++begin[std::size_t(name = places(name)) + 1];
    for (std::size_t r = 1; r <= rows; ++r) begin[r] += begin[r - 1];
    std::vector<coupling_entry<T>> by_row(entries.size());
    auto next = begin;
    for (std::size_t k = 0; k < entries.size(); ++k) by_row[next[std::size_t(names[k])]++] = entries[k];
    auto const summed = make_rows<T>(exec, rows, [&] {
        return [&](std::size_t r, listed_rows<T>& to) {
            auto const first = by_row.begin() + std::ptrdiff_t(begin[r]);
            auto const last = by_row.begin() + std::ptrdiff_t(begin[r + 1]);
            if (!std::is_sorted(first, last)) std::stable_sort(first, last);
            for (auto e = first; e != last; ++e)
                if (e != first && (e - 1)->column == e->column)
                    to.values.back() += e->value;
                else
                    to.add(e->column, e->value);
        };
    });
    std::vector<coupling_entry<T>> sums;
    sums.reserve(summed.columns.size());
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t k = summed.begin(r); k < summed.end(r); ++k)
            sums.push_back({places.distinct[r], summed.columns[k], summed.values[k]});
    return sums;
}

} // namespace coppice::distributed
