// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A tree of segments over the lanes of a warp: neighbours join, pairs of neighbours join, ... until one lane has
/// the segment of all; and the way back, on which every lane gets the unknowns around its own segment. No barrier of
/// the block, and the same few instructions for every level.
#pragma once

#include <coppice/core/block.hpp>
#include <coppice/solvers/rpts/partition/rpts_segment.hpp>
#include <coppice/solvers/rpts/partition/rpts_vectors.hpp>

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

/// Joins the segments of a group; the first lane of the group gets the segment of all. `joints` has room for 32. All
/// lanes of the warp call it.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class Block>
COPPICE_HD COPPICE_ALWAYS_INLINE void join_lanes(Block const& block, lane_group const& group, segment<T>& own,
                                                 joint_store<T> const& joints, auto const& threshold) {
    int const i = group.lane - group.first;
    COPPICE_NO_UNROLL
    for (int step = 1; step < group.most; step *= 2) {
        segment<T> const next = block.from_lane(own, group.lane + step);
        if ((i & (2 * step - 1)) == 0 && i + step < group.count) {
            joint<T> kept;
            own = join<P>(own, next, threshold, kept);
            joints.put(group.lane + step, kept);
        }
    }
    block.sync_warp();
}

/// From the unknowns around the joined segment of a group (x, the same in all its lanes) to the unknowns around each
/// lane's own segment. Unrolled, so that joints are read ahead; where there is no joint, the result is not used.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE interface_values<T> part_lanes(lane_group const& group, interface_values<T> x,
                                                                joint_store<T> const& joints) {
    int const i = group.lane - group.first;
    COPPICE_UNROLL
    for (int step = warp_lanes / 2; step > 0; step /= 2) {
        int const right = (i & ~(2 * step - 1)) + step; // where the right one of two segments begins
        bool const is = right < group.count, of_right = i >= right;
        auto const met = solve_joint(joints.get((group.first + right) & (warp_lanes - 1)), x);
        x = {select(is && of_right, met.left, x.before), select(is && of_right, met.right, x.first),
             select(is && !of_right, met.left, x.last), select(is && !of_right, met.right, x.after)};
    }
    return x;
}

} // namespace coppice::rpts
