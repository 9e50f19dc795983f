// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Data that the blocks of an SRCSR kernel share: kernel arguments, sizes derived from the operators, and the read
/// policy.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include <coppice/core/block.hpp>
#include <coppice/core/late.hpp>
#include <coppice/semiring/operators/nonzero_streams.hpp>
#include <coppice/semiring/operators/operators.hpp>
#include <coppice/semiring/operators/shared_memory_layout.hpp>
#include <coppice/semiring/reduce_rows/srcsr_options.hpp>
#include <coppice/semiring/reduce_rows/srcsr_partition.hpp>

namespace coppice::inline v0_1::detail {

/// Path steps of a range are at most this number times the threads of the block. A range is one tile: each thread
/// prefetches, walks and stores this many items. The number is odd, so that the walk has no bank conflicts.
inline constexpr int range_items = 11;

/// Alignment of dynamic shared memory that the launcher guarantees.
inline constexpr int shared_alignment = 64;

/// Kernel arguments, equal for all blocks.
template <class O>
struct srcsr_job {
    O const* offsets;
    path_point const* splits; ///< ranges + 1 split points, with the kinds of the ranges
    /// One per range: partial sum of the last row, for the range where that row ends; empty between launches.
    hand_over_slot* slots;
    /// One per range: partial sum of the first row of the range if that row began in an earlier range and ends in this
    /// one (scheme balanced_postprocess).
    hand_over_slot* heads;
    /// 2 * ranges accumulators that replace the values of slots and heads if these are too large for a slot
    void* large_carries;
    std::int64_t ranges;
    std::int64_t rows;
    std::int64_t nonzeros;
    std::int64_t work_per_block;
    std::int64_t first_row; ///< rows outside [first_row, last_row) are not changed
    std::int64_t last_row;
    int range_steps; ///< largest number of path steps of a range
    int tile_steps;  ///< path steps that fit into shared memory; equal to range_steps unless products are large
    /// Largest number of nonzeros of a range of whole rows; 0: treat all ranges as split along the path.
    int capacity;
    srcsr_scheme scheme;
    bool read_once = false; ///< arrays along the nonzeros are read with an evict-first policy of the second-level cache
};

/// Rounds n up to a multiple of `to`, which is a power of two.
constexpr int round_up(int n, int to) { return (n + to - 1) & -to; }
constexpr int greatest(std::initializer_list<int> all) {
    int largest = 0;
    for (int const n : all) largest = n > largest ? n : largest;
    return largest;
}

/// Partial sum of the row that is open at the end of a segment, and whether a row ends in the segment.
template <class Accumulator>
struct open_sum {
    Accumulator open;
    int closes;
};

/// Shared memory in bytes, and its alignment, to stage `capacity` nonzeros of a range of whole rows.
template <class Multiply>
struct row_staging {
    static constexpr int alignment = 16;
    static constexpr int bytes(int capacity, int aligned_to) {
        return round_up(capacity * shared_layout<product_t<Multiply>>::bytes, aligned_to);
    }
};
template <class F, class... T>
struct row_staging<along_nonzeros<F, T...>> {
    static_assert((std::is_trivially_copyable_v<T> && ...), "arrays along the nonzeros are copied byte by byte");
    static constexpr int alignment = greatest({16, int(alignof(T))...});
    static constexpr int bytes(int capacity, int aligned_to) {
        return (0 + ... + (round_up(capacity * int(sizeof(T)), aligned_to) + aligned_to));
    }
};

/// Sizes that depend on the operators only.
template <class Multiply, class Add>
struct srcsr_types {
    using product = product_t<Multiply>;
    using accumulator = accumulator_t<Add>;
    using result = result_t<Add>;
    static_assert(std::is_trivially_copyable_v<product> && std::is_trivially_copyable_v<accumulator> &&
                      std::is_trivially_copyable_v<result>,
                  "products, accumulators and results on CUDA are trivially copyable");
    static constexpr bool with_row = takes_row_v<Multiply>;
    static constexpr bool streamed = is_along_nonzeros_v<Multiply>;
    static constexpr int product_bytes = shared_layout<product>::bytes;
    static constexpr int largest = greatest({product_bytes, int(sizeof(accumulator)), int(sizeof(result))});
    static_assert(largest <= 4096, "a block keeps several products and sums in shared memory: 4096 bytes each at most");

