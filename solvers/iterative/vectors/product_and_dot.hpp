// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// y = A x with dot products of y in the same pass.
#pragma once

#include <coppice/core/grid_sum.hpp>
#include <coppice/semiring/spmv/spmv.hpp>
#include <coppice/solvers/iterative/vectors/vector_operations_host.hpp>

namespace coppice::inline v0_1 {
namespace detail {

/// Sums over the rows of a product, in double or complex double.
template <class V, int Count>
struct sums_over_rows {
    V sum[Count] = {};
    sums_over_rows& operator+=(sums_over_rows const& other) {
        for (int c = 0; c < Count; ++c) sum[c] += other.sum[c];
        return *this;
    }
};

/// Stores y, and left^H y in sums[0]; if Count is 2, also y^H y in sums[1].
template <class T, int Count>
struct store_and_dot {
    using value = dot_value<T>;
    static constexpr int components = dot_components<T>;

    T* y;
    T const* left;
    value* sums;           ///< memory of the executor
    hand_over_slot* slots; ///< CUDA: partial sums of the blocks

    /// Work that was queued before does not write the matrix, so the kernel may prefetch its rows.
    static constexpr bool early = true;

    COPPICE_HD void operator()(std::int64_t row, T const& sum) const { y[row] = sum; }

    sums_over_rows<value, Count> of_rows(std::int64_t first, std::int64_t last) const {
        sums_over_rows<value, Count> s;
        s.sum[0] = dot_of_chunk(left + first, y + first, last - first);
        if constexpr (Count > 1) s.sum[1] = dot_of_chunk(y + first, y + first, last - first);
        return s;
    }
    void finish(sums_over_rows<value, Count> const& all) const {
        for (int c = 0; c < Count; ++c) sums[c] = all.sum[c];
    }

    struct thread_store {
        static constexpr bool early = true;
        T* y;
        T const* left;
        mutable value sum[Count] = {};

        COPPICE_HD T fetch(std::int64_t row) const { return left[row]; }
        COPPICE_HD void operator()(std::int64_t row, T const& result, T const& fetched) const {
            y[row] = result;
            sum[0] += dot_term(fetched, result);
            if constexpr (Count > 1) sum[1] += dot_term(result, result);
        }
    };
    COPPICE_HD thread_store on_thread() const { return {y, left, {}}; }
    COPPICE_NO_EXEC_CHECK
    template <class Block>
    COPPICE_HD void finish(Block const& block, double* shared, std::int64_t b, std::int64_t blocks,
                           thread_store const& mine) const {
        double all[Count * components];
        COPPICE_UNROLL
        for (int c = 0; c < Count * components; ++c) all[c] = component_of(mine.sum[c / components], c % components);
        if (!grid_sums(block, shared, grid_slots{slots}, b, blocks, all) || block.thread() > 0) return;
        COPPICE_UNROLL
        for (int c = 0; c < Count * components; ++c) component_of(sums[c / components], c % components) = all[c];
    }
};

/// The product with a store that sums over rows, by kernels for the block size of the plan.
template <class O, class Multiply, class Add, class Store>
void reduce_rows_and_fold(host_executor const& exec, srcsr_plan<O> const& plan, Multiply multiply, Add add, Store store,
                          array_view<std::byte>) {
    reduce_rows(exec, plan, row_range{0, plan.rows()}, multiply, add, store);
}
#if defined(__CUDACC__)
template <class O, class Multiply, class Add, class Store>
void reduce_rows_and_fold(cuda_executor const& exec, srcsr_plan<O> const& plan, Multiply multiply, Add add, Store store,
                          array_view<std::byte> workspace) {
    constexpr auto reduction = segmented_reduction::warp_transposed;
    row_range const all{0, plan.rows()};
    if (plan.tuning.threads == 256)
        reduce_rows<reduction, 256>(exec, plan, all, multiply, add, store, workspace);
    else
        reduce_rows<reduction>(exec, plan, all, multiply, add, store, workspace);
}
#endif

} // namespace detail

/// Number of slots that spmv_and_dot needs on CUDA for elements T, which the caller sets to zero once; 0 on the host.
template <class T, class O>
std::int64_t spmv_and_dot_slots(host_executor const&, srcsr_plan<O> const&) {
    return 0;
}
template <class T, class O>
std::int64_t spmv_and_dot_slots(cuda_executor const&, srcsr_plan<O> const& plan) {
    return 2 * detail::dot_components<T> * detail::grid_slots::needed(plan.blocks());
}

/// Computes y = A x and in the same pass sums[0] = left^H y and, if Count is 2, sums[1] = y^H y, accumulated in double
/// or complex double. Results are the same on every run. `sums` is in memory of the executor; `slots` has
/// spmv_and_dot_slots() elements and is empty between calls. `left` may be x. `workspace` as for reduce_rows; without
/// it complex products on CUDA allocate and cannot be captured into a graph. For plans of the default scheme and block
/// size. On CUDA the call returns when the work is queued; the kernel before it must not write the matrix, which is
/// prefetched.
template <int Count, executor Executor, class T, class I, class O>
void spmv_and_dot(Executor const& exec, srcsr_plan<O> const& plan, csr_view<T, I, O> a, array_view<T const> x,
                  array_view<T> y, T const* left, dot_value<T>* sums, hand_over_slot* slots,
                  array_view<std::byte> workspace = {}) {
    detail::require_spmv_sizes(plan, a, x, y);
    using element = element_t<T>;
    using multiply = detail::multiply_stored<T, I, T>;
    detail::reduce_rows_and_fold(
        exec, plan, along_nonzeros{multiply{x.data()}, a.coefficients, a.indices}, add_plus<element>{},
        detail::store_and_dot<element, Count>{detail::as_elements(y).data(), reinterpret_cast<element const*>(left),
                                              sums, slots},
        workspace);
}

} // namespace coppice::inline v0_1
