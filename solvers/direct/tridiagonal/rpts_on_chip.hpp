// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Solution of systems on chip: each is read once, solved and written once (5 n elements instead of 9 n). The body of
/// the kernel, a template over the Block of core/block.hpp, so that tests run it on CPU threads.
///
/// Each thread holds one partition of the finest level in its registers and reduces it to a segment. The segments of a
/// warp are merged (rpts_tree.hpp); then the first warp of a block merges the segments of all its warps. A block holds
/// whole systems, one or several (of at most 32 partitions, so that systems share a warp), or one slice of a system.
/// Blocks that share a system write the segments of their slices to global memory and synchronise; then the first warp
/// of each block merges the segments of all slices redundantly.
#pragma once

#include <cstdint>

#include <coppice/core/element_copy.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_registers.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_tree.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_plan.hpp>

namespace coppice::inline v0_1::rpts {

/// The segment of a slice in global memory.
template <class T>
struct alignas(16) slice_segment {
    segment<T> of_all;
};

/// Layout of the shared memory of a block: the separator rows of each warp. If a system spans several warps, also the
/// segments of the warps, their separator rows, and the unknowns around each warp. If blocks share a system, also the
/// segments of the slices and their separator rows.
template <class T>
struct resident_memory {
    T* start;
    int warps;
    bool spans_warps;
    int slices, slices_of_lane;

    COPPICE_HD explicit resident_memory(resident_plan const& plan, T* shared = nullptr)
        : start(shared), warps(plan.warps()), spans_warps(plan.spans_warps()),
          slices(plan.slices > 1 ? plan.slices : 0), slices_of_lane(plan.slices > 1 ? plan.slices_of_lane() : 0) {}

    COPPICE_HD separator_store<T> separators_of_warp(int warp) const {
        return {reinterpret_cast<band_vector<T>*>(start) + warp * group, warp_lanes};
    }
    COPPICE_HD separator_store<T> separators_of_block() const { return separators_of_warp(warps); }
    /// k > 0: separators between the k-th slice of each lane and the slices of the lane before it; 0: separators
    /// between lanes.
    COPPICE_HD separator_store<T> separators_of_slices(int k) const { return separators_of_warp(warps + 1 + k); }
    COPPICE_HD interface_values<T>* around_warps() const {
        return reinterpret_cast<interface_values<T>*>(separators_of_warp(warps + 1 + slices_of_lane).memory);
    }
    COPPICE_HD segment<T>* of_warps() const { return reinterpret_cast<segment<T>*>(around_warps() + warps); }
    COPPICE_HD segment<T>* of_slices() const { return of_warps() + warps; }
    COPPICE_HD int bytes() const {
        if (!spans_warps) return warps * group * 16;
        return (warps + 1 + slices_of_lane) * group * 16 +
               warps * int(sizeof(interface_values<T>) + sizeof(segment<T>)) + slices * int(sizeof(segment<T>));
    }

private:
    static constexpr int group = warp_lanes * separator_store<T>::vectors;
};

template <class T>
struct resident_job {
    system_view<T> all;
    resident_plan plan;
    slice_segment<T>* segments; ///< [pair][slice]
    T threshold;
};

/// Merging workers for the segments of the slices of a system: each lane merges its run before the lanes are merged.
template <pivoting P, class T, class Threshold>
struct merging_slices {
    resident_memory<T> const& memory;
    int lane;
    Threshold const& threshold;
    segment<T>& own;

    COPPICE_LANE int run() const { return memory.slices_of_lane; }
    COPPICE_HD static constexpr int workers() { return 1; }
    COPPICE_LANE void merge(merging::merge_step const& step) {
        int const slice = lane * run() + step.number;
        if (slice >= memory.slices) return;
        separator_rows<T> saved;
        own = rpts::merge<P>(own, memory.of_slices()[slice], threshold, saved);
        memory.separators_of_slices(step.number).put(lane, saved);
    }
};

/// Substituting workers down to slice `slice`; the result is valid in the lane that holds this slice.
template <class T>
struct substituting_slices : substituting_lanes<T> {
    resident_memory<T> const& memory;
    int slice;

