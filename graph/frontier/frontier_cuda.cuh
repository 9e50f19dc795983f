// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Vertex maps and edge maps on CUDA. See graph/frontier/frontier.hpp for the contract.
#pragma once

#include <coppice/core/block.hpp>
#include <coppice/core/cuda/launch_early.cuh>
#include <coppice/graph/frontier/frontier.hpp>

namespace coppice::inline v0_1::analytics {

/// The lanes of a warp that execute the same call simultaneously; all of them call the members together. This uses warp
/// intrinsics instead of cooperative_groups: synccheck reported divergence in the one kernel with block barriers that
/// used a reduction of such a group (the release notes of compute-sanitizer list this as a false report for programs of
/// CUDA 13.0). In addition, REDUX adds the values of the lanes in two instructions.
class active_lanes {
public:
    __device__ int count() const { return __popc(mask_); }
    __device__ int rank() const { return __popc(mask_ & lanes_before()); }
    __device__ bool is_first() const { return rank() == 0; }
    /// Value of `x` in the first active lane.
    __device__ unsigned long long from_first(unsigned long long x) const {
        return __shfl_sync(mask_, x, first_lane(mask_));
    }
    /// Splits x = 2^16 high + low; a sum of 32 halves fits in 32 bits.
    __device__ std::int64_t sum(std::int32_t x) const {
        auto const low = __reduce_add_sync(mask_, unsigned(x) & 0xffffu);
        auto const high = __reduce_add_sync(mask_, x >> 16);
        return std::int64_t(high) * 65536 + low;
    }

private:
    __device__ static unsigned lanes_before() {
        unsigned mask;
        asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
        return mask;
    }
    unsigned mask_ = __activemask();
};

template <int N>
class cuda_worker {
public:
    static constexpr bool recurses = false;

    __device__ explicit cuda_worker(outputs<N> const& outs) : outs_(outs) {}

    /// Lanes that emit together reserve their offsets with one atomic operation.
    template <int K = 0>
    __device__ void emit(vertex_id v) {
        active_lanes const lanes;
        unsigned long long const at = lanes.is_first() ? reserve<K>(lanes.count()) : 0;
        outs_.list[K]->items[lanes.from_first(at) + lanes.rank()] = v;
    }
    template <int K = 0>
    __device__ void emit(vertex_id v, std::int32_t work) {
        active_lanes const lanes;
        // Reserves before the sum is computed, to overlap the latency of the atomic operation.
        unsigned long long const at = lanes.is_first() ? reserve<K>(lanes.count()) : 0;
        std::int64_t const all = lanes.sum(work);
        worklist* const list = outs_.list[K];
        if (lanes.is_first() && all != 0) add(&list->work, all);
        list->items[lanes.from_first(at) + lanes.rank()] = v;
    }
    template <class T>
    __device__ T load(T const* p) const {
        return *static_cast<T const volatile*>(p);
    }
    template <class T>
    __device__ T load_cached(T const* p) const {
        return __ldca(p);
    }
    template <class T>
    __device__ void store(T* p, T x) const {
        *static_cast<T volatile*>(p) = x;
    }
    template <class T>
    __device__ bool claim(T* p, T from, T to) const {
        return atomicCAS(p, from, to) == from;
    }
    template <class T>
    __device__ T exchange(T* p, T x) const {
        return atomicExch(p, x);
    }
    template <class T>
    __device__ bool lower(T* p, T x) const {
        return x < load(p) && x < minimum(p, x);
    }
    template <class T>
    __device__ void put_lower(T* p, T x) const {
        minimum(p, x);
    }
    __device__ int add(int* p, int x) const { return atomicAdd(p, x); }
    __device__ std::int64_t add(std::int64_t* p, std::int64_t x) const {
        return static_cast<std::int64_t>(
            atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(x)));
    }
    __device__ std::uint64_t add(std::uint64_t* p, std::uint64_t x) const {
        return atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(x));
    }
    __device__ std::uint64_t set_bits(std::uint64_t* p, std::uint64_t x) const {
        return atomicOr(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(x));
    }
    __device__ void fence() const { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
    /// A wait of many seconds ends with a device error: in a correct program the value arrives long before.
    template <class T>
    __device__ T await(T const* p) const {
        T x = load(p);
        for (int polls = 0; x == 0; x = load(p))
            if (++polls == max_polls) __trap();
        fence();
        return x;
    }

private:
    static constexpr int max_polls = 1 << 26;

    template <int K>
    __device__ unsigned long long reserve(int count) {
        return atomicAdd(reinterpret_cast<unsigned long long*>(&outs_.list[K]->count),
                         static_cast<unsigned long long>(count));
    }
    /// Sets *p = min(*p, x) and returns the old value.
    __device__ static std::int32_t minimum(std::int32_t* p, std::int32_t x) { return atomicMin(p, x); }
    __device__ static std::uint32_t minimum(std::uint32_t* p, std::uint32_t x) { return atomicMin(p, x); }
    __device__ static std::uint64_t minimum(std::uint64_t* p, std::uint64_t x) {
        return atomicMin(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(x));
    }
    /// The bits of non-negative floats, read as integers, ascend with their values. Those of negative floats, read as
    /// unsigned integers, descend.
    __device__ static float minimum(float* p, float x) {
        return __float_as_int(x) >= 0 ? __int_as_float(atomicMin(reinterpret_cast<int*>(p), __float_as_int(x)))
                                      : __uint_as_float(atomicMax(reinterpret_cast<unsigned*>(p), __float_as_uint(x)));
    }
    __device__ static double minimum(double* p, double x) {
        long long const bits = __double_as_longlong(x);
        return __longlong_as_double(bits >= 0
                                        ? atomicMin(reinterpret_cast<long long*>(p), bits)
                                        : static_cast<long long>(atomicMax(reinterpret_cast<unsigned long long*>(p),
                                                                           static_cast<unsigned long long>(bits))));
    }

    outputs<N> outs_;
};
template <>
struct shared_workers<cuda_executor> {
    template <int N>
    using type = cuda_worker<N>;
    static std::int64_t warps(cuda_executor const& exec) { return std::int64_t(exec.multiprocessors()) * 64; }
};

