// SPDX-License-Identifier: BSD-3-Clause
// Replaces srcsr_tune.cu in a build without CUDA.
#include <coppice/core/error.hpp>
#include <coppice/semiring/reduce_rows/srcsr_tuning.hpp>

namespace coppice::inline v0_1 {

// not covered: no executor of this build is of CUDA
std::vector<tuning_record> tune_srcsr(cuda_executor const&, std::function<void(std::string const&)> const&) {
    throw backend_error("this build of Coppice has no CUDA backend");
}

} // namespace coppice::inline v0_1
