// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Systems that stay on chip: read once, solved, written once (5 n elements instead of 9 n). The body of the
/// kernel, a template over the Block of core/block.hpp, so that tests run it on CPU threads.
///
/// Each thread holds one partition of the finest system in its registers and reduces it to a segment. The segments of a
/// warp join (rpts_tree.hpp), then the first warp of a block joins the segments of all its warps. A block holds whole
/// systems, either one or several that have at most 32 partitions and so share warps; or it holds a share of one
/// system. Blocks that share a system write the segments of their shares to global memory, meet at a barrier, and then
/// the first warp of each block joins the segments of all shares for itself.
#pragma once

#include <cstdint>

#include <coppice/core/element_copy.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_pairs.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_registers.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_tree.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_plan.hpp>

namespace coppice::rpts {

/// The segment of a share in global memory.
template <class T>
struct alignas(16) share_segment {
    segment<T> of_all;
};

/// The shared memory of a block: the joints of each warp. Where a system is spread over warps, also the joints of the
/// segments of warps, these segments, and the unknowns around each warp. Where blocks share a system, also the joints
/// and the segments of the shares.
template <class T>
struct resident_memory {
    T* start;
    int warps;
    bool spread;
    int shares, shares_of_lane;

    COPPICE_HD explicit resident_memory(resident_plan const& plan, T* shared = nullptr)
        : start(shared), warps(plan.warps()), spread(plan.spread()), shares(plan.shares > 1 ? plan.shares : 0),
          shares_of_lane(plan.shares > 1 ? plan.shares_of_lane() : 0) {}

    COPPICE_HD joint_store<T> joints_of_warp(int warp) const {
        return {reinterpret_cast<band_vector<T>*>(start) + warp * group, warp_lanes};
    }
    COPPICE_HD joint_store<T> joints_of_block() const { return joints_of_warp(warps); }
    /// k > 0: joints between the k-th share of each lane and the shares of the lane before it; 0: joints between lanes.
    COPPICE_HD joint_store<T> joints_of_shares(int k) const { return joints_of_warp(warps + 1 + k); }
    COPPICE_HD interface_values<T>* around_warps() const {
        return reinterpret_cast<interface_values<T>*>(joints_of_warp(warps + 1 + shares_of_lane).memory);
    }
    COPPICE_HD segment<T>* of_warps() const { return reinterpret_cast<segment<T>*>(around_warps() + warps); }
    COPPICE_HD segment<T>* of_shares() const { return of_warps() + warps; }
    COPPICE_HD int bytes() const {
        if (!spread) return warps * group * 16;
        return (warps + 1 + shares_of_lane) * group * 16 +
               warps * int(sizeof(interface_values<T>) + sizeof(segment<T>)) + shares * int(sizeof(segment<T>));
    }

private:
    static constexpr int group = warp_lanes * joint_store<T>::vectors;
};

template <class T>
struct resident_job {
    system_view<T> all;
    resident_plan plan;
    share_segment<T>* segments; ///< [pair][share]
    T threshold;
};

/// The segments of the shares of a system, of which a lane joins a run before the lanes join theirs.
template <pivoting P, class T, class Threshold>
struct joining_shares {
    resident_memory<T> const& memory;
    int lane;
    Threshold const& threshold;
    segment<T>& own;

    COPPICE_HD COPPICE_ALWAYS_INLINE int run() const { return memory.shares_of_lane; }
    COPPICE_HD static constexpr int workers() { return 1; }
    COPPICE_HD COPPICE_ALWAYS_INLINE void join(joins::join_step const& step) {
        int const share = lane * run() + step.link;
        if (share >= memory.shares) return;
        joint<T> kept;
        own = rpts::join<P>(own, memory.of_shares()[share], threshold, kept);
        memory.joints_of_shares(step.link).put(lane, kept);
    }
};

/// The way back to share `share`; the result counts in the lane that has it.
template <class T>
struct parting_shares : parting_lanes<T> {
    resident_memory<T> const& memory;
    int share;