    COPPICE_LANE substituting_slices(lane_group const& g, separator_store<T> const& saved,
                                     interface_values<T> const& around, resident_memory<T> const& m, int which)
        : substituting_lanes<T>(g, saved, around), memory(m), slice(which) {}
    COPPICE_LANE int run() const { return memory.slices_of_lane; }
    COPPICE_LANE void substitute_run(int number) {
        int const first = this->group.lane * run();
        if (first + number >= memory.slices || first + number < slice) return;
        auto const both = substitute_separator(memory.separators_of_slices(number).get(this->group.lane), this->x);
        this->x = first + number == slice ? both.right : both.left;
    }
};

/// Merges the segments of all slices of a system in the first warp of each block and returns in that warp the unknowns
/// around the slice of `item`. `brought`, in thread 0, is the segment of this slice.
COPPICE_NO_EXEC_CHECK
template <pivoting P, bool Cyclic, class T, class Block, class Barrier>
COPPICE_HD inline interface_values<T>
solve_slices(Block const& block, resident_job<T> const& job, resident_item const& item, Barrier& barrier,
             segment<T> const& brought, resident_memory<T> const& memory, auto const& threshold) {
    int const slices = job.plan.slices, slice = item.slice;
    slice_segment<T>* const all = job.segments + item.pair * slices;
    if (block.thread() == 0) all[slice].of_all = brought;
    barrier.wait(block, item.pair, slices);
    for (int i = block.thread(); i < slices; i += block.threads()) memory.of_slices()[i] = load_fresh(all + i).of_all;
    block.sync();
    if (block.thread() >= warp_lanes) return {};

    int const lane = block.thread(), first = lane * memory.slices_of_lane;
    segment<T> own = memory.of_slices()[first < slices ? first : 0];
    lane_group const lanes{lane, 0, (slices + memory.slices_of_lane - 1) / memory.slices_of_lane, warp_lanes};
    merging_slices<P, T, std::decay_t<decltype(threshold)>> run{memory, lane, threshold, own};
    merging::merge_all(run);
    merge_lanes<P>(block, lanes, own, memory.separators_of_slices(0), threshold);
    separator_store<T> const separators = memory.separators_of_slices(0);
    substituting_slices<T> back(lanes, separators, block.from_lane(solve_whole<P, Cyclic>(own, threshold), 0), memory,
                                slice);
    merging::substitute_tree<merging::unrolled>(back);
    merging::substitute_runs(back);
    return block.from_lane(back.x, slice / memory.slices_of_lane);
}

/// Merges the segments of the warps of a block, `own` in each; returns the unknowns around the segment of the calling
/// warp.
COPPICE_NO_EXEC_CHECK
template <pivoting P, bool Cyclic, class T, class Block, class Barrier>
COPPICE_HD inline interface_values<T>
solve_across_warps(Block const& block, resident_job<T> const& job, resident_item const& item, Barrier& barrier,
                   segment<T> const& own, resident_memory<T> const& memory, auto const& threshold) {
    int const lane = block.thread() & (warp_lanes - 1), warp = int(unsigned(block.thread()) / warp_lanes);
    lane_group const warps{lane, 0, memory.warps, memory.warps};
    if (lane == 0) memory.of_warps()[warp] = own;
    block.sync();
    segment<T> all{};
    interface_values<T> x{};
    if (warp == 0) {
        all = memory.of_warps()[lane < memory.warps ? lane : 0];
        merge_lanes<P>(block, warps, all, memory.separators_of_block(), threshold);
        if (memory.slices == 0) x = block.from_lane(solve_whole<P, Cyclic>(all, threshold), 0);
    }
    if (memory.slices > 0) x = solve_slices<P, Cyclic>(block, job, item, barrier, all, memory, threshold);
    if (warp == 0) {
        x = substitute_lanes(warps, x, memory.separators_of_block());
        if (lane < memory.warps) memory.around_warps()[lane] = x;
    }
    block.sync();
    return memory.around_warps()[warp];
}

template <int M, class T>
COPPICE_LANE partition_position position_of(resident_job<T> const& job, resident_item const& item,
                                            lane_task const& task) {
    std::int64_t const pair = item.pair + task.slot;
    if (task.group.count == 0 || task.partition >= job.plan.partitions || pair >= job.plan.pairs) return {};
    system_view<T> const& all = job.all;
    std::int64_t const system = all.columns == 1 ? pair : pair / all.columns, column = pair - system * all.columns;
    std::int64_t start = system * all.stride, size = all.size;
    if (all.offsets) start = all.offsets[system], size = all.offsets[system + 1] - start;
    std::int64_t const first = (std::int64_t(item.slice) * job.plan.partitions + task.partition) * M;
    std::int64_t const left = size - first, row = start + first * all.pitch;
    return {row, row + column * all.rhs_leading, row + column * all.x_leading,
            left > M ? M + 1 : int(left > 0 ? left : 0), first == 0};
}

/// Works of one lane with the rows of its partition; the rows, slots of the substitution and merged pairs are in
/// registers.
template <pivoting P, int M, bool Cyclic, class T>
struct own_partition {
    own_rows<T, M> own;
    pair_tree<T, merges_pairs<M> ? M : 2> pairs;
    boundary_multipliers<T> multipliers;

