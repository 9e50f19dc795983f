// SPDX-License-Identifier: BSD-3-Clause
#include "algebra/operations.hpp"

namespace coppice {

COPPICE_OPERATIONS(, host_executor);

} // namespace coppice
