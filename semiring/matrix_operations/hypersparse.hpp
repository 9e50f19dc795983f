// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Hypersparse matrices: most rows are empty. Only the nonempty rows are listed, so that memory and work depend on the
/// number of entries and not on the size, which is limited only by the index type.
///
/// Operations compress their arguments to the rows and columns that occur, run on compressed sparse row matrices, and
/// restore the original row and column indices.
#pragma once

#include <utility>

#include <coppice/semiring/matrix_operations/elementwise.hpp>
#include <coppice/semiring/matrix_operations/masked_update.hpp>
#include <coppice/semiring/matrix_operations/mxm.hpp>
#include <coppice/semiring/matrix_operations/sparse_vector.hpp>
#include <coppice/semiring/matrix_operations/tuples.hpp>

namespace coppice::inline v0_1 {

template <class T, class I, class O>
class hypersparse;

namespace detail {

/// Tag: list and rows are known to satisfy the invariants of a hypersparse matrix.
struct sound_rows {};

template <class O>
struct has_entries {
    O const* offsets;
    COPPICE_HD bool operator()(std::int64_t r) const { return offsets[r] < offsets[r + 1]; }
};
template <class O>
struct is_empty_row {
    has_entries<O> nonempty;
    COPPICE_HD std::int64_t operator()(std::int64_t r) const { return nonempty(r) ? 0 : 1; }
};
template <executor Executor, class T, class I, class O>
hypersparse<T, I, O> list_rows(Executor const& exec, I rows, I const* original_rows, csr<T, I, O>&& a);

} // namespace detail

/// Owns a rows x columns matrix of which only the listed rows have entries; move-only, in the memory space of its
/// executor. `entries` has one row for each listed row, in the same order, with columns sorted without duplicates.
template <class T, class I = std::int64_t, class O = I>
class hypersparse {
public:
    using value_type = T;

    hypersparse() = default;
    /// A matrix without entries.
    template <executor Executor>
    hypersparse(Executor const& exec, I rows, I columns)
        : rows_(rows), list_(exec, 0), entries_(detail::no_entries<T, I, O>(exec, I(0), columns)) {
        if (rows < 0) throw argument_error("matrix of negative size: " + std::to_string(rows) + " rows");
    }
    /// Takes over both arguments; row k of `entries` is row list[k] of the matrix. Listed rows without entries are
    /// removed. Throws matrix_error unless the list is sorted without duplicates in [0, rows) and so are the columns in
    /// every row; dimension_error if lengths disagree. On CUDA waits for the checks.
    template <executor Executor>
    hypersparse(Executor const& exec, I rows, buffer<I> list, csr<T, I, O> entries)
        : rows_(rows), list_(std::move(list)), entries_(std::move(entries)) {
        require_size("listed rows of a hypersparse matrix", entries_.rows(), list_.size());
        std::int64_t const n = list_.size();
        std::int64_t const bad =
            reduce(exec, n, n, detail::unsorted_index<I>{list_.data(), n, rows}, detail::smaller{});
        if (bad < n)
            throw matrix_error("rows of a hypersparse matrix: " + std::to_string(bad) +
                               " of the list is out of range, or not less than the next");
        detail::require_sorted_columns(exec, entries_.view(), "entries of a hypersparse matrix");
        std::int64_t const empty =
            reduce(exec, n, std::int64_t{0}, detail::is_empty_row<O>{{entries_.row_offsets().data()}}, plus{});
        if (empty > 0) *this = detail::list_rows(exec, rows, std::as_const(list_).data(), std::move(entries_));
    }
    hypersparse(detail::sound_rows, I rows, buffer<I> list, csr<T, I, O> entries)
        : rows_(rows), list_(std::move(list)), entries_(std::move(entries)) {}

    I rows() const { return rows_; }
    I columns() const { return entries_.columns(); }
    O nonzeros() const { return entries_.nonzeros(); }
    /// The indices of the rows that have entries, sorted.
    buffer<I> const& list() const { return list_; }
    /// The matrix without its empty rows, list().size() x columns(): row k is row list()[k] of the whole matrix.
    csr<T, I, O> const& entries() const { return entries_; }
    csr<T, I, O>& entries() { return entries_; } ///< for new values

