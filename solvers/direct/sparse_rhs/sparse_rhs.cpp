// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/direct/sparse_rhs/sparse_rhs_solve.hpp>

namespace coppice {

COPPICE_SPARSE_SIDES_ALL(host_executor)

} // namespace coppice
