// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/systems/solve_by_name.hpp>

namespace coppice {

COPPICE_KRYLOV_ANY(, host_executor, std::complex<float>)
COPPICE_KRYLOV_ANY(, host_executor, std::complex<double>)
COPPICE_KRYLOV_COMPLEX(, host_executor, float)
COPPICE_KRYLOV_COMPLEX(, host_executor, double)

} // namespace coppice