inline constexpr int map_threads = 256;          ///< threads of a block
inline constexpr std::int32_t shared_row = 1024; ///< longer rows are processed by a block, or by all blocks
/// If a list has at most this number of vertices, all blocks share its long rows.
inline constexpr int few_vertices = 1024;

/// Processes the vertices of a list with all threads of a grid.
template <int N, class F>
__device__ void vertex_map_of_grid(cuda_worker<N>& worker, worklist const& list, F const& f) {
    std::int64_t const stride = std::int64_t(gridDim.x) * blockDim.x;
    for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < list.count; i += stride)
        f(worker, list[i]);
}

template <int N, class F>
__global__ void vertex_map_kernel(int const* predicate, worklist const* in, outputs<N> outs, F f) {
    wait_for_predecessor();
    if (!is_enabled(predicate)) return;
    worklist const list = *in;
    cuda_worker<N> worker(outs);
    vertex_map_of_grid(worker, list, f);
}

/// Stores the bits of all vertices with all threads of a grid. A warp adds its numbers at the end.
template <class F>
__device__ void bitmap_map_of_grid(cuda_worker<1>& worker, std::int64_t vertices, bitmap* out, F const& f) {
    std::int64_t const stride = std::int64_t(gridDim.x) * blockDim.x;
    int const lane = int(threadIdx.x) % 32;
    std::uint32_t* const words = out->words;
    std::int64_t count = 0, work = 0;
    for (std::int64_t first = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x - lane; first < vertices;
         first += stride) {
        std::int64_t const v = first + lane;
        bool const is_member = v < vertices && f(worker, vertex_id(v));
        unsigned const bits = __ballot_sync(~0u, is_member);
        if (lane == 0) words[first / 32] = bits;
        if (is_member) {
            ++count;
            work += f.work(vertex_id(v));
        }
    }
    for (int step = 16; step > 0; step /= 2) {
        count += __shfl_down_sync(~0u, count, step);
        work += __shfl_down_sync(~0u, work, step);
    }
    if (lane != 0 || count == 0) return;
    worker.add(&out->count, count);
    worker.add(&out->work, work);
}
template <class F>
__global__ void bitmap_map_kernel(int const* predicate, worklist const* in, bitmap* out, F f) {
    wait_for_predecessor();
    if (!is_enabled(predicate)) return;
    cuda_worker<1> worker(nothing());
    bitmap_map_of_grid(worker, in->count, out, f);
}

