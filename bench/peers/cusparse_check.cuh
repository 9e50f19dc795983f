// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Error checks for calls of cuSPARSE, and its handle.
#pragma once

#include <string>

#include <cusparse.h>

#include <coppice/core/error.hpp>
#include <coppice/core/executor.hpp>

namespace coppice::bench {

inline void check_cusparse(cusparseStatus_t status, char const* call) {
    if (status != CUSPARSE_STATUS_SUCCESS)
        throw device_error(std::string(call) + " failed: " + cusparseGetErrorString(status));
}
#define COPPICE_CUSPARSE_CHECK(call) check_cusparse((call), #call)

/// The handle, on the stream of an executor. It is created once and is not part of the measured time.
inline cusparseHandle_t handle_on(cuda_executor const& exec) {
    static cusparseHandle_t const handle = [] {
        cusparseHandle_t made = nullptr;
        COPPICE_CUSPARSE_CHECK(cusparseCreate(&made));
        return made;
    }();
    COPPICE_CUSPARSE_CHECK(cusparseSetStream(handle, exec.stream()));
    return handle;
}

} // namespace coppice::bench
