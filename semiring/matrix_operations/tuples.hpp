// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Conversion between tuples and matrices, based on ordered folds of values with equal keys.
#pragma once

#include <limits>
#include <string>

#include <coppice/algebra/coo.hpp>
#include <coppice/algebra/transform.hpp>
#include <coppice/semiring/matrix_operations/index_lists.hpp>
#include <coppice/semiring/matrix_operations/masked_update.hpp>
#include <coppice/semiring/spmv/dense_vector.hpp>

namespace coppice::inline v0_1 {
namespace detail {

template <class K>
struct begins_run {
    K const* keys;
    COPPICE_HD bool operator()(std::int64_t k) const { return k == 0 || keys[k] != keys[k - 1]; }
};
struct store_position {
    std::int64_t* to;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t k) const { to[position] = k; }
};

/// Folds the values of run r of equal keys, from the first on, in their original order.
template <class T, class Op>
struct fold_run {
    std::int64_t const* starts;
    std::int64_t const* order;
    T const* values;
    Op op;
    T* folded;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t r) const {
        T sum = values[order[starts[r]]];
        for (std::int64_t k = starts[r] + 1; k < starts[r + 1]; ++k)
            sum = static_cast<T>(apply(op, sum, values[order[k]], r));
        folded[r] = sum;
    }
};

/// Distinct sorted keys, and for each the ordered fold of its values by `op`.
template <class K, class T>
struct folded_runs {
    buffer<K> keys;
    buffer<T> values;
};
template <class K>
struct gather_key {
    K const* keys;
    std::int64_t const* starts;
    K* to;
    COPPICE_HD void operator()(std::int64_t r) const { to[r] = keys[starts[r]]; }
};
struct iota_element {
    std::int64_t* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = k; }
};

/// Sorts `keys` stably and folds the values of equal keys.
template <executor Executor, class K, class T, class Op>
folded_runs<K, T> fold_by_key(Executor const& exec, buffer<K> keys, array_view<T const> values, Op const& op) {
    std::int64_t const n = keys.size();
    buffer<std::int64_t> order(exec, n);
    for_each(exec, n, iota_element{order.data()});
    sort_by_key(exec, keys.view(), order.view());
    buffer<std::int64_t> starts(exec, n + 1);
    std::int64_t const runs = select(exec, n, begins_run<K>{keys.data()}, store_position{starts.data()});
    fill(exec, starts.view().slice(runs, 1), n);
    folded_runs<K, T> to{buffer<K>(exec, runs), buffer<T>(exec, runs)};
    for_each(exec, runs, gather_key<K>{keys.data(), starts.data(), to.keys.data()});
    for_each(exec, runs, fold_run<T, Op>{starts.data(), order.data(), values.data(), op, to.values.data()});
    return to;
}

template <class I>
struct tuple_outside {
    I const* rows;
    I const* columns;
    std::int64_t row_count, column_count, count;
    COPPICE_HD std::int64_t operator()(std::int64_t k) const {
        bool const inside = rows[k] >= 0 && rows[k] < row_count && columns[k] >= 0 && columns[k] < column_count;
        return inside ? count : k;
    }
};
template <class I>
struct tuple_key {
    I const* rows;
    I const* columns;
    std::int64_t width;
    std::int64_t* keys;
    COPPICE_HD void operator()(std::int64_t k) const { keys[k] = std::int64_t(rows[k]) * width + columns[k]; }
};
/// Whether tuple k in this order is the first of its position.
template <class I>
struct begins_position {
    I const* rows;
    I const* columns;
    std::int64_t const* order;
    COPPICE_HD bool operator()(std::int64_t k) const {
        return k == 0 || rows[order[k]] != rows[order[k - 1]] || columns[order[k]] != columns[order[k - 1]];
    }
};
template <class I>
struct gather_position {
    I const* rows;
    I const* columns;
    std::int64_t const* order;
    std::int64_t const* starts;
    I *to_rows, *to_columns;
    COPPICE_HD void operator()(std::int64_t r) const {
        to_rows[r] = rows[order[starts[r]]];
        to_columns[r] = columns[order[starts[r]]];
    }
};
template <class I>
struct offset_of_row {
    I const* rows; ///< row index of each entry, sorted
    std::int64_t count;
    I* offsets;
    COPPICE_HD void operator()(std::int64_t i) const { offsets[i] = static_cast<I>(lower_position(rows, 0, count, i)); }
};

