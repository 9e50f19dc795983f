// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparsity patterns: which entries of a matrix count, and how much of it they hold.
///
///     auto const strong = coppice::largest_pattern(exec, a.view(), 2);          // S^max-n: two of every row
///     auto const part = coppice::prune(exec, a.view(), coppice::pattern_union{coppice::diagonal_pattern{},
///     strong.view()}); double const held = coppice::coverage(exec, a.view(), strong.view());     // share of the sum
///     of |a_ij| auto const weaker = coppice::scale(exec, a.view(), strong.view(), 0.01);  // these entries times 0.01
///
/// A pattern is a function object that answers for (row, column): diagonal_pattern, tridiagonal_pattern, lower_pattern,
/// the stored entries of a matrix (pattern_of), the largest of each row (largest_pattern, threshold_pattern), unions
/// and differences of these, and whatever a user writes; for CUDA it is trivially copyable with a COPPICE_HD call
/// operator, and compiled by nvcc. Thesis section 5.1.8, Eqs. 47 to 54.
#pragma once

#include <coppice/algebra/pattern.hpp>
