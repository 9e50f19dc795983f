// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A matrix prepared for products from both sides: compressed sparse rows (CSR) of A and of its transpose, with plans.
#pragma once

#include <utility>

#include <coppice/algebra/operations.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>

namespace coppice::inline v0_1 {

/// Matrix argument of mxv and vxm. A product runs along compressed rows: A u needs the rows of A, u A those of the
/// transpose. Rows and plan of A exist from construction; the transpose is computed by prepare_transpose() or passed by
/// the caller.
///
/// Borrows the matrices passed to it and reads their values at every product. A transpose that it has computed is a
/// copy of the values at that time. Move-only.
template <class T, class I = std::int32_t, class O = I>
class matrix_operand {
public:
    using value_type = T;
    using view_type = csr_view<T, I, O>;

    /// Rows of the matrix or of its transpose, with their plan.
    struct orientation {
        view_type matrix;
        srcsr_plan<O> const& plan;
    };

    using side [[deprecated("renamed to orientation")]] = orientation;

    /// Borrows `a` and makes its plan. The columns of a row are distinct, since GraphBLAS has no duplicates; products
    /// of repeated columns are added.
    template <executor Executor>
    matrix_operand(Executor const& exec, view_type a) : rows_(a), row_plan_(make_srcsr_plan(exec, a)) {
        require_arrays(a);
    }

    /// A temporary matrix cannot be borrowed.
    template <executor Executor>
    matrix_operand(Executor const&, csr<T, I, O>&&) = delete;

    /// Borrows `a` and its transpose, which may be `a` itself if A is symmetric. Throws dimension_error if the shapes
    /// disagree. Whether the second matrix is the transpose of the first is not checked.
    template <executor Executor>
    matrix_operand(Executor const& exec, view_type a, view_type a_transposed) : matrix_operand(exec, a) {
        require_size("rows of the transpose", a_transposed.rows(), a.columns());
        require_size("columns of the transpose", a_transposed.columns(), a.rows());
        require_size("nonzeros of the transpose", static_cast<std::int64_t>(a_transposed.nonzeros()),
                     static_cast<std::int64_t>(a.nonzeros()));
        set_transpose(exec, a_transposed);
    }

    /// Computes the transpose and its plan (algebra/operations.hpp, on the executor of the matrix). A repeated call
    /// copies the current values of A.
    template <executor Executor>
    void prepare_transpose(Executor const& exec) {
        transposed_ = transpose(exec, rows_);
        set_transpose(exec, transposed_.view());
    }

    I rows() const { return rows_.rows(); }
    I columns() const { return rows_.columns(); }
    bool has_transpose() const { return has_transpose_; }

    /// Returns the rows of A, or those of its transpose. Throws argument_error if the transpose was not prepared.
    orientation along(bool transposed) const {
        if (!transposed) return {rows_, row_plan_};
        if (!has_transpose_)
            throw argument_error("this product runs along the transpose of its matrix, which was not prepared: call "
                                 "prepare_transpose() first, or pass it to the matrix_operand");
        return {columns_, has_common_plan_ ? row_plan_ : column_plan_};
    }

private:
    template <executor Executor>
    void set_transpose(Executor const& exec, view_type a_transposed) {
        columns_ = a_transposed;
        has_common_plan_ = a_transposed.offsets == rows_.offsets;
        if (!has_common_plan_) column_plan_ = make_srcsr_plan(exec, a_transposed);
        has_transpose_ = true;
    }

    view_type rows_{};
    view_type columns_{};
    srcsr_plan<O> row_plan_{};
    srcsr_plan<O> column_plan_{};
    csr<T, I, O> transposed_{};
    bool has_transpose_ = false;
    bool has_common_plan_ = false;
};

template <executor Executor, class T, class I, class O>
matrix_operand(Executor const&, csr<T, I, O> const&) -> matrix_operand<T, I, O>;
template <executor Executor, class T, class I, class O>
matrix_operand(Executor const&, csr<T, I, O> const&, csr<T, I, O> const&) -> matrix_operand<T, I, O>;
template <executor Executor, class T, class I, class O>
matrix_operand(Executor const&, csr_view<T, I, O>) -> matrix_operand<T, I, O>;
template <executor Executor, class T, class I, class O>
matrix_operand(Executor const&, csr_view<T, I, O>, csr_view<T, I, O>) -> matrix_operand<T, I, O>;

} // namespace coppice::inline v0_1
