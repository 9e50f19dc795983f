// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Banner and size line of a Matrix Market file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <coppice/algebra/files/matrix_entries.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>

namespace coppice::inline v0_1::detail {

struct parsed_header {
    matrix_market_header header{};
    std::size_t body = 0;       ///< offset of the line after the size line
    std::int64_t size_line = 0; ///< 1-based line number of the size line
};

/// Parses the beginning of `text`. Throws format_error for `file`. If `complete` is false, the file is longer than
/// `text`; if `text` ends before the size line, returns nothing.
std::optional<parsed_header> parse_header(std::string const& file, std::string_view text, bool complete);

/// Parses the entries of a text after its header `top`; of `options`, uses progress and inexact_integers. Instantiated
/// as read_matrix_market(). Throws format_error.
template <class T, class I>
matrix_entries<T, I> parse_body(host_executor const& exec, std::string const& file, std::string_view text,
                                parsed_header const& top, matrix_read_options const& options);

} // namespace coppice::inline v0_1::detail
