// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rows of a matrix that workers of the host have found in blocks, put together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <coppice/core/parallel.hpp>

namespace coppice::detail {

/// Where the entries of every part begin among all, and behind the last how many there are; size(part) of each.
template <class Part, class Size>
std::vector<std::int64_t> starts_of_parts(std::vector<Part> const& parts, Size const& size) {
    std::vector<std::int64_t> starts(parts.size() + 1, 0);
    for (std::size_t p = 0; p < parts.size(); ++p)
        starts[p + 1] = starts[p] + static_cast<std::int64_t>(size(parts[p]));
    return starts;
}

/// Blocks of `block` rows: place(part, start) copies what part p has found to where it begins among all, and
/// offsets[rows + 1], which count within the blocks from offsets[first + 1] on, count in the whole then.
template <class O, class Part, class Place>
void join_row_blocks(host_executor const& exec, std::vector<Part> const& parts, std::vector<std::int64_t> const& starts,
                     std::int64_t block, buffer<O>& offsets, Place const& place) {
    for_each_block(exec, offsets.size() - 1, block, [&](std::int64_t p, std::int64_t first, std::int64_t last) {
        std::int64_t const start = starts[static_cast<std::size_t>(p)];
        place(parts[static_cast<std::size_t>(p)], start);
        for (std::int64_t i = first; i < last; ++i) offsets[i + 1] = static_cast<O>(offsets[i + 1] + start);
    });
}

} // namespace coppice::detail
