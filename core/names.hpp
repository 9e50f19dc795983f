// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Error for unknown names of methods, generators and options.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include <coppice/core/error.hpp>

namespace coppice::inline v0_1::detail {

/// Throws argument_error with the text: unknown `what` "name", expected one of: ...
template <std::size_t N>
[[noreturn]] void throw_unknown_name(std::string_view what, std::string_view name,
                                     std::array<std::string_view, N> const& known) {
    std::string text = "unknown " + std::string(what) + " \"" + std::string(name) + "\", expected one of: ";
    for (std::size_t i = 0; i < N; ++i) text += (i > 0 ? ", " : "") + std::string(known[i]);
    throw argument_error(text);
}

} // namespace coppice::inline v0_1::detail
