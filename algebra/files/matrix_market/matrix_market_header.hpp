// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Banner and size line of a Matrix Market file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <coppice/algebra/files/matrix_entries.hpp>
#include <coppice/algebra/files/matrix_market/matrix_market.hpp>

namespace coppice::detail {

struct header_place {
    matrix_market_header header{};
    std::size_t body = 0;       ///< offset of the line behind the size line
    std::int64_t size_line = 0; ///< its number, from 1
};

/// Parses the top of `text`. Throws format_error for `file`; where `complete` is false, the text goes on, and what
/// stands there does not hold the size line yet, returns nothing.
std::optional<header_place> parse_header(std::string const& file, std::string_view text, bool complete);

/// The entries of a text whose header stands at `place`. Instantiated as read_matrix_market(). Throws format_error.
template <class T, class I>
matrix_entries<T, I> parse_body(host_executor const& exec, std::string const& file, std::string_view text,
                                header_place const& place, file_progress const& tell);

} // namespace coppice::detail
