// SPDX-License-Identifier: BSD-3-Clause
// A block of the stand-in as a team of the classical methods.
#pragma once

#include "support/block_stand_in.hpp"

namespace coppice::test {

struct team_of_block {
    block_stand_in const& block;
    int rank() const { return block.thread(); }
    int size() const { return block.threads(); }
    void sync() const { block.sync(); }
    static constexpr int lanes() { return warp_lanes; }
    unsigned votes(bool condition) const { return block.ballot(condition); }
    int from_lane(int value, int lane) const { return block.from_lane(value, lane); }
};

} // namespace coppice::test
