// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Scan with any associative operator over states of any trivially copyable type; a single pass on CUDA.
///
///     look_back_scan(exec, n, in, combine, out)
///
/// calls out(i, s_i) for 0 <= i < n with s_0 = in(0), s_i = combine(in(i), s_{i-1}). `combine(later, earlier)` is
/// associative up to rounding and need not commute; it needs no identity. in(i) may read what out(i, .) writes, but
/// nothing that out(j, .) writes for j != i. The order of combinations is fixed, so the bits depend neither on the
/// number of threads nor on timing. On CUDA the call is asynchronous.
///
/// Host: (1) states of blocks of a fixed size, in parallel; (2) combination of the block states in order; (3) each
/// block again, starting from the state before it. CUDA: blocks pass their states in messages, in which every word
/// carries its own presence bit, so that no fence is needed (L.-W. Chang, PhD thesis 2014, section 4.2.1). In contrast
/// to decoupled look-back, which combines whatever states are available, blocks look back through a tree of fixed
/// groups: a block reads the states of its predecessors in its group of 32, the last block of a group publishes the
/// state of the group, and so on. The wait of a block is therefore bounded by the depth of the tree.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/core/block.hpp>
#include <coppice/core/host/parallel_host.hpp>
#if defined(__CUDACC__)
#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/cuda/launch_shared.cuh>
#endif

namespace coppice::inline v0_1 {

template <class In, class Combine, class Out>
void look_back_scan(host_executor const& exec, std::int64_t n, In in, Combine combine, Out out) {
    using state = std::decay_t<decltype(in(0))>;
    static_assert(std::is_trivially_copyable_v<state>);
    if (n <= 0) return;
    constexpr std::int64_t block = detail::host_block;
    std::int64_t const blocks = (n + block - 1) / block;
    buffer<state> before(exec, blocks); // states after blocks 0 ... b
    detail::for_each_block(exec, n, block, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
        if (b + 1 == blocks) return; // the last state is not needed
        state s = in(first);
        for (std::int64_t i = first + 1; i < last; ++i) s = combine(in(i), s);
        before[b] = s;
    });
    for (std::int64_t b = 1; b + 1 < blocks; ++b) before[b] = combine(before[b], before[b - 1]);
    detail::for_each_block(exec, n, block, [&](std::int64_t b, std::int64_t first, std::int64_t last) {
        state s = b == 0 ? in(0) : combine(in(first), before[b - 1]);
        out(first, s);
        for (std::int64_t i = first + 1; i < last; ++i) {
            s = combine(in(i), s);
            out(i, s);
        }
    });
}

