// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// for_each_warp: CUDA work items that are processed by the 32 lanes of a warp together. Bodies are templates over the
/// Block of core/block.hpp, so that tests can run them on CPU threads (tests/support/warps.hpp).
#pragma once

#include <coppice/core/block.hpp>

#if defined(__CUDACC__)

#include <cstddef>

#include <coppice/core/cuda/launch_early.cuh>

namespace coppice::inline v0_1 {
namespace detail {

inline constexpr int threads_of_warp_work = 256;

template <class F>
__global__ void __launch_bounds__(threads_of_warp_work) for_each_warp_kernel(std::int64_t n, F f) {
    wait_for_predecessor();
    constexpr int warps = threads_of_warp_work / warp_lanes;
    __shared__ __align__(16) std::byte memory[warps * F::warp_bytes];
    std::byte* const own = memory + int(threadIdx.x) / warp_lanes * F::warp_bytes;
    std::int64_t const step = std::int64_t(gridDim.x) * warps;
    for (std::int64_t w = std::int64_t(blockIdx.x) * warps + threadIdx.x / warp_lanes; w < n; w += step)
        f(cuda_block{}, w, own);
}

} // namespace detail

/// Calls f(block, w, memory) for w in [0, n); all lanes of one warp execute each call. They may exchange values and use
/// F::warp_bytes bytes of shared memory (a multiple of 16, at most 6144). They must not call barriers of the block. The
/// work is queued; the call does not wait.
template <class F>
void for_each_warp(cuda_executor const& exec, std::int64_t n, F f) {
    if (n <= 0) return;
    constexpr int warps = detail::threads_of_warp_work / warp_lanes;
    std::int64_t const blocks = (n + warps - 1) / warps;
    auto const grid = static_cast<unsigned>(blocks < (1 << 30) ? blocks : (1 << 30));
    launch_early(exec, &detail::for_each_warp_kernel<F>, dim3(grid), detail::threads_of_warp_work, 0, {}, n, f);
}

} // namespace coppice::inline v0_1

#endif
