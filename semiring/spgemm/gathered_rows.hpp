// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The rows of B that a few entries of a row of A meet, as one list of entries that lanes share: rows are short, and
/// one after the other would each wait for memory.
#pragma once

#include <cstdint>

#include <coppice/core/block.hpp>

namespace coppice::detail {

/// Up to `Lanes` rows of B, of which each lane of a group knows one. Templates over the Block of core/block.hpp; all
/// lanes of a warp call everything together.
template <int Lanes, class O>
class met_rows {
public:
    /// Longer rows are not numbered: none of the rows of a warp is then, and total is 0.
    static constexpr std::int64_t longest = 1 << 14;
    struct place {
        int row; ///< number of the row among the group's
        O entry; ///< of B
    };

    /// The row of this lane has the entries [begin, end) of B.
    template <class Block>
    COPPICE_HD met_rows(Block const& block, O begin, O end) : listed(block.ballot(end - begin > longest) == 0) {
        int const lane = block.thread() % Lanes;
        int const length = listed ? int(end - begin) : 0;
        group_ = block.thread() % warp_lanes - lane;
        ends_ = length;
        for (int apart = 1; apart < Lanes; apart *= 2) {
            int const earlier = block.from_lane(ends_, group_ + (lane < apart ? lane : lane - apart));
            if (lane >= apart) ends_ += earlier;
        }
        shift_ = begin - O(ends_ - length);
        total = block.from_lane(ends_, group_ + Lanes - 1);
    }

    /// Where number t of the list stands, t < total; anywhere for others.
    template <class Block>
    COPPICE_HD place find(Block const& block, int t) const {
        int row = 0;
        for (int step = Lanes / 2; step > 0; step /= 2)
            if (t >= block.from_lane(ends_, group_ + row + step - 1)) row += step;
        return {row, block.from_lane(shift_, group_ + row) + O(t)};
    }

    bool listed;
    int total;

private:
    int group_, ends_;
    O shift_; ///< from numbers of the list to entries of this lane's row
};

} // namespace coppice::detail