/// Vertices that a lane holds, in shared memory that allows maximum occupancy.
inline constexpr int vertices_per_lane = 32;
/// Number of attempts before the remaining vertices go to the next list. If rows are long, an attempt costs more than
/// appending a vertex again.
inline int attempts_of(graph_view const& g) { return has_long_rows(g) ? 2 : 32; }

/// Every warp tries its vertices repeatedly while other warps do the same (as in ECL-MIS: Burtscher, Devale, Azimi,
/// Jaiganesh and Powers, 2018), so that a chain of dependent vertices needs no launch for each of its vertices. The
/// vertices that still wait are compacted, so that an attempt costs their number. The number of attempts is bounded,
/// since a vertex may wait for one whose block has not started.
template <int N, class F>
__global__ void __launch_bounds__(map_threads)
    try_vertex_map_kernel(int const* predicate, worklist const* in, outputs<N> outs, F f, int max_attempts) {
    __shared__ std::uint16_t pending[map_threads / 32][32 * vertices_per_lane];
    wait_for_predecessor();
    if (!is_enabled(predicate)) return;
    worklist const list = *in;
    cuda_worker<N> worker(outs);
    int const lane = int(threadIdx.x) % 32;
    std::uint16_t* const waiting = pending[threadIdx.x / 32];
    std::int64_t const threads = std::int64_t(gridDim.x) * map_threads;
    std::int64_t const own = std::int64_t(blockIdx.x) * map_threads + threadIdx.x - lane; // index of the first lane
    for (std::int64_t base = own; base < list.count; base += vertices_per_lane * threads) {
        auto const item = [&](int index) { return base + index / 32 * threads + index % 32; };
        int left = 0;
        auto const keep = [&](bool waits, int index) { // called by all lanes
            unsigned const lanes = __ballot_sync(~0u, waits);
            if (waits) waiting[left + __popc(lanes & ((1u << lane) - 1))] = static_cast<std::uint16_t>(index);
            left += __popc(lanes);
        };
        for (int j = 0; j < vertices_per_lane && base + j * threads < list.count; ++j) {
            int const index = 32 * j + lane;
            keep(item(index) < list.count && !f(worker, list[item(index)]), index);
        }
        for (int attempts = 1; left > 0 && attempts < max_attempts; ++attempts) {
            int const count = left;
            left = 0;
            for (int first = 0; first < count; first += 32) {
                __syncwarp();
                int const index = first + lane < count ? waiting[first + lane] : -1;
                keep(index >= 0 && !f(worker, list[item(index)]), index); // after all lanes have read
            }
        }
        __syncwarp();
        for (int i = lane; i < left; i += 32) worker.emit(list[item(waiting[i])]);
        __syncwarp();
    }
}

inline constexpr int strided_vertices = 64; ///< vertices of a thread
inline constexpr int strided_attempts = 32;
/// try_vertex_map() for neighbours with distant indices, where every access loads another cache line: each thread
/// processes a fixed set of vertices repeatedly.
template <int N, class F>
__global__ void __launch_bounds__(map_threads)
    try_vertex_map_strided_kernel(int const* predicate, worklist const* in, outputs<N> outs, F f) {
    wait_for_predecessor();
    if (!is_enabled(predicate)) return;
    worklist const list = *in;
    cuda_worker<N> worker(outs);
    std::int64_t const stride = std::int64_t(gridDim.x) * blockDim.x;
    for (std::int64_t base = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; base < list.count;
         base += strided_vertices * stride) {
        std::int64_t const rest = (list.count - base + stride - 1) / stride;
        int const count = int(min(rest, std::int64_t(strided_vertices)));
        std::uint64_t left = ~std::uint64_t(0) >> (64 - count);
        for (int attempts = 0; left != 0 && attempts < strided_attempts; ++attempts)
            for (int j = 0; j < count; ++j)
                if ((left >> j & 1) != 0 && f(worker, list[base + j * stride])) left &= ~(std::uint64_t(1) << j);
        for (int j = 0; j < count; ++j)
            if ((left >> j & 1) != 0) worker.emit(list[base + j * stride]);
    }
}

