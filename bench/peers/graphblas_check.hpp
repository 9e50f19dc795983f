// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Error check of the comparisons with SuiteSparse:GraphBLAS; included by their sources only.
#pragma once

#include <stdexcept>
#include <string>

#include <coppice/semiring/graphblas/graphblas_header.hpp>

namespace coppice::bench {

inline void check(GrB_Info info, char const* what) {
    if (info != GrB_SUCCESS) throw std::runtime_error(std::string("GraphBLAS: ") + what + " failed");
}

inline void start_graphblas() {
    static bool const started = [] {
        check(GrB_init(GrB_NONBLOCKING), "GrB_init");
        return true;
    }();
    (void)started;
}

} // namespace coppice::bench
