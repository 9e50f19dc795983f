// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/compare/classical_solve.hpp>

namespace coppice::inline v0_1 {

COPPICE_CLASSICAL_DECLARE(template, float, cuda_executor)
COPPICE_CLASSICAL_DECLARE(template, double, cuda_executor)

} // namespace coppice::inline v0_1
