// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/semiring/products/named_product_instances.hpp>

namespace coppice {

COPPICE_NAMED_PRODUCTS(, cuda_executor);

} // namespace coppice
