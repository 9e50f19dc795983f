// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Mapping of systems that are solved on chip to the blocks, warps and lanes of a GPU.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <coppice/core/block.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_levels.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_tree.hpp>

namespace coppice::inline v0_1::rpts {

/// Rows M of the finest partitions. The larger M gives a thread 64 registers of rows, so that as many rows as possible
/// stay on chip; the smaller M, half of it, gives more threads. M is even, as for all partitions (see
/// rpts_block_tile.hpp).
template <class T>
inline constexpr int max_resident_partition = 64 / int(sizeof(T));
template <class T>
inline constexpr int min_resident_partition = 32 / int(sizeof(T));
inline constexpr int resident_threads = 512;    ///< max. threads of a block: uses all registers of a multiprocessor
inline constexpr int min_resident_threads = 64; ///< min. threads of a block that holds a slice

/// Rows that one multiprocessor holds.
template <class T>
inline constexpr std::int64_t resident_rows = std::int64_t(max_resident_partition<T>) * resident_threads;

/// Mapping of a batch of equal systems to blocks. `partition`, `partitions` and `slices` determine the bits of a
/// solution. They depend on the number of rows and systems and on the multiprocessors of the device.
struct resident_plan {
    std::int64_t pairs = 0; ///< systems times right-hand sides; each pair is processed independently
    std::int64_t items = 0; ///< work items, each processed by one block
    int partition = 0;      ///< M: rows of a partition
    int partitions = 0;     ///< partitions of a system in one block, one for each thread
    int slices = 1;         ///< blocks that share a system
    int in_warp = 1;        ///< systems that share a warp if they have at most 32 partitions
    int threads = 0;        ///< threads of a block, a multiple of the warp size
    bool cluster = false;   ///< the blocks that share a system form a cluster of the device

    COPPICE_HD int warps() const { return int(unsigned(threads) / warp_lanes); }
    /// Whether a system spans several warps of a block, or several blocks.
    COPPICE_HD bool spans_warps() const { return partitions > warp_lanes || slices > 1; }
    COPPICE_HD int systems_of_block() const { return spans_warps() ? 1 : in_warp * warps(); }
    /// Segments of slices that each lane of the first warp merges.
    COPPICE_HD int slices_of_lane() const { return int(unsigned(slices + warp_lanes - 1) / warp_lanes); }
};

/// Plan for whole systems of `rows` <= resident_threads * partition, with as many in a block as leave work for all
/// multiprocessors.
inline resident_plan plan_whole(std::int64_t rows, std::int64_t pairs, int partition, int multiprocessors) {
    resident_plan plan;
    plan.pairs = pairs;
    plan.partition = partition;
    plan.partitions = int((rows + partition - 1) / partition);
    int warps = (plan.partitions + warp_lanes - 1) / warp_lanes;
    if (warps == 1) {
        constexpr std::int64_t max_warps = 4;
        std::int64_t const crowd = std::max<std::int64_t>(1, pairs / (4 * std::int64_t(multiprocessors)));
        plan.in_warp = int(std::min<std::int64_t>(crowd, warp_lanes / plan.partitions));
        warps = int(std::min(crowd / plan.in_warp, max_warps));
    }
    plan.threads = warps * warp_lanes;
    plan.items = (pairs + plan.systems_of_block() - 1) / plan.systems_of_block();
    return plan;
}

/// Plan for systems in slices of `threads` partitions, a multiple of the warp size.
inline resident_plan plan_slices(std::int64_t rows, std::int64_t pairs, int partition, int threads) {
    std::int64_t const slice = std::int64_t(threads) * partition;
    resident_plan plan;
    plan.pairs = pairs;
    plan.partition = partition;
    plan.partitions = plan.threads = threads;
    plan.slices = int((rows + slice - 1) / slice);
    plan.items = pairs * plan.slices;
    return plan;
}

/// Largest system that is solved by a single block; for larger systems several blocks of fewer threads that share the
/// system are faster.
template <class T>
inline constexpr std::int64_t whole_rows = resident_rows<T> / 2;

/// Upper bound of the systems at a level of tiles: the second dimension of its grid.
inline constexpr std::int64_t max_tiled_systems = 65535;

/// How the systems of a batch are partitioned.
struct resident_choice {
    int partition = 0;  ///< M
    int threads = 0;    ///< threads of a block that holds a slice; 0: systems are not sliced
    bool tiles = false; ///< whether a level of tiles reduces the systems first (rpts_block.hpp)

    friend bool operator==(resident_choice const&, resident_choice const&) = default;
};

/// Numbers of rows of a whole batch at which another partitioning becomes faster, for a device of `multiprocessors`;
/// measured on an H200. Coefficients are rows of one multiprocessor, in units of the smaller partitions.
template <class T>
struct plan_thresholds {
    static constexpr int small = min_resident_partition<T>, large = max_resident_partition<T>;
    static constexpr bool wide = sizeof(T) == 8;
    static constexpr std::int64_t short_rows = 256 * small; ///< systems up to this size are never shared by blocks

    double on_chip;         ///< rows that fit into the registers of the device
    double shared_systems;  ///< up to this bound, systems longer than a block use the smaller partitions
    double whole_systems;   ///< up to this bound, systems that fit into a block use the smaller partitions
    double whole_in_a_warp; ///< replaces whole_systems if a system fits into one warp with the larger partitions
    explicit plan_thresholds(int multiprocessors)
        : on_chip(double(multiprocessors) * double(resident_rows<T>)), shared_systems(128.0 * multiprocessors * small),
          whole_systems(256.0 * multiprocessors * small), whole_in_a_warp(192.0 * multiprocessors * small) {}

