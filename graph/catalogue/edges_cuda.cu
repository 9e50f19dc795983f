// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Instances of the algorithms that pass over all edges repeatedly, on CUDA.
#include <coppice/graph/catalogue/widened_weights.hpp>
#include <coppice/graph/factor/b_matching.hpp>
#include <coppice/graph/structure/both_directions.hpp>
#include <coppice/graph/structure/pagerank.hpp>
#include <coppice/graph/structure/spanning_forest.hpp>
#include <coppice/graph/structure/triangles.hpp>

namespace coppice::inline v0_1 {

COPPICE_TRIANGLES(, cuda_executor);
COPPICE_PAGERANK(, cuda_executor, float);
COPPICE_PAGERANK(, cuda_executor, double);
COPPICE_SPANNING_FOREST(, cuda_executor, float);
COPPICE_SPANNING_FOREST(, cuda_executor, double);
COPPICE_B_MATCHING(, cuda_executor, float);
COPPICE_B_MATCHING(, cuda_executor, double);
COPPICE_BOTH_DIRECTIONS(, cuda_executor, float);
COPPICE_BOTH_DIRECTIONS(, cuda_executor, double);

namespace analytics {
COPPICE_WIDENED(, cuda_executor);
}

} // namespace coppice::inline v0_1