    /// Result of release(): the arrays that list() and entries() referred to.
    struct arrays {
        buffer<I> list;
        csr<T, I, O> entries;
    };
    using parts [[deprecated("renamed to arrays")]] = arrays;
    arrays release() && { return {std::move(list_), std::move(entries_)}; }

    /// Copies the matrix from any memory space to that of `exec`.
    template <executor Executor>
    friend hypersparse copy_of(Executor const& exec, hypersparse const& a) {
        hypersparse to;
        to.rows_ = a.rows_;
        to.list_ = coppice::copy_of(exec, a.list_);
        to.entries_ = coppice::copy_of(exec, a.entries_);
        return to;
    }

private:
    I rows_ = 0;
    buffer<I> list_{};
    csr<T, I, O> entries_{};
};

namespace detail {

/// Appends row r to the list; `original_rows` maps r to its original index, null for the identity.
template <class I, class O>
struct list_row {
    I const* original_rows;
    O const* offsets;
    I* list;
    O* starts;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t r) const {
        list[position] = original_rows ? original_rows[r] : static_cast<I>(r);
        starts[position] = offsets[r];
    }
};

template <executor Executor, class T, class I, class O>
csr<T, I, O> copy_of_view(Executor const& exec, csr_view<T, I, O> a) {
    return {a.rows(), a.columns(), copy_of(exec, a.row_offsets()), copy_of(exec, a.column_indices()),
            copy_of(exec, a.values())};
}

/// Returns the nonempty rows of `a` as a matrix of `rows` rows: row r of `a` becomes row original_rows[r], or row r if
/// `original_rows` is null.
template <executor Executor, class T, class I, class O>
hypersparse<T, I, O> list_rows(Executor const& exec, I rows, I const* original_rows, csr<T, I, O>&& a) {
    std::int64_t const n = a.rows();
    I const columns = a.columns();
    O const nonzeros = a.nonzeros();
    auto arrays = std::move(a).release();
    buffer<I> list(exec, n);
    buffer<O> starts(exec, n + 1);
    std::int64_t const count = select(exec, n, has_entries<O>{arrays.offsets.data()},
                                      list_row<I, O>{original_rows, arrays.offsets.data(), list.data(), starts.data()});
    fill(exec, starts.view().slice(count, 1), nonzeros);
    csr<T, I, O> entries(checked_cast<I>(count, "rows that have entries"), columns,
                         copy_of(exec, starts.view().slice(0, count + 1)), std::move(arrays.indices),
                         std::move(arrays.values));
    return {sound_rows{}, rows, copy_of(exec, list.view().slice(0, count)), std::move(entries)};
}

/// Returns the distinct values of sorted keys.
template <executor Executor, class I>
buffer<I> distinct_of_sorted(Executor const& exec, buffer<I> const& keys) {
    std::int64_t const n = keys.size();
    buffer<std::int64_t> starts(exec, n);
    std::int64_t const count = select(exec, n, begins_run<I>{keys.data()}, store_position{starts.data()});
    buffer<I> distinct(exec, count);
    for_each(exec, count, gather_key<I>{keys.data(), starts.data(), distinct.data()});
    return distinct;
}
/// Returns the distinct keys, sorted.
template <executor Executor, class I>
buffer<I> distinct_of(Executor const& exec, buffer<I> keys) {
    buffer<std::int64_t> nothing(exec, keys.size());
    fill(exec, nothing.view(), std::int64_t{0});
    sort_by_key(exec, keys.view(), nothing.view());
    return distinct_of_sorted(exec, keys);
}
/// Merge of two sorted lists: writes key k of one list to its position in the merged list, after equal keys if
/// `is_second`.
template <class I>
struct merge_key {
    I const *from, *others;
    std::int64_t count;
    bool is_second;
    I* to;
    COPPICE_HD void operator()(std::int64_t k) const {
        std::int64_t const key = from[k];
        to[k + lower_position(others, 0, count, is_second ? key + 1 : key)] = from[k];
    }
};
/// Returns the union of two lists, each sorted without duplicates.
template <executor Executor, class I>
buffer<I> union_of(Executor const& exec, array_view<I const> a, array_view<I const> b) {
    buffer<I> all(exec, a.size() + b.size());
    for_each(exec, a.size(), merge_key<I>{a.data(), b.data(), b.size(), false, all.data()});
    for_each(exec, b.size(), merge_key<I>{b.data(), a.data(), a.size(), true, all.data()});
    return distinct_of_sorted(exec, all);
}

/// Throws argument_error unless a sorted list is in [0, bound).
template <executor Executor, class I>
void require_within(Executor const& exec, buffer<I> const& list, std::int64_t bound, char const* what) {
    if (list.empty()) return;
    std::int64_t const lowest = exec.load(list.data()), highest = exec.load(list.data() + list.size() - 1);
    if (lowest < 0 || highest >= bound)
        throw argument_error("build: a tuple is in " + std::string(what) + " " +
                             std::to_string(lowest < 0 ? lowest : highest) + ", expected 0 to " +
                             std::to_string(bound - 1));
}

/// Computes the offset of row r of a longer list.
template <class I, class O>
struct start_in_list {
    I const* list;
    O const* offsets;
    I const* longer;
    std::int64_t count, longer_count;
    O* starts;
    COPPICE_HD void operator()(std::int64_t r) const {
        starts[r] = offsets[r == longer_count ? count : lower_position(list, 0, count, std::int64_t(longer[r]))];
    }
};

/// View of a matrix with the rows of a longer list, which contains the rows of the matrix; rows that the matrix does
/// not list are empty. Borrows all arrays except the offsets.
template <class T, class I, class O>
class rows_of_list {
public:
    template <executor Executor>
    rows_of_list(Executor const& exec, hypersparse<T, I, O> const& a, buffer<I> const& longer)
        : starts_(exec, longer.size() + 1), view_(a.entries().view()) {
        for_each(exec, starts_.size(),
                 start_in_list<I, O>{a.list().data(), view_.offsets, longer.data(), a.list().size(), longer.size(),
                                     starts_.data()});
        view_.row_count = static_cast<I>(longer.size());
        view_.offsets = starts_.data();
    }
    csr_view<T, I, O> view() const { return view_; }

private:
    buffer<O> starts_;
    csr_view<T, I, O> view_;
};

/// Operator on listed rows that passes the original row index to f.
template <class F, class I>
struct with_original_row {
    F f;
    I const* original_rows;
    COPPICE_NO_EXEC_CHECK
    template <class A>
    COPPICE_HD auto operator()(A const& a, std::int64_t r, std::int64_t j) const {
        return apply_at_position(f, a, std::int64_t(original_rows[r]), j);
    }
};
template <class Op, class I>
struct op_with_original_row {
    static constexpr bool positional = true;
    Op op;
    I const* original_rows;
    COPPICE_NO_EXEC_CHECK
    template <class A, class B>
    COPPICE_HD auto operator()(A const& a, B const& b, element_positions const& at) const {
        std::int64_t const i = original_rows[at.first_row];
        return apply(op, a, b, element_positions{i, at.first_column, i, at.second_column});
    }
};

/// Semiring over compressed matrices that passes the original row and column indices to the operator.
template <class Semiring, class I>
struct semiring_with_original_indices {
    using add_type = std::remove_cvref_t<decltype(std::declval<Semiring const&>().add)>;
    static constexpr bool positional = true;
    add_type add;
    Semiring s;
    I const* rows;
    I const* inner;
    I const* columns; ///< null if columns are not compressed
    COPPICE_NO_EXEC_CHECK
    template <class A, class B>
    COPPICE_HD auto multiply(A const& a, B const& b, element_positions const& at) const {
        std::int64_t const k = inner[at.first_column];
        std::int64_t const j = columns ? std::int64_t(columns[at.second_column]) : at.second_column;
        return multiply_at(s, a, b, element_positions{rows[at.first_row], k, k, j});
    }
    COPPICE_NO_EXEC_CHECK
    template <class Sum>
    COPPICE_HD auto result(Sum const& sum) const {
        return s.result(sum);
    }
};

/// Entries of A whose column is in the list, with the position in the list as the new column.
template <class T, class I, class O>
struct columns_of_list {
    csr_view<T, I, O> a;
    I const* list;
    std::int64_t count;
    std::int64_t work() const { return a.nonzeros(); }
    template <class Emit>
    COPPICE_HD void emit_row(std::int64_t r, Emit& emit) const {
        for (O k = a.row_begin(r); k < a.row_end(r); ++k) {
            auto const position = position_between(list, std::int64_t{0}, count, std::int64_t(a.indices[k]));
            if (position >= 0) emit(position, a.coefficients[k]);
        }
    }
};
template <class I>
struct position_in_list {
    I const* keys;
    I const* list;
    std::int64_t count;
    I* to;
    COPPICE_HD void operator()(std::int64_t k) const {
        to[k] = static_cast<I>(lower_position(list, 0, count, std::int64_t(keys[k])));
    }
};
template <class I>
struct original_index {
    I const* list;
    I* keys;
    COPPICE_HD void operator()(std::int64_t k) const { keys[k] = list[keys[k]]; }
};

template <executor Executor, class Op, class A, class B, class I, class O, class Single>
auto merge(Executor const& exec, Op const& op, hypersparse<A, I, O> const& a, hypersparse<B, I, O> const& b,
           Single const& single) {
    require_size("rows of the second matrix", b.rows(), a.rows());
    auto const list = union_of(exec, a.list().view(), b.list().view());
    rows_of_list<A, I, O> const x(exec, a, list);
    rows_of_list<B, I, O> const y(exec, b, list);
    op_with_original_row<Op, I> const named{op, list.data()};
    return list_rows(exec, a.rows(), list.data(), merge_sorted(exec, named, x.view(), y.view(), single));
}

} // namespace detail

