// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Matrices from lanes that visit the entries of a row: counted first, then written where they belong.
#pragma once

#include <cstdint>

#include <coppice/algebra/operations.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::detail {

struct count_visited {
    std::int64_t entries = 0;
    template <class T>
    COPPICE_HD void operator()(std::int64_t, T const&) {
        ++entries;
    }
};

template <class T, class I>
struct write_visited {
    I* columns;
    T* values;
    template <class U>
    COPPICE_HD void operator()(std::int64_t column, U const& value) {
        *columns++ = static_cast<I>(column);
        *values++ = static_cast<T>(value);
    }
};

template <class Rows>
struct count_row {
    Rows rows;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD std::int64_t operator()(std::int64_t i) const {
        count_visited emit;
        rows.visit(i, emit);
        return emit.entries;
    }
};

template <class T, class I, class O, class Rows>
struct write_row {
    Rows rows;
    O const* offsets;
    I* columns;
    T* values;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t i) const {
        write_visited<T, I> emit{columns + offsets[i], values + offsets[i]};
        rows.visit(i, emit);
    }
};

/// The rows x columns matrix whose row i is what rows.visit(i, emit) hands to emit(column, value), in that order.
/// Throws overflow_error before memory is asked for where the entries do not fit an O.
template <class T, class I, class O, executor Executor, class Rows>
csr<T, I, O> build_rows(Executor const& exec, I row_count, I column_count, Rows const& rows) {
    std::int64_t const n = row_count;
    buffer<std::int64_t> lengths(exec, n);
    for_each(exec, n, store_degree<std::int64_t, count_row<Rows>>{lengths.data(), {rows}});
    buffer<O> offsets(exec, n + 1);
    std::int64_t const total = exclusive_scan(exec, n, stored_degree<std::int64_t>{lengths.data()},
                                              store_offset<O>{offsets.data()}, std::int64_t{0});
    fill(exec, offsets.view().slice(n, 1), checked_cast<O>(total, "number of entries"));
    buffer<I> indices(exec, total);
    buffer<T> values(exec, total);
    for_each(exec, n, write_row<T, I, O, Rows>{rows, offsets.data(), indices.data(), values.data()});
    return {row_count, column_count, std::move(offsets), std::move(indices), std::move(values)};
}

/// The same where a row may be visited in any order of its columns.
template <class T, class I, class O, executor Executor, class Rows>
csr<T, I, O> build_sorted_rows(Executor const& exec, I row_count, I column_count, Rows const& rows) {
    auto made = build_rows<T, I, O>(exec, row_count, column_count, rows);
    auto parts = std::move(made).release();
    return sort_rows(exec, row_count, column_count, std::move(parts.offsets), std::move(parts.indices),
                     std::move(parts.values));
}

} // namespace coppice::detail
