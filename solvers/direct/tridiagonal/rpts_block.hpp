// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// RPTS on systems that do not fit on chip (thesis sections 2.6.1-2.6.7): the bodies of the kernels, templates over the
/// Block of core/block.hpp, so that tests run them on CPU threads.
///
/// A block stages a tile of 32 partitions in shared memory; thread l works on partition l. The loads of the tile are
/// coalesced. In shared memory partitions have a stride of M + 1 elements, an odd number, so that the 32 lanes of a
/// warp access 32 different banks. If a tile has several right-hand sides, their elements of a row are contiguous, and
/// the matrix is read and eliminated once for all of them.
///
/// M is even. The reduction of a partition is accurate if its M - 2 inner rows are not nearly singular. With a (nearly)
/// zero diagonal, as in matrices 14 to 16 of Table 4, an odd number of inner rows is always singular.
#pragma once

#include <cstdint>

#include <coppice/core/block.hpp>
#include <coppice/core/element_copy.hpp>
#include <coppice/solvers/direct/interface/rhs_pack.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_boundaries.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_levels.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_vectors.hpp>

namespace coppice::inline v0_1::rpts {

/// Offset in shared memory of row i of consecutive partitions of M rows: the stride of partitions is odd.
template <int M>
COPPICE_HD constexpr int padded(int i) {
    static_assert(M % 2 == 0);
    return i + int(unsigned(i) / unsigned(M));
}

inline constexpr int block_partition = 32; ///< M on the GPU
inline constexpr int tile_partitions = 32; ///< L: one partition for each lane of a warp
inline constexpr int tile_rows = tile_partitions * block_partition;
inline constexpr int tile_threads = 64; ///< the reduction sweeps downwards in one warp and upwards in the other
inline constexpr int tile_band = padded<block_partition>(tile_rows); ///< elements of a band in shared memory

/// A thread copies every tile_threads-th row of a tile; offset_of_row returns the offset of the j-th of these rows in
/// shared memory.
inline constexpr int rows_of_thread = tile_rows / tile_threads;
COPPICE_HD inline int offset_of_row(int thread, int j) {
    static_assert(tile_threads % block_partition == 0);
    return padded<block_partition>(thread) + j * padded<block_partition>(tile_threads);
}

/// Number of right-hand sides in an R: 1 for T, Count for rhs_pack.
template <class R>
inline constexpr int rhs_count = 1;
template <class T, int Count>
inline constexpr int rhs_count<rhs_pack<T, Count>> = Count;

template <class T, class R>
inline constexpr int tile_rows_bytes = tile_band* int(3 * sizeof(T) + sizeof(R));
/// Bytes of a tile: its rows, then the words through which the two warps exchange ballots (resplit_pairs).
template <class T, class R>
inline constexpr int tile_bytes = tile_rows_bytes<T, R> + 32;

template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T& rhs_at(T& all, int) {
    return all;
}
template <class T, int Count>
COPPICE_HD COPPICE_ALWAYS_INLINE T& rhs_at(rhs_pack<T, Count>& all, int c) {
    return all.value[c];
}

/// The values of all right-hand sides in row i; columns have stride `leading`. Zero after the last column.
template <class R, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE R load_rhs(T const* values, std::int64_t i, std::int64_t leading,
                                            std::int64_t columns) {
    R all;
    COPPICE_UNROLL
    for (int c = 0; c < rhs_count<R>; ++c) rhs_at(all, c) = c == 0 || c < columns ? values[i + c * leading] : T(0);
    return all;
}
template <class R, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE void store_rhs(R all, T* values, std::int64_t i, std::int64_t leading,
                                                std::int64_t columns) {
    COPPICE_UNROLL
    for (int c = 0; c < rhs_count<R>; ++c)
        if (c == 0 || c < columns) values[i + c * leading] = rhs_at(all, c);
}

/// The arrays of a tile in shared memory: three bands, then the right-hand sides, at a multiple of 16 bytes, as a pack
/// of two doubles needs.
template <class T, class R>
COPPICE_HD inline partition_rows<T, R> tile_at(unsigned char* shared, int rows) {
    T* const lower = reinterpret_cast<T*>(shared);
    return {lower, lower + rows, lower + 2 * rows, reinterpret_cast<R*>(lower + 3 * rows)};
}

/// Loads the first or last tile of a system. Rows after the last one become x = 0; corner entries become zero unless
/// the system is cyclic. The caller must add a barrier.
COPPICE_NO_EXEC_CHECK
template <bool Cyclic, class T, class R, class Block>
COPPICE_HD inline void load_edge(Block const& block, system_view<T> const& s, std::int64_t first,
                                 partition_rows<T, R> const& to) {
    T const last = s.diagonal[s.size - 1], below = s.size > 1 ? s.lower[s.size - 1] : T(0);
    T const padding = padding_diagonal(larger_magnitude(below, last));
    for (int i = block.thread(); i < tile_rows; i += block.threads()) {
        int const at = padded<block_partition>(i);
        std::int64_t const row = first + i;
        bool const inside = row < s.size;
        to.lower[at] = inside && (row > 0 || (Cyclic && (!s.is_segment || s.before))) ? s.lower[row] : T(0);
        to.diagonal[at] = inside ? s.diagonal[row] : padding;
        to.upper[at] = row < (Cyclic && (!s.is_segment || s.after) ? s.size : s.size - 1) ? s.upper[row] : T(0);
        to.rhs[at] = inside ? load_rhs<R>(s.rhs, s.source_of(row), s.rhs_leading, s.columns) : R(T(0));
    }
}

/// Loads `Bands` bands of an inner tile by vectors of 16 bytes through registers; the padding breaks the alignment that
/// wide asynchronous copies to shared memory need. All loads are issued before the first store. The stores of a warp
/// have no bank conflicts: offsets are 4 t + t / 8 (in floats).
COPPICE_NO_EXEC_CHECK
template <int Bands, class T, class Block>
COPPICE_HD inline void load_bands(Block const& block, T const* const (&from)[Bands], T* const (&to)[Bands]) {
    using vector = band_vector<T>;
    constexpr int each = tile_rows / vector::length / tile_threads;
    vector staged[Bands][each];
    COPPICE_UNROLL
    for (int band = 0; band < Bands; ++band) {
        COPPICE_UNROLL
        for (int j = 0; j < each; ++j)
            staged[band][j] = reinterpret_cast<vector const*>(from[band])[block.thread() + j * tile_threads];
    }
    COPPICE_UNROLL
    for (int band = 0; band < Bands; ++band) {
        COPPICE_UNROLL
        for (int j = 0; j < each; ++j) {
            // A vector never spans two partitions.
            T* const at = to[band] + padded<block_partition>(vector::length * block.thread()) +
                          j * padded<block_partition>(vector::length * tile_threads);
            COPPICE_UNROLL
            for (int k = 0; k < vector::length; ++k) at[k] = staged[band][j].element[k];
        }
    }
}

/// Starts to load the matrix, and a single right-hand side, of an inner tile. The caller must add finish_copies() and a
/// barrier.
COPPICE_NO_EXEC_CHECK
template <class T, class R, class Block>
COPPICE_HD inline void start_inside(Block const& block, system_view<T> const& s, std::int64_t first,
                                    partition_rows<T, R> const& to) {
    constexpr bool alone = rhs_count<R> == 1;
    T const *const lower = s.lower + first, *const diagonal = s.diagonal + first, *const upper = s.upper + first,
                   *const rhs = s.rhs + first;
    bool const in_order = alone && !s.order;
    // In double precision the registers for wide loads cost more than they gain (measured on an H200).
    if (sizeof(T) == 4 && in_order && aligned_to_16(lower, diagonal, upper, rhs)) {
        if constexpr (alone)
            load_bands<4, T>(block, {lower, diagonal, upper, rhs}, {to.lower, to.diagonal, to.upper, to.rhs});
        return;
    }
    if (sizeof(T) == 4 && !in_order && aligned_to_16(lower, diagonal, upper)) {
        load_bands<3, T>(block, {lower, diagonal, upper}, {to.lower, to.diagonal, to.upper});
        return;
    }
    COPPICE_UNROLL
    for (int j = 0; j < rows_of_thread; ++j) {
        int const i = block.thread() + j * tile_threads, at = offset_of_row(block.thread(), j);
        start_copy(to.lower + at, lower + i);
        start_copy(to.diagonal + at, diagonal + i);
        start_copy(to.upper + at, upper + i);
        if constexpr (alone)
            if (in_order) start_copy(to.rhs + at, rhs + i);
    }
}

/// Offsets of the right-hand sides or solutions of the rows of a thread, in a whole tile of a system that has an order.
struct row_offsets {
    std::int32_t of[rows_of_thread];

