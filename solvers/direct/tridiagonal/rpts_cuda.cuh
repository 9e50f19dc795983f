// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// CUDA launcher of RPTS. All work is queued on the stream of the executor, without allocation and synchronisation, so
/// that a solve can be captured into a CUDA graph.
#pragma once

#include <algorithm>
#include <string>

#include <cooperative_groups.h>

#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/cuda/launch_early.cuh>
#include <coppice/core/cuda/launch_shared.cuh>
#include <coppice/core/executor.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_block.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_on_chip.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_tuning.hpp>

namespace coppice::inline v0_1::rpts {

/// Pack of the right-hand sides of a tile, if there are several: 16 bytes for each row.
template <class T>
using tile_rhs = rhs_pack<T, 16 / int(sizeof(T))>;

/// Blocks that fit into the shared memory of a multiprocessor (228 KiB; each block reserves 1 KiB more); the compiler
/// must limit registers accordingly.
constexpr int tiles_at_once(int bytes) { return 228 * 1024 / (bytes + 1024); }

/// The tile and the right-hand sides of a block. Blocks with right-hand sides of the same tile have consecutive
/// numbers, so that the matrix is in the cache.
template <class R, class T>
__device__ level<T> level_of_block(level<T> const& all, unsigned x, unsigned y, std::int64_t& tile) {
    unsigned const groups = unsigned((all.fine.columns + rhs_count<R> - 1) / rhs_count<R>);
    tile = x / groups;
    return all.at(y, std::int64_t(x % groups) * rhs_count<R>);
}

template <pivoting P, class R, bool Cyclic, class T>
__global__ void __launch_bounds__(tile_threads, tiles_at_once(tile_bytes<T, R>)) reduce_kernel(level<T> all) {
    extern __shared__ __align__(16) unsigned char shared[];
    std::int64_t tile;
    level<T> const s = level_of_block<R>(all, blockIdx.x, blockIdx.y, tile);
    reduce_tile<P, R, Cyclic>(cuda_block{}, s, tile, shared, [] {
        wait_for_predecessor();
        start_successor();
    });
}

// Loads its rows while its predecessor runs. All work queued before the last reduction is complete when this kernel
// starts, since reductions and the kernel that solves the last system let their successor start only after they have
// waited themselves. Tiles run from the last to the first: the rows that the reduction read last are still in the
// second-level cache.
template <pivoting P, class R, bool Cyclic, class T>
__global__ void __launch_bounds__(tile_threads, tiles_at_once(tile_rows_bytes<T, R>)) substitute_kernel(level<T> all) {
    start_successor();
    extern __shared__ __align__(16) unsigned char shared[];
    std::int64_t tile;
    level<T> const s = level_of_block<R>(all, gridDim.x - 1 - blockIdx.x, gridDim.y - 1 - blockIdx.y, tile);
    substitute_tile<P, R, Cyclic>(cuda_block{}, s, tile, shared); // waits for its predecessor
}

/// Barrier of the blocks that share a system. They form a cluster, or all blocks of the grid run simultaneously
/// (cooperative launch) and process their items in order, so that all slices of the first unfinished system are
/// running.
struct slice_barrier {
    int* arrivals;  ///< one for each pair
    bool cluster;   ///< use the barrier of the cluster
    bool one_round; ///< every block has one item: a single grid barrier suffices
    bool opened = false;

    __device__ void open(std::int64_t pairs) const {
        if (cluster || one_round || blockIdx.x > 0) return;
        for (std::int64_t i = threadIdx.x; i < pairs; i += blockDim.x) arrivals[i] = 0;
    }
    __device__ void wait(cuda_block const& block, std::int64_t pair, int slices) {
        if (cluster) {
#if __CUDA_ARCH__ >= 900
            asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
#endif
            return;
        }
        if (!opened) cooperative_groups::this_grid().sync(); // also makes the zeros of open() visible to all blocks
        opened = true;
        if (one_round) return;
        block.sync();
        if (block.thread() == 0) {
            int* const count = arrivals + pair;
            asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(count) : "memory");
            int seen = 0;
            do asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(count) : "memory");
            while (seen < slices);
        }
        block.sync();
    }
};

