// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/solve/solve_automatically_definitions.hpp>

namespace coppice::inline v0_1 {

COPPICE_SOLVE_AUTOMATICALLY(, cuda_executor, float)
COPPICE_SOLVE_AUTOMATICALLY(, cuda_executor, double)
COPPICE_SOLVE_AUTOMATICALLY(, cuda_executor, std::complex<float>)
COPPICE_SOLVE_AUTOMATICALLY(, cuda_executor, std::complex<double>)

} // namespace coppice::inline v0_1