    /// Multiple of on_chip beyond which tiles use the memory bandwidth better. In double it is smaller, since a
    /// multiprocessor has half as many arithmetic units for the merges of segments.
    static double waves_on_chip(std::int64_t rows) {
        if constexpr (wide)
            return rows >= 8192 ? 1.9 : rows >= 4096 ? 7 : HUGE_VAL;
        else
            return rows >= 32768 ? 3.8 : HUGE_VAL;
    }
};

/// M of systems that fit into a block: the smaller M for few short systems, which would not fill the device otherwise.
/// If a system fits into one warp with the larger M, fewer systems suffice for it (512 systems of 512 rows of float
/// take 5.5 us instead of 5.8).
template <class T>
int partition_of_whole(std::int64_t rows, std::int64_t systems, int multiprocessors) {
    using thresholds = plan_thresholds<T>;
    thresholds const at(multiprocessors);
    bool const large_is_warp = rows > warp_lanes * thresholds::small && rows <= warp_lanes * thresholds::large;
    bool const few = double(rows) * double(systems) <= (large_is_warp ? at.whole_in_a_warp : at.whole_systems);
    return few && rows <= thresholds::short_rows ? thresholds::small : thresholds::large;
}

/// Threads of a block that shares a system with other blocks: min_slice_threads for few rows, slice_threads by default,
/// pair_threads if all clusters run simultaneously or two blocks share a system.
inline constexpr int min_slice_threads = 64, slice_threads = 128, pair_threads = 256;

/// Threads of the blocks that share a system of `rows` rows, in partitions of `m`: the smallest number with which the
/// blocks form a cluster, if there is one; else slice_threads, or more if the number of slices would exceed half the
/// threads of a block, since each block merges all slices. `alone`: there are enough multiprocessors for all clusters
/// simultaneously.
inline int threads_of_slice(std::int64_t rows, int m, bool few, bool alone, int max_in_cluster) {
    for (int threads = few ? min_slice_threads : slice_threads; threads <= (alone ? pair_threads : slice_threads);
         threads *= 2)
        if (rows <= std::int64_t(max_in_cluster) * threads * m) return threads;
    for (int threads = slice_threads; threads < resident_threads; threads *= 2)
        if (rows <= std::int64_t(threads / 2) * threads * m) return threads;
    return resident_threads;
}

/// The choice without a tuning file; see also tuning_table::choose. As Algorithm 3 of the thesis, it takes the larger
/// partitions unless they leave multiprocessors idle: partitions of half the rows need half the dependent steps.
template <class T>
resident_choice choose_by_rule(std::int64_t rows, std::int64_t systems, int multiprocessors, int max_in_cluster) {
    using thresholds = plan_thresholds<T>;
    thresholds const at(multiprocessors);
    double const total = double(rows) * double(systems);
    constexpr resident_choice through_tiles{min_partition, 0, true};
    if (double(rows) > at.on_chip) return through_tiles;
    if (total > thresholds::waves_on_chip(rows) * at.on_chip && systems <= max_tiled_systems) return through_tiles;
    if (rows <= thresholds::short_rows) return {partition_of_whole<T>(rows, systems, multiprocessors), 0};
    bool const few = total <= at.shared_systems;
    if (!few && rows <= whole_rows<T>) return {thresholds::large, 0};
    if (!few && rows <= 2 * whole_rows<T>)
        return {thresholds::large, max_in_cluster > 1 ? pair_threads : slice_threads};
    int const m = few ? thresholds::small : thresholds::large;
    bool const alone = systems * max_in_cluster <= multiprocessors;
    return {m, threads_of_slice(rows, m, few, alone, max_in_cluster)};
}

/// `max_in_cluster`: max. blocks of a cluster, 1 on a device without clusters.
inline resident_plan plan_resident(std::int64_t rows, std::int64_t pairs, resident_choice choice, int multiprocessors,
                                   int max_in_cluster) {
    if (choice.threads == 0) return plan_whole(rows, pairs, choice.partition, multiprocessors);
    resident_plan plan = plan_slices(rows, pairs, choice.partition, choice.threads);
    plan.cluster = plan.slices <= max_in_cluster;
    return plan;
}

/// The work of a thread in every item: partition `partition` of the `slot`-th system of its block.
struct lane_task {
    lane_group group;
    int slot, partition;

    COPPICE_HD lane_task(resident_plan const& plan, int thread) {
        int const lane = thread & (warp_lanes - 1), warp = int(unsigned(thread) / warp_lanes);
        if (plan.spans_warps()) {
            int const partitions = plan.partitions - warp * warp_lanes;
            group = {lane, 0, partitions < warp_lanes ? partitions : warp_lanes, warp_lanes};
            slot = 0, partition = thread;
        } else {
            int const in_warp = int(unsigned(lane) / unsigned(plan.partitions));
            partition = lane - in_warp * plan.partitions;
            slot = warp * plan.in_warp + in_warp;
            group = {lane, lane - partition, in_warp < plan.in_warp ? plan.partitions : 0, plan.partitions};
        }
    }
};

/// A work item: a slice of the system of a pair, or the whole systems of several pairs from `pair` on.
struct resident_item {
    std::int64_t pair;
    int slice;

    COPPICE_HD resident_item(resident_plan const& plan, int item) {
        unsigned const shared = unsigned(item) / unsigned(plan.slices);
        pair = std::int64_t(shared) * plan.systems_of_block();
        slice = item - int(shared) * plan.slices;
    }
};

} // namespace coppice::inline v0_1::rpts
