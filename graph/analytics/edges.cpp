// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Algorithms that look at all edges again and again, on the host.
#include <coppice/graph/analytics/pagerank.hpp>
#include <coppice/graph/analytics/spanning_forest.hpp>
#include <coppice/graph/analytics/triangles.hpp>
#include <coppice/graph/b_matching.hpp>
#include <coppice/graph/both_directions.hpp>

namespace coppice {

COPPICE_TRIANGLES(, host_executor);
COPPICE_PAGERANK(, host_executor, float);
COPPICE_PAGERANK(, host_executor, double);
COPPICE_SPANNING_FOREST(, host_executor, float);
COPPICE_SPANNING_FOREST(, host_executor, double);
COPPICE_B_MATCHING(, host_executor, float);
COPPICE_B_MATCHING(, host_executor, double);
COPPICE_BOTH_DIRECTIONS(, host_executor, float);
COPPICE_BOTH_DIRECTIONS(, host_executor, double);

} // namespace coppice
