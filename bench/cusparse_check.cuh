// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Calls of cuSPARSE that fail in words.
#pragma once

#include <string>

#include <cusparse.h>

#include <coppice/core/error.hpp>

namespace coppice::bench {

inline void check_cusparse(cusparseStatus_t status, char const* call) {
    if (status != CUSPARSE_STATUS_SUCCESS)
        throw device_error(std::string(call) + " failed: " + cusparseGetErrorString(status));
}
#define COPPICE_CUSPARSE_CHECK(call) check_cusparse((call), #call)

} // namespace coppice::bench