/// Returns the order of the tuples by row and then column, stable within one position: one sort by a combined key if it
/// fits into 64 bits, otherwise two stable sorts, by column and then by row.
template <executor Executor, class I>
buffer<std::int64_t> order_of_tuples(Executor const& exec, I row_count, I column_count, array_view<I const> rows,
                                     array_view<I const> columns) {
    std::int64_t const n = rows.size();
    buffer<std::int64_t> order(exec, n);
    for_each(exec, n, iota_element{order.data()});
    if (row_count == 0 || column_count <= std::numeric_limits<std::int64_t>::max() / row_count) {
        buffer<std::int64_t> keys(exec, n);
        for_each(exec, n, tuple_key<I>{rows.data(), columns.data(), column_count, keys.data()});
        sort_by_key(exec, keys.view(), order.view());
    } else {
        buffer<I> keys = copy_of(exec, columns);
        sort_by_key(exec, keys.view(), order.view());
        for_each(exec, n, gather_at<I, std::int64_t>{rows.data(), order.data(), keys.data()});
        sort_by_key(exec, keys.view(), order.view());
    }
    return order;
}

/// Tuples in order, with those of one position folded.
template <class T, class I>
struct folded_tuples {
    buffer<I> rows, columns;
    buffer<T> values;
};
template <executor Executor, class T, class I, class Op>
folded_tuples<T, I> fold_tuples(Executor const& exec, buffer<std::int64_t> const& order, array_view<I const> rows,
                                array_view<I const> columns, array_view<T const> values, Op const& op) {
    std::int64_t const n = values.size();
    buffer<std::int64_t> starts(exec, n + 1);
    std::int64_t const runs =
        select(exec, n, begins_position<I>{rows.data(), columns.data(), order.data()}, store_position{starts.data()});
    fill(exec, starts.view().slice(runs, 1), n);
    folded_tuples<T, I> to{buffer<I>(exec, runs), buffer<I>(exec, runs), buffer<T>(exec, runs)};
    for_each(exec, runs,
             gather_position<I>{rows.data(), columns.data(), order.data(), starts.data(), to.rows.data(),
                                to.columns.data()});
    for_each(exec, runs, fold_run<T, Op>{starts.data(), order.data(), values.data(), op, to.values.data()});
    return to;
}

template <class T, class I, class O>
struct row_of_entry {
    csr_view<T, I, O> a;
    I* rows;
    COPPICE_HD void operator()(std::int64_t i) const {
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) rows[k] = I(i);
    }
};

} // namespace detail

namespace detail {
struct keep_first {
    template <class T>
    COPPICE_HD T operator()(T const& a, T const&) const {
        return a;
    }
};
} // namespace detail

