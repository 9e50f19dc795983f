// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Text building blocks of the report: escaped text, numbers, axis ticks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coppice::app::report {

/// Escapes the five reserved characters of HTML and SVG. Control characters and invalid UTF-8, of which SVG permits
/// none, are written as printable() writes them.
std::string escaped(std::string_view text);

/// Formats a coordinate with at most two decimals and without trailing zeros.
std::string coordinate(double value);

/// "10⁻³"
std::string power_of_ten(int exponent);

/// Formats 0.667 as "66.7 %"; a dash for NaN.
std::string percent(double fraction);

/// Returns about `count` round numbers (1, 2, 5 times a power of ten) from 0 to at most `last`.
std::vector<double> round_ticks(double last, int count);

/// Selects labels of a row, from left to right, so that none overlaps the label before it.
class label_row {
public:
    explicit label_row(double size = 13) : size_(size) {}
    /// Whether there is space for `text`, centred at `middle`; if so, the space is taken.
    bool fits(double middle, std::string_view text);

private:
    double size_, last_ = -1e9; // right end of the last label
};

/// Estimates the width in pixels of a text of size `size` pixels in a sans-serif font.
double text_width(std::string_view text, double size);

} // namespace coppice::app::report
