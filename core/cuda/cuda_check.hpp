// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Checks of CUDA runtime calls. Needs CUDA headers; included by .cuh and .cu files and the CUDA sources of core only.
#pragma once

#include <string>

#include <cuda_runtime_api.h>

#include <coppice/core/error.hpp>

namespace coppice::inline v0_1::detail {

[[noreturn]] inline void throw_cuda(cudaError_t status, char const* call) {
    cudaGetLastError(); // clears the error, so that the next launch does not report it again
    std::string const text =
        std::string(call) + " failed: " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")";
    if (status == cudaErrorMemoryAllocation) throw memory_error(text);
    throw device_error(text);
}

} // namespace coppice::inline v0_1::detail

/// Throws device_error (memory_error when out of memory) unless the call returns cudaSuccess.
#define COPPICE_CUDA_CHECK(call)                                                                                       \
    do {                                                                                                               \
        if (cudaError_t const status_ = (call); status_ != cudaSuccess) ::coppice::detail::throw_cuda(status_, #call); \
    } while (false)
