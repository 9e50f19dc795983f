// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Passes over a Krylov basis on CUDA. See solvers/iterative/vectors/basis_passes.hpp for the contract.
#pragma once

#include <coppice/solvers/iterative/vectors/basis_passes.hpp>
#include <coppice/solvers/iterative/vectors/basis_passes_block.hpp>
#include <coppice/solvers/iterative/vectors/vector_pass_cuda.cuh>

namespace coppice::inline v0_1::detail {

inline basis_scratch<cuda_executor>::basis_scratch(cuda_executor const& exec, std::int64_t n, int columns,
                                                   int components)
    : max_columns(columns), blocks(pass_scratch<cuda_executor>::blocks_for(n)),
      partial(exec, blocks * columns * components) {}

template <class T>
__global__ void __launch_bounds__(pass_threads) project_kernel(basis_columns<T> v, T const* w, double* partial) {
    __shared__ double shared[projected_batch * (pass_threads / warp_lanes)];
    start_successor();
    wait_for_predecessor();
    project_block(cuda_block{}, shared, blockIdx.x, gridDim.x, int(blockIdx.y), int(gridDim.y), v, w, partial);
}
template <class T>
__global__ void __launch_bounds__(pass_threads)
    fold_projections_kernel(basis_columns<T> v, std::int64_t blocks, double const* partial, dot_value<T>* h) {
    __shared__ double shared[pass_threads / warp_lanes];
    start_successor();
    wait_for_predecessor();
    fold_projection_block(cuda_block{}, shared, int(blockIdx.x), blocks, v, partial, h);
}

template <class T>
void project(cuda_executor const& exec, basis_scratch<cuda_executor>& scratch, basis_columns<T> const& v, T const* w,
             dot_value<T>* h) {
    double* const partial = scratch.partial.data();
    // Processes several groups of columns simultaneously if a short vector does not fill the device.
    constexpr std::int64_t capacity = 528;
    constexpr int columns = projected_batch / dot_components<T>;
    auto const teams =
        std::clamp<std::int64_t>(capacity / scratch.blocks, 1, (scratch.max_columns + columns - 1) / columns);
    launch_early(exec, &project_kernel<T>, dim3(unsigned(scratch.blocks), unsigned(teams)), pass_threads, 0, {}, v, w,
                 partial);
    double const* const partial_sums = partial;
    launch_early(exec, &fold_projections_kernel<T>, dim3(unsigned(scratch.max_columns)), pass_threads, 0, {}, v,
                 scratch.blocks, partial_sums, h);
}

} // namespace coppice::inline v0_1::detail
