// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/multilevel/multilevel.hpp>

namespace coppice::inline v0_1 {

COPPICE_MULTILEVEL(, cuda_executor, float)
COPPICE_MULTILEVEL(, cuda_executor, double)

} // namespace coppice::inline v0_1
