// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// ILU(0) of cuSPARSE as a preconditioner, to be measured against.
#pragma once

#include <coppice/solvers/precondition/interface/any_preconditioner.hpp>

namespace coppice::bench {

/// csrilu02 with both analyses, and exact solves by SpSV; its set-up time is reported as that of others is. Columns are
/// sorted. Throws device_error where cuSPARSE fails, matrix_error that names the row of a zero pivot.
any_preconditioner<cuda_executor, double> cusparse_ilu0(cuda_executor const& exec, csr_view<double> a);

} // namespace coppice::bench
