// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What the blocks of an SRCSR kernel share: the job, the sizes that follow from the operators, how a block
/// reads.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <type_traits>

#include <coppice/core/block.hpp>
#include <coppice/semiring/operators/nonzero_streams.hpp>
#include <coppice/semiring/operators/operators.hpp>
#include <coppice/semiring/operators/shared_memory_layout.hpp>
#include <coppice/semiring/reduce_rows/srcsr_options.hpp>
#include <coppice/semiring/reduce_rows/srcsr_partition.hpp>

namespace coppice::detail {

/// Path steps of a share at most, over the threads of its block. A share is one tile: what is read ahead, walked and
/// stored again are this many items per thread. Odd, so that the walk meets no bank conflicts.
inline constexpr int share_items = 11;

/// What the launcher aligns shared memory to.
inline constexpr int shared_alignment = 64;

/// What the kernel works on; the same for all blocks.
template <class O>
struct srcsr_job {
    O const* offsets;
    path_point const* cuts; ///< shares + 1, with the kinds of the shares
    hand_over_slot*
        slots; ///< shares: what a share leaves open, for the share where the row ends; empty between launches
    hand_over_slot* heads; ///< shares: the part of a cut row in the share where it ends (balanced_postprocess)
    void* large_carries;   ///< 2 * shares accumulators in place of the values of slots and heads, if they are too large
    std::int64_t shares;
    std::int64_t rows;
    std::int64_t nonzeros;
    std::int64_t work_per_block;
    std::int64_t first_row; ///< rows outside [first_row, last_row) are left alone
    std::int64_t last_row;
    int share_steps; ///< path steps of a share at most
    int tile_steps;  ///< path steps that fit into shared memory at once; as many as a share has, unless products are
                     ///< large
    int capacity;    ///< nonzeros of a share_of_rows at most; 0: treat all shares as paths
    srcsr_scheme scheme;
    bool read_once = false; ///< what lies along the nonzeros is not worth a place in the second-level cache
};

/// `to` is a power of two.
constexpr int round_up(int n, int to) { return (n + to - 1) & -to; }
constexpr int greatest(std::initializer_list<int> all) {
    int most = 0;
    for (int const n : all) most = n > most ? n : most;
    return most;
}

/// A value that comes later, of a type that need not be default constructible. It begins as zeros: the device compiler
/// keeps a variable that is only assigned under a condition in slow memory otherwise.
template <class T>
union late {
    T value;
    COPPICE_HD late() {
        if constexpr (std::is_trivially_default_constructible_v<T>)
            value = T{};
        else
            std::memset(static_cast<void*>(&value), 0, sizeof value);
    }
};

/// What a stretch leaves open, and whether a row closed in it.
template <class Accumulator>
struct open_part {
    Accumulator open;
    int closes;
};

/// Bytes that staging `capacity` nonzeros of a share of whole rows takes, and what its elements ask for.
template <class Multiply>
struct row_stage {
    static constexpr int alignment = 16;
    static constexpr int bytes(int capacity, int aligned_to) {
        return round_up(capacity * shared_layout<product_t<Multiply>>::bytes, aligned_to);
    }
};
template <class F, class... T>
struct row_stage<along_nonzeros<F, T...>> {
    static_assert((std::is_trivially_copyable_v<T> && ...), "arrays along the nonzeros are copied byte by byte");
    static constexpr int alignment = greatest({16, int(alignof(T))...});
    static constexpr int bytes(int capacity, int aligned_to) {
        return (0 + ... + (round_up(capacity * int(sizeof(T)), aligned_to) + aligned_to));
    }
};

/// Sizes that follow from the operators alone.
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

    /// Of everything that is kept in shared memory.
    static constexpr int alignment = greatest({row_stage<Multiply>::alignment, shared_layout<product>::alignment,
                                               int(alignof(accumulator)), int(alignof(result))});
    static_assert(alignment <= shared_alignment, "products, sums and elements along the nonzeros are aligned to 64 "
                                                 "bytes at most");
    /// Shared memory in front of the tile: the gate of the copies, a head, totals of the warps.
    static constexpr int head_at = alignment;
    static constexpr int totals_at = head_at + round_up(int(sizeof(accumulator)), alignment);
    static constexpr int totals_bytes(int threads) {
        return totals_at + round_up(int(sizeof(open_part<accumulator>)) * (threads / warp_lanes), alignment);
    }
    /// Shared memory per path step of a tile, and what rounding adds.
    static constexpr int step_bytes = (product_bytes > int(sizeof(result)) ? product_bytes : int(sizeof(result))) + 2;
    static constexpr int step_slack = 4 * alignment;
    /// Whether the tile of every share fits, for blocks of up to 256 threads, so that there is no loop over tiles.
    static constexpr bool one_tile = step_bytes <= 72 && sizeof(accumulator) <= 1024;
};

/// How a share along the path is read: several rounds of a few items for each thread, through the first-level cache.
/// Needs few registers, so that many blocks hide the latency: the choice for patterns whose gathers are regular.
template <class Multiply, class Add>
struct read_in_rounds {
    static constexpr int items = srcsr_types<Multiply, Add>::product_bytes <= 16 ? 5 : 3;
    static constexpr bool past_cache = false;
};

/// Everything that a share needs at once, past the first-level cache, which is left to gathers: more registers, fewer
/// blocks and less shared memory on each multiprocessor, so a larger cache.
struct read_at_once {
    static constexpr int items = share_items;
    static constexpr bool past_cache = true;
};

/// Does a store let its product start before the kernel in front of it has ended? Only rows, values along the nonzeros
/// and the plan are read then, until it has.
template <class Store>
constexpr bool starts_product_early() {
    if constexpr (requires { Store::early; }) return Store::early;
    return false;
}

/// Sizes of a launch.
struct srcsr_launch {
    int shared_bytes;
    int tile_steps;
    int capacity;
};

template <class Multiply, class Add>
constexpr srcsr_launch size_launch(int threads, int capacity) {
    using types = srcsr_types<Multiply, Add>;
    // Shares of whole rows that would take more than this are treated as paths, whose tiles are small.
    constexpr int most_for_rows = 64 * 1024;
    int rows_bytes = row_stage<Multiply>::bytes(capacity, types::alignment);
    if (rows_bytes > most_for_rows) rows_bytes = capacity = 0;
    int const share_steps = threads * share_items;
    int tile_steps = share_steps;
    if (!types::one_tile)
        tile_steps = most_for_rows / types::step_bytes < share_steps ? most_for_rows / types::step_bytes : share_steps;
    int const tile_bytes = tile_steps * types::step_bytes + types::step_slack;
    return {types::totals_bytes(threads) + (rows_bytes > tile_bytes ? rows_bytes : tile_bytes), tile_steps, capacity};
}

} // namespace coppice::detail
