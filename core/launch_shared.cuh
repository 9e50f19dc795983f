// SPDX-License-Identifier: BSD-3-Clause
/// \file Launches of kernels that live in shared memory.
#pragma once

#include <cstddef>

#include "core/cuda_check.hpp"
#include "core/executor.hpp"

namespace coppice {

/// Lets `kernel` have `bytes` of shared memory a block, of any size that the device has. Nothing is left as first-level
/// cache: many blocks at once hide the latency.
template <class... Parameters>
void offer_shared(void (*kernel)(Parameters...), std::size_t bytes) {
    COPPICE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)));
    COPPICE_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
}

/// Queues `kernel` with as much.
template <class... Parameters, class... Arguments>
void launch_shared(cuda_executor const& exec, void (*kernel)(Parameters...), dim3 grid, int threads, std::size_t bytes,
                   Arguments const&... arguments) {
    offer_shared(kernel, bytes);
    kernel<<<grid, unsigned(threads), bytes, exec.stream()>>>(arguments...);
    COPPICE_CUDA_CHECK(cudaGetLastError());
}

} // namespace coppice
