// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// mxv and vxm over sparse vectors: push along the entries of u, or pull into every row of the result.
#pragma once

#include <coppice/semiring/matrix_operations/vector_operations.hpp>
#include <coppice/semiring/spgemm/product.hpp>
#include <coppice/semiring/spmv/mxv.hpp>

namespace coppice::inline v0_1 {
namespace detail {

/// Number of products of entry k of u: the length of its row.
template <class T, class I, class O>
struct pushed_products {
    csr_view<T, I, O> rows;
    I const* indices;
    COPPICE_HD std::int64_t operator()(std::int64_t k) const {
        return std::int64_t(rows.row_end(indices[k])) - std::int64_t(rows.row_begin(indices[k]));
    }
};

/// Computes product t and its column.
template <bool VectorFirst, class T, class U, class I, class O, class Semiring, class P>
struct push_product {
    csr_view<T, I, O> rows;
    list_view<U, I> u;
    Semiring s;
    std::int64_t const* starts;
    I* columns;
    P* products;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t t) const {
        std::int64_t const k = position_below(starts, u.entries() + 1, t);
        I const row = u.indices[k];
        O const q = static_cast<O>(rows.row_begin(row) + (t - starts[k]));
        columns[t] = rows.indices[q];
        products[t] = multiply_with_vector<VectorFirst>(s, rows.coefficients[q], u.values[k], columns[t], row);
    }
};

template <class I, class Mask>
struct begins_admitted_run {
    I const* columns;
    Mask mask;
    COPPICE_HD bool operator()(std::int64_t t) const {
        return (t == 0 || columns[t] != columns[t - 1]) && mask.admits(0, columns[t]);
    }
};

/// Folds the products of one column from the identity, in the order of the entries of u.
template <class I, class P, class Semiring, class Z>
struct fold_pushed {
    std::int64_t const* starts;
    std::int64_t const* order;
    I const* columns;
    P const* products;
    std::int64_t count;
    Semiring s;
    I* indices;
    Z* values;
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t r) const {
        std::int64_t t = starts[r];
        I const column = columns[t];
        auto sum = s.add.identity();
        for (; t < count && columns[t] == column && !is_terminal(s.add, sum); ++t)
            sum = accumulate(s.add, sum, products[order[t]]);
        indices[r] = column;
        values[r] = static_cast<Z>(result_of_sum(s, sum));
    }
};

/// Returns the entries of the product that the mask admits, computed from the entries of u; O(p log p) for p products,
/// independent of the length of the vectors.
template <bool VectorFirst, class Z, executor Executor, class Semiring, class T, class U, class I, class O, class Mask>
sparse_vector<Z, I> push(Executor const& exec, Semiring const& s, csr_view<T, I, O> rows, list_view<U, I> u,
                         buffer<std::int64_t> const& starts, std::int64_t count, Mask const& mask) {
    using P = std::remove_cvref_t<decltype(multiply_with_vector<VectorFirst>(
        s, std::declval<T const&>(), std::declval<U const&>(), std::int64_t{}, std::int64_t{}))>;
    buffer<I> columns(exec, count);
    buffer<P> products(exec, count);
    buffer<std::int64_t> order(exec, count), runs(exec, count);
    for_each(
        exec, count,
        push_product<VectorFirst, T, U, I, O, Semiring, P>{rows, u, s, starts.data(), columns.data(), products.data()});
    for_each(exec, count, iota_element{order.data()});
    sort_by_key(exec, columns.view(), order.view());
    std::int64_t const entries =
        select(exec, count, begins_admitted_run<I, Mask>{columns.data(), mask}, store_position{runs.data()});
    buffer<I> indices(exec, entries);
    buffer<Z> values(exec, entries);
    for_each(exec, entries,
             fold_pushed<I, P, Semiring, Z>{runs.data(), order.data(), columns.data(), products.data(), count, s,
                                            indices.data(), values.data()});
    return {exec, rows.columns(), std::move(indices), std::move(values)};
}

/// Whether a push with this many products is faster than a pull that reads every row: sorting a product costs about ten
/// times as much as folding one.
inline bool prefers_push(std::int64_t products, std::int64_t nonzeros, std::int64_t rows) {
    return products * 10 < nonzeros + rows;
}

/// Mask for the rows of a pull.
template <class Mask>
struct pulled_mask {
    Mask mask;
    COPPICE_HD bool admits(std::int64_t row) const { return mask.admits(0, row); }
};

