// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/compare/spike_solve.hpp>

namespace coppice {

COPPICE_SPIKE(float, cuda_executor)
COPPICE_SPIKE(double, cuda_executor)

} // namespace coppice
