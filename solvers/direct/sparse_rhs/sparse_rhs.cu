// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/direct/sparse_rhs/sparse_rhs_solve.hpp>

namespace coppice::inline v0_1 {

COPPICE_SPARSE_RHS_ALL(cuda_executor)

} // namespace coppice::inline v0_1
