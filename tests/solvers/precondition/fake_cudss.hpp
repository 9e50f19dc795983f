// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Settings and counts of the library of fake_cudss.cpp, which the test reads by dlsym("fake_cudss").
#pragma once

#include <cstdint>

struct fake_cudss_state {
    int version = 1;                ///< major version
    int failing_phase = 0;          ///< phase of cudssExecute that fails, and its status
    int failing_status = 0;         //
    int unsupported_type = -1;      ///< type of matrix whose analysis is not supported
    std::int64_t bytes = 1000;      ///< estimate of memory
    std::int64_t operations = 1000; ///< estimate of operations
    int analyses = 0;               ///< calls of the phases
    int factorisations = 0;         //
    int last_type = -1;             ///< type and view of the last matrix
    int last_view = -1;             //
    void const* last_stream = nullptr;
    bool deterministic = false;
    int objects = 0; ///< that exist
};
