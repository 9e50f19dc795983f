// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Traversals and sets of vertices on the host.
#include <coppice/graph/analytics/colouring.hpp>
#include <coppice/graph/analytics/components.hpp>
#include <coppice/graph/analytics/cores.hpp>
#include <coppice/graph/analytics/independent_set.hpp>
#include <coppice/graph/analytics/maximal_matching.hpp>
#include <coppice/graph/analytics/paths/bfs.hpp>
#include <coppice/graph/analytics/paths/sssp.hpp>
#include <coppice/graph/analytics/undirected.hpp>

namespace coppice {

COPPICE_IS_UNDIRECTED(, host_executor);
COPPICE_BFS(, host_executor);
COPPICE_COMPONENTS(, host_executor);
COPPICE_CORES(, host_executor);
COPPICE_INDEPENDENT_SET(, host_executor);
COPPICE_COLOURING(, host_executor);
COPPICE_MAXIMAL_MATCHING(, host_executor);
COPPICE_SSSP(, host_executor, float);
COPPICE_SSSP(, host_executor, double);

} // namespace coppice
