// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Instances of the algorithms based on searches, on the host: strong components, widest paths, bridges, diameters,
/// centralities, changes.
#include <coppice/graph/centrality/betweenness.hpp>
#include <coppice/graph/centrality/closeness.hpp>
#include <coppice/graph/centrality/spectral.hpp>
#include <coppice/graph/change/changed_components.hpp>
#include <coppice/graph/search/diameter.hpp>
#include <coppice/graph/search/widest_path.hpp>
#include <coppice/graph/structure/bridges.hpp>
#include <coppice/graph/structure/strong_components.hpp>

namespace coppice::inline v0_1 {

COPPICE_STRONG_COMPONENTS(, host_executor);
COPPICE_WIDEST_PATHS(, host_executor, float);
COPPICE_WIDEST_PATHS(, host_executor, double);
COPPICE_DIAMETER(, host_executor);
COPPICE_BRIDGES(, host_executor);
COPPICE_BETWEENNESS(, host_executor);
COPPICE_CLOSENESS(, host_executor);
COPPICE_SPECTRAL(, host_executor);
COPPICE_EDGE_BATCH(, host_executor, float);
COPPICE_EDGE_BATCH(, host_executor, double);
COPPICE_COMPONENTS_AGAIN(, host_executor);

} // namespace coppice::inline v0_1
