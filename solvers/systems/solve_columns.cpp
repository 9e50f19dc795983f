// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/systems/solve_columns.hpp>

namespace coppice {

COPPICE_SOLVE_COLUMNS_ALL(, host_executor)

} // namespace coppice
