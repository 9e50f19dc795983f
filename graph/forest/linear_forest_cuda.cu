// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Linear forests for the common types on CUDA.
#include <coppice/graph/forest/linear_forest.hpp>

namespace coppice::inline v0_1 {

COPPICE_LINEAR_FOREST(, cuda_executor, float, std::int32_t);
COPPICE_LINEAR_FOREST(, cuda_executor, double, std::int32_t);

} // namespace coppice::inline v0_1
