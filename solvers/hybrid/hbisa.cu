// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/hybrid/hbisa_solve.hpp>

namespace coppice {

COPPICE_HBISA(, cuda_executor, float)
COPPICE_HBISA(, cuda_executor, double)

} // namespace coppice
