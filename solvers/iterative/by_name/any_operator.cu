// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/iterative/by_name/bicg.hpp>

namespace coppice::inline v0_1 {

COPPICE_KRYLOV_ANY(, cuda_executor, float)
COPPICE_KRYLOV_ANY(, cuda_executor, double)
COPPICE_BICG(, cuda_executor, float)
COPPICE_BICG(, cuda_executor, double)

} // namespace coppice::inline v0_1
