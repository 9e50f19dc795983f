// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Instances of flows, walks, orders, biconnected components and weighted centralities on CUDA.
#include <coppice/graph/centrality/weighted_paths.hpp>
#include <coppice/graph/search/longest_path.hpp>
#include <coppice/graph/search/random_walks.hpp>
#include <coppice/graph/structure/biconnected.hpp>
#include <coppice/graph/structure/max_flow.hpp>

namespace coppice::inline v0_1 {

COPPICE_BICONNECTED(, cuda_executor);
COPPICE_TOPOLOGICAL_LEVELS(, cuda_executor);
COPPICE_LONGEST_PATHS(, cuda_executor, float);
COPPICE_LONGEST_PATHS(, cuda_executor, double);
COPPICE_MAX_FLOW(, cuda_executor, float);
COPPICE_MAX_FLOW(, cuda_executor, double);
COPPICE_RANDOM_WALKS(, cuda_executor, float);
COPPICE_RANDOM_WALKS(, cuda_executor, double);
COPPICE_WEIGHTED_PATHS(, cuda_executor, float);
COPPICE_WEIGHTED_PATHS(, cuda_executor, double);

} // namespace coppice::inline v0_1
