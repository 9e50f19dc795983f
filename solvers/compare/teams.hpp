// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Launch of work for teams: the threads of a CUDA block, or one worker of the host, with shared memory. Included by
/// the sources that instantiate it.
#pragma once

#include <algorithm>
#include <cstdint>

#include <coppice/core/block.hpp>
#include <coppice/core/host/parallel_host.hpp>
#include <coppice/core/memory.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_lane.hpp> // alone
#if defined(__CUDACC__)
#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/cuda/launch_shared.cuh>
#endif

namespace coppice::inline v0_1::classical {

/// Calls work(team, t, memory) for each of `teams` teams, with `elements` elements of shared memory.
template <class T, class Work>
void run_teams(host_executor const& exec, std::int64_t teams, int, std::int64_t elements, Work const& work) {
    std::int64_t const workers = std::min<std::int64_t>(exec.threads(), teams);
    buffer<T> memory(exec, elements * workers);
    detail::for_each_block(exec, workers, 1, [&](std::int64_t w, std::int64_t, std::int64_t) {
        for (std::int64_t t = teams * w / workers; t < teams * (w + 1) / workers; ++t)
            work(chain::alone{}, t, memory.data() + w * elements);
    });
}

/// Maximum number of workers of a team.
inline constexpr int max_team_workers = 512;

#if defined(__CUDACC__)

struct block_of_threads {
    __device__ int rank() const { return int(threadIdx.x); }
    __device__ int size() const { return int(blockDim.x); }
    __device__ void sync() const { __syncthreads(); }
    __device__ static constexpr int lanes() { return warp_lanes; }
    __device__ unsigned votes(bool condition) const { return cuda_block{}.ballot(condition); }
    template <class Value>
    __device__ Value from_lane(Value const& value, int lane) const {
        return cuda_block{}.from_lane(value, lane);
    }
};

template <class T, class Work>
__global__ void __launch_bounds__(max_team_workers) team_kernel(Work work) {
    wait_for_predecessor();
    extern __shared__ __align__(16) unsigned char shared[];
    work(block_of_threads{}, std::int64_t(blockIdx.x), reinterpret_cast<T*>(shared));
}

template <class T, class Work>
void run_teams(cuda_executor const& exec, std::int64_t teams, int threads, std::int64_t elements, Work const& work) {
    auto const grid = checked_cast<int>(teams, "number of CUDA blocks");
    launch_shared(exec, &team_kernel<T, Work>, dim3(unsigned(grid)), threads, std::size_t(elements) * sizeof(T), work);
}

#endif

} // namespace coppice::inline v0_1::classical
