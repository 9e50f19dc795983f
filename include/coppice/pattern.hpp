// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparsity patterns: subsets of the entries of a matrix, and the fraction of the matrix that they cover.
///
///     namespace cp = coppice;
///     auto const strong = cp::largest_pattern(exec, a.view(), 2);          // S^max-n: two entries per row
///     auto const pruned = cp::prune(exec, a.view(), cp::pattern_union{cp::diagonal_pattern{}, strong.view()});
///     double const covered = cp::coverage(exec, a.view(), strong.view());  // fraction of the sum of |a_ij|
///     auto const weaker = cp::scale(exec, a.view(), strong.view(), 0.01);  // multiplies these entries by 0.01
///
/// A pattern is a predicate on (row, column): diagonal_pattern, tridiagonal_pattern, lower_pattern, the stored entries
/// of a matrix (pattern_of), the largest ones of each row (largest_pattern, threshold_pattern), unions and differences
/// of these, or a function object of the user. For CUDA it is trivially copyable, has a COPPICE_HD call operator, and
/// is compiled by nvcc. Thesis section 5.1.8, Eqs. 47 to 54.
#pragma once

#include <coppice/algebra/pattern.hpp>