template <pivoting P, bool Flushes, int M, bool Cyclic, class T>
__global__ void __launch_bounds__(resident_threads, 1)
    resident_kernel(__grid_constant__ resident_job<T> const job, int* arrivals) {
    wait_for_predecessor();
    start_successor();
    extern __shared__ __align__(16) unsigned char shared[];
    slice_barrier barrier{arrivals, job.plan.cluster, job.plan.items <= std::int64_t(gridDim.x)};
    if (job.plan.slices > 1) barrier.open(job.plan.pairs);
    for (int item = int(blockIdx.x); item < int(job.plan.items); item += int(gridDim.x)) {
        T* const memory = reinterpret_cast<T*>(shared);
        if constexpr (Flushes)
            solve_resident<P, M, Cyclic>(cuda_block{}, job, item, barrier, memory, job.threshold);
        else
            solve_resident<P, M, Cyclic>(cuda_block{}, job, item, barrier, memory, no_threshold{});
    }
}

/// Cyclic systems have separate kernels, so that those of other systems need no additional registers; only for solves
/// with pivoting and without a threshold.
inline bool takes_cyclic(cuda_executor const&, std::int64_t rows, tridiagonal_options const& options) {
    return rows >= direct_rows && options.pivot != pivoting::none && options.threshold == 0;
}

/// Calls work(pivoting, whether the system is cyclic), both as compile-time constants.
template <class Work>
void with_kernel(pivoting pivot, bool cyclic, Work const& work) {
    with_pivoting(pivot, [&](auto p) {
        if constexpr (decltype(p)::value != pivoting::none)
            if (cyclic) return work(p, std::true_type{});
        work(p, std::false_type{});
    });
}

template <class T>
bool run_level(cuda_executor const& exec, level<T> const& s, level_step step, pivoting pivot) {
    auto const launch = [&]<class R>(auto p, auto cyclic, std::type_identity<R>) {
        constexpr pivoting P = decltype(p)::value;
        constexpr bool is_cyclic = decltype(cyclic)::value;
        bool const reduces = step == level_step::reduce;
        auto* const kernel = reduces ? &reduce_kernel<P, R, is_cyclic, T> : &substitute_kernel<P, R, is_cyclic, T>;
        std::int64_t const tiles = (s.partitions + tile_partitions - 1) / tile_partitions;
        std::int64_t const groups = (s.fine.columns + rhs_count<R> - 1) / rhs_count<R>;
        auto const grid = checked_cast<int>(tiles * groups, "number of CUDA blocks of a tridiagonal solve");
        launch_shared(exec, kernel, dim3(unsigned(grid), unsigned(s.fine.systems)), tile_threads,
                      std::size_t(reduces ? tile_bytes<T, R> : tile_rows_bytes<T, R>), s);
    };
    with_kernel(pivot, s.fine.cyclic, [&](auto p, auto cyclic) {
        if (s.fine.columns == 1)
            launch(p, cyclic, std::type_identity<T>{});
        else
            launch(p, cyclic, std::type_identity<tile_rhs<T>>{});
    });
    return true;
}

template <class T>
void launch_resident(cuda_executor const& exec, void (*kernel)(resident_job<T> const, int*), resident_job<T> job,
                     int* arrivals) {
    resident_plan const& plan = job.plan;
    std::size_t const bytes = std::size_t(resident_memory<T>(plan).bytes());
    allow_shared(exec, kernel, bytes);
    int blocks = checked_cast<int>(plan.items, "number of work items of a tridiagonal solve");
    cudaLaunchAttribute sharing{}; // makes blocks that share a system run simultaneously
    if (plan.cluster) {
        sharing.id = cudaLaunchAttributeClusterDimension;
        sharing.val.clusterDim = {unsigned(plan.slices), 1, 1};
    } else if (plan.slices > 1) {
        int together = 0; // blocks on a multiprocessor
        COPPICE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&together, kernel, plan.threads, bytes));
        blocks = std::min(blocks, exec.multiprocessors() * together);
        if (blocks < plan.slices)
            throw device_error("RPTS: the device cannot run all blocks of a system simultaneously");
        sharing.id = cudaLaunchAttributeCooperative;
        sharing.val.cooperative = 1;
    }
    launch_early(exec, kernel, dim3(unsigned(blocks)), plan.threads, bytes, sharing, job, arrivals);
}

