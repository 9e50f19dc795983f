// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Text building blocks of the report: escaped text, numbers, axis ticks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coppice::app::report {

/// Text with the five characters that HTML and SVG reserve replaced.
std::string escaped(std::string_view text);

/// A coordinate with at most two decimals, no trailing zeros.
std::string coordinate(double value);

/// "10⁻³"
std::string power_of_ten(int exponent);

/// 0.667 as "66.7 %"; a dash for NaN.
std::string percent(double fraction);

/// Round numbers (1, 2, 5 times a power of ten) from 0 to at most `last`, about `count` of them.
std::vector<double> round_ticks(double last, int count);

/// Width in pixels of a text set at `size` pixels in a sans-serif face, estimated.
double text_width(std::string_view text, double size);

} // namespace coppice::app::report
