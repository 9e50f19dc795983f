// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/operations.hpp>

namespace coppice::inline v0_1 {

COPPICE_OPERATIONS(, cuda_executor);

} // namespace coppice::inline v0_1
