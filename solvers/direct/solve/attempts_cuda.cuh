// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The later attempts for systems that RPTS solves first, as one CUDA kernel. They are rarely needed, and a kernel that
/// only reads a false device predicate takes 2.7 us; fifteen such kernels take three times as long as a small solve. So
/// a single kernel reads the predicate. If it is true, its blocks, which all run simultaneously, execute one work item
/// after the other with a grid barrier in between.
#pragma once

#include <algorithm>

#include <cooperative_groups.h>

#include <coppice/solvers/direct/block_banded/chain_cuda.cuh>
#include <coppice/solvers/direct/error/error_cuda.cuh>
#include <coppice/solvers/direct/solve/fallback_attempts.hpp>

namespace coppice::inline v0_1::chain {

inline constexpr int attempts_warps = 4, attempts_threads = attempts_warps * warp_lanes;
static_assert(attempts_threads == min_tree_threads);

/// Mapping of the work of an attempt to the blocks.
struct attempts_plan {
    levels all;
    tile_plan down, back; ///< for a warp
    tree_plan tree;
    std::int64_t tree_blocks;
    int blocks, bytes;
};

/// Dynamic shared memory of a block, without the static memory that measure_system() declares.
inline int shared_limit_of_attempts(cuda_executor const& exec) { return shared_limit(exec) - 1024; }

/// The blocks of a running kernel as a launcher: all of them make the same calls, and each call returns after all
/// blocks have finished.
struct running_grid {
    attempts_plan const& plan;
    unsigned char* shared; ///< plan.bytes bytes

