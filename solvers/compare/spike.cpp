// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/compare/spike_solve.hpp>

namespace coppice::inline v0_1 {

COPPICE_SPIKE(float, host_executor)
COPPICE_SPIKE(double, host_executor)

} // namespace coppice::inline v0_1
