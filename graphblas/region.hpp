// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Changes of some rows or columns of a matrix in list form. Values are changed in place if the entries stay the same
/// ones; otherwise rows that do not change are copied as a whole.
#pragma once

#include <functional>
#include <vector>

#include "tables.hpp"

namespace coppice::graphblas {

/// Changes of rows of a matrix, in ascending order: entries that are removed, and entries that are added. An entry that
/// gets another value is removed and added.
struct row_changes {
    std::vector<index> rows = {};
    std::vector<index> removed_offsets = {0}, removed = {};                      ///< entries of the matrix
    std::vector<index> added_offsets = {0}, added_columns = {}, added_from = {}; ///< and numbers of their values
    /// Ends the changes of a row.
    void close(index row);
};
/// Returns the entries after the changes. Requires that the matrix has offsets for all rows.
contents spliced(contents const& old, std::size_t size, row_changes const& changes, std::byte const* values);

/// Makes the entries of C(rows, columns) after an assignment from those before: sources are entries before it and
/// values that are assigned.
using region_update = std::function<merged(pattern const& before)>;
/// C(rows, columns) = update(C(rows, columns)) in list form; `values` are those that are assigned. Returns false if
/// another algorithm is faster or an index repeats; C is then unchanged.
bool update_region(table& c, index_list rows, index_list columns, region_update const& update, operand values,
                   GrB_BinaryOp accum, bool vector);

} // namespace coppice::graphblas