/// Barrier of the block for warps whose lanes may have diverged: the lanes merge first. (synccheck of CUDA 13.0 reports
/// these barriers nevertheless; scripts/gpu-sanitize.xml contains the reason why that is false.)
__device__ inline void sync_merged() {
    __syncwarp();
    __syncthreads();
}
__device__ inline bool sync_merged_any(bool condition) {
    __syncwarp();
    return __syncthreads_or(condition) != 0;
}

/// Processes the rows of the block's vertices with at least `Threads` edges, each with the whole block.
template <int Threads, int N, class F>
__device__ void edge_map_rows_of_block(cuda_worker<N>& worker, vertex_id u, std::int32_t& begin, std::int32_t end,
                                       F const& f) {
    __shared__ int owner;
    __shared__ std::int32_t row[3];
    for (;;) {
        bool const is_waiting = end - begin >= Threads;
        if (!sync_merged_any(is_waiting)) break;
        if (is_waiting) owner = int(threadIdx.x);
        sync_merged();
        if (owner == int(threadIdx.x)) {
            row[0] = u;
            row[1] = begin;
            row[2] = end;
            begin = end;
        }
        sync_merged();
        for (std::int64_t k = std::int64_t(row[1]) + threadIdx.x; k < row[2]; k += Threads)
            f(worker, row[0], std::int32_t(k));
    }
}
/// Processes the rows of `Threads` vertices: long rows by the whole block, medium rows by a warp, the others by a
/// thread each (Merrill, Garland and Grimshaw, Scalable GPU graph traversal, 2012).
template <int Threads, int N, class F>
__device__ void edge_map_rows(cuda_worker<N>& worker, vertex_id u, std::int32_t begin, std::int32_t end, F const& f) {
    edge_map_rows_of_block<Threads>(worker, u, begin, end, f);
    int const lane = int(threadIdx.x) % 32;
    for (unsigned waiting = __ballot_sync(~0u, end - begin >= 32); waiting; waiting &= waiting - 1) {
        int const from = first_lane(waiting);
        vertex_id const v = __shfl_sync(~0u, u, from);
        std::int32_t const last = __shfl_sync(~0u, end, from);
        for (std::int64_t k = std::int64_t(__shfl_sync(~0u, begin, from)) + lane; k < last; k += 32)
            f(worker, v, std::int32_t(k));
        if (lane == from) begin = end;
        __syncwarp();
    }
    for (; begin < end; ++begin) f(worker, u, begin);
}

/// Index in a list that this thread processes, of gridDim.x * `Threads` consecutive ones. If `spreads` is false,
/// consecutive threads take consecutive indices. Otherwise consecutive indices go to different blocks, and within a
/// block to different warps, because a warp processes the rows of its lanes one after the other. The mapping is a
/// bijection in both cases.
template <int Threads>
__device__ std::int64_t position_in_list(bool spreads) {
    if (!spreads) return std::int64_t(blockIdx.x) * Threads + threadIdx.x;
    std::int64_t const index = threadIdx.x % 32 * (Threads / 32) + threadIdx.x / 32;
    return index * gridDim.x + blockIdx.x;
}
/// Whether to spread the vertices of a list that `stride` threads process: if the list is short, or if it holds all
/// vertices of a graph with long rows, which often have neighbouring indices.
__device__ inline bool is_spread(worklist const& list, graph_view const& g, std::int64_t stride) {
    return list.count <= stride / 8 || (list.items == nullptr && has_long_rows(g));
}

/// Processes the edges of a list with all blocks of a grid, except long rows if `leaves_long`.
template <int Threads, int N, class F>
__device__ void edge_map_of_grid(cuda_worker<N>& worker, worklist const& list, graph_view const& g, F const& f,
                                 bool leaves_long) {
    std::int64_t const stride = std::int64_t(gridDim.x) * Threads;
    std::int64_t const own = position_in_list<Threads>(is_spread(list, g, stride));
    for (std::int64_t base = 0; base < list.count; base += stride) {
        std::int64_t const i = base + own;
        vertex_id const u = i < list.count ? list[i] : vertex_id(-1);
        bool const enters = u >= 0 && !(leaves_long && g.degree(u) > shared_row) && enters_map(f, worker, u);
        edge_map_rows<Threads>(worker, u, enters ? g.offsets[u] : 0, enters ? g.offsets[u + 1] : 0, f);
    }
}

