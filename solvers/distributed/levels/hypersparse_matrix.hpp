// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Operations on rows at rank boundaries. Only few rows of the matrix have entries, so the matrices are hypersparse:
/// they store a list of the nonempty rows. Instantiated once for each executor and type.
#pragma once

#include <cstdint>
#include <utility>

#include <coppice/graph/factor/edge_weights.hpp>
#include <coppice/semiring/matrix_operations/hypersparse.hpp>
#include <coppice/semiring/operators/semirings.hpp>

namespace coppice::inline v0_1::distributed {

template <class T>
using hypersparse_rows = hypersparse<T, std::int32_t>;

/// Products, sums and transposes.
template <executor Executor, class T>
hypersparse_rows<T> multiply(Executor const& exec, hypersparse_rows<T> const& a, hypersparse_rows<T> const& b) {
    if (a.nonzeros() == 0 || b.nonzeros() == 0) return {exec, a.rows(), b.columns()};
    return mxm(exec, plus_times<T>{}, a, b);
}
template <executor Executor, class T>
hypersparse_rows<T> add(Executor const& exec, hypersparse_rows<T> const& a, hypersparse_rows<T> const& b) {
    return ewise_add(exec, plus{}, a, b);
}
template <executor Executor, class T>
hypersparse_rows<T> transposed(Executor const& exec, hypersparse_rows<T> const& a) {
    if (a.nonzeros() == 0) return {exec, a.columns(), a.rows()};
    return transpose(exec, a);
}
/// Builds a matrix from tuples. Duplicates are added in the given order.
template <executor Executor, class T>
hypersparse_rows<T> matrix_of_tuples(Executor const& exec, std::int32_t rows, std::int32_t columns,
                                     buffer<std::int32_t> const& row_of, buffer<std::int32_t> const& column_of,
                                     buffer<T> const& values) {
    if (values.empty()) return {exec, rows, columns};
    return build_hypersparse(exec, rows, columns, array_view<std::int32_t const>(row_of.view()),
                             array_view<std::int32_t const>(column_of.view()), array_view<T const>(values.view()),
                             plus{});
}

struct columns_within {
    std::int32_t first, end;
    bool within;
    template <class T>
    COPPICE_HD bool operator()(T const&, std::int64_t, std::int64_t column) const {
        return (column >= first && column < end) == within;
    }
};
/// Selects the entries in columns [first, end), or all others.
template <executor Executor, class T>
hypersparse_rows<T> select_columns(Executor const& exec, hypersparse_rows<T> const& a, std::int32_t first,
                                   std::int32_t end, bool within) {
    return select_entries(exec, columns_within{first, end, within}, a);
}
struct gathered_degree {
    std::int32_t const *offsets, *rows;
    COPPICE_HD std::int32_t operator()(std::int64_t i) const {
        return rows[i] < 0 ? 0 : offsets[rows[i] + 1] - offsets[rows[i]];
    }
};
template <class T>
struct gather_row {
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
/// Gathers the rows rows[i] of `a` in this order; index -1 gives an empty row.
template <executor Executor, class T>
csr<T> gather_rows(Executor const& exec, csr_view<T> a, buffer<std::int32_t> const& rows) {
    std::int32_t nonzeros = 0;
    auto offsets =
        detail::offsets_of_degrees<std::int32_t>(exec, rows.size(), gathered_degree{a.offsets, rows.data()}, nonzeros);
    buffer<std::int32_t> columns(exec, nonzeros);
    buffer<T> values(exec, nonzeros);
    for_each(exec, rows.size(), gather_row<T>{a, rows.data(), offsets.data(), columns.data(), values.data()});
    return {std::int32_t(rows.size()), a.columns(), std::move(offsets), std::move(columns), std::move(values)};
}
/// The rows of `a` with the given indices, which are ascending.
template <executor Executor, class T>
hypersparse_rows<T> rows_at(Executor const& exec, csr_view<T> a, buffer<std::int32_t> const& rows) {
    return detail::list_rows(exec, a.rows(), rows.data(), gather_rows(exec, a, rows));
}

struct store_position {
    std::int32_t const* list;
    std::int32_t* positions;
    COPPICE_HD void operator()(std::int64_t i) const { positions[list[i]] = std::int32_t(i); }
};
/// Number of entries of a row after replacement of some rows.
struct degree_of_replaced {
    std::int32_t const *positions, *offsets, *own_offsets;
    COPPICE_HD std::int32_t operator()(std::int64_t row) const {
        std::int32_t const position = positions[row];
        return position < 0 ? own_offsets[row + 1] - own_offsets[row] : offsets[position + 1] - offsets[position];
    }
};
/// Copies entries to the rows of the result; used as the multiply operation of a reduction whose result is ignored.
template <class T>
struct copy_entry {
    csr_view<T> from;
    std::int32_t const* row_indices; ///< row indices of the rows of `from`; null: 0, 1, ...
    std::int32_t const*
        positions; ///< positions of replaced rows in their list, -1 for others; null: no row is replaced
    std::int32_t const* offsets;
    std::int32_t* columns;
    T* values;
    COPPICE_HD std::uint8_t operator()(std::int64_t k, std::int64_t row) const {
        if (positions && positions[row] >= 0) return 0;
        std::int64_t const to = offsets[row_indices ? row_indices[row] : row] + (k - from.offsets[row]);
        columns[to] = from.indices[k];
        values[to] = from.coefficients[k];
        return 0;
    }
};
/// own + a: adds the rows that `a` stores and copies all other rows.
template <executor Executor, class T>
csr<T> add_hypersparse(Executor const& exec, csr_view<T> own, hypersparse_rows<T> const& a) {
    using graph_detail::ignore_products;
    using graph_detail::ignore_rows;
    auto const sums = add(exec, rows_at(exec, own, a.list()), a);
    auto const replaced = sums.entries().view();
    buffer<std::int32_t> positions(exec, own.rows());
    fill(exec, positions.view(), std::int32_t(-1));
    for_each(exec, sums.list().size(), store_position{sums.list().data(), positions.data()});
    std::int32_t nonzeros = 0;
    auto offsets = detail::offsets_of_degrees<std::int32_t>(
        exec, own.rows(), degree_of_replaced{positions.data(), replaced.offsets, own.offsets}, nonzeros);
    buffer<std::int32_t> columns(exec, nonzeros);
    buffer<T> values(exec, nonzeros);
    copy_entry<T> const copy{own, nullptr, positions.data(), offsets.data(), columns.data(), values.data()};
    reduce_rows(exec, make_srcsr_plan(exec, own), copy, ignore_products{}, ignore_rows{});
    copy_entry<T> const replace{replaced, sums.list().data(), nullptr, offsets.data(), columns.data(), values.data()};
    reduce_rows(exec, make_srcsr_plan(exec, replaced), replace, ignore_products{}, ignore_rows{});
    return {own.rows(), own.columns(), std::move(offsets), std::move(columns), std::move(values)};
}

struct find_row_position {
    std::int32_t const *rows, *list;
    std::int64_t count;
    std::int32_t* to;
    COPPICE_HD void operator()(std::int64_t i) const {
        to[i] = std::int32_t(detail::position_between(list, std::int64_t{0}, count, std::int64_t(rows[i])));
    }
};
/// Gathers rows of a hypersparse matrix; `rows` may be in any order and have duplicates.
template <executor Executor, class T>
csr<T> gather_rows(Executor const& exec, hypersparse_rows<T> const& a, buffer<std::int32_t> const& rows) {
    buffer<std::int32_t> positions(exec, rows.size());
    for_each(exec, rows.size(), find_row_position{rows.data(), a.list().data(), a.list().size(), positions.data()});
    return gather_rows(exec, a.entries().view(), positions);
}

struct shift_index {
    std::int32_t* index;
    std::int32_t by;
    COPPICE_HD void operator()(std::int64_t k) const { index[k] += by; }
};
/// Shifts row and column indices.
template <executor Executor, class T>
hypersparse_rows<T> renumber(Executor const& exec, hypersparse_rows<T> a, std::int32_t rows_by, std::int32_t columns_by,
                             std::int32_t rows, std::int32_t columns) {
    auto [list, entries] = std::move(a).release();
    auto arrays = std::move(entries).release();
    for_each(exec, list.size(), shift_index{list.data(), rows_by});
    for_each(exec, arrays.indices.size(), shift_index{arrays.indices.data(), columns_by});
    auto const count = std::int32_t(list.size());
    return {detail::sound_rows{}, rows, std::move(list),
            csr<T>(count, columns, std::move(arrays.offsets), std::move(arrays.indices), std::move(arrays.values))};
}

#define COPPICE_HYPERSPARSE_MATRIX(EXTERN, EXECUTOR, T)                                                                \
    EXTERN template hypersparse_rows<T> multiply(EXECUTOR const&, hypersparse_rows<T> const&,                          \
                                                 hypersparse_rows<T> const&);                                          \
    EXTERN template hypersparse_rows<T> add(EXECUTOR const&, hypersparse_rows<T> const&, hypersparse_rows<T> const&);  \
    EXTERN template hypersparse_rows<T> transposed(EXECUTOR const&, hypersparse_rows<T> const&);                       \
    EXTERN template hypersparse_rows<T> matrix_of_tuples(EXECUTOR const&, std::int32_t, std::int32_t,                  \
                                                         buffer<std::int32_t> const&, buffer<std::int32_t> const&,     \
                                                         buffer<T> const&);                                            \
    EXTERN template hypersparse_rows<T> select_columns(EXECUTOR const&, hypersparse_rows<T> const&, std::int32_t,      \
                                                       std::int32_t, bool);                                            \
    EXTERN template csr<T> add_hypersparse(EXECUTOR const&, csr_view<T>, hypersparse_rows<T> const&);                  \
    EXTERN template csr<T> gather_rows(EXECUTOR const&, csr_view<T>, buffer<std::int32_t> const&);                     \
    EXTERN template hypersparse_rows<T> rows_at(EXECUTOR const&, csr_view<T>, buffer<std::int32_t> const&);
COPPICE_HYPERSPARSE_MATRIX(extern, host_executor, float)
COPPICE_HYPERSPARSE_MATRIX(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_HYPERSPARSE_MATRIX(extern, cuda_executor, float)
COPPICE_HYPERSPARSE_MATRIX(extern, cuda_executor, double)
#endif

} // namespace coppice::inline v0_1::distributed
