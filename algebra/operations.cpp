// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/asymmetry.hpp>
#include <coppice/algebra/operations.hpp>

namespace coppice::inline v0_1 {

COPPICE_OPERATIONS(, host_executor);
COPPICE_ASYMMETRY(, host_executor);

} // namespace coppice::inline v0_1
