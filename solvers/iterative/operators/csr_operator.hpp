// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A CSR matrix as the operator of a Krylov method.
#pragma once

#include <string>

#include <coppice/core/one_user.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/solvers/iterative/vectors/product_and_dot.hpp>

namespace coppice::inline v0_1 {

/// Computes y = A x with a plan that is made once. Borrows the matrix, which must outlive the operator; changed
/// coefficients take effect at the next product. Offsets `O` may be wider than indices `I`. For one thread at a time:
/// apply_and_dot(), and on CUDA apply() of a complex matrix, throw argument_error if another thread executes them.
template <executor Executor, class T, class I = std::int32_t, class O = I>
class csr_operator {
public:
    using value_type = T;

    /// Throws dimension_error if the matrix is not square.
    csr_operator(Executor const& exec, csr_view<T, I, O> a);
    csr_operator(Executor const& exec, csr<T, I, O> const& a) : csr_operator(exec, a.view()) {}
    /// A temporary matrix would be destroyed before the first product
    csr_operator(Executor const&, csr<T, I, O> const&&) = delete;

    std::int64_t size() const { return a_.rows(); }
    csr_view<T, I, O> const& matrix() const { return a_; }
    srcsr_plan<O> const& plan() const { return plan_; }

    void apply(Executor const& exec, array_view<T const> x, array_view<T> y) const {
        if (workspace_.empty()) return spmv(exec, plan_, a_, x, y);
        auto const use = user_.enter("this csr_operator");
        spmv(exec, plan_, a_, x, y, spmv_scalar_t<T, T>(1), spmv_scalar_t<T, T>(0), workspace_.view());
    }
    /// Also computes sums[0] = left^H y and, if Count is 2, sums[1] = y^H y: spmv_and_dot().
    template <int Count>
    void apply_and_dot(Executor const& exec, array_view<T const> x, array_view<T> y, T const* left,
                       dot_value<T>* sums) const {
        auto const use = user_.enter("this csr_operator");
        spmv_and_dot<Count>(exec, plan_, a_, x, y, left, sums, slots_.data(), workspace_.view());
    }
    /// True: apply() queues the same work at every call, and neither allocates nor waits.
    bool replayable() const { return true; }

private:
    csr_view<T, I, O> a_;
    srcsr_plan<O> plan_;
    mutable buffer<hand_over_slot> slots_; ///< partial sums; empty between calls
    mutable buffer<std::byte> workspace_;  ///< workspace of the product, for rows that are split between blocks
    detail::one_user user_{};
};

template <executor Executor, class T, class I, class O>
csr_operator<Executor, T, I, O>::csr_operator(Executor const& exec, csr_view<T, I, O> a)
    : a_(require_square(a, "a linear system")), plan_(make_srcsr_plan(exec, a)),
      slots_(exec, spmv_and_dot_slots<T>(exec, plan_)), workspace_(exec, plan_.template workspace<element_t<T>>()) {
    fill(exec, slots_.view(), hand_over_slot{});
}

} // namespace coppice::inline v0_1
