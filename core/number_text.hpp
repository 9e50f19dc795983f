// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Numbers as text, the same under every locale (std::to_string and printf write the decimal point of the locale).
#pragma once

#include <charconv>
#include <string>

namespace coppice::detail {

/// The shortest text that reads back as the same number.
inline std::string number_text(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

/// As %.Nf writes it.
inline std::string fixed_text(double value, int decimals) {
    char text[400]; // the largest double has 309 digits before the point
    return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, decimals).ptr};
}

} // namespace coppice::detail
