// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The twenty tridiagonal matrices on which the numerical stability of solvers is judged (thesis, Table 4).
#pragma once

#include <cstdint>
#include <string_view>

#include <coppice/algebra/tridiagonal.hpp>

namespace coppice {

inline constexpr int tridiagonal_case_count = 20;

/// Largest matrix of the cases 8 to 11 that is made as one randsvd matrix; see tridiagonal_case.
inline constexpr std::int64_t randsvd_largest = 1024;
/// Rows of one diagonal block of the cases 8 to 11 beyond that size.
inline constexpr std::int64_t randsvd_block = 64;

/// Matrix `case_id` (1..20) of Table 4 with `n` >= 0 rows, in host memory; the corner entries outside are zero.
///
/// U(-1, 1) stands for draws that depend on (seed, band, row) alone, so the cases 4, 5 and 12 disturb the very matrix
/// that case 1 gives for the same seed, and a result does not depend on the number of threads. Cases without random
/// numbers ignore the seed. `lesp`, `kms`, `randsvd`, `dorr` follow MATLAB's gallery.
///
/// The cases 8 to 11 are gallery('randsvd', n, 1e15, mode, 1, 1): singular values given by the mode between random
/// orthogonal matrices, reduced to three bands by Householder transformations, which costs O(n^3). For n >
/// randsvd_largest that is out of reach; then the matrix is a direct sum of such blocks of randsvd_block rows, over
/// which the singular values of the whole are dealt out in turn: the singular values and the condition number of the
/// whole are those of the mode, but blocks do not couple.
///
/// Throws argument_error for a case outside 1..20 or a negative n. Instantiated for float and double; float rounds the
/// double matrix, so entries below 1e-45 vanish.
template <class T = double>
tridiagonal<T> tridiagonal_case(host_executor const& exec, int case_id, std::int64_t n, std::uint64_t seed = 1);

/// One line that says what the case is. Throws argument_error outside 1..20.
std::string_view tridiagonal_case_description(int case_id);

} // namespace coppice
