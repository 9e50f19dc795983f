// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/graphs/distributed_analytics_definitions.hpp>

namespace coppice::inline v0_1 {

COPPICE_GRAPH_ALGORITHM_DISTRIBUTED(, cuda_executor, float);
COPPICE_GRAPH_ALGORITHM_DISTRIBUTED(, cuda_executor, double);

} // namespace coppice::inline v0_1
