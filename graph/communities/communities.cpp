// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Communities, trusses and similarities on the host.
#include <coppice/graph/communities/label_propagation.hpp>
#include <coppice/graph/communities/leiden.hpp>
#include <coppice/graph/communities/louvain.hpp>
#include <coppice/graph/communities/truss.hpp>

namespace coppice::inline v0_1 {

COPPICE_SIMILARITY(, host_executor);
COPPICE_TRUSS(, host_executor);
COPPICE_LABEL_PROPAGATION(, host_executor);
COPPICE_LOUVAIN(, host_executor, float);
COPPICE_LOUVAIN(, host_executor, double);
COPPICE_LEIDEN(, host_executor, float);
COPPICE_LEIDEN(, host_executor, double);

} // namespace coppice::inline v0_1
