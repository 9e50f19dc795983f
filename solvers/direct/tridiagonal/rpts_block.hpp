// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// RPTS on systems that do not fit on chip (thesis sections 2.6.1-2.6.7): the bodies of the kernels, templates
/// over the Block of core/block.hpp, so that tests run them on CPU threads.
///
/// A block stages a tile of 32 partitions in shared memory, where thread l walks through partition l. Reading the tile
/// is coalesced; partitions lie M + 1 elements apart there, an odd number, so that the 32 lanes of a warp always meet
/// 32 different banks. Several right-hand sides of a tile lie there together, one element of each after the other, and
/// the matrix is read and eliminated once for them all.
///
/// M is even on purpose. A partition reduces well where its M - 2 inner rows are not singular by themselves. With a
/// (nearly) zero diagonal, as in matrices 14 to 16 of Table 4, an odd number of them always is.
#pragma once

#include <cstdint>

#include <coppice/core/block.hpp>
#include <coppice/core/element_copy.hpp>
#include <coppice/solvers/direct/interface/rhs_pack.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_boundaries.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_levels.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_vectors.hpp>

namespace coppice::rpts {

/// Where row i of consecutive partitions of M rows lies in shared memory: partitions begin an odd number of elements
/// apart.
template <int M>
COPPICE_HD constexpr int padded(int i) {
    static_assert(M % 2 == 0);
    return i + int(unsigned(i) / unsigned(M));
}

inline constexpr int block_partition = 32; ///< M on the GPU
inline constexpr int tile_partitions = 32; ///< L: a partition for each lane of a warp
inline constexpr int tile_rows = tile_partitions * block_partition;
inline constexpr int tile_threads = 64; ///< the reduction walks downwards in one warp and upwards in the other
inline constexpr int tile_band = padded<block_partition>(tile_rows); ///< elements of a band in shared memory

/// A thread copies every tile_threads-th row of a tile; place_of_row says where the j-th of these rows lies in shared
/// memory.
inline constexpr int rows_of_thread = tile_rows / tile_threads;
COPPICE_HD inline int place_of_row(int thread, int j) {
    static_assert(tile_threads % block_partition == 0);
    return padded<block_partition>(thread) + j * padded<block_partition>(tile_threads);
}

/// Number of right-hand sides that one tile holds in an R: T is one, side_pack are several.
template <class R>
inline constexpr int side_count = 1;
template <class T, int Count>
inline constexpr int side_count<side_pack<T, Count>> = Count;

template <class T, class R>
inline constexpr int tile_rows_bytes = tile_band* int(3 * sizeof(T) + sizeof(R));
/// Bytes of a tile: its rows and, behind them, words through which the two warps exchange ballots (settle_borders).
template <class T, class R>
inline constexpr int tile_bytes = tile_rows_bytes<T, R> + 32;

template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T& side_at(T& all, int) {
    return all;
}
template <class T, int Count>
COPPICE_HD COPPICE_ALWAYS_INLINE T& side_at(side_pack<T, Count>& all, int c) {
    return all.value[c];
}

/// The values of all right-hand sides in row i, `leading` apart; zero behind the last column.
template <class R, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE R sides_at(T const* values, std::int64_t i, std::int64_t leading,
                                            std::int64_t columns) {
    R all;
    COPPICE_UNROLL
    for (int c = 0; c < side_count<R>; ++c) side_at(all, c) = c == 0 || c < columns ? values[i + c * leading] : T(0);
    return all;
}
template <class R, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE void put_sides(R all, T* values, std::int64_t i, std::int64_t leading,
                                                std::int64_t columns) {
    COPPICE_UNROLL
    for (int c = 0; c < side_count<R>; ++c)
        if (c == 0 || c < columns) values[i + c * leading] = side_at(all, c);
}

/// The tile in shared memory: three bands, then the right-hand sides; these begin at a multiple of 16 bytes, as a pack
/// of two doubles needs.
template <class T, class R>
COPPICE_HD inline partition_rows<T, R> tile_at(unsigned char* shared, int rows) {
    T* const lower = reinterpret_cast<T*>(shared);
    return {lower, lower + rows, lower + 2 * rows, reinterpret_cast<R*>(lower + 3 * rows)};
}

/// Loads a tile at an end of the system. Rows behind the last one become x = 0; corner entries become zero, but in a
/// cyclic system. A barrier has to follow.
COPPICE_NO_EXEC_CHECK
template <bool Cyclic, class T, class R, class Block>
COPPICE_HD inline void load_edge(Block const& block, system_view<T> const& s, std::int64_t first,
                                 partition_rows<T, R> const& to) {
    T const last = s.diagonal[s.size - 1], below = s.size > 1 ? s.lower[s.size - 1] : T(0);
    T const behind = filling(larger_magnitude(below, last));
    for (int i = block.thread(); i < tile_rows; i += block.threads()) {
        int const at = padded<block_partition>(i);
        std::int64_t const row = first + i;
        bool const inside = row < s.size;
        to.lower[at] = inside && (row > 0 || (Cyclic && (!s.stretch || s.before))) ? s.lower[row] : T(0);
        to.diagonal[at] = inside ? s.diagonal[row] : behind;
        to.upper[at] = row < (Cyclic && (!s.stretch || s.behind) ? s.size : s.size - 1) ? s.upper[row] : T(0);
        to.rhs[at] = inside ? sides_at<R>(s.rhs, s.place_of(row), s.rhs_leading, s.columns) : R(T(0));
    }
}

/// Loads `Bands` bands of a tile inside the system, 16 bytes at a time through registers, since the padding breaks the
/// alignment that wide copies to shared memory need. All loads are on their way before the first store; the stores of a
/// warp meet 32 different banks, as 4 t + t / 8 (in floats) does.
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
            // A vector never crosses a partition.
            T* const at = to[band] + padded<block_partition>(vector::length * block.thread()) +
                          j * padded<block_partition>(vector::length * tile_threads);
            COPPICE_UNROLL
            for (int k = 0; k < vector::length; ++k) at[k] = staged[band][j].element[k];
        }
    }
}

