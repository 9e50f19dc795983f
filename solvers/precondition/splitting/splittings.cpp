// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/precondition/splitting/splittings.hpp>

namespace coppice::inline v0_1 {

COPPICE_SPLITTINGS(, host_executor, float)
COPPICE_SPLITTINGS(, host_executor, double)

} // namespace coppice::inline v0_1