    /// The segment of a partition without rows: x = 0 in all of its rows, or none of them if the system is cyclic.
    COPPICE_LANE static segment<T> without_rows() {
        if constexpr (Cyclic) return identity_segment<T>();
        coarse_row<T> const zero{T(0), T(1), T(0), T(0)};
        return segment_of(zero, zero, T(1));
    }
    /// Reduces the rows, which are loaded, to a segment.
    COPPICE_LANE segment<T> reduce(partition_position const& position, auto const& threshold) {
        T const scale = scale_of<P>(own, threshold);
        if constexpr (merges_pairs<M>) {
            return pairs.template reduce<P, Cyclic>(own, scale, threshold, position.left);
        } else {
            coarse_row<T> top, bottom;
            reduce_both<P>(own.rows(), fixed_length<M>{}, threshold, top, bottom, no_extra_work{}, &multipliers);
            segment<T> mine = segment_of(top, bottom, scale);
            if constexpr (P != pivoting::none)
                if (multipliers.larger_one() < T(min_multiplier)) mine = merged_segment<P>(own, scale, threshold);
            if (Cyclic && position.left <= 0) mine = identity_segment<T>();
            return mine;
        }
    }
    /// Solves the rows, given the unknowns around the partition. Lanes with `group` share a system.
    COPPICE_NO_EXEC_CHECK
    template <class Block>
    COPPICE_LANE void solve(Block const& block, partition_position const& position, lane_group const& group,
                            interface_values<T> const& x, auto const& threshold) {
        if constexpr (merges_pairs<M>) {
            pairs.solve(x, own.rhs);
        } else {
            bool const boundary = P != pivoting::none && position.left > 0 && multipliers.any_small();
            // By systems, so that the result of one does not depend on the others.
            if ((block.ballot(boundary) & group.mask()) != 0)
                substitute_partition<P>(own.rows(), fixed_length<M>{}, x, threshold, multipliers);
            else
                substitute_partition<P, false>(own.rows(), fixed_length<M>{}, x, threshold, multipliers);
        }
    }
};

/// Solves item `number` in partitions of M rows: several systems, one system, or a slice of one. `shared` has the bytes
/// of resident_memory; `barrier.wait(block, pair, slices)` is a barrier of all blocks that work on a pair. In a cyclic
/// system a partition that is reduced by sweeps, not by a tree of pairs, has M rows or none.
COPPICE_NO_EXEC_CHECK
template <pivoting P, int M, bool Cyclic = false, class T, class Block, class Barrier>
COPPICE_HD inline void solve_resident(Block const& block, resident_job<T> const& job, int number, Barrier& barrier,
                                      T* shared, auto const& threshold) {
    resident_memory<T> const memory(job.plan, shared);
    separator_store<T> const separators = memory.separators_of_warp(int(unsigned(block.thread()) / warp_lanes));
    lane_task const task(job.plan, block.thread());
    resident_item const item(job.plan, number);
    partition_position const position = position_of<M>(job, item, task);
    own_partition<P, M, Cyclic, T> mine;
    load_own<M, Cyclic>(job.all, position, mine.own);
    if (job.all.order) load_in_order(block, job.all, position, mine.own.rhs, separators.memory);
    // Whether a lane of the warp has rows. Not tested if pairs of rows are merged: the gain is too small (DESIGN.md).
    bool const works = merges_pairs<M> || block.ballot(position.left > 0) != 0;
    segment<T> reduced;
    if (works) {
        reduced = mine.reduce(position, threshold);
        merge_lanes<P>(block, task.group, reduced, separators, threshold);
    } else {
        reduced = mine.without_rows();
    }
    auto x = memory.spans_warps ? solve_across_warps<P, Cyclic>(block, job, item, barrier, reduced, memory, threshold)
                                : block.from_lane(solve_whole<P, Cyclic>(reduced, threshold), task.group.first);
    if (works) {
        x = substitute_lanes(task.group, x, separators);
        mine.solve(block, position, task.group, x, threshold);
        store_solution(block, job.all, position, mine.own.rhs, separators.memory);
    }
    // The next item may overwrite shared memory that other threads still read for this item.
    if (memory.spans_warps)
        block.sync();
    else
        block.sync_warp();
}

} // namespace coppice::inline v0_1::rpts
