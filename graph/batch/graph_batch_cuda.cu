// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Batches of graphs: instances for CUDA.
#include <coppice/graph/batch/graph_batch.hpp>

namespace coppice::inline v0_1 {

COPPICE_GRAPH_BATCH(, cuda_executor);

} // namespace coppice::inline v0_1
