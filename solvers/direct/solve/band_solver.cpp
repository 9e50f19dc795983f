// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/direct/solve/band_solve.hpp>

namespace coppice::inline v0_1 {

COPPICE_ALL_TYPES(COPPICE_BANDS, template, host_executor)
COPPICE_REAL_TYPES(COPPICE_TRIDIAGONAL, template, host_executor)

} // namespace coppice::inline v0_1
