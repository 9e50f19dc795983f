// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Checks of memory that the caller provides: overlap of two ranges, size and alignment of a workspace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <coppice/core/error.hpp>
#include <coppice/core/memory.hpp>
#include <coppice/core/workspace_layout.hpp>

namespace coppice::inline v0_1 {

/// `bytes` >= 0 bytes that start at `begin`. Error messages use `name`.
struct memory_range {
    std::string_view name;
    void const* begin = nullptr;
    std::int64_t bytes = 0;
};

/// Returns the memory range of the elements of `v`.
template <class T>
memory_range range_of(std::string_view name, array_view<T> v) {
    return {name, v.data(), v.size() * std::int64_t(sizeof(T))};
}

/// Whether two ranges share a byte. Compares distances: the end of a range might not be representable.
inline bool overlap(memory_range const& a, memory_range const& b) {
    auto const first = reinterpret_cast<std::uintptr_t>(a.begin), second = reinterpret_cast<std::uintptr_t>(b.begin);
    if (a.bytes <= 0 || b.bytes <= 0) return false;
    return first <= second ? second - first < std::uintptr_t(a.bytes) : first - second < std::uintptr_t(b.bytes);
}

/// Throws argument_error if the ranges overlap. The message begins with `prefix`.
inline void require_no_overlap(memory_range const& a, memory_range const& b, std::string_view prefix = "") {
    if (overlap(a, b))
        throw argument_error(std::string(prefix) + std::string(a.name) + " overlaps " + std::string(b.name));
}

/// Throws argument_error if memory of the caller is too small, null or not aligned. The message begins with `prefix`.
inline void require_space(std::string_view prefix, std::string_view name, array_view<std::byte const> memory,
                          std::int64_t needed) {
    auto const refuse = [&](std::string const& why) {
        throw argument_error(std::string(prefix) + std::string(name) + why);
    };
    if (memory.size() < needed)
        refuse(" has " + std::to_string(memory.size()) + " bytes, expected at least " + std::to_string(needed));
    if (needed > 0 && (!memory.data() || reinterpret_cast<std::uintptr_t>(memory.data()) % workspace_alignment != 0))
        refuse(" is null or not aligned to " + std::to_string(workspace_alignment) + " bytes");
}

} // namespace coppice::inline v0_1
