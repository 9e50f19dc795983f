// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Launches of kernels that use much dynamic shared memory.
#pragma once

#include <cstddef>

#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/cuda/launch_early.cuh>
#include <coppice/core/executor.hpp>

namespace coppice::inline v0_1 {

/// Returns the maximum shared memory of a block in bytes.
inline int shared_limit(cuda_executor const& exec) {
    int bytes = 0;
    COPPICE_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, exec.device()));
    return bytes;
}

/// Allows `kernel`, which has no static shared memory, to use `bytes` bytes of dynamic shared memory a block. The limit
/// is always set to the maximum of the device, so that host threads with different sizes do not lower the limit of each
/// other.
template <class... Parameters>
void allow_shared(cuda_executor const& exec, void (*kernel)(Parameters...), std::size_t bytes) {
    if (bytes <= 48 * 1024) return; // the default limit
    COPPICE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_limit(exec)));
}

/// As allow_shared; also gives all on-chip memory to shared memory instead of the first-level cache: many resident
/// blocks hide the latency.
template <class... Parameters>
void offer_shared(cuda_executor const& exec, void (*kernel)(Parameters...), std::size_t bytes) {
    allow_shared(exec, kernel, bytes);
    COPPICE_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
}

/// Queues `kernel`, which calls wait_for_predecessor() (see launch_early), with `bytes` bytes of shared memory.
template <class... Parameters, class... Arguments>
void launch_shared(cuda_executor const& exec, void (*kernel)(Parameters...), dim3 grid, int threads, std::size_t bytes,
                   Arguments const&... arguments) {
    offer_shared(exec, kernel, bytes);
    launch_early(exec, kernel, grid, threads, bytes, {}, arguments...);
}

} // namespace coppice::inline v0_1
