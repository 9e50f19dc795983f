// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Preconditioners made of several linear forests: the instantiations of the library.
#pragma once

#include <coppice/solvers/precondition/splitting/adaptive_splitting.hpp>
#include <coppice/solvers/precondition/splitting/alternating.hpp>
#include <coppice/solvers/precondition/splitting/direct_splitting.hpp>

namespace coppice::inline v0_1 {

#define COPPICE_SPLITTINGS(EXTERN, EXECUTOR, T)                                                                        \
    EXTERN template class detail::alternating_factors<EXECUTOR, T, std::int32_t>;                                      \
    EXTERN template class inner_alternation<EXECUTOR, T>;                                                              \
    EXTERN template class outer_alternation<EXECUTOR, T>;                                                              \
    EXTERN template class direct_splitting<EXECUTOR, T>;                                                               \
    EXTERN template class adaptive_splitting<EXECUTOR, T>;
COPPICE_SPLITTINGS(extern, host_executor, float)
COPPICE_SPLITTINGS(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_SPLITTINGS(extern, cuda_executor, float)
COPPICE_SPLITTINGS(extern, cuda_executor, double)
#endif

} // namespace coppice::inline v0_1
