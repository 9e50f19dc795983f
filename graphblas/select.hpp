// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Selections of entries, with their values in the same pass.
#pragma once

#include "values.hpp"

namespace coppice::graphblas {

/// Returns the entries with a nonzero flag. Values have `size` bytes.
contents selected(contents const& x, std::size_t size, std::uint8_t const* keep);
/// Returns a flag for each entry of T: whether the mask admits it.
buffer<std::uint8_t> admitted_flags(pattern const& t, mask_view const& mask);
/// Returns the entries that a predefined condition of positions selects, such as GrB_TRIL with the number `s`: ranges
/// of each row, which are copied as a whole. Requires op->positions.
contents selected_ranges(contents const& x, std::size_t size, GrB_IndexUnaryOp op, std::int64_t s);
/// Returns the entries in the first rows and columns, for another shape. Values are shared if no entry is dropped.
contents resized(contents const& x, std::size_t size, index rows, index columns);

} // namespace coppice::graphblas
