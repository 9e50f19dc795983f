// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Converts matrices and forests in host memory to the data of the report.
#pragma once

#include "apps/report/data.hpp"
#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/statistics.hpp>
#include <coppice/graph/factor/factor.hpp>
#include <coppice/graph/forest/linear_forest.hpp>

namespace coppice::app::report {

/// Returns the row length if `a` couples each point of a plane grid, numbered row by row, with its neighbours only;
/// else 0.
template <class T>
std::int64_t plane_grid_width(csr_view<T> a);

/// Counts paths by length, in bins 1, 2, 3-4, 5-8, ...; `path_offsets` as in linear_forest.
std::vector<path_bin> bin_paths(array_view<std::int32_t const> path_offsets);

/// Rasters of the matrix in both orders: of the whole matrix, and of a block in its middle (cells == 0 if `whole`
/// already shows every entry). Two passes over the nonzeros.
template <class T>
void draw_patterns(csr_view<T> a, linear_forest<std::int32_t> const& forest, pattern& whole, pattern& closeup);

/// The same in the original order only, of a matrix of any shape.
template <class T>
void draw_pattern(csr_view<T> a, pattern& whole, pattern& closeup);

/// Counts and coverages of a forest in host memory that was found from `factor`; `original`: those of the matrix.
forest_summary summary_of(linear_forest<std::int32_t> const& forest, graph_factor<std::int32_t> const& factor,
                          std::string const& ties, weight_summary const& original);

} // namespace coppice::app::report
