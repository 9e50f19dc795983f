// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Builds matrices from lane code that emits the entries of a row: the entries are counted first, then written to their
/// final position.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <coppice/algebra/operations.hpp>
#include <coppice/algebra/rows/row_blocks_host.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1::detail {

struct count_emitted {
    std::int64_t entries = 0;
    template <class T>
    COPPICE_HD void operator()(std::int64_t, T const&) {
        ++entries;
    }
    /// Counts an entry if `selected`, without an unpredictable branch.
    template <class T>
    COPPICE_HD void when(bool selected, std::int64_t, T const&) {
        entries += selected ? 1 : 0;
    }
};

template <class T, class I>
struct write_emitted {
    I* columns;
    I const* last; ///< end of the columns of the row
    T* values;     ///< null: columns only
    template <class U>
    COPPICE_HD void operator()(std::int64_t column, U const& value) {
        *columns++ = static_cast<I>(column);
        if (values) *values++ = static_cast<T>(value);
    }
    /// On the host every entry is written, and overwritten by the next one if it was not selected, since a branch would
    /// take longer. Nothing is written after the end of the row, where another thread may have written already.
    template <class U>
    COPPICE_HD void when(bool selected, std::int64_t column, U const& value) {
#if defined(__CUDA_ARCH__)
        if (selected) (*this)(column, value);
#else
        if (columns == last) return;
        *columns = static_cast<I>(column);
        columns += selected ? 1 : 0;
        if (!values) return;
        *values = static_cast<T>(value);
        values += selected ? 1 : 0;
#endif
    }
};

/// Writes entries to an array with space for one more entry than there are.
template <class T, class I>
struct append_emitted {
    I* columns;
    T* values;
    template <class U>
    void operator()(std::int64_t column, U const& value) {
        *columns++ = static_cast<I>(column);
        *values++ = static_cast<T>(value);
    }
    template <class U>
    void when(bool selected, std::int64_t column, U const& value) {
        *columns = static_cast<I>(column);
        *values = static_cast<T>(value);
        columns += selected ? 1 : 0;
        values += selected ? 1 : 0;
    }
};

template <class Rows>
struct count_row {
    Rows rows;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD std::int64_t operator()(std::int64_t i) const {
        count_emitted emit;
        rows.emit_row(i, emit);
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
        write_emitted<T, I> emit{columns + offsets[i], columns + offsets[i + 1],
                                 values ? values + offsets[i] : nullptr};
        rows.emit_row(i, emit);
    }
};

/// Returns the number of rows for a task of the host, so that a task has enough entries.
inline std::int64_t rows_at_a_time(std::int64_t rows, std::int64_t entries) {
    return std::max<std::int64_t>(rows / std::max<std::int64_t>((rows + entries) / (2 * host_block), 1), 1);
}

/// Calls work(i) for all rows. The work of a row is proportional to its entries, `entries` in total: on the host a task
/// consists of enough rows.
template <class Work>
void for_each_row(host_executor const& exec, std::int64_t rows, std::int64_t entries, Work const& work) {
    for_each_block(exec, rows, rows_at_a_time(rows, entries), [&](std::int64_t, std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) work(i);
    });
}
template <class Work>
void for_each_row(cuda_executor const& exec, std::int64_t rows, std::int64_t, Work const& work) {
    for_each(exec, rows, work);
}