    COPPICE_NO_EXEC_CHECK
    template <class Block>
    COPPICE_HD COPPICE_ALWAYS_INLINE void read(Block const& block, std::int32_t const* order, std::int64_t first) {
        COPPICE_UNROLL
        for (int j = 0; j < rows_of_thread; ++j) of[j] = order[first + block.thread() + j * tile_threads];
    }
};

/// Loads the right-hand sides of a tile with an order, or several right-hand sides. A thread issues the loads of all
/// its rows before it stores the first, or of eight rows if there are several right-hand sides.
COPPICE_NO_EXEC_CHECK
template <class T, class R, class Block>
COPPICE_HD inline void load_tile_rhs(Block const& block, system_view<T> const& s, std::int64_t first,
                                     row_offsets const& offsets, R* to) {
    if constexpr (rhs_count<R> == 1) {
        R rows[rows_of_thread];
        COPPICE_UNROLL
        for (int j = 0; j < rows_of_thread; ++j) rows[j] = s.rhs[offsets.of[j]];
        COPPICE_UNROLL
        for (int j = 0; j < rows_of_thread; ++j) to[offset_of_row(block.thread(), j)] = rows[j];
    } else {
        constexpr int together = 8;
        for (int start = 0; start < rows_of_thread; start += together) {
            R rows[together];
            COPPICE_UNROLL
            for (int j = 0; j < together; ++j)
                rows[j] =
                    load_rhs<R>(s.rhs, first + block.thread() + (start + j) * tile_threads, s.rhs_leading, s.columns);
            COPPICE_UNROLL
            for (int j = 0; j < together; ++j) to[offset_of_row(block.thread(), start + j)] = rows[j];
        }
    }
}

/// Starts to stage a tile; the block has tile_threads threads. The caller must add finish_copies() and a barrier.
/// `await()` is called before the first access to data that the preceding kernel may have written: the right-hand
/// sides, and the matrix unless it is ready.
COPPICE_NO_EXEC_CHECK
template <bool Cyclic, class T, class R, class Block, class Await>
COPPICE_HD inline void start_tile(Block const& block, system_view<T> const& s, std::int64_t tile,
                                  partition_rows<T, R> const& to, row_offsets& offsets, Await const& await) {
    std::int64_t const first = tile * tile_rows;
    bool const inside = tile > 0 && first + tile_rows < s.size, early = inside && s.order && s.ready;
    if (!early) await();
    if (s.order && first + tile_rows <= s.size) offsets.read(block, s.order, first);
    if (!inside) return load_edge<Cyclic>(block, s, first, to);
    start_inside(block, s, first, to); // these loads overlap with those of the right-hand sides
    if (early) await();
    if (rhs_count<R> != 1 || s.order) load_tile_rhs(block, s, first, offsets, to.rhs);
}

/// The rows of partition `lane` of a tile.
template <class T, class R>
COPPICE_HD inline partition_rows<T, R> lane_rows(partition_rows<T, R> const& rows, int lane) {
    return rows.from(padded<block_partition>(lane * block_partition));
}

/// The coarse row of thread `t` of a tile: the first 32 threads sweep downwards through their partitions, the other 32
/// upwards.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class R>
COPPICE_HD inline coarse_row<T, R> reduce_lane(partition_rows<T, R> const& rows, int t, int length,
                                               auto const& threshold, T* multiplier = nullptr) {
    return t < tile_partitions ? reduce_downwards<P>(rows, length, threshold, multiplier)
                               : reduce_upwards<P>(rows, length, threshold, multiplier);
}

/// Whether partition `lane` of a tile and the other one of its pair are partitions of the system.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE bool has_pair(level<T> const& s, std::int64_t tile, int lane) {
    return tile * tile_partitions + lane < s.partitions;
}

