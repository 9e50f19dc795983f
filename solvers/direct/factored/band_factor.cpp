// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/direct/factored/band_factor_solve.hpp>

namespace coppice::inline v0_1 {

COPPICE_BAND_FACTOR_DECLARE_ALL(template, host_executor)

} // namespace coppice::inline v0_1