/// Converts a matrix of compressed rows to one that lists its nonempty rows.
template <executor Executor, class T, class I, class O>
hypersparse<T, I, O> to_hypersparse(Executor const& exec, csr_view<T, I, O> a) {
    require_arrays(a);
    detail::require_sorted_columns(exec, a, "matrix that becomes hypersparse");
    return detail::list_rows(exec, a.rows(), static_cast<I const*>(nullptr), detail::copy_of_view(exec, a));
}
/// Converts back to compressed rows, with an offset for every row.
template <executor Executor, class T, class I, class O>
csr<T, I, O> to_csr(Executor const& exec, hypersparse<T, I, O> const& a) {
    buffer<I> all(exec, a.rows());
    for_each(exec, all.size(), detail::count_up<I>{all.data()});
    detail::rows_of_list<T, I, O> const rows(exec, a, all);
    return detail::copy_of_view(exec, rows.view());
}

/// a ⊕ b, a ⊗ b and related operations: see those of csr. Operators receive the original row and column indices.
template <executor Executor, class Op, class A, class B, class I, class O>
auto ewise_add(Executor const& exec, Op const& op, hypersparse<A, I, O> const& a, hypersparse<B, I, O> const& b) {
    return detail::merge(exec, op, a, b, detail::keep_single{});
}
template <executor Executor, class Op, class A, class B, class I, class O>
auto ewise_mult(Executor const& exec, Op const& op, hypersparse<A, I, O> const& a, hypersparse<B, I, O> const& b) {
    return detail::merge(exec, op, a, b, detail::drop_single{});
}
template <executor Executor, class Op, class A, class B, class I, class O>
auto ewise_union(Executor const& exec, Op const& op, hypersparse<A, I, O> const& a, std::type_identity_t<A> missing_a,
                 hypersparse<B, I, O> const& b, std::type_identity_t<B> missing_b) {
    return detail::merge(exec, op, a, b, detail::fill_single<A, B>{missing_a, missing_b});
}

