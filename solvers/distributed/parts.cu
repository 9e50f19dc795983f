// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/parts_instances.hpp>

COPPICE_PARTS_OF(cuda_executor)

namespace coppice {
COPPICE_TRIDIAGONAL_PART(, cuda_executor, float)
COPPICE_TRIDIAGONAL_PART(, cuda_executor, double)
COPPICE_SOLVE_IN_PARTS(, cuda_executor, float)
COPPICE_SOLVE_IN_PARTS(, cuda_executor, double)
} // namespace coppice
