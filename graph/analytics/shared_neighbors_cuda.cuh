// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Triangles on CUDA: a table of row u in shared memory, in which the rows of its neighbours are looked up (Green,
/// McColl and Bader 2012; Pandey et al., TRUST, 2021). See graph/analytics/shared_neighbors.hpp for the contract.
#pragma once

#include <coppice/graph/analytics/shared_neighbors.hpp>

namespace coppice::analytics {

/// Vertices in shared memory, at most half of the places taken; open addressing.
struct vertex_table {
    vertex_id* keys; ///< -1: free
    unsigned mask;

    /// `Workers` threads, of whom this is number `rank`, clear it for `count` vertices.
    template <unsigned Workers>
    __device__ void clear(unsigned rank, std::int32_t count) {
        mask = 127;
        while (mask + 1 < 2 * unsigned(count)) mask = 2 * mask + 1;
        for (unsigned i = rank; i <= mask; i += Workers) keys[i] = -1;
    }
    __device__ unsigned place(vertex_id v) const { return (unsigned(v) * 0x9e3779b1u >> 12) & mask; }
    __device__ void insert(vertex_id v) const {
        for (unsigned at = place(v); atomicCAS(keys + at, -1, v) != -1;) at = (at + 1) & mask;
    }
    __device__ bool has(vertex_id v) const {
        for (unsigned at = place(v);; at = (at + 1) & mask) {
            vertex_id const key = keys[at];
            if (key == v) return true;
            if (key == -1) return false;
        }
    }
};

inline constexpr int rows_of_warps = 64;    ///< longer ones are those of a block
inline constexpr int row_in_table = 4096;   ///< longer ones are put there part by part
inline constexpr int table_of_block = 8192; ///< places
inline constexpr int table_of_warp = 128;
inline constexpr int warps_of_visitors = visitors / 32;

/// What row v has of the table, by a warp.
template <class F>
__device__ void look_up_row(cuda_worker<1>& worker, graph_view const& g, vertex_table const& table, vertex_id u,
                            vertex_id v, int lane, F const& f) {
    int count = 0;
    for (std::int64_t i = std::int64_t(g.offsets[v]) + lane, end = g.offsets[v + 1]; i < end; i += 32) {
        vertex_id const w = g.neighbors[i];
        if (!table.has(w)) continue;
        ++count;
        if constexpr (F::corners) f.corner(worker, w);
    }
    count = __reduce_add_sync(~0u, count);
    if (lane == 0 && count > 0) f.edge(worker, u, v, count);
}

/// Block b has the vertices b, b + blocks, ...: those of many edges often stand side by side.
template <class F>
__global__ void __launch_bounds__(visitors) visit_triangles_kernel(graph_view g, F f) {
    __shared__ vertex_id block_keys[table_of_block];
    __shared__ vertex_id warp_keys[warps_of_visitors][table_of_warp];
    __shared__ vertex_id owner;
    wait_for_predecessor();
    cuda_worker<1> worker(nothing());
    int const lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    for (std::int64_t base = 0; base * gridDim.x < g.vertices; base += visitors) {
        std::int64_t const mine = (base + threadIdx.x) * gridDim.x + blockIdx.x;
        std::int32_t degree = mine < g.vertices ? g.degree(mine) : 0;
        for (;;) {
            bool const asks = degree > rows_of_warps;
            if (!__syncthreads_or(asks)) break;
            if (asks) owner = vertex_id(mine);
            __syncthreads();
            vertex_id const u = owner;
            if (u == mine) degree = 0;
            vertex_table table{block_keys, 0};
            std::int32_t const begin = g.offsets[u], end = g.offsets[u + 1];
            for (std::int64_t part = begin; part < end; part += row_in_table) {
                std::int64_t const last = min(std::int64_t(end), part + row_in_table);
                __syncthreads();
                table.clear<visitors>(threadIdx.x, std::int32_t(last - part));
                __syncthreads();
                for (std::int64_t k = part + threadIdx.x; k < last; k += visitors) table.insert(g.neighbors[k]);
                __syncthreads();
                for (std::int64_t k = std::int64_t(begin) + warp; k < end; k += warps_of_visitors)
                    look_up_row(worker, g, table, u, g.neighbors[k], lane, f);
            }
            __syncthreads();
        }
        for (unsigned waiting = __ballot_sync(~0u, degree > 1); waiting; waiting &= waiting - 1) {
            auto const u = __shfl_sync(~0u, vertex_id(mine), first_lane(waiting));
            std::int32_t const begin = g.offsets[u], end = g.offsets[u + 1];
            vertex_table table{warp_keys[warp], 0};
            __syncwarp();
            table.clear<32>(unsigned(lane), end - begin);
            __syncwarp();
            for (std::int64_t k = std::int64_t(begin) + lane; k < end; k += 32) table.insert(g.neighbors[k]);
            __syncwarp();
            for (std::int32_t k = begin; k < end; ++k) look_up_row(worker, g, table, u, g.neighbors[k], lane, f);
        }
    }
}

template <class F>
void visit_triangles(cuda_executor const& exec, graph_view g, F const& f) {
    if (g.vertices == 0) return;
    launch_early(exec, &visit_triangles_kernel<F>, visiting_blocks(exec), visitors, 0, {}, g, f);
}

} // namespace coppice::analytics
