// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/levels/hypersparse_matrix.hpp>

namespace coppice::inline v0_1::distributed {
COPPICE_HYPERSPARSE_MATRIX(, cuda_executor, float)
COPPICE_HYPERSPARSE_MATRIX(, cuda_executor, double)
} // namespace coppice::inline v0_1::distributed
