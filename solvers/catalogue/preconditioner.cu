// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/catalogue/preconditioner_definitions.hpp>

namespace coppice::inline v0_1 {

COPPICE_REAL_TYPES(COPPICE_TRIDIAGONAL_REGULARISER, template, cuda_executor)
COPPICE_PRECONDITIONERS(, cuda_executor, float)
COPPICE_PRECONDITIONERS(, cuda_executor, double)
COPPICE_FOREST_PRECONDITIONER(, cuda_executor, float)
COPPICE_FOREST_PRECONDITIONER(, cuda_executor, double)
COPPICE_MAKE_PRECONDITIONER(, cuda_executor, float)
COPPICE_MAKE_PRECONDITIONER(, cuda_executor, double)
COPPICE_MAKE_COMPLEX_PRECONDITIONER(, cuda_executor, float)
COPPICE_MAKE_COMPLEX_PRECONDITIONER(, cuda_executor, double)

} // namespace coppice::inline v0_1
