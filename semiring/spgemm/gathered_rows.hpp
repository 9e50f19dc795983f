// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Concatenates several short rows of B into one list of entries that a group of lanes processes together. Processed
/// one after the other, each short row would wait for memory separately.
#pragma once

#include <cstdint>

#include <coppice/core/block.hpp>

namespace coppice::inline v0_1::detail {

/// Up to `Lanes` rows of B, one per lane of a group. Functions are templates over the Block of core/block.hpp; all
/// lanes of a warp call them together.
template <int Lanes, class O>
class gathered_rows {
public:
    /// Maximum row length. If a row of the warp is longer, no row is numbered and total is 0.
    static constexpr std::int64_t longest = 1 << 14;
    struct element {
        int row; ///< index of the row within the group
        O entry; ///< index of the entry in B
    };

    /// The row of this lane has the entries [begin, end) of B.
    template <class Block>
    COPPICE_HD gathered_rows(Block const& block, O begin, O end) : numbered(block.ballot(end - begin > longest) == 0) {
        int const lane = block.thread() % Lanes;
        int const length = numbered ? int(end - begin) : 0;
        group_ = block.thread() % warp_lanes - lane;
        ends_ = length;
        for (int distance = 1; distance < Lanes; distance *= 2) {
            int const earlier = block.from_lane(ends_, group_ + (lane < distance ? lane : lane - distance));
            if (lane >= distance) ends_ += earlier;
        }
        shift_ = begin - O(ends_ - length);
        total = block.from_lane(ends_, group_ + Lanes - 1);
    }

    /// Returns the row and entry of element t of the list if t < total; an arbitrary result otherwise.
    template <class Block>
    COPPICE_HD element find(Block const& block, int t) const {
        int row = 0;
        for (int step = Lanes / 2; step > 0; step /= 2)
            if (t >= block.from_lane(ends_, group_ + row + step - 1)) row += step;
        return {row, block.from_lane(shift_, group_ + row) + O(t)};
    }

    bool numbered;
    int total;

private:
    int group_, ends_;
    O shift_; ///< difference between entry index in B and list index, for this lane's row
};

} // namespace coppice::inline v0_1::detail
