// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/rpts_solve.hpp"

namespace coppice {

COPPICE_RPTS_DECLARE(template, float, cuda_executor)
COPPICE_RPTS_DECLARE(template, double, cuda_executor)

} // namespace coppice
