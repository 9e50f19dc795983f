// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The product of two matrices as GraphBLAS has it, and products of three.
#pragma once

#include <coppice/semiring/matrix_operations/masked_update.hpp>
#include <coppice/semiring/spgemm/product.hpp>
#include <coppice/semiring/spmv/matrix_operand.hpp>

namespace coppice {
namespace detail {

/// The matrix, or its transpose, which this keeps.
template <class T, class I, class O>
class maybe_transposed {
public:
    template <executor Executor>
    maybe_transposed(Executor const& exec, csr_view<T, I, O> a, bool transposed) : view_(a) {
        if (!transposed) return;
        own_ = transpose(exec, a);
        view_ = own_.view();
    }
    csr_view<T, I, O> view() const { return view_; }

private:
    csr<T, I, O> own_;
    csr_view<T, I, O> view_;
};

} // namespace detail

/// C<mask> = C ⊙ (A ⊕.⊗ B) (GrB_mxm); with d.transpose0, d.transpose1 the transposes stand for A and B, made for the
/// call. Only what the mask admits is computed. C may be given as A, B or mask as well: it is made anew.
template <executor Executor, class C, class Mask, class Accumulator, semiring Semiring, class A, class B, class I,
          class O>
void mxm(Executor const& exec, csr<C, I, O>& c, Mask const& mask, Accumulator const& accumulator, Semiring const& s,
         csr_view<A, I, O> a, csr_view<B, I, O> b, descriptor const& d = {}) {
    detail::require_wide_result<Semiring, detail::semiring_result_t<Semiring, A, B>, C>();
    detail::maybe_transposed<A, I, O> const left(exec, a, d.transpose0);
    detail::maybe_transposed<B, I, O> const right(exec, b, d.transpose1);
    detail::require_product(left.view(), right.view());
    require_size("rows of the product", c.rows(), left.view().rows());
    require_size("columns of the product", c.columns(), right.view().columns());
    auto const m = detail::view_of_mask(mask);
    if constexpr (std::is_same_v<std::remove_const_t<decltype(m)>, no_mask>) {
        auto const product = mxm(exec, s, left.view(), right.view());
        update(exec, c, m, accumulator, product, d);
    } else {
        update(exec, c, m, accumulator, masked_mxm(exec, s, left.view(), right.view(), m, d), d);
    }
}

namespace detail {

/// The side of an operand that stands for the matrix or for its transpose; a view has one side.
template <class T, class I, class O>
csr_view<T, I, O> side_of(matrix_operand<T, I, O> const& a, bool& transposed) {
    return a.along(std::exchange(transposed, false)).matrix;
}
template <class T, class I, class O>
csr_view<T, I, O> side_of(csr_view<T, I, O> a, bool&) {
    return a;
}
template <class Operand>
inline constexpr bool is_matrix_operand_v = false;
template <class T, class I, class O>
inline constexpr bool is_matrix_operand_v<matrix_operand<T, I, O>> = true;

} // namespace detail

/// The same where A, B or both are operands that keep their transposes: those serve for d.transpose0 and d.transpose1,
/// argument_error where they have not been prepared.
template <executor Executor, class C, class I, class O, class Mask, class Accumulator, semiring Semiring, class A,
          class B>
requires(detail::is_matrix_operand_v<A> ||
         detail::is_matrix_operand_v<B>) void mxm(Executor const& exec, csr<C, I, O>& c, Mask const& mask,
                                                  Accumulator const& accumulator, Semiring const& s, A const& a,
                                                  B const& b, descriptor d = {}) {
    auto const left = detail::side_of(a, d.transpose0);
    auto const right = detail::side_of(b, d.transpose1);
    mxm(exec, c, mask, accumulator, s, left, right, d);
}

/// Symbolic phases of R A P, for any number of values on these patterns: multilevel methods refresh by it.
template <class I = std::int32_t, class O = I>
struct triple_product_plan {
    product_plan<I, O> first;  ///< of A P
    product_plan<I, O> second; ///< of R (A P)
};

namespace detail {

/// The pattern of a planned product, with these values; null for none.
template <class Z, class I, class O>
csr_view<Z, I, O> view_of_product(product_plan<I, O> const& plan, Z const* values) {
    return {plan.product_rows(), plan.columns, plan.nonzeros(), plan.offsets.data(), plan.indices.data(), values};
}

/// A plan of R A P and its first values, of matrices whose columns are known to rise.
template <class Z, class I, class O>
struct planned_triple {
    triple_product_plan<I, O> plan;
    buffer<Z> values;
};
template <executor Executor, semiring Semiring, class R, class A, class P, class I, class O>
auto plan_and_multiply(Executor const& exec, Semiring const& s, csr_view<R, I, O> r, csr_view<A, I, O> a,
                       csr_view<P, I, O> p) {
    require_product(r, a);
    auto first = plan_and_multiply(exec, s, a, p);
    auto const between = view_of_product(first.plan, std::as_const(first.values).data());
    auto second = plan_and_multiply(exec, s, r, between);
    return planned_triple<semiring_result_t<Semiring, R, P>, I, O>{{std::move(first.plan), std::move(second.plan)},
                                                                   std::move(second.values)};
}

} // namespace detail

/// Structure of R A P; R[r, n], A[n, m], P[m, c]. Errors as make_product_plan.
template <executor Executor, class R, class A, class P, class I, class O>
triple_product_plan<I, O> make_triple_product_plan(Executor const& exec, csr_view<R, I, O> r, csr_view<A, I, O> a,
                                                   csr_view<P, I, O> p) {
    detail::require_product(r, a);
    auto first = make_product_plan(exec, a, p);
    auto second = make_product_plan(exec, r, detail::view_of_product(first, static_cast<R const*>(nullptr)));
    return {std::move(first), std::move(second)};
}

/// values[plan.second.nonzeros()] of R (A P) over a semiring; the product in between is kept for the call alone.
template <executor Executor, semiring Semiring, class R, class A, class P, class I, class O, class Z>
void triple_product_values(Executor const& exec, triple_product_plan<I, O> const& plan, Semiring const& s,
                           csr_view<R, I, O> r, csr_view<A, I, O> a, csr_view<P, I, O> p, array_view<Z> values) {
    using between_type = detail::semiring_result_t<Semiring, A, P>;
    product_plan<I, O> const& first = plan.first;
    buffer<between_type> between(exec, std::int64_t(first.nonzeros()));
    product_values(exec, first, s, a, p, between.view());
    product_values(exec, plan.second, s, r, detail::view_of_product(first, std::as_const(between).data()), values);
}

/// R A P.
template <executor Executor, semiring Semiring, class R, class A, class P, class I, class O>
auto triple_product(Executor const& exec, triple_product_plan<I, O> const& plan, Semiring const& s, csr_view<R, I, O> r,
                    csr_view<A, I, O> a, csr_view<P, I, O> p) {
    using Z = detail::semiring_result_t<Semiring, R, P>;
    buffer<Z> values(exec, std::int64_t(plan.second.nonzeros()));
    triple_product_values(exec, plan, s, r, a, p, values.view());
    return csr<Z, I, O>(plan.second.product_rows(), plan.second.columns, copy_of(exec, plan.second.offsets),
                        copy_of(exec, plan.second.indices), std::move(values));
}

} // namespace coppice