/// Builds a matrix on the host without a counting pass, for rows with an upper bound bound(i) of their entries. A block
/// of rows is computed in memory of its worker, which stays in the cache, and then copied after the blocks before it.
/// Address space is reserved for the sum of all bounds; memory is used for the actual entries only. Returns false if
/// there is not enough address space.
template <class T, class I, class O, class Rows>
bool build_bounded_rows(host_executor const& exec, std::int64_t n, Rows const& rows,
                        typename csr<T, I, O>::arrays& to) {
    std::int64_t const max_entries = rows.max_entries();
    if (!exec.memory()->can_shrink() || !std::in_range<O>(max_entries)) return false;
    try {
        to.indices = buffer<I>(exec, max_entries);
        to.values = buffer<T>(exec, max_entries);
    } catch (memory_error const&) {
        return false;
    }
    to.offsets = buffer<O>(exec, n + 1);
    to.offsets[0] = 0;
    struct worker {
        buffer<I> columns{};
        buffer<T> values{};
    };
    std::int64_t const block = rows_at_a_time(n, rows.work());
    pages_ahead const of_indices(exec, to.indices), of_values(exec, to.values);
    std::int64_t const total = find_in_order(
        exec, (n + block - 1) / block, [] { return worker{}; },
        [&](worker& w, std::int64_t p) {
            std::int64_t const first = p * block, last = std::min(n, first + block);
            std::int64_t capacity = 1;
            for (std::int64_t i = first; i < last; ++i) capacity += rows.bound(i);
            if (w.columns.size() < capacity) w = {buffer<I>(exec, 2 * capacity), buffer<T>(exec, 2 * capacity)};
            append_emitted<T, I> emit{w.columns.data(), w.values.data()};
            for (std::int64_t i = first; i < last; ++i) {
                rows.emit_row(i, emit);
                to.offsets[i + 1] = static_cast<O>(emit.columns - w.columns.data());
            }
            return static_cast<std::int64_t>(emit.columns - w.columns.data());
        },
        [&](worker& w, std::int64_t p, std::int64_t start) {
            std::int64_t const first = p * block, last = std::min(n, first + block);
            std::int64_t const size = to.offsets[last];
            for (std::int64_t i = first; i < last; ++i) to.offsets[i + 1] = static_cast<O>(to.offsets[i + 1] + start);
            of_indices.before(start, start + size);
            of_values.before(start, start + size);
            std::copy_n(w.columns.data(), size, to.indices.data() + start);
            std::copy_n(w.values.data(), size, to.values.data() + start);
        });
    to.indices.shrink(total);
    to.values.shrink(total);
    return true;
}

/// Builds a CSR matrix. rows.emit_row(i, emit) emits the entries of row i in their order, by emit(column, value) or by
/// emit.when(selected, column, value). Optionally rows.work() returns how many entries are inspected in total. Without
/// `with_values` values are omitted. Throws overflow_error before memory is allocated if the number of entries does not
/// fit an O. On the host, rows with bound(i) and max_entries(), the sum of the bounds, are computed once; others are
/// computed twice.
template <class T, class I, class O, executor Executor, class Rows>
typename csr<T, I, O>::arrays build_row_arrays(Executor const& exec, std::int64_t n, Rows const& rows,
                                               bool with_values) {
    if constexpr (std::is_same_v<Executor, host_executor> && requires { rows.bound(std::int64_t{}); }) {
        typename csr<T, I, O>::arrays found;
        if (with_values && build_bounded_rows<T, I, O>(exec, n, rows, found)) return found;
    }
    std::int64_t work = 0; // number of entries that rows inspect, if known
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

/// Builds the rows x columns matrix of such rows.
template <class T, class I, class O, executor Executor, class Rows>
csr<T, I, O> build_rows(Executor const& exec, I row_count, I column_count, Rows const& rows) {
    auto arrays = build_row_arrays<T, I, O>(exec, row_count, rows, true);
    return {row_count, column_count, std::move(arrays.offsets), std::move(arrays.indices), std::move(arrays.values)};
}

/// Builds a matrix with sorted rows if emit_row may emit the columns of a row in any order.
template <class T, class I, class O, executor Executor, class Rows>
csr<T, I, O> build_sorted_rows(Executor const& exec, I row_count, I column_count, Rows const& rows) {
    auto made = build_rows<T, I, O>(exec, row_count, column_count, rows);
    auto arrays = std::move(made).release();
    return sort_rows(exec, row_count, column_count, std::move(arrays.offsets), std::move(arrays.indices),
                     std::move(arrays.values));
}

} // namespace coppice::inline v0_1::detail
