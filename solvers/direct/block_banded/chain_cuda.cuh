// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// CUDA launcher of the chain solver. For small blocks and few bands a warp stages its segments in shared memory and
/// holds their rows in registers (chain_block.hpp); in all other cases a team of lanes works on a segment in shared
/// memory. All work is queued on the stream of the executor; nothing is allocated, and the host does not wait.
#pragma once

#include <algorithm>
#include <string>

#include <cooperative_groups.h>

#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/cuda/launch_early.cuh>
#include <coppice/core/cuda/launch_shared.cuh>
#include <coppice/core/executor.hpp>
#include <coppice/solvers/direct/block_banded/chain_block.hpp>
#include <coppice/solvers/direct/block_banded/chain_tree.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_concepts.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_factor_level.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_final_complement.hpp>

namespace coppice::inline v0_1::chain {

/// `size` consecutive lanes of a warp; a power of two.
struct lane_team {
    int lane, lanes;
    __device__ int rank() const { return lane; }
    __device__ int size() const { return lanes; }
    __device__ void sync() const { __syncwarp(); }
    __device__ bool any(bool condition) const { return __any_sync(0xffffffffu, condition) != 0; }
    template <class T>
    __device__ T from(T const& value, int lane_of_team) const {
        return __shfl_sync(0xffffffffu, value, lane_of_team, lanes);
    }
};

static_assert(team_of_lanes<lane_team> && exchanging_team<lane_team, double>);

/// Lanes of a team, teams of a block, and elements of shared memory of a team.
struct team_layout {
    int lanes, teams, elements;
};

/// A team has enough lanes to load a block row in one or two rounds, since it waits for loads most of the time, and to
/// share the columns of an elimination. It gets more lanes if the shared memory is too small for many teams.
inline team_layout layout_for(int columns, std::int64_t elements, std::int64_t bytes_each, std::int64_t limit) {
    constexpr int threads = 128, warp = 32;
    elements |= 1; // lanes of different teams then access different banks
    int lanes = columns <= 7 ? 4 : columns <= 16 ? 16 : warp;
    while (lanes < warp && warp / lanes * elements * bytes_each > limit) lanes *= 2;
    int teams = threads / lanes;
    while (teams * lanes > warp && teams * elements * bytes_each > limit) teams /= 2;
    return {lanes, teams, int(elements)};
}

/// A warp of the running kernel as a Block.
struct cuda_warp : cuda_block {
    __device__ int thread() const { return int(threadIdx.x) % warp_lanes; }
    __device__ static constexpr int threads() { return warp_lanes; }
    __device__ void sync() const { __syncwarp(); }
    __device__ bool sync_any(bool condition) const {
        bool const any = __any_sync(0xffffffffu, condition) != 0;
        __syncwarp();
        return any;
    }
};

// 8 blocks for each multiprocessor: without this number the register allocator aims at more blocks than the shared
// memory allows, and spills.
template <bool Left, int K, int W, class T, class BlockRows>
__global__ void __launch_bounds__(warp_lanes, 8)
    tile_kernel(__grid_constant__ chain_level<T, BlockRows> const s, tile_plan plan) {
    extern __shared__ __align__(16) unsigned char shared[];
    wait_for_predecessor();
    if (!s.open()) return;
    using tile_type = warp_tile<T, BlockRows, K, W, Left, cuda_warp>;
    cuda_warp const warp;
    // The last tile runs first: it takes longer if the last segment contains padding rows.
    std::int64_t const tile = (blockIdx.x == 0 ? gridDim.x : blockIdx.x) - 1;
    std::int64_t const first = tile * tile_type::sizes::segments;
    tile_type(warp, s, first, s.segments, plan, shared).run();
}

/// A team for each item of a job.
template <class Job>
__global__ void __launch_bounds__(128) team_kernel(Job job, team_layout layout) {
    extern __shared__ __align__(16) unsigned char shared[];
    wait_for_predecessor();
    if (!job.open()) return;
    int const team = int(threadIdx.x) / layout.lanes, rank = int(threadIdx.x) % layout.lanes;
    auto* const memory = reinterpret_cast<typename Job::value_type*>(shared) + team * layout.elements;
    job.run(lane_team{rank, layout.lanes}, std::int64_t(blockIdx.x) * layout.teams + team, memory);
}

/// Barrier of the blocks that share systems; a cooperative launch guarantees that all blocks of the grid run
/// simultaneously.
struct grid_barrier {
    __device__ void wait(cuda_block const&, std::int64_t, int) const { cooperative_groups::this_grid().sync(); }
};

template <int W, class T>
__global__ void __launch_bounds__(tree_threads<T, W>, 1) tree_kernel(__grid_constant__ tree_job<T> const job) {
    extern __shared__ __align__(16) unsigned char shared[];
    wait_for_predecessor();
    if (!job.open()) return; // all blocks take the same branch, so none waits at a barrier
    grid_barrier barrier;
    solve_condensed<W>(cuda_block{}, job, blockIdx.x, barrier, reinterpret_cast<T*>(shared));
}

/// Launches on a GPU need no workspace except for the condensed segments.
template <class T>
std::int64_t launch_bytes(cuda_executor const&, std::int64_t) {
    return 0;
}

inline dim3 grid_of(std::int64_t blocks) {
    return dim3(unsigned(checked_cast<int>(blocks, "number of CUDA blocks of solve_bands")));
}

/// Runs a level by tiles if there are tiles for it and they fit into shared memory; returns whether it did.
struct run_tiles {
    cuda_executor const& exec;

