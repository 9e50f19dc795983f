// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Instances of flows, walks, orders, biconnected components and weighted centralities on the host.
#include <coppice/graph/centrality/weighted_paths.hpp>
#include <coppice/graph/search/longest_path.hpp>
#include <coppice/graph/search/random_walks.hpp>
#include <coppice/graph/structure/biconnected.hpp>
#include <coppice/graph/structure/max_flow.hpp>

namespace coppice::inline v0_1 {

COPPICE_BICONNECTED(, host_executor);
COPPICE_TOPOLOGICAL_LEVELS(, host_executor);
COPPICE_LONGEST_PATHS(, host_executor, float);
COPPICE_LONGEST_PATHS(, host_executor, double);
COPPICE_MAX_FLOW(, host_executor, float);
COPPICE_MAX_FLOW(, host_executor, double);
COPPICE_RANDOM_WALKS(, host_executor, float);
COPPICE_RANDOM_WALKS(, host_executor, double);
COPPICE_WEIGHTED_PATHS(, host_executor, float);
COPPICE_WEIGHTED_PATHS(, host_executor, double);

} // namespace coppice::inline v0_1
