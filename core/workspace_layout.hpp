// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Layout of a workspace that the caller provides. Each array starts at a multiple of 64 bytes. The same function
/// computes the total size and the offsets.
#pragma once

#include <cstdint>

namespace coppice::inline v0_1 {

inline constexpr std::int64_t workspace_alignment = 64;

/// Rounds `bytes` up to the next multiple of 64.
constexpr std::int64_t align_workspace(std::int64_t bytes) {
    return (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
}
/// Rounds a number of elements up so that their size is a multiple of 64 bytes.
template <class T>
constexpr std::int64_t align_elements(std::int64_t elements) {
    return align_workspace(elements * std::int64_t(sizeof(T))) / std::int64_t(sizeof(T));
}

/// Base of plans: returns the offsets of consecutive arrays and counts the total size.
struct workspace_layout {
    std::int64_t bytes = 0;

    std::int64_t take(std::int64_t size) {
        std::int64_t const at = bytes;
        bytes += align_workspace(size);
        return at;
    }
};

} // namespace coppice::inline v0_1
