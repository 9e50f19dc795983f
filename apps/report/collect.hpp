// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// From matrices and forests in host memory to what the report shows.
#pragma once

#include "apps/report/data.hpp"
#include <coppice/algebra/csr.hpp>
#include <coppice/graph/forest/linear_forest.hpp>

namespace coppice::app::report {

/// Points of a row where `a` couples the points of a plane grid, numbered row by row, with their neighbours alone;
/// 0 where it does not.
template <class T>
std::int64_t plane_grid_width(csr_view<T> a);

/// Paths by length, in bins 1, 2, 3-4, 5-8, ...; `path_offsets` as in linear_forest.
std::vector<path_bin> bin_paths(array_view<std::int32_t const> path_offsets);

/// Pictures of the matrix in both orders: all of it, and a block in its middle (cells == 0 where `whole` shows every
/// entry already). Costs two passes over the nonzeros.
template <class T>
void draw_patterns(csr_view<T> a, linear_forest<std::int32_t> const& forest, pattern& whole, pattern& closeup);

} // namespace coppice::app::report
