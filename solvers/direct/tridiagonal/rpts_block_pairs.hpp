// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Pairs of partitions of a tile in shared memory that are split in another way than in the middle, because a partition
/// is nearly singular inside (rpts_boundaries.hpp).
#pragma once

#include <cstdint>

#include <coppice/core/block.hpp>
#include <coppice/core/lane/lane_atomics.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_boundaries.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_block_tile.hpp>

namespace coppice::inline v0_1::rpts {

/// Whether partition `lane` of a tile and the other one of its pair are partitions of the system.
template <class T>
COPPICE_LANE bool has_pair(level<T> const& s, std::int64_t tile, int lane) {
    return tile * tile_partitions + lane < s.partitions;
}

/// Offset of row i of a pair after a shift. The 2 M rows of a pair have 2 M + 1 elements in shared memory. The unused
/// element is before row `gap` after shift_rows(), so that each partition is contiguous; otherwise it is in the middle
/// (padded).
struct shifted_offset {
    int gap;
    COPPICE_LANE explicit shifted_offset(pair_split const& split)
        : gap(split.partition(0, 2 * block_partition).end()) {}
    COPPICE_LANE int operator()(int i) const { return i < gap ? i : i + 1; }
};
/// Moves the rows of the pair whose first partition is `lane` to these offsets; called by four threads, one for each
/// `array`.
template <class T, class R>
COPPICE_HD inline void shift_rows(partition_rows<T, R> const& all, int lane, int gap, int array) {
    auto const rows = lane_rows(all, lane);
    auto const move = [&](auto* values) {
        for (int k = block_partition; k < gap; ++k) values[k] = values[k + 1];
        for (int k = block_partition; k > gap; --k) values[k] = values[k - 1];
    };
    if (array == 3)
        move(rows.rhs);
    else
        move(array == 0 ? rows.lower : array == 1 ? rows.diagonal : rows.upper);
}
/// Moves the solution of such a pair back to the padded offsets.
template <class R>
COPPICE_HD inline void shift_solution_back(R* x, int gap) {
    for (int k = gap; k > block_partition; --k) x[k] = x[k - 1];
    for (int k = gap; k < block_partition; ++k) x[k] = x[k + 1];
}

/// Pairs with a partition that is nearly singular inside: bit l, l even, is set if the sweeps of partition l in both
/// warps are `bad`, or those of partition l + 1. Ends with a barrier.
COPPICE_NO_EXEC_CHECK
template <class Block>
COPPICE_HD inline unsigned bad_pairs(Block const& block, unsigned* words, bool bad) {
    unsigned const mine = block.ballot(bad);
    if (block.thread() % tile_partitions == 0) words[block.thread() / tile_partitions] = mine;
    block.sync();
    unsigned const both = words[0] & words[1];
    return (both | both >> 1) & 0x55555555u;
}

/// Groups of four threads check splits of pairs: a group runs both sweeps of both partitions of one split. In a pass,
/// the groups of a block check the next splits of all pairs in `open`, equally many of each pair. All splits of a
/// single pair take one pass.
struct split_group {
    static constexpr int count = tile_threads / 4;
    int pairs, splits, number, sweep; ///< pairs in `open`, splits of each; number of the group; sweep of the thread

    COPPICE_HD split_group(int thread, unsigned open)
        : pairs(count_lanes(open)), splits(count / pairs), number(thread / 4), sweep(thread % 4) {}
    COPPICE_HD bool works() const { return number < pairs * splits; }
    COPPICE_HD int split() const { return number / pairs; } ///< after the first split of the pass
    COPPICE_HD int pair(unsigned open) const {
        for (int k = number % pairs; k > 0; --k) open &= open - 1;
        return first_lane(open);
    }
    /// The first split that is good for the `rank`-th pair, or -1. `bad` has a bit for each sweep.
    COPPICE_HD int first_good(int rank, unsigned const (&bad)[2]) const {
        for (int k = 0; k < splits; ++k) {
            int const group = rank + k * pairs;
            unsigned const own = bad[group / (count / 2)] >> group % (count / 2) * 4, both = own & own >> 1;
            if ((both & 5) == 0) return k;
        }
        return -1;
    }
};

/// Arrays in shared memory after the rows of a tile, see tile_bytes.
template <class T, class R>
struct pair_exchange {
    unsigned* words;
    resplit_row<T, R>* rows; ///< four for each pair

