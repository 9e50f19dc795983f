// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Instances of the algorithms that pass over all edges repeatedly, on the host.
#include <coppice/graph/catalogue/widened_weights.hpp>
#include <coppice/graph/factor/b_matching.hpp>
#include <coppice/graph/structure/both_directions.hpp>
#include <coppice/graph/structure/pagerank.hpp>
#include <coppice/graph/structure/spanning_forest.hpp>
#include <coppice/graph/structure/triangles.hpp>

namespace coppice::inline v0_1 {

COPPICE_TRIANGLES(, host_executor);
COPPICE_PAGERANK(, host_executor, float);
COPPICE_PAGERANK(, host_executor, double);
COPPICE_SPANNING_FOREST(, host_executor, float);
COPPICE_SPANNING_FOREST(, host_executor, double);
COPPICE_B_MATCHING(, host_executor, float);
COPPICE_B_MATCHING(, host_executor, double);
COPPICE_BOTH_DIRECTIONS(, host_executor, float);
COPPICE_BOTH_DIRECTIONS(, host_executor, double);

namespace analytics {
COPPICE_WIDENED(, host_executor);
}

} // namespace coppice::inline v0_1
