// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Communities, trusses and similarities on CUDA.
#include <coppice/graph/communities/label_propagation.hpp>
#include <coppice/graph/communities/leiden.hpp>
#include <coppice/graph/communities/louvain.hpp>
#include <coppice/graph/communities/truss.hpp>

namespace coppice::inline v0_1 {

COPPICE_SIMILARITY(, cuda_executor);
COPPICE_TRUSS(, cuda_executor);
COPPICE_LABEL_PROPAGATION(, cuda_executor);
COPPICE_LOUVAIN(, cuda_executor, float);
COPPICE_LOUVAIN(, cuda_executor, double);
COPPICE_LEIDEN(, cuda_executor, float);
COPPICE_LEIDEN(, cuda_executor, double);

} // namespace coppice::inline v0_1
