// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The twenty tridiagonal test matrices for the numerical stability of solvers (thesis, Table 4).
#pragma once

#include <cstdint>
#include <string_view>

#include <coppice/algebra/tridiagonal.hpp>

namespace coppice::inline v0_1 {

inline constexpr int tridiagonal_case_count = 20;

/// Largest n for which the cases 8 to 11 are a single randsvd matrix; see tridiagonal_case.
inline constexpr std::int64_t randsvd_largest = 1024;
/// Rows of a diagonal block of the cases 8 to 11 for larger n.
inline constexpr std::int64_t randsvd_block = 64;

/// Generates the matrix `case_id` (1..20) of Table 4 with `n` >= 0 rows, in host memory. Corner entries outside the
/// matrix are zero.
///
/// Random numbers U(-1, 1) depend on (seed, band, row) only. The cases 4, 5 and 12 are therefore modifications of the
/// matrix of case 1 for the same seed, and results do not depend on the number of threads. Cases without random numbers
/// ignore the seed. `lesp`, `kms`, `randsvd` and `dorr` follow MATLAB's gallery.
///
/// The cases 8 to 11 are gallery('randsvd', n, 1e15, mode, 1, 1): singular values given by the mode between random
/// orthogonal matrices, reduced to three bands by Householder transformations, at a cost of O(n^3). For n >
/// randsvd_largest the matrix is a direct sum of such blocks of randsvd_block rows, over which the singular values of
/// the whole matrix are distributed cyclically: singular values and condition number are those of the mode, but the
/// blocks are decoupled.
///
/// Throws argument_error for a case outside 1..20 or a negative n. Instantiated for float and double. float rounds the
/// double matrix, so entries below 1e-45 become zero.
template <class T = double>
tridiagonal<T> tridiagonal_case(host_executor const& exec, int case_id, std::int64_t n, std::uint64_t seed = 1);

/// Returns a one-line description of the case. Throws argument_error outside 1..20.
std::string_view tridiagonal_case_description(int case_id);

} // namespace coppice::inline v0_1
