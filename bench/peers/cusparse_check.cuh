// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Calls of cuSPARSE that fail in words, and its handle.
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

/// The handle, on the stream of an executor. Made once: that is no part of what is measured.
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
