// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/direct/solve/tridiagonal_solve.hpp>

namespace coppice::inline v0_1 {

COPPICE_BANDS_DECLARE_ALL(template, host_executor)
COPPICE_TRIDIAGONAL(float, host_executor)
COPPICE_TRIDIAGONAL(double, host_executor)

} // namespace coppice::inline v0_1
