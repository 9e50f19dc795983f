// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Instances of traversals and vertex sets on the host.
#include <coppice/graph/frontier/undirected.hpp>
#include <coppice/graph/search/bfs.hpp>
#include <coppice/graph/search/sssp_distances.hpp>
#include <coppice/graph/structure/colouring.hpp>
#include <coppice/graph/structure/components.hpp>
#include <coppice/graph/structure/cores.hpp>
#include <coppice/graph/structure/independent_set.hpp>
#include <coppice/graph/structure/maximal_matching.hpp>

namespace coppice::inline v0_1 {

COPPICE_IS_UNDIRECTED(, host_executor);
COPPICE_BFS(, host_executor);
COPPICE_COMPONENTS(, host_executor);
COPPICE_CORES(, host_executor);
COPPICE_INDEPENDENT_SET(, host_executor);
COPPICE_COLOURING(, host_executor);
COPPICE_MAXIMAL_MATCHING(, host_executor);
COPPICE_SSSP(, host_executor, float);
COPPICE_SSSP(, host_executor, double);
COPPICE_SSSP_DISTANCES(, host_executor, float);
COPPICE_SSSP_DISTANCES(, host_executor, double);

} // namespace coppice::inline v0_1
