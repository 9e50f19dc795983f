// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/iterative/by_name/krylov.hpp>

namespace coppice::inline v0_1 {

COPPICE_KRYLOV(, host_executor, float)
COPPICE_KRYLOV(, host_executor, double)

} // namespace coppice::inline v0_1
