// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// How systems that stay on chip are laid over the blocks, warps and lanes of a GPU.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <coppice/core/block.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_levels.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_tree.hpp>

namespace coppice::rpts {

/// Rows M of the finest partitions. The larger M gives a thread 64 registers of rows, so that as many rows as possible
/// stay on chip; the smaller M, half of that, gives more threads. Even, as for all partitions (see rpts_block.hpp).
template <class T>
inline constexpr int largest_resident_partition = 64 / int(sizeof(T));
template <class T>
inline constexpr int least_resident_partition = 32 / int(sizeof(T));
inline constexpr int resident_threads = 512;      ///< most threads of a block: all registers of a multiprocessor
inline constexpr int least_resident_threads = 64; ///< fewest threads of a block that holds a share

/// Rows that one multiprocessor holds.
template <class T>
inline constexpr std::int64_t resident_rows = std::int64_t(largest_resident_partition<T>) * resident_threads;

/// How a batch of equal systems is laid over blocks. `partition`, `partitions` and `shares` decide the bits of a
/// solution; they follow from the rows and the number of the systems and from the multiprocessors of the device.
struct resident_plan {
    std::int64_t pairs = 0; ///< systems times right-hand sides, each worked on by itself
    std::int64_t items = 0; ///< pieces of work, each for one block
    int partition = 0;      ///< M: rows of a partition
    int partitions = 0;     ///< partitions of a system in one block, each with a thread
    int shares = 1;         ///< blocks that share a system
    int in_warp = 1;        ///< systems that share a warp, where they have at most 32 partitions
    int threads = 0;        ///< threads of a block, whole warps
    bool cluster = false;   ///< the blocks that share a system form a cluster of the device

    COPPICE_HD int warps() const { return int(unsigned(threads) / warp_lanes); }
    /// Whether a system is spread over the warps of a block, or over blocks.
    COPPICE_HD bool spread() const { return partitions > warp_lanes || shares > 1; }
    COPPICE_HD int systems_of_block() const { return spread() ? 1 : in_warp * warps(); }
    /// Segments of shares that each lane of the first warp joins.
    COPPICE_HD int shares_of_lane() const { return int(unsigned(shares + warp_lanes - 1) / warp_lanes); }
};

/// Whole systems of `rows` <= resident_threads * partition, as many in a block as leave all multiprocessors with work.
inline resident_plan plan_whole(std::int64_t rows, std::int64_t pairs, int partition, int multiprocessors) {
    resident_plan plan;
    plan.pairs = pairs;
    plan.partition = partition;
    plan.partitions = int((rows + partition - 1) / partition);
    int warps = (plan.partitions + warp_lanes - 1) / warp_lanes;
    if (warps == 1) {
        constexpr std::int64_t most_warps = 4;
        std::int64_t const crowd = std::max<std::int64_t>(1, pairs / (4 * std::int64_t(multiprocessors)));
        plan.in_warp = int(std::min<std::int64_t>(crowd, warp_lanes / plan.partitions));
        warps = int(std::min(crowd / plan.in_warp, most_warps));
    }
    plan.threads = warps * warp_lanes;
    plan.items = (pairs + plan.systems_of_block() - 1) / plan.systems_of_block();
    return plan;
}

/// Systems in shares of `threads` partitions, whole warps.
inline resident_plan plan_shares(std::int64_t rows, std::int64_t pairs, int partition, int threads) {
    std::int64_t const share = std::int64_t(threads) * partition;
    resident_plan plan;
    plan.pairs = pairs;
    plan.partition = partition;
    plan.partitions = plan.threads = threads;
    plan.shares = int((rows + share - 1) / share);
    plan.items = pairs * plan.shares;
    return plan;
}

/// Most rows of a system that one block holds alone; with more rows, several blocks of fewer threads that share the
/// system are faster.
template <class T>
inline constexpr std::int64_t whole_rows = resident_rows<T> / 2;

/// Systems that a stage of tiles takes at once: the second dimension of its grid counts them.
inline constexpr std::int64_t most_tiled_systems = 65535;

/// How the systems of a batch are to be cut.
struct resident_choice {
    int partition = 0;  ///< M
    int threads = 0;    ///< threads of a block that holds a share; 0: systems stay whole
    bool tiles = false; ///< whether a stage of tiles reduces the systems first (rpts_block.hpp)

    friend bool operator==(resident_choice const&, resident_choice const&) = default;
};

/// Rows of a whole batch from which on another way of cutting it is faster, for a device of `multiprocessors`; measured
/// on an H200. Coefficients are rows of one multiprocessor, in units of the smaller partitions.
template <class T>
struct cut_thresholds {
    static constexpr int small = least_resident_partition<T>, large = largest_resident_partition<T>;
    static constexpr bool wide = sizeof(T) == 8;
    static constexpr std::int64_t short_rows = 256 * small; ///< up to here, systems are never shared by blocks

