// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Products with the transpose of a matrix.
#pragma once

#include <cstdint>

#include <coppice/algebra/operations.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>
#include <coppice/semiring/spmv/spmv.hpp>
#include <coppice/solvers/iterative/operators/csr_operator.hpp>
#include <coppice/solvers/iterative/vectors/elements.hpp>

namespace coppice::inline v0_1 {
namespace detail {

/// A^T with a plan for products; made at the first use after the values of A have changed.
template <executor Executor, class T, class I>
class transposed_matrix {
public:
    /// Call it if values of A change.
    void clear() { made_ = false; }

    /// Computes A^T x and calls store(row, sum). `a`: the same matrix at every call between two calls of clear().
    template <class Store>
    void multiply(Executor const& exec, csr_view<T, I> a, T const* x, Store const& store) {
        csr_view<T, I> const m = of(exec, a);
        reduce_rows(exec, plan_, along_nonzeros{multiply_stored<T, I, T>{x}, m.coefficients, m.indices}, add_plus<T>{},
                    store);
    }
    csr_view<T, I> of(Executor const& exec, csr_view<T, I> a) {
        if (!made_) {
            matrix_ = transpose(exec, a);
            plan_ = make_srcsr_plan(exec, matrix_.view());
            made_ = true;
        }
        return matrix_.view();
    }
    srcsr_plan<I> const& plan() const { return plan_; } ///< after of()

private:
    bool made_ = false;
    csr<T, I> matrix_{};
    srcsr_plan<I> plan_{};
};

template <class T>
struct store_value {
    T* y;
    COPPICE_HD void operator()(std::int64_t row, T const& sum) const { y[row] = sum; }
};

} // namespace detail

/// A csr_operator that also computes y = A^T x, for bicg. Borrows the operator. The first transposed product transposes
/// the matrix; later changes of coefficients have no effect on it. One thread at a time.
template <executor Executor, class T>
class transposable_csr {
public:
    using value_type = T;

    explicit transposable_csr(csr_operator<Executor, T> const& a) : a_(&a) {}

    std::int64_t size() const { return a_->size(); }
    void apply(Executor const& exec, array_view<T const> x, array_view<T> y) const { a_->apply(exec, x, y); }
    template <int Count>
    void apply_and_dot(Executor const& exec, array_view<T const> x, array_view<T> y, T const* left,
                       dot_value<T>* sums) const {
        a_->template apply_and_dot<Count>(exec, x, y, left, sums);
    }
    void apply_transpose(Executor const& exec, array_view<T const> x, array_view<T> y) const {
        using E = element_t<T>;
        transposed_.multiply(exec, detail::as_elements(a_->matrix()), detail::as_elements(x).data(),
                             detail::store_value<E>{detail::as_elements(y).data()});
    }

private:
    csr_operator<Executor, T> const* a_;
    mutable detail::transposed_matrix<Executor, element_t<T>, std::int32_t> transposed_{};
};

} // namespace coppice::inline v0_1
