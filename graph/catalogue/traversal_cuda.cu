// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Instances of traversals and vertex sets on CUDA.
#include <coppice/graph/frontier/undirected.hpp>
#include <coppice/graph/search/bfs.hpp>
#include <coppice/graph/search/sssp_distances.hpp>
#include <coppice/graph/structure/colouring.hpp>
#include <coppice/graph/structure/components.hpp>
#include <coppice/graph/structure/cores.hpp>
#include <coppice/graph/structure/independent_set.hpp>
#include <coppice/graph/structure/maximal_matching.hpp>

namespace coppice::inline v0_1 {

COPPICE_IS_UNDIRECTED(, cuda_executor);
COPPICE_BFS(, cuda_executor);
COPPICE_COMPONENTS(, cuda_executor);
COPPICE_CORES(, cuda_executor);
COPPICE_INDEPENDENT_SET(, cuda_executor);
COPPICE_COLOURING(, cuda_executor);
COPPICE_MAXIMAL_MATCHING(, cuda_executor);
COPPICE_SSSP(, cuda_executor, float);
COPPICE_SSSP(, cuda_executor, double);
COPPICE_SSSP_DISTANCES(, cuda_executor, float);
COPPICE_SSSP_DISTANCES(, cuda_executor, double);

} // namespace coppice::inline v0_1
