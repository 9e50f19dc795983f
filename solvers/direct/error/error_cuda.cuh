// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// CUDA launcher of the measuring of solutions.
#pragma once

#include <algorithm>
#include <type_traits>

#include <coppice/core/cuda/launch_early.cuh>
#include <coppice/core/executor.hpp>
#include <coppice/solvers/direct/error/band_error.hpp>

namespace coppice::chain {

inline constexpr int measure_threads = 256;
inline constexpr int measure_blocks = 4; ///< of a multiprocessor, which waits for memory; a few registers are spilled

/// The larger of the values of all lanes of a warp, in its first lane.
__device__ inline double largest_of_warp(double value) {
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2)
        value = larger_or_nan(value, __shfl_down_sync(0xffffffffu, value, unsigned(apart)));
    return value;
}

/// Raises `to` by what the `Threads` threads of a block have; called by all of them.
template <int Threads>
__device__ void raise_by_block(row_extremes<double>& to, row_extremes<double> const& mine) {
    __shared__ double memory[Threads / 32][sizeof(row_extremes<double>) / sizeof(double)];
    auto* const warps = reinterpret_cast<row_extremes<double>*>(memory);
    int const lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    auto const reduced = [](row_extremes<double> const& most) {
        row_extremes<double> all;
        all.residual = largest_of_warp(most.residual);
        all.matrix = largest_of_warp(most.matrix);
        all.solution = largest_of_warp(most.solution);
        all.side = largest_of_warp(most.side);
        all.componentwise = largest_of_warp(most.componentwise);
        all.hollow = largest_of_warp(most.hollow);
        return all;
    };
    auto const own = reduced(mine);
    if (lane == 0) warps[warp] = own;
    __syncthreads();
    if (warp > 0) return;
    auto const all = reduced(lane < Threads / 32 ? warps[lane] : row_extremes<double>{});
    __syncwarp(); // all have read
    if (lane == 0) warps[0] = all;
    __syncwarp();
    // A lane each: they look at what is there before they raise it, and one after the other would wait six times.
    constexpr int values = sizeof(row_extremes<double>) / sizeof(double);
    if (lane < values) raise_to(reinterpret_cast<double*>(&to) + lane, memory[0][lane]);
}

/// Extremes that a thread gathers over scalar rows, and what they come to.
template <class T>
using gathered_extremes =
    std::conditional_t<sizeof(real_lane_t<T>) == sizeof(float), quotient_extremes, row_extremes<double>>;
__device__ inline row_extremes<double> settled(quotient_extremes const& most) { return most.divided(); }
__device__ inline row_extremes<double> settled(row_extremes<double> const& most) { return most; }

/// Scalar rows of one system along their strands, every `stride`th from `first` on.
template <class T>
__device__ row_extremes<double> measure_strands(measure_job<T> const& job, system_place const& s, std::int64_t column,
                                                std::int64_t first, std::int64_t stride) {
    gathered_extremes<T> most;
    strand_rows<T, 3> const rows(job.rows, s, column);
    std::int64_t const begin = rows.begin(), end = rows.end() > begin ? rows.end() : begin;
#pragma unroll(sizeof(real_lane_t <T>) == 4 ? 2 : 1) // where there are registers for the loads of two rows
    for (std::int64_t j = begin + first; j < end; j += stride) rows.template take<3>(load_one{}, j, most);
    if (first < begin) rows.take_end(load_one{}, first, most); // there is one on either side
    if (end + first < s.rows) rows.take_end(load_one{}, end + first, most);
    return settled(most);
}

/// The rows of one system, by all threads of all blocks of `Threads`; scalar rows go along their strands.
template <int Threads, class T>
__device__ void measure_system(measure_job<T> const& job, std::int64_t first, std::int64_t stride) {
    matrix_rows<T> const& a = job.rows.a;
    system_place s = a.batch.system(0);
    s.stride = 1; // interleaved with none
    for (std::int64_t i = first; i < a.scalar_rows && job.sums.open(0); i += stride)
        job.sums.look(s, i / a.n, int(i % a.n));
    for (std::int64_t column = 0; column < job.columns; ++column) {
        row_extremes<double> most;
        if (a.n == 1 && !a.banded())
            most = measure_strands(job, s, column, first, stride);
        else
            for (std::int64_t i = first; i < a.scalar_rows; i += stride)
                job.rows.take(s, i / a.n, int(i % a.n), column, most);
        raise_by_block<Threads>(job.parts[column], most);
        __syncthreads(); // all have read what the next column overwrites
    }
}

/// The rows of many systems.
template <class T>
__device__ void measure_systems(measure_job<T> const& job, std::int64_t first, std::int64_t stride) {
    matrix_rows<T> const& a = job.rows.a;
    std::int64_t last = -1;
    row_extremes<double> most;
    for (std::int64_t at = first; at < a.scalar_rows * job.columns; at += stride) {
        row_place<T> const here(a, at);
        if (!job.scope.covers(here.system.system)) continue;
        std::int64_t const part = here.system.system * job.columns + here.side;
        if (part != last) {
            if (last >= 0) raise(job.parts[last], most);
            most = row_extremes<double>{};
            last = part;
        }
        job.rows.take(here.system, here.j, here.r, here.side, most);
        if (here.side == 0 && job.sums.open(here.system.system)) job.sums.look(here.system, here.j, here.r);
    }
    if (last >= 0) raise(job.parts[last], most);
}

/// One system is judged by the block that is done last.
template <class T>
__global__ void __launch_bounds__(measure_threads, measure_blocks)
    measure_kernel(__grid_constant__ measure_job<T> const job, __grid_constant__ judge_system const judging) {
    wait_for_predecessor();
    if (!job.scope.open()) return;
    std::int64_t const first = std::int64_t(blockIdx.x) * measure_threads + threadIdx.x;
    std::int64_t const stride = std::int64_t(gridDim.x) * measure_threads;
    if (job.rows.a.batch.systems > 1) return measure_systems(job, first, stride);
    if (job.scope.covers(0)) measure_system<measure_threads>(job, first, stride);
    if (threadIdx.x != 0) return; // the one that raised what its block has
    __threadfence();
    if (atomicAdd(judging.memory.arrived(), 1) != int(gridDim.x) - 1) return;
    __threadfence();
    *judging.memory.arrived() = 0;
    judging(0);
}

/// Measures; true if it judges, too.
template <class T>
bool measure(cuda_executor const& exec, measure_job<T> const& job, judge_system const& judging) {
    std::int64_t const systems = job.rows.a.batch.systems;
    std::int64_t const rows = job.rows.a.scalar_rows * (systems == 1 ? 1 : job.columns);
    std::int64_t const needed = (rows + measure_threads - 1) / measure_threads;
    auto const blocks = unsigned(std::clamp<std::int64_t>(needed, 1, measure_blocks * exec.multiprocessors()));
    launch_early(exec, &measure_kernel<T>, dim3(blocks), measure_threads, 0, {}, job, judging);
    return systems == 1;
}

} // namespace coppice::chain
