// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The sparse product of cuSPARSE, to be measured against.
#pragma once

#include <coppice/algebra/csr.hpp>
#include <coppice/core/executor.hpp>

namespace coppice::bench {

/// C = A B, both phases with their memory; returns the entries of C. Throws device_error where cuSPARSE fails.
std::int64_t cusparse_product(cuda_executor const& exec, csr_view<double> a, csr_view<double> b);

} // namespace coppice::bench
