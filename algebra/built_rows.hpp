// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Matrices from lanes that visit the entries of a row: counted first, then written where they belong.
#pragma once

#include <algorithm>
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
    /// An entry where `kept`, without a branch, which could not be foretold.
    template <class T>
    COPPICE_HD void when(bool kept, std::int64_t, T const&) {
        entries += kept ? 1 : 0;
    }
};

template <class T, class I>
struct write_visited {
    I* columns;
    I const* last; ///< where the columns of the row end
    T* values;     ///< null: columns alone
    template <class U>
    COPPICE_HD void operator()(std::int64_t column, U const& value) {
        *columns++ = static_cast<I>(column);
        if (values) *values++ = static_cast<T>(value);
    }
    /// On the host every entry is written, and the next one over it unless it was kept: jumps would cost more. Not
    /// beyond the row, whose neighbour another thread may have written.
    template <class U>
    COPPICE_HD void when(bool kept, std::int64_t column, U const& value) {
#if defined(__CUDA_ARCH__)
        if (kept) (*this)(column, value);
#else
        if (columns == last) return;
        *columns = static_cast<I>(column);
        columns += kept ? 1 : 0;
        if (!values) return;
        *values = static_cast<T>(value);
        values += kept ? 1 : 0;
#endif
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
        write_visited<T, I> emit{columns + offsets[i], columns + offsets[i + 1],
                                 values ? values + offsets[i] : nullptr};
        rows.visit(i, emit);
    }
};

/// work(i) for all rows, whose work is that of their entries, some `entries` in all: on the host a worker takes as many
/// rows at a time as have enough of them.
template <class Work>
void for_each_row(host_executor const& exec, std::int64_t rows, std::int64_t entries, Work const& work) {
    std::int64_t const per_block = rows / std::max<std::int64_t>((rows + entries) / (2 * host_block), 1);
    for_each_block(exec, rows, std::max<std::int64_t>(per_block, 1),
                   [&](std::int64_t, std::int64_t first, std::int64_t last) {
                       for (std::int64_t i = first; i < last; ++i) work(i);
                   });
}
template <class Work>
void for_each_row(cuda_executor const& exec, std::int64_t rows, std::int64_t, Work const& work) {
    for_each(exec, rows, work);
}

/// Row i of a matrix is what rows.visit(i, emit) hands to emit(column, value), in that order, or to emit.when(kept,
/// column, value) where `kept`; rows.work(), if it is there, says how many entries that looks at. Without values they
/// are left out. Throws overflow_error before memory is asked for where the entries do not fit an O.
template <class T, class I, class O, executor Executor, class Rows>
typename csr<T, I, O>::arrays build_row_parts(Executor const& exec, std::int64_t n, Rows const& rows,
                                              bool with_values) {
    std::int64_t work = 0; // entries that rows look at, where they tell
    if constexpr (requires { rows.work(); }) work = rows.work();
    buffer<std::int64_t> lengths(exec, n);
    for_each_row(exec, n, work, store_degree<std::int64_t, count_row<Rows>>{lengths.data(), {rows}});
    buffer<O> offsets(exec, n + 1);
    std::int64_t const total = exclusive_scan(exec, n, stored_degree<std::int64_t>{lengths.data()},
                                              store_offset<O>{offsets.data()}, std::int64_t{0});
    fill(exec, offsets.view().slice(n, 1), checked_cast<O>(total, "number of entries"));
    buffer<I> indices(exec, total);
    buffer<T> values(exec, with_values ? total : 0);
    for_each_row(exec, n, std::max(work, total),
                 write_row<T, I, O, Rows>{rows, offsets.data(), indices.data(), values.data()});
    return {std::move(offsets), std::move(indices), std::move(values)};
}

/// The rows x columns matrix of such rows.
template <class T, class I, class O, executor Executor, class Rows>
csr<T, I, O> build_rows(Executor const& exec, I row_count, I column_count, Rows const& rows) {
    auto parts = build_row_parts<T, I, O>(exec, row_count, rows, true);
    return {row_count, column_count, std::move(parts.offsets), std::move(parts.indices), std::move(parts.values)};
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