/// Computes f(a_ij) or f(a_ij, i, j) for every entry.
template <executor Executor, class F, class T, class I, class O>
auto apply(Executor const& exec, F const& f, hypersparse<T, I, O> const& a) {
    detail::with_original_row<F, I> const named{f, a.list().data()};
    return detail::list_rows(exec, a.rows(), a.list().data(), apply(exec, named, a.entries().view()));
}
/// Returns the entries with keep(a_ij) or keep(a_ij, i, j).
template <executor Executor, class Keep, class T, class I, class O>
hypersparse<T, I, O> select_entries(Executor const& exec, Keep const& keep, hypersparse<T, I, O> const& a) {
    detail::with_original_row<Keep, I> const named{keep, a.list().data()};
    return detail::list_rows(exec, a.rows(), a.list().data(), select_entries(exec, named, a.entries().view()));
}

/// Folds every nonempty row by a monoid; folds all entries.
template <executor Executor, adder Add, class T, class I, class O>
auto reduce_to_vector(Executor const& exec, Add const& add, hypersparse<T, I, O> const& a) {
    auto folded = reduce_to_vector(exec, add, a.entries().view());
    using Z = typename decltype(folded)::value_type;
    return sparse_vector<Z, I>(exec, a.rows(), copy_of(exec, a.list()), std::move(folded.values()));
}
template <executor Executor, adder Add, class T, class I, class O>
auto reduce_to_scalar(Executor const& exec, Add const& add, hypersparse<T, I, O> const& a) {
    return reduce_to_scalar(exec, add, a.entries().view());
}

