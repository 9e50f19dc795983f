// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Minimum degree orders.
#pragma once

#include <cstdint>
#include <vector>

#include <coppice/solvers/precondition/sparse_direct/band_order.hpp>

namespace coppice::inline v0_1::detail {

/// Position of each column in a minimum degree order (AMD, Eigen) of the pattern of B + B^T, where row i of A is row
/// row_position[i] of B (empty: row i). Empty if the build lacks Eigen. Reads the pattern only, in host memory.
std::vector<std::int32_t> minimum_degree_order(pattern_view a, std::vector<std::int32_t> const& row_position);

} // namespace coppice::inline v0_1::detail
