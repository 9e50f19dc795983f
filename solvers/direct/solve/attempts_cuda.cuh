// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The later tries of systems that RPTS solves first as one CUDA kernel. They hardly ever take place, and a kernel that
/// looks at a closed gate and leaves takes 2.7 us: fifteen of them took three times as long as small solves. So one
/// kernel looks; where the gate is open its blocks, which all run at once, go from one piece of work to the next with a
/// barrier of the grid in between.
#pragma once

#include <algorithm>

#include <cooperative_groups.h>

#include <coppice/solvers/direct/block_banded/chain_cuda.cuh>
#include <coppice/solvers/direct/error/error_cuda.cuh>
#include <coppice/solvers/direct/solve/fallback_attempts.hpp>

namespace coppice::chain {

inline constexpr int tries_warps = 4, tries_threads = tries_warps * warp_lanes;
static_assert(tries_threads == least_tree_threads);

/// How the work of a try is laid over the blocks.
struct tries_plan {
    levels all;
    tile_plan down, back; ///< of a warp
    tree_plan tree;
    std::int64_t tree_blocks;
    int blocks, bytes;
};

/// Shared memory of a block, but for what the measuring declares itself.
inline int shared_limit_of_tries(cuda_executor const& exec) { return shared_limit(exec) - 1024; }

/// The blocks of a running kernel as a launcher: all of them call it alike, and find everything done.
struct running_grid {
    tries_plan const& plan;
    unsigned char* shared; ///< plan.bytes of it

    __device__ void sync() const { cooperative_groups::this_grid().sync(); }
};

__device__ inline bool stays_closed(running_grid const&, int const* gate) {
    return *static_cast<int const volatile*>(gate) == 0;
}

template <class F>
__device__ void for_each(running_grid const& on, std::int64_t n, F const& f) {
    std::int64_t const stride = std::int64_t(gridDim.x) * tries_threads;
    for (std::int64_t i = std::int64_t(blockIdx.x) * tries_threads + threadIdx.x; i < n; i += stride) f(i);
    on.sync();
}

template <class T>
__device__ int sides_at_once(running_grid const&, matrix_rows<T> const&) {
    return 1;
}

/// A stage by tiles, a warp each.
template <bool Left, class T>
__device__ void run_tiles_of(running_grid const& on, stage<T, row_units<T>> const& s, tile_plan const& plan) {
    using tile_type = warp_tile<T, row_units<T>, 1, 2, Left, cuda_warp>;
    constexpr int stretches = tile_type::sizes::stretches;
    int const warp = int(threadIdx.x) / warp_lanes;
    std::int64_t const step = std::int64_t(gridDim.x) * tries_warps * stretches;
    cuda_warp const block;
    for (std::int64_t first = (std::int64_t(blockIdx.x) * tries_warps + warp) * stretches; first < s.stretches;
         first += step) {
        tile_type(block, s, first, s.stretches, plan, on.shared + warp * plan.bytes).run();
        block.sync();
    }
    on.sync();
}

template <class T>
__device__ void solve_links(running_grid const& on, tree_job<T> const& job) {
    grid_meeting meeting;
    auto* const shared = reinterpret_cast<T*>(on.shared);
    for (std::int64_t index = blockIdx.x; index < on.plan.tree_blocks; index += gridDim.x) {
        solve_links<2>(cuda_block{}, job, index, meeting, shared);
        __syncthreads();
    }
    // Blocks that share a system meet once (there is one turn of the loop then), the others along with them.
    if (job.plan.shares > 1 && blockIdx.x >= on.plan.tree_blocks) on.sync();
    on.sync();
}

/// A chain solve of one column. No part of the kernel twice, though it is done for two tries.
template <class T>
__device__ __noinline__ void solve_columns(running_grid const& on, row_units<T> const& units,
                                           elimination<real_lane_t<T>> const& how, std::byte* links, std::byte*,
                                           int const*) {
    auto const finest = finest_stage(units, on.plan.all, how, links, nullptr);
    run_tiles_of<true>(on, finest, on.plan.down);
    tree_job<T> job(finest.links, on.plan.all, how, nullptr);
    job.plan = on.plan.tree;
    solve_links(on, job);
    run_tiles_of<false>(on, finest, on.plan.back);
}

template <class T>
__device__ __noinline__ bool measure(running_grid const& on, measure_job<T> const& job, judge_system const&) {
    std::int64_t const first = std::int64_t(blockIdx.x) * tries_threads + threadIdx.x;
    std::int64_t const stride = std::int64_t(gridDim.x) * tries_threads;
    if (job.rows.a.batch.systems > 1)
        measure_systems(job, first, stride);
    else if (job.scope.covers(0))
        measure_system<tries_threads>(job, first, stride);
    on.sync();
    return false;
}

template <class T>
__global__ void __launch_bounds__(tries_threads, 1)
    tries_kernel(__grid_constant__ later_tries<T> const tries, __grid_constant__ tries_plan const plan,
                 int const* gate) {
    extern __shared__ __align__(16) unsigned char shared[];
    wait_for_predecessor();
    if (!is_open(gate)) return; // the same in all blocks, so that none waits at a barrier
    tries.run(running_grid{plan, shared});
}

/// Few blocks, so that a closed gate is soon passed: up to 64 take 3 us, one on every multiprocessor up to 10.
template <class T>
tries_plan plan_tries_of(cuda_executor const& exec, later_tries<T> const& tries) {
    constexpr int rows_of_block = 1 << 14;
    matrix_rows<T> const& a = tries.rows.a;
    tries_plan plan;
    plan.all = levels_of(exec, a);
    plan.down = tile_sizes<T, row_units<T>, 1, 2, true>::plan(plan.all.length());
    plan.back = tile_sizes<T, row_units<T>, 1, 2, false>::plan(plan.all.length());
    plan.blocks =
        int(std::clamp<std::int64_t>((a.scalar_rows + rows_of_block - 1) / rows_of_block, 1, exec.multiprocessors()));
    plan.tree = plan_tree<T, 2>(a.batch.systems, plan.all.count(a.batch.rows, 1), plan.blocks,
                                shared_limit_of_tries(exec), tries_threads);
    plan.tree.threads = tries_threads;
    plan.tree_blocks = plan.tree.blocks(join_lanes<2>);
    plan.bytes = std::max(
        {tries_warps * plan.down.bytes, tries_warps * plan.back.bytes, int(tree_memory<T, 2>(plan.tree).bytes())});
    return plan;
}

/// In one kernel where every try solves scalar rows by tiles and a tree.
template <class T>
void queue_tries(cuda_executor const& exec, later_tries<T> const& tries) {
    if constexpr (!is_complex_lane<T>) {
        matrix_rows<T> const& a = tries.rows.a;
        if (tries.chain.follows && a.n == 1 && !a.cyclic && !a.banded() && !a.batch.offsets && joins_links(exec, a)) {
            auto const plan = plan_tries_of(exec, tries);
            auto const kernel = &tries_kernel<T>;
            COPPICE_CUDA_CHECK(
                cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_limit_of_tries(exec)));
            cudaLaunchAttribute together{};
            together.id = cudaLaunchAttributeCooperative;
            together.val.cooperative = 1;
            launch_early(exec, kernel, dim3(unsigned(plan.blocks)), tries_threads, std::size_t(plan.bytes), together,
                         tries, plan, tries.gate());
            return;
        }
    }
    tries.run(exec);
}

} // namespace coppice::chain