/// Starts to load the matrix, and a single right-hand side, of a tile inside the system. finish_copies() and a barrier
/// have to follow.
COPPICE_NO_EXEC_CHECK
template <class T, class R, class Block>
COPPICE_HD inline void start_inside(Block const& block, system_view<T> const& s, std::int64_t first,
                                    partition_rows<T, R> const& to) {
    constexpr bool alone = side_count<R> == 1;
    T const *const lower = s.lower + first, *const diagonal = s.diagonal + first, *const upper = s.upper + first,
                   *const rhs = s.rhs + first;
    bool const in_order = alone && !s.order;
    // In double precision the registers that wide loads take cost more than they gain (measured on an H200).
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
        int const i = block.thread() + j * tile_threads, at = place_of_row(block.thread(), j);
        start_copy(to.lower + at, lower + i);
        start_copy(to.diagonal + at, diagonal + i);
        start_copy(to.upper + at, upper + i);
        if constexpr (alone)
            if (in_order) start_copy(to.rhs + at, rhs + i);
    }
}

/// Where the rows of a thread, in a whole tile of a system that has an order, have their right-hand sides and
/// solutions.
struct row_places {
    std::int32_t of[rows_of_thread];

    COPPICE_NO_EXEC_CHECK
    template <class Block>
    COPPICE_HD COPPICE_ALWAYS_INLINE void read(Block const& block, std::int32_t const* order, std::int64_t first) {
        COPPICE_UNROLL
        for (int j = 0; j < rows_of_thread; ++j) of[j] = order[first + block.thread() + j * tile_threads];
    }
};

