// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Small rounds on CUDA, executed by a cluster of blocks. See graph/frontier/rounds.hpp for the contract.
#pragma once

#include <cooperative_groups.h>

#include <coppice/graph/frontier/rounds.hpp>

namespace coppice::inline v0_1::analytics {

inline constexpr int round_threads = 1024; ///< threads of a block
inline constexpr int round_blocks = 16;    ///< blocks of the cluster, if the device supports this size
inline constexpr int portable_blocks = 8;  ///< maximum cluster size of every device with clusters
/// Maximum number of vertices of an edge map in a small round.
inline constexpr std::int64_t few_pushing = 2 * 8 * 1024;
/// Maximum number of vertices of a vertex map in a small round.
inline constexpr std::int64_t few_items = 8 * 8 * 1024;

template <class Step>
inline constexpr bool is_map = true;
template <class F>
inline constexpr bool is_map<single_step<F>> = false;

template <int N, class F>
__device__ bool is_small(edge_step<N, F> const& s) {
    return !is_enabled(s.predicate) || s.in->count <= few_pushing;
}
template <int N, class F>
__device__ bool is_small(item_step<N, F> const& s) {
    return (!s.opens_late && !is_enabled(s.predicate)) || s.in->count <= few_items;
}
template <class F>
__device__ bool is_small(bitmap_step<F> const& s) {
    return !is_enabled(s.predicate) || s.in->count <= few_items;
}
template <class F>
__device__ bool is_small(single_step<F> const&) {
    return true;
}

/// Prefetches *p.
template <class T>
__device__ void touch([[maybe_unused]] T const* p) {
#if __CUDA_ARCH__ >= 900
    if (p == nullptr) return;
    [[maybe_unused]] int x;
    asm volatile("ld.global.ca.s32 %0, [%1];" : "=r"(x) : "l"(p));
#endif
}
struct row_edge {
    vertex_id u;
    std::int32_t k;
};
/// Maps over the edges of a short list. Lanes take edges, not rows, since each edge needs several dependent memory
/// accesses and a round takes as long as its slowest lane. A block processes long rows.
template <int N, class F>
__device__ void edge_map_few_vertices(cuda_worker<N>& worker, worklist const& list, graph_view const& g, F const& f) {
    int const lane = int(threadIdx.x) % 32;
    std::int64_t const warps = std::int64_t(gridDim.x) * (round_threads / 32);
    std::int64_t const warp = std::int64_t(threadIdx.x / 32) * gridDim.x + blockIdx.x;
    std::int64_t const vertices_per_warp =
        max(std::int64_t(1), min(std::int64_t(32), (list.count + warps - 1) / warps));
    for (std::int64_t base = 0; base < list.count; base += warps * vertices_per_warp) {
        std::int64_t const i = base + warp * vertices_per_warp + lane;
        vertex_id const u = lane < vertices_per_warp && i < list.count ? list[i] : vertex_id(-1);
        bool const enters = u >= 0 && enters_map(f, worker, u);
        std::int32_t begin = enters ? g.offsets[u] : 0;
        std::int32_t const end = enters ? g.offsets[u + 1] : 0;
        edge_map_rows_of_block<round_threads>(worker, u, begin, end, f);
        std::int32_t before = end - begin; // edges of the rows of the lanes up to this one
        for (int step = 1; step < 32; step *= 2) {
            std::int32_t const other = __shfl_up_sync(~0u, before, unsigned(step));
            if (lane >= step) before += other;
        }
        std::int32_t const all = __shfl_sync(~0u, before, 31);
        auto const edge = [&](std::int32_t e) {
            int owner = 0; // first lane whose prefix sum exceeds e
            for (int step = 16; step > 0; step /= 2)
                if (__shfl_sync(~0u, before, owner + step - 1) <= e) owner += step;
            vertex_id const v = __shfl_sync(~0u, u, owner);
            return row_edge{v, __shfl_sync(~0u, end - before, owner) + e};
        };
        row_edge next = edge(lane);
        for (std::int32_t e = lane; e - lane < all; e += 32) {
            row_edge const now = next;
            if (e - lane + 32 < all) {
                next = edge(e + 32);
                if (e + 32 < all) touch(g.neighbors + next.k);
            }
            if (e < all) f(worker, now.u, now.k);
            __syncwarp();
        }
    }
}

template <int N, class F>
__device__ void map_step(edge_step<N, F> const& s, worklist const& list) {
    cuda_worker<N> worker(s.outs);
    edge_map_few_vertices(worker, list, s.g, s.f);
}
template <int N, class F>
__device__ void map_step(item_step<N, F> const& s, worklist const& list) {
    cuda_worker<N> worker(s.outs);
    vertex_map_of_grid(worker, list, s.f);
}

template <class F>
__device__ void map_step(bitmap_step<F> const& s, worklist const& list) {
    cuda_worker<1> worker(nothing());
    bitmap_map_of_grid(worker, list.count, s.out, s.f);
}

/// Barrier of all threads of the cluster: writes before it are visible after it.
__device__ inline void sync_cluster() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
#endif
}
/// whether this thread is in the first warp of the cluster
__device__ inline bool leads_cluster() { return blockIdx.x == 0 && threadIdx.x < 32; }
/// Barrier of the cluster if only the first warp has written: the other warps need no release before they arrive.
__device__ inline void wait_for_leader() {
#if __CUDA_ARCH__ >= 900
    if (leads_cluster()) asm volatile("fence.acq_rel.gpu;" ::: "memory");
    __syncwarp();
    asm volatile("barrier.cluster.arrive.relaxed;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
#endif
}
/// Address of the shared variable in another block of the cluster.
template <class T>
__device__ T* in_block(T* p, [[maybe_unused]] unsigned block) {
#if __CUDA_ARCH__ >= 900
    return cooperative_groups::this_cluster().map_shared_rank(p, block);
#else
    return p;
#endif
}

/// The steps as one kernel parameter.
template <class... Steps>
struct step_list {};
template <class First, class... Rest>
struct step_list<First, Rest...> {
    First first;
    step_list<Rest...> rest;
};
__host__ __device__ inline step_list<> list_steps() { return {}; }
template <class First, class... Rest>
__host__ __device__ step_list<First, Rest...> list_steps(First const& first, Rest const&... rest) {
    return {first, list_steps(rest...)};
}

__device__ inline bool are_small(step_list<> const&) { return true; }
template <class First, class... Rest>
__device__ bool are_small(step_list<First, Rest...> const& steps) {
    return is_small(steps.first) && are_small(steps.rest);
}
/// The maps before the next single step. The first block broadcasts the plan to all blocks: they do not read the
/// predicates, which single steps may change meanwhile, and get the list without another load.
struct round_plan {
    unsigned maps = 0; ///< bit i: map i is to be executed; 0: no small round follows
    worklist list{};   ///< list of the first of these maps
};

template <class Step>
__device__ void touch_outputs(Step const& s) {
    for (worklist const* list : s.outs.list) touch(list);
}
template <class F>
__device__ void touch_outputs(bitmap_step<F> const& s) {
    touch(s.out);
}
/// Prefetches what the first block will read.
__device__ inline void touch_lists(step_list<> const&) {}
template <class First, class... Rest>
__device__ void touch_lists(step_list<First, Rest...> const& steps) {
    if constexpr (is_map<First>) {
        touch(steps.first.predicate);
        touch(steps.first.in);
        touch_outputs(steps.first);
    }
    touch_lists(steps.rest);
}

/// Continues from step `from`: executes single steps up to the first map whose predicate is true. Returns the maps as
/// bits; 0: the round has ended.
template <int Index = 0>
__device__ unsigned maps_from(step_list<> const&, int, unsigned maps) {
    return maps;
}
template <int Index = 0, class First, class... Rest>
__device__ unsigned maps_from(step_list<First, Rest...> const& steps, int from, unsigned maps) {
    if constexpr (is_map<First>) {
        if (Index >= from && is_enabled(steps.first.predicate)) maps |= 1u << Index;
    } else if (Index >= from) {
        if (maps != 0) return maps;
        steps.first.f(0);
    }
    return maps_from<Index + 1>(steps.rest, from, maps);
}
template <int Index = 0>
__device__ worklist first_list(step_list<> const&, unsigned) {
    return {};
}
template <int Index = 0, class First, class... Rest>
__device__ worklist first_list(step_list<First, Rest...> const& steps, unsigned maps) {
    if constexpr (is_map<First>)
        if ((maps >> Index & 1) != 0) return *steps.first.in;
    return first_list<Index + 1>(steps.rest, maps);
}
/// The next plan after the maps in `done`.
template <class Steps>
__device__ round_plan next_plan(loop_switch const* loop, Steps const& steps, unsigned done) {
    touch(loop);
    touch_lists(steps);
    unsigned maps = done != 0 ? maps_from(steps, 32 - __clz(int(done)), 0) : 0;
    while (maps == 0 && loop->on != 0 && are_small(steps)) maps = maps_from(steps, 0, 0);
    return {maps, first_list(steps, maps)};
}
template <int Index = 0>
__device__ void map_planned(step_list<> const&, round_plan const&) {}
template <int Index = 0, class First, class... Rest>
__device__ void map_planned(step_list<First, Rest...> const& steps, round_plan const& plan) {
    if constexpr (is_map<First>)
        if ((plan.maps >> Index & 1) != 0) {
            worklist list = plan.list;
            if ((plan.maps & ((1u << Index) - 1)) != 0) list = *steps.first.in;
            map_step(steps.first, list);
            sync_cluster();
        }
    map_planned<Index + 1>(steps.rest, plan);
}

template <class Steps>
__global__ void __launch_bounds__(round_threads, 1)
    small_rounds_kernel(loop_switch const* loop, __grid_constant__ Steps const steps) {
    __shared__ round_plan shared_plan;
    wait_for_predecessor();
    sync_cluster(); // all blocks have started and can receive the plan
    for (round_plan plan;; map_planned(steps, plan)) {
        if (leads_cluster()) {
            if (threadIdx.x == 0) shared_plan = next_plan(loop, steps, plan.maps);
            __syncwarp();
            if (threadIdx.x > 0 && threadIdx.x < gridDim.x) *in_block(&shared_plan, threadIdx.x) = shared_plan;
        }
        wait_for_leader();
        plan = shared_plan;
        if (plan.maps == 0) return;
    }
}

template <int N, class F>
bool has_long_rows(edge_step<N, F> const& s) {
    return has_long_rows(s.g);
}
template <class Step>
bool has_long_rows(Step const&) {
    return false;
}

/// Cluster size: round_blocks if the device supports it, else portable_blocks.
template <class... Parameters>
unsigned cluster_blocks(void (*kernel)(Parameters...)) {
    if constexpr (round_blocks <= portable_blocks) {
        return unsigned(round_blocks);
    } else {
        COPPICE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
        cudaLaunchAttribute cluster{};
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim.x = round_blocks;
        cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
        cudaLaunchConfig_t config{};
        config.gridDim = dim3(unsigned(round_blocks));
        config.blockDim = dim3(unsigned(round_threads));
        config.attrs = &cluster;
        config.numAttrs = 1;
        int clusters = 0;
        bool const fits = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess && clusters > 0;
        if (!fits) cudaGetLastError(); // clears the error: it is an expected outcome
        return unsigned(fits ? round_blocks : portable_blocks);
    }
}

/// If rows may be very long, a round of few vertices may be much work: then no round is fused.
template <class... Steps>
void run_small_rounds(cuda_executor const& exec, loop_switch const* loop, Steps const&... steps) {
    auto* const kernel = &small_rounds_kernel<step_list<Steps...>>;
    if ((has_long_rows(steps) || ...) || !starts_early(exec, kernel)) return;
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = cluster_blocks(kernel);
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    launch_early(exec, kernel, dim3(cluster.val.clusterDim.x), round_threads, 0, cluster, loop, list_steps(steps...));
}

} // namespace coppice::inline v0_1::analytics
