// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/catalogue/preconditioner.hpp>

namespace coppice::inline v0_1 {

COPPICE_TRIDIAGONAL_REGULARISER(, host_executor, float)
COPPICE_TRIDIAGONAL_REGULARISER(, host_executor, double)
COPPICE_PRECONDITIONERS(, host_executor, float)
COPPICE_PRECONDITIONERS(, host_executor, double)
COPPICE_FOREST_PRECONDITIONER(, host_executor, float)
COPPICE_FOREST_PRECONDITIONER(, host_executor, double)
COPPICE_MAKE_PRECONDITIONER(, host_executor, float)
COPPICE_MAKE_PRECONDITIONER(, host_executor, double)
COPPICE_MAKE_COMPLEX_PRECONDITIONER(, host_executor, float)
COPPICE_MAKE_COMPLEX_PRECONDITIONER(, host_executor, double)

} // namespace coppice::inline v0_1
