// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Element-wise operations on sparse matrices: ewise_add, ewise_mult, ewise_union, apply, select, reduce.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <coppice/semiring/matrix_operations/masked_update.hpp>
#include <coppice/semiring/reduce_rows/srcsr_host_fold.hpp>

namespace coppice::inline v0_1 {
namespace detail {

template <class A, class B, class I, class O>
void require_same_shape(csr_view<A, I, O> a, csr_view<B, I, O> b) {
    require_size("rows of the second matrix", b.rows(), a.rows());
    require_size("columns of the second matrix", b.columns(), a.columns());
}

/// Result type of an operator on two elements: op(a, b) or op(a, b, index).
template <class Op, class A, class B>
using operator_result_t = std::remove_cvref_t<decltype(apply(std::declval<Op const&>(), std::declval<A const&>(),
                                                             std::declval<B const&>(), element_positions{}))>;

/// Merges matrices whose columns are known to be sorted.
template <executor Executor, class Op, class A, class B, class I, class O, class Single>
auto merge_sorted(Executor const& exec, Op const& op, csr_view<A, I, O> a, csr_view<B, I, O> b, Single const& single) {
    require_same_shape(a, b);
    using Z = operator_result_t<Op, A, B>;
    return build_rows<Z, I, O>(exec, a.rows(), a.columns(), merged_rows<A, B, I, O, Op, Single>{a, b, op, single});
}
template <executor Executor, class Op, class A, class B, class I, class O, class Single>
auto merge(Executor const& exec, Op const& op, csr_view<A, I, O> a, csr_view<B, I, O> b, Single const& single) {
    require_same_shape(a, b);
    require_arrays(a);
    require_arrays(b);
    require_sorted_columns(exec, a, "first matrix of an element-wise operation");
    require_sorted_columns(exec, b, "second matrix of an element-wise operation");
    return merge_sorted(exec, op, a, b, single);
}

/// Returns f(a), or f(a, i, j).
COPPICE_NO_EXEC_CHECK
template <class F, class A>
COPPICE_HD constexpr auto apply_at_position(F const& f, A const& a, std::int64_t i, std::int64_t j) {
    require_wide_operator<F, A>();
    if constexpr (std::is_invocable_v<F const&, A const&, std::int64_t, std::int64_t>) {
        static_assert(takes_index_v<F, 1, 2>, "an operator of three parameters is called with a value, its row and its "
                                              "column: the second and the third are integers");
        return f(a, i, j);
    } else {
        return f(a);
    }
}

template <class A, class I, class O, class F, class Z>
struct apply_to_row {
    csr_view<A, I, O> a;
    F f;
    Z* values;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t i) const {
        for (O k = a.row_begin(i); k < a.row_end(i); ++k)
            values[k] = apply_at_position(f, a.coefficients[k], i, std::int64_t(a.indices[k]));
    }
};

template <class A, class F, class Z>
struct apply_to_entry {
    A const* from;
    F f;
    Z* values;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t k) const { values[k] = f(from[k]); }
};

template <class A, class I, class O, class Keep>
struct selected_rows {
    csr_view<A, I, O> a;
    Keep keep;
    std::int64_t work() const { return a.nonzeros(); }
    std::int64_t max_entries() const { return a.nonzeros(); }
    COPPICE_HD std::int64_t bound(std::int64_t i) const { return std::int64_t(a.row_end(i) - a.row_begin(i)); }
    COPPICE_NO_EXEC_CHECK
    template <class Emit>
    COPPICE_HD void emit_row(std::int64_t i, Emit& emit) const {
        for (O k = a.row_begin(i); k < a.row_end(i); ++k)
            emit.when(bool(apply_at_position(keep, a.coefficients[k], i, std::int64_t(a.indices[k]))),
                      std::int64_t(a.indices[k]), a.coefficients[k]);
    }
};

template <class A, class I, class O, class Add>
struct fold_row {
    csr_view<A, I, O> a;
    Add add;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD auto operator()(std::int64_t i) const {
        auto sum = add.identity();
        for (O k = a.row_begin(i); k < a.row_end(i) && !is_terminal(add, sum); ++k)
            sum = accumulate(add, sum, a.coefficients[k]);
        return sum;
    }
};
template <class A, class Add>
struct element_as_sum {
    A const* values;
    Add add;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD auto operator()(std::int64_t k) const { return accumulate(add, add.identity(), values[k]); }
};
template <class O, class Rows, class Z>
struct store_row_fold {
    Rows fold;
    O const* offsets;
    Z* values;
    std::int8_t* present;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t i) const {
        present[i] = offsets[i] < offsets[i + 1] ? 1 : 0;
        values[i] = static_cast<Z>(result_of(fold.add, fold(i)));
    }
};

template <class A>
struct value_of_entry {
    A const* values;
    A const& operator()(std::int64_t k) const { return values[k]; }
};
/// Folds row i by fold(first, last, row), where [first, last) are its entries; for store_row_fold.
template <class Fold, class O, class Add>
struct fold_entries {
    Fold fold;
    O const* offsets;
    Add add;
    auto operator()(std::int64_t i) const { return fold(std::int64_t(offsets[i]), std::int64_t(offsets[i + 1]), i); }
};
/// Stores the folds of all rows. If row lengths vary, the host avoids mispredicted branches at row ends (fold_ahead).
template <class A, class I, class O, class Add, class Z>
void store_row_folds(host_executor const& exec, store_row_fold<O, fold_row<A, I, O, Add>, Z> const& to) {
    auto const& a = to.fold.a;
    auto const& add = to.fold.add;
    using ahead = fold_ahead<value_of_entry<A>, Add>;
    auto const row_end = [offsets = to.offsets](std::int64_t i) { return std::int64_t(offsets[i + 1]); };
    for_each_block(exec, a.rows(), rows_at_a_time(a.rows(), a.nonzeros()),
                   [&](std::int64_t, std::int64_t first, std::int64_t last) {
                       if constexpr (ahead::fits)
                           if (row_end(last - 1) + ahead::reach <= std::int64_t(a.nonzeros()) &&
                               lengths_vary(row_end, first, last)) {
                               using fold = fold_entries<ahead, O, Add>;
                               store_row_fold<O, fold, Z> const each{
                                   {{{a.coefficients}, add}, to.offsets, add}, to.offsets, to.values, to.present};
                               for (std::int64_t i = first; i < last; ++i) each(i);
                               return;
                           }
                       for (std::int64_t i = first; i < last; ++i) to(i);
                   });
}
template <class O, class Rows, class Z>
void store_row_folds(cuda_executor const& exec, store_row_fold<O, Rows, Z> const& to) {
    for_each(exec, to.fold.a.rows(), to);
}

} // namespace detail

