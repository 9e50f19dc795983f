// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rounds of few vertices on CUDA, by a cluster of blocks. See graph/analytics/visits/rounds.hpp for the contract.
#pragma once

#include <cooperative_groups.h>

#include <coppice/graph/analytics/visits/rounds.hpp>

namespace coppice::analytics {

inline constexpr int round_threads = 1024;                ///< of a block
inline constexpr int round_blocks = 8;                    ///< the most that every device with clusters has
inline constexpr std::int64_t few_pushing = 2 * 8 * 1024; ///< vertices whose edges a cluster visits in a round
inline constexpr std::int64_t few_items = 8 * 8 * 1024;   ///< vertices of other lists

template <int N, class F>
__device__ bool is_small(edge_step<N, F> const& s) {
    return !is_open(s.gate) || s.in->count <= few_pushing;
}
template <int N, class F>
__device__ bool is_small(item_step<N, F> const& s) {
    return !is_open(s.gate) || s.in->count <= few_items;
}
template <class F>
__device__ bool is_small(single_step<F> const&) {
    return true;
}

template <int N, class F>
__device__ void do_step(edge_step<N, F> const& s) {
    if (!is_open(s.gate)) return;
    worklist const list = *s.in;
    cuda_worker<N> worker(s.outs);
    visit_edges_of<round_threads>(worker, list, s.g, s.f, false);
}
template <int N, class F>
__device__ void do_step(item_step<N, F> const& s) {
    if (!is_open(s.gate)) return;
    worklist const list = *s.in;
    cuda_worker<N> worker(s.outs);
    visit_items_of(worker, list, s.f);
}
template <class F>
__device__ void do_step(single_step<F> const& s) {
    if (blockIdx.x == 0 && threadIdx.x == 0) s.f(0);
}

/// All threads of the cluster: what any of them wrote before, all see behind it.
__device__ inline void meet_cluster() {
#if __CUDA_ARCH__ >= 900
    __threadfence();
    cooperative_groups::this_cluster().sync();
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
/// Whether another round follows: decided by one thread, in front of the barrier of the last step, which is a single
/// one; elsewhere others might be a step ahead.
template <class Steps>
__device__ void decide(loop_switch const* loop, int* again, Steps const& steps) {
    if (blockIdx.x == 0 && threadIdx.x == 0) *again = loop->on != 0 && are_small(steps) ? 1 : 0;
}
template <class All, class First, class... Rest>
__device__ void do_round(loop_switch const* loop, int* again, All const& all, step_list<First, Rest...> const& steps) {
    do_step(steps.first);
    if constexpr (sizeof...(Rest) == 0) decide(loop, again, all);
    meet_cluster();
    if constexpr (sizeof...(Rest) > 0) do_round(loop, again, all, steps.rest);
}

template <class Steps>
__global__ void __launch_bounds__(round_threads)
    small_rounds_kernel(loop_switch const* loop, int* again, __grid_constant__ Steps const steps) {
    wait_for_predecessor();
    decide(loop, again, steps);
    meet_cluster();
    while (*static_cast<int volatile*>(again) != 0) do_round(loop, again, steps, steps);
}

template <int N, class F>
bool has_long_rows(edge_step<N, F> const& s) {
    return has_long_rows(s.g);
}
template <class Step>
bool has_long_rows(Step const&) {
    return false;
}

/// Where rows may be very long, a round of few vertices may be much work.
template <class... Steps>
void run_small_rounds(cuda_executor const& exec, loop_switch const* loop, int* again, Steps const&... steps) {
    auto* const kernel = &small_rounds_kernel<step_list<Steps...>>;
    if ((has_long_rows(steps) || ...) || !starts_early(exec, kernel)) return;
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = round_blocks;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    launch_early(exec, kernel, dim3(round_blocks), round_threads, 0, cluster, loop, again, list_steps(steps...));
}

} // namespace coppice::analytics
