// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Visits of lists on CUDA. See graph/analytics/worklist.hpp for the contract.
#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <coppice/core/block.hpp>
#include <coppice/core/launch_early.cuh>
#include <coppice/graph/analytics/worklist.hpp>

namespace coppice::analytics {

template <int N>
class cuda_worker {
public:
    static constexpr bool recurses = false;

    __device__ explicit cuda_worker(outputs<N> const& outs) : outs_(outs) {}

    /// Lanes that emit together ask for their places together.
    template <int K = 0>
    __device__ void emit(vertex_id v, std::int64_t work = 0) {
        auto const lanes = cooperative_groups::coalesced_threads();
        worklist* const list = outs_.list[K];
        long long const all =
            cooperative_groups::reduce(lanes, static_cast<long long>(work), cooperative_groups::plus<long long>());
        unsigned long long at = 0;
        if (lanes.thread_rank() == 0) {
            at = atomicAdd(reinterpret_cast<unsigned long long*>(&list->count),
                           static_cast<unsigned long long>(lanes.size()));
            if (all != 0)
                atomicAdd(reinterpret_cast<unsigned long long*>(&list->work), static_cast<unsigned long long>(all));
        }
        at = lanes.shfl(at, 0);
        list->items[at + lanes.thread_rank()] = v;
    }
    template <class T>
    __device__ T load(T const* p) const {
        return *static_cast<T const volatile*>(p);
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
    __device__ bool lower(std::int32_t* p, std::int32_t x) const { return x < load(p) && x < atomicMin(p, x); }
    __device__ bool lower(std::uint32_t* p, std::uint32_t x) const { return x < load(p) && x < atomicMin(p, x); }
    __device__ bool lower(std::uint64_t* p, std::uint64_t x) const {
        auto* const at = reinterpret_cast<unsigned long long*>(p);
        return x < load(p) && x < atomicMin(at, static_cast<unsigned long long>(x));
    }
    /// Bits of floats from zero up rise with them, those of negative ones, without sign, fall.
    __device__ bool lower(float* p, float x) const {
        if (!(x < load(p))) return false;
        return x < (x >= 0 ? __int_as_float(atomicMin(reinterpret_cast<int*>(p), __float_as_int(x)))
                           : __uint_as_float(atomicMax(reinterpret_cast<unsigned*>(p), __float_as_uint(x))));
    }
    __device__ bool lower(double* p, double x) const {
        if (!(x < load(p))) return false;
        long long const bits = __double_as_longlong(x);
        return x < __longlong_as_double(x >= 0
                                            ? atomicMin(reinterpret_cast<long long*>(p), bits)
                                            : static_cast<long long>(atomicMax(reinterpret_cast<unsigned long long*>(p),
                                                                               static_cast<unsigned long long>(bits))));
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

private:
    outputs<N> outs_;
};

inline constexpr int visitors = 256; ///< threads of a block

template <int N, class F>
__global__ void visit_items_kernel(int const* gate, worklist const* in, outputs<N> outs, F f) {
    wait_for_predecessor();
    if (!is_open(gate)) return;
    worklist const list = *in;
    cuda_worker<N> worker(outs);
    std::int64_t const stride = std::int64_t(gridDim.x) * visitors;
    for (std::int64_t i = std::int64_t(blockIdx.x) * visitors + threadIdx.x; i < list.count; i += stride)
        f(worker, list[i]);
}

/// The rows of 256 vertices: long ones by the whole block, middling ones by a warp, the others by a thread each
/// (Merrill, Garland and Grimshaw, Scalable GPU graph traversal, 2012).
template <int N, class F>
__device__ void visit_rows(cuda_worker<N>& worker, vertex_id u, std::int32_t begin, std::int32_t end, F const& f) {
    __shared__ int owner;
    __shared__ std::int32_t row[3];
    for (;;) {
        bool const asks = end - begin >= visitors;
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
        for (std::int32_t k = row[1] + int(threadIdx.x); k < row[2]; k += visitors) f(worker, row[0], k);
    }
    int const lane = int(threadIdx.x) % 32;
    for (unsigned waiting = __ballot_sync(~0u, end - begin >= 32); waiting; waiting &= waiting - 1) {
        int const from = first_lane(waiting);
        vertex_id const v = __shfl_sync(~0u, u, from);
        std::int32_t const last = __shfl_sync(~0u, end, from);
        for (std::int32_t k = __shfl_sync(~0u, begin, from) + lane; k < last; k += 32) f(worker, v, k);
        if (lane == from) begin = end;
        __syncwarp();
    }
    for (; begin < end; ++begin) f(worker, u, begin);
}

template <int N, class F>
__global__ void __launch_bounds__(visitors)
    visit_edges_kernel(int const* gate, worklist const* in, graph_view g, outputs<N> outs, F f) {
    wait_for_predecessor();
    if (!is_open(gate)) return;
    worklist const list = *in;
    cuda_worker<N> worker(outs);
    std::int64_t const stride = std::int64_t(gridDim.x) * visitors;
    for (std::int64_t base = std::int64_t(blockIdx.x) * visitors; base < list.count; base += stride) {
        std::int64_t const i = base + threadIdx.x;
        vertex_id const u = i < list.count ? list[i] : vertex_id(-1);
        bool const enters = u >= 0 && f.enters(worker, u);
        visit_rows(worker, u, enters ? g.offsets[u] : 0, enters ? g.offsets[u + 1] : 0, f);
    }
}

/// Blocks that fill the device: how many vertices there are is known there alone.
inline dim3 visiting_blocks(cuda_executor const& exec) { return dim3(unsigned(exec.multiprocessors()) * 8); }

template <int N, class F>
void visit_items(cuda_executor const& exec, int const* gate, worklist const* in, outputs<N> const& outs, F const& f) {
    launch_early(exec, &visit_items_kernel<N, F>, visiting_blocks(exec), visitors, 0, {}, gate, in, outs, f);
}

template <int N, class F>
void visit_edges(cuda_executor const& exec, int const* gate, worklist const* in, graph_view const& g,
                 outputs<N> const& outs, F const& f) {
    launch_early(exec, &visit_edges_kernel<N, F>, visiting_blocks(exec), visitors, 0, {}, gate, in, g, outs, f);
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

/// Rows of up to 32 edges by a thread each, longer ones by a warp: lane l folds edges l, l + 32, ..., then a tree.
template <class F>
__global__ void __launch_bounds__(visitors) visit_sums_kernel(int const* gate, worklist const* in, graph_view g, F f) {
    wait_for_predecessor();
    if (!is_open(gate)) return;
    worklist const list = *in;
    int const lane = int(threadIdx.x) % 32;
    std::int64_t const stride = std::int64_t(gridDim.x) * visitors;
    for (std::int64_t base = std::int64_t(blockIdx.x) * visitors + threadIdx.x - lane; base < list.count;
         base += stride) {
        std::int64_t const i = base + lane;
        vertex_id const u = i < list.count ? list[i] : vertex_id(-1);
        std::int32_t const begin = u >= 0 ? g.offsets[u] : 0, end = u >= 0 ? g.offsets[u + 1] : 0;
        if (u >= 0 && end - begin <= 32) {
            typename F::value sum{};
            for (std::int32_t k = begin; k < end; ++k) sum = sum + f.term(u, k);
            f.store(u, sum);
        }
        __syncwarp();
        for (unsigned waiting = __ballot_sync(~0u, end - begin > 32); waiting; waiting &= waiting - 1) {
            int const from = first_lane(waiting);
            vertex_id const v = __shfl_sync(~0u, u, from);
            std::int32_t const last = __shfl_sync(~0u, end, from);
            typename F::value sum{};
            for (std::int32_t k = __shfl_sync(~0u, begin, from) + lane; k < last; k += 32) sum = sum + f.term(v, k);
            for (int step = 16; step > 0; step /= 2) sum = sum + moved_down(sum, step);
            if (lane == 0) f.store(v, sum);
        }
    }
}

template <class F>
void visit_sums(cuda_executor const& exec, int const* gate, worklist const* in, graph_view const& g, F const& f) {
    launch_early(exec, &visit_sums_kernel<F>, visiting_blocks(exec), visitors, 0, {}, gate, in, g, f);
}

} // namespace coppice::analytics
