// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/operations.hpp>

namespace coppice {

COPPICE_OPERATIONS(, cuda_executor);

} // namespace coppice
