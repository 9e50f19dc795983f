// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/semiring/spmv/spmv_instances.hpp>

namespace coppice::inline v0_1 {

COPPICE_SPMV_ALL(, host_executor);
COPPICE_NAMED_SPMV(host_executor, float);
COPPICE_NAMED_SPMV(host_executor, double);

} // namespace coppice::inline v0_1
