// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Factors for the common types on CUDA.
#include <coppice/graph/factor/factor.hpp>

namespace coppice::inline v0_1 {

COPPICE_PARALLEL_FACTOR(, cuda_executor, float, std::int32_t);
COPPICE_PARALLEL_FACTOR(, cuda_executor, double, std::int32_t);

} // namespace coppice::inline v0_1
