// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/direct/solve/band_solve.hpp>

namespace coppice::inline v0_1 {

COPPICE_BANDS(float, template, cuda_executor)
COPPICE_TRIDIAGONAL(float, template, cuda_executor)

} // namespace coppice::inline v0_1
