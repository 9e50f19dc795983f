// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Inverse or generalised inverse of a small dense matrix.
#pragma once

#include <cstdint>
#include <vector>

namespace coppice::inline v0_1::multilevel_detail {

/// Inverse of a[n n], stored by rows. For a matrix that is symmetric up to rounding and positive semidefinite: LDL^T
/// factorisation, symmetric result; otherwise elimination with partial pivoting. Unknowns whose pivot is zero to
/// rounding (relative to the entries, by `precision`) are dropped: their rows and columns of the result are zero.
std::vector<double> dense_inverse(std::vector<double> a, std::int64_t n, double precision);

} // namespace coppice::inline v0_1::multilevel_detail
