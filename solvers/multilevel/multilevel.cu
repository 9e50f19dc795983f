// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/multilevel/multilevel_definitions.hpp>

namespace coppice::inline v0_1 {

COPPICE_MULTILEVEL_HIERARCHY(, cuda_executor, float)
COPPICE_MULTILEVEL_HIERARCHY(, cuda_executor, double)
COPPICE_MULTILEVEL(, cuda_executor, float)
COPPICE_MULTILEVEL(, cuda_executor, double)

} // namespace coppice::inline v0_1