/// Loads the right-hand sides of such a tile, or several. A thread has all its rows on their way at once, or eight rows
/// where there are several right-hand sides.
COPPICE_NO_EXEC_CHECK
template <class T, class R, class Block>
COPPICE_HD inline void load_sides(Block const& block, system_view<T> const& s, std::int64_t first,
                                  row_places const& places, R* to) {
    if constexpr (side_count<R> == 1) {
        R rows[rows_of_thread];
        COPPICE_UNROLL
        for (int j = 0; j < rows_of_thread; ++j) rows[j] = s.rhs[places.of[j]];
        COPPICE_UNROLL
        for (int j = 0; j < rows_of_thread; ++j) to[place_of_row(block.thread(), j)] = rows[j];
    } else {
        constexpr int together = 8;
        for (int start = 0; start < rows_of_thread; start += together) {
            R rows[together];
            COPPICE_UNROLL
            for (int j = 0; j < together; ++j)
                rows[j] =
                    sides_at<R>(s.rhs, first + block.thread() + (start + j) * tile_threads, s.rhs_leading, s.columns);
            COPPICE_UNROLL
            for (int j = 0; j < together; ++j) to[place_of_row(block.thread(), start + j)] = rows[j];
        }
    }
}

/// Starts to stage a tile; the block has tile_threads threads. finish_copies() and a barrier have to follow. `await()`
/// comes before the first access to what the kernel in front may have written: the right-hand sides, and the matrix
/// where it is not settled.
COPPICE_NO_EXEC_CHECK
template <bool Cyclic, class T, class R, class Block, class Await>
COPPICE_HD inline void start_tile(Block const& block, system_view<T> const& s, std::int64_t tile,
                                  partition_rows<T, R> const& to, row_places& places, Await const& await) {
    std::int64_t const first = tile * tile_rows;
    bool const inside = tile > 0 && first + tile_rows < s.size, early = inside && s.order && s.settled;
    if (!early) await();
    if (s.order && first + tile_rows <= s.size) places.read(block, s.order, first);
    if (!inside) return load_edge<Cyclic>(block, s, first, to);
    start_inside(block, s, first, to); // on its way while the right-hand sides are read
    if (early) await();
    if (side_count<R> != 1 || s.order) load_sides(block, s, first, places, to.rhs);
}

/// The rows of partition `lane` of a tile.
template <class T, class R>
COPPICE_HD inline partition_rows<T, R> lane_rows(partition_rows<T, R> const& rows, int lane) {
    return rows.from(padded<block_partition>(lane * block_partition));
}

/// The coarse row that thread `t` of a tile makes: the first 32 threads sweep downwards through their partitions, the
/// other 32 upwards.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class R>
COPPICE_HD inline coarse_row<T, R> reduce_lane(partition_rows<T, R> const& rows, int t, int length,
                                               auto const& threshold, T* share = nullptr) {
    return t < tile_partitions ? reduce_downwards<P>(rows, length, threshold, share)
                               : reduce_upwards<P>(rows, length, threshold, share);
}

/// Whether partition `lane` of a tile, and its partner in a pair, are partitions of the system.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE bool has_pair(stage<T> const& s, std::int64_t tile, int lane) {
    return tile * tile_partitions + lane < s.partitions;
}

/// Rows of a cyclic system that are in no partition, where `tile` is its last one; else none.
template <bool Cyclic, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE int rest_behind(stage<T> const& s, std::int64_t tile) {
    if (!Cyclic || tile != (s.partitions - 1) / tile_partitions) return 0;
    return int(s.fine.size - s.partitions * block_partition);
}

