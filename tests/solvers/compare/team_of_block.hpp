// SPDX-License-Identifier: BSD-3-Clause
// Runs the classical tridiagonal methods on CPU threads. The team of workers consists of the threads of a
// block_stand_in, which models a CUDA block.
#pragma once

#include <cstddef>

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

/// Stores the rows of a system in the memory of its team.
template <class Team, class System, class Equations>
void put_equations(Team const& team, System const& s, Equations const& e) {
    for (int i = team.rank(); i < int(s.diagonal.size()); i += team.size()) {
        auto const k = static_cast<std::size_t>(i);
        e.set(i, {s.lower[k], s.diagonal[k], s.upper[k], s.rhs[k]});
    }
    team.sync();
}

} // namespace coppice::test
