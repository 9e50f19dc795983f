// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/distributed_instances.hpp>

namespace coppice {

COPPICE_PARTS_OF(host_executor)

} // namespace coppice
