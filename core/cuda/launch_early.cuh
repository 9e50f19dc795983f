// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Launches of kernels that follow each other closely: on devices that can (programmatic stream serialisation,
/// compute capability 9.0) a kernel is started while the one before it ends, and waits by itself.
#pragma once

#include <cstddef>

#include <coppice/core/block.hpp>
#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/executor.hpp>

namespace coppice {

/// Returns when all that was queued before this kernel is done and can be seen. Has to come before the first access to
/// memory in every kernel that launch_early starts.
__device__ inline void wait_for_predecessor() { cuda_block{}.await_predecessor(); }

/// Lets the next kernel start where it is launched early, once all blocks of this one have started: it waits by itself.
__device__ inline void start_successor() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Whether the device has clusters of blocks and early starts, and `kernel` is compiled for one that has. Kernels of
/// the same parameters are taken to be compiled alike.
template <class... Parameters>
bool starts_early(cuda_executor const& exec, void (*kernel)(Parameters...)) {
    static bool const compiled_for_it = [&] {
        cudaFuncAttributes attributes{};
        COPPICE_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
        return attributes.ptxVersion >= 90;
    }();
    int device_has_it = 0;
    COPPICE_CUDA_CHECK(cudaDeviceGetAttribute(&device_has_it, cudaDevAttrClusterLaunch, exec.device()));
    return compiled_for_it && device_has_it != 0;
}

/// Queues `kernel`, with one more attribute if `more` has an id.
template <class... Parameters, class... Arguments>
void launch_early(cuda_executor const& exec, void (*kernel)(Parameters...), dim3 grid, int threads, std::size_t bytes,
                  cudaLaunchAttribute const& more, Arguments const&... arguments) {
    cudaLaunchAttribute attributes[2] = {};
    unsigned count = 0;
    if (more.id != cudaLaunchAttributeIgnore) attributes[count++] = more;
    if (starts_early(exec, kernel)) {
        attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[count++].val.programmaticStreamSerializationAllowed = 1;
    }
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = dim3(unsigned(threads));
    config.dynamicSmemBytes = bytes;
    config.stream = exec.stream();
    config.attrs = attributes;
    config.numAttrs = count;
    COPPICE_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

} // namespace coppice
