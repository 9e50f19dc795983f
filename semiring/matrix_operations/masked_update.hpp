// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Output of a GraphBLAS operation: mask, accumulator, replace.
#pragma once

#include <utility>

#include <coppice/algebra/rows/built_rows.hpp>
#include <coppice/semiring/matrix_operations/merged_rows.hpp>
#include <coppice/semiring/spgemm/product_plan.hpp>
#include <coppice/semiring/spgemm/row_masks.hpp>
#include <coppice/semiring/spmv/dense_vector.hpp>

namespace coppice::inline v0_1 {
namespace detail {

template <class C, executor Executor, class T, class I, class O, class Mask, class Accumulator>
csr<C, I, O> write_rows(Executor const& exec, csr_view<C, I, O> c, Mask const& mask, Accumulator const& accumulate,
                        T const& t, bool replace, region const& inside) {
    using rows = written_rows<C, T, I, O, Mask, Accumulator>;
    return build_rows<C, I, O>(exec, c.rows(), c.columns(), rows{c, t, mask, accumulate, replace, inside});
}

/// Returns an empty matrix whose view is valid in kernels: all rows have no entries.
template <class T, class I, class O, executor Executor>
csr<T, I, O> no_entries(Executor const& exec, I rows, I columns) {
    buffer<O> offsets(exec, std::int64_t(rows) + 1);
    fill(exec, offsets.view(), O(0));
    return {rows, columns, std::move(offsets), buffer<I>(exec, 0), buffer<T>(exec, 0)};
}

} // namespace detail

/// Returns an empty matrix of this size.
template <class T, executor Executor, class I>
csr<T, I> empty_matrix(Executor const& exec, I rows, I columns) {
    return detail::no_entries<T, I, I>(exec, rows, columns);
}

/// C<mask, replace> = C ⊙ T, the last step of every GraphBLAS operation. `t` is the result of an operation; mask,
/// accumulator and descriptor have the meaning of mxv (include/coppice/graphblas.hpp), and the mask is no_mask{} or a
/// matrix with the shape of C. `t`, mask and inputs may be C or share its arrays, since C is rebuilt. Throws
/// dimension_error if shapes disagree; C is then unchanged.
template <executor Executor, class C, class T, class I, class O, class Mask, class Accumulator>
void update(Executor const& exec, csr<C, I, O>& c, Mask const& mask, Accumulator const& accumulator,
            csr<T, I, O> const& t, descriptor const& d = {}) {
    auto const m = detail::view_of_mask(mask);
    require_size("rows of the result", t.rows(), c.rows());
    require_size("columns of the result", t.columns(), c.columns());
    detail::require_shape(m, c.rows(), c.columns());
    c = detail::write_rows(exec, c.view(), detail::mask_of(m, d), accumulator, t.view(), d.replace, {});
}

} // namespace coppice::inline v0_1
