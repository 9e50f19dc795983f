// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Options of the readers of matrix files.
#pragma once

#include <string>
#include <vector>

#include <coppice/core/files/file.hpp>

namespace coppice::inline v0_1 {

/// How entries at the same position in a file are combined. The order of entries is that of the file. With min and max,
/// NaN among them gives NaN.
enum class duplicates {
    sum,
    min,    ///< real types only
    max,    ///< real types only
    first,  ///< the first one in the file
    last,   ///< the last one in the file
    count,  ///< the number of entries; their values are not used, so a single entry becomes 1
    keep,   ///< all of them, next to each other in the row, in file order
    refuse, ///< format_error with row and column of the first duplicate in the order of rows
};

/// Integers in files that double does not represent exactly, such as 2^53 + 1. Values of real fields, and numbers with
/// a decimal point or an exponent, are rounded in any case; so are all values by a type of single precision.
enum class inexact_integers {
    refuse, ///< format_error with the line of the first one
    round,  ///< to the nearest number, for users of the structure alone
};

struct matrix_read_options {
    coppice::duplicates duplicates = coppice::duplicates::sum;
    coppice::inexact_integers inexact_integers = coppice::inexact_integers::refuse;
    /// Edge lists: vertices may be arbitrary words and are numbered in the order of their first occurrence in the file.
    /// read_numbered() returns the names in vertex_numbering. No effect on other formats, which have no gaps.
    bool renumber = false;
    /// Edge lists with a header line: the names of the columns of the source, the target and, if there is a third name,
    /// the weight; without a third name every weight is 1. Other columns are skipped. Empty: the columns are recognised
    /// by their names, see <coppice/matrix_file.hpp>. An error for other formats.
    std::vector<std::string> columns{};
    read_limits limits{};
    file_progress progress{}; ///< called during long operations
};

namespace detail {

/// The rule of the options; if entries are counted, their values are not used and may be rounded.
inline inexact_integers rule_of_integers(matrix_read_options const& options) {
    return options.duplicates == duplicates::count ? inexact_integers::round : options.inexact_integers;
}

} // namespace detail

} // namespace coppice::inline v0_1
