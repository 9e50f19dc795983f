// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Lower case of ASCII letters, independent of the locale.
#pragma once

#include <string>
#include <string_view>

namespace coppice::inline v0_1::detail {

constexpr char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string lower_case(std::string_view text) {
    std::string lowered(text);
    for (char& c : lowered) c = lower_case(c);
    return lowered;
}

} // namespace coppice::inline v0_1::detail
