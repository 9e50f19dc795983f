// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Triangles on CUDA: row u is in shared memory, and the vertices of the neighbours' rows are looked up in it (Green,
/// McColl and Bader 2012; Pandey et al., TRUST, 2021). See graph/frontier/shared_neighbors.hpp for the contract.
///
/// If degrees differ much, nearly all look-ups are of vertices of high degree: in R-MAT 22, 65 536 vertices account for
/// 99.6 % of them. These *hubs* have 16-bit numbers. Row u is a bit set over the hubs and the rows hold hub numbers, so
/// that a look-up costs a load of two bytes and a load from shared memory. The remaining vertices of the rows, often
/// none, are looked up in hash tables; a thread handles rows of up to eight edges by binary search.
#pragma once

#include <limits>

#include <coppice/graph/frontier/filtered_edges.hpp>
#include <coppice/graph/frontier/shared_neighbors.hpp>

namespace coppice::inline v0_1::analytics {

/// Hash table of vertices in shared memory with open addressing; at most half full.
struct vertex_table {
    vertex_id* keys; ///< -1: free
    unsigned mask;

    /// Clears the table for `count` vertices with `Workers` threads, of which this one is number `rank`.
    template <unsigned Workers>
    __device__ void clear(unsigned rank, std::int32_t count) {
        mask = 127;
        while (mask + 1 < 2 * unsigned(count)) mask = 2 * mask + 1;
        for (unsigned i = rank; i <= mask; i += Workers) keys[i] = -1;
    }
    __device__ unsigned slot(vertex_id v) const { return (unsigned(v) * 0x9e3779b1u >> 12) & mask; }
    __device__ void insert(vertex_id v) const {
        for (unsigned at = slot(v); atomicCAS(keys + at, -1, v) != -1;) at = (at + 1) & mask;
    }
    __device__ bool has(vertex_id v) const {
        for (unsigned at = slot(v);; at = (at + 1) & mask) {
            vertex_id const key = keys[at];
            if (key == v) return true;
            if (key == -1) return false;
        }
    }
};

inline constexpr int rows_of_warps = 64;    ///< longer rows are processed by a block
inline constexpr int row_in_table = 4096;   ///< longer rows are inserted in several chunks
inline constexpr int table_of_block = 8192; ///< slots
inline constexpr int table_of_warp = 128;
inline constexpr int map_warps = map_threads / 32;

inline constexpr int hub_numbers = 65536; ///< hubs: 16-bit numbers
inline constexpr int row_of_searches = 8; ///< maximum number of edges of a row that one thread processes

/// Counts the vertices of row v that are in the table, with the lanes of a warp.
template <class F>
__device__ int probe_row(cuda_worker<1>& worker, graph_view const& g, vertex_table const& table, vertex_id v, int lane,
                         F const& f) {
    int count = 0;
    for (std::int64_t i = std::int64_t(g.offsets[v]) + lane, end = g.offsets[v + 1]; i < end; i += 32) {
        vertex_id const w = g.neighbors[i];
        if (!table.has(w)) continue;
        ++count;
        if constexpr (F::corners) f.third(worker, w);
    }
    if constexpr (F::corners) {
        int const all = __reduce_add_sync(~0u, count);
        if (lane == 0) f.second(worker, v, all);
    }
    return count;
}

/// Adds the triangles of u that the lanes of a warp have counted.
template <class F>
__device__ void add_of_warp(cuda_worker<1>& worker, vertex_id u, int count, int lane, F const& f) {
    count = __reduce_add_sync(~0u, count);
    if (lane == 0) f.first(worker, u, count);
}

/// Counts the triangles of a short row with one thread.
template <class F>
__device__ void search_row(cuda_worker<1>& worker, graph_view const& g, vertex_id u, F const& f) {
    std::int64_t all = 0;
    for (std::int32_t k = g.offsets[u], end = g.offsets[u + 1]; k < end; ++k) {
        vertex_id const v = g.neighbors[k];
        std::int64_t count = 0;
        for (common_neighbors both(g, u, v); both.next(); ++count)
            if constexpr (F::corners) f.third(worker, both.vertex);
        if constexpr (F::corners) f.second(worker, v, count);
        all += count;
    }
    f.first(worker, u, all);
}

template <class F>
__global__ void __launch_bounds__(map_threads) triangles_kernel(graph_view g, vertex_range us, bool spreads, F f) {
    __shared__ vertex_id block_keys[table_of_block];
    __shared__ vertex_id warp_keys[map_warps][table_of_warp];
    __shared__ vertex_id owner;
    wait_for_predecessor();
    cuda_worker<1> worker(nothing());
    int const lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    std::int64_t const stride = std::int64_t(gridDim.x) * map_threads, own = position_in_list<map_threads>(spreads);
    for (std::int64_t base = us.first; base < us.last; base += stride) {
        std::int64_t const mine = base + own;
        std::int32_t degree = mine < us.last ? g.degree(mine) : 0;
        for (;;) {
            bool const is_waiting = degree > rows_of_warps;
            if (!__syncthreads_or(is_waiting)) break;
            if (is_waiting) owner = vertex_id(mine);
            __syncthreads();
            vertex_id const u = owner;
            if (u == mine) degree = 0;
            vertex_table table{block_keys, 0};
            std::int32_t const begin = g.offsets[u], end = g.offsets[u + 1];
            for (std::int64_t chunk = begin; chunk < end; chunk += row_in_table) {
                std::int64_t const last = min(std::int64_t(end), chunk + row_in_table);
                __syncthreads();
                table.clear<map_threads>(threadIdx.x, std::int32_t(last - chunk));
                __syncthreads();
                for (std::int64_t k = chunk + threadIdx.x; k < last; k += map_threads) table.insert(g.neighbors[k]);
                __syncthreads();
                int count = 0;
                for (std::int64_t k = std::int64_t(begin) + warp; k < end; k += map_warps)
                    count += probe_row(worker, g, table, g.neighbors[k], lane, f);
                add_of_warp(worker, u, count, lane, f);
            }
            __syncthreads();
        }
        if (degree > 1 && degree <= row_of_searches) search_row(worker, g, vertex_id(mine), f);
        __syncwarp();
        for (unsigned waiting = __ballot_sync(~0u, degree > row_of_searches); waiting; waiting &= waiting - 1) {
            auto const u = __shfl_sync(~0u, vertex_id(mine), first_lane(waiting));
            std::int32_t const begin = g.offsets[u], end = g.offsets[u + 1];
            vertex_table table{warp_keys[warp], 0};
            __syncwarp();
            table.clear<32>(unsigned(lane), end - begin);
            __syncwarp();
            for (std::int64_t k = std::int64_t(begin) + lane; k < end; k += 32) table.insert(g.neighbors[k]);
            __syncwarp();
            int count = 0;
            for (std::int32_t k = begin; k < end; ++k) count += probe_row(worker, g, table, g.neighbors[k], lane, f);
            add_of_warp(worker, u, count, lane, f);
        }
    }
}

/// The neighbours of every vertex that are hubs, as hub numbers.
struct hub_rows {
    std::int32_t const* offsets;
    std::uint16_t const* numbers;
    vertex_id const* vertices; ///< vertex of each hub number
};

/// Counts the hubs of row v, with the edges begin .. end - 1, whose bit is set, with the lanes of a warp.
template <class F>
__device__ int probe_hubs(cuda_worker<1>& worker, hub_rows const& hubs, unsigned const* bits, vertex_id v,
                          std::int32_t begin, std::int32_t end, int lane, F const& f) {
    int count = 0;
#pragma unroll 4
    for (unsigned i = unsigned(begin) + unsigned(lane); i < unsigned(end); i += 32) {
        unsigned const w = hubs.numbers[i];
        unsigned const both = bits[w / 32] >> w % 32 & 1;
        count += int(both);
        if constexpr (F::corners)
            if (both) f.third(worker, hubs.vertices[w]);
    }
    if constexpr (F::corners) {
        int const all = __reduce_add_sync(~0u, count);
        if (lane == 0) f.second(worker, v, all);
    }
    return count;
}

/// Counts triangles u -> v -> w whose w is a hub. A block processes its vertices u in order. Lane l of warp w loads the
/// bounds of the row of neighbour w + 8 l; the warp then processes these rows one after the other.
template <class F>
__global__ void __launch_bounds__(map_threads) hub_triangles_kernel(graph_view g, vertex_range us, hub_rows hubs, F f) {
    __shared__ unsigned bits[hub_numbers / 32];
    __shared__ vertex_id owner;
    wait_for_predecessor();
    cuda_worker<1> worker(nothing());
    int const lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    for (int i = int(threadIdx.x); i < hub_numbers / 32; i += map_threads) bits[i] = 0;
    std::int64_t const stride = std::int64_t(gridDim.x) * map_threads, own = position_in_list<map_threads>(true);
    for (std::int64_t base = us.first; base < us.last; base += stride) {
        std::int64_t const mine = base + own;
        bool is_waiting = mine < us.last && g.degree(mine) > 1 && hubs.offsets[mine + 1] > hubs.offsets[mine];
        while (__syncthreads_or(is_waiting)) {
            if (is_waiting) owner = vertex_id(mine);
            __syncthreads();
            vertex_id const u = owner;
            if (u == mine) is_waiting = false;
            std::int32_t const first = hubs.offsets[u], last = hubs.offsets[u + 1];
            for (std::int64_t i = std::int64_t(first) + threadIdx.x; i < last; i += map_threads) {
                unsigned const w = hubs.numbers[i];
                atomicOr(bits + w / 32, 1u << w % 32);
            }
            __syncthreads();
            int count = 0;
            std::int64_t const end = g.offsets[u + 1];
            for (std::int64_t at = g.offsets[u]; at < end; at += map_threads) {
                std::int64_t const k = at + lane * map_warps + warp;
                vertex_id const mine_of_row = k < end ? g.neighbors[k] : -1;
                std::int32_t const row_begin = k < end ? hubs.offsets[mine_of_row] : 0;
                std::int32_t const row_end = k < end ? hubs.offsets[mine_of_row + 1] : 0;
                for (unsigned rows = __ballot_sync(~0u, row_begin < row_end); rows; rows &= rows - 1) {
                    int const from = first_lane(rows);
                    count += probe_hubs(worker, hubs, bits, __shfl_sync(~0u, mine_of_row, from),
                                        __shfl_sync(~0u, row_begin, from), __shfl_sync(~0u, row_end, from), lane, f);
                }
            }
            add_of_warp(worker, u, count, lane, f);
            __syncthreads();
            for (std::int64_t i = std::int64_t(first) + threadIdx.x; i < last; i += map_threads)
                bits[hubs.numbers[i] / 32] = 0;
        }
    }
}

template <class Degrees>
struct has_degree {
    Degrees degrees;
    std::int32_t min_degree;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const { return degrees.degree(v) >= min_degree ? 1 : 0; }
};
template <class Degrees>
struct number_hub {
    has_degree<Degrees> is_hub;
    std::int32_t* number; ///< -1: none
    vertex_id* vertices;
    COPPICE_HD void operator()(std::int64_t v, std::int64_t before) const {
        bool const hub = is_hub(v) != 0;
        number[v] = hub ? static_cast<std::int32_t>(before) : -1;
        if (hub) vertices[before] = static_cast<vertex_id>(v);
    }
};
struct edges_to_hubs {
    graph_view g;
    std::int32_t const* number;
    std::uint16_t* numbers;
    COPPICE_HD bool selects(vertex_id, std::int32_t k) const { return number[g.neighbors[k]] >= 0; }
    COPPICE_HD void store(vertex_id, std::int32_t k, std::int32_t at) const {
        numbers[at] = static_cast<std::uint16_t>(number[g.neighbors[k]]);
    }
};
struct edges_to_others {
    graph_view g;
    std::int32_t const* number;
    vertex_id* neighbors;
    COPPICE_HD bool selects(vertex_id, std::int32_t k) const { return number[g.neighbors[k]] < 0; }
    COPPICE_HD void store(vertex_id, std::int32_t k, std::int32_t at) const { neighbors[at] = g.neighbors[k]; }
};

/// Smallest degree such that at most `hub_numbers` of the vertices have at least this degree.
template <class Degrees>
std::int32_t degree_of_hubs(cuda_executor const& exec, Degrees const& degrees, vertex_id vertices) {
    std::int32_t low = 1, high = std::numeric_limits<std::int32_t>::max();
    while (low < high) {
        std::int32_t const middle = low + (high - low) / 2;
        if (reduce(exec, vertices, std::int64_t{0}, has_degree<Degrees>{degrees, middle}, plus{}) <= hub_numbers)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/// More blocks than the device runs simultaneously, for load balance: blocks with short rows end early.
inline dim3 counting_blocks(cuda_executor const& exec) { return dim3(unsigned(exec.multiprocessors()) * 96 - 1); }

template <class F>
void probe_all(cuda_executor const& exec, graph_view d, vertex_range us, bool spreads, F const& f) {
    launch_early(exec, &triangles_kernel<F>, counting_blocks(exec), map_threads, 0, {}, d, us, spreads, f);
}

/// for_each_triangle() for the triangles whose first vertex u is in a range. degrees.degree(v) selects the hubs;
/// `has_hubs`: whether degrees differ so much that these are worth their bit sets.
template <class Degrees, class F>
void for_each_triangle_from(cuda_executor const& exec, Degrees const& degrees, bool has_hubs, graph_view d,
                            vertex_range us, F const& f) {
    if (d.edge_count == 0 || us.first == us.last) return;
    if (!has_hubs) return probe_all(exec, d, us, false, f);
    buffer<std::int32_t> number(exec, d.vertices);
    buffer<vertex_id> vertices(exec, hub_numbers);
    has_degree<Degrees> const is_hub{degrees, degree_of_hubs(exec, degrees, d.vertices)};
    exclusive_scan(exec, d.vertices, is_hub, number_hub<Degrees>{is_hub, number.data(), vertices.data()},
                   std::int64_t{0});

    std::int32_t total = 0;
    edges_to_hubs to_hubs{d, number.data(), nullptr};
    auto const hub_offsets = offsets_of_selected(exec, d, to_hubs, total);
    buffer<std::uint16_t> hub_neighbors(exec, total);
    to_hubs.numbers = hub_neighbors.data();
    filter_edges(exec, d, hub_offsets.data(), to_hubs);
    hub_rows const hubs{hub_offsets.data(), hub_neighbors.data(), vertices.data()};
    launch_early(exec, &hub_triangles_kernel<F>, counting_blocks(exec), map_threads, 0, {}, d, us, hubs, f);

    edges_to_others to_others{d, number.data(), nullptr};
    auto const offsets = offsets_of_selected(exec, d, to_others, total);
    buffer<vertex_id> neighbors(exec, total);
    to_others.neighbors = neighbors.data();
    filter_edges(exec, d, offsets.data(), to_others);
    graph_view others = d;
    others.edge_count = total;
    others.offsets = offsets.data();
    others.neighbors = neighbors.data();
    if (total > 0) probe_all(exec, others, us, true, f);
    exec.synchronize(); // the buffers are destroyed here
}
template <class F>
void for_each_triangle(cuda_executor const& exec, graph_view g, graph_view d, F const& f) {
    for_each_triangle_from(exec, g, has_long_rows(g), d, {0, g.vertices}, f);
}

} // namespace coppice::inline v0_1::analytics
