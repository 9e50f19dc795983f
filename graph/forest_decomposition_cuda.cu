// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Decompositions into linear forests for the common types on CUDA.
#include <coppice/graph/forest_decomposition.hpp>

namespace coppice {

COPPICE_FOREST_DECOMPOSITION(, cuda_executor, float, std::int32_t);
COPPICE_FOREST_DECOMPOSITION(, cuda_executor, double, std::int32_t);

} // namespace coppice
