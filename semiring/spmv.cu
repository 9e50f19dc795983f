// SPDX-License-Identifier: BSD-3-Clause
#include "semiring/spmv_instances.hpp"

namespace coppice {

COPPICE_SPMV_INSTANCES(, cuda_executor, float)
COPPICE_SPMV_INSTANCES(, cuda_executor, double)

} // namespace coppice
