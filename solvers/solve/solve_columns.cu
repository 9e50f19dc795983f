// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/solve/solve_columns_definitions.hpp>
#include <coppice/solvers/solve/solve_refined_definitions.hpp>

namespace coppice::inline v0_1 {

COPPICE_SOLVE_COLUMNS_ALL(, cuda_executor)
COPPICE_SOLVE_REFINED(, cuda_executor)

} // namespace coppice::inline v0_1
