// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Greedy colouring of a symmetric pattern, and the order of rows by colour.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/patterns.hpp"

namespace coppice::test {

struct colour_order {
    std::vector<std::int32_t> rows;  ///< all rows sorted by colour: a permutation
    std::vector<std::int64_t> first; ///< offset of each colour in `rows`, and the end
};

/// Every row takes the smallest colour that none of its neighbours has.
template <class T>
colour_order greedy_colours(plain_csr<T> const& a) {
    std::vector<std::int32_t> colour(std::size_t(a.rows), -1);
    std::int32_t colours = 0;
    for (std::int32_t i = 0; i < a.rows; ++i) {
        std::vector<bool> taken(std::size_t(colours) + 1, false);
        for (std::int32_t k = a.offsets[std::size_t(i)]; k < a.offsets[std::size_t(i) + 1]; ++k) {
            std::int32_t const c = colour[std::size_t(a.indices[std::size_t(k)])];
            if (c >= 0) taken[std::size_t(c)] = true;
        }
        std::int32_t const free = std::int32_t(std::find(taken.begin(), taken.end(), false) - taken.begin());
        colour[std::size_t(i)] = free;
        colours = std::max(colours, free + 1);
    }
    colour_order order;
    order.rows.resize(std::size_t(a.rows));
    std::iota(order.rows.begin(), order.rows.end(), 0);
    std::stable_sort(order.rows.begin(), order.rows.end(),
                     [&](std::int32_t i, std::int32_t j) { return colour[std::size_t(i)] < colour[std::size_t(j)]; });
    for (std::int32_t c = 0; c <= colours; ++c)
        order.first.push_back(
            std::lower_bound(order.rows.begin(), order.rows.end(), c,
                             [&](std::int32_t i, std::int32_t d) { return colour[std::size_t(i)] < d; }) -
            order.rows.begin());
    return order;
}

} // namespace coppice::test
