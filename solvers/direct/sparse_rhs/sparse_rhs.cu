// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/direct/sparse_rhs/sparse_rhs_solve.hpp>

namespace coppice::inline v0_1 {

COPPICE_ALL_TYPES(COPPICE_SPARSE_RHS, template, cuda_executor)

} // namespace coppice::inline v0_1
