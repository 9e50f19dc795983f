// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/iterative/by_name/bicg.hpp>

namespace coppice::inline v0_1 {

COPPICE_KRYLOV_COMPLEX(, cuda_executor, std::complex<float>)
COPPICE_KRYLOV_COMPLEX(, cuda_executor, std::complex<double>)
COPPICE_BICG(, cuda_executor, std::complex<float>)
COPPICE_BICG(, cuda_executor, std::complex<double>)

} // namespace coppice::inline v0_1