/// Processes the long rows of a short list with all blocks; every block searches the list for them. On power-law graphs
/// the last rounds have few vertices, some of which hold a large fraction of the edges.
template <int N, class F>
__device__ void edge_map_long_rows(cuda_worker<N>& worker, worklist const& list, graph_view const& g, F const& f) {
    __shared__ vertex_id rows[few_vertices];
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    sync_merged();
    for (std::int64_t i = threadIdx.x; i < list.count; i += map_threads) {
        vertex_id const u = list[i];
        if (g.degree(u) > shared_row && enters_map(f, worker, u)) rows[atomicAdd(&count, 1)] = u;
    }
    sync_merged();
    for (int r = 0; r < count; ++r) {
        vertex_id const u = rows[r]; // the order differs from block to block
        unsigned const slice = (blockIdx.x + unsigned(u) * 61u) % gridDim.x;
        std::int32_t const end = g.offsets[u + 1], step = std::int32_t(gridDim.x) * map_threads;
        for (std::int64_t k = g.offsets[u] + std::int64_t(slice) * map_threads + threadIdx.x; k < end; k += step)
            f(worker, u, std::int32_t(k));
    }
}

template <int N, class F>
__global__ void __launch_bounds__(map_threads) edge_map_kernel(int const* predicate, worklist const* in, graph_view g,
                                                               outputs<N> outs, F f, bool split_long_rows) {
    wait_for_predecessor();
    if (!is_enabled(predicate)) return;
    worklist const list = *in;
    cuda_worker<N> worker(outs);
    split_long_rows = split_long_rows && list.count <= few_vertices;
    if (split_long_rows) edge_map_long_rows(worker, list, g, f);
    edge_map_of_grid<map_threads>(worker, list, g, f, split_long_rows);
}

/// Number of blocks that fill the device, because only the device has the number of vertices. The number is odd, so
/// that the vertices of a block, whose distances are multiples of it, have rows of all lengths: in R-MAT graphs the
/// long rows are those of even indices.
inline dim3 map_blocks(cuda_executor const& exec) { return dim3(unsigned(exec.multiprocessors()) * 8 - 1); }

template <int N, class F>
void vertex_map(cuda_executor const& exec, int const* predicate, worklist const* in, outputs<N> const& outs,
                F const& f) {
    launch_early(exec, &vertex_map_kernel<N, F>, map_blocks(exec), map_threads, 0, {}, predicate, in, outs, f);
}

template <class F>
void bitmap_map(cuda_executor const& exec, int const* predicate, worklist const* in, bitmap* out, F const& f) {
    launch_early(exec, &bitmap_map_kernel<F>, map_blocks(exec), map_threads, 0, {}, predicate, in, out, f);
}

template <int N, class F>
void try_vertex_map(cuda_executor const& exec, int const* predicate, worklist const* in, graph_view const& g,
                    outputs<N> const& outs, F const& f) {
    if (f.reads_ahead)
        launch_early(exec, &try_vertex_map_kernel<N, F>, map_blocks(exec), map_threads, 0, {}, predicate, in, outs, f,
                     attempts_of(g));
    else
        launch_early(exec, &try_vertex_map_strided_kernel<N, F>, map_blocks(exec), map_threads, 0, {}, predicate, in,
                     outs, f);
}

template <int N, class F>
void edge_map(cuda_executor const& exec, int const* predicate, worklist const* in, graph_view const& g,
              outputs<N> const& outs, F const& f) {
    bool const split_long_rows = has_long_rows(g);
    launch_early(exec, &edge_map_kernel<N, F>, map_blocks(exec), map_threads, 0, {}, predicate, in, g, outs, f,
                 split_long_rows);
}