/// Calls work(std::integral_constant<int, M>).
template <class T, class Work>
void with_partition(int partition, Work const& work) {
    if (partition == min_resident_partition<T>)
        work(std::integral_constant<int, min_resident_partition<T>>{});
    else
        work(std::integral_constant<int, max_resident_partition<T>>{});
}

template <class T>
void launch_resident(cuda_executor const& exec, resident_job<T> const& job, pivoting pivot, int* arrivals) {
    with_partition<T>(job.plan.partition, [&](auto m) {
        constexpr int rows = decltype(m)::value;
        with_kernel(pivot, job.all.cyclic, [&](auto p, auto cyclic) {
            constexpr pivoting P = decltype(p)::value;
            constexpr bool is_cyclic = decltype(cyclic)::value;
            if constexpr (!is_cyclic)
                if (job.threshold > T(0))
                    return launch_resident(exec, &resident_kernel<P, true, rows, false, T>, job, arrivals);
            launch_resident(exec, &resident_kernel<P, false, rows, is_cyclic, T>, job, arrivals);
        });
    });
}

template <class T>
device_limits limits_of(cuda_executor const& exec) {
    constexpr int portable = 8; // supported by every device with clusters
    device_limits all;
    all.multiprocessors = exec.multiprocessors();
    all.in_cluster =
        starts_early(exec, &resident_kernel<pivoting::none, false, max_resident_partition<T>, false, T>) ? portable : 1;
    COPPICE_CUDA_CHECK(
        cudaDeviceGetAttribute(&all.shared_bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, exec.device()));
    return all;
}

/// Levels on a GPU; see rpts_solve.hpp.
template <class T>
struct cuda_levels {
    static constexpr int partition = block_partition;
    tuning_table const& table;
    device_limits device;

    resident_choice choose(std::int64_t rows, std::int64_t systems, bool cyclic) const {
        resident_choice const choice = table.choose<T>(rows, systems, device);
        return cyclic ? choose_cyclic<T>(choice, rows, systems, device) : choice;
    }
    bool is_last(std::int64_t rows, std::int64_t systems, bool cyclic) const {
        return !choose(rows, systems, cyclic).tiles;
    }
};
template <class T>
cuda_levels<T> levels_of(cuda_executor const& exec) {
    return {tuning_of(exec), limits_of<T>(exec)};
}

template <class T>
bool solve_last(cuda_executor const& exec, cuda_levels<T> const& how, system_view<T> const& s, T threshold,
                pivoting pivot, void* memory) {
    resident_plan const plan = plan_resident(s.size, s.pairs(), how.choose(s.size, s.systems, s.cyclic),
                                             how.device.multiprocessors, how.device.in_cluster);
    auto* const segments = static_cast<slice_segment<T>*>(memory);
    auto* const arrivals = reinterpret_cast<int*>(segments + plan.pairs * plan.slices);
    launch_resident(exec, resident_job<T>{s, plan, segments, threshold}, pivot, arrivals);
    return true;
}

/// Solves interleaved systems, or systems of different sizes: each in a block or in part of a warp, with enough threads
/// for the largest.
template <class T>
void solve_whole_systems(cuda_executor const& exec, system_view<T> const& all, tridiagonal_options options) {
    resident_plan const plan =
        plan_whole(all.size, all.pairs(), partition_of_whole<T>(all.size, all.systems, exec.multiprocessors()),
                   exec.multiprocessors());
    resident_job<T> const job{all, plan, nullptr, static_cast<T>(options.threshold)};
    launch_resident(exec, job, options.pivot, nullptr);
}
template <class T>
bool takes_varied(cuda_executor const&, std::int64_t size, std::int64_t systems, std::int64_t largest) {
    return largest <= whole_rows<T> && largest * systems <= 8 * size;
}
template <class T>
bool takes_interleaved(cuda_executor const&, std::int64_t rows) {
    return rows <= whole_rows<T>;
}

} // namespace coppice::inline v0_1::rpts
