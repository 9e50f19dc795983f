// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Tiles of RPTS in the shared memory of a GPU block: their layout, and how they are loaded.
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
#include <coppice/core/config.hpp>
#include <coppice/core/element_copy.hpp>
#include <coppice/core/lane/lane_math.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_lane.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_levels.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_vectors.hpp>

namespace coppice::inline v0_1::rpts {

// A pack of several right-hand sides as one value of lane code: the arithmetic of the elimination applies to all of
// them; its decisions depend on the matrix only.

/// One element of each of `Count` right-hand sides, aligned to 16 bytes.
template <class T, int Count>
struct alignas(16) rhs_pack {
    T value[Count];

    rhs_pack() = default;
    COPPICE_LANE explicit rhs_pack(T all) {
        COPPICE_UNROLL
        for (int c = 0; c < Count; ++c) value[c] = all;
    }
    friend COPPICE_LANE rhs_pack operator+(rhs_pack a, rhs_pack const& b) {
        COPPICE_UNROLL
        for (int c = 0; c < Count; ++c) a.value[c] = a.value[c] + b.value[c];
        return a;
    }
    friend COPPICE_LANE rhs_pack operator-(rhs_pack a, rhs_pack const& b) {
        COPPICE_UNROLL
        for (int c = 0; c < Count; ++c) a.value[c] = a.value[c] - b.value[c];
        return a;
    }
    friend COPPICE_LANE rhs_pack operator*(T const& factor, rhs_pack a) {
        COPPICE_UNROLL
        for (int c = 0; c < Count; ++c) a.value[c] = factor * a.value[c];
        return a;
    }
    friend COPPICE_LANE rhs_pack multiply_add(T const& factor, rhs_pack a, rhs_pack const& b) {
        COPPICE_UNROLL
        for (int c = 0; c < Count; ++c) a.value[c] = coppice::multiply_add(factor, a.value[c], b.value[c]);
        return a;
    }
    friend COPPICE_LANE rhs_pack select(bool condition, rhs_pack const& a, rhs_pack const& b) {
        rhs_pack result;
        COPPICE_UNROLL
        for (int c = 0; c < Count; ++c) result.value[c] = condition ? a.value[c] : b.value[c];
        return result;
    }
};

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
/// A coarse row of a pair that is split in another way than in the middle, in shared memory, with the multiplier of the
/// last row of its sweep (resplit_pairs).
template <class T, class R>
struct resplit_row {
    T lower, diagonal, upper, multiplier;
    R rhs;
};
/// Bytes of the reduction of a tile: its rows, then the words through which the two warps exchange ballots, and a
/// resplit_row for each coarse row. The substitution needs the rows only.
inline constexpr int exchanged_words_bytes = 32;
template <class T, class R>
inline constexpr int tile_bytes = tile_rows_bytes<T, R> + exchanged_words_bytes +
                                  2 * tile_partitions* int(sizeof(resplit_row<T, R>));

template <class T>
COPPICE_LANE T& rhs_at(T& all, int) {
    return all;
}
template <class T, int Count>
COPPICE_LANE T& rhs_at(rhs_pack<T, Count>& all, int c) {
    return all.value[c];
}

/// The values of all right-hand sides in row i; columns have stride `leading`. Zero after the last column.
template <class R, class T>
COPPICE_LANE R load_rhs(T const* values, std::int64_t i, std::int64_t leading, std::int64_t columns) {
    R all;
    COPPICE_UNROLL
    for (int c = 0; c < rhs_count<R>; ++c) rhs_at(all, c) = c == 0 || c < columns ? values[i + c * leading] : T(0);
    return all;
}
template <class R, class T>
COPPICE_LANE void store_rhs(R all, T* values, std::int64_t i, std::int64_t leading, std::int64_t columns) {
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

/// Starts to load the matrix, and a single right-hand side, of the first or last tile of a system. Rows after the last
/// one become x = 0; corner entries become zero unless the system is cyclic. As for an inner tile, all copies are on
/// their way before the first is complete: the kernel ends when its slowest tile does.
COPPICE_NO_EXEC_CHECK
template <bool Cyclic, class T, class R, class Block>
COPPICE_HD inline void start_edge(Block const& block, system_view<T> const& s, std::int64_t first,
                                  partition_rows<T, R> const& to) {
    bool const couples_first = Cyclic && (!s.is_segment || s.before),
               couples_last = Cyclic && (!s.is_segment || s.after);
    T padding(1);
    if (first + tile_rows > s.size) {
        T const below = s.size > 1 ? s.lower[s.size - 1] : T(0);
        padding = padding_diagonal(larger_magnitude(below, s.diagonal[s.size - 1]));
    }
    COPPICE_UNROLL
    for (int j = 0; j < rows_of_thread; ++j) {
        int const at = offset_of_row(block.thread(), j);
        std::int64_t const row = first + block.thread() + j * tile_threads;
        bool const inside = row < s.size, lower = inside && (row > 0 || couples_first),
                   upper = inside && (row < s.size - 1 || couples_last);
        if (lower) start_copy(to.lower + at, s.lower + row);
        if (upper) start_copy(to.upper + at, s.upper + row);
        if (inside) start_copy(to.diagonal + at, s.diagonal + row);
        if (!lower) to.lower[at] = T(0);
        if (!upper) to.upper[at] = T(0);
        if (!inside) to.diagonal[at] = padding, to.rhs[at] = R(T(0));
        if constexpr (rhs_count<R> == 1)
            if (inside && !s.order) start_copy(to.rhs + at, s.rhs + row);
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
        vector const* const first = reinterpret_cast<vector const*>(from[band]) + block.thread();
        COPPICE_UNROLL
        for (int j = 0; j < each; ++j) staged[band][j] = first[j * tile_threads];
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
    T const *lower = s.lower + first, *diagonal = s.diagonal + first, *upper = s.upper + first, *rhs = s.rhs + first;
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
    // All other offsets are part of the instructions: 64-bit address arithmetic for every copy takes longer than they
    // do.
    lower += block.thread(), diagonal += block.thread(), upper += block.thread(), rhs += block.thread();
    auto const own = to.from(offset_of_row(block.thread(), 0));
    COPPICE_UNROLL
    for (int j = 0; j < rows_of_thread; ++j) {
        int const i = j * tile_threads, at = offset_of_row(0, j);
        start_copy(own.lower + at, lower + i);
        start_copy(own.diagonal + at, diagonal + i);
        start_copy(own.upper + at, upper + i);
    }
    if constexpr (alone) {
        if (!in_order) return;
        COPPICE_UNROLL
        for (int j = 0; j < rows_of_thread; ++j) start_copy(own.rhs + offset_of_row(0, j), rhs + j * tile_threads);
    }
}

/// Offsets of the right-hand sides or solutions of the rows of a thread, in a whole tile of a system that has an order.
struct row_offsets {
    std::int32_t of[rows_of_thread];

    COPPICE_NO_EXEC_CHECK
    template <class Block>
    COPPICE_LANE void read(Block const& block, std::int32_t const* order, std::int64_t first) {
        COPPICE_UNROLL
        for (int j = 0; j < rows_of_thread; ++j) of[j] = order[first + block.thread() + j * tile_threads];
    }
};

/// Loads the right-hand sides of a tile with an order, or several right-hand sides; those of rows after the last one
/// are zero. `offsets` is read for whole tiles only. A thread issues the loads of all its rows before it stores the
/// first, or of eight rows if there are several right-hand sides.
COPPICE_NO_EXEC_CHECK
template <class T, class R, class Block>
COPPICE_HD inline void load_tile_rhs(Block const& block, system_view<T> const& s, std::int64_t first,
                                     row_offsets const& offsets, R* to) {
    constexpr int together = rhs_count<R> == 1 ? rows_of_thread : 8;
    bool const whole = first + tile_rows <= s.size;
    for (int start = 0; start < rows_of_thread; start += together) {
        R rows[together];
        COPPICE_UNROLL
        for (int j = 0; j < together; ++j) {
            std::int64_t const row = first + block.thread() + (start + j) * tile_threads;
            if constexpr (rhs_count<R> == 1)
                rows[j] = whole ? s.rhs[offsets.of[j]] : row < s.size ? s.rhs[s.source_of(row)] : T(0);
            else
                rows[j] = row < s.size ? load_rhs<R>(s.rhs, row, s.rhs_leading, s.columns) : R(T(0));
        }
        COPPICE_UNROLL
        for (int j = 0; j < together; ++j) to[offset_of_row(block.thread(), start + j)] = rows[j];
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
    if (inside)
        start_inside(block, s, first, to); // these loads overlap with those of the right-hand sides
    else
        start_edge<Cyclic>(block, s, first, to);
    if (early) await();
    if (rhs_count<R> != 1 || s.order) load_tile_rhs(block, s, first, offsets, to.rhs);
}

/// The rows of partition `lane` of a tile.
template <class T, class R>
COPPICE_HD inline partition_rows<T, R> lane_rows(partition_rows<T, R> const& rows, int lane) {
    return rows.from(padded<block_partition>(lane * block_partition));
}

} // namespace coppice::inline v0_1::rpts
