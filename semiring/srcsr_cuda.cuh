// SPDX-License-Identifier: BSD-3-Clause
/// \file SRCSR on CUDA: whole rows per block (SRCSR-adaptive, Algorithm 5), products staged in shared memory.
///
/// A block owns the rows whose first path step lies in its share of the path (rows + nonzeros), so that empty rows
/// weigh as much as nonzeros and cannot unbalance it. It stages its nonzeros tile by tile with coalesced loads. A tile
/// of short rows is folded with one thread a row; any other is cut evenly along the path and joined by an ordered
/// segmented scan. Which of the two it is, the block sees by itself.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/block.hpp"
#include "core/parallel_cuda.cuh"
#include "semiring/srcsr.hpp" // the plan; that header includes this one behind it
#include "semiring/srcsr_block.hpp"

namespace coppice {
namespace detail {

/// Finds where each block starts: the smallest row whose path position, offsets[row] + row, is not below its share.
template <class O>
struct find_block_start {
    array_view<O const> offsets;
    array_view<path_point> block_starts;
    std::int64_t work_per_block;

    COPPICE_HD void operator()(std::int64_t b) const {
        std::int64_t const rows = offsets.size() - 1;
        std::int64_t low = b == block_starts.size() - 1 ? rows : 0;
        std::int64_t high = rows;
        while (low < high) {
            std::int64_t const middle = low + (high - low) / 2;
            if (std::int64_t(offsets[middle]) + middle < b * work_per_block)
                low = middle + 1;
            else
                high = middle;
        }
        block_starts[b] = {low, std::int64_t(offsets[low])};
    }
};

template <class Shape, class O, class Multiply, class Add, class Store>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    srcsr_kernel(srcsr_job<O> job, Multiply multiply, Add add, Store store) {
    __shared__ typename Shape::storage shared;
    srcsr_block<Shape>(cuda_block{}, std::int64_t(blockIdx.x), job, multiply, add, store, shared);
}

} // namespace detail

template <class O>
srcsr_plan<O> make_srcsr_plan(cuda_executor const& exec, array_view<O const> offsets, std::int64_t nonzeros) {
    srcsr_plan<O> plan;
    plan.offsets = offsets;
    plan.nonzeros = nonzeros;
    plan.work_per_block = detail::cuda_path_steps;
    std::int64_t const rows = plan.rows();
    if (rows == 0) return plan;
    std::int64_t const blocks = (rows + nonzeros + plan.work_per_block - 1) / plan.work_per_block;
    plan.block_starts = buffer<detail::path_point>(exec, blocks + 1);
    for_each(exec, blocks + 1, detail::find_block_start<O>{offsets, plan.block_starts.view(), plan.work_per_block});
    return plan;
}

template <class O, class Multiply, class Add, class Store>
void reduce_rows(cuda_executor const& exec, srcsr_plan<O> const& plan, row_range range, Multiply multiply, Add add,
                 Store store) {
    detail::require_range(range, plan.rows());
    if (range.first == range.last) return;
    using shape = detail::srcsr_shape<Multiply, Add>;
    detail::srcsr_job<O> const job{plan.offsets.data(), plan.block_starts.data(), range.first, range.last};
    auto const grid = static_cast<unsigned>(plan.blocks());
    detail::srcsr_kernel<shape><<<grid, shape::threads, 0, exec.stream()>>>(job, multiply, add, store);
    COPPICE_CUDA_CHECK(cudaGetLastError());
}

} // namespace coppice
