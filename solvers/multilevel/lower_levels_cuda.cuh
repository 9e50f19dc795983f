// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The lower levels of a V cycle as one cooperative CUDA kernel: all blocks are resident and synchronise between steps.
#pragma once

#include <algorithm>

#include <cooperative_groups.h>

#include <coppice/core/cuda/launch_early.cuh>
#include <coppice/solvers/multilevel/lower_levels.hpp>

namespace coppice::inline v0_1::multilevel_detail {

inline constexpr int lower_threads = 1024;

/// Assignment of the rows of a step to the warps of a grid.
struct lower_rows {
    int rows, first, stride; ///< first row of a warp, and distance to its next rows
    int lanes;               ///< lanes per row: limited by the number of threads and by the number of entries

    template <class Cycle>
    __device__ lower_rows(Cycle const& cycle, int step) : rows(int(cycle.rows(step))), lanes(1) {
        int const nonzeros = int(cycle.nonzeros(step)), warps = int(gridDim.x) * (lower_threads / warp_lanes);
        while (lanes < warp_lanes && 2 * lanes * rows <= warps * warp_lanes && lanes * rows < nonzeros) lanes *= 2;
        int const of_warp = warp_lanes / lanes;
        first = (int(blockIdx.x) * (lower_threads / warp_lanes) + int(threadIdx.x) / warp_lanes) * of_warp;
        stride = warps * of_warp;
    }
    __device__ int rank() const { return int(threadIdx.x) % lanes; }
    __device__ int row(int of_warp) const { return of_warp + int(threadIdx.x) % warp_lanes / lanes; }
};

template <class T, class S, class I>
__global__ void __launch_bounds__(lower_threads, 1)
    lower_cycle_kernel(__grid_constant__ lower_cycle<T, S, I> const cycle) {
    int const steps = cycle.steps();
    wait_for_predecessor();
    for (int step = 0; step < steps; ++step) {
        if (step > 0) cooperative_groups::this_grid().sync();
        lower_rows const laid(cycle, step);
        for (int first = laid.first; first < laid.rows; first += laid.stride) {
            int const row = laid.row(first);
            T sum = row < laid.rows ? cycle.partial_sum(step, row, laid.rank(), laid.lanes) : T(0);
            for (int distance = laid.lanes / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
            if (row < laid.rows && laid.rank() == 0) cycle.finish(step, row, sum);
        }
    }
}

template <class T, class S, class I>
void run_lower_levels(cuda_executor const& exec, lower_cycle<T, S, I> const& cycle) {
    auto const kernel = &lower_cycle_kernel<T, S, I>;
    std::int64_t threads = 1; // threads that the largest step can use
    for (int step = 0; step < cycle.steps(); ++step)
        threads = std::max(threads,
                           std::min<std::int64_t>(cycle.nonzeros(step), std::int64_t(cycle.rows(step)) * warp_lanes));
    int together = 0; // blocks per multiprocessor
    COPPICE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&together, kernel, lower_threads, 0));
    std::int64_t const blocks = std::min<std::int64_t>((threads + lower_threads - 1) / lower_threads,
                                                       std::int64_t(exec.multiprocessors()) * together);
    cudaLaunchAttribute cooperative{};
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    launch_early(exec, kernel, dim3(unsigned(blocks)), lower_threads, 0, cooperative, cycle);
}

} // namespace coppice::inline v0_1::multilevel_detail
