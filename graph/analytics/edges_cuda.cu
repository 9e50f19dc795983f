// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Algorithms that look at all edges again and again, on CUDA.
#include <coppice/graph/analytics/pagerank.hpp>
#include <coppice/graph/analytics/spanning_forest.hpp>
#include <coppice/graph/analytics/triangles.hpp>
#include <coppice/graph/b_matching.hpp>
#include <coppice/graph/both_directions.hpp>

namespace coppice {

COPPICE_TRIANGLES(, cuda_executor);
COPPICE_PAGERANK(, cuda_executor, float);
COPPICE_PAGERANK(, cuda_executor, double);
COPPICE_SPANNING_FOREST(, cuda_executor, float);
COPPICE_SPANNING_FOREST(, cuda_executor, double);
COPPICE_B_MATCHING(, cuda_executor, float);
COPPICE_B_MATCHING(, cuda_executor, double);
COPPICE_BOTH_DIRECTIONS(, cuda_executor, float);
COPPICE_BOTH_DIRECTIONS(, cuda_executor, double);

} // namespace coppice