namespace detail {

/// Number of messages of a scan over `blocks` blocks: one for each block, each group of 32 blocks, each group of
/// groups, ...
struct look_back_tree {
    static constexpr std::int64_t group = warp_lanes;
    COPPICE_HD static constexpr std::int64_t messages(std::int64_t blocks) {
        std::int64_t all = blocks;
        while (blocks >= group) all += blocks /= group; // only complete groups publish a state
        return all;
    }
};

/// Inclusive scan over lanes 0 ... count - 1 of a warp: lane l < count returns the combination of lanes 0 ... l. All
/// lanes call it.
template <class Block, class State, class Combine>
COPPICE_HD State scan_lanes(Block const& block, State value, int count, Combine const& combine) {
    int const lane = block.thread() % warp_lanes;
    for (int d = 1; d < warp_lanes; d *= 2) {
        State const earlier = block.from_lane(value, lane >= d ? lane - d : lane);
        if (lane >= d && lane < count) value = combine(value, earlier);
    }
    return value;
}
/// Returns the combination of lanes 0 ... count - 1 in every lane. 1 <= count <= 32.
template <class Block, class State, class Combine>
COPPICE_HD State combine_lanes(Block const& block, State const& value, int count, Combine const& combine) {
    return block.from_lane(scan_lanes(block, value, count, combine), count - 1);
}

/// Maximum number of levels of the tree.
inline constexpr int look_back_levels = 7;

/// Publishes the state `all` of block b, which is known to its first warp, and stores in of_levels[l] the combination
/// of the states that level l of the tree holds before block b, if there are any. All threads call it with any state as
/// `filler`; the caller adds a barrier. Each warp handles other levels, so that the messages of all levels are in
/// flight together.
template <class Block, class State, class Combine>
COPPICE_HD void look_back(Block const& block, std::uint64_t* messages, std::int64_t b, std::int64_t blocks,
                          State const& all, State const& filler, State* of_levels, Combine const& combine) {
    constexpr std::int64_t group = look_back_tree::group;
    constexpr int words = message_words<State>;
    int const lane = block.thread() % warp_lanes, warp = block.thread() / warp_lanes;
    int const warps = block.threads() / warp_lanes;
    if (block.thread() == 0) block.write_message(messages + b * words, all);
    int level = 0;
    for (std::int64_t at = b, count = blocks; at > 0; at /= group, count /= group, ++level) {
        int const position = int(at % group);
        if (position > 0 && level % warps == warp) {
            State const theirs = lane < position
                                     ? block.template await_message<State>(messages + (at - position + lane) * words)
                                     : filler;
            State const earlier = combine_lanes(block, theirs, position, combine);
            if (lane == 0) of_levels[level] = earlier;
            if (block.thread() == 0 && level == 0 &&
                position == group - 1) // other blocks wait for the first level only
                block.write_message(messages + (count + at / group) * words, combine(all, earlier));
        }
        messages += count * words;
    }
}

/// Continues look_back() after the barrier: the last block of a group of groups publishes the state of that group. One
/// thread calls it.
template <class Block, class State, class Combine>
COPPICE_HD void close_groups(Block const& block, std::uint64_t* messages, std::int64_t b, std::int64_t blocks,
                             State const& all, State const* of_levels, Combine const& combine) {
    constexpr std::int64_t group = look_back_tree::group;
    State of_group = all;
    int level = 0;
    for (std::int64_t at = b, count = blocks; at % group == group - 1; ++level) {
        of_group = combine(of_group, of_levels[level]);
        messages += count * message_words<State>;
        at /= group, count /= group;
        if (level > 0) block.write_message(messages + at * message_words<State>, of_group);
    }
}

/// Returns the state before block b > 0 from the results of look_back().
template <class State, class Combine>
COPPICE_HD State before_block(std::int64_t b, State const* of_levels, Combine const& combine) {
    constexpr std::int64_t group = look_back_tree::group;
    for (; b % group == 0; b /= group) ++of_levels;
    State before = *of_levels;
    for (b /= group; b > 0; b /= group) {
        ++of_levels;
        if (b % group > 0) before = combine(before, *of_levels);
    }
    return before;
}

/// Calls body(k) for k = from, from + step, ..., at most `Items` times and only for k < end. If all `Items` exist, the
/// trip count is a compile-time constant, so that all loads can be in flight together.
template <int Items, class Body>
COPPICE_LANE void for_strided(int from, int step, int end, Body const& body) {
    if (from + (Items - 1) * step < end) {
        COPPICE_UNROLL
        for (int j = 0; j < Items; ++j) body(from + j * step);
    } else {
        for (int k = from; k < end; k += step) body(k);
    }
}

/// Number of states in the shared memory of a block.
constexpr int look_back_states(int threads, int items) {
    return threads * items + threads / warp_lanes + look_back_levels;
}

/// Processes one block of the scan. `tile` has look_back_states elements; the block has at most 32 warps.
template <int Items, class Block, class State, class In, class Combine, class Out>
COPPICE_HD void look_back_block(Block const& block, std::int64_t b, std::int64_t n, State* tile,
                                std::uint64_t* messages, In const& in, Combine const& combine, Out const& out) {
    int const threads = block.threads(), size = threads * Items, thread = block.thread();
    std::int64_t const first = b * size, blocks = (n + size - 1) / size;
    int const count = n - first < size ? int(n - first) : size;
    for_strided<Items>(thread, threads, count, [&](int k) { tile[k] = in(first + k); });
    block.sync();

    int const begin = thread * Items, end = begin + Items < count ? begin + Items : count;
    int const lane = thread % warp_lanes, warp = thread / warp_lanes, last = (count - 1) / Items;
    State* const of_warps = tile + size; // combination over warps 0 ... w
    State* const of_levels = of_warps + threads / warp_lanes;
    State own = tile[begin < count ? begin : 0];
    for_strided<Items - 1>(begin + 1, 1, end, [&](int k) { own = combine(tile[k], own); });
    own = scan_lanes(block, own, last + 1 - warp * warp_lanes, combine);
    State const lanes_before = block.from_lane(own, lane > 0 ? lane - 1 : lane);
    if (begin < count && (lane == warp_lanes - 1 || thread == last)) of_warps[warp] = own;
    block.sync();
    State all = own; // state of the block, in the first warp
    if (warp == 0) {
        int const warps = last / warp_lanes + 1;
        State const of_warp = scan_lanes(block, lane < warps ? of_warps[lane] : own, warps, combine);
        if (lane < warps) of_warps[lane] = of_warp;
        all = block.from_lane(of_warp, warps - 1);
    }
    look_back(block, messages, b, blocks, all, own, of_levels, combine);
    block.sync();
    if (thread == 0) close_groups(block, messages, b, blocks, all, of_levels, combine);

    if (begin < count) {
        bool known = b > 0;
        State s = known ? before_block(b, of_levels, combine) : of_warps[0];
        if (warp > 0) s = known ? combine(of_warps[warp - 1], s) : of_warps[warp - 1], known = true;
        if (lane > 0) s = known ? combine(lanes_before, s) : lanes_before, known = true;
        for_strided<Items>(begin, 1, end, [&](int k) {
            tile[k] = s = known ? combine(tile[k], s) : tile[k];
            known = true;
        });
    }
    block.sync();
    for_strided<Items>(thread, threads, count, [&](int k) { out(first + k, tile[k]); });
}

/// Launch configuration of a scan.
struct look_back_shape {
    int threads; ///< threads of a block; larger blocks give a smaller tree, in which blocks wait
    int items;   ///< states of a thread; odd, to avoid bank conflicts in shared memory
    int blocks; ///< minimum resident blocks per multiprocessor, which overlap waiting and loading; bounds the registers
    constexpr int tile() const { return threads * items; }
};
/// Configuration for states of `bytes` bytes: about 64 KiB of shared memory a block. Wide states need more registers
/// and get smaller blocks.
constexpr look_back_shape look_back_shape_of(int bytes) {
    int const fit = 128 / bytes < 15 ? 128 / bytes : 15, items = fit < 2 ? 1 : fit - (fit + 1) % 2;
    if (bytes > 32) return {256, items, 1};
    return {512, items, bytes > 8 ? 2 : 3};
}
template <class State>
inline constexpr look_back_shape look_back_shape_for = look_back_shape_of(int(sizeof(State)));

} // namespace detail

