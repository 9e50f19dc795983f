// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/operations.hpp>

namespace coppice {

COPPICE_OPERATIONS(, host_executor);

} // namespace coppice
