// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Product of two sparse matrices over a semiring (SpGEMM): symbolic phase (plan) and numeric phase.
#pragma once

#include <utility>

#include <coppice/algebra/operations.hpp>
#include <coppice/core/memory_range.hpp>
#include <coppice/semiring/spgemm/distinct_products_host.hpp>
#include <coppice/semiring/spgemm/masked_product_host.hpp>
#include <coppice/semiring/spgemm/one_pass_host.hpp>
#include <coppice/semiring/spgemm/product_host.hpp>
#include <coppice/semiring/spgemm/product_lanes.hpp>

namespace coppice::inline v0_1 {
namespace detail {

template <class A, class B, class I, class O, class Mask>
void structure_of_product(host_executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b, Mask const& mask,
                          product_plan<I, O>& plan) {
    find_structure(exec, a, b, mask, plan);
}
template <class A, class B, class I, class O, class Mask>
void structure_of_product(cuda_executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b, Mask const& mask,
                          product_plan<I, O>& plan) {
    find_structure_by_lanes(exec, a, b, mask, plan, schedule_of(a, b));
}
template <class A, class B, class I, class O, class Semiring, class Z>
void values_of_product(host_executor const& exec, product_plan<I, O> const& plan, Semiring const& s,
                       csr_view<A, I, O> a, csr_view<B, I, O> b, array_view<Z> values) {
    sum_products(exec, plan, s, a, b, values);
}
template <class A, class B, class I, class O, class Semiring, class Z>
void values_of_product(cuda_executor const& exec, product_plan<I, O> const& plan, Semiring const& s,
                       csr_view<A, I, O> a, csr_view<B, I, O> b, array_view<Z> values) {
    sum_products_by_lanes(exec, plan, s, a, b, values, schedule_of(a, b));
}

/// Returns a plan without rows: checks and stores the sizes.
template <class A, class B, class I, class O>
product_plan<I, O> blank_plan(csr_view<A, I, O> a, csr_view<B, I, O> b, row_range range) {
    require_product(a, b);
    require_range(range, a.rows());
    product_plan<I, O> plan;
    plan.range = range;
    plan.rows = a.rows();
    plan.inner = a.columns();
    plan.columns = b.columns();
    plan.a_nonzeros = a.nonzeros();
    plan.b_nonzeros = b.nonzeros();
    return plan;
}

/// Returns the range of all rows.
template <class T, class I, class O>
row_range all_rows(csr_view<T, I, O> a) {
    return {0, a.rows()};
}

/// Makes the plan for matrices whose columns are known to be sorted.
template <executor Executor, class A, class B, class I, class O, class Mask = constant_mask>
product_plan<I, O> plan_sorted(Executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b, row_range range,
                               Mask const& mask = {}, bool masked = false) {
    auto plan = blank_plan(a, b, range);
    plan.masked = masked;
    structure_of_product(exec, a, b, mask, plan);
    return plan;
}
template <class Semiring, class A, class B>
using semiring_result_t = std::remove_cvref_t<decltype(result_of_sum(std::declval<Semiring const&>(),
                                                                     std::declval<Semiring const&>().add.identity()))>;

/// A plan and the values of its first product.
template <class Z, class I, class O>
struct planned_product {
    product_plan<I, O> plan;
    buffer<Z> values;
};
/// plan_sorted() and a numeric phase; on the host in one pass over the products.
template <semiring Semiring, class A, class B, class I, class O>
auto plan_and_multiply(host_executor const& exec, Semiring const& s, csr_view<A, I, O> a, csr_view<B, I, O> b) {
    using Z = semiring_result_t<Semiring, A, B>;
    planned_product<Z, I, O> made{blank_plan(a, b, all_rows(a)), {}};
    made.values = find_structure_and_sum<Z>(exec, a, b, s, made.plan);
    return made;
}
template <semiring Semiring, class A, class B, class I, class O>
auto plan_and_multiply(cuda_executor const& exec, Semiring const& s, csr_view<A, I, O> a, csr_view<B, I, O> b) {
    using Z = semiring_result_t<Semiring, A, B>;
    planned_product<Z, I, O> made{plan_sorted(exec, a, b, all_rows(a)), {}};
    made.values = buffer<Z>(exec, made.plan.indices.size());
    values_of_product(exec, made.plan, s, a, b, made.values.view());
    return made;
}

/// Whether two views refer to the same arrays and sizes.
template <class A, class B, class I, class O>
bool is_same_pattern(csr_view<A, I, O> a, csr_view<B, I, O> b) {
    return a.rows() == b.rows() && a.columns() == b.columns() && a.offsets == b.offsets && a.indices == b.indices;
}
/// Throws matrix_error unless the columns of both matrices are sorted without duplicates; checks identical arrays once.
template <executor Executor, class A, class B, class I, class O>
void require_sorted_factors(Executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b) {
    require_sorted_columns(exec, a, "first matrix of a product");
    if (!is_same_pattern(a, b)) require_sorted_columns(exec, b, "second matrix of a product");
}
template <executor Executor, class A, class B, class M, class I, class O>
void require_mask(Executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b, csr_view<M, I, O> mask) {
    require_product(a, b);
    require_shape(mask, a.rows(), b.columns());
    if (!is_same_pattern(mask, a)) require_sorted_columns(exec, mask, "mask of a product");
}
template <executor Executor, class A, class B, class I, class O, class Mask>
product_plan<I, O> plan_product(Executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b, Mask const& mask,
                                bool masked, row_range range) {
    require_product(a, b);
    require_range(range, a.rows());
    require_sorted_factors(exec, a, b);
    return plan_sorted(exec, a, b, range, mask, masked);
}

} // namespace detail

/// Symbolic phase of C = A B: structure, sizes and schedule, for any values and any semiring on these patterns.
///
/// The columns of A and B are sorted without duplicates in every row (matrix_error). `range`: multiply only these rows
/// of A, which become the rows of the product. Throws dimension_error if shapes disagree. Throws overflow_error before
/// it allocates memory if the product has more entries than its offset type can count. On CUDA waits for sizes.
template <executor Executor, class A, class B, class I, class O>
product_plan<I, O> make_product_plan(Executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b, row_range range) {
    return detail::plan_product(exec, a, b, detail::constant_mask{}, false, range);
}
template <executor Executor, class A, class B, class I, class O>
product_plan<I, O> make_product_plan(Executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b) {
    return make_product_plan(exec, a, b, detail::all_rows(a));
}

/// Symbolic phase for the entries of the product that a mask admits (shape of A B; interpreted by d.structure and
/// d.complement). Other entries are not computed. If a row of the mask is shorter than a row of B, its columns are
/// searched in that row.
template <executor Executor, class A, class B, class M, class I, class O>
product_plan<I, O> make_masked_product_plan(Executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b,
                                            csr_view<M, I, O> mask, descriptor const& d = {}) {
    detail::require_mask(exec, a, b, mask);
    return detail::plan_product(exec, a, b, detail::mask_of(mask, d), true, detail::all_rows(a));
}

/// Numeric phase: values[plan.nonzeros()] = ⊕_k a_ik ⊗ b_kj, folded from the identity of ⊕ in ascending k.
/// Deterministic: bitwise equal on every run and for any number of threads; ⊕ need not commute. On CUDA the call
/// returns when the work is queued.
template <executor Executor, semiring Semiring, class A, class B, class I, class O, class Z>
void product_values(Executor const& exec, product_plan<I, O> const& plan, Semiring const& s, csr_view<A, I, O> a,
                    csr_view<B, I, O> b, array_view<Z> values) {
    detail::require_planned(plan, a, b);
    require_size("values of the product", values, plan.indices.size());
    require_no_overlap(range_of("values of the product", values), range_of("the values of A", a.values()));
    require_no_overlap(range_of("values of the product", values), range_of("the values of B", b.values()));
    detail::values_of_product(exec, plan, s, a, b, values);
}

/// Returns A B by a plan, which remains valid.
template <executor Executor, semiring Semiring, class A, class B, class I, class O>
auto mxm(Executor const& exec, product_plan<I, O> const& plan, Semiring const& s, csr_view<A, I, O> a,
         csr_view<B, I, O> b) {
    using Z = detail::semiring_result_t<Semiring, A, B>;
    buffer<Z> values(exec, plan.indices.size());
    product_values(exec, plan, s, a, b, values.view());
    return csr<Z, I, O>(plan.product_rows(), plan.columns, copy_of(exec, plan.offsets), copy_of(exec, plan.indices),
                        std::move(values));
}
/// Returns A B by a plan that is consumed: its structure becomes that of the product.
template <executor Executor, semiring Semiring, class A, class B, class I, class O>
auto mxm(Executor const& exec, product_plan<I, O>&& plan, Semiring const& s, csr_view<A, I, O> a, csr_view<B, I, O> b) {
    using Z = detail::semiring_result_t<Semiring, A, B>;
    buffer<Z> values(exec, plan.indices.size());
    product_values(exec, std::as_const(plan), s, a, b, values.view());
    return csr<Z, I, O>(plan.product_rows(), plan.columns, std::move(plan.offsets), std::move(plan.indices),
                        std::move(values));
}
namespace detail {

/// Returns A B for matrices whose columns are known to be sorted.
template <semiring Semiring, class A, class B, class I, class O>
auto product_of_sorted(host_executor const& exec, Semiring const& s, csr_view<A, I, O> a, csr_view<B, I, O> b) {
    using Z = semiring_result_t<Semiring, A, B>;
    if (auto product = product_of_single_entries<Z>(exec, a, b, s)) return std::move(*product);
    if (auto product = product_in_one_pass<Z>(exec, a, b, s)) return std::move(*product);
    return mxm(exec, plan_sorted(exec, a, b, all_rows(a)), s, a, b);
}
template <semiring Semiring, class A, class B, class I, class O>
auto product_of_sorted(cuda_executor const& exec, Semiring const& s, csr_view<A, I, O> a, csr_view<B, I, O> b) {
    using Z = semiring_result_t<Semiring, A, B>;
    return product_by_lanes<Z>(exec, blank_plan(a, b, all_rows(a)), s, a, b, schedule_of(a, b));
}

} // namespace detail

/// Returns A B. The result is bitwise equal to that of make_product_plan() and product_values(), and the errors are the
/// same.
///
/// The host needs one pass over the products if memory that is never written takes only address space
/// (memory_resource::can_shrink): it reserves address space for one entry per product a_ik b_kj, and uses memory for
/// the entries of A B only. CUDA writes columns and values in one pass if every row of A is so short that one lane can
/// merge the rows of B.
template <executor Executor, semiring Semiring, class A, class B, class I, class O>
auto mxm(Executor const& exec, Semiring const& s, csr_view<A, I, O> a, csr_view<B, I, O> b) {
    detail::require_product(a, b);
    require_arrays(a);
    require_arrays(b);
    detail::require_sorted_factors(exec, a, b);
    return detail::product_of_sorted(exec, s, a, b);
}

/// Returns the entries of A B that a mask admits (GrB_mxm into an empty matrix). The result is bitwise equal to that of
/// make_masked_product_plan() and product_values(), and the errors are the same.
///
/// If the mask is not complemented, the host computes structure and values in one pass. Temporary memory: one column
/// and one value per entry of the mask, and a bitmap of the long rows of B.
template <executor Executor, semiring Semiring, class A, class B, class M, class I, class O>
auto masked_mxm(Executor const& exec, Semiring const& s, csr_view<A, I, O> a, csr_view<B, I, O> b,
                csr_view<M, I, O> mask, descriptor const& d = {}) {
    if constexpr (std::is_same_v<Executor, host_executor>) {
        if (!d.complement) {
            detail::require_mask(exec, a, b, mask);
            require_arrays(a);
            require_arrays(b);
            detail::require_sorted_factors(exec, a, b);
            return detail::product_inside_mask<detail::semiring_result_t<Semiring, A, B>>(exec, a, b,
                                                                                          detail::mask_of(mask, d), s);
        }
    }
    return mxm(exec, make_masked_product_plan(exec, a, b, mask, d), s, a, b);
}

COPPICE_ACCEPT_OWNERS(mxm)
COPPICE_ACCEPT_OWNERS(masked_mxm)
COPPICE_ACCEPT_OWNERS(make_product_plan)

} // namespace coppice::inline v0_1
