// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rounds of few vertices on CUDA, by a cluster of blocks. See graph/frontier/rounds.hpp for the contract.
#pragma once

#include <cooperative_groups.h>

#include <coppice/graph/frontier/rounds.hpp>

namespace coppice::analytics {

inline constexpr int round_threads = 1024;                ///< of a block
inline constexpr int round_blocks = 16;                   ///< of the cluster, where the device has so large ones
inline constexpr int portable_blocks = 8;                 ///< the most that every device with clusters has
inline constexpr std::int64_t few_pushing = 2 * 8 * 1024; ///< vertices whose edges a cluster visits in a round
inline constexpr std::int64_t few_items = 8 * 8 * 1024;   ///< vertices of other lists

template <class Step>
inline constexpr bool is_visit = true;
template <class F>
inline constexpr bool is_visit<single_step<F>> = false;

template <int N, class F>
__device__ bool is_small(edge_step<N, F> const& s) {
    return !is_open(s.gate) || s.in->count <= few_pushing;
}
template <int N, class F>
__device__ bool is_small(item_step<N, F> const& s) {
    return (!s.opens_late && !is_open(s.gate)) || s.in->count <= few_items;
}
template <class F>
__device__ bool is_small(single_step<F> const&) {
    return true;
}

/// Asks for what is read soon.
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
/// The edges of a list of few vertices: lanes take edges, not rows, since a row goes through several accesses to memory
/// for each edge, and a round takes as long as its slowest lane. Long rows are those of a block.
template <int N, class F>
__device__ void visit_few_edges(cuda_worker<N>& worker, worklist const& list, graph_view const& g, F const& f) {
    int const lane = int(threadIdx.x) % 32;
    std::int64_t const warps = std::int64_t(gridDim.x) * (round_threads / 32);
    std::int64_t const warp = std::int64_t(threadIdx.x / 32) * gridDim.x + blockIdx.x;
    std::int64_t const share = max(std::int64_t(1), min(std::int64_t(32), (list.count + warps - 1) / warps));
    for (std::int64_t base = 0; base < list.count; base += warps * share) {
        std::int64_t const i = base + warp * share + lane;
        vertex_id const u = lane < share && i < list.count ? list[i] : vertex_id(-1);
        bool const enters = u >= 0 && f.enters(worker, u);
        std::int32_t begin = enters ? g.offsets[u] : 0;
        std::int32_t const end = enters ? g.offsets[u + 1] : 0;
        visit_rows_of_block<round_threads>(worker, u, begin, end, f);
        std::int32_t before = end - begin; // edges of this lane's row and of those in front of it
        for (int step = 1; step < 32; step *= 2) {
            std::int32_t const other = __shfl_up_sync(~0u, before, unsigned(step));
            if (lane >= step) before += other;
        }
        std::int32_t const all = __shfl_sync(~0u, before, 31);
        auto const edge = [&](std::int32_t e) {
            int owner = 0; // the first lane with more than e before
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
__device__ void visit(edge_step<N, F> const& s, worklist const& list) {
    cuda_worker<N> worker(s.outs);
    visit_few_edges(worker, list, s.g, s.f);
}
template <int N, class F>
__device__ void visit(item_step<N, F> const& s, worklist const& list) {
    cuda_worker<N> worker(s.outs);
    visit_items_of(worker, list, s.f);
}

/// All threads of the cluster: what any of them wrote before, all see behind it.
__device__ inline void meet_cluster() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
#endif
}
__device__ inline bool leads_cluster() { return blockIdx.x == 0 && threadIdx.x < 32; } ///< its first lane, with others
/// The same where the leading warp alone has written anything: the others have nothing to wait for before they arrive.
__device__ inline void hear_leader() {
#if __CUDA_ARCH__ >= 900
    if (leads_cluster()) asm volatile("fence.acq_rel.gpu;" ::: "memory");
    __syncwarp();
    asm volatile("barrier.cluster.arrive.relaxed;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
#endif
}
/// The variable of shared memory in another block of the cluster.
template <class T>
__device__ T* in_block(T* p, [[maybe_unused]] unsigned block) {
#if __CUDA_ARCH__ >= 900
    return cooperative_groups::this_cluster().map_shared_rank(p, block);
#else
    return p;
#endif
}

/// The steps as one parameter of a kernel.
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
/// What comes in front of the next single step. The leader tells all blocks: they ask no gates, which single steps may
/// change meanwhile, and have the list at once.
struct round_plan {
    unsigned visits = 0; ///< a bit for the place of each; 0: no round of few vertices follows
    worklist list{};     ///< of the first of them
};

/// What the leader is about to read, all at once.
__device__ inline void touch_lists(step_list<> const&) {}
template <class First, class... Rest>
__device__ void touch_lists(step_list<First, Rest...> const& steps) {
    if constexpr (is_visit<First>) {
        touch(steps.first.gate);
        touch(steps.first.in);
        for (worklist const* list : steps.first.outs.list) touch(list);
    }
    touch_lists(steps.rest);
}

/// Goes on from step `from`: does single steps up to the first visit with an open gate. 0: the round has ended.
template <int Place = 0>
__device__ unsigned visits_from(step_list<> const&, int, unsigned visits) {
    return visits;
}
template <int Place = 0, class First, class... Rest>
__device__ unsigned visits_from(step_list<First, Rest...> const& steps, int from, unsigned visits) {
    if constexpr (is_visit<First>) {
        if (Place >= from && is_open(steps.first.gate)) visits |= 1u << Place;
    } else if (Place >= from) {
        if (visits != 0) return visits;
        steps.first.f(0);
    }
    return visits_from<Place + 1>(steps.rest, from, visits);
}
template <int Place = 0>
__device__ worklist first_list(step_list<> const&, unsigned) {
    return {};
}
template <int Place = 0, class First, class... Rest>
__device__ worklist first_list(step_list<First, Rest...> const& steps, unsigned visits) {
    if constexpr (is_visit<First>)
        if ((visits >> Place & 1) != 0) return *steps.first.in;
    return first_list<Place + 1>(steps.rest, visits);
}
/// Behind the visits that are `done`.
template <class Steps>
__device__ round_plan next_plan(loop_switch const* loop, Steps const& steps, unsigned done) {
    touch(loop);
    touch_lists(steps);
    unsigned visits = done != 0 ? visits_from(steps, 32 - __clz(int(done)), 0) : 0;
    while (visits == 0 && loop->on != 0 && are_small(steps)) visits = visits_from(steps, 0, 0);
    return {visits, first_list(steps, visits)};
}
template <int Place = 0>
__device__ void visit_planned(step_list<> const&, round_plan const&) {}
template <int Place = 0, class First, class... Rest>
__device__ void visit_planned(step_list<First, Rest...> const& steps, round_plan const& plan) {
    if constexpr (is_visit<First>)
        if ((plan.visits >> Place & 1) != 0) {
            worklist list = plan.list;
            if ((plan.visits & ((1u << Place) - 1)) != 0) list = *steps.first.in;
            visit(steps.first, list);
            meet_cluster();
        }
    visit_planned<Place + 1>(steps.rest, plan);
}

template <class Steps>
__global__ void __launch_bounds__(round_threads, 1)
    small_rounds_kernel(loop_switch const* loop, __grid_constant__ Steps const steps) {
    __shared__ round_plan told;
    wait_for_predecessor();
    meet_cluster(); // all blocks are there to be told
    for (round_plan plan;; visit_planned(steps, plan)) {
        if (leads_cluster()) {
            if (threadIdx.x == 0) told = next_plan(loop, steps, plan.visits);
            __syncwarp();
            if (threadIdx.x > 0 && threadIdx.x < gridDim.x) *in_block(&told, threadIdx.x) = told;
        }
        hear_leader();
        plan = told;
        if (plan.visits == 0) return;
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

/// As many as are wanted where the device has clusters of so many.
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
        if (!fits) cudaGetLastError(); // it is an answer, not an error
        return unsigned(fits ? round_blocks : portable_blocks);
    }
}

/// Where rows may be very long, a round of few vertices may be much work.
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

} // namespace coppice::analytics
