// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The second half of suite `tridiagonal` on CUDA: everything except single scalar systems.
#pragma once

#include <cusparse.h>

#include "bench/bench.hpp"
#include <coppice/core/executor.hpp>

namespace coppice::bench {

void tridiagonal_classes_cuda(table& t, options const& o, cuda_executor const& exec, cusparseHandle_t handle);

} // namespace coppice::bench
