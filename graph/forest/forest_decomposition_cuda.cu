// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Decompositions into linear forests, and forests of pairs, for the common types on CUDA.
#include <coppice/graph/forest/forest_decomposition.hpp>
#include <coppice/graph/forest/paired_forest.hpp>

namespace coppice::inline v0_1 {

COPPICE_FOREST_DECOMPOSITION(, cuda_executor, float, std::int32_t);
COPPICE_FOREST_DECOMPOSITION(, cuda_executor, double, std::int32_t);
COPPICE_PAIRED_FOREST(, cuda_executor, float);
COPPICE_PAIRED_FOREST(, cuda_executor, double);

} // namespace coppice::inline v0_1
