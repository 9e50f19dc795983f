// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// How memory of the caller is divided: parts that begin at multiples of 64 bytes, sized and carved by one
/// function.
#pragma once

#include <cstdint>
#include <string>

namespace coppice {

inline constexpr std::int64_t workspace_unit = 64;

/// The next multiple of 64.
constexpr std::int64_t in_workspace_units(std::int64_t bytes) {
    return (bytes + workspace_unit - 1) / workspace_unit * workspace_unit;
}

/// A base of plans: offsets of parts, taken one after the other.
struct workspace_layout {
    std::int64_t bytes = 0;

    std::int64_t take(std::int64_t size) {
        std::int64_t const at = bytes;
        bytes += in_workspace_units(size);
        return at;
    }
};

/// What is wrong with memory of the caller, as a sentence; empty where nothing is.
inline std::string fault_of_space(std::string const& name, void const* memory, std::int64_t bytes,
                                  std::int64_t needed) {
    if (bytes < needed)
        return name + " has " + std::to_string(bytes) + " bytes, expected at least " + std::to_string(needed);
    if (needed > 0 && (!memory || reinterpret_cast<std::uintptr_t>(memory) % workspace_unit != 0))
        return name + " is null or not aligned to " + std::to_string(workspace_unit) + " bytes";
    return {};
}

} // namespace coppice
