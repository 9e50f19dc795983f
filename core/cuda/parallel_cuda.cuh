// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Parallel primitives on CUDA, implemented with CUB. See core/parallel.hpp for the contracts.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <utility>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/cuda/launch_early.cuh>
#include <coppice/core/executor.hpp>

namespace coppice::inline v0_1 {
namespace detail {

template <class F>
__global__ void for_each_kernel(std::int64_t n, F f) {
    wait_for_predecessor();
    std::int64_t const stride = std::int64_t(gridDim.x) * blockDim.x;
    for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) f(i);
}

/// Makes a CUB call twice: first to get the size of its storage, then with storage from the pool of the executor.
template <class Call>
void with_cub_storage(cuda_executor const& exec, Call const& call) {
    std::size_t bytes = 0;
    COPPICE_CUDA_CHECK(call(nullptr, bytes));
    buffer<unsigned char> storage(exec, static_cast<std::int64_t>(bytes > 0 ? bytes : 1));
    COPPICE_CUDA_CHECK(call(storage.data(), bytes));
}

template <class T, class In>
struct scan_input {
    In in;
    __host__ __device__ T operator()(std::int64_t i) const { return static_cast<T>(in(i)); }
};
template <class T, class Out>
struct scan_output {
    array_view<T> sums; ///< inclusive sums
    T init;
    Out out;
    __device__ void operator()(std::int64_t i) const { out(i, i > 0 ? sums[i - 1] : init); }
};
/// Word w has the bits set(i) of the items i in [32 w, 32 w + 32); called for a multiple of 32 items.
template <class Predicate>
struct pack_bit {
    std::int64_t n;
    Predicate set;
    std::uint32_t* words;
    __device__ void operator()(std::int64_t i) const {
        unsigned const bits = __ballot_sync(~0u, i < n && set(i));
        if (i % 32 == 0) words[i / 32] = bits;
    }
};
struct count_flags {
    unsigned const* words;
    __device__ std::int64_t operator()(std::int64_t w) const { return __popc(words[w]); }
};
template <class Emit>
struct emit_selected {
    unsigned const* words;
    std::int64_t const* ends; ///< number of selected items up to and including a word
    Emit emit;
    __device__ void operator()(std::int64_t i) const {
        unsigned const bits = words[i / 32], from_i = bits >> (i % 32);
        if (from_i & 1) emit(ends[i / 32] - __popc(from_i), i);
    }
};

} // namespace detail

template <class F>
void for_each(cuda_executor const& exec, std::int64_t n, F f) {
    if (n <= 0) return;
    constexpr int threads = 256;
    std::int64_t const blocks = (n + threads - 1) / threads;
    auto const grid = static_cast<unsigned>(blocks < (1 << 30) ? blocks : (1 << 30));
    launch_early(exec, &detail::for_each_kernel<F>, dim3(grid), threads, 0, {}, n, f);
}

template <class R, class Map, class Combine>
void reduce_to(cuda_executor const& exec, std::int64_t n, R init, Map map, Combine combine, R* to) {
    auto const input = thrust::make_transform_iterator(thrust::make_counting_iterator<std::int64_t>(0),
                                                       detail::scan_input<R, Map>{map});
    detail::with_cub_storage(exec, [&](void* storage, std::size_t& bytes) {
        return cub::DeviceReduce::Reduce(storage, bytes, input, to, n, combine, init, exec.stream());
    });
}

template <class R, class Map, class Combine>
R reduce(cuda_executor const& exec, std::int64_t n, R init, Map map, Combine combine) {
    if (n <= 0) return init;
    buffer<R> result(exec, 1);
    reduce_to(exec, n, init, map, combine, result.data());
    return exec.load(result.data());
}

