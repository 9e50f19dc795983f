// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/iterative/krylov/shifted_cg.hpp>

namespace coppice::inline v0_1 {

COPPICE_SHIFTED(, cuda_executor, double)

} // namespace coppice::inline v0_1
