// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Updates with dot products on CUDA. See solvers/iterative/vectors/vector_operations.hpp for the contract.
#pragma once

#include <coppice/core/block.hpp>
#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/executor.hpp>
#include <coppice/solvers/iterative/vectors/dot_pairs.hpp>

namespace coppice::inline v0_1::detail {

inline constexpr int dot_threads = 256;

/// Sum of `value` over the block, in a fixed order; thread 0 gets the result. `shared` holds one double per thread.
template <class Block>
COPPICE_HD double sum_across_block(Block const& block, double* shared, double value) {
    int const t = block.thread();
    block.sync(); // all threads have read the values of an earlier sum
    shared[t] = value;
    for (int width = block.threads() / 2; width > 0; width /= 2) {
        block.sync();
        if (t < width) shared[t] += shared[t + width];
    }
    return shared[0];
}

/// Updates the elements [first, last) of block `b` and stores its partial sum of every dot product in scratch.
template <class Block, class T, class Update>
COPPICE_HD void update_and_dot_of_block(Block const& block, double* shared, std::int64_t b, std::int64_t first,
                                        std::int64_t last, Update const& update, dot_pairs<T> const& pairs,
                                        double* scratch, std::int64_t blocks) {
    constexpr int components = dot_components<T>, max_pairs = max_dots / components;
    dot_value<T> sum[max_pairs] = {};
    for (std::int64_t i = first + block.thread(); i < last; i += block.threads()) {
        update(i);
        for (int p = 0; p < max_pairs; ++p) // a constant bound keeps the sums in registers
            if (p < pairs.count) sum[p] += dot_term(pairs.pair[p].left[i], pairs.pair[p].right[i]);
    }
    for (int p = 0; p < max_pairs; ++p)
        if (p < pairs.count)
            for (int c = 0; c < components; ++c) {
                double const total = sum_across_block(block, shared, component_of(sum[p], c));
                if (block.thread() == 0) scratch[(p * components + c) * blocks + b] = total;
            }
}

#if defined(__CUDACC__)

template <class T, class Update>
__global__ void update_and_dot_kernel(std::int64_t n, Update update, dot_pairs<T> pairs, double* scratch) {
    __shared__ double shared[dot_threads];
    std::int64_t const first = std::int64_t(blockIdx.x) * dot_block;
    std::int64_t const last = first + dot_block < n ? first + dot_block : n;
    update_and_dot_of_block(cuda_block{}, shared, blockIdx.x, first, last, update, pairs, scratch, gridDim.x);
}

/// Block p adds the partial sums of dot product p.
template <int Threads>
__global__ void finish_dots_kernel(std::int64_t blocks, double const* scratch, double* sums) {
    __shared__ double shared[Threads];
    double sum = 0;
    for (std::int64_t b = threadIdx.x; b < blocks; b += Threads) sum += scratch[blockIdx.x * blocks + b];
    sum = sum_across_block(cuda_block{}, shared, sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

template <class T, class Update>
void update_and_dot(cuda_executor const& exec, array_view<double> scratch, std::int64_t n, Update const& update,
                    dot_pairs<T> const& pairs, dot_value<T>* sums) {
    std::int64_t const blocks = dot_blocks(n);
    int const count = pairs.count * dot_components<T>;
    for (int p = 0; p < pairs.count; ++p) sums[p] = dot_value<T>(0);
    if (blocks == 0) return;
    double* const totals = scratch.data() + blocks * max_dots;
    update_and_dot_kernel<<<unsigned(blocks), dot_threads, 0, exec.stream()>>>(n, update, pairs, scratch.data());
    COPPICE_CUDA_CHECK(cudaGetLastError());
    finish_dots_kernel<dot_threads><<<unsigned(count), dot_threads, 0, exec.stream()>>>(blocks, scratch.data(), totals);
    COPPICE_CUDA_CHECK(cudaGetLastError());
    exec.copy_elements(totals, reinterpret_cast<double*>(sums), count);
}

#endif

} // namespace coppice::inline v0_1::detail
