// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Random banded matrices with given singular values, as MATLAB's gallery('randsvd', n, kappa, mode, k, k).
#pragma once

#include <cstdint>

#include <coppice/algebra/band_storage.hpp>

namespace coppice::inline v0_1::detail {

/// Distribution of the singular values 1 >= sigma_0 >= ... >= sigma_{n-1} = 1/kappa; MATLAB's numbers.
enum class randsvd_mode { one_large = 1, one_small = 2, geometric = 3, arithmetic = 4 };

/// Returns sigma_i of n singular values; 1 if n = 1.
double randsvd_singular_value(randsvd_mode mode, double kappa, std::int64_t i, std::int64_t n);

/// Generates n rows with `reach` bands on either side; for n > randsvd_largest a direct sum of blocks, see
/// tridiagonal_case. Entries outside the matrix are zero.
banded<double> banded_randsvd(host_executor const& exec, std::int64_t n, int reach, double kappa, randsvd_mode mode,
                              std::uint64_t seed);

} // namespace coppice::inline v0_1::detail