/// Makes the matrix of the tuples (rows[k], columns[k], values[k]), in any order (GrB_Matrix_build). Tuples of one
/// position are folded by `duplicates` in the given order; with no_duplicates{} they are a matrix_error. Throws
/// argument_error for indices outside the matrix. Waits for sizes.
template <executor Executor, class T, class I, class Op>
csr<T, I> build(Executor const& exec, std::type_identity_t<I> row_count, std::type_identity_t<I> column_count,
                array_view<I const> rows, array_view<I const> columns, array_view<T const> values,
                Op const& duplicates) {
    std::int64_t const n = values.size();
    require_size("rows of the tuples", rows, n);
    require_size("columns of the tuples", columns, n);
    if (row_count < 0 || column_count < 0) throw argument_error("build: a matrix has no negative size");
    std::int64_t const bad =
        reduce(exec, n, n, detail::tuple_outside<I>{rows.data(), columns.data(), row_count, column_count, n},
               detail::smaller{});
    if (bad < n)
        throw argument_error("build: tuple " + std::to_string(bad) + " is at (" +
                             std::to_string(exec.load(rows.data() + bad)) + ", " +
                             std::to_string(exec.load(columns.data() + bad)) + "), outside of " +
                             std::to_string(row_count) + " x " + std::to_string(column_count));
    checked_cast<I>(n, "number of tuples");
    auto const order = detail::order_of_tuples(exec, row_count, column_count, rows, columns);
    constexpr bool refuses = std::is_same_v<Op, no_duplicates>;
    auto runs = [&] {
        if constexpr (refuses)
            return detail::fold_tuples(exec, order, rows, columns, values, detail::keep_first{});
        else
            return detail::fold_tuples(exec, order, rows, columns, values, duplicates);
    }();
    std::int64_t const entries = runs.values.size();
    if (refuses && entries < n)
        throw matrix_error("build: " + std::to_string(n - entries) + " of " + std::to_string(n) +
                           " tuples repeat a position, and there is no operator for duplicates");
    buffer<I> offsets(exec, std::int64_t(row_count) + 1);
    for_each(exec, offsets.size(), detail::offset_of_row<I>{runs.rows.data(), entries, offsets.data()});
    return {row_count, column_count, std::move(offsets), std::move(runs.columns), std::move(runs.values)};
}

/// Tuples of a matrix, row by row.
template <class T, class I>
struct tuples {
    buffer<I> rows;
    buffer<I> columns;
    buffer<T> values;
};

/// Returns the entries of A as tuples (GrB_Matrix_extractTuples), in storage order.
template <executor Executor, class T, class I, class O>
tuples<T, I> extract_tuples(Executor const& exec, csr_view<T, I, O> a) {
    require_arrays(a);
    buffer<I> rows(exec, std::int64_t(a.nonzeros()));
    for_each(exec, a.rows(), detail::row_of_entry<T, I, O>{a, rows.data()});
    return {std::move(rows), copy_of(exec, a.column_indices()), copy_of(exec, a.values())};
}

namespace detail {

template <class W, class T, class I, class Add>
struct merge_scattered {
    I const* keys;
    T const* values;
    dense_vector_view<W> w;
    Add add;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t r) const {
        I const at = keys[r];
        bool const has_entry = w.is_full() || w.present[at] != 0;
        w.values[at] = has_entry ? static_cast<W>(apply(add, w.values[at], values[r], at)) : static_cast<W>(values[r]);
        if (!w.is_full()) w.present[at] = 1;
    }
};

} // namespace detail

/// Computes w[index[k]] ⊕= u[k] for every k (not in GraphBLAS). Values with equal index are folded in ascending k, and
/// the result is added to the entry of w, so that the result is deterministic. ⊕ is associative and need not commute.
/// Throws argument_error for an index outside w, before anything is written. O(k log k).
template <executor Executor, class W, class T, class I, class Add>
void scatter(Executor const& exec, dense_vector_view<W> w, Add const& add, array_view<I const> index,
             array_view<T const> u) {
    std::int64_t const n = u.size();
    require_size("indices of scatter", index, n);
    detail::require_flags(w, "w");
    std::int64_t const bad =
        reduce(exec, n, n, detail::index_out_of_range<I>{index.data(), w.size(), n}, detail::smaller{});
    if (bad < n)
        throw argument_error("scatter: index " + std::to_string(bad) + " is " +
                             std::to_string(exec.load(index.data() + bad)) + ", expected 0 to " +
                             std::to_string(w.size() - 1));
    auto const runs = detail::fold_by_key(exec, copy_of(exec, index), u, add);
    for_each(exec, runs.keys.size(),
             detail::merge_scattered<W, T, I, Add>{runs.keys.data(), runs.values.data(), w, add});
}

} // namespace coppice::inline v0_1
