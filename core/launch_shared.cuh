// SPDX-License-Identifier: BSD-3-Clause
/// \file Launches of kernels that live in shared memory.
#pragma once

#include <cstddef>

#include "core/cuda_check.hpp"
#include "core/executor.hpp"

namespace coppice {

/// Lets `kernel`, which declares none itself, have `bytes` of shared memory a block, of any size that the device has.
/// The limit is always set to all of it, so that host threads that need different sizes do not lower each other's.
template <class... Parameters>
void allow_shared(cuda_executor const& exec, void (*kernel)(Parameters...), std::size_t bytes) {
    if (bytes <= 48 * 1024) return; // what a block gets without asking
    int most = 0;
    COPPICE_CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, exec.device()));
    COPPICE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
}

/// The same, and leaves nothing as first-level cache: many blocks at once hide the latency.
template <class... Parameters>
void offer_shared(cuda_executor const& exec, void (*kernel)(Parameters...), std::size_t bytes) {
    allow_shared(exec, kernel, bytes);
    COPPICE_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
}

} // namespace coppice
