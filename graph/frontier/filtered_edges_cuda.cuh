// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Edge filter on CUDA: offsets within a row by ballots. See graph/frontier/filtered_edges.hpp for the contract.
#pragma once

#include <coppice/graph/frontier/filtered_edges.hpp>

namespace coppice::inline v0_1::analytics {

/// A thread filters a row of up to 32 edges, a warp one of up to 1024, a block longer ones.
template <class F>
__global__ void __launch_bounds__(map_threads) filter_edges_kernel(graph_view g, std::int32_t const* first, F f) {
    __shared__ vertex_id owner;
    __shared__ std::int32_t selected_by_warp[map_threads / 32];
    wait_for_predecessor();
    int const lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    unsigned const before_me = (1u << lane) - 1;
    std::int64_t const stride = std::int64_t(gridDim.x) * map_threads;
    std::int64_t const own = position_in_list<map_threads>(has_long_rows(g));
    for (std::int64_t base = 0; base < g.vertices; base += stride) {
        std::int64_t const mine = base + own;
        std::int32_t begin = mine < g.vertices ? g.offsets[mine] : 0;
        std::int32_t const end = mine < g.vertices ? g.offsets[mine + 1] : 0;
        for (;;) {
            bool const is_long = end - begin > shared_row;
            if (!__syncthreads_or(is_long)) break;
            if (is_long) owner = vertex_id(mine);
            __syncthreads();
            vertex_id const u = owner;
            if (u == mine) begin = end;
            std::int32_t at = first[u];
            std::int32_t const last = g.offsets[u + 1];
            for (std::int64_t from = g.offsets[u]; from < last; from += map_threads) {
                std::int64_t const k = from + threadIdx.x;
                bool const keeps = k < last && f.selects(u, std::int32_t(k));
                unsigned const selected = __ballot_sync(~0u, keeps);
                if (lane == 0) selected_by_warp[warp] = __popc(selected);
                __syncthreads();
                std::int32_t offset = at + __popc(selected & before_me);
                for (int w = 0; w < map_threads / 32; ++w) {
                    if (w < warp) offset += selected_by_warp[w];
                    at += selected_by_warp[w];
                }
                if (keeps) f.store(u, std::int32_t(k), offset);
                __syncthreads(); // all threads have read before the next step overwrites
            }
        }
        if (end - begin <= 32 && begin < end) {
            auto const u = vertex_id(mine);
            std::int32_t at = first[u];
            for (std::int32_t k = begin; k < end; ++k)
                if (f.selects(u, k)) f.store(u, k, at++);
        }
        __syncwarp();
        for (unsigned waiting = __ballot_sync(~0u, end - begin > 32); waiting; waiting &= waiting - 1) {
            int const from_lane = first_lane(waiting);
            auto const u = vertex_id(__shfl_sync(~0u, vertex_id(mine), from_lane));
            std::int32_t const last = __shfl_sync(~0u, end, from_lane);
            std::int32_t at = first[u];
            for (std::int64_t from = __shfl_sync(~0u, begin, from_lane); from < last; from += 32) {
                std::int64_t const k = from + lane;
                bool const keeps = k < last && f.selects(u, std::int32_t(k));
                unsigned const selected = __ballot_sync(~0u, keeps);
                if (keeps) f.store(u, std::int32_t(k), at + __popc(selected & before_me));
                at += __popc(selected);
            }
        }
    }
}

template <class F>
void filter_edges(cuda_executor const& exec, graph_view const& g, std::int32_t const* first, F const& f) {
    if (g.vertices == 0) return;
    launch_early(exec, &filter_edges_kernel<F>, map_blocks(exec), map_threads, 0, {}, g, first, f);
}

} // namespace coppice::inline v0_1::analytics
