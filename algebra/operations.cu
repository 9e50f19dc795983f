// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/asymmetry.hpp>
#include <coppice/algebra/operations.hpp>

namespace coppice::inline v0_1 {

COPPICE_OPERATIONS(, cuda_executor);
COPPICE_ASYMMETRY(, cuda_executor);

} // namespace coppice::inline v0_1
