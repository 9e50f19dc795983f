// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A tree of segments over the lanes of a warp: neighbours join, pairs of neighbours join, ... until one lane has
/// the segment of all; and the way back, on which every lane gets the unknowns around its own segment. No barrier of
/// the block, and the same few instructions for every level.
#pragma once

#include <coppice/core/block.hpp>
#include <coppice/solvers/direct/merge/merge_tree.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_segment.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_vectors.hpp>

namespace coppice::rpts {

/// Joints in shared memory, vector after vector, so that neighbouring lanes meet neighbouring banks.
template <class T>
struct joint_store {
    static constexpr int vectors = int(sizeof(joint<T>) / 16);
    static constexpr int elements = int(sizeof(joint<T>) / sizeof(T)); ///< elements of one joint
    band_vector<T>* memory;
    int size; ///< number of joints

    COPPICE_HD COPPICE_ALWAYS_INLINE void put(int i, joint<T> const& j) const {
        band_vector<T> all[vectors];
        __builtin_memcpy(all, &j, sizeof(j));
        COPPICE_UNROLL
        for (int v = 0; v < vectors; ++v) memory[v * size + i] = all[v];
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE joint<T> get(int i) const {
        band_vector<T> all[vectors];
        COPPICE_UNROLL
        for (int v = 0; v < vectors; ++v) all[v] = memory[v * size + i];
        joint<T> j;
        __builtin_memcpy(&j, all, sizeof(j));
        return j;
    }
};

/// Lanes first .. first + count - 1 of a warp hold neighbouring segments; a warp may have several such groups, of at
/// most `most` lanes each. For a lane outside of all groups count is 0.
struct lane_group {
    int lane, first, count, most;
};

/// The links that each lane joins before the lanes join theirs: one, which it has.
struct one_link {
    COPPICE_HD static constexpr int run() { return 1; }
};

/// Segments in the lanes of a group, with the joints in shared memory: `joints` has room for 32.
template <pivoting P, class T, class Block, class Threshold>
struct joining_lanes : one_link {
    Block const& block;
    lane_group const& group;
    joint_store<T> const& joints;
    Threshold const& threshold;
    segment<T>& own;

    COPPICE_HD COPPICE_ALWAYS_INLINE joining_lanes(Block const& b, lane_group const& g, joint_store<T> const& kept,
                                                   Threshold const& least, segment<T>& mine)
        : block(b), group(g), joints(kept), threshold(least), own(mine) {}
    COPPICE_HD COPPICE_ALWAYS_INLINE int workers() const { return group.most; }
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD COPPICE_ALWAYS_INLINE void join(joins::join_step const& step) {
        segment<T> const next = block.from_lane(own, group.lane + step.apart);
        if (!joins::takes(group.lane - group.first, step.apart, group.count)) return;
        joint<T> kept;
        own = rpts::join<P>(own, next, threshold, kept);
        joints.put(group.lane + step.apart, kept);
    }
};

/// The way back: `x` is what is known around the segment of all lanes of the group, and at last around that of the
/// lane. Where there is no joint, the result is not used.
template <class T>
struct parting_lanes : one_link {
    lane_group const& group;
    joint_store<T> const& joints;
    interface_values<T> x;

    COPPICE_HD COPPICE_ALWAYS_INLINE parting_lanes(lane_group const& g, joint_store<T> const& kept,
                                                   interface_values<T> const& around)
        : group(g), joints(kept), x(around) {}
    COPPICE_HD static constexpr int workers() { return warp_lanes; }
    COPPICE_HD COPPICE_ALWAYS_INLINE void part_tree(int apart) {
        int const i = group.lane - group.first, right = joins::giver(i, apart);
        bool const is = right < group.count, of_right = i >= right;
        auto const met = solve_joint(joints.get((group.first + right) & (warp_lanes - 1)), x);
        x = {select(is && of_right, met.left, x.before), select(is && of_right, met.right, x.first),
             select(is && !of_right, met.left, x.last), select(is && !of_right, met.right, x.after)};
    }
};

/// Joins the segments of a group; the first lane of the group gets the segment of all. All lanes of the warp call it.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class Block, class Threshold>
COPPICE_HD COPPICE_ALWAYS_INLINE void join_lanes(Block const& block, lane_group const& group, segment<T>& own,
                                                 joint_store<T> const& joints, Threshold const& threshold) {
    joining_lanes<P, T, Block, Threshold> lanes(block, group, joints, threshold, own);
    joins::join_links(lanes);
    block.sync_warp();
}

/// From the unknowns around the joined segment of a group (x, the same in all its lanes) to the unknowns around each
/// lane's own segment. Unrolled, so that joints are read ahead.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE interface_values<T> part_lanes(lane_group const& group, interface_values<T> const& x,
                                                                joint_store<T> const& joints) {
    parting_lanes<T> lanes(group, joints, x);
    joins::part_tree<joins::whole>(lanes);
    return lanes.x;
}

} // namespace coppice::rpts
