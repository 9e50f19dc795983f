// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Includes GraphBLAS.h of SuiteSparse:GraphBLAS 7.4 or newer; from version 9 on it is in a folder of SuiteSparse.
#pragma once

#if __has_include(<GraphBLAS.h>)
extern "C" {
#include <GraphBLAS.h>
}
#elif __has_include(<suitesparse/GraphBLAS.h>)
extern "C" {
#include <suitesparse/GraphBLAS.h>
}
#else
#error "the exchange with SuiteSparse:GraphBLAS needs its header GraphBLAS.h, version 7.4 or newer"
#endif

static_assert(GxB_IMPLEMENTATION >= GxB_VERSION(7, 4, 0), "the exchange needs SuiteSparse:GraphBLAS 7.4 or newer");
