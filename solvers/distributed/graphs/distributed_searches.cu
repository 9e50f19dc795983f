// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/graphs/distributed_bfs.hpp>
#include <coppice/solvers/distributed/graphs/distributed_components.hpp>
#include <coppice/solvers/distributed/graphs/distributed_pagerank.hpp>
#include <coppice/solvers/distributed/graphs/distributed_sssp.hpp>
#include <coppice/solvers/distributed/graphs/distributed_triangles.hpp>

namespace coppice::inline v0_1 {

COPPICE_DISTRIBUTED_ROWS(, cuda_executor);
COPPICE_BFS_DISTRIBUTED(, cuda_executor, std::int32_t);
COPPICE_BFS_DISTRIBUTED(, cuda_executor, std::int64_t);
COPPICE_COMPONENTS_DISTRIBUTED(, cuda_executor, std::int32_t);
COPPICE_COMPONENTS_DISTRIBUTED(, cuda_executor, std::int64_t);
COPPICE_PAGERANK_DISTRIBUTED(, cuda_executor, float, std::int32_t);
COPPICE_PAGERANK_DISTRIBUTED(, cuda_executor, float, std::int64_t);
COPPICE_PAGERANK_DISTRIBUTED(, cuda_executor, double, std::int32_t);
COPPICE_PAGERANK_DISTRIBUTED(, cuda_executor, double, std::int64_t);
COPPICE_SSSP_DISTRIBUTED(, cuda_executor, float, std::int32_t);
COPPICE_SSSP_DISTRIBUTED(, cuda_executor, float, std::int64_t);
COPPICE_SSSP_DISTRIBUTED(, cuda_executor, double, std::int32_t);
COPPICE_SSSP_DISTRIBUTED(, cuda_executor, double, std::int64_t);
COPPICE_TRIANGLES_DISTRIBUTED(, cuda_executor, std::int32_t);
COPPICE_TRIANGLES_DISTRIBUTED(, cuda_executor, std::int64_t);

} // namespace coppice::inline v0_1
