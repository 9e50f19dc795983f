// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Preconditioners whose factors have several kinds of patterns: the instantiations of the library.
#pragma once

#include <coppice/solvers/precondition/splitting/block_forest.hpp>
#include <coppice/solvers/precondition/splitting/mixed_splitting.hpp>

namespace coppice::inline v0_1 {

#define COPPICE_PARTS(EXTERN, EXECUTOR, T)                                                                             \
    EXTERN template class factor_regulariser<EXECUTOR, T, std::int32_t>;                                               \
    EXTERN template class block_forest_preconditioner<EXECUTOR, T>;                                                    \
    EXTERN template class mixed_splitting<EXECUTOR, T>;
COPPICE_PARTS(extern, host_executor, float)
COPPICE_PARTS(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_PARTS(extern, cuda_executor, float)
COPPICE_PARTS(extern, cuda_executor, double)
#endif

} // namespace coppice::inline v0_1
