// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/distributed_complex_instances.hpp>

namespace coppice::inline v0_1 {

COPPICE_DISTRIBUTED_COMPLEX(host_executor)

} // namespace coppice::inline v0_1
