// SPDX-License-Identifier: BSD-3-Clause
/// \file CUDA launcher of RPTS: a tile per block, everything queued on the executor's stream; no allocation, no
/// synchronisation, so that a solve can be captured into a CUDA graph.
#pragma once

#include <algorithm>
#include <string>

#include "core/cuda_check.hpp"
#include "core/executor.hpp"
#include "solvers/rpts_block.hpp"

namespace coppice::rpts {

inline constexpr std::int64_t chip_bytes = 160 * 1024; ///< bands of the largest system that is solved on chip
inline constexpr int chip_threads = 768;               // more would leave too few registers

/// Blocks that the shared memory of a multiprocessor holds (228 KiB): registers must not allow fewer.
template <class T>
inline constexpr int tiles_at_once = sizeof(T) == 4 ? 13 : 6;

template <pivoting P, class T>
__global__ void __launch_bounds__(tile_threads, tiles_at_once<T>) reduce_kernel(stage<T> s) {
    extern __shared__ __align__(16) unsigned char shared[];
    reduce_tile<P>(cuda_block{}, s, blockIdx.x, reinterpret_cast<T*>(shared));
}

// Walks from the end: what the reduction read last is still in the second-level cache.
template <pivoting P, class T>
__global__ void __launch_bounds__(tile_threads, tiles_at_once<T>) substitute_kernel(stage<T> s) {
    extern __shared__ __align__(16) unsigned char shared[];
    substitute_tile<P>(cuda_block{}, s, gridDim.x - 1 - blockIdx.x, reinterpret_cast<T*>(shared));
}

template <pivoting P, class T>
__global__ void __launch_bounds__(chip_threads)
    chip_kernel(system_view<T> s, __grid_constant__ chip_plan<T> const plan, T threshold) {
    extern __shared__ __align__(16) unsigned char shared[];
    solve_on_chip<P>(cuda_block{}, s, plan, threshold, reinterpret_cast<T*>(shared));
}

/// The shared memory that a block may ask for.
inline std::int64_t shared_limit(cuda_executor const& exec) {
    int bytes = 0;
    COPPICE_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, exec.device()));
    return bytes;
}

template <class T>
shape shape_of(cuda_executor const& exec) {
    // The padding and the nested systems on chip take less than a quarter of the first system.
    std::int64_t const bytes = std::min(chip_bytes, shared_limit(exec) * 4 / 5);
    return {block_partition, bytes / std::int64_t(4 * sizeof(T))};
}

template <class... Parameters, class... Arguments>
void launch(cuda_executor const& exec, void (*kernel)(Parameters...), std::int64_t blocks, int threads,
            std::size_t shared_bytes, Arguments const&... arguments) {
    auto const grid = checked_cast<int>(blocks, "number of CUDA blocks of a tridiagonal solve");
    auto const* const address = reinterpret_cast<void const*>(kernel);
    COPPICE_CUDA_CHECK(cudaFuncSetAttribute(address, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared_bytes)));
    COPPICE_CUDA_CHECK(cudaFuncSetAttribute(address, cudaFuncAttributePreferredSharedMemoryCarveout,
                                            cudaSharedmemCarveoutMaxShared)); // tiles in flight hide the latency
    kernel<<<unsigned(grid), unsigned(threads), shared_bytes, exec.stream()>>>(arguments...);
    COPPICE_CUDA_CHECK(cudaGetLastError());
}

template <class T>
void reduce(cuda_executor const& exec, stage<T> const& s, pivoting pivot) {
    auto* const kernel = pivot == pivoting::none      ? &reduce_kernel<pivoting::none, T>
                         : pivot == pivoting::partial ? &reduce_kernel<pivoting::partial, T>
                                                      : &reduce_kernel<pivoting::scaled_partial, T>;
    launch(exec, kernel, (s.partitions + tile_partitions - 1) / tile_partitions, tile_threads, tile_shared * sizeof(T),
           s);
}

template <class T>
void substitute(cuda_executor const& exec, stage<T> const& s, pivoting pivot) {
    auto* const kernel = pivot == pivoting::none      ? &substitute_kernel<pivoting::none, T>
                         : pivot == pivoting::partial ? &substitute_kernel<pivoting::partial, T>
                                                      : &substitute_kernel<pivoting::scaled_partial, T>;
    launch(exec, kernel, (s.partitions + tile_partitions - 1) / tile_partitions, tile_threads, tile_shared * sizeof(T),
           s);
}

template <class T>
void solve_last(cuda_executor const& exec, system_view<T> const& s, T threshold, pivoting pivot) {
    auto* const kernel = pivot == pivoting::none      ? &chip_kernel<pivoting::none, T>
                         : pivot == pivoting::partial ? &chip_kernel<pivoting::partial, T>
                                                      : &chip_kernel<pivoting::scaled_partial, T>;
    int const workers = 2 * int(s.size / chip_partition + warp_lanes);
    int const threads = std::min(chip_threads, (workers + warp_lanes - 1) / warp_lanes * warp_lanes);
    chip_plan<T> const plan(int(s.size));
    launch(exec, kernel, 1, threads, std::size_t(plan.elements) * sizeof(T), s, plan, threshold);
}

} // namespace coppice::rpts
