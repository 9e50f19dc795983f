// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The eighteen tridiagonal matrices of L.-W. Chang (M.S. thesis, University of Illinois, 2014, Table 6.1),
/// chosen to challenge solvers that cut a system into parts: types 15 to 18 leave parts that are singular by
/// themselves.
#pragma once

#include <cstdint>
#include <string_view>

#include <coppice/algebra/tridiagonal.hpp>

namespace coppice {

inline constexpr int partition_case_count = 18;

/// Matrix type `type` (1..18) of that table with `n` >= 0 rows, in host memory; the corner entries outside are zero.
///
/// Types that Table 4 of the source thesis has as well are tridiagonal_case's. Toeplitz types (2, 6, 14, 16) draw one
/// number for each off-diagonal band, which alone explains the printed condition numbers. Types 15, 16 and 17 are
/// singular for odd n. Type 18 has its two special rows at n/2 - 1 and n/2, and 1e15 on the diagonal before them.
///
/// Throws argument_error for a type outside 1..18 or a negative n. Instantiated for float and double.
template <class T = double>
tridiagonal<T> partition_case(host_executor const& exec, int type, std::int64_t n, std::uint64_t seed = 1);

/// One line that says what the type is. Throws argument_error outside 1..18.
std::string_view partition_case_description(int type);

} // namespace coppice
