// SPDX-License-Identifier: BSD-3-Clause
#include "device_addresses.cuh"
#include "sparse_instances.hpp"

namespace coppice::python {

template struct sparse_operations<cuda_executor, float>;
template struct sparse_operations<cuda_executor, double>;

} // namespace coppice::python
