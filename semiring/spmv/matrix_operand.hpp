// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A matrix prepared for products from both sides: compressed rows of A and of its transpose, with their plans.
#pragma once

#include <utility>

#include <coppice/algebra/operations.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>

namespace coppice {

/// A as mxv and vxm take it. A product runs along compressed rows, so A u needs those of A, and u A those of its
/// transpose. Rows and plan of A are there from the start; the transpose is computed when asked for, or handed in.
///
/// Borrows the matrices that it is given and reads their values at every product; a transpose that it computed itself
/// is a copy of the values as they were. Move-only.
template <class T, class I = std::int32_t, class O = I>
class matrix_operand {
public:
    using value_type = T;
    using view_type = csr_view<T, I, O>;

    /// One side of the matrix: what a product runs along.
    struct side {
        view_type matrix;
        srcsr_plan<O> const& plan;
    };

    /// Borrows `a` and makes its plan. Columns of a row are distinct, since GraphBLAS has no duplicates; where they
    /// repeat, their products are added.
    template <executor Executor>
    matrix_operand(Executor const& exec, view_type a) : rows_(a), row_plan_(make_srcsr_plan(exec, a)) {
        require_arrays(a);
    }

    /// A matrix that dies before the operand cannot be borrowed.
    template <executor Executor>
    matrix_operand(Executor const&, csr<T, I, O>&&) = delete;

    /// Borrows `a` and its transpose, which may be `a` itself where A is symmetric. Throws dimension_error where the
    /// shapes disagree; that the one is the transpose of the other is not checked.
    template <executor Executor>
    matrix_operand(Executor const& exec, view_type a, view_type a_transposed) : matrix_operand(exec, a) {
        require_size("rows of the transpose", a_transposed.rows(), a.columns());
        require_size("columns of the transpose", a_transposed.columns(), a.rows());
        require_size("nonzeros of the transpose", static_cast<std::int64_t>(a_transposed.nonzeros()),
                     static_cast<std::int64_t>(a.nonzeros()));
        set_transpose(exec, a_transposed);
    }

    /// Computes the transpose with its plan (algebra/operations.hpp, same executor as the matrix). Again: takes over
    /// the values that A has now.
    template <executor Executor>
    void prepare_transpose(Executor const& exec) {
        transposed_ = transpose(exec, rows_);
        set_transpose(exec, transposed_.view());
    }

    I rows() const { return rows_.rows(); }
    I columns() const { return rows_.columns(); }
    bool has_transpose() const { return has_transpose_; }

    /// The rows of A, or those of its transpose; argument_error where that was not prepared.
    side along(bool transposed) const {
        if (!transposed) return {rows_, row_plan_};
        if (!has_transpose_)
            throw argument_error("this product runs along the transpose of its matrix, which is not there: call "
                                 "prepare_transpose() first, or hand it to the matrix_operand");
        return {columns_, shares_plan_ ? row_plan_ : column_plan_};
    }

private:
    template <executor Executor>
    void set_transpose(Executor const& exec, view_type a_transposed) {
        columns_ = a_transposed;
        shares_plan_ = a_transposed.offsets == rows_.offsets;
        if (!shares_plan_) column_plan_ = make_srcsr_plan(exec, a_transposed);
        has_transpose_ = true;
    }

    view_type rows_{};
    view_type columns_{};
    srcsr_plan<O> row_plan_{};
    srcsr_plan<O> column_plan_{};
    csr<T, I, O> transposed_{};
    bool has_transpose_ = false;
    bool shares_plan_ = false;
};

template <executor Executor, class T, class I, class O>
matrix_operand(Executor const&, csr<T, I, O> const&) -> matrix_operand<T, I, O>;
template <executor Executor, class T, class I, class O>
matrix_operand(Executor const&, csr<T, I, O> const&, csr<T, I, O> const&) -> matrix_operand<T, I, O>;
template <executor Executor, class T, class I, class O>
matrix_operand(Executor const&, csr_view<T, I, O>) -> matrix_operand<T, I, O>;
template <executor Executor, class T, class I, class O>
matrix_operand(Executor const&, csr_view<T, I, O>, csr_view<T, I, O>) -> matrix_operand<T, I, O>;

} // namespace coppice