    COPPICE_HD explicit pair_exchange(unsigned char* shared)
        : words(reinterpret_cast<unsigned*>(shared + tile_rows_bytes<T, R>)),
          rows(reinterpret_cast<resplit_row<T, R>*>(shared + tile_rows_bytes<T, R> + exchanged_words_bytes)) {}
    /// Coarse row `coarse`, 0 to 3, of the pair whose first partition is `lane`.
    COPPICE_HD resplit_row<T, R>& of(int lane, int coarse) const { return rows[2 * lane + coarse]; }
};

/// The first split of the pair of a thread whose partitions are not nearly singular inside; 0 if there is none or the
/// pair is not in `open`, which is uniform in the block. Stores the coarse rows of its sweeps; the caller must add a
/// barrier.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class R, class Block>
COPPICE_HD inline pair_split find_split(Block const& block, level<T> const& s, partition_rows<T, R> const& all,
                                        unsigned open, pair_exchange<T, R> const& exchange) {
    int const lane = block.thread() % tile_partitions & ~1, warp = block.thread() / tile_partitions;
    pair_split mine;
    COPPICE_NO_UNROLL
    for (int first = 1, pass = 1; open != 0 && first < pair_split::numbers; ++pass) {
        split_group const group(block.thread(), open);
        pair_split const tried{first + group.split()};
        bool const works = group.works() && tried.number < pair_split::numbers, downwards = group.sweep % 2 == 0;
        int const tried_pair = works ? group.pair(open) : 0;
        pair_partition const piece = tried.partition(group.sweep / 2, 2 * block_partition);
        pair_sweep<T, R> sweep{};
        if (works)
            sweep = sweep_in_pair<P>(lane_rows(all, tried_pair), piece, downwards, s.threshold,
                                     [](int i) { return padded<block_partition>(i); });
        unsigned const of_warp = block.ballot(!works || sweep.relative < T(min_multiplier));
        unsigned* const exchanged =
            exchange.words + pass % 2 * 2; // other threads may still read those of the pass before
        if (block.thread() % tile_partitions == 0) exchanged[warp] = of_warp;
        block.sync();
        unsigned const of_all[2] = {exchanged[0], exchanged[1]};
        bool const only_one = group.sweep / 2 >= tried.partitions(); // both numbers are the same partition
        if (works && !only_one && group.first_good(group.number % group.pairs, of_all) == group.split())
            exchange.of(tried_pair, piece.coarse + int(downwards)) = {sweep.row.lower, sweep.row.diagonal,
                                                                      sweep.row.upper, sweep.multiplier, sweep.row.rhs};
        if ((open >> lane & 1) != 0) {
            int const good = group.first_good(count_lanes(open & ((1u << lane) - 1)), of_all);
            if (good >= 0) mine = {first + good};
        }
        first += group.splits;
        open &= block.ballot(mine.number == 0);
    }
    return mine;
}

/// Reports that a pair of partitions has no good split: a pivot of its substitution may be zero or a rounding error, so
/// that x is finite and wrong. Not if entries count as zero: then x does not solve the given system anyway.
template <class T>
COPPICE_HD inline void call_uncertain(level<T> const& s) {
    if (!s.fine.uncertain || s.threshold > T(0)) return;
    raise_flag(s.fine.uncertain);
    raise_flag(s.fine.not_finite);
}

/// After the sweeps of a tile: chooses another split for pairs with a partition that is nearly singular inside
/// (rpts_boundaries.hpp), and reports pairs without a good one. Its coarse rows are those of the sweeps that assess it.
/// Afterwards the tile may be overwritten. Few tiles have such pairs, but the kernel ends when the slowest tile does.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class R, class Block>
COPPICE_HD inline void resplit_pairs(Block const& block, level<T> const& s, std::int64_t tile,
                                     partition_rows<T, R> const& all, pair_exchange<T, R> const& exchange,
                                     T const& multiplier, coarse_row<T, R>& row) {
    bool const downwards = block.thread() < tile_partitions;
    int const lane = block.thread() % tile_partitions, pair = lane & ~1;
    bool const may = has_pair(s, tile, lane);
    unsigned* const words = exchange.words;
    // The largest multiplier of a sweep is between 0.75 and 1.5, therefore `multiplier` is not divided by it. Its exact
    // value would take another sweep, which is longer than the split of a few pairs that do not need it.
    unsigned const open = bad_pairs(block, words, may && multiplier < T(min_multiplier));
    pair_split mine;
    T new_multiplier = multiplier;
    if (open != 0) { // uniform in the block
        mine = find_split<P>(block, s, all, open, exchange);
        block.sync();
        if ((open >> pair & 1) != 0 && mine.number == 0) call_uncertain(s);
        if (mine.number != 0) {
            pair_partition const piece = mine.partition(lane - pair, 2 * block_partition);
            int const coarse = 2 * (lane - pair) + int(downwards);
            if (coarse == piece.coarse || coarse == piece.coarse + 1) {
                auto const& found = exchange.of(pair, coarse);
                row = {found.lower, found.diagonal, found.upper, found.rhs};
                new_multiplier = found.multiplier;
            } else {
                row = single_row<P>(lane_rows(all, pair), piece, coarse,
                                    [](int i) { return padded<block_partition>(i); });
                new_multiplier = T(1);
            }
        }
        block.sync();
    }
    // Threads that sweep downwards make the second coarse row of a partition, the others the first.
    unsigned const small = block.ballot(new_multiplier < T(min_boundary_multiplier));
    if (block.thread() % tile_partitions == 0) words[downwards ? 4 : 5] = small;
    block.sync();
    if (may && downwards && lane == pair) {
        unsigned const firsts = words[5] >> lane & 3, lasts = words[4] >> lane & 3;
        unsigned const of_pair = (firsts & 1) | (lasts & 1) << 1 | (firsts & 2) << 1 | (lasts & 2) << 2;
        s.pair_records[(tile * tile_partitions + lane) / 2] = pair_record(mine.number, of_pair).stored();
    }
}

} // namespace coppice::inline v0_1::rpts
