// SPDX-License-Identifier: BSD-3-Clause
// Factorisations and sparse right-hand sides: both use the levels of a factorisation, which are instantiated here only.
#include <coppice/solvers/direct/sparse_rhs/sparse_rhs_solve.hpp>

namespace coppice::inline v0_1 {

COPPICE_ALL_TYPES(COPPICE_BAND_FACTOR, template, host_executor)
COPPICE_ALL_TYPES(COPPICE_SPARSE_RHS, template, host_executor)

} // namespace coppice::inline v0_1