    __device__ void sync() const { cooperative_groups::this_grid().sync(); }
};

__device__ inline bool is_skipped(running_grid const&, int const* predicate) {
    return *static_cast<int const volatile*>(predicate) == 0;
}

template <class F>
__device__ void for_each(running_grid const& on, std::int64_t n, F const& f) {
    std::int64_t const stride = std::int64_t(gridDim.x) * attempts_threads;
    for (std::int64_t i = std::int64_t(blockIdx.x) * attempts_threads + threadIdx.x; i < n; i += stride) f(i);
    on.sync();
}

template <class T>
__device__ int rhs_at_once(running_grid const&, matrix_rows<T> const&) {
    return 1;
}

/// Processes a level by tiles, one for each warp.
template <bool Left, class T>
__device__ void run_tiles_of(running_grid const& on, chain_level<T, matrix_block_rows<T>> const& s,
                             tile_plan const& plan) {
    using tile_type = warp_tile<T, matrix_block_rows<T>, 1, 2, Left, cuda_warp>;
    constexpr int segments = tile_type::sizes::segments;
    int const warp = int(threadIdx.x) / warp_lanes;
    std::int64_t const step = std::int64_t(gridDim.x) * attempts_warps * segments;
    cuda_warp const block;
    for (std::int64_t first = (std::int64_t(blockIdx.x) * attempts_warps + warp) * segments; first < s.segments;
         first += step) {
        tile_type(block, s, first, s.segments, plan, on.shared + warp * plan.bytes).run();
        block.sync();
    }
    on.sync();
}

template <class T>
__device__ void solve_condensed(running_grid const& on, tree_job<T> const& job) {
    grid_barrier barrier;
    auto* const shared = reinterpret_cast<T*>(on.shared);
    for (std::int64_t index = blockIdx.x; index < on.plan.tree_blocks; index += gridDim.x) {
        solve_condensed<2>(cuda_block{}, job, index, barrier, shared);
        __syncthreads();
    }
    // If several blocks share a system, the loop has at most one iteration, and solve_condensed() waits once at a
    // barrier of the whole grid. Blocks without an iteration must wait at the same barrier.
    if (job.plan.slices > 1 && blockIdx.x >= on.plan.tree_blocks) on.sync();
    on.sync();
}

/// A chain solve of one column. Not inlined, so that its code occurs once in the kernel although two attempts call it.
template <class T>
__device__ __noinline__ void solve_columns(running_grid const& on, matrix_block_rows<T> const& block_rows,
                                           elimination<real_lane_t<T>> const& how, std::byte* condensed, std::byte*,
                                           int const*) {
    auto const finest = finest_level(block_rows, on.plan.all, how, condensed, nullptr);
    run_tiles_of<true>(on, finest, on.plan.down);
    tree_job<T> job(finest.condensed, on.plan.all, how, nullptr);
    job.plan = on.plan.tree;
    solve_condensed(on, job);
    run_tiles_of<false>(on, finest, on.plan.back);
}

template <class T>
__device__ __noinline__ bool measure(running_grid const& on, measure_job<T> const& job, check_system const&) {
    std::int64_t const first = std::int64_t(blockIdx.x) * attempts_threads + threadIdx.x;
    std::int64_t const stride = std::int64_t(gridDim.x) * attempts_threads;
    if (job.rows.a.batch.systems > 1)
        measure_systems(job, first, stride);
    else if (job.scope.covers(0))
        measure_system<attempts_threads>(job, first, stride);
    on.sync();
    return false;
}

template <class T>
__global__ void __launch_bounds__(attempts_threads, 1)
    attempts_kernel(__grid_constant__ later_attempts<T> const attempts, __grid_constant__ attempts_plan const plan,
                    int const* predicate) {
    extern __shared__ __align__(16) unsigned char shared[];
    wait_for_predecessor();
    if (!is_enabled(predicate)) return; // uniform over the grid, so that no block waits at a barrier
    attempts.run(running_grid{plan, shared});
}

/// Plan with few blocks, so that a false predicate costs little: up to 64 blocks take 3 us, one on every multiprocessor
/// up to 10 us.
template <class T>
attempts_plan plan_attempts_of(cuda_executor const& exec, later_attempts<T> const& attempts) {
    constexpr int rows_of_block = 1 << 14;
    matrix_rows<T> const& a = attempts.rows.a;
    attempts_plan plan;
    plan.all = levels_of(exec, a);
    plan.down = tile_sizes<T, matrix_block_rows<T>, 1, 2, true>::plan(plan.all.length());
    plan.back = tile_sizes<T, matrix_block_rows<T>, 1, 2, false>::plan(plan.all.length());
    plan.blocks =
        int(std::clamp<std::int64_t>((a.scalar_rows + rows_of_block - 1) / rows_of_block, 1, exec.multiprocessors()));
    plan.tree = plan_tree<T, 2>(a.batch.systems, plan.all.count(a.batch.rows, 1), plan.blocks,
                                shared_limit_of_attempts(exec), attempts_threads);
    plan.tree.threads = attempts_threads;
    plan.tree_blocks = plan.tree.blocks(merge_lanes<2>);
    plan.bytes = std::max({attempts_warps * plan.down.bytes, attempts_warps * plan.back.bytes,
                           int(tree_memory<T, 2>(plan.tree).bytes())});
    return plan;
}

/// Queues the later attempts: as one kernel if they solve scalar rows by tiles and a tree.
template <class T>
void queue_attempts(cuda_executor const& exec, later_attempts<T> const& attempts) {
    if constexpr (!is_complex_lane<T>) {
        matrix_rows<T> const& a = attempts.rows.a;
        if (attempts.chain.follows && a.n == 1 && !a.cyclic && !a.banded() && !a.batch.offsets &&
            merges_in_one_kernel(exec, a)) {
            auto const plan = plan_attempts_of(exec, attempts);
            auto const kernel = &attempts_kernel<T>;
            COPPICE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                    shared_limit_of_attempts(exec)));
            cudaLaunchAttribute together{};
            together.id = cudaLaunchAttributeCooperative;
            together.val.cooperative = 1;
            launch_early(exec, kernel, dim3(unsigned(plan.blocks)), attempts_threads, std::size_t(plan.bytes), together,
                         attempts, plan, attempts.predicate());
            return;
        }
    }
    attempts.run(exec);
}

} // namespace coppice::inline v0_1::chain
