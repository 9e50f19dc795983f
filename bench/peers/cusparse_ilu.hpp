// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// ILU(0) of cuSPARSE as a preconditioner, for comparison.
#pragma once

#include <coppice/solvers/precondition/interface/any_preconditioner.hpp>

namespace coppice::bench {

/// Uses csrilu02 with both analyses, and exact solves by SpSV; the set-up time is reported as for other
/// preconditioners. Columns must be sorted. Throws device_error if cuSPARSE fails, matrix_error that names the row of a
/// zero pivot.
any_preconditioner<cuda_executor, double> cusparse_ilu0(cuda_executor const& exec, csr_view<double> a);

} // namespace coppice::bench
