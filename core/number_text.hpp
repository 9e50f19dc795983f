// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Numbers as text, independent of the locale. (std::to_string and printf use the decimal point of the locale.)
#pragma once

#include <charconv>
#include <string>

namespace coppice::inline v0_1::detail {

/// Returns the shortest text that converts back to the same number.
inline std::string number_text(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

/// Returns the text that printf writes for %.Nf in the C locale.
inline std::string fixed_text(double value, int decimals) {
    char text[400]; // the largest double has 309 digits before the point
    return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, decimals).ptr};
}

} // namespace coppice::inline v0_1::detail