/// Where row i of a pair stands, whose 2 M rows take 2 M + 1 places, when rows have moved so that every partition
/// stands without a gap: the free place is in front of row `gap`. Before, it is in the middle (padded).
struct moved_place {
    int gap;
    COPPICE_HD COPPICE_ALWAYS_INLINE explicit moved_place(pair_cut const& cut)
        : gap(cut.part(0, 2 * block_partition).end()) {}
    COPPICE_HD COPPICE_ALWAYS_INLINE int operator()(int i) const { return i < gap ? i : i + 1; }
};
/// Moves the rows of a pair whose first partition is `lane` to these places.
template <class T, class R>
COPPICE_HD inline void move_rows(partition_rows<T, R> const& all, int lane, int gap) {
    auto const rows = lane_rows(all, lane);
    auto const copy = [&](int to, int from) {
        rows.lower[to] = rows.lower[from];
        rows.diagonal[to] = rows.diagonal[from];
        rows.upper[to] = rows.upper[from];
        rows.rhs[to] = rows.rhs[from];
    };
    for (int k = block_partition; k < gap; ++k) copy(k, k + 1);
    for (int k = block_partition; k > gap; --k) copy(k, k - 1);
}
/// Moves the solution of such a pair back.
template <class R>
COPPICE_HD inline void move_solution_back(R* x, int gap) {
    for (int k = gap; k > block_partition; --k) x[k] = x[k - 1];
    for (int k = gap; k < block_partition; ++k) x[k] = x[k + 1];
}

/// Which pairs of partitions meet a condition: bit l, l even, is set if `condition` holds in both warps for partition
/// l, or in both for partition l + 1. Ends with a barrier; two calls in a row need different `words`.
COPPICE_NO_EXEC_CHECK
template <class Block>
COPPICE_HD inline unsigned pairs_with(Block const& block, unsigned* words, bool condition) {
    unsigned const mine = block.ballot(condition);
    if (block.thread() % tile_partitions == 0) words[block.thread() / tile_partitions] = mine;
    block.sync();
    unsigned const both = words[0] & words[1];
    return (both | both >> 1) & 0x55555555u;
}

/// After the sweeps of a tile: cuts pairs anew where partitions are nearly singular inside, see rpts_borders.hpp, and
/// makes their coarse rows. Afterwards the tile may be overwritten.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class R, class Block>
COPPICE_HD inline void settle_borders(Block const& block, stage<T> const& s, std::int64_t tile,
                                      partition_rows<T, R> const& all, unsigned* words, T const& share,
                                      coarse_row<T, R>& row) {
    bool const downwards = block.thread() < tile_partitions;
    int const lane = block.thread() % tile_partitions, pair = lane & ~1;
    bool const may = has_pair(s, tile, lane);
    unsigned watched = pairs_with(block, words, may && share < T(watched_share));
    pair_cut mine;
    T share_then = share;
    if (watched != 0) { // the same in all threads
        COPPICE_NO_UNROLL
        for (int k = 0; k < pair_cut::numbers && watched != 0; ++k) {
            bool const looks = (watched >> pair & 1) != 0;
            pair_cut const cut{k};
            T found(1);
            if (looks)
                found = share_in_pair<P, T>(lane_rows(all, pair), cut.part(lane - pair, 2 * block_partition), downwards,
                                            s.threshold, [](int i) { return padded<block_partition>(i); });
            unsigned const still = watched & pairs_with(block, words + 2 - k % 2 * 2, found < T(least_share));
            if (looks && (still >> pair & 1) == 0) mine = cut;
            watched = still;
        }
        moved_place const place(mine);
        if (mine.number != 0 && downwards && lane == pair) move_rows(all, lane, place.gap);
        block.sync();
        if (mine.number != 0)
            row = row_of_pair<P>(lane_rows(all, pair), mine.part(lane - pair, 2 * block_partition),
                                 2 * (lane - pair) + int(downwards), s.threshold, place, share_then);
        block.sync();
    }
    // Threads that walk downwards make the second coarse row of a partition, the others the first.
    unsigned const small = block.ballot(share_then < T(least_outer_share));
    if (block.thread() % tile_partitions == 0) words[downwards ? 4 : 5] = small;
    block.sync();
    if (may && downwards && lane == pair) {
        unsigned const firsts = words[5] >> lane & 3, lasts = words[4] >> lane & 3;
        unsigned const of_pair = (firsts & 1) | (lasts & 1) << 1 | (firsts & 2) << 1 | (lasts & 2) << 2;
        s.borders[(tile * tile_partitions + lane) / 2] = pair_note(mine.number, of_pair).stored();
    }
}

