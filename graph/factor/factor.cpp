// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Factors for the common types on the host.
#include <coppice/graph/factor/factor.hpp>

namespace coppice::inline v0_1 {

COPPICE_GREEDY_FACTOR(, float, std::int32_t);
COPPICE_GREEDY_FACTOR(, double, std::int32_t);
COPPICE_PARALLEL_FACTOR(, host_executor, float, std::int32_t);
COPPICE_PARALLEL_FACTOR(, host_executor, double, std::int32_t);

} // namespace coppice::inline v0_1