    COPPICE_HD COPPICE_ALWAYS_INLINE parting_shares(lane_group const& g, joint_store<T> const& kept,
                                                    interface_values<T> const& around, resident_memory<T> const& m,
                                                    int which)
        : parting_lanes<T>(g, kept, around), memory(m), share(which) {}
    COPPICE_HD COPPICE_ALWAYS_INLINE int run() const { return memory.shares_of_lane; }
    COPPICE_HD COPPICE_ALWAYS_INLINE void part_run(int link) {
        int const first = this->group.lane * run();
        if (first + link >= memory.shares || first + link < share) return;
        auto const both = part(memory.joints_of_shares(link).get(this->group.lane), this->x);
        this->x = first + link == share ? both.right : both.left;
    }
};

/// Joins the segments of all shares of a system, in the first warp of each block, and returns in that warp the unknowns
/// around the share of `item`. `brought`, in thread 0, is the segment of this share.
COPPICE_NO_EXEC_CHECK
template <pivoting P, bool Cyclic, class T, class Block, class Meeting>
COPPICE_HD inline interface_values<T>
solve_shares(Block const& block, resident_job<T> const& job, resident_item const& item, Meeting& meeting,
             segment<T> const& brought, resident_memory<T> const& memory, auto const& threshold) {
    int const shares = job.plan.shares, share = item.share;
    share_segment<T>* const all = job.segments + item.pair * shares;
    if (block.thread() == 0) all[share].of_all = brought;
    meeting.meet(block, item.pair, shares);
    for (int i = block.thread(); i < shares; i += block.threads()) memory.of_shares()[i] = load_fresh(all + i).of_all;
    block.sync();
    if (block.thread() >= warp_lanes) return {};

    int const lane = block.thread(), first = lane * memory.shares_of_lane;
    segment<T> own = memory.of_shares()[first < shares ? first : 0];
    lane_group const lanes{lane, 0, (shares + memory.shares_of_lane - 1) / memory.shares_of_lane, warp_lanes};
    joining_shares<P, T, std::decay_t<decltype(threshold)>> run{memory, lane, threshold, own};
    joins::join_links(run);
    join_lanes<P>(block, lanes, own, memory.joints_of_shares(0), threshold);
    joint_store<T> const joints = memory.joints_of_shares(0);
    parting_shares<T> back(lanes, joints, block.from_lane(solve_whole<P, Cyclic>(own, threshold), 0), memory, share);
    joins::part_tree<joins::whole>(back);
    joins::part_runs(back);
    return block.from_lane(back.x, share / memory.shares_of_lane);
}

/// Joins the segments of the warps of a block, `own` in each; returns the unknowns around the warp's own segment.
COPPICE_NO_EXEC_CHECK
template <pivoting P, bool Cyclic, class T, class Block, class Meeting>
COPPICE_HD inline interface_values<T> solve_spread(Block const& block, resident_job<T> const& job,
                                                   resident_item const& item, Meeting& meeting, segment<T> const& own,
                                                   resident_memory<T> const& memory, auto const& threshold) {
    int const lane = block.thread() & (warp_lanes - 1), warp = int(unsigned(block.thread()) / warp_lanes);
    lane_group const warps{lane, 0, memory.warps, memory.warps};
    if (lane == 0) memory.of_warps()[warp] = own;
    block.sync();
    segment<T> all{};
    interface_values<T> x{};
    if (warp == 0) {
        all = memory.of_warps()[lane < memory.warps ? lane : 0];
        join_lanes<P>(block, warps, all, memory.joints_of_block(), threshold);
        if (memory.shares == 0) x = block.from_lane(solve_whole<P, Cyclic>(all, threshold), 0);
    }
    if (memory.shares > 0) x = solve_shares<P, Cyclic>(block, job, item, meeting, all, memory, threshold);
    if (warp == 0) {
        x = part_lanes(warps, x, memory.joints_of_block());
        if (lane < memory.warps) memory.around_warps()[lane] = x;
    }
    block.sync();
    return memory.around_warps()[warp];
}

template <int M, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE partition_place place_of(resident_job<T> const& job, resident_item const& item,
                                                          lane_task const& task) {
    std::int64_t const pair = item.pair + task.slot;
    if (task.group.count == 0 || task.partition >= job.plan.partitions || pair >= job.plan.pairs) return {};
    system_view<T> const& all = job.all;
    std::int64_t const system = all.columns == 1 ? pair : pair / all.columns, column = pair - system * all.columns;
    std::int64_t start = system * all.stride, size = all.size;
    if (all.offsets) start = all.offsets[system], size = all.offsets[system + 1] - start;
    std::int64_t const first = (std::int64_t(item.share) * job.plan.partitions + task.partition) * M;
    std::int64_t const left = size - first, row = start + first * all.pitch;
    return {row, row + column * all.rhs_leading, row + column * all.x_leading,
            left > M ? M + 1 : int(left > 0 ? left : 0), first == 0};
}

/// Solves item `number` in partitions of M rows: several systems, one system, or a share of one. `shared` has the bytes
/// of resident_memory; `meeting.meet(block, pair, shares)` is a barrier of all blocks that work on a pair. In a cyclic
/// system a partition that is reduced by sweeps, not as a tree of pairs, holds M rows or none.
COPPICE_NO_EXEC_CHECK
template <pivoting P, int M, bool Cyclic = false, class T, class Block, class Meeting>
COPPICE_HD inline void solve_resident(Block const& block, resident_job<T> const& job, int number, Meeting& meeting,
                                      T* shared, auto const& threshold) {
    resident_memory<T> const memory(job.plan, shared);
    joint_store<T> const joints = memory.joints_of_warp(int(unsigned(block.thread()) / warp_lanes));
    lane_task const task(job.plan, block.thread());
    resident_item const item(job.plan, number);
    partition_place const place = place_of<M>(job, item, task);
    own_rows<T, M> own;
    load_own<M, Cyclic>(job.all, place, own);
    if (job.all.order) load_in_order(block, job.all, place, own.rhs, joints.memory);
    pair_tree<T, joins_pairs<M> ? M : 2> pairs;
    segment<T> mine;
    [[maybe_unused]] outer_shares<T> shares;
    if constexpr (joins_pairs<M>) {
        mine = pairs.template reduce<P, Cyclic>(own, scale_of<P>(own, threshold), threshold, place.left);
    } else {
        coarse_row<T> top, bottom;
        reduce_both<P>(own.rows(), fixed_length<M>{}, threshold, top, bottom, no_side_work{}, &shares);
        T const scale = scale_of<P>(own, threshold);
        mine = segment_of(top, bottom, scale);
        if constexpr (P != pivoting::none)
            if (shares.larger_one() < T(watched_share)) mine = joined_segment<P>(own, scale, threshold);
        if (Cyclic && place.left <= 0) mine = empty_segment<T>();
    }
    join_lanes<P>(block, task.group, mine, joints, threshold);
    auto x = memory.spread ? solve_spread<P, Cyclic>(block, job, item, meeting, mine, memory, threshold)
                           : block.from_lane(solve_whole<P, Cyclic>(mine, threshold), task.group.first);
    x = part_lanes(task.group, x, joints);
    if constexpr (joins_pairs<M>)
        pairs.solve(x, own.rhs);
    else
        substitute_partition<P>(own.rows(), fixed_length<M>{}, x, threshold, shares);
    store_solution(block, job.all, place, own.rhs, joints.memory);
    // The next item may overwrite shared memory that threads still read for this item.
    if (memory.spread)
        block.sync();
    else
        block.sync_warp();
}

} // namespace coppice::rpts
