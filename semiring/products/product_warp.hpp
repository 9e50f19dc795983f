// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A row of a sparse product by the lanes of a warp, one product each: which columns there are, where they stand, and
/// their sums. Templates over the Block of core/block.hpp.
#pragma once

#include <cstdint>

#include <coppice/core/warp_work.hpp>
#include <coppice/semiring/products/product_plan.hpp>
#include <coppice/semiring/semirings.hpp>
#include <coppice/semiring/sparse/row_masks.hpp>

namespace coppice::detail {

inline constexpr std::int64_t lane_products = 8;          ///< products of a row that one lane gathers
inline constexpr std::int64_t warp_products = warp_lanes; ///< the same of a warp

/// What the warp knows of the product of a lane; lanes without one hold another's.
template <class I, class O>
struct product_of_lane {
    O k, q; ///< the nonzeros of A and B that meet
    I inner, column;
    unsigned same;  ///< lanes with a product in this column
    unsigned heads; ///< the first lanes of all columns that have a place in the product
    bool head;      ///< whether this is one of them,
    int place;      ///< and of how many columns it is behind
};

/// The products of row i, at least one and at most 32, in the order in which they are summed. All lanes call it.
template <class Block, class A, class B, class I, class O, class Mask>
COPPICE_HD product_of_lane<I, O> gather_row(Block const& block, csr_view<A, I, O> a, csr_view<B, I, O> b,
                                            Mask const& mask, std::int64_t i) {
    int const lane = block.thread() % warp_lanes;
    product_of_lane<I, O> mine{};
    int taken = 0; // products of nonzeros before
    for (O first = a.row_begin(i), last = a.row_end(i); first < last; first += O(warp_lanes)) {
        bool const inside = lane < last - first;
        I const inner = inside ? a.indices[first + O(lane)] : I(0);
        O const begin = inside ? b.row_begin(inner) : O(0);
        int const length = inside ? int(b.row_end(inner) - begin) : 0;
        int ends = length; // of the products of this lane's nonzero
        for (int apart = 1; apart < warp_lanes; apart *= 2) {
            int const before = block.from_lane(ends, lane < apart ? lane : lane - apart);
            if (lane >= apart) ends += before;
        }
        int const total = block.from_lane(ends, warp_lanes - 1);
        int const wanted = lane - taken < total ? lane - taken : total - 1; // the last serves for those behind it
        int from = 0;                                                       // the lane whose nonzero has it
        for (int half = warp_lanes / 2; half > 0; half /= 2)
            if (block.from_lane(ends, from + half - 1) <= wanted) from += half;
        int const start = block.from_lane(ends - length, from);
        O const q = block.from_lane(begin, from);
        I const met = block.from_lane(inner, from);
        if (wanted >= 0 && lane >= taken) {
            mine.k = first + O(from);
            mine.q = q + O(wanted - start);
            mine.inner = met;
        }
        taken += total;
    }
    mine.column = b.indices[mine.q];
    for (int l = 0; l < taken; ++l) mine.same |= unsigned(block.from_lane(mine.column, l) == mine.column) << l;
    bool const first = lane < taken && (mine.same & ((1u << lane) - 1)) == 0;
    mine.head = first && mask.admits(i, std::int64_t(mine.column));
    mine.heads = block.ballot(mine.head);
    for (unsigned left = mine.heads; left != 0; left &= left - 1)
        mine.place += block.from_lane(mine.column, first_lane(left)) < mine.column ? 1 : 0;
    return mine;
}

/// Rows of a product in groups of 32, a lane each: of few products by that lane, of up to 32 by all lanes together, one
/// row after the other. What is done with them says `Rows`: by_lane(r), by_warp(block, r).
template <class A, class B, class I, class O, class Rows>
struct rows_of_warp {
    row_products<A, B, I, O> work;
    std::int64_t first, rows;
    Rows of;

    COPPICE_NO_EXEC_CHECK
    template <class Block>
    COPPICE_HD void operator()(Block const& block, std::int64_t w) const {
        std::int64_t const begin = w * warp_lanes, r = begin + block.thread() % warp_lanes;
        std::int64_t const products = r < rows ? work(first + r) : 0;
        if (r < rows && products <= lane_products) of.by_lane(r);
        for (unsigned left = block.ballot(products > lane_products && products <= warp_products); left != 0;
             left &= left - 1)
            of.by_warp(block, begin + first_lane(left));
    }
};

/// How many warps rows_of_warp takes.
inline std::int64_t warps_for(std::int64_t rows) { return (rows + warp_lanes - 1) / warp_lanes; }

} // namespace coppice::detail
