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

namespace coppice::inline v0_1::detail {

/// Position of a number on a line.
struct card_field {
    std::int64_t offset = 0; ///< offset of the first character
    std::int64_t width = 0;
    int decimals = 0; ///< digits of the fraction in a field without decimal point
    int scale = 0;    ///< P: a field without exponent is multiplied by 10^-scale
};

/// Distribution of numbers over lines by a Fortran format.
struct card_format {
    std::vector<card_field> first_line{};
    std::vector<card_field> next_lines{}; ///< after the first line, a format repeats its last group in parentheses

    /// Returns the number of lines for `numbers` numbers.
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
    std::int64_t lines = 0; ///< number of lines before the body
};

/// Whether the third line begins with a type code such as RUA or psa, which identifies the format.
bool is_harwell_boeing(std::string_view text);

/// Parses the header. Requires is_harwell_boeing(text). Throws format_error for `file` if the header is inconsistent or
/// not supported (finite elements).
harwell_boeing_header parse_harwell_boeing_header(std::string const& file, std::string_view text);

/// Parses a Fortran format such as "(16I5)", "(1P,5D16.9)", "(1X,8I9)" or "(3(1P,E24.16))": fields I, F, E, D and G,
/// nX, kP, groups up to 8 levels deep. Throws format_error for anything else.
card_format parse_card_format(std::string const& file, std::int64_t line, std::string_view text);

} // namespace coppice::inline v0_1::detail
