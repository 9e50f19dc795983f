// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Passes over vectors on CUDA. See solvers/iterative/vectors/vector_pass.hpp for the contract.
#pragma once

#include <coppice/core/cuda/launch_early.cuh>
#include <coppice/solvers/iterative/vectors/vector_pass.hpp>
#include <coppice/solvers/iterative/vectors/vector_pass_block.hpp>

namespace coppice::inline v0_1::detail {

inline constexpr int pass_threads = 256;

inline pass_scratch<cuda_executor>::pass_scratch(cuda_executor const& exec, std::int64_t n)
    : size(n), slots(exec, max_sums * grid_slots::needed(blocks())) {
    fill(exec, slots.view(), hand_over_slot{});
}

template <class Pass>
__global__ void __launch_bounds__(pass_threads, 2048 / pass_threads)
    pass_kernel(std::int64_t n, Pass pass, hand_over_slot* slots) {
    __shared__ double shared[1 + sums_of_pass<Pass> * (pass_threads / warp_lanes) + state_words<Pass>];
    start_successor();
    wait_for_predecessor();
    pass_of_block(sized_cuda_block<pass_threads>{}, shared, blockIdx.x, gridDim.x, n, pass, slots);
}

template <class Pass>
void run_pass(cuda_executor const& exec, pass_scratch<cuda_executor>& scratch, Pass const& pass) {
    launch_early(exec, &pass_kernel<Pass>, dim3(unsigned(scratch.blocks())), pass_threads, 0, {}, scratch.size, pass,
                 scratch.slots.data());
}

} // namespace coppice::inline v0_1::detail
