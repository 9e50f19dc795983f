// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Ranges of memory that callers hand over, and whether two of them share a byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <coppice/core/error.hpp>

namespace coppice {

/// `bytes` >= 0 bytes from `begin` on, by the name that an error message gives them.
struct memory_range {
    std::string_view name;
    void const* begin = nullptr;
    std::int64_t bytes = 0;
};

/// Compares distances, so that no end of a range is formed that could lie beyond the address space.
inline bool overlap(memory_range const& a, memory_range const& b) {
    auto const first = reinterpret_cast<std::uintptr_t>(a.begin), second = reinterpret_cast<std::uintptr_t>(b.begin);
    if (a.bytes <= 0 || b.bytes <= 0) return false;
    return first <= second ? second - first < std::uintptr_t(a.bytes) : first - second < std::uintptr_t(b.bytes);
}

/// Throws argument_error where the ranges overlap; `prefix` begins the message.
inline void require_apart(memory_range const& a, memory_range const& b, std::string_view prefix = "") {
    if (overlap(a, b))
        throw argument_error(std::string(prefix) + std::string(a.name) + " overlaps " + std::string(b.name));
}

} // namespace coppice