/// Makes a matrix from tuples like build(). The sort key is the row, then the column; it cannot overflow for any size.
template <executor Executor, class T, class I, class Op>
hypersparse<T, I> build_hypersparse(Executor const& exec, std::type_identity_t<I> rows, std::type_identity_t<I> columns,
                                    array_view<I const> row_of, array_view<I const> column_of,
                                    array_view<T const> values, Op const& duplicates) {
    auto const list = detail::distinct_of(exec, copy_of(exec, row_of)),
               original_rows = detail::distinct_of(exec, copy_of(exec, column_of));
    detail::require_within(exec, list, rows, "row");
    detail::require_within(exec, original_rows, columns, "column");
    buffer<I> positions(exec, row_of.size()), at(exec, column_of.size());
    for_each(exec, positions.size(),
             detail::position_in_list<I>{row_of.data(), list.data(), list.size(), positions.data()});
    for_each(exec, at.size(),
             detail::position_in_list<I>{column_of.data(), original_rows.data(), original_rows.size(), at.data()});
    auto built = build(exec, static_cast<I>(list.size()), static_cast<I>(original_rows.size()),
                       array_view<I const>(positions.view()), array_view<I const>(at.view()), values, duplicates);
    auto arrays = std::move(built).release();
    for_each(exec, arrays.indices.size(), detail::original_index<I>{original_rows.data(), arrays.indices.data()});
    csr<T, I> entries(static_cast<I>(list.size()), columns, std::move(arrays.offsets), std::move(arrays.indices),
                      std::move(arrays.values));
    return detail::list_rows(exec, rows, list.data(), std::move(entries));
}

/// Returns the entries as tuples, row by row.
template <executor Executor, class T, class I, class O>
tuples<T, I> extract_tuples(Executor const& exec, hypersparse<T, I, O> const& a) {
    auto t = extract_tuples(exec, a.entries().view());
    for_each(exec, t.rows.size(), detail::original_index<I>{a.list().data(), t.rows.data()});
    return t;
}

namespace detail {

/// Stores the run of equal sorted keys that begins at k as a row.
template <class I, class O>
struct list_run {
    I const* keys;
    I* list;
    O* starts;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t k) const {
        list[position] = keys[k];
        starts[position] = static_cast<O>(k);
    }
};
/// Gathers entry k of the transpose from entry source[k]; its column is the original row index.
template <class T, class I, class O>
struct gather_transposed_entry {
    csr_view<T, I, O> a;
    I const* original_rows;
    O const* source;
    I* columns;
    T* values;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t k) const {
        std::int64_t const from = source[k];
        columns[k] = original_rows[lower_position(a.offsets, 0, std::int64_t(a.rows()) + 1, from + 1) - 1];
        values[k] = a.coefficients[from];
    }
};

} // namespace detail

/// Returns A^T by one stable sort of the columns, which preserves the order of rows within each column. Waits for the
/// number of rows of the result.
template <executor Executor, class T, class I, class O>
hypersparse<T, I, O> transpose(Executor const& exec, hypersparse<T, I, O> const& a) {
    auto const rows = a.entries().view();
    std::int64_t const nonzeros = rows.nonzeros();
    buffer<I> keys = copy_of(exec, rows.column_indices());
    buffer<O> source(exec, nonzeros);
    for_each(exec, nonzeros, detail::count_up<O>{source.data()});
    sort_by_key(exec, keys.view(), source.view());
    buffer<I> list(exec, nonzeros);
    buffer<O> starts(exec, nonzeros + 1);
    std::int64_t const count = select(exec, nonzeros, detail::begins_run<I>{keys.data()},
                                      detail::list_run<I, O>{keys.data(), list.data(), starts.data()});
    fill(exec, starts.view().slice(count, 1), rows.nonzeros());
    buffer<T> values(exec, nonzeros);
    buffer<I> columns(exec, nonzeros);
    for_each(
        exec, nonzeros,
        detail::gather_transposed_entry<T, I, O>{rows, a.list().data(), source.data(), columns.data(), values.data()});
    csr<T, I, O> entries(static_cast<I>(count), a.rows(), copy_of(exec, starts.view().slice(0, count + 1)),
                         std::move(columns), std::move(values));
    return {detail::sound_rows{}, a.columns(), copy_of(exec, list.view().slice(0, count)), std::move(entries)};
}

