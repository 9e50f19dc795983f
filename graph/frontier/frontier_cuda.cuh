// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Visits of lists on CUDA. See graph/frontier/frontier.hpp for the contract.
#pragma once

#include <coppice/core/block.hpp>
#include <coppice/core/cuda/launch_early.cuh>
#include <coppice/graph/frontier/frontier.hpp>

namespace coppice::analytics {

/// The lanes of a warp that execute the same call at the same time; its members are called by all of them. Warp
/// intrinsics in place of cooperative_groups: of all kernels with block barriers synccheck reported divergence in the
/// one that used a reduction of such a group, which the notes on compute-sanitizer name as a false report for programs
/// of CUDA 13.0; and REDUX adds what the lanes have in two instructions.
class active_lanes {
public:
    __device__ int count() const { return __popc(mask_); }
    __device__ int rank() const { return __popc(mask_ & lanes_before()); }
    __device__ bool is_first() const { return rank() == 0; }
    /// `x` of the first lane.
    __device__ unsigned long long from_first(unsigned long long x) const {
        return __shfl_sync(mask_, x, first_lane(mask_));
    }
    /// x = 2^16 high + low; sums of 32 halves fit in 32 bits.
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

    /// Lanes that emit together ask for their places together.
    template <int K = 0>
    __device__ void emit(vertex_id v) {
        active_lanes const lanes;
        unsigned long long const at = lanes.is_first() ? places<K>(lanes.count()) : 0;
        outs_.list[K]->items[lanes.from_first(at) + lanes.rank()] = v;
    }
    template <int K = 0>
    __device__ void emit(vertex_id v, std::int32_t work) {
        active_lanes const lanes;
        // Asked for before the sum is known: it takes its time.
        unsigned long long const at = lanes.is_first() ? places<K>(lanes.count()) : 0;
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
    __device__ T glance(T const* p) const {
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
    /// A wait of many seconds ends with an error of the device: what would come has come long before.
    template <class T>
    __device__ T await(T const* p) const {
        T x = load(p);
        for (int looks = 0; x == 0; x = load(p))
            if (++looks == most_looks) __trap();
        fence();
        return x;
    }

private:
    static constexpr int most_looks = 1 << 26;

    template <int K>
    __device__ unsigned long long places(int count) {
        return atomicAdd(reinterpret_cast<unsigned long long*>(&outs_.list[K]->count),
                         static_cast<unsigned long long>(count));
    }
    /// *p = min(*p, x); the old value.
    __device__ static std::int32_t minimum(std::int32_t* p, std::int32_t x) { return atomicMin(p, x); }
    __device__ static std::uint32_t minimum(std::uint32_t* p, std::uint32_t x) { return atomicMin(p, x); }
    __device__ static std::uint64_t minimum(std::uint64_t* p, std::uint64_t x) {
        return atomicMin(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(x));
    }
    /// Bits of floats without a sign rise with them; bits of others, read without sign, fall.
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

inline constexpr int visitors = 256;             ///< threads of a block
inline constexpr std::int32_t shared_row = 1024; ///< longer rows are those of a block, or of all
inline constexpr int few_vertices = 1024;        ///< of so few, long rows are shared by all blocks

/// The vertices of a list by all threads of a grid.
template <int N, class F>
__device__ void visit_items_of(cuda_worker<N>& worker, worklist const& list, F const& f) {
    std::int64_t const stride = std::int64_t(gridDim.x) * blockDim.x;
    for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < list.count; i += stride)
        f(worker, list[i]);
}

template <int N, class F>
__global__ void visit_items_kernel(int const* gate, worklist const* in, outputs<N> outs, F f) {
    wait_for_predecessor();
    if (!is_open(gate)) return;
    worklist const list = *in;
    cuda_worker<N> worker(outs);
    visit_items_of(worker, list, f);
}

inline constexpr int tried_at_once = 32; ///< by a lane: shared memory for as many blocks as there may be
/// How often, before the rest waits for the next list. A long row costs more than being listed again.
inline int tries_of(graph_view const& g) { return has_long_rows(g) ? 2 : 32; }

/// Every warp tries its vertices again and again while others do the same (as ECL-MIS of Burtscher, Devale, Azimi,
/// Jaiganesh and Powers, 2018, does): a chain of waiting vertices is gone through without a launch for each. Those that
/// still wait move together, so that a try costs what they are, not what they were. The number of tries is bounded,
/// since a vertex may wait for one whose block has not begun.
template <int N, class F>
__global__ void __launch_bounds__(visitors)
    try_items_kernel(int const* gate, worklist const* in, outputs<N> outs, F f, int most_tries) {
    __shared__ std::uint16_t places[visitors / 32][32 * tried_at_once];
    wait_for_predecessor();
    if (!is_open(gate)) return;
    worklist const list = *in;
    cuda_worker<N> worker(outs);
    int const lane = int(threadIdx.x) % 32;
    std::uint16_t* const waiting = places[threadIdx.x / 32];
    std::int64_t const threads = std::int64_t(gridDim.x) * visitors;
    std::int64_t const own = std::int64_t(blockIdx.x) * visitors + threadIdx.x - lane; // of the first lane
    for (std::int64_t base = own; base < list.count; base += tried_at_once * threads) {
        auto const item = [&](int place) { return base + place / 32 * threads + place % 32; };
        int left = 0;
        auto const keep = [&](bool waits, int place) { // all lanes
            unsigned const lanes = __ballot_sync(~0u, waits);
            if (waits) waiting[left + __popc(lanes & ((1u << lane) - 1))] = static_cast<std::uint16_t>(place);
            left += __popc(lanes);
        };
        for (int j = 0; j < tried_at_once && base + j * threads < list.count; ++j) {
            int const place = 32 * j + lane;
            keep(item(place) < list.count && !f(worker, list[item(place)]), place);
        }
        for (int tries = 1; left > 0 && tries < most_tries; ++tries) {
            int const count = left;
            left = 0;
            for (int first = 0; first < count; first += 32) {
                __syncwarp();
                int const place = first + lane < count ? waiting[first + lane] : -1;
                keep(place >= 0 && !f(worker, list[item(place)]), place); // behind what all lanes have read
            }
        }
        __syncwarp();
        for (int i = lane; i < left; i += 32) worker.emit(list[item(waiting[i])]);
        __syncwarp();
    }
}

inline constexpr int tried_apart = 64; ///< by a thread
inline constexpr int tries_apart = 32;
/// The same where neighbours are far away, and every look takes a line of memory of its own: by threads, each of which
/// comes back to a vertex when it has been at all its others.
template <int N, class F>
__global__ void __launch_bounds__(visitors)
    try_items_apart_kernel(int const* gate, worklist const* in, outputs<N> outs, F f) {
    wait_for_predecessor();
    if (!is_open(gate)) return;
    worklist const list = *in;
    cuda_worker<N> worker(outs);
    std::int64_t const stride = std::int64_t(gridDim.x) * blockDim.x;
    for (std::int64_t base = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; base < list.count;
         base += tried_apart * stride) {
        std::int64_t const rest = (list.count - base + stride - 1) / stride;
        int const count = int(min(rest, std::int64_t(tried_apart)));
        std::uint64_t left = ~std::uint64_t(0) >> (64 - count);
        for (int tries = 0; left != 0 && tries < tries_apart; ++tries)
            for (int j = 0; j < count; ++j)
                if ((left >> j & 1) != 0 && f(worker, list[base + j * stride])) left &= ~(std::uint64_t(1) << j);
        for (int j = 0; j < count; ++j)
            if ((left >> j & 1) != 0) worker.emit(list[base + j * stride]);
    }
}

/// The rows of at least as many edges as a block has threads, of those that its threads have.
template <int Threads, int N, class F>
__device__ void visit_rows_of_block(cuda_worker<N>& worker, vertex_id u, std::int32_t& begin, std::int32_t end,
                                    F const& f) {
    __shared__ int owner;
    __shared__ std::int32_t row[3];
    for (;;) {
        bool const asks = end - begin >= Threads;
        if (!__syncthreads_or(asks)) break;
        if (asks) owner = int(threadIdx.x);
        __syncthreads();
        if (owner == int(threadIdx.x)) {
            row[0] = u;
            row[1] = begin;
            row[2] = end;
            begin = end;
        }
        __syncthreads();
        for (std::int64_t k = std::int64_t(row[1]) + threadIdx.x; k < row[2]; k += Threads)
            f(worker, row[0], std::int32_t(k));
    }
}
/// The rows of as many vertices as a block has threads: long ones by the whole block, middling ones by a warp, the
/// others by a thread each (Merrill, Garland and Grimshaw, Scalable GPU graph traversal, 2012).
template <int Threads, int N, class F>
__device__ void visit_rows(cuda_worker<N>& worker, vertex_id u, std::int32_t begin, std::int32_t end, F const& f) {
    visit_rows_of_block<Threads>(worker, u, begin, end, f);
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

/// Which vertex of a list a thread takes, of gridDim.x times `Threads` in a row: neighbouring threads neighbouring
/// ones, or, spread, every block its share and of that every warp, since their rows come one after the other. A
/// bijection either way.
template <int Threads>
__device__ std::int64_t place_in_list(bool spreads) {
    if (!spreads) return std::int64_t(blockIdx.x) * Threads + threadIdx.x;
    std::int64_t const place = threadIdx.x % 32 * (Threads / 32) + threadIdx.x / 32;
    return place * gridDim.x + blockIdx.x;
}
/// Of a list of all, which `stride` threads visit, or of a short one. Where rows differ much, the long ones often stand
/// side by side.
__device__ inline bool is_spread(worklist const& list, graph_view const& g, std::int64_t stride) {
    return list.count <= stride / 8 || (list.items == nullptr && has_long_rows(g));
}

/// The edges of a list by all blocks of a grid; without those of long rows where others take them.
template <int Threads, int N, class F>
__device__ void visit_edges_of(cuda_worker<N>& worker, worklist const& list, graph_view const& g, F const& f,
                               bool leaves_long) {
    std::int64_t const stride = std::int64_t(gridDim.x) * Threads;
    std::int64_t const own = place_in_list<Threads>(is_spread(list, g, stride));
    for (std::int64_t base = 0; base < list.count; base += stride) {
        std::int64_t const i = base + own;
        vertex_id const u = i < list.count ? list[i] : vertex_id(-1);
        bool const enters = u >= 0 && !(leaves_long && g.degree(u) > shared_row) && f.enters(worker, u);
        visit_rows<Threads>(worker, u, enters ? g.offsets[u] : 0, enters ? g.offsets[u + 1] : 0, f);
    }
}

/// The long rows of a short list by all blocks, each of which looks for them: rounds of few vertices, some of which
/// have a good part of the edges, are what power-law graphs end in.
template <int N, class F>
__device__ void visit_long_rows(cuda_worker<N>& worker, worklist const& list, graph_view const& g, F const& f) {
    __shared__ vertex_id rows[few_vertices];
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    for (std::int64_t i = threadIdx.x; i < list.count; i += visitors) {
        vertex_id const u = list[i];
        if (g.degree(u) > shared_row && f.enters(worker, u)) rows[atomicAdd(&count, 1)] = u;
    }
    __syncthreads();
    for (int r = 0; r < count; ++r) {
        vertex_id const u = rows[r]; // in another order in every block
        unsigned const part = (blockIdx.x + unsigned(u) * 61u) % gridDim.x;
        std::int32_t const end = g.offsets[u + 1], step = std::int32_t(gridDim.x) * visitors;
        for (std::int64_t k = g.offsets[u] + std::int64_t(part) * visitors + threadIdx.x; k < end; k += step)
            f(worker, u, std::int32_t(k));
    }
}

template <int N, class F>
__global__ void __launch_bounds__(visitors)
    visit_edges_kernel(int const* gate, worklist const* in, graph_view g, outputs<N> outs, F f, bool shares) {
    wait_for_predecessor();
    if (!is_open(gate)) return;
    worklist const list = *in;
    cuda_worker<N> worker(outs);
    shares = shares && list.count <= few_vertices;
    if (shares) visit_long_rows(worker, list, g, f);
    visit_edges_of<visitors>(worker, list, g, f, shares);
}

/// Blocks that fill the device: how many vertices there are is known there alone. Their number is odd, so that a block
/// whose vertices are as many apart gets all kinds: in R-MAT graphs the long rows are those of even numbers.
inline dim3 visiting_blocks(cuda_executor const& exec) { return dim3(unsigned(exec.multiprocessors()) * 8 - 1); }

template <int N, class F>
void visit_items(cuda_executor const& exec, int const* gate, worklist const* in, outputs<N> const& outs, F const& f) {
    launch_early(exec, &visit_items_kernel<N, F>, visiting_blocks(exec), visitors, 0, {}, gate, in, outs, f);
}

template <int N, class F>
void try_items(cuda_executor const& exec, int const* gate, worklist const* in, graph_view const& g,
               outputs<N> const& outs, F const& f) {
    if (f.reads_ahead)
        launch_early(exec, &try_items_kernel<N, F>, visiting_blocks(exec), visitors, 0, {}, gate, in, outs, f,
                     tries_of(g));
    else
        launch_early(exec, &try_items_apart_kernel<N, F>, visiting_blocks(exec), visitors, 0, {}, gate, in, outs, f);
}

template <int N, class F>
void visit_edges(cuda_executor const& exec, int const* gate, worklist const* in, graph_view const& g,
                 outputs<N> const& outs, F const& f) {
    bool const shares = has_long_rows(g);
    launch_early(exec, &visit_edges_kernel<N, F>, visiting_blocks(exec), visitors, 0, {}, gate, in, g, outs, f, shares);
}

/// What the lane `by` places on has.
template <class T>
__device__ T moved_down(T const& x, int by) {
    static_assert(sizeof(T) % 4 == 0);
    unsigned word[sizeof(T) / 4];
    __builtin_memcpy(word, &x, sizeof(T));
    for (unsigned& w : word) w = __shfl_down_sync(~0u, w, unsigned(by));
    T y;
    __builtin_memcpy(&y, word, sizeof(T));
    return y;
}

/// The sum over the edges k, k + step, ... before `end`.
template <class F>
__device__ typename F::value sum_of_terms(vertex_id u, std::int64_t k, std::int64_t end, int step, F const& f) {
    typename F::value sum{};
    for (; k < end; k += step) sum = sum + f.term(u, std::int32_t(k));
    return sum;
}
/// The sum over the lanes of a warp, in its first lane.
template <class T>
__device__ T sum_of_warp(T sum) {
    for (int step = 16; step > 0; step /= 2) sum = sum + moved_down(sum, step);
    return sum;
}

/// Rows of up to 32 edges by a thread each, of up to 1024 by a warp: lane l folds edges l, l + 32, ..., then a tree.
/// Longer ones by a block in the same way: a tree for each warp, then their sums one after the other.
template <class F>
__global__ void __launch_bounds__(visitors) visit_sums_kernel(int const* gate, worklist const* in, graph_view g, F f) {
    using value = typename F::value;
    __shared__ int owner;
    __shared__ vertex_id owned;
    __shared__ alignas(16) unsigned char memory[visitors / 32 * sizeof(value)];
    value* const sums = reinterpret_cast<value*>(memory);
    wait_for_predecessor();
    if (!is_open(gate)) return;
    worklist const list = *in;
    int const lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    std::int64_t const stride = std::int64_t(gridDim.x) * visitors;
    std::int64_t const own = place_in_list<visitors>(is_spread(list, g, stride));
    for (std::int64_t base = 0; base < list.count; base += stride) {
        std::int64_t const i = base + own;
        vertex_id const u = i < list.count ? list[i] : vertex_id(-1);
        std::int32_t begin = u >= 0 ? g.offsets[u] : 0;
        std::int32_t const end = u >= 0 ? g.offsets[u + 1] : 0;
        bool const is_long = end - begin > shared_row;
        for (;;) {
            bool const asks = end - begin > shared_row;
            if (!__syncthreads_or(asks)) break;
            if (asks) owner = int(threadIdx.x);
            __syncthreads();
            if (owner == int(threadIdx.x)) {
                owned = u;
                begin = end;
            }
            __syncthreads();
            vertex_id const v = owned;
            value const sum =
                sum_of_warp(sum_of_terms(v, std::int64_t(g.offsets[v]) + threadIdx.x, g.offsets[v + 1], visitors, f));
            if (lane == 0) sums[warp] = sum;
            __syncthreads();
            if (threadIdx.x == 0) {
                value all = sums[0];
                for (int w = 1; w < visitors / 32; ++w) all = all + sums[w];
                f.store(v, all);
            }
            __syncthreads(); // all have read what the next row overwrites
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
void visit_sums(cuda_executor const& exec, int const* gate, worklist const* in, graph_view const& g, F const& f) {
    launch_early(exec, &visit_sums_kernel<F>, visiting_blocks(exec), visitors, 0, {}, gate, in, g, f);
}

} // namespace coppice::analytics
