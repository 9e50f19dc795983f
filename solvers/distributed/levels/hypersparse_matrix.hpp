// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rows at the cuts between parts: few of many, so matrices list those that have entries. Here is what levels in parts
/// make of them, instantiated once for each executor and type.
#pragma once

#include <cstdint>
#include <utility>

#include <coppice/graph/factor/edge_weights.hpp>
#include <coppice/semiring/matrix_operations/hypersparse.hpp>
#include <coppice/semiring/operators/semirings.hpp>

namespace coppice::distributed {

template <class T>
using listed_matrix = hypersparse<T, std::int32_t>;

/// a b, a + b, a^T.
template <executor Executor, class T>
listed_matrix<T> multiply(Executor const& exec, listed_matrix<T> const& a, listed_matrix<T> const& b) {
    if (a.nonzeros() == 0 || b.nonzeros() == 0) return {exec, a.rows(), b.columns()};
    return mxm(exec, plus_times<T>{}, a, b);
}
template <executor Executor, class T>
listed_matrix<T> add(Executor const& exec, listed_matrix<T> const& a, listed_matrix<T> const& b) {
    return ewise_add(exec, plus{}, a, b);
}
template <executor Executor, class T>
listed_matrix<T> turn(Executor const& exec, listed_matrix<T> const& a) {
    if (a.nonzeros() == 0) return {exec, a.columns(), a.rows()};
    return transpose(exec, a);
}
/// Entries of the same place are added in the order in which they are given.
template <executor Executor, class T>
listed_matrix<T> matrix_of_tuples(Executor const& exec, std::int32_t rows, std::int32_t columns,
                                  buffer<std::int32_t> const& row_of, buffer<std::int32_t> const& column_of,
                                  buffer<T> const& values) {
    if (values.empty()) return {exec, rows, columns};
    return build_hypersparse(exec, rows, columns, array_view<std::int32_t const>(row_of.view()),
                             array_view<std::int32_t const>(column_of.view()), array_view<T const>(values.view()),
                             plus{});
}

struct columns_within {
    std::int32_t first, behind;
    bool within;
    template <class T>
    COPPICE_HD bool operator()(T const&, std::int64_t, std::int64_t column) const {
        return (column >= first && column < behind) == within;
    }
};
/// The entries in columns [first, behind), or the others.
template <executor Executor, class T>
listed_matrix<T> select_columns(Executor const& exec, listed_matrix<T> const& a, std::int32_t first,
                                std::int32_t behind, bool within) {
    return select_entries(exec, columns_within{first, behind, within}, a);
}
struct degree_of_listed {
    std::int32_t const *offsets, *rows;
    COPPICE_HD std::int32_t operator()(std::int64_t i) const {
        return rows[i] < 0 ? 0 : offsets[rows[i] + 1] - offsets[rows[i]];
    }
};
template <class T>
struct copy_listed {
    csr_view<T> a;
    std::int32_t const *rows, *offsets;
    std::int32_t* columns;
    T* values;
    COPPICE_HD void operator()(std::int64_t i) const {
        if (rows[i] < 0) return;
        std::int32_t to = offsets[i];
        for (std::int32_t k = a.offsets[rows[i]]; k < a.offsets[rows[i] + 1]; ++k, ++to) {
            columns[to] = a.indices[k];
            values[to] = a.coefficients[k];
        }
    }
};
/// rows[i] of `a`, one behind the other; one that is -1 has no entries.
template <executor Executor, class T>
csr<T> gather_rows(Executor const& exec, csr_view<T> a, buffer<std::int32_t> const& rows) {
    std::int32_t nonzeros = 0;
    auto offsets =
        detail::offsets_of_degrees<std::int32_t>(exec, rows.size(), degree_of_listed{a.offsets, rows.data()}, nonzeros);
    buffer<std::int32_t> columns(exec, nonzeros);
    buffer<T> values(exec, nonzeros);
    for_each(exec, rows.size(), copy_listed<T>{a, rows.data(), offsets.data(), columns.data(), values.data()});
    return {std::int32_t(rows.size()), a.columns(), std::move(offsets), std::move(columns), std::move(values)};
}
/// The rows of `a` that are listed, rising.
template <executor Executor, class T>
listed_matrix<T> rows_at(Executor const& exec, csr_view<T> a, buffer<std::int32_t> const& rows) {
    return detail::list_rows(exec, a.rows(), rows.data(), gather_rows(exec, a, rows));
}

struct note_place {
    std::int32_t const* list;
    std::int32_t* places;
    COPPICE_HD void operator()(std::int64_t i) const { places[list[i]] = std::int32_t(i); }
};
/// Entries of a row that is replaced, or of its own.
struct degree_of_replaced {
    std::int32_t const *places, *offsets, *own_offsets;
    COPPICE_HD std::int32_t operator()(std::int64_t row) const {
        std::int32_t const place = places[row];
        return place < 0 ? own_offsets[row + 1] - own_offsets[row] : offsets[place + 1] - offsets[place];
    }
};
/// Copies entries to where the rows of the result begin, as the product of a reduction of nothing.
template <class T>
struct copy_entry {
    csr_view<T> from;
    std::int32_t const* names;  ///< of the rows of `from`; null: themselves
    std::int32_t const* places; ///< of rows that are replaced; null: none is
    std::int32_t const* offsets;
    std::int32_t* columns;
    T* values;
    COPPICE_HD std::uint8_t operator()(std::int64_t k, std::int64_t row) const {
        if (places && places[row] >= 0) return 0;
        std::int64_t const to = offsets[names ? names[row] : row] + (k - from.offsets[row]);
        columns[to] = from.indices[k];
        values[to] = from.coefficients[k];
        return 0;
    }
};
/// own + a: rows that `a` lists are added up by themselves, the others are copied.
template <executor Executor, class T>
csr<T> add_listed(Executor const& exec, csr_view<T> own, listed_matrix<T> const& a) {
    using graph_detail::ignore_products;
    using graph_detail::ignore_rows;
    auto const sums = add(exec, rows_at(exec, own, a.list()), a);
    auto const replaced = sums.entries().view();
    buffer<std::int32_t> places(exec, own.rows());
    fill(exec, places.view(), std::int32_t(-1));
    for_each(exec, sums.list().size(), note_place{sums.list().data(), places.data()});
    std::int32_t nonzeros = 0;
    auto offsets = detail::offsets_of_degrees<std::int32_t>(
        exec, own.rows(), degree_of_replaced{places.data(), replaced.offsets, own.offsets}, nonzeros);
    buffer<std::int32_t> columns(exec, nonzeros);
    buffer<T> values(exec, nonzeros);
    copy_entry<T> const copy{own, nullptr, places.data(), offsets.data(), columns.data(), values.data()};
    reduce_rows(exec, make_srcsr_plan(exec, own), copy, ignore_products{}, ignore_rows{});
    copy_entry<T> const replace{replaced, sums.list().data(), nullptr, offsets.data(), columns.data(), values.data()};
    reduce_rows(exec, make_srcsr_plan(exec, replaced), replace, ignore_products{}, ignore_rows{});
    return {own.rows(), own.columns(), std::move(offsets), std::move(columns), std::move(values)};
}

struct place_of_row {
    std::int32_t const *rows, *list;
    std::int64_t count;
    std::int32_t* to;
    COPPICE_HD void operator()(std::int64_t i) const {
        to[i] = std::int32_t(detail::position_between(list, std::int64_t{0}, count, std::int64_t(rows[i])));
    }
};
/// The same of a matrix that lists its own rows, in any order and more than once.
template <executor Executor, class T>
csr<T> gather_rows(Executor const& exec, listed_matrix<T> const& a, buffer<std::int32_t> const& rows) {
    buffer<std::int32_t> places(exec, rows.size());
    for_each(exec, rows.size(), place_of_row{rows.data(), a.list().data(), a.list().size(), places.data()});
    return gather_rows(exec, a.entries().view(), places);
}

struct move_index {
    std::int32_t* index;
    std::int32_t by;
    COPPICE_HD void operator()(std::int64_t k) const { index[k] += by; }
};
/// Rows and columns counted from elsewhere.
template <executor Executor, class T>
listed_matrix<T> renumber(Executor const& exec, listed_matrix<T> a, std::int32_t rows_by, std::int32_t columns_by,
                          std::int32_t rows, std::int32_t columns) {
    auto [list, entries] = std::move(a).release();
    auto parts = std::move(entries).release();
    for_each(exec, list.size(), move_index{list.data(), rows_by});
    for_each(exec, parts.indices.size(), move_index{parts.indices.data(), columns_by});
    auto const count = std::int32_t(list.size());
    return {detail::sound_rows{}, rows, std::move(list),
            csr<T>(count, columns, std::move(parts.offsets), std::move(parts.indices), std::move(parts.values))};
}

#define COPPICE_LISTED_MATRIX(EXTERN, EXECUTOR, T)                                                                     \
    EXTERN template listed_matrix<T> multiply(EXECUTOR const&, listed_matrix<T> const&, listed_matrix<T> const&);      \
    EXTERN template listed_matrix<T> add(EXECUTOR const&, listed_matrix<T> const&, listed_matrix<T> const&);           \
    EXTERN template listed_matrix<T> turn(EXECUTOR const&, listed_matrix<T> const&);                                   \
    EXTERN template listed_matrix<T> matrix_of_tuples(EXECUTOR const&, std::int32_t, std::int32_t,                     \
                                                      buffer<std::int32_t> const&, buffer<std::int32_t> const&,        \
                                                      buffer<T> const&);                                               \
    EXTERN template listed_matrix<T> select_columns(EXECUTOR const&, listed_matrix<T> const&, std::int32_t,            \
                                                    std::int32_t, bool);                                               \
    EXTERN template csr<T> add_listed(EXECUTOR const&, csr_view<T>, listed_matrix<T> const&);                          \
    EXTERN template csr<T> gather_rows(EXECUTOR const&, csr_view<T>, buffer<std::int32_t> const&);                     \
    EXTERN template listed_matrix<T> rows_at(EXECUTOR const&, csr_view<T>, buffer<std::int32_t> const&);
COPPICE_LISTED_MATRIX(extern, host_executor, float)
COPPICE_LISTED_MATRIX(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_LISTED_MATRIX(extern, cuda_executor, float)
COPPICE_LISTED_MATRIX(extern, cuda_executor, double)
#endif

} // namespace coppice::distributed
