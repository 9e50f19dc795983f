// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Instances of samples, subgraphs, distances of many sources and clustering coefficients on CUDA.
#include <coppice/graph/centrality/all_pairs.hpp>
#include <coppice/graph/search/sampling.hpp>
#include <coppice/graph/structure/clustering_coefficients.hpp>

namespace coppice::inline v0_1 {

COPPICE_SAMPLING(, cuda_executor);
COPPICE_DISTANCES_FROM(, cuda_executor, float);
COPPICE_DISTANCES_FROM(, cuda_executor, double);
COPPICE_CLUSTERING_COEFFICIENTS(, cuda_executor, float);
COPPICE_CLUSTERING_COEFFICIENTS(, cuda_executor, double);

} // namespace coppice::inline v0_1
