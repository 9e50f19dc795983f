// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/direct/tridiagonal/rpts_ranks_solve.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_solve.hpp>

namespace coppice {

template std::int64_t tridiagonal_workspace<float>(std::int64_t);
template std::int64_t tridiagonal_workspace<double>(std::int64_t);
template std::int64_t tridiagonal_batch_workspace<float>(std::int64_t, std::int64_t, std::int64_t, bool);
template std::int64_t tridiagonal_batch_workspace<double>(std::int64_t, std::int64_t, std::int64_t, bool);
COPPICE_RPTS(float, host_executor)
COPPICE_RPTS(double, host_executor)

namespace rpts {
COPPICE_RPTS_RANKS_OF(host_executor)
} // namespace rpts

} // namespace coppice
