// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Traversals and sets of vertices on CUDA.
#include <coppice/graph/analytics/colouring.hpp>
#include <coppice/graph/analytics/components.hpp>
#include <coppice/graph/analytics/cores.hpp>
#include <coppice/graph/analytics/independent_set.hpp>
#include <coppice/graph/analytics/maximal_matching.hpp>
#include <coppice/graph/analytics/paths/bfs.hpp>
#include <coppice/graph/analytics/paths/sssp.hpp>
#include <coppice/graph/analytics/undirected.hpp>

namespace coppice {

COPPICE_IS_UNDIRECTED(, cuda_executor);
COPPICE_BFS(, cuda_executor);
COPPICE_COMPONENTS(, cuda_executor);
COPPICE_CORES(, cuda_executor);
COPPICE_INDEPENDENT_SET(, cuda_executor);
COPPICE_COLOURING(, cuda_executor);
COPPICE_MAXIMAL_MATCHING(, cuda_executor);
COPPICE_SSSP(, cuda_executor, float);
COPPICE_SSSP(, cuda_executor, double);

} // namespace coppice