    /// Alignment of all data in shared memory.
    static constexpr int alignment = greatest({row_staging<Multiply>::alignment, shared_layout<product>::alignment,
                                               int(alignof(accumulator)), int(alignof(result))});
    static_assert(alignment <= shared_alignment, "products, sums and elements along the nonzeros are aligned to 64 "
                                                 "bytes at most");
    /// Layout of shared memory before the tile: the barrier of asynchronous copies, one head, one partial sum per warp.
    static constexpr int head_at = alignment;
    static constexpr int totals_at = head_at + round_up(int(sizeof(accumulator)), alignment);
    static constexpr int totals_bytes(int threads) {
        return totals_at + round_up(int(sizeof(open_sum<accumulator>)) * (threads / warp_lanes), alignment);
    }
    /// Shared memory of a tile in bytes: `step_bytes` for each step of the merge path, plus `step_slack` for alignment.
    static constexpr int step_bytes = (product_bytes > int(sizeof(result)) ? product_bytes : int(sizeof(result))) + 2;
    static constexpr int step_slack = 4 * alignment;
    /// Whether the tile of every range fits into shared memory for blocks of up to 256 threads, so that no loop over
    /// tiles is needed.
    static constexpr bool one_tile = step_bytes <= 72 && sizeof(accumulator) <= 1024;
};

/// Read policy for a range along the path: several rounds of a few items per thread, through the first-level cache. It
/// needs few registers, so that many resident blocks hide the latency. Used for patterns with regular gathers.
template <class Multiply, class Add>
struct read_in_rounds {
    static constexpr int items = srcsr_types<Multiply, Add>::product_bytes <= 16 ? 5 : 3;
    static constexpr bool past_cache = false;
};

/// Read policy that loads all items of a range simultaneously and bypasses the first-level cache, which then serves the
/// gathers only. It needs more registers, fewer resident blocks and less shared memory per multiprocessor, which leaves
/// a larger cache.
struct read_at_once {
    static constexpr int items = range_items;
    static constexpr bool past_cache = true;
};

/// Whether a store allows its product to start before the preceding kernel has ended. Until that kernel ends, only
/// rows, values along the nonzeros and the plan are read.
template <class Store>
constexpr bool starts_product_early() {
    if constexpr (requires { Store::early; }) return Store::early;
    return false;
}

/// Sizes of a kernel launch.
struct srcsr_launch {
    int shared_bytes;
    int tile_steps;
    int capacity;
};

template <class Multiply, class Add>
constexpr srcsr_launch size_launch(int threads, int capacity) {
    using types = srcsr_types<Multiply, Add>;
    // Ranges of whole rows that would need more shared memory than this are split along the path, in small tiles.
    constexpr int max_row_bytes = 64 * 1024;
    int rows_bytes = row_staging<Multiply>::bytes(capacity, types::alignment);
    if (rows_bytes > max_row_bytes) rows_bytes = capacity = 0;
    int const range_steps = threads * range_items;
    int tile_steps = range_steps;
    if (!types::one_tile)
        tile_steps = max_row_bytes / types::step_bytes < range_steps ? max_row_bytes / types::step_bytes : range_steps;
    int const tile_bytes = tile_steps * types::step_bytes + types::step_slack;
    return {types::totals_bytes(threads) + (rows_bytes > tile_bytes ? rows_bytes : tile_bytes), tile_steps, capacity};
}

} // namespace coppice::inline v0_1::detail
