// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Launches of dependent kernels in close succession. If the device supports programmatic stream serialisation (compute
/// capability 9.0), a kernel starts while its predecessor ends and waits for it in wait_for_predecessor().
#pragma once

#include <cstddef>

#include <coppice/core/block.hpp>
#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/executor.hpp>

namespace coppice::inline v0_1 {

/// Waits until all work that was queued before this kernel is complete and visible. Every kernel that launch_early
/// starts calls it before its first access to memory.
__device__ inline void wait_for_predecessor() { cuda_block{}.await_predecessor(); }

/// Lets the next kernel start once all blocks of this kernel have started, if it was launched by launch_early. The next
/// kernel waits in wait_for_predecessor().
__device__ inline void start_successor() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Whether the device supports thread block clusters and early launches, and `kernel` is compiled for such a device.
/// Assumes that kernels with the same parameter types are compiled for the same architectures.
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

/// Queues `kernel`, with the additional attribute `more` unless its id is cudaLaunchAttributeIgnore.
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

} // namespace coppice::inline v0_1
