// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/iterative/by_name/krylov.hpp>

namespace coppice::inline v0_1 {

COPPICE_KRYLOV_COMPLEX(, host_executor, std::complex<float>)
COPPICE_KRYLOV_COMPLEX(, host_executor, std::complex<double>)

} // namespace coppice::inline v0_1