    template <bool Left, class T, class BlockRows, int K, int W>
    bool operator()(chain_level<T, BlockRows> const& s, tile_sizes<T, BlockRows, K, W, Left> sizes,
                    tile_plan const& plan) const {
        if (plan.bytes > shared_limit(exec)) return false;
        launch_shared(exec, &tile_kernel<Left, K, W, T, BlockRows>,
                      grid_of((s.segments + sizes.segments - 1) / sizes.segments), warp_lanes, std::size_t(plan.bytes),
                      s, plan);
        return true;
    }
};

/// Number of right-hand sides of a launch; tiles process one at a time.
template <class T>
int rhs_at_once(cuda_executor const&, matrix_rows<T> const& a) {
    return has_tiles(a) ? 1 : max_rhs;
}

/// Runs a job: the passes over rows of the matrix by tiles if there are any for their sizes, other jobs by teams.
template <class Job>
void run_job(cuda_executor const& exec, Job const& job, std::byte*) {
    using T = typename Job::value_type;
    if (runs_in_tiles(job, run_tiles{exec})) return;
    team_layout const layout = layout_for(job.columns(), job.elements(), sizeof(T), shared_limit(exec));
    std::size_t const bytes = std::size_t(layout.teams) * std::size_t(layout.elements) * sizeof(T);
    launch_shared(exec, &team_kernel<Job>, grid_of((job.items() + layout.teams - 1) / layout.teams),
                  layout.teams * layout.lanes, bytes, job, layout);
}

/// Whether one kernel solves all condensed segments: not if one system may be so much longer than the others that the
/// device waits while one block merges its segments.
template <class T>
bool merges_in_one_kernel(cuda_executor const&, matrix_rows<T> const& a) {
    constexpr std::int64_t rows_of_a_block = 1 << 13, max_uneven = 8;
    batch_shape const& b = a.batch;
    return has_tiles(a) && (!b.offsets || b.rows <= rows_of_a_block || b.rows * b.systems <= max_uneven * b.total);
}

template <class T>
std::int64_t tree_elements(cuda_executor const& exec, levels const& l, matrix_rows<T> const& a) {
    return tree_elements(2 * a.n, l.total(1), max_slices(l.batch.systems, exec.multiprocessors()));
}

template <class T>
void solve_condensed(cuda_executor const& exec, tree_job<T> job) {
    with_tree_width(job.condensed.a, [&]<int W>(std::integral_constant<int, W>) {
        constexpr int lanes = merge_lanes<W>;
        job.plan = plan_tree<T, W>(job.plan.systems, job.plan.segments, exec.multiprocessors(), shared_limit(exec));
        auto const kernel = &tree_kernel<W, T>;
        auto const bytes = std::size_t(tree_memory<T, W>(job.plan).bytes());
        allow_shared(exec, kernel, bytes);
        cudaLaunchAttribute sharing{};
        if (job.plan.slices > 1) {
            sharing.id = cudaLaunchAttributeCooperative;
            sharing.val.cooperative = 1;
        }
        launch_early(exec, kernel, grid_of(job.plan.blocks(lanes)), job.plan.threads, bytes, sharing, job);
    });
}

} // namespace coppice::inline v0_1::chain
