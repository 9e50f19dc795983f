// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/parts_instances.hpp>

COPPICE_PARTS_OF(host_executor)

namespace coppice {
COPPICE_TRIDIAGONAL_PART(, host_executor, float)
COPPICE_TRIDIAGONAL_PART(, host_executor, double)
COPPICE_SOLVE_IN_PARTS(, host_executor, float)
COPPICE_SOLVE_IN_PARTS(, host_executor, double)
} // namespace coppice