/// Computes A ⊕ B: the entries of both, combined by `op` where both have one (GrB_eWiseAdd). An entry of only one
/// matrix is converted to the result type of `op`. Operators are those of semirings; an operator of three arguments
/// also receives the column. Here and below, matrices have the same shape (dimension_error) and columns sorted without
/// duplicates (matrix_error).
template <executor Executor, class Op, class A, class B, class I, class O>
auto ewise_add(Executor const& exec, Op const& op, csr_view<A, I, O> a, csr_view<B, I, O> b) {
    return detail::merge(exec, op, a, b, detail::keep_single{});
}

/// Computes A ⊗ B: entries where both have one (GrB_eWiseMult).
template <executor Executor, class Op, class A, class B, class I, class O>
auto ewise_mult(Executor const& exec, Op const& op, csr_view<A, I, O> a, csr_view<B, I, O> b) {
    return detail::merge(exec, op, a, b, detail::drop_single{});
}

/// Computes A ⊕ B; `missing_a`, `missing_b` replace the value of an entry that only the other matrix has
/// (GxB_eWiseUnion).
template <executor Executor, class Op, class A, class B, class I, class O>
auto ewise_union(Executor const& exec, Op const& op, csr_view<A, I, O> a, std::type_identity_t<A> missing_a,
                 csr_view<B, I, O> b, std::type_identity_t<B> missing_b) {
    return detail::merge(exec, op, a, b, detail::fill_single<A, B>{missing_a, missing_b});
}

/// Computes f(a_ij) or f(a_ij, i, j) for every entry (GrB_apply: unary, index-unary, and binary with one operand
/// bound). Columns may be unsorted.
template <executor Executor, class F, class A, class I, class O>
auto apply(Executor const& exec, F const& f, csr_view<A, I, O> a) {
    require_arrays(a);
    using Z = std::remove_cvref_t<decltype(detail::apply_at_position(f, std::declval<A const&>(), std::int64_t{},
                                                                     std::int64_t{}))>;
    buffer<Z> values(exec, std::int64_t(a.nonzeros()));
    if constexpr (std::is_invocable_v<F const&, A const&, std::int64_t, std::int64_t>)
        detail::for_each_row(exec, a.rows(), a.nonzeros(), detail::apply_to_row<A, I, O, F, Z>{a, f, values.data()});
    else
        for_each(exec, a.nonzeros(), detail::apply_to_entry<A, F, Z>{a.coefficients, f, values.data()});
    return csr<Z, I, O>(a.rows(), a.columns(), copy_of(exec, a.row_offsets()), copy_of(exec, a.column_indices()),
                        std::move(values));
}

/// Returns the entries with keep(a_ij) or keep(a_ij, i, j) (GrB_select).
template <executor Executor, class Keep, class A, class I, class O>
csr<A, I, O> select_entries(Executor const& exec, Keep const& keep, csr_view<A, I, O> a) {
    require_arrays(a);
    return detail::build_rows<A, I, O>(exec, a.rows(), a.columns(), detail::selected_rows<A, I, O, Keep>{a, keep});
}

/// Folds every row by a monoid, in the order of its columns; a row without entries gives no entry (GrB_reduce to a
/// vector).
template <executor Executor, adder Add, class A, class I, class O>
auto reduce_to_vector(Executor const& exec, Add const& add, csr_view<A, I, O> a) {
    require_arrays(a);
    using Z = std::remove_cvref_t<detail::result_t<Add>>;
    using fold = detail::fold_row<A, I, O, Add>;
    dense_vector<Z> w(buffer<Z>(exec, a.rows()), buffer<std::int8_t>(exec, a.rows()));
    detail::store_row_folds(
        exec, detail::store_row_fold<O, fold, Z>{{a, add}, a.offsets, w.values().data(), w.present().data()});
    return w;
}

/// Folds all entries by a commutative monoid (up to rounding); returns its identity if there are none (GrB_reduce to a
/// scalar). Waits.
template <executor Executor, adder Add, class A, class I, class O>
auto reduce_to_scalar(Executor const& exec, Add const& add, csr_view<A, I, O> a) {
    require_arrays(a);
    return detail::result_of(add, reduce(exec, std::int64_t(a.nonzeros()), add.identity(),
                                         detail::element_as_sum<A, Add>{a.coefficients, add}, add));
}

COPPICE_ACCEPT_OWNERS(ewise_add)
COPPICE_ACCEPT_OWNERS(ewise_mult)
COPPICE_ACCEPT_OWNERS(ewise_union)
COPPICE_ACCEPT_OWNERS(apply)
COPPICE_ACCEPT_OWNERS(select_entries)
COPPICE_ACCEPT_OWNERS(reduce_to_vector)
COPPICE_ACCEPT_OWNERS(reduce_to_scalar)

} // namespace coppice::inline v0_1
