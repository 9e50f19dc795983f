// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/graphs/distributed_graph_instances.hpp>

namespace coppice {
COPPICE_GRAPH_PARTS(, cuda_executor, float)
} // namespace coppice
