// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/least_squares/least_squares_solve.hpp>

namespace coppice::inline v0_1 {

COPPICE_LEAST_SQUARES(, cuda_executor, float)
COPPICE_LEAST_SQUARES(, cuda_executor, double)

} // namespace coppice::inline v0_1
