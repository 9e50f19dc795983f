// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The operations of the sparse algebra over operators that Python selects, on every executor. Vectors are passed as
/// matrices: as rows of ranges of their indices, or as one column.
#pragma once

#include <optional>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/executor.hpp>
#include <coppice/semiring/operators/descriptor.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>

#include "dense_rows.hpp"
#include "operators.hpp"

namespace coppice::python {

/// How a result is written: mask, accumulator, replace.
template <class T>
struct writing {
    std::optional<csr_view<T>> mask;
    std::optional<chosen_operator> accumulator;
    descriptor how;
};

/// Indices in the memory of the executor; empty: all indices.
using index_list = std::optional<array_view<std::int32_t const>>;

template <executor Executor, class T>
struct sparse_operations {
    using matrix = csr<T>;
    using view = csr_view<T>;

    static matrix ewise_add(Executor const& exec, view a, view b, chosen_operator const& op);
    static matrix ewise_mult(Executor const& exec, view a, view b, chosen_operator const& op);
    static matrix ewise_union(Executor const& exec, view a, view b, chosen_operator const& op, T missing_a,
                              T missing_b);
    static matrix apply(Executor const& exec, view a, chosen_operator const& f, double scalar);
    /// op(operand, a_ij) if `first`, else op(a_ij, operand).
    static matrix apply_bound(Executor const& exec, view a, chosen_operator const& op, T operand, bool first);
    static matrix select(Executor const& exec, view a, chosen_operator const& keep, double scalar);
    static T reduce(Executor const& exec, view a, chosen_monoid const& add);
    /// One element per row; the identity for rows without entries.
    static buffer<T> reduce_rows(Executor const& exec, view a, chosen_monoid const& add);
    static matrix extract(Executor const& exec, view a, index_list const& rows, index_list const& columns);
    static matrix kronecker(Executor const& exec, view a, view b, chosen_operator const& op);
    /// C<mask, replace> = C ⊙ T
    static matrix update(Executor const& exec, view c, view t, writing<T> const& w);
    /// C<mask>(rows, columns) = C(rows, columns) ⊙ A; the mask has the shape of C.
    static matrix assign(Executor const& exec, view c, view a, index_list const& rows, index_list const& columns,
                         writing<T> const& w);
    static matrix assign_scalar(Executor const& exec, view c, T value, index_list const& rows,
                                index_list const& columns, writing<T> const& w);
    /// A B over a monoid and an operator, at the positions that the structure of the mask selects.
    static matrix multiply(Executor const& exec, view a, view b, chosen_monoid const& add, chosen_operator const& op,
                           std::optional<view> const& mask, bool complement);
    /// z_j = sum of a_ij y_i over the chosen entries (i, j), see row_extremes_host.hpp; on the host.
    static void add_chosen(Executor const& exec, view a, T const* y, std::int64_t width, std::int32_t const* chosen,
                           T* z);
    /// y_i = reduction over the entries of row i of a_ij x_j, for x[columns, width], y[rows, width]; zero for empty
    /// rows. Of equal products, max and min select the first; NaN if there is one. `from`: where max and min write the
    /// position of their entry, -1 for an empty row; may be null. `among` refers to elements of x: entry (i, j) counts
    /// for element c if it was chosen for (j, c); for sums in device memory.
    static void reduce_features(Executor const& exec, view a, T const* x, std::int64_t width, row_reduction how, T* y,
                                std::int32_t* from, chosen_entries among);
    /// reduce_features for width 1, sums or means, by a plan of the matrix.
    static void sum_single_features(Executor const& exec, srcsr_plan<std::int32_t> const& plan, view a, T const* x,
                                    bool mean, T* y);
    /// See sample_products.
    static void sample_products(Executor const& exec, view a, T const* u, T const* v, std::int64_t width, T* values,
                                std::int32_t const* chosen);
};

} // namespace coppice::python
