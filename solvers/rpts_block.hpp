// SPDX-License-Identifier: BSD-3-Clause
/// \file RPTS in one block of a GPU (thesis sections 2.6.1-2.6.8): the bodies of the kernels, templates over the Block
/// of core/block.hpp, so that tests run them on CPU threads.
///
/// A block stages a tile of 32 partitions in shared memory, where thread l walks through partition l. Reading the tile
/// is coalesced; partitions lie M + 1 elements apart there, an odd number, so that the 32 lanes of a warp always meet
/// 32 different banks.
///
/// M is even on purpose. A partition reduces well where its M - 2 inner rows are not singular by themselves. With a
/// (nearly) zero diagonal, as in matrices 14 to 16 of Table 4, an odd number of them always is.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#include <cuda_pipeline.h>
#endif

#include "core/block.hpp"
#include "solvers/rpts_lane.hpp"
#include "solvers/rpts_stage.hpp"

namespace coppice::rpts {

inline constexpr int block_partition = 32; ///< M on the GPU
inline constexpr int tile_partitions = 32; ///< L: a partition for each lane of a warp
inline constexpr int tile_rows = tile_partitions * block_partition;
inline constexpr int tile_threads = 64; ///< the reduction walks downwards in one warp and upwards in the other

/// Where row i of a stretch of partitions of M rows lies.
template <int M>
COPPICE_HD constexpr int padded(int i) {
    static_assert(M % 2 == 0);
    return i + int(unsigned(i) / unsigned(M));
}

/// Elements of shared memory: four bands.
inline constexpr int tile_band = padded<block_partition>(tile_rows);
inline constexpr int tile_shared = 4 * tile_band;

/// Copies an element to shared memory; it is there after finish_copies() and a barrier.
template <class T>
COPPICE_HD inline void start_copy(T* to, T const* from) {
#if defined(__CUDA_ARCH__)
    __pipeline_memcpy_async(to, from, sizeof(T));
#else
    *to = *from;
#endif
}
COPPICE_HD inline void finish_copies() {
#if defined(__CUDA_ARCH__)
    __pipeline_commit();
    __pipeline_wait_prior(0);
#endif
}

/// Rows [0, length) at `shared`, band after band of `rows` elements.
template <class T>
COPPICE_HD inline partition_rows<T> bands_at(T* shared, int rows) {
    return {shared, shared + rows, shared + 2 * rows, shared + 3 * rows};
}

template <class T>
COPPICE_HD inline void put_row(partition_rows<T> const& rows, int i, coarse_row<T> const& row) {
    rows.lower[i] = row.lower;
    rows.diagonal[i] = row.diagonal;
    rows.upper[i] = row.upper;
    rows.rhs[i] = row.rhs;
}

/// Rows [first, first + rows) of a system; rows behind its end read x = 0, corner entries outside it become zero.
/// A barrier has to follow.
COPPICE_NO_EXEC_CHECK
template <int M, class T, class Block>
COPPICE_HD inline void load_edge(Block const& block, system_view<T> const& s, std::int64_t first, int rows,
                                 partition_rows<T> const& to) {
    for (int i = block.thread(); i < rows; i += block.threads()) {
        int const at = padded<M>(i);
        if (std::int64_t const row = first + i; row < s.size) {
            start_copy(to.lower + at, s.lower + row);
            start_copy(to.diagonal + at, s.diagonal + row);
            start_copy(to.upper + at, s.upper + row);
            start_copy(to.rhs + at, s.rhs + row);
        } else {
            put_row(to, at, coarse_row<T>{T(0), T(1), T(0), T(0)});
        }
    }
    finish_copies();
    // The corner entries, whatever was there, by the threads that copied them.
    if (first == 0 && block.thread() == 0) to.lower[0] = T(0);
    if (std::int64_t const last = s.size - 1 - first; last < rows && int(last) % block.threads() == block.thread())
        to.upper[padded<M>(int(last))] = T(0);
}

/// 16 bytes of a band.
template <class T>
struct alignas(16) band_vector {
    static constexpr int length = 16 / int(sizeof(T));
    T element[length];
};

template <class T>
COPPICE_HD inline bool aligned_to_16(system_view<T> const& s) {
    auto const bits = reinterpret_cast<std::uintptr_t>(s.lower) | reinterpret_cast<std::uintptr_t>(s.diagonal) |
                      reinterpret_cast<std::uintptr_t>(s.upper) | reinterpret_cast<std::uintptr_t>(s.rhs);
    return bits % 16 == 0;
}

/// A tile inside the system, 16 bytes at a time through registers, since the padding breaks the alignment that wide
/// copies to shared memory need. All loads are on their way before the first store; the stores of a warp meet 32
/// different banks, as 4 t + t / 8 (in floats) does.
COPPICE_NO_EXEC_CHECK
template <class T, class Block>
COPPICE_HD inline void load_inner_tile(Block const& block, system_view<T> const& s, std::int64_t first,
                                       partition_rows<T> const& to) {
    using vector = band_vector<T>;
    constexpr int each = tile_rows / vector::length / tile_threads;
    T const* const from[4] = {s.lower + first, s.diagonal + first, s.upper + first, s.rhs + first};
    T* const target[4] = {to.lower, to.diagonal, to.upper, to.rhs};
    vector staged[4][each];
    COPPICE_UNROLL
    for (int band = 0; band < 4; ++band) {
        COPPICE_UNROLL
        for (int j = 0; j < each; ++j)
            staged[band][j] = reinterpret_cast<vector const*>(from[band])[block.thread() + j * tile_threads];
    }
    COPPICE_UNROLL
    for (int band = 0; band < 4; ++band) {
        COPPICE_UNROLL
        for (int j = 0; j < each; ++j) {
            int const i = (block.thread() + j * tile_threads) * vector::length;
            T* const at = target[band] + padded<block_partition>(i); // a vector never crosses a partition
            COPPICE_UNROLL
            for (int k = 0; k < vector::length; ++k) at[k] = staged[band][j].element[k];
        }
    }
}

/// Stages a tile; the block has tile_threads threads. Ends with a barrier.
COPPICE_NO_EXEC_CHECK
template <class T, class Block>
COPPICE_HD inline void load_tile(Block const& block, system_view<T> const& s, std::int64_t tile, T* shared) {
    std::int64_t const first = tile * tile_rows;
    partition_rows<T> const to = bands_at(shared, tile_band);
    if (tile == 0 || first + tile_rows >= s.size) {
        load_edge<block_partition>(block, s, first, tile_rows, to);
    } else if (sizeof(T) == 4 && aligned_to_16(s)) {
        // In double precision the registers that this takes cost more than it gains (measured on an H200).
        load_inner_tile(block, s, first, to);
    } else {
        for (int i = block.thread(); i < tile_rows; i += block.threads()) {
            int const at = padded<block_partition>(i);
            start_copy(to.lower + at, s.lower + first + i);
            start_copy(to.diagonal + at, s.diagonal + first + i);
            start_copy(to.upper + at, s.upper + first + i);
            start_copy(to.rhs + at, s.rhs + first + i);
        }
        finish_copies();
    }
    block.sync();
}

/// Rows of partition `lane`.
template <int M, class T>
COPPICE_HD inline partition_rows<T> lane_rows(partition_rows<T> const& rows, int lane) {
    int const at = padded<M>(lane * M);
    return {rows.lower + at, rows.diagonal + at, rows.upper + at, rows.rhs + at};
}

/// What thread `t` of a tile contributes to the coarse system: the first 32 threads walk downwards, the next upwards.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T>
COPPICE_HD inline coarse_row<T> reduce_lane(partition_rows<T> const& rows, int t, auto const& threshold) {
    return t < tile_partitions ? reduce_downwards<P>(rows, block_partition, threshold)
                               : reduce_upwards<P>(rows, block_partition, threshold);
}

/// Reduction of one tile; `shared` holds tile_shared elements, the block has tile_threads threads.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class Block>
COPPICE_HD inline void reduce_tile(Block const& block, stage<T> const& s, std::int64_t tile, T* shared) {
    static_assert(tile_threads == 2 * tile_partitions);
    load_tile(block, s.fine, tile, shared);
    int const lane = block.thread() % tile_partitions;
    partition_rows<T> const rows = lane_rows<block_partition>(bands_at(shared, tile_band), lane);
    coarse_row<T> const row = s.threshold > T(0) ? reduce_lane<P>(rows, block.thread(), s.threshold)
                                                 : reduce_lane<P>(rows, block.thread(), no_threshold{});
    block.sync(); // the tile is used up: its memory gathers the coarse rows, for coalesced stores
    constexpr int coarse_rows = 2 * tile_partitions;
    partition_rows<T> const gathered = bands_at(shared, coarse_rows);
    put_row(gathered, 2 * lane + (block.thread() < tile_partitions ? 1 : 0), row);
    block.sync();
    std::int64_t const first = tile * coarse_rows, size = 2 * s.partitions;
    for (int i = block.thread(); i < coarse_rows && first + i < size; i += block.threads()) {
        s.coarse.lower[first + i] = gathered.lower[i];
        s.coarse.diagonal[first + i] = gathered.diagonal[i];
        s.coarse.upper[first + i] = gathered.upper[i];
        s.coarse.rhs[first + i] = gathered.rhs[i];
    }
}

/// The solution of a coarse system in global memory.
template <class T>
struct plain_solution {
    T const* x;
    COPPICE_HD T operator()(std::int64_t i) const { return x[i]; }
};
/// The interface unknowns of a partition from the solution of the coarse system; zero outside the system.
template <class T, class Coarse>
COPPICE_HD inline interface_values<T> interfaces_of(Coarse coarse, std::int64_t size, std::int64_t partition) {
    std::int64_t const i = 2 * partition;
    return {i > 0 && i <= size ? coarse(i - 1) : T(0), i < size ? coarse(i) : T(0), i < size ? coarse(i + 1) : T(0),
            i + 2 < size ? coarse(i + 2) : T(0)};
}

/// Substitution of one tile; `shared` holds tile_shared elements.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class Block>
COPPICE_HD inline void substitute_tile(Block const& block, stage<T> const& s, std::int64_t tile, T* shared) {
    int const lane = block.thread();
    interface_values<T> x{};
    if (lane < tile_partitions)
        x = interfaces_of<T>(plain_solution<T>{s.coarse.rhs}, 2 * s.partitions, tile * tile_partitions + lane);
    load_tile(block, s.fine, tile, shared);
    partition_rows<T> const rows = bands_at(shared, tile_band);
    if (lane < tile_partitions) {
        partition_rows<T> const mine = lane_rows<block_partition>(rows, lane);
        if (s.threshold > T(0))
            substitute_partition<P>(mine, block_partition, x, s.threshold);
        else
            substitute_partition<P>(mine, block_partition, x, no_threshold{});
    }
    block.sync();
    std::int64_t const first = tile * tile_rows;
    for (int i = block.thread(); i < tile_rows && first + i < s.fine.size; i += block.threads())
        s.fine.x[first + i] = rows.rhs[padded<block_partition>(i)];
}

// The last stage: a system that fits in the shared memory of one block, solved by the same recursion with shorter
// partitions, since here the length of the chains counts and not the traffic (fused final stage, section 2.6.8).

inline constexpr int chip_partition = 16; ///< M on chip
inline constexpr int chip_direct = 16;    ///< largest system left to one thread; at most chip_partition
inline constexpr int chip_levels = 8;     ///< 16 (16 / 2)^8 is far beyond any shared memory

/// The solution of a coarse system on chip.
template <class T>
struct padded_solution {
    T const* x;
    COPPICE_HD T operator()(std::int64_t i) const { return x[padded<chip_partition>(int(i))]; }
};

/// Sizes of the nested systems on chip and where they begin in shared memory.
template <class T>
struct chip_plan {
    int levels;                 ///< reductions
    int size[chip_levels + 1];  ///< rows, filled up to whole partitions on all levels but the last
    int start[chip_levels + 1]; ///< in elements
    int elements;               ///< of shared memory altogether

