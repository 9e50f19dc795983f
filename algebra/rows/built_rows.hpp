// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Matrices from lanes that visit the entries of a row: counted first, then written where they belong.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <coppice/algebra/operations.hpp>
#include <coppice/algebra/rows/row_blocks_host.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::detail {

struct count_emitted {
    std::int64_t entries = 0;
    template <class T>
    COPPICE_HD void operator()(std::int64_t, T const&) {
        ++entries;
    }
    /// An entry where `selected`, without a branch, which could not be foretold.
    template <class T>
    COPPICE_HD void when(bool selected, std::int64_t, T const&) {
        entries += selected ? 1 : 0;
    }
};

template <class T, class I>
struct write_emitted {
    I* columns;
    I const* last; ///< where the columns of the row end
    T* values;     ///< null: columns alone
    template <class U>
    COPPICE_HD void operator()(std::int64_t column, U const& value) {
        *columns++ = static_cast<I>(column);
        if (values) *values++ = static_cast<T>(value);
    }
    /// On the host every entry is written, and the next one over it unless it was selected: jumps would cost more. Not
    /// beyond the row, whose neighbour another thread may have written.
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

/// Writes entries where there is capacity for one more than there are.
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

/// Rows of at least so many entries at a time are worth a worker's while.
inline std::int64_t rows_at_a_time(std::int64_t rows, std::int64_t entries) {
    return std::max<std::int64_t>(rows / std::max<std::int64_t>((rows + entries) / (2 * host_block), 1), 1);
}

/// work(i) for all rows, whose work is that of their entries, some `entries` in all: on the host a worker takes as many
/// rows at a time as have enough of them.
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

/// The same matrix on the host without counting first, for rows that bound(i) their entries: a block of them is found
/// in memory of its worker, which stays in cache, and put behind the blocks before it. There is address space for all
/// bounds together, memory for what there is. False where there is none.
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
            std::copy_n(w.columns.data(), size, to.indices.data() + start);
            std::copy_n(w.values.data(), size, to.values.data() + start);
        });
    to.indices.shrink(total);
    to.values.shrink(total);
    return true;
}

/// Row i of a matrix is what rows.emit_row(i, emit) hands to emit(column, value), in that order, or to emit.when(selected,
/// column, value) where `selected`; rows.work(), if it is there, says how many entries that looks at. Without values they
/// are left out. Throws overflow_error before memory is asked for where the entries do not fit an O. Rows that bound(i)
/// how many entries they have, max_entries() together, are visited once on the host, others twice.
template <class T, class I, class O, executor Executor, class Rows>
typename csr<T, I, O>::arrays build_row_arrays(Executor const& exec, std::int64_t n, Rows const& rows,
                                              bool with_values) {
    if constexpr (std::is_same_v<Executor, host_executor> && requires { rows.bound(std::int64_t{}); }) {
        typename csr<T, I, O>::arrays found;
        if (with_values && build_bounded_rows<T, I, O>(exec, n, rows, found)) return found;
    }
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
    auto arrays = build_row_arrays<T, I, O>(exec, row_count, rows, true);
    return {row_count, column_count, std::move(arrays.offsets), std::move(arrays.indices), std::move(arrays.values)};
}

/// The same where a row may be visited in any order of its columns.
template <class T, class I, class O, executor Executor, class Rows>
csr<T, I, O> build_sorted_rows(Executor const& exec, I row_count, I column_count, Rows const& rows) {
    auto made = build_rows<T, I, O>(exec, row_count, column_count, rows);
    auto arrays = std::move(made).release();
    return sort_rows(exec, row_count, column_count, std::move(arrays.offsets), std::move(arrays.indices),
                     std::move(arrays.values));
}

} // namespace coppice::detail
