// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/levels/hypersparse_matrix.hpp>

namespace coppice::distributed {
COPPICE_LISTED_MATRIX(, cuda_executor, float)
COPPICE_LISTED_MATRIX(, cuda_executor, double)
} // namespace coppice::distributed