    COPPICE_HD explicit chip_plan(int n) : levels(0), elements(0) {
        for (;; ++levels) {
            int const partitions = (n + chip_partition - 1) / chip_partition;
            bool const direct = n <= chip_direct;
            size[levels] = direct ? n : partitions * chip_partition;
            start[levels] = elements;
            elements += 4 * padded<chip_partition>(size[levels]);
            if (direct) break;
            n = 2 * partitions;
        }
    }
    COPPICE_HD partition_rows<T> rows(T* shared, int level) const {
        return bands_at(shared + start[level], padded<chip_partition>(size[level]));
    }
};

/// Reduces a system on chip into the next one; whole warps walk in the same direction. Ends with a barrier.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class Block>
COPPICE_HD inline void reduce_on_chip(Block const& block, partition_rows<T> const& fine, int partitions,
                                      partition_rows<T> const& coarse, int coarse_size, T threshold) {
    int const workers = (partitions + warp_lanes - 1) / warp_lanes * warp_lanes;
    for (int t = block.thread(); t < 2 * workers; t += block.threads()) {
        int const p = t % workers;
        if (p >= partitions) continue;
        partition_rows<T> const rows = lane_rows<chip_partition>(fine, p);
        if (t < workers)
            put_row(coarse, padded<chip_partition>(2 * p + 1), reduce_downwards<P>(rows, chip_partition, threshold));
        else
            put_row(coarse, padded<chip_partition>(2 * p), reduce_upwards<P>(rows, chip_partition, threshold));
    }
    for (int i = 2 * partitions + block.thread(); i < coarse_size; i += block.threads())
        put_row(coarse, padded<chip_partition>(i), coarse_row<T>{T(0), T(1), T(0), T(0)});
    block.sync();
}

/// Solves a whole system in one block; `plan` is chip_plan(size), made by the launcher so that its arrays, indexed in
/// loops, lie in constant memory; `shared` holds plan.elements elements.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class Block>
COPPICE_HD inline void solve_on_chip(Block const& block, system_view<T> const& s, chip_plan<T> const& plan, T threshold,
                                     T* shared) {
    load_edge<chip_partition>(block, s, 0, plan.size[0], plan.rows(shared, 0));
    block.sync();
    for (int k = 0; k < plan.levels; ++k)
        reduce_on_chip<P>(block, plan.rows(shared, k), plan.size[k] / chip_partition, plan.rows(shared, k + 1),
                          plan.size[k + 1], threshold);
    if (block.thread() == 0) solve_directly<P>(plan.rows(shared, plan.levels), plan.size[plan.levels], threshold);
    block.sync();
    for (int k = plan.levels - 1; k >= 0; --k) {
        partition_rows<T> const fine = plan.rows(shared, k);
        int const partitions = plan.size[k] / chip_partition;
        padded_solution<T> const coarse{plan.rows(shared, k + 1).rhs};
        for (int p = block.thread(); p < partitions; p += block.threads())
            substitute_partition<P>(lane_rows<chip_partition>(fine, p), chip_partition,
                                    interfaces_of<T>(coarse, 2 * partitions, p), threshold);
        block.sync();
    }
    T const* const rhs = plan.rows(shared, 0).rhs;
    for (int i = block.thread(); i < int(s.size); i += block.threads()) s.x[i] = rhs[padded<chip_partition>(i)];
}

} // namespace coppice::rpts
