// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Matrix product with GraphBLAS semantics, and products of three matrices.
#pragma once

#include <coppice/semiring/matrix_operations/masked_update.hpp>
#include <coppice/semiring/spgemm/product.hpp>
#include <coppice/semiring/spmv/matrix_operand.hpp>

namespace coppice::inline v0_1 {
namespace detail {

/// View of a matrix, or of its transpose, which the object computes and owns.
template <class T, class I, class O>
class maybe_transposed {
public:
    template <executor Executor>
    maybe_transposed(Executor const& exec, csr_view<T, I, O> a, bool transposed) : view_(a) {
        if (!transposed) return;
        transposed_ = transpose(exec, a);
        view_ = transposed_.view();
    }
    csr_view<T, I, O> view() const { return view_; }

private:
    csr<T, I, O> transposed_;
    csr_view<T, I, O> view_;
};

} // namespace detail

/// C<mask> = C ⊙ (A ⊕.⊗ B) (GrB_mxm). With d.transpose0, d.transpose1 the transposes of A and B are computed for the
/// call. Only entries that the mask admits are computed. C may also be A, B or the mask, since it is rebuilt.
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

/// Returns the view of an operand or of its transpose; a csr_view remains to be transposed by the caller.
template <class T, class I, class O>
csr_view<T, I, O> matrix_along(matrix_operand<T, I, O> const& a, bool& transposed) {
    return a.along(std::exchange(transposed, false)).matrix;
}
template <class T, class I, class O>
csr_view<T, I, O> matrix_along(csr_view<T, I, O> a, bool&) {
    return a;
}
template <class Operand>
inline constexpr bool is_matrix_operand_v = false;
template <class T, class I, class O>
inline constexpr bool is_matrix_operand_v<matrix_operand<T, I, O>> = true;

} // namespace detail

/// mxm() if A, B or both are matrix_operands, which hold their transposes; these are used for d.transpose0 and
/// d.transpose1. Throws argument_error if they have not been prepared.
template <executor Executor, class C, class I, class O, class Mask, class Accumulator, semiring Semiring, class A,
          class B>
requires(detail::is_matrix_operand_v<A> ||
         detail::is_matrix_operand_v<B>) void mxm(Executor const& exec, csr<C, I, O>& c, Mask const& mask,
                                                  Accumulator const& accumulator, Semiring const& s, A const& a,
                                                  B const& b, descriptor d = {}) {
    auto const left = detail::matrix_along(a, d.transpose0);
    auto const right = detail::matrix_along(b, d.transpose1);
    mxm(exec, c, mask, accumulator, s, left, right, d);
}

/// Symbolic phases of R A P, for any values on these patterns; multilevel methods use it to refresh coarse matrices.
template <class I = std::int32_t, class O = I>
struct triple_product_plan {
    product_plan<I, O> first;  ///< symbolic phase of A P
    product_plan<I, O> second; ///< symbolic phase of R (A P)
};

namespace detail {

/// View of a planned product with these values; null for the pattern only.
template <class Z, class I, class O>
csr_view<Z, I, O> view_of_product(product_plan<I, O> const& plan, Z const* values) {
    return {plan.product_rows(), plan.columns, plan.nonzeros(), plan.offsets.data(), plan.indices.data(), values};
}

/// Makes a plan of R A P and its first values, for matrices whose columns are known to be sorted.
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

/// Symbolic phase of R A P; R[r, n], A[n, m], P[m, c]. Errors as in make_product_plan.
template <executor Executor, class R, class A, class P, class I, class O>
triple_product_plan<I, O> make_triple_product_plan(Executor const& exec, csr_view<R, I, O> r, csr_view<A, I, O> a,
                                                   csr_view<P, I, O> p) {
    detail::require_product(r, a);
    auto first = make_product_plan(exec, a, p);
    auto second = make_product_plan(exec, r, detail::view_of_product(first, static_cast<R const*>(nullptr)));
    return {std::move(first), std::move(second)};
}

/// Computes values[plan.second.nonzeros()] of R (A P) over a semiring; the values of A P exist only during the call.
template <executor Executor, semiring Semiring, class R, class A, class P, class I, class O, class Z>
void triple_product_values(Executor const& exec, triple_product_plan<I, O> const& plan, Semiring const& s,
                           csr_view<R, I, O> r, csr_view<A, I, O> a, csr_view<P, I, O> p, array_view<Z> values) {
    using between_type = detail::semiring_result_t<Semiring, A, P>;
    product_plan<I, O> const& first = plan.first;
    buffer<between_type> between(exec, std::int64_t(first.nonzeros()));
    product_values(exec, first, s, a, p, between.view());
    product_values(exec, plan.second, s, r, detail::view_of_product(first, std::as_const(between).data()), values);
}

/// Returns R A P.
template <executor Executor, semiring Semiring, class R, class A, class P, class I, class O>
auto triple_product(Executor const& exec, triple_product_plan<I, O> const& plan, Semiring const& s, csr_view<R, I, O> r,
                    csr_view<A, I, O> a, csr_view<P, I, O> p) {
    using Z = detail::semiring_result_t<Semiring, R, P>;
    buffer<Z> values(exec, std::int64_t(plan.second.nonzeros()));
    triple_product_values(exec, plan, s, r, a, p, values.view());
    return csr<Z, I, O>(plan.second.product_rows(), plan.second.columns, copy_of(exec, plan.second.offsets),
                        copy_of(exec, plan.second.indices), std::move(values));
}

} // namespace coppice::inline v0_1
