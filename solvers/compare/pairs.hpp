// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Traversal of a binary tree over neighbours by a team; the levels of the tree are stored one after the other in one
/// array.
#pragma once

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1::classical {

/// Number of nodes on all levels over `count` >= 1 leaves, and number of levels above the leaves.
COPPICE_HD constexpr int pair_nodes(int count) {
    int nodes = count;
    for (; count > 1; nodes += count) count = (count + 1) / 2;
    return nodes;
}
COPPICE_HD constexpr int pair_levels(int count) {
    int levels = 0;
    for (; count > 1; ++levels) count = (count + 1) / 2;
    return levels;
}

/// Calls merge(node, left, right) for every node above the leaves, level by level; right < 0 if the node has only one
/// child.
template <class Team, class Merge>
COPPICE_HD void merge_pairs(Team const& team, int count, Merge const& merge) {
    for (int first = 0; count > 1;) {
        int const above = first + count;
        for (int k = team.rank(); 2 * k < count; k += team.size())
            merge(above + k, first + 2 * k, 2 * k + 1 < count ? first + 2 * k + 1 : -1);
        team.sync();
        first = above;
        count = (count + 1) / 2;
    }
}

/// Calls split(node, left, right) for every node above the leaves, from the root to the leaves.
template <class Team, class Split>
COPPICE_HD void descend_pairs(Team const& team, int leaves, Split const& split) {
    for (int level = pair_levels(leaves) - 1; level >= 0; --level) {
        int first = 0, count = leaves;
        for (int l = 0; l < level; ++l, count = (count + 1) / 2) first += count;
        for (int k = team.rank(); 2 * k < count; k += team.size())
            split(first + count + k, first + 2 * k, 2 * k + 1 < count ? first + 2 * k + 1 : -1);
        team.sync();
    }
}

} // namespace coppice::inline v0_1::classical
