// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/eigen/lobpcg_solve.hpp>

namespace coppice::inline v0_1 {

COPPICE_LOBPCG(, cuda_executor, double)

} // namespace coppice::inline v0_1
