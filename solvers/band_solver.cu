// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/band_solve.hpp"

namespace coppice {

COPPICE_BANDS_DECLARE_ALL(template, cuda_executor)

} // namespace coppice
