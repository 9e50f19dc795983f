// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Reductions by a commutative operator T x T -> T.
#pragma once

#include "values.hpp"

namespace coppice::graphblas {

/// Folds n values into *to; returns false if there are none.
bool fold_values(GrB_BinaryOp op, std::byte const* values, index n, void* to);
/// Folds the entries of each row, in their order: a vector with an entry for each row that has some.
contents fold_rows(GrB_BinaryOp op, pattern const& where, bytes const& values);

} // namespace coppice::graphblas
