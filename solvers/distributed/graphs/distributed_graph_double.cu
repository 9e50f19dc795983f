// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/graphs/distributed_graph_instances.hpp>

namespace coppice::inline v0_1 {
COPPICE_DISTRIBUTED_GRAPH(, cuda_executor, double)
} // namespace coppice::inline v0_1