namespace detail {

/// Returns the inclusive sums; the last one is the total.
template <class In, class Out, class T>
buffer<T> scan_with_sums(cuda_executor const& exec, std::int64_t n, In in, Out out, T init) {
    buffer<T> sums(exec, n);
    auto const input =
        thrust::make_transform_iterator(thrust::make_counting_iterator<std::int64_t>(0), scan_input<T, In>{in});
    with_cub_storage(exec, [&](void* storage, std::size_t& bytes) {
        return cub::DeviceScan::InclusiveScanInit(storage, bytes, input, sums.data(), ::cuda::std::plus<T>{}, init, n,
                                                  exec.stream());
    });
    for_each(exec, n, scan_output<T, Out>{sums.view(), init, out});
    return sums;
}
/// Calls keep(i) once for each item. Returns the number of selected items up to and including each word of 32.
template <class Predicate, class Emit>
buffer<std::int64_t> select_with_counts(cuda_executor const& exec, std::int64_t n, Predicate keep, Emit emit) {
    std::int64_t const count = (n + 31) / 32;
    buffer<std::uint32_t> words(exec, count);
    buffer<std::int64_t> ends(exec, count);
    for_each(exec, 32 * count, pack_bit<Predicate>{n, keep, words.data()});
    auto const input =
        thrust::make_transform_iterator(thrust::make_counting_iterator<std::int64_t>(0), count_flags{words.data()});
    with_cub_storage(exec, [&](void* storage, std::size_t& bytes) {
        return cub::DeviceScan::InclusiveSum(storage, bytes, input, ends.data(), count, exec.stream());
    });
    for_each(exec, n, emit_selected<Emit>{words.data(), ends.data(), emit});
    return ends;
}

} // namespace detail

template <class In, class Out, class T>
void queue_exclusive_scan(cuda_executor const& exec, std::int64_t n, In in, Out out, T init) {
    if (n > 0) detail::scan_with_sums(exec, n, in, out, init);
}
template <class In, class Out, class T>
T exclusive_scan(cuda_executor const& exec, std::int64_t n, In in, Out out, T init) {
    if (n <= 0) return init;
    buffer<T> const sums = detail::scan_with_sums(exec, n, in, out, init);
    return exec.load(sums.data() + n - 1);
}

template <class Predicate, class Emit>
void queue_select(cuda_executor const& exec, std::int64_t n, Predicate keep, Emit emit) {
    if (n > 0) detail::select_with_counts(exec, n, keep, emit);
}
template <class Predicate, class Emit>
std::int64_t select(cuda_executor const& exec, std::int64_t n, Predicate keep, Emit emit) {
    if (n <= 0) return 0;
    buffer<std::int64_t> const ends = detail::select_with_counts(exec, n, keep, emit);
    return exec.load(ends.data() + ends.size() - 1);
}

namespace detail {

/// Location of sorted pairs: the original arrays or the other_ arrays.
template <class Key, class Value>
struct sorted_pairs {
    Key* keys;
    Value* values;
    buffer<Key> other_keys{};
    buffer<Value> other_values{};
};
/// Sorts pairs by the `bits` lowest bits of their keys.
template <class Key, class Value>
sorted_pairs<Key, Value> sort_pairs(cuda_executor const& exec, array_view<Key> keys, array_view<Value> values,
                                    int bits) {
    require_elements("keys of sort_by_key", keys);
    require_size("values of sort_by_key", values, keys.size());
    std::int64_t const n = keys.size();
    if (n <= 1) return {keys.data(), values.data()};
    buffer<Key> other_keys(exec, n);
    buffer<Value> other_values(exec, n);
    cub::DoubleBuffer<Key> key_pair(keys.data(), other_keys.data());
    cub::DoubleBuffer<Value> value_pair(values.data(), other_values.data());
    with_cub_storage(exec, [&](void* storage, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(storage, bytes, key_pair, value_pair, n, 0, bits, exec.stream());
    });
    return {key_pair.Current(), value_pair.Current(), std::move(other_keys), std::move(other_values)};
}
/// sort_by_key of whole buffers with keys in [0, end). Each eight bits less of the keys save one pass.
template <class Key, class Value>
void sort_keys_below(cuda_executor const& exec, buffer<Key>& keys, buffer<Value>& values, std::int64_t end) {
    int const bits = int(std::bit_width(std::uint64_t(end > 1 ? end - 1 : 1)));
    auto sorted = sort_pairs(exec, keys.view(), values.view(), bits);
    if (sorted.keys != keys.data()) keys.swap(sorted.other_keys);
    if (sorted.values != values.data()) values.swap(sorted.other_values);
}

} // namespace detail

template <class Key, class Value>
void sort_by_key(cuda_executor const& exec, array_view<Key> keys, array_view<Value> values) {
    auto const sorted = detail::sort_pairs(exec, keys, values, int(8 * sizeof(Key)));
    if (sorted.keys != keys.data()) exec.copy_elements(sorted.keys, keys.data(), keys.size());
    if (sorted.values != values.data()) exec.copy_elements(sorted.values, values.data(), values.size());
}

} // namespace coppice::inline v0_1