/// Value of x in the lane `by` positions higher.
template <class T>
__device__ T shuffled_down(T const& x, int by) {
    static_assert(sizeof(T) % 4 == 0);
    unsigned word[sizeof(T) / 4];
    __builtin_memcpy(word, &x, sizeof(T));
    for (unsigned& w : word) w = __shfl_down_sync(~0u, w, unsigned(by));
    T y;
    __builtin_memcpy(&y, word, sizeof(T));
    return y;
}

/// Sum of the terms of the edges k, k + step, ... < end.
template <class F>
__device__ typename F::value sum_of_terms(vertex_id u, std::int64_t k, std::int64_t end, int step, F const& f) {
    typename F::value sum{};
    for (; k < end; k += step) sum = sum + f.term(u, std::int32_t(k));
    return sum;
}
/// Sum over the lanes of a warp; valid in the first lane.
template <class T>
__device__ T sum_of_warp(T sum) {
    for (int step = 16; step > 0; step /= 2) sum = sum + shuffled_down(sum, step);
    return sum;
}

/// One thread sums a row of up to 32 edges, a warp one of up to 1024: lane l adds edges l, l + 32, ..., then a tree
/// adds the lanes. A block sums longer rows in the same way: a tree for each warp, then the sums of the warps in order.
template <class F>
__global__ void __launch_bounds__(map_threads)
    edge_sum_kernel(int const* predicate, worklist const* in, graph_view g, F f) {
    using value = typename F::value;
    __shared__ int owner;
    __shared__ vertex_id owned;
    __shared__ alignas(16) unsigned char memory[map_threads / 32 * sizeof(value)];
    value* const sums = reinterpret_cast<value*>(memory);
    wait_for_predecessor();
    if (!is_enabled(predicate)) return;
    worklist const list = *in;
    int const lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    std::int64_t const stride = std::int64_t(gridDim.x) * map_threads;
    std::int64_t const own = position_in_list<map_threads>(is_spread(list, g, stride));
    for (std::int64_t base = 0; base < list.count; base += stride) {
        std::int64_t const i = base + own;
        vertex_id const u = i < list.count ? list[i] : vertex_id(-1);
        std::int32_t begin = u >= 0 ? g.offsets[u] : 0;
        std::int32_t const end = u >= 0 ? g.offsets[u + 1] : 0;
        bool const is_long = end - begin > shared_row;
        for (;;) {
            bool const is_waiting = end - begin > shared_row;
            if (!sync_merged_any(is_waiting)) break;
            if (is_waiting) owner = int(threadIdx.x);
            sync_merged();
            if (owner == int(threadIdx.x)) {
                owned = u;
                begin = end;
            }
            sync_merged();
            vertex_id const v = owned;
            value const sum = sum_of_warp(
                sum_of_terms(v, std::int64_t(g.offsets[v]) + threadIdx.x, g.offsets[v + 1], map_threads, f));
            if (lane == 0) sums[warp] = sum;
            sync_merged();
            if (threadIdx.x == 0) {
                value all = sums[0];
                for (int w = 1; w < map_threads / 32; ++w) all = all + sums[w];
                f.store(v, all);
            }
            sync_merged(); // all threads have read before the next row overwrites
        }
        if (u >= 0 && !is_long && end - begin <= 32) {
            f.store(u, sum_of_terms(u, begin, end, 1, f));
        }
        __syncwarp();
        for (unsigned waiting = __ballot_sync(~0u, end - begin > 32); waiting; waiting &= waiting - 1) {
            int const from = first_lane(waiting);
            vertex_id const v = __shfl_sync(~0u, u, from);
            std::int32_t const last = __shfl_sync(~0u, end, from);
            value const sum =
                sum_of_warp(sum_of_terms(v, std::int64_t(__shfl_sync(~0u, begin, from)) + lane, last, 32, f));
            if (lane == 0) f.store(v, sum);
        }
    }
}

template <class F>
void edge_sum(cuda_executor const& exec, int const* predicate, worklist const* in, graph_view const& g, F const& f) {
    launch_early(exec, &edge_sum_kernel<F>, map_blocks(exec), map_threads, 0, {}, predicate, in, g, f);
}

} // namespace coppice::inline v0_1::analytics
