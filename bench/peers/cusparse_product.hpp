// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The sparse product of cuSPARSE, for comparison.
#pragma once

#include <coppice/algebra/csr.hpp>
#include <coppice/core/executor.hpp>

namespace coppice::bench {

/// Computes C = A B, including both phases and their allocations; returns the number of entries of C. Throws
/// device_error if cuSPARSE fails.
std::int64_t cusparse_product(cuda_executor const& exec, csr_view<double> a, csr_view<double> b);

} // namespace coppice::bench
