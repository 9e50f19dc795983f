// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Instances of samples, subgraphs, distances of many sources and clustering coefficients on the host.
#include <coppice/graph/centrality/all_pairs.hpp>
#include <coppice/graph/search/sampling.hpp>
#include <coppice/graph/structure/clustering_coefficients.hpp>

namespace coppice::inline v0_1 {

COPPICE_SAMPLING(, host_executor);
COPPICE_DISTANCES_FROM(, host_executor, float);
COPPICE_DISTANCES_FROM(, host_executor, double);
COPPICE_CLUSTERING_COEFFICIENTS(, host_executor, float);
COPPICE_CLUSTERING_COEFFICIENTS(, host_executor, double);

} // namespace coppice::inline v0_1
