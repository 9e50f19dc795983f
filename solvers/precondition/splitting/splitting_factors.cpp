// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/precondition/splitting/splitting_factors.hpp>

namespace coppice::inline v0_1 {

COPPICE_PARTS(, host_executor, float)
COPPICE_PARTS(, host_executor, double)

} // namespace coppice::inline v0_1
