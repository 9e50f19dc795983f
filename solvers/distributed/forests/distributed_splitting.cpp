// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/forests/distributed_splitting_instances.hpp>

namespace coppice::inline v0_1::distributed {

COPPICE_RANK_PRECONDITIONER(, distributed_splitting, host_executor)

} // namespace coppice::inline v0_1::distributed
