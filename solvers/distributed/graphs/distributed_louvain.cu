// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/graphs/distributed_louvain.hpp>

namespace coppice::inline v0_1 {

COPPICE_LOUVAIN_DISTRIBUTED(, cuda_executor, float, std::int32_t);
COPPICE_LOUVAIN_DISTRIBUTED(, cuda_executor, float, std::int64_t);
COPPICE_LOUVAIN_DISTRIBUTED(, cuda_executor, double, std::int32_t);
COPPICE_LOUVAIN_DISTRIBUTED(, cuda_executor, double, std::int64_t);

} // namespace coppice::inline v0_1
