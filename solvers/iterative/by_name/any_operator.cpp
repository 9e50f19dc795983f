// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/iterative/by_name/bicg.hpp>

namespace coppice::inline v0_1 {

COPPICE_KRYLOV_ANY(, host_executor, float)
COPPICE_KRYLOV_ANY(, host_executor, double)
COPPICE_BICG(, host_executor, float)
COPPICE_BICG(, host_executor, double)

} // namespace coppice::inline v0_1
