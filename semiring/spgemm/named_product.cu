// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/semiring/spgemm/named_product_instances.hpp>

namespace coppice::inline v0_1 {

COPPICE_PRODUCT_PLANS(, cuda_executor);
COPPICE_NAMED_PRODUCTS(cuda_executor, float);
COPPICE_NAMED_PRODUCTS(cuda_executor, double);

} // namespace coppice::inline v0_1
