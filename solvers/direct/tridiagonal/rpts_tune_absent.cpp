// SPDX-License-Identifier: BSD-3-Clause
// Replaces rpts_tune.cu in a build without CUDA.
#include <coppice/core/error.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_tuning.hpp>

namespace coppice::inline v0_1 {

// not covered: no executor of this build is of CUDA
tridiagonal_tuning tune_tridiagonal(cuda_executor const&, std::function<void(std::string const&)> const&, double) {
    throw backend_error("this build of Coppice has no CUDA backend");
}

} // namespace coppice::inline v0_1
