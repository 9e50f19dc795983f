// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/queueing/hbisa_solve.hpp>
#include <coppice/solvers/queueing/stationary_solve.hpp>

namespace coppice::inline v0_1 {

template class hbisa<cuda_executor, float>;
template class hbisa<cuda_executor, double>;
COPPICE_STATIONARY(cuda_executor, float)
COPPICE_STATIONARY(cuda_executor, double)

} // namespace coppice::inline v0_1
