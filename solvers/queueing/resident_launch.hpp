// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Launchers of on-chip sweeps: one worker of the host, or one cluster of CUDA blocks, for each system. Included by the
/// sources that instantiate it.
#pragma once

#include <algorithm>
#include <cstdint>

#include <coppice/core/error.hpp>
#include <coppice/core/host/parallel_host.hpp>
#include <coppice/solvers/queueing/resident_team.hpp>
#if defined(__CUDACC__)
#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/cuda/launch_shared.cuh>
#endif

namespace coppice::inline v0_1::detail {

/// A single host worker as a team.
struct resident_worker {
    int rank() const { return 0; }
    int size() const { return 1; }
    void sync() const {}
    int member() const { return 0; }
    int members() const { return 1; }
    void sync_all() const {}
    template <class P>
    P* peer(P* p, int) const { // not covered: it is alone
        return p;
    }
};

inline int resident_threads(host_executor const&, std::int64_t) { return 1; }
inline int max_resident_members(host_executor const&) { return 1; }
/// Maximum bytes of memory of a worker, about the size of the caches of a core. A constant, so that the bits do not
/// depend on the machine.
inline std::int64_t resident_limit(host_executor const&, std::int64_t requested) {
    constexpr std::int64_t near_a_core = std::int64_t(4) << 20;
    return requested < 0 ? near_a_core : requested;
}
/// On the host there is no benefit in keeping only a part of the data in the worker's memory.
template <class T>
bool can_run_resident(host_executor const&, resident_job<T> const& job, int) {
    return job.memory.couplings;
}
/// Bytes of workspace that the executor allocates.
template <class T>
std::int64_t workspace_bytes(host_executor const& exec, resident_job<T> const& job) {
    return job.memory.bytes * std::min<std::int64_t>(exec.threads(), job.layout.systems);
}
template <class T>
void run_resident(host_executor const& exec, resident_job<T> const& job, int, std::byte* workspace) {
    std::int64_t const systems = job.layout.systems, workers = std::min<std::int64_t>(exec.threads(), systems);
    for_each_block(exec, workers, 1, [&](std::int64_t w, std::int64_t, std::int64_t) {
        for (std::int64_t s = systems * w / workers; s < systems * (w + 1) / workers; ++s)
            sweep_resident<true>(resident_worker{}, job, s, workspace + w * job.memory.bytes);
    });
}

#if defined(__CUDACC__)

/// The blocks of a cluster, or a single block, as a team.
struct resident_cluster {
    int blocks, index; ///< number of blocks, and index of this block

    __device__ int rank() const { return int(threadIdx.x); }
    __device__ int size() const { return int(blockDim.x); }
    __device__ void sync() const { __syncthreads(); }
    __device__ int member() const { return index; }
    __device__ int members() const { return blocks; }
    __device__ void sync_all() const {
#if __CUDA_ARCH__ >= 900
        if (blocks > 1) {
            asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
            return;
        }
#endif
        __syncthreads();
    }
    template <class P>
    __device__ P* peer(P* p, int m) const {
#if __CUDA_ARCH__ >= 900
        P* there;
        asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(p), "r"(m));
        return there;
#else
        return p;
#endif
    }
};

inline constexpr int max_resident_threads = 512;
inline constexpr int portable_cluster = 8; ///< maximum cluster size that every device with clusters supports

template <bool Inside, class T>
__global__ void __launch_bounds__(max_resident_threads, 1)
    resident_kernel(__grid_constant__ resident_job<T> const job) {
    wait_for_predecessor();
    extern __shared__ __align__(16) unsigned char shared[];
    int const blocks = job.layout.members, system = int(blockIdx.x) / blocks;
    sweep_resident<Inside>(resident_cluster{blocks, int(blockIdx.x) - system * blocks}, job, system,
                           reinterpret_cast<std::byte*>(shared));
}
template <class T>
auto* kernel_of(resident_job<T> const& job) {
    return job.memory.couplings ? &resident_kernel<true, T> : &resident_kernel<false, T>;
}

/// One thread for each two rows, up to the maximum number of threads.
inline int resident_threads(cuda_executor const&, std::int64_t rows) {
    return int(std::clamp<std::int64_t>((rows / 2 + 31) / 32 * 32, 64, max_resident_threads));
}
inline int max_resident_members(cuda_executor const&) { return 16; }
inline std::int64_t resident_limit(cuda_executor const& exec, std::int64_t requested) {
    std::int64_t const available = shared_limit(exec);
    return requested < 0 ? available : std::min(requested, available);
}
inline cudaLaunchAttribute cluster_of(int blocks) {
    cudaLaunchAttribute cluster{};
    cluster.id = blocks == 1 ? cudaLaunchAttributeIgnore : cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = unsigned(blocks);
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    return cluster;
}
template <class T>
void allow_resident(cuda_executor const& exec, void (*kernel)(resident_job<T>), resident_job<T> const& job) {
    offer_shared(exec, kernel, std::size_t(job.memory.bytes));
    if (job.layout.members > portable_cluster)
        COPPICE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
}
/// Whether the device can run at least one such team.
template <class T>
bool can_run_resident(cuda_executor const& exec, resident_job<T> const& job, int threads) {
    auto* const kernel = kernel_of(job);
    int const members = job.layout.members;
    if (job.layout.systems > std::int64_t(INT32_MAX) / members) return false;
    if (members == 1) return true;
    if (!starts_early(exec, kernel)) return false;
    allow_resident(exec, kernel, job);
    cudaLaunchAttribute cluster = cluster_of(members);
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(unsigned(members));
    config.blockDim = dim3(unsigned(threads));
    config.dynamicSmemBytes = std::size_t(job.memory.bytes);
    config.attrs = &cluster;
    config.numAttrs = 1;
    int clusters = 0;
    if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) != cudaSuccess) {
        cudaGetLastError(); // the device does not support clusters of this size
        return false;
    }
    return clusters > 0;
}
template <class T>
std::int64_t workspace_bytes(cuda_executor const&, resident_job<T> const&) {
    return 0;
}
template <class T>
void run_resident(cuda_executor const& exec, resident_job<T> const& job, int threads, std::byte*) {
    auto* const kernel = kernel_of(job);
    allow_resident(exec, kernel, job);
    launch_early(exec, kernel, dim3(unsigned(job.layout.systems * job.layout.members)), threads,
                 std::size_t(job.memory.bytes), cluster_of(job.layout.members), job);
}

#endif

} // namespace coppice::inline v0_1::detail