/// Number of rows of a cyclic system that are in no partition if `tile` is its last tile; otherwise 0.
template <bool Cyclic, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE int rows_after(level<T> const& s, std::int64_t tile) {
    if (!Cyclic || tile != (s.partitions - 1) / tile_partitions) return 0;
    return int(s.fine.size - s.partitions * block_partition);
}

/// Offset of row i of a pair after a shift. The 2 M rows of a pair have 2 M + 1 elements in shared memory. The unused
/// element is before row `gap` after shift_rows(), so that each partition is contiguous; otherwise it is in the middle
/// (padded).
struct shifted_offset {
    int gap;
    COPPICE_HD COPPICE_ALWAYS_INLINE explicit shifted_offset(pair_split const& split)
        : gap(split.partition(0, 2 * block_partition).end()) {}
    COPPICE_HD COPPICE_ALWAYS_INLINE int operator()(int i) const { return i < gap ? i : i + 1; }
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

/// Four threads check a split of a pair: both sweeps of both partitions. The groups of four of a block check as many
/// splits of every pair in `open` simultaneously as there are groups, in the order of pairs first, so that a single
/// pair takes one pass.
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

/// The first split of the pair of a thread whose partitions are not nearly singular inside; 0 if there is none or the
/// pair is not in `open`, which is uniform in the block.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class R, class Block>
COPPICE_HD inline pair_split find_split(Block const& block, level<T> const& s, partition_rows<T, R> const& all,
                                        unsigned open, unsigned* words) {
    int const lane = block.thread() % tile_partitions & ~1, warp = block.thread() / tile_partitions;
    pair_split mine;
    COPPICE_NO_UNROLL
    for (int first = 1, pass = 1; open != 0 && first < pair_split::numbers; ++pass) {
        split_group const group(block.thread(), open);
        pair_split const tried{first + group.split()};
        bool bad = true;
        if (group.works() && tried.number < pair_split::numbers)
            bad = multiplier_in_pair<P, T>(lane_rows(all, group.pair(open)),
                                           tried.partition(group.sweep / 2, 2 * block_partition), group.sweep % 2 == 0,
                                           s.threshold,
                                           [](int i) { return padded<block_partition>(i); }) < T(min_multiplier);
        unsigned const of_warp = block.ballot(bad);
        unsigned* const exchanged = words + pass % 2 * 2; // other threads may still read those of the pass before
        if (block.thread() % tile_partitions == 0) exchanged[warp] = of_warp;
        block.sync();
        unsigned const of_all[2] = {exchanged[0], exchanged[1]};
        if ((open >> lane & 1) != 0) {
            int const good = group.first_good(count_lanes(open & ((1u << lane) - 1)), of_all);
            if (good >= 0) mine = {first + good};
        }
        first += group.splits;
        open &= block.ballot(mine.number == 0);
    }
    return mine;
}

/// After the sweeps of a tile: chooses another split for pairs with a partition that is nearly singular inside
/// (rpts_boundaries.hpp), and computes their coarse rows. Afterwards the tile may be overwritten.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class R, class Block>
COPPICE_HD inline void resplit_pairs(Block const& block, level<T> const& s, std::int64_t tile,
                                     partition_rows<T, R> const& all, unsigned* words, T const& multiplier,
                                     coarse_row<T, R>& row) {
    bool const downwards = block.thread() < tile_partitions;
    int const lane = block.thread() % tile_partitions, pair = lane & ~1;
    bool const may = has_pair(s, tile, lane);
    // The largest multiplier of a sweep is its weight, 0.75 to 1.5. Another exact sweep over the partitions that only
    // seem to be nearly singular would take longer than another split of them.
    unsigned const open = bad_pairs(block, words, may && multiplier < T(min_multiplier));
    pair_split mine;
    T new_multiplier = multiplier;
    if (open != 0) { // uniform in the block
        mine = find_split<P>(block, s, all, open, words);
        shifted_offset const offset(mine);
        if (mine.number != 0) shift_rows(all, pair, offset.gap, 2 * (lane - pair) + int(downwards));
        block.sync();
        if (mine.number != 0)
            row = row_of_pair<P>(lane_rows(all, pair), mine.partition(lane - pair, 2 * block_partition),
                                 2 * (lane - pair) + int(downwards), s.threshold, offset, new_multiplier);
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

template <class T, class R>
COPPICE_HD inline void put_row(partition_rows<T, R> const& rows, int i, coarse_row<T, R> const& row) {
    rows.lower[i] = row.lower;
    rows.diagonal[i] = row.diagonal;
    rows.upper[i] = row.upper;
    rows.rhs[i] = row.rhs;
}

/// Reduces one tile; `shared` has tile_bytes<T, R> bytes, the block tile_threads threads. `await` as in start_tile().
COPPICE_NO_EXEC_CHECK
template <pivoting P, class R, bool Cyclic = false, class T, class Block, class Await>
COPPICE_HD inline void reduce_tile(Block const& block, level<T> const& s, std::int64_t tile, unsigned char* shared,
                                   Await const& await) {
    static_assert(tile_threads == 2 * tile_partitions);
    partition_rows<T, R> const all = tile_at<T, R>(shared, tile_band);
    row_offsets offsets;
    start_tile<Cyclic>(block, s.fine, tile, all, offsets, await);
    finish_copies();
    block.sync();
    int const lane = block.thread() % tile_partitions;
    partition_rows<T, R> const rows = lane_rows(all, lane);
    coarse_row<T, R> row;
    T multiplier(1);
    row = !Cyclic && s.threshold > T(0)
              ? reduce_lane<P>(rows, block.thread(), block_partition, s.threshold, &multiplier)
              : reduce_lane<P>(rows, block.thread(), block_partition, no_threshold{}, &multiplier);
    if constexpr (P == pivoting::none)
        block.sync();
    else
        resplit_pairs<P>(block, s, tile, all, reinterpret_cast<unsigned*>(shared + tile_rows_bytes<T, R>), multiplier,
                         row);
    // The rows of the tile are not needed any more: their memory collects the coarse rows for coalesced stores.
    constexpr int coarse_rows = 2 * tile_partitions;
    partition_rows<T, R> const gathered = tile_at<T, R>(shared, coarse_rows);
    put_row(gathered, 2 * lane + (block.thread() < tile_partitions ? 1 : 0), row);
    block.sync();
    std::int64_t const first = tile * coarse_rows, size = 2 * s.partitions;
    for (int i = block.thread(); i < coarse_rows && first + i < size; i += block.threads()) {
        s.coarse.lower[first + i] = gathered.lower[i];
        s.coarse.diagonal[first + i] = gathered.diagonal[i];
        s.coarse.upper[first + i] = gathered.upper[i];
        store_rhs(gathered.rhs[i], s.coarse.rhs, first + i, s.coarse.leading, s.fine.columns);
    }
    if (int const i = block.thread(); i < rows_after<Cyclic>(s, tile)) {
        std::int64_t const at = s.partitions * block_partition + i;
        auto const rest = scaled<P>(s.fine.lower[at], s.fine.diagonal[at], s.fine.upper[at],
                                    load_rhs<R>(s.fine.rhs, s.fine.source_of(at), s.fine.rhs_leading, s.fine.columns));
        s.coarse.lower[size + i] = rest.lower;
        s.coarse.diagonal[size + i] = rest.diagonal;
        s.coarse.upper[size + i] = rest.upper;
        store_rhs(rest.rhs, s.coarse.rhs, size + i, s.coarse.leading, s.fine.columns);
    }
}

/// Coarse unknown i; -1 and 2 are those around a system of one partition. Outside the system it is zero; in a cyclic
/// system the unknown at the other end; in a segment of a longer system the unknown beyond the segment.
template <class R, bool Cyclic, class T>
COPPICE_HD inline R coarse_unknown(level<T> const& s, std::int64_t i) {
    std::int64_t const size = coarse_rows(s.fine.size, s.partitions, block_partition, Cyclic);
    if constexpr (Cyclic) {
        if (s.fine.is_segment && (i < 0 || i >= size)) {
            T const* const beyond = i < 0 ? s.fine.before : i == size ? s.fine.after : nullptr;
            return beyond ? R(*beyond) : R(T(0));
        }
        i = i < 0 ? size - 1 : i == size ? 0 : i;
    }
    return i >= 0 && i < size ? load_rhs<R>(s.coarse.rhs, i, s.coarse.leading, s.fine.columns) : R(T(0));
}
/// Reads the interface unknowns of a partition from the solution of the coarse system.
template <class R, bool Cyclic, class T>
COPPICE_HD inline interface_values<R> interfaces_of(level<T> const& s, std::int64_t partition) {
    std::int64_t const i = 2 * partition;
    return {coarse_unknown<R, Cyclic>(s, i - 1), coarse_unknown<R, Cyclic>(s, i), coarse_unknown<R, Cyclic>(s, i + 1),
            coarse_unknown<R, Cyclic>(s, i + 2)};
}

/// Stores the two remaining equations of a half in shared memory for the thread of the other half, in elements that
/// hold no pivot row: the last row of the half and the right-hand side of its first row.
template <pivoting P, int Step, class T, class R>
COPPICE_HD inline void leave_rows(half<P, Step, T, R> const& h, half_rows<T, R> const& left) {
    constexpr int last = (block_partition / 2 - 1) * Step;
    h.near[last] = left.p.entry;
    h.middle[last] = left.p.next;
    h.away[last] = left.alone.entry;
    h.rhs_rows[last] = left.p.rhs;
    h.rhs_rows[0] = left.alone.rhs;
}
template <pivoting P, int Step, class T, class R>
COPPICE_HD inline half_rows<T, R> remaining_rows(half<P, Step, T, R> const& h) {
    constexpr int last = (block_partition / 2 - 1) * Step;
    return {{h.away[last], T(0), h.rhs_rows[0]}, {h.near[last], h.middle[last], h.rhs_rows[last]}};
}

template <pivoting P, int Step, class T, class R>
COPPICE_HD inline void eliminate_half(partition_rows<T, R> const& rows, R const& before, R const& first,
                                      T const& multiplier, auto const& threshold) {
    half<P, Step, T, R> const h(rows, block_partition);
    auto left = h.begin(before, first, multiplier);
    COPPICE_UNROLL_BY(7)
    for (int j = 2; j < block_partition / 2; ++j) h.eliminate(j, left, threshold);
    leave_rows(h, left);
}
template <pivoting P, int Step, class T, class R>
COPPICE_HD inline void substitute_half(partition_rows<T, R> const& rows, R x1, R x2) {
    half<P, Step, T, R> const h(rows, block_partition);
    COPPICE_UNROLL_BY(7)
    for (int j = block_partition / 2 - 2; j > 0; --j) h.substitute(j, x1, x2);
}

/// Solves a partition of fewer rows than block_partition in one thread.
template <pivoting P, class T, class R>
COPPICE_HD inline void substitute_short(partition_rows<T, R> const& rows, int length, interface_values<R> const& x,
                                        boundary_multipliers<T> const& multipliers, auto const& threshold) {
    if (length > 2) return substitute_partition<P>(rows, length, x, threshold, multipliers);
    if (length > 0) rows.rhs[0] = x.first, rows.rhs[1] = x.last;
}

/// Solves a partition in shared memory by two threads of different warps, one for each half.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class R, class Block>
COPPICE_HD inline void substitute_lane(Block const& block, partition_rows<T, R> const& rows, auto length,
                                       interface_values<R> const& x, boundary_multipliers<T> const& multipliers,
                                       auto const& threshold) {
    constexpr int end = block_partition - 1, above = block_partition / 2 - 1;
    bool const from_above = block.thread() < tile_partitions, is_short = length != block_partition;
    if (!is_short) { // one thread solves a shorter partition, below
        if (from_above)
            eliminate_half<P, 1>(rows, x.before, x.first, multipliers.first, threshold);
        else
            eliminate_half<P, -1>(rows, x.after, x.last, multipliers.last, threshold);
    }
    block.sync();
    middle_values<R> middle{};
    if (!is_short)
        middle = solve_middle<P>(remaining_rows(half<P, 1, T, R>(rows, block_partition)),
                                 remaining_rows(half<P, -1, T, R>(rows, block_partition)), threshold);
    block.sync(); // both threads have read the remaining equations
    if (is_short) {
        if (from_above) substitute_short<P>(rows, length, x, multipliers, threshold);
        return;
    }
    rows.rhs[from_above ? 0 : end] = select(from_above, x.first, x.last);
    rows.rhs[from_above ? above : above + 1] = select(from_above, middle.down, middle.up);
    if (from_above)
        substitute_half<P, 1>(rows, middle.down, middle.up);
    else
        substitute_half<P, -1>(rows, middle.up, middle.down);
}

/// Substitution of one tile; `shared` has tile_bytes<T, R> bytes. Its rows are complete before the preceding kernel
/// begins, which solves the coarse system; so they are loaded while that kernel runs.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class R, bool Cyclic = false, class T, class Block>
COPPICE_HD inline void substitute_tile(Block const& block, level<T> const& s, std::int64_t tile,
                                       unsigned char* shared) {
    int const lane = block.thread() % tile_partitions;
    partition_rows<T, R> const rows = tile_at<T, R>(shared, tile_band);
    row_offsets targets; // of whole tiles
    start_tile<Cyclic>(block, s.fine, tile, rows, targets, [] {});
    if (s.fine.target && s.fine.target != s.fine.order && (tile + 1) * tile_rows <= s.fine.size)
        targets.read(block, s.fine.target, tile * tile_rows);
    block.await_predecessor();
    interface_values<R> const x = interfaces_of<R, Cyclic>(s, tile * tile_partitions + lane);
    pair_record record(0, 0);
    boundary_multipliers<T> multipliers;
    if constexpr (P != pivoting::none)
        if (has_pair(s, tile, lane)) {
            record = pair_record(s.pair_records[(tile * tile_partitions + lane) / 2]);
            multipliers = record.multipliers<T>(lane % 2 * 2);
        }
    finish_copies();
    block.sync();
    pair_split const split = record.split();
    bool const anew = split.number != 0, from_above = block.thread() < tile_partitions;
    bool const shifted = P != pivoting::none && block.ballot(anew) != 0; // uniform in both warps
    if (shifted) {
        if constexpr (P != pivoting::none) {
            int const second = lane % 2;
            shifted_offset const offset(split);
            if (anew) shift_rows(rows, lane - second, offset.gap, 2 * second + int(from_above));
            block.sync();
            auto const of_pair = lane_rows(rows, lane - second);
            pair_partition const piece = split.partition(second, 2 * block_partition);
            std::int64_t const first = 2 * (tile * tile_partitions + lane - second);
            auto const around = piece.around([&](int i) { return coarse_unknown<R, Cyclic>(s, first + i); });
            int const length = second < split.partitions() ? piece.length : 0;
            substitute_lane<P>(block, of_pair.from(offset(piece.first)), length, around,
                               record.multipliers<T>(piece.coarse), s.threshold);
            // A single row is the first or the last of its pair, whose unknowns are coarse unknowns in every split.
            if (anew && from_above)
                of_pair.rhs[second * 2 * block_partition] = coarse_unknown<R, Cyclic>(s, first + 3 * second);
            block.sync();
            if (anew && from_above && second == 0) shift_solution_back(of_pair.rhs, offset.gap);
        }
    } else if (!Cyclic && s.threshold > T(0))
        substitute_lane<P>(block, lane_rows(rows, lane), fixed_length<block_partition>{}, x, multipliers, s.threshold);
    else
        substitute_lane<P>(block, lane_rows(rows, lane), fixed_length<block_partition>{}, x, multipliers,
                           no_threshold{});
    block.sync();
    std::int64_t const first = tile * tile_rows + block.thread();
    std::int64_t const end = Cyclic ? s.partitions * block_partition : s.fine.size;
    finite_check<T> check{s.fine.not_finite};
    auto const store = [&](R values, std::int64_t to) {
        COPPICE_UNROLL
        for (int c = 0; c < rhs_count<R>; ++c) check.see(rhs_at(values, c));
        store_rhs(values, s.fine.x, to, s.fine.x_leading, s.fine.columns);
    };
    if (int const i = block.thread(); i < rows_after<Cyclic>(s, tile))
        store(load_rhs<R>(s.coarse.rhs, 2 * s.partitions + i, s.coarse.leading, s.fine.columns),
              s.fine.target_of(end + i));
    if ((tile + 1) * tile_rows <= end) {
        COPPICE_UNROLL
        for (int j = 0; j < rows_of_thread; ++j)
            store(rows.rhs[offset_of_row(block.thread(), j)], s.fine.target ? targets.of[j] : first + j * tile_threads);
    } else {
        for (int j = 0; j < rows_of_thread && first + j * tile_threads < end; ++j)
            store(rows.rhs[offset_of_row(block.thread(), j)], s.fine.target_of(first + j * tile_threads));
    }
    check.finish();
}

} // namespace coppice::inline v0_1::rpts