template <class T, class R>
COPPICE_HD inline void put_row(partition_rows<T, R> const& rows, int i, coarse_row<T, R> const& row) {
    rows.lower[i] = row.lower;
    rows.diagonal[i] = row.diagonal;
    rows.upper[i] = row.upper;
    rows.rhs[i] = row.rhs;
}

/// Reduction of one tile; `shared` holds tile_bytes<T, R>, the block has tile_threads threads. `await` as for
/// start_tile().
COPPICE_NO_EXEC_CHECK
template <pivoting P, class R, bool Cyclic = false, class T, class Block, class Await>
COPPICE_HD inline void reduce_tile(Block const& block, stage<T> const& s, std::int64_t tile, unsigned char* shared,
                                   Await const& await) {
    static_assert(tile_threads == 2 * tile_partitions);
    partition_rows<T, R> const all = tile_at<T, R>(shared, tile_band);
    row_places places;
    start_tile<Cyclic>(block, s.fine, tile, all, places, await);
    finish_copies();
    block.sync();
    int const lane = block.thread() % tile_partitions;
    partition_rows<T, R> const rows = lane_rows(all, lane);
    coarse_row<T, R> row;
    T share(1);
    row = !Cyclic && s.threshold > T(0) ? reduce_lane<P>(rows, block.thread(), block_partition, s.threshold, &share)
                                        : reduce_lane<P>(rows, block.thread(), block_partition, no_threshold{}, &share);
    if constexpr (P == pivoting::none)
        block.sync();
    else
        settle_borders<P>(block, s, tile, all, reinterpret_cast<unsigned*>(shared + tile_rows_bytes<T, R>), share, row);
    // The rows of the tile are not needed any more: their memory gathers the coarse rows, for coalesced stores.
    constexpr int coarse_rows = 2 * tile_partitions;
    partition_rows<T, R> const gathered = tile_at<T, R>(shared, coarse_rows);
    put_row(gathered, 2 * lane + (block.thread() < tile_partitions ? 1 : 0), row);
    block.sync();
    std::int64_t const first = tile * coarse_rows, size = 2 * s.partitions;
    for (int i = block.thread(); i < coarse_rows && first + i < size; i += block.threads()) {
        s.coarse.lower[first + i] = gathered.lower[i];
        s.coarse.diagonal[first + i] = gathered.diagonal[i];
        s.coarse.upper[first + i] = gathered.upper[i];
        put_sides(gathered.rhs[i], s.coarse.rhs, first + i, s.coarse.leading, s.fine.columns);
    }
    if (int const i = block.thread(); i < rest_behind<Cyclic>(s, tile)) {
        std::int64_t const at = s.partitions * block_partition + i;
        auto const rest = scaled<P>(s.fine.lower[at], s.fine.diagonal[at], s.fine.upper[at],
                                    sides_at<R>(s.fine.rhs, s.fine.place_of(at), s.fine.rhs_leading, s.fine.columns));
        s.coarse.lower[size + i] = rest.lower;
        s.coarse.diagonal[size + i] = rest.diagonal;
        s.coarse.upper[size + i] = rest.upper;
        put_sides(rest.rhs, s.coarse.rhs, size + i, s.coarse.leading, s.fine.columns);
    }
}

/// Coarse unknown i, -1 and 2 for those around a system of one partition. Outside the system they are zero; in a cyclic
/// system they are the unknowns at its other end; in a part of a longer system the unknowns beyond the part.
template <class R, bool Cyclic, class T>
COPPICE_HD inline R coarse_unknown(stage<T> const& s, std::int64_t i) {
    std::int64_t const size = coarse_rows(s.fine.size, s.partitions, block_partition, Cyclic);
    if constexpr (Cyclic) {
        if (s.fine.stretch && (i < 0 || i >= size)) {
            T const* const beyond = i < 0 ? s.fine.before : i == size ? s.fine.behind : nullptr;
            return beyond ? R(*beyond) : R(T(0));
        }
        i = i < 0 ? size - 1 : i == size ? 0 : i;
    }
    return i >= 0 && i < size ? sides_at<R>(s.coarse.rhs, i, s.coarse.leading, s.fine.columns) : R(T(0));
}
/// The interface unknowns of a partition from the solution of the coarse system.
template <class R, bool Cyclic, class T>
COPPICE_HD inline interface_values<R> interfaces_of(stage<T> const& s, std::int64_t partition) {
    std::int64_t const i = 2 * partition;
    return {coarse_unknown<R, Cyclic>(s, i - 1), coarse_unknown<R, Cyclic>(s, i), coarse_unknown<R, Cyclic>(s, i + 1),
            coarse_unknown<R, Cyclic>(s, i + 2)};
}