namespace detail {

/// Product of listed rows with a hypersparse matrix. Columns are compressed first if the method needs memory for every
/// column: always on the host, and on CUDA if there are more than 2^22 columns.
template <executor Executor, class Semiring, class A, class B, class I, class O>
auto product_with_hypersparse(Executor const& exec, Semiring const& s, csr_view<A, I, O> left, I const* left_rows,
                              hypersparse<B, I, O> const& b) {
    constexpr std::int64_t few_columns = std::is_same_v<Executor, host_executor> ? 0 : std::int64_t{1} << 22;
    auto right = b.entries().view();
    semiring_with_original_indices<Semiring, I> named{s.add, s, left_rows, b.list().data(), nullptr};
    if (b.columns() <= few_columns) return product_of_sorted(exec, named, left, right);
    auto const original_rows = distinct_of(exec, copy_of(exec, right.column_indices()));
    buffer<I> positions(exec, std::int64_t(right.nonzeros()));
    for_each(exec, positions.size(),
             position_in_list<I>{right.indices, original_rows.data(), original_rows.size(), positions.data()});
    named.columns = original_rows.data();
    right.indices = positions.data();
    right.column_count = static_cast<I>(original_rows.size());
    auto product = product_of_sorted(exec, named, left, right);
    I const rows = product.rows();
    auto arrays = std::move(product).release();
    for_each(exec, arrays.indices.size(), original_index<I>{original_rows.data(), arrays.indices.data()});
    return decltype(product)(rows, b.columns(), std::move(arrays.offsets), std::move(arrays.indices),
                             std::move(arrays.values));
}

} // namespace detail

/// Computes A B over a semiring; the cost depends only on the rows and columns that occur.
template <executor Executor, semiring Semiring, class A, class B, class I, class O>
auto mxm(Executor const& exec, Semiring const& s, hypersparse<A, I, O> const& a, hypersparse<B, I, O> const& b) {
    require_size("rows of the second matrix of a product", b.rows(), a.columns());
    auto const left = detail::build_rows<A, I, O>(
        exec, a.entries().rows(), static_cast<I>(b.list().size()),
        detail::columns_of_list<A, I, O>{a.entries().view(), b.list().data(), b.list().size()});
    return detail::list_rows(exec, a.rows(), a.list().data(),
                             detail::product_with_hypersparse(exec, s, left.view(), a.list().data(), b));
}

/// C<mask, replace> = C ⊙ T; see update() of csr. The mask is no_mask{} or a hypersparse matrix of the same shape.
template <executor Executor, class C, class T, class I, class O, class Mask, class Accumulator>
void update(Executor const& exec, hypersparse<C, I, O>& c, Mask const& mask, Accumulator const& accumulator,
            hypersparse<T, I, O> const& t, descriptor const& d = {}) {
    require_size("rows of the result", t.rows(), c.rows());
    require_size("columns of the result", t.columns(), c.columns());
    auto list = detail::union_of(exec, c.list().view(), t.list().view());
    auto const write = [&](auto const& reader) {
        detail::rows_of_list<C, I, O> const old(exec, c, list);
        detail::rows_of_list<T, I, O> const made(exec, t, list);
        auto written = detail::write_rows(exec, old.view(), reader, accumulator, made.view(), d.replace, {});
        c = detail::list_rows(exec, c.rows(), list.data(), std::move(written));
    };
    if constexpr (std::is_same_v<Mask, no_mask>) {
        write(detail::mask_of(mask, d));
    } else {
        require_size("rows of the mask", mask.rows(), c.rows());
        require_size("columns of the mask", mask.columns(), c.columns());
        list = detail::union_of(exec, array_view<I const>(list.view()), mask.list().view());
        detail::rows_of_list<typename Mask::value_type, I, O> const m(exec, mask, list);
        write(detail::mask_of(m.view(), d));
    }
}

} // namespace coppice::inline v0_1
