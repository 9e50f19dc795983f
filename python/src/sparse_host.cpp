// SPDX-License-Identifier: BSD-3-Clause
#include "sparse_instances.hpp"

namespace coppice::python {

template struct sparse_operations<host_executor, float>;
template struct sparse_operations<host_executor, double>;

} // namespace coppice::python
