// SPDX-License-Identifier: BSD-3-Clause
/// \file What the body of a CUDA block kernel may use of its block.
///
/// Kernel bodies are function templates over a `Block`, so that tests/support/block_stand_in.hpp can run the same text
/// on CPU threads under the thread sanitizer. A Block offers:
///
///     int block.thread(), block.threads()      position in the block, size of the block
///     void block.sync()                        barrier of all threads of the block
///     bool block.sync_any(condition)           the same barrier; true on every thread if any passed true
///     T block.from_lane(value, lane)           `value` of another lane of the own warp; all 32 lanes call it
///
/// Lanes are the 32 consecutive threads of a warp. `shared` memory is handed in as a pointer by the launcher.
#pragma once

#include "core/config.hpp"

namespace coppice {

inline constexpr int warp_lanes = 32;

#if defined(__CUDACC__)

/// The block of the running CUDA kernel.
struct cuda_block {
    __device__ int thread() const { return int(threadIdx.x); }
    __device__ int threads() const { return int(blockDim.x); }
    __device__ void sync() const { __syncthreads(); }
    __device__ bool sync_any(bool condition) const { return __syncthreads_or(condition) != 0; }

    /// `value` as lane `source` passed it; any trivially copyable type, moved in 32-bit words.
    template <class T>
    __device__ T from_lane(T value, int source) const {
        constexpr int words = int((sizeof(T) + 3) / 4);
        union carrier { // T need not be default constructible
            __device__ carrier() {}
            T value;
            unsigned word[words];
        } c;
        c.value = value;
#pragma unroll
        for (int w = 0; w < words; ++w) c.word[w] = __shfl_sync(0xffffffffu, c.word[w], source);
        return c.value;
    }
};

#endif

} // namespace coppice
