// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// CUDA launcher of the error computation.
#pragma once

#include <algorithm>
#include <type_traits>

#include <coppice/core/cuda/launch_early.cuh>
#include <coppice/core/executor.hpp>
#include <coppice/solvers/direct/error/band_error.hpp>

namespace coppice::inline v0_1::chain {

inline constexpr int measure_threads = 256;
/// Blocks of a multiprocessor; more hide memory latency, although a few registers are spilled.
inline constexpr int measure_blocks = 4;

/// Maximum over the lanes of a warp, valid in its first lane.
__device__ inline double largest_of_warp(double value) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        value = larger_or_nan(value, __shfl_down_sync(0xffffffffu, value, unsigned(distance)));
    return value;
}

/// Raises `to` to the maxima over the `Threads` threads of a block; called by all of them.
template <int Threads>
__device__ void raise_by_block(row_extremes<double>& to, row_extremes<double> const& mine) {
    __shared__ double memory[Threads / 32][sizeof(row_extremes<double>) / sizeof(double)];
    auto* const warps = reinterpret_cast<row_extremes<double>*>(memory);
    int const lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    auto const reduced = [](row_extremes<double> const& maxima) {
        return row_extremes<double>::each([](double value) { return largest_of_warp(value); }, maxima);
    };
    auto const own = reduced(mine);
    if (lane == 0) warps[warp] = own;
    __syncthreads();
    if (warp > 0) return;
    auto const all = reduced(lane < Threads / 32 ? warps[lane] : row_extremes<double>{});
    __syncwarp(); // all lanes have read
    if (lane == 0) warps[0] = all;
    __syncwarp();
    // Each value is raised by another lane: raise_to() waits for a load, and a single lane would wait six times.
    constexpr int values = sizeof(row_extremes<double>) / sizeof(double);
    if (lane < values) raise_to(reinterpret_cast<double*>(&to) + lane, memory[0][lane]);
}

/// Maxima that a thread collects over scalar rows, and the conversion to row_extremes.
template <class T>
using gathered_extremes =
    std::conditional_t<sizeof(real_lane_t<T>) == sizeof(float), quotient_extremes, row_extremes<double>>;
__device__ inline row_extremes<double> divided_extremes(quotient_extremes const& maxima) { return maxima.divided(); }
__device__ inline row_extremes<double> divided_extremes(row_extremes<double> const& maxima) { return maxima; }

/// Scalar rows of one system with strided access, rows first, first + stride, ...
template <class T>
__device__ row_extremes<double> measure_strided_rows(measure_job<T> const& job, system_location const& s,
                                                     std::int64_t column, std::int64_t first, std::int64_t stride) {
    gathered_extremes<T> maxima;
    strided_rows<T, 3> const rows(job.rows, s, column);
    std::int64_t const begin = rows.begin(), end = rows.end() > begin ? rows.end() : begin;
#pragma unroll(sizeof(real_lane_t <T>) == 4 ? 2 : 1) // two rows in flight if registers suffice
    for (std::int64_t j = begin + first; j < end; j += stride) rows.template take<3>(load_one{}, j, maxima);
    if (first < begin) rows.take_end(load_one{}, first, maxima); // one incomplete row at each end
    if (end + first < s.rows) rows.take_end(load_one{}, end + first, maxima);
    return divided_extremes(maxima);
}

/// The rows of one system, by all threads of all blocks of `Threads`; scalar rows use strided access.
template <int Threads, class T>
__device__ void measure_system(measure_job<T> const& job, std::int64_t first, std::int64_t stride) {
    matrix_rows<T> const& a = job.rows.a;
    system_location s = a.batch.system(0);
    s.stride = 1; // a single system is not interleaved
    for (std::int64_t i = first; i < a.scalar_rows && job.sums.open(0); i += stride)
        job.sums.check(s, i / a.n, int(i % a.n));
    for (std::int64_t column = 0; column < job.columns; ++column) {
        row_extremes<double> maxima;
        if (a.n == 1 && !a.banded())
            maxima = measure_strided_rows(job, s, column, first, stride);
        else
            for (std::int64_t i = first; i < a.scalar_rows; i += stride)
                job.rows.take(s, i / a.n, int(i % a.n), column, maxima);
        raise_by_block<Threads>(job.errors[column], maxima);
        __syncthreads(); // the next column overwrites what all threads have read
    }
}

/// The rows of many systems.
template <class T>
__device__ void measure_systems(measure_job<T> const& job, std::int64_t first, std::int64_t stride) {
    matrix_rows<T> const& a = job.rows.a;
    std::int64_t last = -1;
    row_extremes<double> maxima;
    for (std::int64_t at = first; at < a.scalar_rows * job.columns; at += stride) {
        row_location<T> const here(a, at);
        if (!job.scope.covers(here.system.system)) continue;
        std::int64_t const index = here.system.system * job.columns + here.rhs_index;
        if (index != last) {
            if (last >= 0) raise(job.errors[last], maxima);
            maxima = row_extremes<double>{};
            last = index;
        }
        job.rows.take(here.system, here.j, here.r, here.rhs_index, maxima);
        if (here.rhs_index == 0 && job.sums.open(here.system.system)) job.sums.check(here.system, here.j, here.r);
    }
    if (last >= 0) raise(job.errors[last], maxima);
}

/// The last block to finish runs `checking` if there is one system, or no report. Many systems with reports are checked
/// by another kernel in parallel, since every call with reports checks them; without reports the check is rare.
template <class T>
__global__ void __launch_bounds__(measure_threads, measure_blocks)
    measure_kernel(__grid_constant__ measure_job<T> const job, __grid_constant__ check_system const checking) {
    wait_for_predecessor();
    if (!job.scope.open()) return;
    std::int64_t const first = std::int64_t(blockIdx.x) * measure_threads + threadIdx.x;
    std::int64_t const stride = std::int64_t(gridDim.x) * measure_threads;
    std::int64_t const systems = job.rows.a.batch.systems;
    if (systems > 1) {
        measure_systems(job, first, stride);
        if (checking.report) return;
        __syncthreads(); // all threads have raised their maxima
    } else if (job.scope.covers(0)) {
        measure_system<measure_threads>(job, first, stride);
    }
    bool is_last = false;
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicAdd(checking.memory.arrived(), 1) == int(gridDim.x) - 1;
        if (is_last) *checking.memory.arrived() = 0;
    }
    if (!__syncthreads_or(is_last)) return;
    __threadfence();
    for (std::int64_t s = threadIdx.x; s < systems; s += measure_threads) checking(s);
}

/// Computes the errors; returns true if it also runs `checking`.
template <class T>
bool measure(cuda_executor const& exec, measure_job<T> const& job, check_system const& checking) {
    std::int64_t const systems = job.rows.a.batch.systems;
    std::int64_t const rows = job.rows.a.scalar_rows * (systems == 1 ? 1 : job.columns);
    std::int64_t const needed = (rows + measure_threads - 1) / measure_threads;
    auto const blocks = unsigned(std::clamp<std::int64_t>(needed, 1, measure_blocks * exec.multiprocessors()));
    launch_early(exec, &measure_kernel<T>, dim3(blocks), measure_threads, 0, {}, job, checking);
    return systems == 1 || !checking.report;
}

} // namespace coppice::inline v0_1::chain