/// Returns the entries of the product that the mask admits.
template <bool VectorFirst, class Z, executor Executor, class Semiring, class T, class I, class O, class U, class Mask>
sparse_vector<Z, I> multiply_sparse(Executor const& exec, Semiring const& s, matrix_operand<T, I, O> const& a,
                                    bool pull_along_transpose, sparse_vector<U, I> const& u, Mask const& mask) {
    bool const can_push = pull_along_transpose || a.has_transpose(),
               can_pull = !pull_along_transpose || a.has_transpose();
    if (can_push && (u.format() == vector_format::list || !can_pull)) {
        auto const rows = a.along(!pull_along_transpose).matrix;
        buffer<I> indices;
        buffer<U> values;
        auto const list = u.as_list(exec, indices, values);
        buffer<std::int64_t> starts(exec, list.entries() + 1);
        std::int64_t const products =
            exclusive_scan(exec, list.entries(), pushed_products<T, I, O>{rows, list.indices.data()},
                           store_offset<std::int64_t>{starts.data()}, std::int64_t{0});
        fill(exec, starts.view().slice(list.entries(), 1), products);
        if (!can_pull || prefers_push(products, std::int64_t(rows.nonzeros()), rows.columns()))
            return push<VectorFirst, Z>(exec, s, rows, list, starts, products, mask);
    }
    auto const rows_and_plan = a.along(pull_along_transpose);
    dense_vector<Z> t(exec, rows_and_plan.matrix.rows());
    auto const x = u.format() == vector_format::list ? u.to_dense(exec) : dense_vector<U>();
    dense_vector_view<U const> const input = u.format() == vector_format::list ? x.view() : u.dense();
    entry_writer<Z, no_accumulator> const write{t.values().data(), t.present().data(), {}};
    fill(exec, t.values().view(), late<Z>{}.value);
    multiply_rows<VectorFirst, !checks_mask_before_row_v<Executor>>(exec, rows_and_plan, pulled_mask<Mask>{mask}, s,
                                                                    input, write);
    return {exec, std::move(t)};
}

template <bool VectorFirst, executor Executor, class W, class Mask, class Accumulator, class Semiring, class T, class I,
          class O, class U>
void multiply_into(Executor const& exec, sparse_vector<W, I>& w, Mask const& mask, Accumulator const& accumulator,
                   Semiring const& s, matrix_operand<T, I, O> const& a, bool along_transpose,
                   sparse_vector<U, I> const& u, descriptor const& d) {
    using Z = semiring_result_t<Semiring, T, U>;
    require_wide_result<Semiring, Z, W>();
    require_size("length of w", w.size(), along_transpose ? a.columns() : a.rows());
    require_size("length of u", u.size(), along_transpose ? a.rows() : a.columns());
    require_length(mask, w.size());
    auto const reader = mask_of(mask, d);
    sparse_vector<Z, I> t = multiply_sparse<VectorFirst, Z>(exec, s, a, along_transpose, u, reader);
    bool const nothing_old = w.entries() == 0 || (d.replace && std::is_same_v<Accumulator, no_accumulator>);
    if constexpr (std::is_same_v<W, Z>) {
        if (nothing_old) { // the mask has already been applied
            w = std::move(t);
            return;
        }
    }
    write_vector(exec, w, reader, accumulator, t, d.replace, {});
}

} // namespace detail

/// w<mask> = w ⊙ (A ⊕.⊗ u), GrB_mxv over sparse vectors; semantics as for dense vectors
/// (include/coppice/graphblas.hpp). It runs as a push or as a pull, whichever is estimated to need less work. A push
/// along the entries of u costs O(p log p) for p products; mxv needs the transpose of A for it, vxm A itself. A pull
/// reads every row that the mask admits. If the matrix for one of them is missing, the other is used. Both fold sums in
/// ascending inner index; floating-point sums of long rows may differ between them in the last bits. The choice depends
/// only on the input. `w` may be u or the mask.
template <executor Executor, class W, class Mask, class Accumulator, semiring Semiring, class T, class I, class O,
          class U>
void mxv(Executor const& exec, sparse_vector<W, I>& w, Mask const& mask, Accumulator const& accumulator,
         Semiring const& s, matrix_operand<T, I, O> const& a, sparse_vector<U, I> const& u, descriptor const& d = {}) {
    detail::multiply_into<false>(exec, w, mask, accumulator, s, a, d.transpose0, u, d);
}

/// w<mask> = w ⊙ (u ⊕.⊗ A), GrB_vxm over sparse vectors; see mxv.
template <executor Executor, class W, class Mask, class Accumulator, semiring Semiring, class T, class I, class O,
          class U>
void vxm(Executor const& exec, sparse_vector<W, I>& w, Mask const& mask, Accumulator const& accumulator,
         Semiring const& s, sparse_vector<U, I> const& u, matrix_operand<T, I, O> const& a, descriptor const& d = {}) {
    detail::multiply_into<true>(exec, w, mask, accumulator, s, a, !d.transpose1, u, d);
}

} // namespace coppice::inline v0_1
