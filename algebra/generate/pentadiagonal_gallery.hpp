// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The twenty-three pentadiagonal test matrices for the accuracy of banded solvers (thesis, Table 6).
#pragma once

#include <cstdint>
#include <string_view>

#include <coppice/algebra/band_storage.hpp>

namespace coppice::inline v0_1 {

inline constexpr int pentadiagonal_case_count = 23;

/// Generates the matrix `case_id` (1..23) of Table 6 with `n` >= 0 rows, in host memory. Entries outside the matrix are
/// zero.
///
/// As in tridiagonal_case, random numbers depend on (seed, band, row) only, so the cases 3 to 6, 12 and 13 are
/// modifications of the matrix of case 1. Bands are indexed by their row, so case 4 nearly decouples the rows from N/2
/// on from those before. The cases 8 to 11 are gallery('randsvd', n, 1e15, mode, 2, 2), with diagonal blocks if n >
/// randsvd_largest. Case 21 as printed has condition number 1.67; the table lists 1.51.
///
/// Throws argument_error for a case outside 1..23 or a negative n. Instantiated for float and double.
template <class T = double>
banded<T> pentadiagonal_case(host_executor const& exec, int case_id, std::int64_t n, std::uint64_t seed = 1);

/// Returns a one-line description of the case. Throws argument_error outside 1..23.
std::string_view pentadiagonal_case_description(int case_id);

} // namespace coppice::inline v0_1