#if defined(__CUDACC__)

namespace detail {

template <class State, class In, class Combine, class Out>
__global__ void __launch_bounds__(look_back_shape_for<State>.threads, look_back_shape_for<State>.blocks)
    look_back_kernel(std::int64_t n, std::uint64_t* messages, In in, Combine combine, Out out) {
    constexpr look_back_shape shape = look_back_shape_for<State>;
    wait_for_predecessor();
    extern __shared__ __align__(16) unsigned char shared[];
    look_back_block<shape.items>(sized_cuda_block<shape.threads>{}, blockIdx.x, n, reinterpret_cast<State*>(shared),
                                 messages, in, combine, out);
}

} // namespace detail

template <class In, class Combine, class Out>
void look_back_scan(cuda_executor const& exec, std::int64_t n, In in, Combine combine, Out out) {
    using state = std::decay_t<decltype(in(0))>;
    static_assert(std::is_trivially_copyable_v<state>);
    if (n <= 0) return;
    constexpr auto shape = detail::look_back_shape_for<state>;
    auto const blocks =
        checked_cast<int>((n + shape.tile() - 1) / shape.tile(), "number of CUDA blocks of look_back_scan");
    buffer<std::uint64_t> messages(exec, detail::look_back_tree::messages(blocks) * message_words<state>);
    COPPICE_CUDA_CHECK(
        cudaMemsetAsync(messages.data(), 0, std::size_t(messages.size()) * sizeof(std::uint64_t), exec.stream()));
    std::size_t const bytes = detail::look_back_states(shape.threads, shape.items) * sizeof(state);
    auto const kernel = &detail::look_back_kernel<state, In, Combine, Out>;
    launch_shared(exec, kernel, dim3(unsigned(blocks)), shape.threads, bytes, n, messages.data(), in, combine, out);
}

#endif

} // namespace coppice::inline v0_1
