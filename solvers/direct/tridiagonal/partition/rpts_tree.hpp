// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Reduction tree of segments over the lanes of a warp: neighbours are merged, then pairs of neighbours, ..., until one
/// lane has the segment of all; and the back substitution, in which every lane gets the unknowns around its own
/// segment. Needs no barrier of the block; all levels execute the same instructions.
#pragma once

#include <coppice/core/block.hpp>
#include <coppice/solvers/direct/merge/merge_tree.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_segment.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_vectors.hpp>

namespace coppice::inline v0_1::rpts {

/// Separator rows in shared memory, stored as arrays of 16-byte vectors, so that neighbouring lanes access neighbouring
/// banks.
template <class T>
struct separator_store {
    static constexpr int vectors = int(sizeof(separator_rows<T>) / 16);
    static constexpr int elements = int(sizeof(separator_rows<T>) / sizeof(T)); ///< elements of one object
    band_vector<T>* memory;
    int size; ///< number of objects

    COPPICE_LANE void put(int i, separator_rows<T> const& j) const {
        band_vector<T> all[vectors];
        __builtin_memcpy(all, &j, sizeof(j));
        COPPICE_UNROLL
        for (int v = 0; v < vectors; ++v) memory[v * size + i] = all[v];
    }
    COPPICE_LANE separator_rows<T> get(int i) const {
        band_vector<T> all[vectors];
        COPPICE_UNROLL
        for (int v = 0; v < vectors; ++v) all[v] = memory[v * size + i];
        separator_rows<T> j;
        __builtin_memcpy(&j, all, sizeof(j));
        return j;
    }
};

/// Lanes first .. first + count - 1 of a warp hold neighbouring segments. A warp may have several such groups of at
/// most `max_count` lanes. count = 0 for a lane outside all groups.
struct lane_group {
    int lane, first, count, max_count;

    /// Bit l: whether lane l of the warp is in the group; all bits for a lane outside all groups.
    COPPICE_LANE unsigned mask() const { return count > 0 && count < warp_lanes ? ((1u << count) - 1) << first : ~0u; }
};

/// Each lane holds one segment before the tree.
struct single_run {
    COPPICE_HD static constexpr int run() { return 1; }
};

/// Merging workers: the lanes of a group with one segment each. `separators` has room for 32.
template <pivoting P, class T, class Block, class Threshold>
struct merging_lanes : single_run {
    Block const& block;
    lane_group const& group;
    separator_store<T> const& separators;
    Threshold const& threshold;
    segment<T>& own;

    COPPICE_LANE merging_lanes(Block const& b, lane_group const& g, separator_store<T> const& saved,
                               Threshold const& limit, segment<T>& mine)
        : block(b), group(g), separators(saved), threshold(limit), own(mine) {}
    COPPICE_LANE int workers() const { return group.max_count; }
    COPPICE_NO_EXEC_CHECK
    COPPICE_LANE void merge(merging::merge_step const& step) {
        segment<T> const next = block.from_lane(own, group.lane + step.distance);
        if (!merging::receives(group.lane - group.first, step.distance, group.count)) return;
        separator_rows<T> saved;
        own = rpts::merge<P>(own, next, threshold, saved);
        separators.put(group.lane + step.distance, saved);
    }
};

/// Substituting workers: `x` is first the unknowns around the segment of the whole group, at the end those around the
/// segment of the lane. Lanes without a separator discard the result of the step.
template <class T>
struct substituting_lanes : single_run {
    lane_group const& group;
    separator_store<T> const& separators;
    interface_values<T> x;

    COPPICE_LANE substituting_lanes(lane_group const& g, separator_store<T> const& saved,
                                    interface_values<T> const& around)
        : group(g), separators(saved), x(around) {}
    COPPICE_HD static constexpr int workers() { return warp_lanes; }
    COPPICE_LANE void substitute_tree(int distance) {
        int const i = group.lane - group.first, right = merging::sender(i, distance);
        bool const is = right < group.count, of_right = i >= right;
        auto const met = solve_separator(separators.get((group.first + right) & (warp_lanes - 1)), x);
        x = {select(is && of_right, met.left, x.before), select(is && of_right, met.right, x.first),
             select(is && !of_right, met.left, x.last), select(is && !of_right, met.right, x.after)};
    }
};

/// Merges the segments of a group; the first lane of the group gets the result. All lanes of the warp call it.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class Block, class Threshold>
COPPICE_LANE void merge_lanes(Block const& block, lane_group const& group, segment<T>& own,
                              separator_store<T> const& separators, Threshold const& threshold) {
    merging_lanes<P, T, Block, Threshold> lanes(block, group, separators, threshold, own);
    merging::merge_all(lanes);
    block.sync_warp();
}

/// Back substitution: from the unknowns around the merged segment of a group (x, equal in all its lanes) to the
/// unknowns around the segment of each lane. Unrolled, so that separator rows are loaded ahead.
template <class T>
COPPICE_LANE interface_values<T> substitute_lanes(lane_group const& group, interface_values<T> const& x,
                                                  separator_store<T> const& separators) {
    substituting_lanes<T> lanes(group, separators, x);
    merging::substitute_tree<merging::unrolled>(lanes);
    return lanes.x;
}

} // namespace coppice::inline v0_1::rpts
