// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The inverse of a small dense matrix, or of as much of it as has one.
#pragma once

#include <cstdint>
#include <vector>

namespace coppice::multilevel_detail {

/// Inverse of a[n n], row after row. A matrix that is symmetric to rounding and positive semidefinite gets an inverse
/// that is so, too, by Cholesky's factorisation; others by elimination with partial pivoting. Unknowns whose pivot is
/// zero to rounding (`precision` of the entries, relative) are left out: their rows and columns are zero.
std::vector<double> dense_inverse(std::vector<double> a, std::int64_t n, double precision);

} // namespace coppice::multilevel_detail
