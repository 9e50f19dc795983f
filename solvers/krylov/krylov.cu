// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/krylov/krylov.hpp>

namespace coppice {

COPPICE_KRYLOV(, cuda_executor, float)
COPPICE_KRYLOV(, cuda_executor, double)

} // namespace coppice
