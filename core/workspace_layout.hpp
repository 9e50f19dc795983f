// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// How memory of the caller is divided: parts that begin at multiples of 64 bytes, sized and carved by one
/// function.
#pragma once

#include <cstdint>

namespace coppice {

inline constexpr std::int64_t workspace_alignment = 64;

/// The next multiple of 64.
constexpr std::int64_t align_workspace(std::int64_t bytes) {
    return (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
}
/// So many elements that their bytes are one.
template <class T>
constexpr std::int64_t align_elements(std::int64_t elements) {
    return align_workspace(elements * std::int64_t(sizeof(T))) / std::int64_t(sizeof(T));
}

/// A base of plans: offsets of parts, taken one after the other.
struct workspace_layout {
    std::int64_t bytes = 0;

    std::int64_t take(std::int64_t size) {
        std::int64_t const at = bytes;
        bytes += align_workspace(size);
        return at;
    }
};

} // namespace coppice
