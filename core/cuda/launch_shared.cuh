// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Launches of kernels that live in shared memory.
#pragma once

#include <cstddef>

#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/cuda/launch_early.cuh>
#include <coppice/core/executor.hpp>

namespace coppice {

/// Bytes of shared memory that a block may have.
inline int shared_limit(cuda_executor const& exec) {
    int bytes = 0;
    COPPICE_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, exec.device()));
    return bytes;
}

/// Lets `kernel`, which declares none itself, have `bytes` of shared memory a block, of any size that the device has.
/// The limit is always set to all of it, so that host threads that need different sizes do not lower each other's.
template <class... Parameters>
void allow_shared(cuda_executor const& exec, void (*kernel)(Parameters...), std::size_t bytes) {
    if (bytes <= 48 * 1024) return; // what a block gets without asking
    COPPICE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_limit(exec)));
}

/// The same, and leaves nothing as first-level cache: many blocks at once hide the latency.
template <class... Parameters>
void offer_shared(cuda_executor const& exec, void (*kernel)(Parameters...), std::size_t bytes) {
    allow_shared(exec, kernel, bytes);
    COPPICE_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
}

/// Queues `kernel`, which waits for its predecessor itself (launch_early), with as much.
template <class... Parameters, class... Arguments>
void launch_shared(cuda_executor const& exec, void (*kernel)(Parameters...), dim3 grid, int threads, std::size_t bytes,
                   Arguments const&... arguments) {
    offer_shared(exec, kernel, bytes);
    launch_early(exec, kernel, grid, threads, bytes, {}, arguments...);
}

} // namespace coppice
