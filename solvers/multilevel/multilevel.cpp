// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/multilevel/multilevel_definitions.hpp>

namespace coppice::inline v0_1 {

COPPICE_MULTILEVEL_HIERARCHY(, host_executor, float)
COPPICE_MULTILEVEL_HIERARCHY(, host_executor, double)
COPPICE_MULTILEVEL(, host_executor, float)
COPPICE_MULTILEVEL(, host_executor, double)

} // namespace coppice::inline v0_1
