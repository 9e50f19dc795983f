// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/forests/distributed_adaptive_instances.hpp>

namespace coppice::inline v0_1::distributed {

COPPICE_DISTRIBUTED_ADAPTIVE(, cuda_executor, float)
COPPICE_DISTRIBUTED_ADAPTIVE(, cuda_executor, double)

} // namespace coppice::inline v0_1::distributed