    double on_chip;         ///< rows that the registers of the device hold at once
    double shared_systems;  ///< up to here, systems longer than a block take the smaller partitions
    double whole_systems;   ///< up to here, systems that stay whole in a block take the smaller partitions
    double whole_in_a_warp; ///< as whole_systems, where the larger partitions would keep a system in one warp
    explicit cut_thresholds(int multiprocessors)
        : on_chip(double(multiprocessors) * double(resident_rows<T>)), shared_systems(128.0 * multiprocessors * small),
          whole_systems(256.0 * multiprocessors * small), whole_in_a_warp(192.0 * multiprocessors * small) {}

    /// How many times the rows may fill the device before tiles keep the memory busier. In double tiles pay earlier,
    /// since a multiprocessor has half as many arithmetic units for the joins of segments.
    static double turns_on_chip(std::int64_t rows) {
        if constexpr (wide)
            return rows >= 8192 ? 1.9 : rows >= 4096 ? 7 : HUGE_VAL;
        else
            return rows >= 32768 ? 3.8 : HUGE_VAL;
    }
};

/// M of systems that stay whole in a block: the smaller M for short systems that leave the device without work. Where
/// the larger M keeps a system in one warp, fewer systems are enough for it (512 systems of 512 rows of float take 5.5
/// us instead of 5.8).
template <class T>
int partition_of_whole(std::int64_t rows, std::int64_t systems, int multiprocessors) {
    using cuts = cut_thresholds<T>;
    cuts const at(multiprocessors);
    bool const large_is_warp = rows > warp_lanes * cuts::small && rows <= warp_lanes * cuts::large;
    bool const few = double(rows) * double(systems) <= (large_is_warp ? at.whole_in_a_warp : at.whole_systems);
    return few && rows <= cuts::short_rows ? cuts::small : cuts::large;
}

/// Threads of a block that shares a system with other blocks: least_share_threads where rows are few, share_threads as
/// a rule, and pair_threads where a cluster has its multiprocessors for itself or two blocks share a system.
inline constexpr int least_share_threads = 64, share_threads = 128, pair_threads = 256;

/// Threads of the blocks that share a system of `rows` rows, in partitions of `m`: the fewest with which the blocks
/// form a cluster, if any number does; else share_threads, or more where the shares would be more than half the threads
/// of a block, since each block joins all shares. `alone`: there are multiprocessors for all clusters at once.
inline int threads_of_share(std::int64_t rows, int m, bool few, bool alone, int most_in_cluster) {
    for (int threads = few ? least_share_threads : share_threads; threads <= (alone ? pair_threads : share_threads);
         threads *= 2)
        if (rows <= std::int64_t(most_in_cluster) * threads * m) return threads;
    for (int threads = share_threads; threads < resident_threads; threads *= 2)
        if (rows <= std::int64_t(threads / 2) * threads * m) return threads;
    return resident_threads;
}

/// The choice without a tuning file; see also tuning_table::choose. As in Algorithm 3 of the thesis it takes the larger
/// partitions unless these leave the device without work: partitions of half the rows take half the dependent steps.
template <class T>
resident_choice choose_by_rule(std::int64_t rows, std::int64_t systems, int multiprocessors, int most_in_cluster) {
    using cuts = cut_thresholds<T>;
    cuts const at(multiprocessors);
    double const total = double(rows) * double(systems);
    constexpr resident_choice through_tiles{least_partition, 0, true};
    if (double(rows) > at.on_chip) return through_tiles;
    if (total > cuts::turns_on_chip(rows) * at.on_chip && systems <= most_tiled_systems) return through_tiles;
    if (rows <= cuts::short_rows) return {partition_of_whole<T>(rows, systems, multiprocessors), 0};
    bool const few = total <= at.shared_systems;
    if (!few && rows <= whole_rows<T>) return {cuts::large, 0};
    if (!few && rows <= 2 * whole_rows<T>) return {cuts::large, most_in_cluster > 1 ? pair_threads : share_threads};
    int const m = few ? cuts::small : cuts::large;
    bool const alone = systems * most_in_cluster <= multiprocessors;
    return {m, threads_of_share(rows, m, few, alone, most_in_cluster)};
}

/// `most_in_cluster`: most blocks of a cluster, 1 on a device without clusters.
inline resident_plan plan_resident(std::int64_t rows, std::int64_t pairs, resident_choice choice, int multiprocessors,
                                   int most_in_cluster) {
    if (choice.threads == 0) return plan_whole(rows, pairs, choice.partition, multiprocessors);
    resident_plan plan = plan_shares(rows, pairs, choice.partition, choice.threads);
    plan.cluster = plan.shares <= most_in_cluster;
    return plan;
}

/// The part of a thread in every item: partition `partition` of the `slot`-th system of its block.
struct lane_task {
    lane_group group;
    int slot, partition;

    COPPICE_HD lane_task(resident_plan const& plan, int thread) {
        int const lane = thread & (warp_lanes - 1), warp = int(unsigned(thread) / warp_lanes);
        if (plan.spread()) {
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

/// An item: a share of the system of a pair, or the whole systems of several pairs from `pair` on.
struct resident_item {
    std::int64_t pair;
    int share;

    COPPICE_HD resident_item(resident_plan const& plan, int item) {
        unsigned const shared = unsigned(item) / unsigned(plan.shares);
        pair = std::int64_t(shared) * plan.systems_of_block();
        share = item - int(shared) * plan.shares;
    }
};

} // namespace coppice::rpts