/// Stores the two rows that are left of a half in shared memory, where the thread of the other half reads them: in
/// places that hold no pivot row of the half, which are its last row and the right-hand side of its first row.
template <pivoting P, int Step, class T, class R>
COPPICE_HD inline void leave_rows(half<P, Step, T, R> const& h, half_rows<T, R> const& left) {
    constexpr int last = (block_partition / 2 - 1) * Step;
    h.near[last] = left.p.entry;
    h.middle[last] = left.p.next;
    h.away[last] = left.alone.entry;
    h.side[last] = left.p.rhs;
    h.side[0] = left.alone.rhs;
}
template <pivoting P, int Step, class T, class R>
COPPICE_HD inline half_rows<T, R> left_rows(half<P, Step, T, R> const& h) {
    constexpr int last = (block_partition / 2 - 1) * Step;
    return {{h.away[last], T(0), h.side[0]}, {h.near[last], h.middle[last], h.side[last]}};
}

template <pivoting P, int Step, class T, class R>
COPPICE_HD inline void eliminate_half(partition_rows<T, R> const& rows, R const& before, R const& first, T const& share,
                                      auto const& threshold) {
    half<P, Step, T, R> const h(rows, block_partition);
    auto left = h.begin(before, first, share);
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

/// Solves a partition of fewer rows than the others, by one thread.
template <pivoting P, class T, class R>
COPPICE_HD inline void substitute_short(partition_rows<T, R> const& rows, int length, interface_values<R> const& x,
                                        outer_shares<T> const& shares, auto const& threshold) {
    if (length > 2) return substitute_partition<P>(rows, length, x, threshold, shares);
    if (length > 0) rows.rhs[0] = x.first, rows.rhs[1] = x.last;
}

/// Solves a partition in shared memory by two threads of different warps: one from above, one from below.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class R, class Block>
COPPICE_HD inline void substitute_lane(Block const& block, partition_rows<T, R> const& rows, auto length,
                                       interface_values<R> const& x, outer_shares<T> const& shares,
                                       auto const& threshold) {
    constexpr int end = block_partition - 1, above = block_partition / 2 - 1;
    bool const from_above = block.thread() < tile_partitions, is_short = length != block_partition;
    if (!is_short) { // a shorter one is solved by one thread, further down
        if (from_above)
            eliminate_half<P, 1>(rows, x.before, x.first, shares.first, threshold);
        else
            eliminate_half<P, -1>(rows, x.after, x.last, shares.last, threshold);
    }
    block.sync();
    middle_values<R> middle{};
    if (!is_short)
        middle = solve_middle<P>(left_rows(half<P, 1, T, R>(rows, block_partition)),
                                 left_rows(half<P, -1, T, R>(rows, block_partition)), threshold);
    block.sync(); // both threads have read the rows that are left
    if (is_short) {
        if (from_above) substitute_short<P>(rows, length, x, shares, threshold);
        return;
    }
    rows.rhs[from_above ? 0 : end] = select(from_above, x.first, x.last);
    rows.rhs[from_above ? above : above + 1] = select(from_above, middle.down, middle.up);
    if (from_above)
        substitute_half<P, 1>(rows, middle.down, middle.up);
    else
        substitute_half<P, -1>(rows, middle.up, middle.down);
}

/// Substitution of one tile; `shared` holds tile_bytes<T, R>. Its rows are there before the kernel in front begins,
/// which solves the coarse system: they are read while that one works.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class R, bool Cyclic = false, class T, class Block>
COPPICE_HD inline void substitute_tile(Block const& block, stage<T> const& s, std::int64_t tile,
                                       unsigned char* shared) {
    int const lane = block.thread() % tile_partitions;
    partition_rows<T, R> const rows = tile_at<T, R>(shared, tile_band);
    row_places targets; // of whole tiles
    start_tile<Cyclic>(block, s.fine, tile, rows, targets, [] {});
    if (s.fine.target && s.fine.target != s.fine.order && (tile + 1) * tile_rows <= s.fine.size)
        targets.read(block, s.fine.target, tile * tile_rows);
    block.await_predecessor();
    interface_values<R> const x = interfaces_of<R, Cyclic>(s, tile * tile_partitions + lane);
    pair_note note(0, 0);
    outer_shares<T> shares;
    if constexpr (P != pivoting::none)
        if (has_pair(s, tile, lane)) {
            note = pair_note(s.borders[(tile * tile_partitions + lane) / 2]);
            shares = note.shares<T>(lane % 2 * 2);
        }
    finish_copies();
    block.sync();
    pair_cut const cut = note.cut();
    bool const anew = cut.number != 0, from_above = block.thread() < tile_partitions;
    bool const moved = P != pivoting::none && block.ballot(anew) != 0; // the same in both warps
    if (moved) {
        if constexpr (P != pivoting::none) {
            int const second = lane % 2;
            moved_place const place(cut);
            bool const moves_rows = anew && from_above && second == 0;
            if (moves_rows) move_rows(rows, lane, place.gap);
            block.sync();
            auto const of_pair = lane_rows(rows, lane - second);
            pair_part const part = cut.part(second, 2 * block_partition);
            std::int64_t const first = 2 * (tile * tile_partitions + lane - second);
            auto const around = part.around([&](int i) { return coarse_unknown<R, Cyclic>(s, first + i); });
            int const length = second < cut.parts() ? part.length : 0;
            substitute_lane<P>(block, of_pair.from(place(part.first)), length, around, note.shares<T>(part.coarse),
                               s.threshold);
            // A row alone is the first or the last of its pair, whose unknowns are known whatever the cut.
            if (anew && from_above)
                of_pair.rhs[second * 2 * block_partition] = coarse_unknown<R, Cyclic>(s, first + 3 * second);
            block.sync();
            if (moves_rows) move_solution_back(of_pair.rhs, place.gap);
        }
    } else if (!Cyclic && s.threshold > T(0))
        substitute_lane<P>(block, lane_rows(rows, lane), fixed_length<block_partition>{}, x, shares, s.threshold);
    else
        substitute_lane<P>(block, lane_rows(rows, lane), fixed_length<block_partition>{}, x, shares, no_threshold{});
    block.sync();
    std::int64_t const first = tile * tile_rows + block.thread();
    std::int64_t const end = Cyclic ? s.partitions * block_partition : s.fine.size;
    if (int const i = block.thread(); i < rest_behind<Cyclic>(s, tile))
        put_sides(sides_at<R>(s.coarse.rhs, 2 * s.partitions + i, s.coarse.leading, s.fine.columns), s.fine.x,
                  s.fine.target_of(end + i), s.fine.x_leading, s.fine.columns);
    if ((tile + 1) * tile_rows <= end) {
        COPPICE_UNROLL
        for (int j = 0; j < rows_of_thread; ++j)
            put_sides(rows.rhs[place_of_row(block.thread(), j)], s.fine.x,
                      s.fine.target ? targets.of[j] : first + j * tile_threads, s.fine.x_leading, s.fine.columns);
    } else {
        for (int j = 0; j < rows_of_thread && first + j * tile_threads < end; ++j)
            put_sides(rows.rhs[place_of_row(block.thread(), j)], s.fine.x, s.fine.target_of(first + j * tile_threads),
                      s.fine.x_leading, s.fine.columns);
    }
}

} // namespace coppice::rpts
