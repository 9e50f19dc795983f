// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Header of Harwell-Boeing and Rutherford-Boeing files.
///
/// Duff, Grimes, Lewis: Users' Guide for the Harwell-Boeing Sparse Matrix Collection (1992); Duff, Grimes, Lewis: The
/// Rutherford-Boeing Sparse Matrix Collection (1997).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <coppice/algebra/files/matrix_market/matrix_market.hpp>

namespace coppice::detail {

/// Where a number stands on a line.
struct card_field {
    std::int64_t offset = 0; ///< of its first character
    std::int64_t width = 0;
    int decimals = 0; ///< digits behind the point of a field that has none
    int scale = 0;    ///< P: a field without exponent means its value times 10^-scale
};

/// How a Fortran format distributes numbers over lines.
struct card_format {
    std::vector<card_field> first_line{};
    std::vector<card_field> next_lines{}; ///< a format starts again at its last group in parentheses

    /// Lines that so many numbers take.
    std::int64_t lines(std::int64_t numbers) const;
};

struct harwell_boeing_header {
    matrix_market_field field = matrix_market_field::real;
    matrix_market_symmetry symmetry = matrix_market_symmetry::general;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t stored = 0;
    card_format pointers{};
    card_format indices{};
    card_format values{};
    std::size_t body = 0;   ///< offset of the first line of pointers
    std::int64_t lines = 0; ///< before it
};

/// Whether the third line begins with a type code, such as RUA or psa, as in no other format.
bool is_harwell_boeing(std::string_view text);

/// Throws format_error, for `file`, for a header that contradicts itself and for what is not read (finite elements).
harwell_boeing_header parse_harwell_boeing_header(std::string const& file, std::string_view text);

/// "(16I5)", "(1P,5D16.9)", "(1X,8I9)", "(3(1P,E24.16))": fields I, F, E, D and G, nX, kP, groups up to 8 deep. Throws
/// format_error for anything else.
card_format parse_card_format(std::string const& file, std::int64_t line, std::string_view text);

} // namespace coppice::detail
