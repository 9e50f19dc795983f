// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/rows/distributed_product_instances.hpp>

namespace coppice::inline v0_1 {

COPPICE_DISTRIBUTED_PRODUCTS(, cuda_executor, float);
COPPICE_DISTRIBUTED_PRODUCTS(, cuda_executor, double);

} // namespace coppice::inline v0_1
