// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Options of the readers of matrix files.
#pragma once

#include <coppice/core/files/file.hpp>

namespace coppice {

/// How entries that a file stores at the same position become one. The order of entries is that of the file; NaN among
/// them gives NaN in min and max.
enum class duplicates {
    sum,
    min,    ///< real types only
    max,    ///< real types only
    first,  ///< the entry that stands first in the file
    last,   ///< the entry that stands last in the file
    count,  ///< how many there are; values are not used, so a single entry becomes 1
    keep,   ///< all of them, next to each other in the row, in the order of the file
    refuse, ///< format_error that names row and column of the first one in the order of rows
};

struct matrix_read_options {
    coppice::duplicates duplicates = coppice::duplicates::sum;
    /// Edge lists: a vertex is any word, and vertices are numbered in the order in which the file first names them. The
    /// names are in the vertex_numbering that read_numbered() returns. Other formats have no gaps; no effect there.
    bool renumber = false;
    read_limits limits{};
    file_progress progress{}; ///< is called during long work
};

} // namespace coppice
